"""A system as bytes, for another process: read back, it is the same system, node for node, with the same digest."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from offsetproof.ir import build
from offsetproof.ir.kind import Kind, Sort, TooWideError
from offsetproof.ir.node import Node, intern, topological
from offsetproof.ir.sealed_json import seal, unseal
from offsetproof.ir.system import Correlation, Failure, Instance, Label, Lifetime, StagedClaim, System, Variable

_NONSENSE = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    MemoryError,
    TooWideError,
)
"""What reading a document raises that is none of ours."""

_KINDS = {kind.label: kind for kind in Kind}


_SAID_MOST = 200
"""How many characters of what is wrong are told: the rest may be as long as the bytes."""


def to_bytes(system: System) -> bytes:
    """The system as JSON. Nodes are numbered, arguments before users, so that what is shared stays shared."""
    numbers: dict[Node, int] = {}
    nodes = []
    for node in topological(_roots(system)):
        numbers[node] = len(numbers)
        nodes.append([node.kind.label, [numbers[a] for a in node.args], node.leaf, str(node.sort), node.lo, node.hi])

    def at(node: Node) -> int:
        return numbers[node]

    document = {
        "digest": system.digest,
        "nodes": nodes,
        "variables": [[v.name, str(v.sort), v.lo, v.hi, list(v.initial), v.ghost] for v in system.variables],
        "instances": [_instance_out(inst, at) for inst in system.instances],
        "claims": [
            [
                c.name,
                None if c.on_state is None else at(c.on_state),
                [at(n) for n in c.per_step],
                c.deadlock,
                None if c.premise is build.TRUE else at(c.premise),
            ]
            for c in system.claims
        ],
        "correlated": system.correlated and [list(system.correlated.names), list(system.correlated.rows)],
        "lifetimes": [[x.path, at(x.condition), list(x.fields)] for x in system.lifetimes],
    }
    return seal(document)


def from_bytes(data: bytes) -> System:
    """The system that these bytes hold; ValueError, and nothing else, where they are not what `to_bytes` gave."""
    sealed = unseal(data)
    if sealed is None:
        raise ValueError("these bytes hold no system, or a damaged one")
    try:
        document = json.loads(sealed)
        system = _read(document)
        recorded, digest = _text(document["digest"]), system.digest
    except _NONSENSE as error:
        raise ValueError(f"these bytes hold no system: {str(error)[:_SAID_MOST]}") from error
    if digest != recorded:
        raise ValueError(f"these bytes hold system {digest[:12]} but say {recorded[:12]}")
    return system


def _roots(system: System) -> list[Node]:
    roots = [n for inst in system.instances for n in (*inst.guards, *inst.updates.values())]
    roots += [node for claim in system.claims for node in claim.roots]
    return roots + [lifetime.condition for lifetime in system.lifetimes]


def _instance_out(inst: Instance, number_of: Callable[[Node], int]) -> list[Any]:
    action, args = inst.label
    return [
        [action, [list(pair) for pair in args]],
        number_of(inst.enabled),
        [[name, number_of(node)] for name, node in inst.updates.items()],
        number_of(inst.cut),
        [[number_of(f.condition), f.message] for f in inst.failures],
        inst.actor,
        inst.fault,
    ]


def _read(document: dict[str, Any]) -> System:
    nodes = _nodes(document["nodes"])

    def at(number: Any) -> Node:
        return nodes[_place(number)]

    return System(
        tuple(_variable_in(row) for row in document["variables"]),
        tuple(_instance_in(row, at) for row in document["instances"]),
        tuple(
            StagedClaim(
                _text(name),
                None if state is None else at(state),
                tuple(map(at, steps)),
                _flag(dead),
                build.TRUE if premise is None else at(premise),
            )
            for name, state, steps, dead, premise in document["claims"]
        ),
        tuple(Lifetime(_text(path), at(i), tuple(map(_text, fields))) for path, i, fields in document["lifetimes"]),
        _correlation(document["correlated"]),
    )


def _correlation(written: Any) -> Correlation | None:
    if written is None:
        return None
    names, rows = written
    return Correlation(tuple(map(_text, names)), tuple(tuple(map(_number, row)) for row in rows))


def _nodes(rows: Sequence[Sequence[Any]]) -> list[Node]:
    nodes: list[Node] = []
    for label, args, leaf, sort, lo, hi in rows:
        kind = _KINDS[label]
        if kind is Kind.CONST:
            node = build.const(_number(leaf), Sort(sort))
        elif kind is Kind.VAR:
            node = build.var(_text(leaf), _number(lo), _number(hi), Sort(sort))
        else:
            node = intern(kind, tuple(nodes[_place(i)] for i in args))
        if (node.sort, node.lo, node.hi) != (Sort(sort), lo, hi):
            raise ValueError(f"node {len(nodes)} is {node.sort} from {node.lo} to {node.hi}, and says otherwise")
        nodes.append(node)
    return nodes


def _variable_in(row: Sequence[Any]) -> Variable:
    name, sort, lo, hi, initial, ghost = row
    return Variable(
        _text(name), Sort(sort), _number(lo), _number(hi), tuple(_number(value) for value in initial), _flag(ghost)
    )


def _instance_in(row: Sequence[Any], node_at: Callable[[Any], Node]) -> Instance:
    (action, args), enabled, updates, cut, failures, actor, fault = row
    label: Label = (
        _text(action),
        tuple((_text(name), value if isinstance(value, str) else _number(value)) for name, value in args),
    )
    return Instance(
        label,
        node_at(enabled),
        {_text(name): node_at(i) for name, i in updates},
        node_at(cut),
        tuple(Failure(node_at(i), _text(message)) for i, message in failures),
        _text(actor),
        None if fault is None else _text(fault),
    )


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"a {type(value).__name__} where a number belongs")
    return value


def _place(value: Any) -> int:
    if _number(value) < 0:
        raise IndexError("a number below 0 where a place belongs")
    return int(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a {type(value).__name__} where a string belongs")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"a {type(value).__name__} where true or false belongs")
    return value
