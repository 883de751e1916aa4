"""One action instance or one claim in one state: what the search makes of it against what the model's Python does.

A difference is a DisagreementError that names the action with its arguments, the field and both of its values, and the
state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

import numpy as np

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import CLAIMS
from offsetproof.engines.explicit.explorer import Exploration
from offsetproof.engines.explicit.situations import Sighted
from offsetproof.ir.faults import CAP
from offsetproof.ir.node import Node, evaluate, evaluate_all, topological, variables
from offsetproof.ir.system import Instance, Label, State, System, show_label
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.stage import Staged
from offsetproof.verdict.result import DisagreementError

Outcome = State | NotTaken | None
"""What taking an instance comes to: all fields after it, why it is not taken, or None: the model goes wrong."""


class Comparing:
    """The search and the reference semantics, beside each other."""

    def __init__(self, search: Exploration, staged: Staged, reference: Reference, props: Sequence[Property]) -> None:
        self.search, self.reference, self.props = search, reference, tuple(props)
        self.numbers = {inst.label: i for i, inst in enumerate(search.system.instances)}
        self._expander = Expander(search.layout, search.native, 1)
        self._leaves = staged.leaves
        self._names = [leaf.path for leaf in self._leaves]
        self._orders: dict[Label, tuple[Node, ...]] = {}
        self._steps: dict[bytes, tuple[dict[int, State], frozenset[int]]] = {}

    def compare_step(self, inst: Instance, state: Sighted) -> NotTaken | None:
        """DisagreementError unless the instance does the same in both, and in the staged expressions.

        Why it is not taken, where it is not.
        """
        evaluated = self._by_expressions(inst, state)
        compiled = self._by_search(inst, state, evaluated)
        expected, reason = self._by_python(inst.label, state.whole)
        self._must_agree(inst.label, state.whole, compiled, expected, "Python", reason)
        self._must_agree(inst.label, state.whole, compiled, evaluated, "the staged expressions")
        if isinstance(compiled, NotTaken) or not isinstance(expected, tuple):
            return compiled if isinstance(compiled, NotTaken) else None
        for prop in self.props:
            if prop.kind is ClaimKind.EACH_STEP and not self.reference.judge_step(
                prop, state.whole, inst.label, expected
            ):
                self._differ(inst.label, state.whole, f"breaks {prop.id} in Python and keeps it in the compiled model")
        return None

    def must_be_disabled(self, label: Label, state: Sighted) -> None:
        """DisagreementError if an instance that is said never to be taken is anything but disabled."""
        expected, reason = self._by_python(label, state.whole)
        self._must_agree(label, state.whole, NotTaken.DISABLED, expected, "Python", reason)

    def compare_claim(self, prop: Property, state: Sighted) -> None:
        """DisagreementError unless a claim about states is as true in both; other claims have no truth there."""
        if prop.kind in (ClaimKind.EACH_STEP, ClaimKind.NO_DEADLOCK):
            return
        flags = self._expander.judge(state.row.reshape(1, -1))
        alarm = bool(int(flags[0]) >> CLAIMS >> self.props.index(prop) & 1)
        compiled = alarm is (prop.kind is ClaimKind.SOMETIMES)
        node = self.search.system.claims[self.props.index(prop)].on_state
        evaluated = bool(evaluate([node], dict(zip(self._names, state.whole, strict=True)))[0]) if node else compiled
        judges = {"Python": self.reference.judge(prop, state.whole), "the staged expressions": evaluated}
        for judge, truth in judges.items():
            if truth is not compiled:
                what = f"{prop.id} is {truth} in {judge} and {compiled} in the compiled model"
                raise DisagreementError(f"{what}{self._where(state.whole)}")

    def _by_python(self, label: Label, whole: State) -> tuple[Outcome, str]:
        """What Python makes of an instance; and the reason where it goes wrong."""
        try:
            return self.reference.take(whole, label), ""
        except ModelError as error:
            return None, error.reason

    def _by_search(self, inst: Instance, state: Sighted, evaluated: Outcome) -> Outcome:
        """What the search makes of an instance. Of what a slice has left out, the staged expressions tell it."""
        number = self.numbers.get(inst.label)
        if number is None:
            return evaluated
        steps, cuts = self._steps_from(state.row)
        if number not in steps:
            return NotTaken.CUT if number in cuts else NotTaken.DISABLED
        if not isinstance(evaluated, tuple):
            return state.whole
        values = dict(zip(self._names, evaluated, strict=True))
        values.update(zip((v.name for v in self.search.system.variables), steps[number], strict=True))
        return tuple(values[name] for name in self._names)

    def _by_expressions(self, inst: Instance, state: Sighted) -> Outcome:
        """What the staged expressions make of an instance."""
        if inst.label not in self._orders:
            roots = [inst.enabled, inst.cut, *(each.condition for each in inst.failures), *inst.updates.values()]
            self._orders[inst.label] = tuple(topological(roots))
        before = dict(zip(self._names, state.whole, strict=True))
        known = evaluate_all(self._orders[inst.label], before)
        if not known[inst.enabled]:
            if any(known[failure.condition] for failure in inst.failures):
                return None
            return NotTaken.CUT if known[inst.cut] else NotTaken.DISABLED
        before.update((name, known[node]) for name, node in inst.updates.items())
        return tuple(before[name] for name in self._names)

    def _steps_from(self, row: Words) -> tuple[dict[int, State], frozenset[int]]:
        """The steps that the compiled code takes from a state, by the number of the instance; and what it cuts."""
        key = row.tobytes()
        if key not in self._steps:
            expander, unpack = self._expander, self.search.layout.unpack
            expander.reset_counts()
            count = expander.expand(row.reshape(1, -1))
            taken = np.flatnonzero(expander.fired).tolist()
            steps = {number: unpack(expander.out[i]) for i, number in enumerate(taken[:count])}
            self._steps[key] = steps, frozenset(np.flatnonzero(expander.cuts).tolist())
        return self._steps[key]

    def _must_agree(
        self, label: Label, before: State, compiled: Outcome, expected: Outcome, judge: str, reason: str = ""
    ) -> None:
        """DisagreementError unless what was found is what the judge says.

        Each field must have its value; one that is dead by now may have been reset instead.
        """
        if compiled == expected:
            return
        if not isinstance(compiled, tuple) or not isinstance(expected, tuple):
            why = f" ({reason})" if reason else ""
            difference = (
                f"{_outcome_in_words(expected)} in {judge}{why} and {_outcome_in_words(compiled)} in the compiled model"
            )
            self._differ(label, before, difference)
        values = dict(zip(self._names, compiled, strict=True))
        reset = _reset_fields(self.search.system, values)
        for leaf, value, truth in zip(self._leaves, compiled, expected, strict=True):
            if value != truth and not (leaf.path in reset and value == leaf.initial[0]):
                decode = leaf.domain.decode
                difference = (
                    f"gives {leaf.path} {decode(truth)!r} in {judge} and {decode(value)!r} in the compiled model"
                )
                self._differ(label, before, difference)

    def _differ(self, label: Label, before: State, how: str) -> NoReturn:
        raise DisagreementError(f"{show_label(label)} {how}{self._where(before)}")

    def _where(self, state: State) -> str:
        """The state in words: the fields that are not as they start."""
        moved = [(leaf, n) for leaf, n in zip(self._leaves, state, strict=True) if n != leaf.initial[0]]
        if not moved:
            return ", in the initial state"
        shown = [f"{leaf.path}={leaf.domain.decode(n)!r}" for leaf, n in moved[:8]]
        return f", where {', '.join(shown)}{', ...' if len(moved) > 8 else ''}"


def _outcome_in_words(outcome: Outcome) -> str:
    if outcome is None:
        return "goes wrong"
    return f"is {outcome.value if isinstance(outcome, NotTaken) else 'taken'}"


def _reset_fields(system: System, values: Mapping[str, int]) -> set[str]:
    """The fields of objects that are finished in a state."""
    if not system.lifetimes:
        return set()
    readable = [life for life in system.lifetimes if variables([life.condition]) <= values.keys()]
    ended = evaluate([life.condition for life in readable], values)
    known = {v.name for v in system.variables} - {CAP}
    return {name for life, over in zip(readable, ended, strict=True) if over for name in life.fields if name in known}
