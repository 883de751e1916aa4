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

from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import CLAIMS_MAX, lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.kept_relations import relations_of
from offsetproof.engines.explicit.pairs_seen import PairsSeen
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.engines.explicit.reducing_plan import ReducingPlan
from offsetproof.engines.explicit.relations import Goal, Relations, must_be_among
from offsetproof.engines.explicit.search import Alarm, Program, Search, alarms_of
from offsetproof.engines.explicit.stubborn import StubbornExpander, Tables, conditions_to_judge
from offsetproof.engines.vacuity import unspent_budgets
from offsetproof.ir.build import TRUE, both, disjunction, negate
from offsetproof.ir.node import Node
from offsetproof.ir.system import Label, System
from offsetproof.lang.claim import ClaimKind

REDUCIBLE = (ClaimKind.ALWAYS, ClaimKind.EACH_STEP, ClaimKind.AT_REST)
"""The kinds of claims that stubborn sets are for: a witness is found first by the whole search, and a deadlock is no
goal of theirs."""


@dataclass(frozen=True)
class Proof:
    """A finished search by stubborn sets that raised no alarm: the claim holds.

    `whole` is the beginning of the whole search. `judged` is 0 where the claim says nothing of any state or step, else
    None. `taken` has the instances that are known to be taken somewhere.
    """

    search: Search
    whole: Search
    judged: int | None
    taken: dict[Label, int]
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
    """The searches of one question by stubborn sets. `current` is the search that runs, or ran last.

    `alarm` has what a reduced search found that the whole one has still to find.
    """

    def __init__(self, prepared: PreparedQuestion, plan: ReducingPlan) -> None:
        self.prepared, self.plan, self.system = prepared, plan, prepared.system
        self.current: Search | None = None
        self.alarm: tuple[Search, Alarm] | None = None
        self.why_not = ""

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
        search = self._search(self.prepared.program, None, states)
        return search, search.run(0)

    def proof(self, whole: Search) -> Proof | None:
        """The proof; None where there is none, or only the whole search can tell, or there is no gain (`why_not`).

        LimitMetError where the time is over before; where a search met a limit, `current` says so.
        """
        if whole.failed_depth is not None:
            return None
        main = self._expanding(self._relations.goals[: 1 + self._failures])
        search = self._search(self._program, main)
        try:
            alarm = self._run(search, whole)
        except NoGainError:
            self.why_not = "stubborn sets were not used: they leave about as many states as there are"
            return None
        if alarm is not None:
            self.alarm = search, alarm
        if alarm is not None or search.stopped is not None or search.failed_depth is not None:
            return None
        self._compare(search)
        return self._evidence(search, whole)

    def _evidence(self, main: Search, whole: Search) -> Proof | None:
        """The proof, if the witnesses are reached."""
        searches, never = [main, whole], set()
        for number in range(len(self._sought)):
            if not any(self._has_seen(search, number) for search in searches):
                own = self._search(self._program, self._expanding([self._relations.goals[1 + self._failures + number]]))
                if not self._find(own, number):
                    if own.stopped is not None or number < self._witnesses:
                        return None
                    never.add(number)
                searches.append(own)
        taken = self._count_taken(searches)
        while spending := self._that_would_spend(taken):
            guards = tuple(self._relations.conditions.guards[i] for i in spending)
            own = self._search(self._program, self._expanding([guards]))
            if not any(own.snapshot.fired[list(spending)].any() for _ in own.layers()):
                if own.stopped is not None:
                    return None
                break
            searches.append(own)
            taken = self._count_taken(searches)
        return Proof(main, whole, 0 if never else None, taken, self._in_words(main))

    def _count_taken(self, searches: Sequence[Search]) -> dict[Label, int]:
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

    def _in_words(self, main: Search) -> str:
        if not main.transitions:
            return "inductive: no step breaks it, and none leads to an error of the model; proved without a search"
        unsure = f"; {self._relations.open:,} pairs of instances count as dependent, unproved" * bool(
            self._relations.open
        )
        return (
            f"stubborn sets: steps that decide nothing were left out, and all counts are of the reduced search{unsure}"
        )

    def _run(self, search: Search, whole: Search) -> Alarm | None:
        """Runs the search for the claim; NoGainError once it is as deep as the whole one came, and saves little."""
        depth = whole.depth - 1
        most = sum(whole.level_states[: depth + 1]) * self.plan.share
        if depth >= self.plan.levels:
            search.watched = lambda: _must_gain(search, depth, most)
        return search.run(0)

    def _find(self, search: Search, number: int) -> bool:
        """Does a search reach what is sought?"""
        return any(self._has_seen(search, number) for _ in search.layers())

    def _has_seen(self, search: Search, number: int) -> bool:
        if search.native is self._program.native or number < self._witnesses:
            return bool(search.seen_claims >> (1 + number) & 1)
        return search.judged > 0 if self._sought[number] is self._premise else self._has_stepped(search)

    def _has_stepped(self, search: Search) -> bool:
        steps = zip(self.prepared.claim.per_step, search.snapshot.fired, strict=False)
        return any(int(count) and node is not TRUE for node, count in steps)

    def _compare(self, search: Search) -> None:
        """Looks in some states whether what counts as unrelated is."""
        seen = PairsSeen(self.system, self._relations.conditions.nodes)
        seen.look_at(search.samples(_LOOKS))
        must_be_among(seen, self._relations)

    def _expanding(self, goals: Sequence[Goal]) -> StubbornExpander:
        tables = Tables.of(self._relations, goals)
        return StubbornExpander(self._program.layout, self._program.native, tables, self._judged_conditions)

    def _search(self, program: Program, expander: StubbornExpander | None, states: int | None = None) -> Search:
        question, deadline = self.prepared.question, self.prepared.deadline
        most = question.limits.states if states is None else states
        limits = replace(question.limits, seconds=deadline.left, states=most)
        self.current = Search(program, program.system.initial, limits, question.progress, expander)
        return self.current

    @cached_property
    def _relations(self) -> Relations:
        failing = [failure.condition for inst in self.system.instances for failure in inst.failures]
        goals = [goal_of(self.system), *failing, *self._sought]
        return relations_of(self.system, goals, self.prepared.deadline.left, self.prepared.deadline.check)

    @cached_property
    def _program(self) -> Program:
        """The system compiled without a cap on faults, with what stubborn sets are chosen by."""
        layout, conditions = Layout(self.system), conditions_to_judge(self.system, self._relations)
        text = lower(self.system, layout, self._alarms, conditions=conditions)
        premise = 1 + self._sought.index(self._premise) if self._premise in self._sought else None
        return Program(self.system, layout, Native(text), premise)

    @property
    def _judged_conditions(self) -> int:
        return len(conditions_to_judge(self.system, self._relations))

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


def _must_gain(search: Search, depth: int, most: float) -> None:
    if search.depth >= depth and sum(search.level_states[: depth + 1]) > most:
        raise NoGainError
