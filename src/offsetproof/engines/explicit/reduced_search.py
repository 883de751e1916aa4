"""A claim proved by a search that takes a stubborn set of steps in each state, where that is enough.

The whole search goes first, for as long as it is small. What it has not seen the whole of is searched again by stubborn
sets: for the claim's negation and the model's errors together, then for each needed witness, and for the claim's
premise, that nobody has seen on the way, by sets of its own. All that is found this way is that a claim HOLDS. An alarm
or an error is left to the whole search, which has the smallest trace to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from offsetproof.compiled.lower import CLAIMS_MAX, lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.explorer import Layered
from offsetproof.engines.explicit.kept_relations import relations_of
from offsetproof.engines.explicit.pairs_seen import PairsSeen
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.engines.explicit.reducing_plan import ReducingPlan
from offsetproof.engines.explicit.relations import Goal, Relations, must_be_among
from offsetproof.engines.explicit.search import Alarm, Program, Search, alarms_of
from offsetproof.engines.explicit.stubborn import Reduction, Tables, conditions_to_judge
from offsetproof.engines.vacuity import unspent_budgets
from offsetproof.ir.build import TRUE, both, disjunction, negate
from offsetproof.ir.node import Node
from offsetproof.ir.system import Label, System
from offsetproof.lang.claim import ClaimKind
from offsetproof.verdict.limits import Limits

REDUCIBLE = (ClaimKind.ALWAYS, ClaimKind.EACH_STEP, ClaimKind.AT_REST)
"""The kinds of claims that stubborn sets are for: a witness is found first by the whole search, and a deadlock is no
goal of theirs."""


@dataclass(frozen=True)
class Proof:
    """A finished search by stubborn sets that raised no alarm: the claim holds.

    `whole` is the beginning of the whole search. `judged` is 0 where the claim says nothing of any state or step, else
    None. `taken` has the instances that are known to be taken somewhere, `beside` what searches took that were kept.
    """

    search: Layered
    whole: Search
    judged: int | None
    taken: dict[Label, int]
    beside: int
    note: str


class NoGainError(Exception):
    """The sets leave about as many states as there are."""


def goal_of(system: System) -> Node:
    """Where the first claim is broken, or a step can be taken that breaks it."""
    claim = system.claims[0]
    if claim.on_state is not None:
        return negate(claim.on_state)
    steps = zip(system.instances, claim.per_step, strict=True)
    return disjunction([both(inst.enabled, negate(node)) for inst, node in steps if node is not TRUE])


class ReducedSearches:
    """The searches of one question by stubborn sets.

    `alarm` has what a reduced search found that the whole one has still to find.
    """

    def __init__(self, prepared: PreparedQuestion, plan: ReducingPlan) -> None:
        self.prepared, self.plan, self.system = prepared, plan, prepared.system
        self.alarm: tuple[Layered, Alarm] | None = None
        self.why_not = ""
        self._made: list[Layered] = []

    @property
    def current(self) -> Layered | None:
        """The search that runs, or ran last, if it is kept."""
        return self._made[-1] if self._made else None

    @property
    def are_of_use(self) -> bool:
        """May stubborn sets decide the question?"""
        claim = self.system.claims[0]
        is_stated = claim.on_state is not TRUE and not claim.deadlock and (claim.per_step or claim.on_state is not None)
        return self.prepared.question.prop.kind in REDUCIBLE and bool(is_stated) and len(self._alarms) <= CLAIMS_MAX

    def begin(self) -> tuple[Search, Alarm | None]:
        """The whole search, as far as `after` states. It is over where nothing stopped it."""
        most = self.prepared.question.limits.states
        states = self.plan.after if most is None else min(most, self.plan.after)
        question, program = self.prepared.question, self.prepared.program
        search = Search(program, program.system.initial, self._limits(states), question.progress)
        self._made.append(search)
        return search, search.run(0)

    def proof(self, whole: Search) -> Proof | None:
        """The proof; None where there is none, or only the whole search can tell, or there is no gain (`why_not`).

        LimitMetError where the time is over before; where a search met a limit, `current` says so.
        """
        if whole.has_failed:
            return None
        search = self._search(self._relations.goals[: 1 + self._failures])
        try:
            alarm = self._run(search, whole)
        except NoGainError:
            self.why_not = "stubborn sets were not used: they leave about as many states as there are"
            return None
        if alarm is not None:
            self.alarm = search, alarm
        if alarm is not None or search.stopped is not None or search.has_failed:
            return None
        self._compare(search)
        return self._evidence(search, whole)

    def _evidence(self, main: Layered, whole: Search) -> Proof | None:
        """The proof, if the witnesses are reached."""
        searches: list[Layered] = [main, whole]
        never = set[int]()
        for number in range(len(self._sought)):
            if not any(self._has_seen(search, number) for search in searches):
                own = self._search([self._relations.goals[1 + self._failures + number]])
                if not self._find(own, number):
                    if own.stopped is not None or number < self._witnesses:
                        return None
                    never.add(number)
                searches.append(own)
        taken = self._count_taken(searches)
        while spending := self._that_would_spend(taken):
            guards = tuple(self._relations.conditions.guards[i] for i in spending)
            own = self._search([guards])
            if not any(own.snapshot.fired[list(spending)].any() for _ in own.layers()):
                if own.stopped is not None:
                    return None
                break
            searches.append(own)
            taken = self._count_taken(searches)
        beside = max(0, self.held_bytes - main.held_bytes)
        return Proof(main, whole, 0 if never else None, taken, beside, self._in_words(main))

    def _count_taken(self, searches: Sequence[Layered]) -> dict[Label, int]:
        """How often each instance was taken in these searches."""
        fired = np.sum([search.snapshot.fired for search in searches], axis=0)
        return {inst.label: int(n) for inst, n in zip(self.system.instances, fired, strict=False)}

    def _that_would_spend(self, taken: dict[Label, int]) -> tuple[int, ...]:
        """The instances that nobody has seen taken and that would spend a fault or bound that is unspent so far."""
        staged = self.prepared.staged
        unspent = unspent_budgets(staged, self.system, taken)
        labels = [inst.label for inst in self.system.instances if unspent and not taken[inst.label]]
        spending = {each for each in labels if unspent_budgets(staged, self.system, {**taken, each: 1}) != unspent}
        return tuple(i for i, inst in enumerate(self.system.instances) if inst.label in spending)

    def _in_words(self, main: Layered) -> str:
        if not main.snapshot.transitions:
            return "proved without a search: no step leads towards what would break it, or to an error of the model"
        unsure = f"; {self._relations.open:,} pairs of instances count as dependent, unproved" * bool(
            self._relations.open
        )
        return (
            f"stubborn sets: steps that decide nothing were left out, and all counts are of the reduced search{unsure}"
        )

    def _run(self, search: Layered, whole: Search) -> Alarm | None:
        """Runs the search for the claim; NoGainError once it is as deep as the whole one came, and saves little."""
        depth = whole.depth - 1
        most = sum(whole.level_states[: depth + 1]) * self.plan.share
        if depth >= self.plan.levels:
            search.watched = lambda: _must_gain(search, depth, most)
        return search.run(0)

    def _find(self, search: Layered, number: int) -> bool:
        """Does a search reach what is sought?"""
        return any(self._has_seen(search, number) for _ in search.layers())

    def _has_seen(self, search: Layered, number: int) -> bool:
        if search.native is self._program.native or number < self._witnesses:
            return bool(search.seen_claims >> (1 + number) & 1)
        return bool(search.judged) if self._sought[number] is self._premise else self._has_stepped(search)

    def _has_stepped(self, search: Layered) -> bool:
        steps = zip(self.prepared.claim.per_step, search.snapshot.fired, strict=False)
        return any(int(count) and node is not TRUE for node, count in steps)

    def _compare(self, search: Layered) -> None:
        """Looks in some states whether what counts as unrelated is."""
        seen = PairsSeen(self.system, self._relations.conditions.nodes, search.layout)
        seen.look_at(search.samples(_LOOKS))
        must_be_among(seen, self._relations)

    def _search(self, goals: Sequence[Goal]) -> Layered:
        """A search by stubborn sets for these goals, that has not begun."""
        question, explore = self.prepared.question, self.prepared.explore
        reduction = Reduction(Tables.of(self._relations, goals), self._conditions, self._sought[self._witnesses :])
        search = explore.reduced_search(question, self._program, reduction, self._limits(question.limits.states))
        self._made.append(search)
        return search

    @property
    def held_bytes(self) -> int:
        """What the searches take in this process that are still needed."""
        return sum(search.held_bytes for search in self._made) if self.prepared.explore.is_here else 0

    def let_go(self) -> None:
        """Lets all searches go, unless an alarm of theirs may be told."""
        if self.alarm is None:
            self._made.clear()

    def _limits(self, states: int | None) -> Limits:
        limits = self.prepared.question.limits.beside(self.held_bytes)
        return replace(limits, seconds=self.prepared.deadline.left, states=states)

    @cached_property
    def _relations(self) -> Relations:
        failing = [failure.condition for inst in self.system.instances for failure in inst.failures]
        goals = [goal_of(self.system), *failing, *self._sought]
        return relations_of(self.system, goals, self.prepared.deadline.left, self.prepared.deadline.check)

    @cached_property
    def _program(self) -> Program:
        """The system compiled without a cap on faults, with what stubborn sets are chosen by."""
        layout = self.prepared.explore.layout(self.prepared.question, self.system)
        text = lower(self.system, layout, self._alarms, conditions=self._conditions)
        premise = 1 + self._sought.index(self._premise) if self._premise in self._sought else None
        return Program(self.system, layout, Native(text), premise)

    @cached_property
    def _conditions(self) -> tuple[Node, ...]:
        return tuple(conditions_to_judge(self.system, self._relations))

    @cached_property
    def _alarms(self) -> list[Node | None]:
        props = (self.prepared.question.prop, *self.prepared.question.witnesses)
        return [*alarms_of(self.system, [prop.kind for prop in props]), *self._sought[self._witnesses :]]

    @property
    def _premise(self) -> Node:
        return self.system.claims[0].premise

    @property
    def _witnesses(self) -> int:
        return len(self.prepared.question.witnesses)

    @property
    def _failures(self) -> int:
        return sum(len(inst.failures) for inst in self.system.instances)

    @cached_property
    def _sought(self) -> tuple[Node, ...]:
        """What has to be reached beside the goal: the witnesses, the premise, a step that the claim speaks of."""
        return tuple(self._all_sought())

    def _all_sought(self) -> Iterator[Node]:
        for claim in self.system.claims[1:]:
            assert claim.on_state is not None
            yield claim.on_state
        if self._premise is not TRUE:
            yield self._premise
        if self.system.claims[0].per_step:
            steps = zip(self.system.instances, self.prepared.claim.per_step, strict=True)
            yield disjunction([inst.enabled for inst, node in steps if node is not TRUE])


_LOOKS = 512
"""In so many states of a finished search the relations are compared with what happens there."""


def _must_gain(search: Layered, depth: int, most: float) -> None:
    if search.depth >= depth and sum(search.level_states[: depth + 1]) > most:
        raise NoGainError
