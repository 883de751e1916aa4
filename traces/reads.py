"""What each step of a trace really read and wrote, from the staged model and the states that the trace passed.

The staged model says what an instance may touch on any of its paths; here only the path that was taken counts. A
condition's *reason* is a set of variables whose values suffice for its value: of a false conjunction the first false
part, of a choice the condition and the branch chosen. While these variables keep their values, whatever the others do,
the value stays; so two steps that touch nothing in common could be taken in the other order.

Left out of what orders steps: spent fault budgets. They order faults only because the scope counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from offsetproof.ir.faults import SPENT
from offsetproof.ir.kind import Kind
from offsetproof.ir.node import Node, evaluate_all, topological
from offsetproof.ir.system import Instance, Label, State
from offsetproof.lang.reference import Replay
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged


@dataclass(frozen=True)
class Touched:
    """What one step read and wrote.

    `guard` is what let it be taken. `sources` maps each written field to the fields that its new value comes from.
    `kept` maps each field that it might have written but left as it was to the fields that decided so. `spends` has the
    budget of a fault.
    """

    guard: frozenset[str]
    sources: Mapping[str, frozenset[str]]
    kept: Mapping[str, frozenset[str]]
    spends: frozenset[str]

    @property
    def reads(self) -> frozenset[str]:
        """Everything that decided what the step did."""
        return self.guard.union(*self.kept.values(), *self.sources.values())

    @property
    def writes(self) -> frozenset[str]:
        """The fields that the step gave a value, be it the value that they had."""
        return frozenset(self.sources)


def values_by_name(replay: Replay, state: State) -> dict[str, int]:
    """A state of a replay as the IR reads it: variable names to numbers."""
    return dict(zip((leaf.path for leaf in replay.reference.grown.tree.leaves), state, strict=True))


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
    return _reason(wanted, evaluate_all(topological(wanted), values))


class TouchedSteps:
    """The steps of a replay, from 0, each looked at when it is asked for; those that read the same are looked at once.

    So a long trace takes no more memory than its states do.
    """

    def __init__(self, replay: Replay, staged: Staged) -> None:
        self.labels, self.states = replay.labels, replay.states
        self.instances = {inst.label: inst for inst in staged.instances}
        self.budgets = budget_fields(staged.setting)
        self.places = {leaf.path: position for position, leaf in enumerate(replay.reference.grown.tree.leaves)}
        self.readers: dict[Label, _InstanceReader] = {}
        self.known: dict[tuple[Label, State], Touched] = {}

    def __iter__(self) -> Iterator[Touched]:
        return (self[i] for i in range(len(self.labels)))

    def __getitem__(self, index: int) -> Touched:
        """What a step touched."""
        label = self.labels[index]
        if label not in self.readers:
            self.readers[label] = _InstanceReader(self.instances[label], self.places, self.budgets)
        reader, state = self.readers[label], self.states[index]
        key = label, tuple(state[position] for position in reader.read.values())
        if key not in self.known:
            if len(self.known) >= _KNOWN_MAX:
                self.known.clear()
            self.known[key] = reader.touched_at(key[1])
        return self.known[key]


_KNOWN_MAX = 1 << 14
"""How many different steps are remembered."""


class _InstanceReader:
    """One instance with all that decides what it touches, found once."""

    def __init__(self, inst: Instance, places: Mapping[str, int], budgets: frozenset[str]) -> None:
        self.inst, self.budgets = inst, budgets
        self.nodes = list(topological([inst.enabled, *inst.updates.values()]))
        self.read = {node.name: places[node.name] for node in self.nodes if node.kind is Kind.VAR}

    def touched_at(self, values: State) -> Touched:
        """What the step touches where the variables that it may read have these values."""
        before = dict(zip(self.read, values, strict=True))
        known = evaluate_all(self.nodes, before)
        sources: dict[str, frozenset[str]] = {}
        kept: dict[str, frozenset[str]] = {}
        for name in self.inst.updates.keys() - self.budgets:
            conditions, value = _path(self.inst.updates[name], known)
            is_left_alone = value.kind is Kind.VAR and value.name == name
            read = _reason(conditions if is_left_alone else [*conditions, value], known) - self.budgets
            if is_left_alone or (name in read and before[name] == known[self.inst.updates[name]]):
                kept[name] = read
            else:
                sources[name] = read
        spends = frozenset(self.inst.updates.keys() & self.budgets)
        return Touched(_reason([self.inst.enabled], known) - self.budgets, sources, kept, spends)


def _reason(roots: Iterable[Node], known: Mapping[Node, int]) -> frozenset[str]:
    stack = list(roots)
    names, seen = set(), set(stack)
    while stack:
        node = stack.pop()
        if node.kind is Kind.VAR:
            names.add(node.name)
        fresh = [arg for arg in _deciding_arguments(node, known) if arg not in seen]
        seen.update(fresh)
        stack.extend(fresh)
    return frozenset(names)


def _deciding_arguments(node: Node, known: Mapping[Node, int]) -> tuple[Node, ...]:
    """The arguments that a node's value comes from."""
    if node.kind is Kind.ITE:
        return node.args[0], _chosen_branch(node, known)
    if node.kind in (Kind.AND, Kind.OR) and known[node] == (node.kind is Kind.OR):
        return (next(arg for arg in node.args if known[arg] == known[node]),)
    return node.args


def _chosen_branch(node: Node, known: Mapping[Node, int]) -> Node:
    return node.args[1] if known[node.args[0]] else node.args[2]


def _path(node: Node, known: Mapping[Node, int]) -> tuple[list[Node], Node]:
    """The choices that lead to the value of an update, and the node that they lead to."""
    conditions = []
    while node.kind is Kind.ITE:
        conditions.append(node.args[0])
        node = _chosen_branch(node, known)
    return conditions, node
