"""One action instance or one claim in one state: what the search makes of it against what the model's Python does.

A difference is a DisagreementError that names the action with its arguments, the field and both of its values, and the
state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

import numpy as np

from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import CLAIMS
from offsetproof.engines.explicit.shortest import Explored
from offsetproof.engines.explicit.situations import Sighted
from offsetproof.ir.faults import CAP
from offsetproof.ir.node import Node, evaluate, variables
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

    def __init__(self, search: Explored, staged: Staged, reference: Reference, asked: Sequence[Property]) -> None:
        self.search, self.reference, self.asked = search, reference, tuple(asked)
        self.numbers = {inst.label: i for i, inst in enumerate(search.system.instances)}
        self._leaves = staged.leaves
        self._names = [leaf.path for leaf in self._leaves]
        self._outside = frozenset(self._names) - {v.name for v in search.system.variables}
        self._steps: dict[bytes, tuple[dict[int, State], frozenset[int]]] = {}

    def compare_step(self, inst: Instance, state: Sighted) -> NotTaken | None:
        """DisagreementError unless the instance does the same in both; why it is not taken, where it is not."""
        found = self._found(inst, state)
        expected, reason = self._expected(inst.label, state.whole)
        if isinstance(found, NotTaken) or not isinstance(expected, tuple) or found is None:
            if found is not expected:
                ran = f"goes wrong in Python ({reason})" if expected is None else f"is {_told(expected)} in Python"
                self._differ(inst.label, state.whole, f"{ran} and {_is_told(found)} in the compiled model")
            return found if isinstance(found, NotTaken) else None
        self._must_be_equal(inst.label, state.whole, found, expected)
        for prop in self.asked:
            if prop.kind is ClaimKind.EACH_STEP and not self.reference.judge_step(
                prop, state.whole, inst.label, expected
            ):
                self._differ(inst.label, state.whole, f"breaks {prop.id} in Python and keeps it in the compiled model")
        return None

    def must_be_disabled(self, label: Label, state: Sighted) -> None:
        """DisagreementError if an instance that is said never to be taken is anything but disabled."""
        expected, reason = self._expected(label, state.whole)
        if expected is not NotTaken.DISABLED:
            ran = f"goes wrong in Python ({reason})" if expected is None else f"is {_told(expected)} in Python"
            self._differ(label, state.whole, f"{ran} and {NotTaken.DISABLED} in the compiled model")

    def compare_claim(self, prop: Property, state: Sighted) -> None:
        """DisagreementError unless a claim about states is as true in both; other claims have no truth there."""
        if prop.kind in (ClaimKind.EACH_STEP, ClaimKind.NO_DEADLOCK):
            return
        flags = self.search.flags[:1]
        self.search.native.judge(state.row.reshape(1, -1), flags)
        alarm = bool(int(flags[0]) >> CLAIMS >> self.asked.index(prop) & 1)
        truth = self.reference.judge(prop, state.whole)
        if truth is not (alarm is (prop.kind is ClaimKind.SOMETIMES)):
            what = f"{prop.id} is {truth} in Python and {not truth} in the compiled model"
            raise DisagreementError(f"{what}{self._where(state.whole)}")

    def _expected(self, label: Label, whole: State) -> tuple[Outcome, str]:
        """What Python makes of an instance; and the reason where it goes wrong."""
        try:
            return self.reference.take(whole, label), ""
        except ModelError as error:
            return None, error.reason

    def _found(self, inst: Instance, state: Sighted) -> Outcome:
        """What the search makes of an instance. Of what a slice has left out, the staged expressions tell it."""
        number = self.numbers.get(inst.label)
        before = dict(zip(self._names, state.whole, strict=True))
        if number is None:
            failing = [failure.condition for failure in inst.failures]
            taken, cut, *wrong = evaluate([inst.enabled, inst.cut, *failing], before)
            if not taken:
                return None if any(wrong) else NotTaken.CUT if cut else NotTaken.DISABLED
            return self._whole({**before, **_written(inst.updates, before)})
        steps, cuts = self._steps_from(state.row)
        if number not in steps:
            return NotTaken.CUT if number in cuts else NotTaken.DISABLED
        after = dict(zip((v.name for v in self.search.system.variables), steps[number], strict=True))
        rest = {name: node for name, node in inst.updates.items() if name in self._outside}
        return self._whole({**before, **_written(rest, before), **after})

    def _whole(self, values: Mapping[str, int]) -> State:
        return tuple(values[name] for name in self._names)

    def _steps_from(self, row: Words) -> tuple[dict[int, State], frozenset[int]]:
        """The steps that the compiled code takes from a state, by the number of the instance; and what it cuts."""
        key = row.tobytes()
        if key not in self._steps:
            search, unpack = self.search, self.search.layout.unpack
            fired, cuts = np.zeros_like(search.fired), np.zeros_like(search.fired)
            count = search.native.expand(row.reshape(1, -1), search.out, search.ends, fired, cuts, search.flags)
            taken = np.flatnonzero(fired).tolist()
            steps = {at: unpack(search.out[i]) for i, at in enumerate(taken[:count])}
            self._steps[key] = steps, frozenset(np.flatnonzero(cuts).tolist())
        return self._steps[key]

    def _must_be_equal(self, label: Label, before: State, found: State, expected: State) -> None:
        """Each field must have the value that Python gives it; one that is dead by now may have been reset instead."""
        if found == expected:
            return
        values = dict(zip(self._names, found, strict=True))
        reset = _reset_fields(self.search.system, values)
        for leaf, value, truth in zip(self._leaves, found, expected, strict=True):
            if value != truth and not (leaf.path in reset and value == leaf.initial[0]):
                decode = leaf.domain.decode
                told = f"gives {leaf.path} {decode(truth)!r} in Python and {decode(value)!r} in the compiled model"
                self._differ(label, before, told)

    def _differ(self, label: Label, before: State, how: str) -> NoReturn:
        raise DisagreementError(f"{show_label(label)} {how}{self._where(before)}")

    def _where(self, state: State) -> str:
        """The state in words: the fields that are not as they start."""
        moved = [(leaf, n) for leaf, n in zip(self._leaves, state, strict=True) if n != leaf.initial[0]]
        if not moved:
            return ", in the initial state"
        shown = [f"{leaf.path}={leaf.domain.decode(n)!r}" for leaf, n in moved[:8]]
        return f", where {', '.join(shown)}{', ...' if len(moved) > 8 else ''}"


def _written(updates: Mapping[str, Node], before: Mapping[str, int]) -> dict[str, int]:
    """The values that fields are given."""
    return dict(zip(updates, evaluate(updates.values(), before), strict=True))


def _told(outcome: Outcome) -> str:
    return outcome.value if isinstance(outcome, NotTaken) else "taken"


def _is_told(outcome: Outcome) -> str:
    return "goes wrong" if outcome is None else f"is {_told(outcome)}"


def _reset_fields(system: System, values: Mapping[str, int]) -> set[str]:
    """The fields of objects that are finished in a state."""
    if not system.lifetimes:
        return set()
    readable = [life for life in system.lifetimes if variables([life.condition]) <= values.keys()]
    ended = evaluate([life.condition for life in readable], values)
    known = {v.name for v in system.variables} - {CAP}
    return {name for life, over in zip(readable, ended, strict=True) if over for name in life.fields if name in known}
