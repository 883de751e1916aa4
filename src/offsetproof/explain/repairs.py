"""The smallest sets of fixes and assumptions under which a claim holds in all its scopes, found by search over sets.

Sets are tried by their size. What a search finds is kept: a set under which one of the counterexamples so far still
replays, and breaks the claim, is refuted without a search, and only the others are searched, one scope after another.
Sets that have one that holds or that could not be decided within them are not tried. So a set that is given is a
smallest one, whatever its parts do to each other. Where its search met a limit, it goes on in smaller bounds, if the
scope has any; what is found there is no answer for the scope, unless it is a counterexample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from offsetproof.checking.engines import explicit_alone
from offsetproof.explain.asking import Asking
from offsetproof.explain.on_causes import MetCause, OnCauses, Shown, causes_met, removers_on_causes
from offsetproof.explain.removers import Remover, removers_left, replays, with_remover
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict

SEARCHED_STATES = 12_000_000
"""How far a search goes with a set where no limit was given."""
NARROWED_STATES = 100_000_000
"""How far it goes in smaller bounds then: it is made of few sets."""


@dataclass(frozen=True)
class Repair:
    """A set that no search has refuted, and the claim's result with it in each scope.

    `narrowed` are the results in smaller bounds of scopes in which it was not decided.
    """

    removers: tuple[Remover, ...]
    results: tuple[Result, ...]
    narrowed: tuple[Result, ...] = ()

    @property
    def holds(self) -> bool:
        """Does the claim hold with it in every scope, and mean something?"""
        return bool(self.held) and len(self.held) == len(self.results)

    @property
    def held(self) -> tuple[Result, ...]:
        """The results in scopes in which it holds, and means something."""
        return tuple(each for each in self.results if each.verdict is Verdict.HOLDS and not each.vacuous)

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

    `asked` is one of the questions, `first` the results without a repair. `causes` are those of all counterexamples
    that the search met, `alone` says what each fix and assumption by itself does to them. `interrupted`: by the user or
    by the time limit, before all sets of a size were tried.
    """

    asked: Question
    first: tuple[Result, ...] = ()
    found: list[Repair] = field(default_factory=list)
    size: int = 0
    tried: int = 0
    searched: int = 0
    causes: tuple[MetCause, ...] = ()
    alone: tuple[OnCauses, ...] = ()
    interrupted: bool = False

    @property
    def whole(self) -> tuple[Repair, ...]:
        """Those with which the claim holds in all scopes."""
        return tuple(each for each in self.found if each.holds)

    @property
    def open(self) -> tuple[Repair, ...]:
        """Those with which it holds in some scope, and may hold in all others."""
        return tuple(each for each in self.found if each.held and each.undecided and not each.vacuous)

    @property
    def is_needed(self) -> bool:
        """Is the claim refuted anywhere without a repair?"""
        return any(result.verdict is Verdict.REFUTED for result in self.first)


def smallest_repairs(
    questions: Sequence[Question],
    size_max: int,
    on_set: Callable[[int, int], None] = lambda tried, size: None,
    *,
    subject: str | None = None,
) -> Repairs:
    """Searches for the repairs of one claim, asked in its scopes by these questions, of at most so many parts.

    `on_set` hears how many sets have been tried, and how large they are now. Of the `subject` are the recorded stories
    that causes have their names of.
    """
    return _Searching(questions, on_set, subject).run(size_max)


class _Searching:
    """The search over sets; `shown` are the counterexamples so far, `likely` has the last one that refuted in front.

    `order` has the questions by the states that their first searches met: the cheapest is asked first.
    """

    def __init__(self, questions: Sequence[Question], on_set: Callable[[int, int], None], subject: str | None) -> None:
        self.asking = Asking(explicit_alone(), questions[0].limits.seconds)
        states = questions[0].limits.states or SEARCHED_STATES
        self.narrowed_states = questions[0].limits.states or NARROWED_STATES
        self.questions = [replace(each, limits=replace(each.limits, states=states)) for each in questions]
        self.shown: list[Shown] = []
        self.likely: list[tuple[Question, Shown]] = []
        self.order = [*range(len(self.questions))]
        self.on_set, self.subject = on_set, subject

    def run(self, size_max: int) -> Repairs:
        """Goes through the sizes until a set of some size holds in all scopes."""
        repairs = Repairs(self.questions[0])
        try:
            repairs.first = tuple(map(self._decide, self.questions))
            self.order = sorted(range(len(self.questions)), key=lambda number: repairs.first[number].counts.states or 0)
            while repairs.is_needed and not repairs.whole and repairs.size < size_max and not self._is_over:
                self._try_size(repairs, repairs.size + 1)
            if repairs.is_needed:
                self._look_at_causes(repairs)
        except KeyboardInterrupt:
            self.asking.interrupted = True
        repairs.interrupted |= self.asking.interrupted
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
                repairs.interrupted = True
                return
            if results[-1].verdict is not Verdict.REFUTED:
                repair = Repair(removers, results)
                narrowed = tuple(self._search_narrowed(repair))
                if not any(each.verdict is Verdict.REFUTED for each in narrowed):
                    repairs.found.append(replace(repair, narrowed=narrowed))
        repairs.size = size

    def _look_at_causes(self, repairs: Repairs) -> None:
        """What each fix and assumption alone does to the causes that were met."""
        repairs.causes = causes_met(self.asking, self.subject, self.shown)
        wholesale = {
            each.removers[0].name: {
                result.setting.scope.name: Verdict.UNKNOWN if result in each.vacuous else result.verdict
                for result in each.results
            }
            for each in repairs.found
            if len(each.removers) == 1
        }
        repairs.alone = tuple(removers_on_causes(self.asking, self.questions[0], repairs.causes, wholesale))

    def _sets(self, size: int, repairs: Repairs) -> Iterator[tuple[Remover, ...]]:
        for removers in combinations(removers_left(self.questions[0]), size):
            if not any({*known.removers} <= {*removers} for known in repairs.found):
                yield removers

    def _is_refuted_by_story(self, removers: Sequence[Remover]) -> bool:
        for place, (question, story) in enumerate(self.likely):
            if replays(_with(question, removers), story.replay):
                self.likely.insert(0, self.likely.pop(place))
                return True
        return False

    def _search(self, removers: Sequence[Remover]) -> Iterator[Result]:
        """The results in one scope after another, up to the first that is refuted."""
        for number in self.order:
            result = self._decide(self.questions[number], removers)
            yield result
            if result.verdict is Verdict.REFUTED or self._is_over:
                return

    def _search_narrowed(self, repair: Repair) -> Iterator[Result]:
        """The results in smaller bounds of what was not decided, if the claim is refuted there without the repair."""
        for result in repair.undecided:
            scope = result.setting.scope
            own = next(each for each in self.questions if each.setting.scope == scope)
            narrowed = replace(own.setting, scope=scope.with_bounds(scope.narrower))
            question = replace(own, setting=narrowed, limits=replace(own.limits, states=self.narrowed_states))
            if scope.narrower and self.asking.decide(question).verdict is Verdict.REFUTED and not self._is_over:
                yield self._decide(question, repair.removers)

    def _decide(self, question: Question, removers: Sequence[Remover] = ()) -> Result:
        asked = _with(question, removers)
        result = self.asking.decide(asked)
        if result.replay is not None:
            self.shown.append(Shown(asked, result.replay))
            self.likely.insert(0, (question, self.shown[-1]))
        return result

    @property
    def _is_over(self) -> bool:
        return self.asking.interrupted or self.asking.seconds == 0


def _with(question: Question, removers: Sequence[Remover]) -> Question:
    setting = question.setting
    for remover in removers:
        setting = with_remover(setting, remover)
    return replace(question, setting=setting)
