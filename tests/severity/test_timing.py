"""The smallest stall that a story needs, where it can be worked out by hand; and for resets that are undone."""

from __future__ import annotations

from fractions import Fraction

import pytest
from systems.crowd import REFERENCE as CROWD
from systems.crowd import STAGED as CROWD_STAGED

from offsetproof.checking.answers import answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.smt.timing import Gap, smallest_delays
from offsetproof.ir.system import Label
from offsetproof.lang import (
    Component,
    DeclarationError,
    Fifo,
    Index,
    Model,
    Setting,
    Step,
    Subject,
    Timing,
    Transit,
    Wait,
    action,
    always,
    each_step,
    fifo,
    flag,
    integer,
    plain_code,
    require,
)
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.severity.timing import schedule_of
from offsetproof.severity.waits import kept_order, waits_of
from offsetproof.traces.trace import Schedule


class Alarm(Model):
    """A sleeper looks at a clock and writes what it saw; a bell rings 7 s after it was wound, and is heard or not.

    The claim is broken when what is written down is old: look, ring, write.
    """

    clock: int = integer(0, 2)
    seen: int = integer(0, 2)
    phase: int = integer(0, 2)
    is_old: bool = flag()
    idle: int = integer(0, 2)

    @action()
    def bell_is_wound(self) -> None:
        require(self.clock == 0)
        self.clock = 1

    @action()
    def bell_rings(self) -> None:
        require(self.clock == 1)
        self.clock = 2

    @action()
    def sleeper_looks(self) -> None:
        require(self.phase == 0)
        self.seen = self.clock
        self.phase = 1

    @action()
    def sleeper_writes(self) -> None:
        require(self.phase == 1)
        self.is_old = (self.clock == 2) & (self.seen < 2)
        self.phase = 2

    @action()
    def stranger_passes(self) -> None:
        require(self.idle < 2)
        self.idle = self.idle + 1

    @always()
    def never_written_late(self) -> bool:
        return not self.is_old

    @always()
    def never_rings(self) -> bool:
        return self.clock < 2

    @always()
    def never_rings_for_one_who_has_not_written(self) -> bool:
        return not (self.clock == 2 and self.phase == 1)


BELL = Wait("the bell is late", ("bell_rings",), (("bell_is_wound",),), least=7, most=7)
SLEEPER = plain_code("the sleeper nods off", (), "sleeper_looks", "sleeper_writes")
WOUND, RINGS, LOOKS, WRITES, PASSES = (
    (name, ()) for name in ("bell_is_wound", "bell_rings", "sleeper_looks", "sleeper_writes", "stranger_passes")
)


class Letter(Component):
    """What is sent: a number."""

    number: int = integer(0, 2)


class Post(Model):
    """Two letters in a row; a newer one may be taken first. The claim is broken when both have come, in that order."""

    sent: int = integer(0, 2)
    letters: Fifo[Letter] = fifo(Letter, 2)
    newest: int = integer(0, 2)
    oldest_came_last: int = integer(0, 1)

    @action()
    def sender_sends(self) -> None:
        require(self.sent < 2)
        self.sent = self.sent + 1
        self.letters.push(number=self.sent)

    @action(p=Index("place", 2))
    def reader_takes(self, p: int) -> None:
        require(p < self.letters.count)
        number = self.letters[p].number
        self.letters.remove(p)
        if number < self.newest:
            self.oldest_came_last = 1
        else:
            self.newest = number

    @always()
    def letters_come_in_order(self) -> bool:
        return self.oldest_came_last == 0

    @always()
    def second_letter_is_never_sent(self) -> bool:
        return self.sent < 2

    @always()
    def second_letter_never_comes_before_the_first(self) -> bool:
        return not (self.newest == 2 and self.letters.count == 1)


PERIOD = Wait("the sender", ("sender_sends",), (("sender_sends",),), least=5, most=None)
ON_ITS_WAY = Transit("a letter is on its way", "letters.count", "p", most=1)
SENDS, FIRST, SECOND = ("sender_sends", ()), ("reader_takes", (("p", 0),)), ("reader_takes", (("p", 1),))


def _replay(*labels: Label, model: type[Model] = Alarm, claim: int = 0) -> Replay:
    return Replay(Reference(model, Setting(model.scopes[0])), model.claims[claim], labels)


def _schedule(timing: Timing, *labels: Label, model: type[Model] = Alarm, claim: int = 0) -> Schedule:
    replay = _replay(*labels, model=model, claim=claim)
    found = schedule_of(replay, Staged(model, Setting(model.scopes[0])), timing)
    assert found is not None
    return found


def test_stall_is_the_timer_that_runs_between_two_steps_of_plain_code() -> None:
    found = _schedule(Timing((BELL, *SLEEPER)), LOOKS, WOUND, RINGS, WRITES)
    assert found == Schedule(
        7.0, ("the sleeper nods off for 7 s between sleeper_looks (step 1) and sleeper_writes (step 4)",), (0, 0, 7, 7)
    )


def test_story_whose_plain_code_runs_through_needs_no_stall() -> None:
    found = _schedule(Timing((BELL, *SLEEPER)), WOUND, LOOKS, RINGS, WRITES)
    assert (found.stall, found.where, str(found)) == (0.0, (), "no stall or delay is needed")
    assert found.times == (0, 7, 7, 7)


def test_what_may_take_some_time_is_late_only_beyond_it() -> None:
    nap = Wait("the sleeper oversleeps", ("sleeper_writes",), (("sleeper_looks",),), least=2, most=6.5)
    found = _schedule(Timing((BELL, nap)), LOOKS, WOUND, RINGS, WRITES)
    assert found.stall == 5.0
    assert found.where == ("the sleeper oversleeps for 5 s between sleeper_looks (step 1) and sleeper_writes (step 4)",)
    longer = Wait("the sleeper oversleeps", ("sleeper_writes",), (("sleeper_looks",),), least=2, most=7)
    assert _schedule(Timing((BELL, longer)), LOOKS, WOUND, RINGS, WRITES).stall == 0.0


def test_listing_of_steps_that_touch_nothing_in_common_costs_no_time() -> None:
    stranger = Wait("the stranger lingers", ("stranger_passes",), (("stranger_passes",),))
    found = _schedule(Timing((BELL, stranger)), PASSES, LOOKS, WOUND, RINGS, PASSES, WRITES)
    assert (found.stall, found.times, found.order) == (0.0, (0, 0, 0, 0, 7, 7), (1, 2, 3, 5, 4, 6))


def test_step_that_breaks_a_claim_about_steps_comes_last() -> None:
    class Steps(Alarm):
        @each_step()
        def writes_before_the_bell(before: Alarm, after: Alarm, step: Step) -> bool:  # type: ignore[misc]  # noqa: N805, ARG002 - a claim is no method
            return step.action != "stranger_passes" or before.clock < 2

    at = [claim.id for claim in Steps.claims].index("writes_before_the_bell")
    found = _schedule(Timing((BELL,)), WOUND, RINGS, PASSES, model=Steps, claim=at)
    assert found.times == (0, 7, 7)


def test_wait_that_is_not_over_at_the_end_counts_to_the_end() -> None:
    found = _schedule(Timing((BELL, *SLEEPER)), LOOKS, WOUND, RINGS, claim=2)
    assert found.where == ("the sleeper nods off for 7 s from sleeper_looks (step 1) to the end",)
    assert _schedule(Timing((BELL, *SLEEPER)), WOUND, LOOKS, RINGS, claim=2).stall == 0.0


def test_step_that_a_story_leaves_out_to_be_short_costs_no_time() -> None:
    found = _schedule(Timing((BELL, *SLEEPER)), LOOKS, WOUND, RINGS, claim=1)
    assert found == Schedule(0.0, (), (0, 0, 7))


def test_delay_that_a_step_put_in_only_moves_is_told_of_that_step() -> None:
    reminder = Wait("the bell tarries", ("bell_rings",), (("sleeper_writes",),), most=1)
    found = _schedule(Timing((BELL, *SLEEPER, reminder)), LOOKS, WOUND, RINGS, claim=1)
    assert found.where == (
        "the bell tarries for 7 s between sleeper_writes (not in the story) and bell_rings (step 3)",
    )


def test_wait_begins_with_the_latest_of_what_it_waits_for() -> None:
    both = Wait("the sleeper nods off", ("sleeper_writes",), (("sleeper_looks",), ("bell_rings",)))
    assert _schedule(Timing((BELL, both)), LOOKS, WOUND, RINGS, WRITES).stall == 0.0
    either = Wait("the sleeper nods off", ("sleeper_writes",), (("sleeper_looks", "bell_is_wound"),))
    assert _schedule(Timing((BELL, either)), LOOKS, WOUND, RINGS, WRITES).stall == 7.0


def test_wait_may_be_shorter_after_some_of_the_steps_that_begin_it() -> None:
    begins = (("sleeper_looks",), ("bell_rings",))
    nods = Wait("the sleeper nods off", ("sleeper_writes",), begins, most=9, sooner=(("bell_rings", 1.0),))
    late = Wait("nobody minds", ("sleeper_writes",), (("bell_rings",),), least=4, most=None)
    found = _schedule(Timing((BELL, late, nods)), LOOKS, WOUND, RINGS, WRITES)
    assert (found.times, found.stall) == ((0, 0, 7, 11), 4.0)
    assert [each.gap.sooner for each in waits_of(_replay(LOOKS, WOUND, RINGS, WRITES), Timing((nods,)))] == [
        ((3, 1.0),)
    ]
    relaxed = Wait("the sleeper nods off", ("sleeper_writes",), begins, most=11, sooner=(("bell_rings", 1.0),))
    assert _schedule(Timing((BELL, late, relaxed)), LOOKS, WOUND, RINGS, WRITES).stall == 0.0


class Night(Model):
    """A watchman walks round and round until the cock crows; who wakes the sleeper first is all the same."""

    falls: int = integer(0, 2)
    is_out: bool = flag()
    rounds: int = integer(0, 1)
    woken: bool = flag()

    @action()
    def night_falls(self) -> None:
        require(self.falls == 0)
        self.falls = 1

    @action()
    def watchman_leaves(self) -> None:
        require(self.falls == 1, not self.is_out)
        self.is_out = True

    @action()
    def watchman_returns(self) -> None:
        require(self.is_out)
        self.is_out = False

    @action()
    def watchman_counts_round(self) -> None:
        require(self.is_out)
        self.is_out, self.rounds = False, 1

    @action()
    def dog_barks(self) -> None:
        require(self.falls == 1)
        self.woken = True

    @action()
    def cock_crows(self) -> None:
        require(self.falls == 1, self.is_out)
        self.falls = 2

    @action()
    def cock_wakes(self) -> None:
        require(self.falls == 1)
        self.woken = True

    @always()
    def cock_never_crows_with_the_watchman_out(self) -> bool:
        return self.falls < 2

    @always()
    def nobody_wakes_the_sleeper(self) -> bool:
        return not self.woken


FALLS, LEAVES, CROWS, WAKES = ((name, ()) for name in ("night_falls", "watchman_leaves", "cock_crows", "cock_wakes"))
RETURNS = Wait("the watchman lingers", ("watchman_returns", "watchman_counts_round"), (("watchman_leaves",),), most=20)


def _nightly(*idle: str) -> Timing:
    """The cock crows after 1000 s; a round takes 15 s to 20 s."""
    begins = (("night_falls", "watchman_returns", "watchman_counts_round"),)
    leaves = Wait("the watchman is late", ("watchman_leaves",), begins, most=1, idle=idle, idle_least=15)
    return Timing((leaves, RETURNS, Wait("the cock", ("cock_crows",), (("night_falls",),), least=1000, most=None)))


def test_rounds_that_change_nothing_are_left_out_and_cost_no_time() -> None:
    assert _schedule(_nightly("watchman_returns"), FALLS, LEAVES, CROWS, model=Night) == Schedule(
        0.0, (), (0, 980, 1000)
    )


@pytest.mark.parametrize("idle", [(), ("watchman_counts_round",)])
def test_round_that_nobody_knows_or_that_changes_something_is_a_delay(idle: tuple[str, ...]) -> None:
    found = _schedule(_nightly(*idle), FALLS, LEAVES, CROWS, model=Night)
    assert found.stall > 100
    assert any(where.startswith("the watchman is late") for where in found.where)


def test_step_that_would_break_the_claim_sooner_may_be_late() -> None:
    barks = Wait("the dog sleeps", ("dog_barks",), (("night_falls",),))
    wakes = Wait("the cock", ("cock_wakes",), (("night_falls",),), least=10, most=None)
    assert _schedule(Timing((barks, wakes)), FALLS, WAKES, model=Night, claim=1) == Schedule(0.0, (), (0, 10))


def test_letter_that_is_overtaken_by_one_a_period_later_is_that_long_on_its_way() -> None:
    found = _schedule(Timing((PERIOD,), (ON_ITS_WAY,)), SENDS, SENDS, SECOND, FIRST, model=Post)
    assert found.where == ("a letter is on its way for 5 s between sender_sends (step 1) and reader_takes (step 4)",)
    assert found.times == (0, 5, 5, 5)


def test_letter_that_has_not_come_at_the_end_is_on_its_way_until_then() -> None:
    found = _schedule(Timing((PERIOD,), (ON_ITS_WAY,)), SENDS, SENDS, SECOND, model=Post, claim=2)
    assert found.where == ("a letter is on its way for 5 s from sender_sends (step 1) to the end",)
    assert _schedule(Timing((PERIOD,), (ON_ITS_WAY,)), SENDS, SENDS, model=Post, claim=1).stall == 0.0


def test_worst_delay_is_made_small_before_the_sum_of_delays() -> None:
    chain = [(1, 2), (2, 3)]
    found = smallest_delays(3, chain, [Gap((1,), 3, 6, None), Gap((1,), 2, 0, 0), Gap((2,), 3, 0, 0)])
    assert found is not None
    assert found.excess == (0, 3, 3)
    found = smallest_delays(3, chain, [Gap((1,), 3, 6, None), Gap((1,), 2, 0, 0), Gap((2,), 3, 0, 5)])
    assert found is not None
    assert found.excess == (0, Fraction(1, 2), Fraction(1, 2))


def test_unknown_action_in_a_timing_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"test_timing.py:\d+: no action is named .*did you mean sleeper_looks"):
        Subject("alarm", Alarm, Alarm.claims, timing=Timing(plain_code("", (), "sleeper_look", "sleeper_writes")))


def test_counterexample_has_its_times_and_a_witness_has_none() -> None:
    subject = Subject("alarm", Alarm, Alarm.claims, timing=Timing((BELL, *SLEEPER)))
    (answer,) = answers(subject, explicit_alone(), questions_of(Request(subject, ("never_written_late",))))
    assert answer.trace is not None
    assert answer.trace.timing is not None
    assert len(answer.trace.timing.times) == answer.trace.length
    (answer,) = answers(ROCKETMQ, explicit_alone(), questions_of(Request(ROCKETMQ, ("W-late-poll",))))
    assert answer.trace is not None
    assert answer.trace.timing is None


KEPT = """
rebalance_removes_dirty_offset r=0; broker_answers_query r=0; rebalance_stores_start r=0; rebalance_adds_queue r=0
consumer_persists_all; broker_executes_commit; administrator_resets x=0
reset_suspends; reset_drops_queue; consumer_pulls pq_id=0; reset_clears_queue; reset_wakes; user_resumes
rebalance_drops_expired_queue r=0; rebalance_persists r=0; rebalance_removes_offset r=0; rebalance_removes_queue r=0
rebalance_removes_dirty_offset r=0; broker_executes_commit; broker_answers_query r=0; rebalance_stores_start r=0
reset_updates_cell; rebalance_adds_queue r=0; consumer_pulls pq_id=1; reset_resumes
"""
"""A reset that never lands, because its queue is taken for dead while it sleeps: all steps are of consumer 0."""


def _label(text: str) -> Label:
    """`consumer_pulls pq_id=0` as a label, with c=0 where the action has it."""
    name, *args = text.split()
    given = {"c": 0} | {key: int(value) for key, value in (arg.split("=") for arg in args)}
    return name, tuple((param, given[param]) for param, _ in RocketMQ.actions[name].sorts)


def _story(text: str, scope: str, claim: str, **bounds: int) -> tuple[Schedule, list[str]]:
    """The schedule of a story about RocketMQ, and its actions in the order in which they are told."""
    (question,) = questions_of(Request(ROCKETMQ, (claim,), scope=scope, bounds=bounds))
    labels = [_label(step) for step in text.strip().replace("\n", "; ").split("; ")]
    replay = Replay(Reference(question.model, question.setting), question.prop, labels)
    timing = ROCKETMQ.timing_in(question.setting)
    assert timing is not None
    found = schedule_of(replay, Staged(question.model, question.setting), timing)
    assert found is not None
    return found, [labels[number - 1][0] for number in found.order or range(1, len(labels) + 1)]


def test_queue_is_taken_for_dead_two_minutes_after_its_last_pull_whatever_happened_in_between() -> None:
    found, actions = _story(KEPT, "calm-reset", "I6-kept", suspends=1)
    pulled, expired = actions.index("consumer_pulls"), actions.index("rebalance_drops_expired_queue")
    assert found.times[expired] - found.times[pulled] == 120.0
    woken, updated = actions.index("reset_wakes"), actions.index("reset_updates_cell")
    assert found.stall == pytest.approx(110 / 3)
    assert found.times[updated] - found.times[woken] == pytest.approx(110 / 3)
    assert all(where.startswith("the thread of a reset") for where in found.where)


def test_wait_may_be_of_the_object_that_a_field_holds_when_it_ends() -> None:
    walks, writes = ("person_walks", (("p", 1),)), ("person_writes", (("p", 0),))
    timing = Timing((Wait("it", ("bell_rings",), (("person_walks",),), ("p",), 5, None, held=(("p", "board"),)),))
    labels = [("person_walks", (("p", 0),)), writes, walks, walks, ("person_walks", (("p", 2),)), RINGS]
    replay = Replay(CROWD, CROWD.model.claims[0], labels)
    found = schedule_of(replay, CROWD_STAGED, timing)
    assert found == Schedule(0.0, (), (0, 0, 0, 0, 0, 5))
    awaits = [each.gap for each in waits_of(replay, timing)]
    assert awaits == [Gap((4,), 6, 5, None)]


def test_wait_may_begin_with_the_object_that_a_field_holds_then() -> None:
    """The board says whose letter the postman takes: nobody else waits for it."""
    of_board = (("postman_takes", "p", "board"),)
    wait = Wait("it", ("person_looks",), (("postman_takes",),), ("p",), 5, None, held_at_begin=of_board)
    walks, writes, takes = (
        ("person_walks", (("p", 1),)),
        ("person_writes", (("p", 1),)),
        ("postman_takes", (("at", 0),)),
    )
    looks = [("person_looks", (("p", p),)) for p in (1, 2)]
    labels = [walks, walks, writes, ("person_sends", (("p", 0),)), takes, *looks, RINGS]
    replay = Replay(CROWD, CROWD.model.claims[0], labels)
    assert [each.gap for each in waits_of(replay, Timing((wait,)))] == [Gap((5,), 7, 5, None)]


def test_wait_may_be_of_steps_with_some_argument_only() -> None:
    timing = Timing((Wait("it", ("person_looks",), (("person_walks",),), (), 5, None, only=(("p", 2),)),))
    steps = [("person_walks", 0), ("person_walks", 2), ("person_looks", 1), ("person_walks", 1), ("person_looks", 2)]
    labels = [*((action, (("p", p),)) for action, p in steps), RINGS]
    replay = Replay(CROWD, CROWD.model.claims[0], labels)
    assert [each.gap for each in waits_of(replay, timing)] == [Gap((2,), 5, 5, None)]
    assert kept_order(replay, timing) == []


def test_wait_that_reads_no_field_of_the_model_is_refused() -> None:
    timing = Timing((Wait("it", ("bell_rings",), (("person_walks",),), ("p",), held=(("p", "blackboard"),)),))
    replay = Replay(CROWD, CROWD.model.claims[0], [RINGS])
    with pytest.raises(DeclarationError, match="a wait reads blackboard, which is not a field of the model"):
        schedule_of(replay, CROWD_STAGED, timing)
