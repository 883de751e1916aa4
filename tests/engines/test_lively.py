"""Claims about runs of which the answers were found by hand, and what a lasso has to be to be believed."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from systems.lively import Asked, Mailbox, Settled, Spins, Stores, Tries, channel, peterson, ring, table

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.in_the_end import RunDecision
from offsetproof.engines.explicit.search import Search
from offsetproof.engines.smt.engine import Smt
from offsetproof.engines.stateful.engine import Stateful
from offsetproof.lang import Fairness, Model, Setting
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.exits import Exit, exit_of
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict

NONE, WEAK, STRONG = Fairness.NONE, Fairness.WEAK, Fairness.STRONG
HOLDS, REFUTED, UNKNOWN = Verdict.HOLDS, Verdict.REFUTED, Verdict.UNKNOWN


def question(model: type[Model], claim: str, limits: Limits = Limits()) -> Question:
    prop = next(prop for prop in model.claims if prop.id == claim)
    return Question(model, Setting(model.scopes[0]), prop, limits=limits)


def decided(model: type[Model], claim: str) -> Result:
    return Explicit().decide(question(model, claim))


TABLE = [
    (table(WEAK), "hungry_eats", REFUTED),
    (table(STRONG), "hungry_eats", HOLDS),
    (table(WEAK), "eater_stops", HOLDS),
    (table(NONE), "eater_stops", REFUTED),
    (table(STRONG), "somebody_eats", REFUTED),
    (peterson(WEAK), "who_wants_enters", HOLDS),
    (peterson(NONE), "who_wants_enters", REFUTED),
    (channel(WEAK), "is_received", REFUTED),
    (channel(STRONG), "is_received", HOLDS),
    (ring(WEAK), "token_comes_back", HOLDS),
    (ring(NONE), "token_comes_back", REFUTED),
    (Asked, "question_is_answered", REFUTED),
    (Tries, "has_tried_twice", UNKNOWN),
    (Stores, "two_are_stored", UNKNOWN),
    (Stores, "one_is_stored", HOLDS),
    (Mailbox, "card_is_posted", HOLDS),
    (Mailbox, "box_is_noted", REFUTED),
    (Spins, "is_done", REFUTED),
    (Settled, "is_ready", HOLDS),
    (Settled, "wish_comes_true", HOLDS),
]


@pytest.mark.parametrize(("model", "claim", "verdict"), TABLE, ids=lambda value: getattr(value, "__name__", str(value)))
def test_verdict_is_the_one_found_by_hand(model: type[Model], claim: str, verdict: Verdict) -> None:
    result = decided(model, claim)
    assert result.verdict is verdict
    assert (result.reason is Reason.BOUND) is (verdict is UNKNOWN)
    assert bool(result.vacuous) is (model is Settled)


def test_starving_philosopher_sees_the_other_eat_again_and_again() -> None:
    replay = decided(table(WEAK), "hungry_eats").replay
    assert replay is not None
    assert replay.labels[0] == ("gets_hungry", (("p", 0),))
    again = set(replay.labels[replay.cycle_at :])
    assert again == {(name, (("p", 1),)) for name in ("gets_hungry", "takes_forks", "puts_forks_back")}
    assert (replay.cycle_at, len(replay.labels)) == (1, 4)


def test_channel_loses_all_that_is_sent() -> None:
    replay = decided(channel(WEAK), "is_received").replay
    assert replay is not None
    assert (replay.labels, replay.cycle_at) == ((("sends", ()), ("loses", ())), 0)


def test_run_that_just_ends_has_no_steps_that_come_again() -> None:
    replay = decided(ring(NONE), "token_comes_back").replay
    assert replay is not None
    assert (replay.labels, replay.cycle_at) == ((("passes", (("p", 0),)),), 1)


def test_unknown_names_who_could_bring_it() -> None:
    assert "store, main" in decided(Stores, "two_are_stored").detail
    assert "worker, main" in decided(Tries, "has_tried_twice").detail


def test_exit_code_is_that_of_liveness() -> None:
    assert exit_of(decided(table(WEAK), "hungry_eats")) is Exit.LIVENESS
    assert exit_of(decided(Settled, "is_ready")) is Exit.LIVENESS
    assert exit_of(decided(Stores, "two_are_stored")) is Exit.UNKNOWN


@pytest.mark.parametrize("engine", [Smt(), Stateful()], ids=lambda engine: engine.name)
def test_engine_that_cannot_decide_says_so(engine: Smt | Stateful) -> None:
    result = engine.decide(question(ring(WEAK), "token_comes_back"))
    assert (result.verdict, result.reason) == (UNKNOWN, Reason.ENGINE)
    assert result.detail == f"{engine.name} cannot decide leads_to; ask --engine explicit"
    assert exit_of(result) is Exit.UNKNOWN


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(Limits(states=3), Reason.STATES), (Limits(bytes=1000), Reason.MEMORY), (Limits(seconds=0.0), Reason.TIME)],
    ids=["states", "memory", "time"],
)
def test_limit_makes_it_unknown(limits: Limits, reason: Reason) -> None:
    result = Explicit().decide(question(peterson(WEAK), "who_wants_enters", limits))
    assert (result.verdict, result.reason) == (UNKNOWN, reason)


def graph_bytes(search: Search) -> int:
    return 100 * search.count + 5 * search.transitions


def decision_of(asked: Question) -> RunDecision:
    decision = Explicit().prepare(asked, time.monotonic())
    assert isinstance(decision, RunDecision)
    return decision


def test_told_memory_has_the_graph_of_the_runs() -> None:
    asked = question(peterson(WEAK), "who_wants_enters")
    whole = decision_of(asked).search()
    assert Explicit().decide(asked).counts.peak_bytes == whole.peak_bytes + graph_bytes(whole)


def test_what_is_kept_while_fewer_faults_are_tried_counts_as_memory() -> None:
    """A listener that never returns is the one fault: with none nothing breaks the claim."""
    (asked,) = questions_of(Request(ROCKETMQ, ("I40-hang",), ("4.9.4",)))
    decision = decision_of(asked)
    whole, capped = decision.search(), decision.search(0)
    result = Explicit().decide(asked)
    assert (result.verdict, result.replay is not None and result.replay.faults) == (REFUTED, 1)
    together = whole.held_bytes + graph_bytes(whole) + capped.peak_bytes + graph_bytes(capped)
    assert result.counts.peak_bytes == max(whole.peak_bytes + graph_bytes(whole), together)
    least = whole.held_bytes + graph_bytes(whole) + capped.held_bytes + graph_bytes(capped)
    limited = Explicit().decide(replace(asked, limits=Limits(bytes=least - 1)))
    assert (limited.verdict, limited.fewer_faults_open) == (REFUTED, Reason.MEMORY)


def starved(model: type[Model], cycle_at: int | None, steps: int = 4) -> Replay:
    """The starving philosopher's run, told of another model, or as another lasso."""
    found = decided(table(WEAK), "hungry_eats").replay
    assert found is not None
    asked = question(model, "hungry_eats")
    return Replay(Reference(model, asked.setting), asked.prop, found.labels[:steps], found.states[0], cycle_at=cycle_at)


def test_lasso_is_believed_by_the_reference_semantics_alone() -> None:
    assert starved(table(WEAK), 1).truths[-1] == {"hungry_eats": False}
    for model, cycle_at, steps, why in (
        (table(WEAK), None, 4, "does not say which steps come again"),
        (table(WEAK), 5, 4, "does not say which steps come again"),
        (table(WEAK), 2, 4, "does not lead back to the state after step 2"),
        (table(WEAK), 1, 1, "not fair: philosopher.0., main could go on"),
        (table(STRONG), 1, 4, "not fair: philosopher.0., main could go on"),
    ):
        with pytest.raises(ReplayError, match=why):
            starved(model, cycle_at, steps)


def test_claim_that_came_is_no_lasso() -> None:
    model = ring(NONE)
    asked = question(model, "token_comes_back")
    with pytest.raises(ReplayError, match="nothing left to come"):
        Replay(Reference(model, asked.setting), asked.prop, (), cycle_at=0)


def test_expectation_decides_no_verdict() -> None:
    asked = question(table(WEAK), "hungry_eats")
    hoping = replace(asked.prop, case=replace(asked.prop.case, expected=None))
    assert Explicit().decide(replace(asked, prop=hoping)).verdict is REFUTED
