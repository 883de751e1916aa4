"""Claims about runs: the explicit engine against the definition, on random tiny models with fair and unfair threads."""

from __future__ import annotations

from collections import Counter

import pytest
from engines.plain_runs import FairThreads, PlainRuns
from hypothesis import given
from hypothesis import strategies as st
from systems.lively import Mailbox
from systems.random_runs import BUDGET, FULL, DrawnRuns, made
from systems.reproducible import reproducible

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import Fairness, Setting
from offsetproof.lang.claim import Property
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Reason, Result

ALL, NONE = Reductions(), Reductions(slicing=False, dead=False)


def decided(drawn: DrawnRuns, prop: Property, reductions: Reductions = ALL) -> Result:
    return Explicit().decide(Question(drawn.model, drawn.setting, prop, reductions=reductions))


def plain(drawn: DrawnRuns) -> PlainRuns:
    return PlainRuns(drawn.model, drawn.setting, FairThreads(drawn.thread_of, drawn.fairness, BUDGET, FULL))


@reproducible(200)
@given(st.integers(0, 1 << 32).map(made))
def test_verdicts_are_those_of_the_definition(drawn: DrawnRuns) -> None:
    runs = plain(drawn)
    for prop in drawn.model.claims:
        results = [decided(drawn, prop, reductions) for reductions in (ALL, NONE)]
        assert [str(result.verdict) for result in results] == [runs.verdict(prop)] * 2, prop.id
        for result in results:
            if result.reason is not None:
                assert result.reason in (Reason.BOUND, Reason.OVERFLOW)


def test_definition_gives_its_turn_to_who_waits_for_a_bound() -> None:
    thread_of = {action: (action, "main") for action in ("empties", "posts_news", "posts_card", "notes")}
    fairness = dict.fromkeys(thread_of.values(), Fairness.WEAK) | {("empties", "main"): Fairness.STRONG}
    runs = PlainRuns(Mailbox, Setting(Mailbox.scopes[0]), FairThreads(thread_of, fairness))
    assert [runs.verdict(prop) for prop in Mailbox.claims] == ["HOLDS", "REFUTED"]


@pytest.mark.slow
def test_random_models_show_every_verdict() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        drawn = made(seed)
        runs = plain(drawn)
        seen.update(runs.verdict(prop) for prop in drawn.model.claims)
    assert min(seen[verdict] for verdict in ("HOLDS", "REFUTED", "UNKNOWN")) >= 5, seen
