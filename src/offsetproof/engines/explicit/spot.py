"""Spot checks: before a scope counts as exhausted, some of what was explored is held against the model's own Python.

Sampled is what was taken: for each action instance states in which it was taken, in which it was cut and in which it
was neither, from early, late and between; and some states, to judge the claims on. What the compiled code makes of them
must be what the reference semantics makes of them, field by field, so a fault shows in whatever way between the two:
staging, reductions, lowering. No proof, but a fault in a rare branch shows as well as one that is everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import CLAIMS
from offsetproof.engines.explicit.shortest import Explored
from offsetproof.ir.faults import CAP
from offsetproof.ir.node import evaluate, variables
from offsetproof.ir.system import Label, State, System, show_label
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.verdict.result import DisagreementError

EACH = 3
"""In how many states each instance is looked at where it is taken, where it is cut, and where it is neither."""

JUDGED, SPREAD, ALL_LABELS = 24, 8, 1500
"""How many states the claims are judged on, in how many every instance is looked at, and in at most how many looks."""

Flags = npt.NDArray[np.bool_]


@dataclass
class Looked:
    """How often what was looked at agreed: steps taken, cut and not possible, and states judged.

    `unseen` counts the instances that were taken somewhere, and in no state that was looked at.
    """

    taken: int = 0
    cut: int = 0
    disabled: int = 0
    judged: int = 0
    unseen: int = 0

    def __str__(self) -> str:
        cuts = f" {self.cut:,} cuts," if self.cut else ""
        unseen = f"; {self.unseen:,} action instances that were taken were not among them" if self.unseen else ""
        return (
            f"spot check: {self.taken:,} steps,{cuts} {self.disabled:,} that cannot be taken, and the claims on "
            f"{self.judged:,} states agree with the reference semantics{unseen}"
        )


def spot_check(
    search: Explored, reference: Reference, asked: Sequence[Property], impossible: Collection[str] = ()
) -> Looked:
    """What was looked at; DisagreementError at the first thing that differs.

    `asked` are the claims of the search, `impossible` the actions that are said never to be taken.
    """
    return _Spot(search, reference, asked, impossible).check()


class _Spot:
    """One check in progress: what is still wanted of each instance."""

    def __init__(
        self, search: Explored, reference: Reference, asked: Sequence[Property], impossible: Collection[str]
    ) -> None:
        self.search, self.reference, self.asked = search, reference, tuple(asked)
        self.labels = [inst.label for inst in search.system.instances]
        count = max(1, len(self.labels))
        self.taken, self.cut, self.neither = (np.full(count, EACH, np.int64) for _ in range(3))
        self.impossible = [label for label in reference.labels if label[0] in impossible]
        self.looked = Looked()
        self._names = [v.name for v in search.system.variables]
        self._places = {leaf.path: at for at, leaf in enumerate(reference.grown.tree.leaves)}

    def check(self) -> Looked:
        """Looks at whole states, then at where instances were taken and cut; judges the claims on the way."""
        spread = max(1, min(SPREAD, ALL_LABELS // max(1, len(self.labels))))
        for row in self.search.samples(spread):
            self._look(row, everything=True)
        blocks = list(self.search.blocks())
        for quota in (1, EACH):
            for block in blocks:
                self._descend(block, np.minimum(self.taken, quota), np.minimum(self.cut, quota))
        taken = self.search.snapshot.fired[: len(self.labels)] > 0
        self.looked.unseen = int((taken & (self.taken[: len(self.labels)] == EACH)).sum())
        return self.looked

    def _descend(self, rows: Words, taken: npt.NDArray[np.int64], cut: npt.NDArray[np.int64]) -> None:
        """Looks for states of a block in which instances are taken or cut that are still wanted, half by half."""
        fired, cuts = self._counted(rows)
        if not (((fired > 0) & (taken > 0)) | ((cuts > 0) & (cut > 0))).any():
            return
        if len(rows) == 1:
            self._look(rows[0])
            taken -= fired
            cut -= cuts
            return
        half = len(rows) // 2
        self._descend(rows[:half], taken, cut)
        self._descend(rows[half:], taken, cut)

    def _counted(self, rows: Words) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        search = self.search
        fired, cuts = np.zeros_like(search.fired), np.zeros_like(search.fired)
        search.native.expand(np.ascontiguousarray(rows), search.out, search.ends, fired, cuts, search.flags)
        return fired, cuts

    def _look(self, row: Words, *, everything: bool = False) -> None:
        """Looks at one state: at instances that are wanted, or at all; and at the claims, if that is still wanted."""
        fired, cuts = self._counted(row.reshape(1, -1))
        before = self.search.layout.unpack(row)
        whole = self._whole(before)
        after = dict(zip(np.flatnonzero(fired).tolist(), self.search.out[: int(fired.sum())].copy(), strict=True))
        for i in self._wanted(fired > 0, cuts > 0, everything=everything):
            if fired[i]:
                self._must_be_taken(self.labels[i], whole, self.search.layout.unpack(after[i]))
                self.taken[i] -= 1
                self.looked.taken += 1
            else:
                self._must_not_be_taken(self.labels[i], whole, NotTaken.CUT if cuts[i] else NotTaken.DISABLED)
                (self.cut if cuts[i] else self.neither)[i] -= 1
                self.looked.cut += bool(cuts[i])
                self.looked.disabled += not cuts[i]
        for label in self.impossible if everything else ():
            self._must_not_be_taken(label, whole, NotTaken.DISABLED)
            self.looked.disabled += 1
        if self.looked.judged < JUDGED:
            self._judge(row, whole)

    def _wanted(self, fired: Flags, cuts: Flags, *, everything: bool) -> Iterator[int]:
        """The instances to look at in a state; of those that are not possible there a few at a time."""
        if everything:
            yield from range(len(self.labels))
            return
        yield from np.flatnonzero((fired & (self.taken > 0)) | (cuts & (self.cut > 0))).tolist()
        neither = np.flatnonzero(~fired & ~cuts & (self.neither > 0))
        yield from neither[: max(4, len(self.labels) // 10)].tolist()

    def _whole(self, state: State) -> State:
        """The state with the fields that the slice has left out, which start as they may."""
        known = dict(zip(self._names, state, strict=True))
        return tuple(known.get(leaf.path, leaf.initial[0]) for leaf in self.reference.grown.tree.leaves)

    def _must_be_taken(self, label: Label, before: State, found: State) -> None:
        try:
            expected = self.reference.take(before, label)
        except ModelError as error:
            self._differ(label, before, f"goes wrong in Python ({error.reason}) and is taken in the compiled model")
        if isinstance(expected, NotTaken):
            self._differ(label, before, f"is {expected} in Python and taken in the compiled model")
        self._must_be_equal(label, before, found, expected)
        for prop in self.asked:
            if prop.kind is ClaimKind.EACH_STEP and not self.reference.judge_step(prop, before, label, expected):
                self._differ(label, before, f"breaks {prop.id} in Python and keeps it in the compiled model")

    def _must_be_equal(self, label: Label, before: State, found: State, expected: State) -> None:
        """Each field must have the value that Python gives it; one that is dead by now may have been reset instead."""
        leaves = self.reference.grown.tree.leaves
        reset = _reset_fields(self.search.system, found)
        for variable, value in zip(self.search.system.variables, found, strict=True):
            if variable.name == CAP:
                continue
            at = self._places[variable.name]
            if value != expected[at] and not (variable.name in reset and value == variable.initial[0]):
                decode = leaves[at].domain.decode
                self._differ(
                    label,
                    before,
                    f"gives {variable.name} {decode(expected[at])!r} in Python and {decode(value)!r} in the compiled "
                    "model",
                )

    def _must_not_be_taken(self, label: Label, before: State, found: NotTaken) -> None:
        try:
            expected = self.reference.take(before, label)
        except ModelError as error:
            self._differ(label, before, f"goes wrong in Python ({error.reason}) and is {found} in the compiled model")
        if expected is not found:
            how = expected if isinstance(expected, NotTaken) else "taken"
            self._differ(label, before, f"is {how} in Python and {found} in the compiled model")

    def _judge(self, row: Words, whole: State) -> None:
        flags = self.search.flags[:1]
        self.search.native.judge(row.reshape(1, -1), flags)
        told = int(flags[0]) >> CLAIMS
        for i, prop in enumerate(self.asked):
            if prop.kind in (ClaimKind.EACH_STEP, ClaimKind.NO_DEADLOCK):
                continue
            truth = self.reference.judge(prop, whole)
            if truth is not (bool(told >> i & 1) is (prop.kind is ClaimKind.SOMETIMES)):
                what = f"{prop.id} is {truth} in Python and {not truth} in the compiled model"
                raise DisagreementError(f"{what}{self._where(whole)}")
        self.looked.judged += 1

    def _differ(self, label: Label, before: State, how: str) -> NoReturn:
        raise DisagreementError(f"{show_label(label)} {how}{self._where(before)}")

    def _where(self, state: State) -> str:
        """The state in words: the fields that are not as they start."""
        leaves = self.reference.grown.tree.leaves
        moved = [(leaf, n) for leaf, n in zip(leaves, state, strict=True) if n != leaf.initial[0]]
        if not moved:
            return ", in the initial state"
        shown = [f"{leaf.path}={leaf.domain.decode(n)!r}" for leaf, n in moved[:8]]
        return f", where {', '.join(shown)}{', ...' if len(moved) > 8 else ''}"


def _reset_fields(system: System, state: State) -> set[str]:
    """The fields of objects that are finished in a state."""
    if not system.lifetimes:
        return set()
    values = {v.name: value for v, value in zip(system.variables, state, strict=True)}
    readable = [life for life in system.lifetimes if variables([life.condition]) <= values.keys()]
    ended = evaluate([life.condition for life in readable], values)
    return {name for life, over in zip(readable, ended, strict=True) if over for name in life.fields}
