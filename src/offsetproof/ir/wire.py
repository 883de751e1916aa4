"""A system as bytes, for another process: read back, it is the same system, node for node, with the same digest."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from offsetproof.ir import build
from offsetproof.ir.kind import Kind, Sort
from offsetproof.ir.node import Node, intern, topological
from offsetproof.ir.system import Claim, Correlation, Failure, Instance, Label, Lifetime, System, Variable

_KINDS = {kind.label: kind for kind in Kind}


class WireError(Exception):
    """Bytes that are no system, or another one than they say."""


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
    return json.dumps(document, separators=(",", ":")).encode()


def from_bytes(data: bytes) -> System:
    """The system that these bytes hold; WireError where they are damaged."""
    try:
        document = json.loads(data)
        system = _read(document)
        told = document["digest"]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise WireError(f"these bytes hold no system: {error}") from error
    if system.digest != told:
        raise WireError(f"these bytes hold system {system.digest[:12]} but say {told[:12]}")
    return system


def _roots(system: System) -> list[Node]:
    roots = [n for inst in system.instances for n in (*inst.guards, *inst.updates.values())]
    roots += [node for claim in system.claims for node in claim.roots]
    return roots + [lifetime.condition for lifetime in system.lifetimes]


def _instance_out(inst: Instance, at: Callable[[Node], int]) -> list[Any]:
    action, args = inst.label
    return [
        [action, [list(pair) for pair in args]],
        at(inst.enabled),
        [[name, at(node)] for name, node in inst.updates.items()],
        at(inst.cut),
        [[at(f.condition), f.message] for f in inst.failures],
        inst.actor,
        inst.fault,
    ]


def _read(document: dict[str, Any]) -> System:
    nodes = _nodes(document["nodes"])
    return System(
        tuple(Variable(n, Sort(s), lo, hi, tuple(start), g) for n, s, lo, hi, start, g in document["variables"]),
        tuple(_instance_in(row, nodes) for row in document["instances"]),
        tuple(
            Claim(
                name,
                None if state is None else nodes[state],
                tuple(nodes[i] for i in steps),
                dead,
                build.TRUE if premise is None else nodes[premise],
            )
            for name, state, steps, dead, premise in document["claims"]
        ),
        tuple(Lifetime(path, nodes[i], tuple(fields)) for path, i, fields in document["lifetimes"]),
        _correlation(document["correlated"]),
    )


def _correlation(told: Sequence[Sequence[Any]] | None) -> Correlation | None:
    return None if told is None else Correlation(tuple(told[0]), tuple(map(tuple, told[1])))


def _nodes(rows: Sequence[Sequence[Any]]) -> list[Node]:
    nodes: list[Node] = []
    for label, args, leaf, sort, lo, hi in rows:
        kind = _KINDS[label]
        if kind is Kind.CONST:
            nodes.append(build.const(leaf, Sort(sort)))
        elif kind is Kind.VAR:
            nodes.append(build.var(leaf, lo, hi, Sort(sort)))
        else:
            nodes.append(intern(kind, tuple(nodes[i] for i in args)))
    return nodes


def _instance_in(row: Sequence[Any], nodes: Sequence[Node]) -> Instance:
    (action, args), enabled, updates, cut, failures, actor, fault = row
    label: Label = (action, tuple((name, value) for name, value in args))
    return Instance(
        label,
        nodes[enabled],
        {name: nodes[i] for name, i in updates},
        nodes[cut],
        tuple(Failure(nodes[i], message) for i, message in failures),
        actor,
        fault,
    )
