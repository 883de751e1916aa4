"""What each step of a trace really read and wrote, from the staged model and the states that the trace passed.

The staged model says what an instance may touch on any of its paths; here only the path that was taken counts. A
condition's *reason* is a set of variables whose values suffice for its value: of a false conjunction the first false
part, of a choice the condition and the branch chosen. While these variables keep their values, whatever the others do,
the value stays; so two steps that touch nothing in common could be taken in the other order.

Left out: spent fault budgets. They order faults only because the scope counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from offsetproof.ir.faults import SPENT
from offsetproof.ir.kind import Kind
from offsetproof.ir.node import Node, evaluate, topological
from offsetproof.ir.system import Instance
from offsetproof.lang.reference import Replay
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged


@dataclass(frozen=True)
class Touched:
    """What one step read and wrote.

    `guard` is what let it be taken. `sources` maps each written field to the fields that its new value comes from.
    `kept` maps each field that it might have written but left as it was to the fields that decided so.
    """

    guard: frozenset[str]
    sources: Mapping[str, frozenset[str]]
    kept: Mapping[str, frozenset[str]]

    @property
    def reads(self) -> frozenset[str]:
        """Everything that decided what the step did."""
        return self.guard.union(*self.kept.values(), *self.sources.values())

    @property
    def writes(self) -> frozenset[str]:
        """The fields that the step gave a value, be it the value that they had."""
        return frozenset(self.sources)


def touched(replay: Replay, staged: Staged) -> tuple[Touched, ...]:
    """What each step of the replay touched, in order."""
    by_label = {inst.label: inst for inst in staged.instances}
    budgets = budget_fields(staged.setting)
    values = states_by_name(replay)
    return tuple(_touched(by_label[label], values[i], values[i + 1], budgets) for i, label in enumerate(replay.labels))


def states_by_name(replay: Replay) -> list[dict[str, int]]:
    """The states of a replay as the IR reads them: variable names to numbers."""
    names = [leaf.path for leaf in replay.reference.grown.tree.leaves]
    return [dict(zip(names, state, strict=True)) for state in replay.states]


def budget_fields(setting: Setting) -> frozenset[str]:
    """The names of the variables that count spent faults."""
    return frozenset(f"{SPENT}{kind}]" for kind in setting.scope.faults)


def reason(roots: Iterable[Node], values: Mapping[str, int]) -> frozenset[str]:
    """Variables whose values suffice for the values that the roots have in a state.

    >>> from offsetproof.ir.build import both, eq, const, var
    >>> x, y = var("x", 0, 3), var("y", 0, 3)
    >>> sorted(reason([both(eq(x, const(1)), eq(y, const(1)))], {"x": 0, "y": 1}))
    ['x']
    """
    wanted = list(roots)
    return _reason(wanted, _known(wanted, values))


def _known(roots: Iterable[Node], values: Mapping[str, int]) -> dict[Node, int]:
    """The value of every node below the roots."""
    nodes = list(topological(roots))
    return dict(zip(nodes, evaluate(nodes, values), strict=True))


def _reason(roots: Iterable[Node], known: Mapping[Node, int]) -> frozenset[str]:
    stack = list(roots)
    found, seen = set(), set(stack)
    while stack:
        node = stack.pop()
        if node.kind is Kind.VAR:
            found.add(node.name)
        fresh = [arg for arg in _deciding(node, known) if arg not in seen]
        seen.update(fresh)
        stack.extend(fresh)
    return frozenset(found)


def _deciding(node: Node, known: Mapping[Node, int]) -> tuple[Node, ...]:
    """The arguments that a node's value comes from."""
    if node.kind is Kind.ITE:
        return node.args[0], _chosen(node, known)
    if node.kind in (Kind.AND, Kind.OR) and known[node] == (node.kind is Kind.OR):
        return (next(arg for arg in node.args if known[arg] == known[node]),)
    return node.args


def _chosen(node: Node, known: Mapping[Node, int]) -> Node:
    return node.args[1] if known[node.args[0]] else node.args[2]


def _touched(inst: Instance, before: Mapping[str, int], after: Mapping[str, int], budgets: frozenset[str]) -> Touched:
    known = _known([inst.enabled, *inst.updates.values()], before)
    sources: dict[str, frozenset[str]] = {}
    kept: dict[str, frozenset[str]] = {}
    for name in inst.updates.keys() - budgets:
        conditions, value = _path(inst.updates[name], known)
        is_left_alone = value.kind is Kind.VAR and value.name == name
        read = _reason(conditions if is_left_alone else [*conditions, value], known) - budgets
        if is_left_alone or (before[name] == after[name] and name in read):
            kept[name] = read
        else:
            sources[name] = read
    return Touched(_reason([inst.enabled], known) - budgets, sources, kept)


def _path(node: Node, known: Mapping[Node, int]) -> tuple[list[Node], Node]:
    """The choices that lead to the value of an update, and the node that they lead to."""
    conditions = []
    while node.kind is Kind.ITE:
        conditions.append(node.args[0])
        node = _chosen(node, known)
    return conditions, node
