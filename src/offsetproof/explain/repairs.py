"""The smallest sets of fixes and assumptions under which a claim holds in all its scopes, found by search over sets.

Sets are tried by their size. What a search finds is kept: a set under which one of the counterexamples so far still
replays, and breaks the claim, is refuted without a search, and only the others are searched, one scope after another.
Sets that have one that holds or that could not be decided within them are not tried. So a set that is given is a
smallest one, whatever its parts do to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from offsetproof.checking.engines import explicit_alone
from offsetproof.explain.asking import Asking
from offsetproof.explain.removers import Remover, removers_left, replays, with_remover
from offsetproof.lang.reference import Replay
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict

SEARCHED_STATES = 12_000_000
"""How far a search goes with a set where no limit was given."""


@dataclass(frozen=True)
class Repair:
    """A set that no search has refuted, and the claim's result with it in each scope."""

    removers: tuple[Remover, ...]
    results: tuple[Result, ...]

    @property
    def holds(self) -> bool:
        """Does the claim hold with it in every scope, and mean something?"""
        return all(result.verdict is Verdict.HOLDS and not result.vacuous for result in self.results)

    @property
    def vacuous(self) -> tuple[Result, ...]:
        """The results in scopes where nothing is left that the claim could say something of."""
        return tuple(each for each in self.results if each.vacuous or each.reason is Reason.WITNESS)

    @property
    def undecided(self) -> tuple[Result, ...]:
        """The results in scopes whose search has not come to its end."""
        return tuple(each for each in self.results if each.verdict is Verdict.UNKNOWN and each not in self.vacuous)


@dataclass
class Repairs:
    """What a search over sets has found: `size` is how large the sets were that were tried, all of them.

    `asked` is one of the questions, `first` the results without a repair.
    """

    asked: Question
    first: tuple[Result, ...] = ()
    found: list[Repair] = field(default_factory=list)
    size: int = 0
    tried: int = 0
    searched: int = 0
    interrupted: bool = False

    @property
    def whole(self) -> tuple[Repair, ...]:
        """Those with which the claim holds in all scopes."""
        return tuple(each for each in self.found if each.holds)

    @property
    def is_needed(self) -> bool:
        """Is the claim refuted anywhere without a repair?"""
        return any(result.verdict is Verdict.REFUTED for result in self.first)


def smallest_repairs(
    questions: Sequence[Question], size_max: int, on_set: Callable[[int, int], None] = lambda tried, size: None
) -> Repairs:
    """Searches for the repairs of one claim, asked in its scopes by these questions, of at most so many parts.

    `on_set` hears how many sets have been tried, and how large they are now.
    """
    return _Searching(questions, on_set).run(size_max)


class _Searching:
    """The search over sets; `stories` are the counterexamples so far, the one that refuted last in front.

    `order` has the questions by the states that their first searches met: the cheapest is asked first.
    """

    def __init__(self, questions: Sequence[Question], on_set: Callable[[int, int], None]) -> None:
        self.asking = Asking(explicit_alone(), questions[0].limits.seconds)
        states = questions[0].limits.states or SEARCHED_STATES
        self.questions = [replace(each, limits=replace(each.limits, states=states)) for each in questions]
        self.stories: list[tuple[int, Replay]] = []
        self.order = [*range(len(self.questions))]
        self.on_set = on_set

    def run(self, size_max: int) -> Repairs:
        """Goes through the sizes until a set of some size holds in all scopes."""
        repairs = Repairs(self.questions[0])
        try:
            repairs.first = tuple(self._decide(number) for number in range(len(self.questions)))
            self.order = sorted(range(len(self.questions)), key=lambda number: repairs.first[number].counts.states or 0)
            while repairs.is_needed and not repairs.whole and repairs.size < size_max and not self._is_over:
                self._try_size(repairs, repairs.size + 1)
        except KeyboardInterrupt:
            self.asking.interrupted = True
        repairs.interrupted = self.asking.interrupted
        return repairs

    def _try_size(self, repairs: Repairs, size: int) -> None:
        for removers in self._sets(size, repairs):
            repairs.tried += 1
            self.on_set(repairs.tried, size)
            if self._is_refuted_by_story(removers):
                continue
            repairs.searched += 1
            results = tuple(self._search(removers))
            if self._is_over:
                return
            if results[-1].verdict is not Verdict.REFUTED:
                repairs.found.append(Repair(removers, results))
        repairs.size = size

    def _sets(self, size: int, repairs: Repairs) -> Iterator[tuple[Remover, ...]]:
        for removers in combinations(removers_left(self.questions[0]), size):
            if not any({*known.removers} <= {*removers} for known in repairs.found):
                yield removers

    def _is_refuted_by_story(self, removers: Sequence[Remover]) -> bool:
        for place, (number, story) in enumerate(self.stories):
            if replays(self._with(number, removers), story):
                self.stories.insert(0, self.stories.pop(place))
                return True
        return False

    def _search(self, removers: Sequence[Remover]) -> Iterator[Result]:
        """The results in one scope after another, up to the first that is refuted."""
        for number in self.order:
            result = self._decide(number, removers)
            yield result
            if result.verdict is Verdict.REFUTED or self._is_over:
                return

    def _decide(self, number: int, removers: Sequence[Remover] = ()) -> Result:
        result = self.asking.decide(self._with(number, removers))
        if result.replay is not None:
            self.stories.insert(0, (number, result.replay))
        return result

    def _with(self, number: int, removers: Sequence[Remover]) -> Question:
        question = self.questions[number]
        setting = question.setting
        for remover in removers:
            setting = with_remover(setting, remover)
        return replace(question, setting=setting)

    @property
    def _is_over(self) -> bool:
        return self.asking.interrupted or self.asking.seconds == 0
