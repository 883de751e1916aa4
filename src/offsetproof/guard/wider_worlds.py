"""Guarding wider worlds: what is recorded as holding with one bound or fault raised by one is asked again.

Only worlds that were found to hold count: what was refuted there has its reason, and what was too large says nothing.
A world whose system is the recorded one is not decided, but for the tenth whose turn it is. Asked are first the worlds
whose turn it is, then those of the next turns, each time those of small cases first; what the time was not enough for
is left, and told as left. A world that held and is refuted now is a violation, and one that is not decided never counts
as one that holds.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from offsetproof.checking.answers import Answer, answer_to
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.side_by_side import Tells
from offsetproof.checking.widening import (
    HOLD,
    STATES_MAX,
    UNDECIDED,
    Found,
    WiderWorld,
    WorldOutcome,
    found_in_wider,
    raisable,
    wider_worlds,
)
from offsetproof.checking.wider import Cases, case_in, digest_of, key_of_case
from offsetproof.guard.baseline import TURNS, Finding, RecheckPolicy
from offsetproof.guard.comparison import ComparedQuestion
from offsetproof.lang.cases import Expectation
from offsetproof.lang.subject import Subject
from offsetproof.verdict.exits import Exit, exit_of_broken, worst
from offsetproof.verdict.phrases import length_in_words, quantity
from offsetproof.verdict.question import Question


@dataclass(frozen=True)
class WorldAgain:
    """A wider world that held when it was recorded, and what is so now; one that is refuted has its `answer`."""

    world: WiderWorld
    found: Found
    answer: Answer | None = None

    @property
    def title(self) -> str:
        """The case, and what is raised in which of its scopes."""
        setting = self.world.question.setting
        release = f" of {setting.release}" if setting.release else ""
        return f"{self.world.question.prop.title} in {setting.scope.name}{release} with {' '.join(self.world.changes)}"

    @property
    def exit(self) -> Exit:
        """The code that it calls for."""
        if self.found.outcome is WorldOutcome.REFUTED:
            return exit_of_broken(self.world.question.prop.kind)
        if self.found.outcome is WorldOutcome.ERROR:
            return Exit.MODEL_ERROR
        return Exit.UNKNOWN if self.found.outcome in UNDECIDED else Exit.AS_EXPECTED

    @property
    def in_words(self) -> str:
        """What is wrong with it."""
        found = self.found
        if found.outcome is WorldOutcome.REFUTED:
            length = length_in_words(found.steps or 0, found.faults or 0)
            return f"{self.title}: held when it was recorded, REFUTED now ({length})"
        why = ": ".join(filter(None, (str(found.reason or ""), found.detail)))
        return f"{self.title}: held when it was recorded, and is {found.outcome} now{f' ({why})' * bool(why)}"


@dataclass(frozen=True)
class WorldsAgain:
    """What became of the wider worlds that are recorded as holding: of those that were asked, as far as that went.

    `other` is what is recorded and is not there any more; `missing` is how many worlds were still to be asked when
    somebody ended the run.
    """

    worlds: Sequence[WorldAgain] = ()
    other: Sequence[str] = ()
    missing: int = field(default=0, kw_only=True)

    def count(self, *outcomes: WorldOutcome) -> int:
        """How many worlds are so."""
        return sum(each.found.outcome in outcomes for each in self.worlds)

    @property
    def left(self) -> int:
        """How many were not asked."""
        return self.count(WorldOutcome.LEFT) + self.missing

    @property
    def wrong(self) -> Sequence[WorldAgain]:
        """Those that do not hold any more, as far as is known."""
        return [each for each in self.worlds if each.exit is not Exit.AS_EXPECTED]

    @property
    def exit(self) -> Exit:
        """The code that they call for; what was left calls for none."""
        return worst(each.exit for each in self.worlds)

    @property
    def in_words(self) -> str:
        """All of them in a line."""
        worlds = quantity(len(self.worlds) + self.missing, "wider world")
        counts = {
            "hold": self.count(*HOLD),
            "not decided again because their digests are equal": self.count(WorldOutcome.UNCHANGED),
            "refuted": self.count(WorldOutcome.REFUTED),
            "not decided": self.count(*UNDECIDED),
            "left for want of time": self.left,
        }
        parts = [f"{count} {what}" for what, count in counts.items() if count]
        return f"{worlds} recorded as holding: {', '.join(parts)}" if parts else "no wider world is recorded as holding"


def wider_worlds_again(
    subject: Subject, worlds: Sequence[WiderWorld], seconds: float, count: int, tells: Tells
) -> Generator[WorldAgain, None, None]:
    """What the worlds are now, as far as the seconds suffice; where they are interrupted, fewer."""
    with closing(found_in_wider(worlds, count, tells, time.monotonic() + seconds)) as given:
        for world, found in zip(worlds, given, strict=False):
            refuted = found.outcome is WorldOutcome.REFUTED
            yield WorldAgain(
                world, found, answer_to(subject, explicit_alone(), _as_found(world, found)) if refuted else None
            )


def _as_found(world: WiderWorld, found: Found) -> Question:
    """The world's question as it was decided there: by stubborn sets, where a whole search is too large."""
    reductions = replace(world.wider.reductions, stubborn=world.wider.reductions.stubborn or found.reduced)
    return replace(world.wider, reductions=reductions)


def recorded_worlds(compared: Iterable[ComparedQuestion], cases: Cases, again: RecheckPolicy) -> Sequence[WiderWorld]:
    """The worlds that are recorded as holding, of cases that still do, in the order in which they are asked."""
    states: dict[str, int] = {}
    questions: dict[str, Question] = {}
    for question, found in _holding(compared):
        key = key_of_case(question.prop, question.setting)
        questions[key], states[key] = question, found.states
    worlds = []
    for world in wider_worlds([*map(_with_limit, questions.values())]):
        case = case_in(cases, world.question.prop, world.question.setting)
        (raised,) = world.raised
        if case is not None and raised in case.held:
            spared = not again.everything and _turn_of(world) != again.turn
            worlds.append(replace(world, recorded=case.held[raised] if spared else ""))

    def order(world: WiderWorld) -> tuple[int, int]:
        own = states[key_of_case(world.question.prop, world.question.setting)]
        return (_turn_of(world) - (again.turn or 0)) % TURNS, own

    return sorted(worlds, key=order)


def worlds_not_there(compared: Iterable[ComparedQuestion], cases: Cases) -> Iterator[str]:
    """What is recorded of cases that hold, but in another setting than they have now, or of what cannot be raised."""
    for question, _ in _holding(compared):
        key = key_of_case(question.prop, question.setting)
        if key in cases and cases[key].setting != digest_of(question.setting):
            yield key
        elif key in cases:
            able = raisable(question.model, question.setting.scope)
            yield from (f"{key} with {name}" for name in cases[key].held if name not in able)


def _holding(compared: Iterable[ComparedQuestion]) -> Iterator[tuple[Question, Finding]]:
    """The questions that were asked and that hold, with what was found: of the same system in an earlier release."""
    every = [*compared]
    found = {(each.asked, each.scope.key): each.now for each in every if each.now is not None}
    for each in every:
        question, now = each.later or each.question, each.now
        if each.same_as and now is None:
            now = found.get((replace(each.asked, release=each.same_as), each.scope.key))
        if question is not None and now is not None and now.verdict is Expectation.HOLDS and not now.vacuous:
            yield question, now


def _with_limit(question: Question) -> Question:
    limits = question.limits
    return question if limits.states is not None else replace(question, limits=replace(limits, states=STATES_MAX))


def _turn_of(world: WiderWorld) -> int:
    """Which turn a world has: all claims of one scope with one thing raised have the same, as they share a model."""
    setting = world.question.setting
    text = f"{setting.scope.name} {setting.release} {world.raised[0]}"
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % TURNS
