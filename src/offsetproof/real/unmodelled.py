"""The other direction of conformance: calls that a model does not know, between its steps.

After a random walk of the model, done on the real classes as well, any public method of the classes that hold offsets
and caches is called with made-up arguments. If that changes what the model knows, some few steps of the model must lead
there, too; else the change is *unmodelled*. Not every one is an error: a method that nobody calls changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from offsetproof.compiled.layout import Words
from offsetproof.ir.system import Label, State
from offsetproof.real.conform import Conformer
from offsetproof.real.replay import flat

STEPS_MAX = 4
"""How many steps of the model may explain one call: a running info takes three."""


@dataclass
class Unmodelled:
    """What was called how often, and the changes that nothing explains: by method, each with the steps before it."""

    calls: int = 0
    changes: int = 0
    found: dict[str, dict[str, tuple[Label, ...]]] = field(default_factory=lambda: defaultdict(dict))


class Prober:
    """Calls methods of one client after walks of a conformer."""

    def __init__(self, conformer: Conformer, without: frozenset[str] = frozenset(), called: str = "") -> None:
        """`without` are actions that explain nothing, as if the model did not have them; `called` is in all names."""
        self._conformer = conformer
        names = enumerate(conformer.replayer.ask("probes"))
        self._methods = [(number, name) for number, name in names if called in name]
        self._without = without

    def go(self, calls: int, length: int = 20) -> Unmodelled:
        """So many calls, each after a walk of a random length."""
        result = Unmodelled()
        random = self._conformer.random
        for _ in range(calls):
            labels, states = self._conformer.walk(int(random.integers(1, length)))
            self._probe(labels, states, self._methods[int(random.integers(len(self._methods)))], result)
        return result

    def _probe(self, labels: list[Label], states: list[State], method: tuple[int, str], result: Unmodelled) -> None:
        answers = self._conformer.answers_to(labels, states, {"probe": method[0], "client": 0})
        result.calls += 1
        if len(answers) <= len(labels) or "error" in answers[-1]:
            return  # the method waits for what the rig holds
        before, after = (flat(answer["state"]) for answer in answers[-2:])
        changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        if not changed:
            return
        result.changes += 1
        if not self._is_explained(states[-1], after):
            what = ", ".join(f"{name}: {before.get(name)} to {after.get(name)}" for name in changed)
            result.found[method[1]].setdefault(what, tuple(labels))

    def _with_budgets(self, state: State) -> State:
        """The state with all that the scope allows still to be done: a spent budget is not the program's reason."""
        variables = self._conformer.stepper.system.variables
        return tuple(
            variable.initial[0] if variable.name.endswith("_left") else value
            for variable, value in zip(variables, state, strict=True)
        )

    def _is_explained(self, state: State, real: Mapping[str, Any]) -> bool:
        """Do some few steps of the model lead to what the real classes show now?"""
        stepper = self._conformer.stepper
        rows: Words = np.array([stepper.layout.pack(self._with_budgets(state))], np.uint64)
        known = {rows[0].tobytes()}
        for _ in range(STEPS_MAX):
            later = []
            for row in rows:
                steps = stepper.steps(row[np.newaxis, :])
                for which, after in zip(steps.which, steps.after.copy(), strict=True):
                    if self._conformer.action(int(which)) in self._without or after.tobytes() in known:
                        continue
                    known.add(after.tobytes())
                    if self._conformer.agrees(stepper.layout.unpack(after), real):
                        return True
                    later.append(after)
            if not later:
                return False
            rows = np.array(later, np.uint64)
        return False
