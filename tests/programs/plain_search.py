"""Everything that a program can do, by running it as plain Python: depth first, into dicts, and again the other way.

The second time the program is loaded anew and explored in another order. Where that gives another graph, the program
keeps something outside of its fields.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import product
from types import ModuleType, SimpleNamespace
from typing import Any

from programs.plain import Claim, Component, Declared, Model
from programs.plain_world import DisabledError, OutsideError, Scope, World, judged_in, sort_values

State = tuple[Any, ...]
Label = tuple[str, tuple[tuple[str, Any], ...]]

_HEAD = "from offsetproof.lang import *"


class TooManyError(Exception):
    """More states than there is patience for."""


class MeaninglessError(Exception):
    """Plain Python cannot run it: not even an initial state, or a claim without an answer."""


@dataclass(frozen=True)
class Step:
    """What a claim about steps is told."""

    action: str
    args: dict[str, Any]


@dataclass
class Graph:
    """All that can be reached. Cuts and errors are counted apart for actions that are no faults and that are."""

    initial: list[State] = field(default_factory=list)
    steps: dict[State, list[tuple[Label, State]]] = field(default_factory=dict)
    cuts: dict[State, dict[bool, int]] = field(default_factory=dict)
    errors: dict[State, dict[bool, int]] = field(default_factory=dict)

    def shown(self) -> Any:
        """What two graphs of one program have in common, whatever the order."""
        return (
            sorted(map(repr, self.initial)),
            sorted((repr(s), sorted(map(repr, after))) for s, after in self.steps.items()),
            sorted((repr(s), sorted(n.items())) for s, n in self.cuts.items()),
            sorted((repr(s), sorted(n.items())) for s, n in self.errors.items()),
        )


class Plain:
    """One program, loaded afresh."""

    def __init__(self, source: str) -> None:
        names = vars(_fresh_module())
        exec(compile(source.replace(_HEAD, "from programs.plain import *", 1), "<plain>", "exec"), names)
        mine = [v for v in names.values() if isinstance(v, type) and v.__module__ == "plain_program"]
        self.kind: type[Model] = next(v for v in reversed(mine) if issubclass(v, Model))
        self.scope: Scope = self.kind.scopes[0]
        self.claims = {
            name: claim
            for space in (*(vars(base) for base in reversed(self.kind.__mro__)), names)
            for name, claim in space.items()
            if isinstance(claim, Claim)
        }
        self.before, self.now = self._grown(), self._grown()
        self.labels = list(self._labels())

    def _grown(self) -> Any:
        world = World(self.scope)
        root = self.kind(world)
        return SimpleNamespace(world=world, root=root)

    def _actions(self) -> Iterator[tuple[str, Declared]]:
        named = {name: value for base in reversed(self.kind.__mro__) for name, value in vars(base).items()}
        for name, value in named.items():
            if isinstance(getattr(value, "declared", None), Declared):
                yield name, value.declared

    def _labels(self) -> Iterator[tuple[Label, Declared, dict[str, Any]]]:
        for name, declared in self._actions():
            for values in product(*(sort_values(sort, self.scope) for sort in declared.sorts.values())):
                args = dict(zip(declared.sorts, values, strict=True))
                shown = tuple((k, v.name if isinstance(v, Enum) else v) for k, v in args.items())
                yield (name, shown), declared, args

    def initial(self) -> list[State]:
        """All states that the program may start in; resets go to the first of each field."""
        grown = self.now
        world: World = grown.world
        judged_in(world)
        budgets = {f"faults[{kind}]": budget for kind, budget in self.scope.faults.items() if budget > 0}
        found: dict[State, None] = {}
        for values in product(*world.starts.values()):
            world.now = dict(zip(world.starts, values, strict=True))
            try:
                grown.root.initially()
            except DisabledError:
                continue
            if not all(map(world.holds, world.now)):
                raise MeaninglessError("a field cannot start so")
            found[tuple(world.now.values())] = None
        if not found:
            raise MeaninglessError("no initial state")
        for each in (self.before.world, self.now.world):
            for at, path in enumerate(each.starts):
                each.blank[path] = min((state[at] for state in found), key=each.domains[path].index)
            for path, budget in budgets.items():
                each.grow(path, list(range(budget + 1)), 0)
        return [(*state, *(0 for _ in budgets)) for state in found]

    def load(self, grown: Any, state: State) -> Component:
        """Puts a state into a world; its model."""
        grown.world.now = dict(zip(grown.world.domains, state, strict=True))
        grown.world.cut = False
        judged_in(grown.world)
        root: Component = grown.root
        return root

    def take(self, state: State, label: Label, declared: Declared, args: dict[str, Any]) -> State | str:
        """The state after an action, or why there is none."""
        root, world = self.load(self.now, state), self.now.world
        try:
            self._spend(declared, world)
            for name, elements in declared.among.items():
                if not elements(root).has(args[name]):
                    return "disabled"
            getattr(root, label[0])(**args)
            if not world.cut and not all(map(world.holds, world.now)):
                raise OutsideError
        except DisabledError:
            return "disabled"
        except (Exception, SystemExit):
            return "cut" if world.cut else "error"
        return "cut" if world.cut else tuple(world.now.values())

    @staticmethod
    def _spend(declared: Declared, world: World) -> None:
        if declared.fault is not None:
            path = f"faults[{declared.fault}]"
            if path not in world.now or world.now[path] not in world.domains[path][:-1]:
                raise DisabledError
            world.now[path] += 1

    def explore(self, states_max: int, *, backwards: bool = False) -> Graph:
        """The whole graph, depth first."""
        graph = Graph(self.initial())
        waiting = list(graph.initial)
        labels = self.labels[::-1] if backwards else self.labels
        while waiting:
            state = waiting.pop(0 if backwards and len(graph.steps) % 2 else -1)
            if state in graph.steps:
                continue
            outcomes = [(label, declared, self.take(state, label, declared, args)) for label, declared, args in labels]
            graph.steps[state] = [(label, after) for label, _, after in outcomes if isinstance(after, tuple)]
            graph.cuts[state], graph.errors[state] = [
                {
                    fault: sum(
                        after == how and (declared.fault is not None) is fault for _, declared, after in outcomes
                    )
                    for fault in (False, True)
                }
                for how in ("cut", "error")
            ]
            waiting += [after for _, after in graph.steps[state]]
            if len(graph.steps) > states_max:
                raise TooManyError
        return graph

    def judge(self, name: str, state: State) -> bool:
        """The truth of a claim about a state."""
        claim, root = self.claims[name], self.load(self.now, state)
        if claim.kind == "at_rest" and not root.rest():  # type: ignore[attr-defined]  # the model has one
            return True
        return _truth(claim.function(root))

    def judge_step(self, name: str, before: State, label: Label, after: State) -> bool:
        """The truth of a claim about a step."""
        args = next(args for each, _, args in self.labels if each == label)
        first, second = self.load(self.before, before), self.load(self.now, after)
        return _truth(self.claims[name].function(first, second, Step(label[0], dict(args))))


def _fresh_module() -> ModuleType:
    """A module that is known by its name, as dataclasses want it; it takes the place of the one before."""
    sys.modules["plain_program"] = made = ModuleType("plain_program")
    return made


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise MeaninglessError(f"a claim gave {value!r}")
    return value
