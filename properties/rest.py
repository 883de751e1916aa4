"""Claims about what holds once everything has come to rest: what heals by itself, and what does not."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, always, at_rest, choose, every, implies, negation
from offsetproof.model.group import Group
from offsetproof.model.variants import (
    EVERY_BROKER_ANSWERS,
    FIRST_OF_EQUAL_TIMES_FIX,
    MONOTONE_COMMITS_FIX,
    NOTHING_LOST,
    POLL_CHECKS_DROPPED_FIX,
    RESET_DROPS_AGAIN_FIX,
    SHUTDOWN_WAITS,
)
from offsetproof.model.vocabulary import Direction, ResetLoop, StopStep, Token


@at_rest(id="I6", expected={"4.9.4": REFUTED}, scopes=["moving-reset"], needs=["W-reset-landed"])
def answered_reset_has_landed(group: Group) -> bool:
    """At rest, a reset that was answered with success has been written to the broker.

    Refuted: the client writes the target only for queues that are in its table when it wakes, and nobody else does.
    """
    return implies(group.ghost_answered, group.ghost_landed)


@at_rest(id="I6-kept", expected={"4.9.4": HOLDS}, scopes=["calm-reset"], needs=["W-rest-after-reset"])
def answered_reset_of_a_kept_queue_has_landed(group: Group) -> bool:
    """The same for one consumer that keeps the queue."""
    return implies(group.ghost_answered, group.ghost_landed)


@at_rest(id="I6-lost-command", expected={"4.9.4": REFUTED}, scopes=["lost-reset"])
def answered_reset_has_landed_although_its_command_is_lost(group: Group) -> bool:
    """The same where a one-way request may be lost.

    Refuted: the broker swallows the exception of the one-way request, and answers with success.
    """
    return implies(group.ghost_answered, group.ghost_landed)


@at_rest(
    id="I6-nothing-lost",
    expected={"4.9.4": HOLDS},
    scopes=["lost-reset"],
    needs=["W-rest-after-reset"],
    assumptions=[NOTHING_LOST],
)
def answered_reset_has_landed_where_nothing_is_lost(group: Group) -> bool:
    """The same given that every one-way request arrives."""
    return implies(group.ghost_answered, group.ghost_landed)


def _everything_since_is_redone(group: Group) -> bool:
    stored = OffsetSet.below(group.broker.max_offset)
    since = stored - OffsetSet.below(group.ghost_target)
    landed = group.ghost_landed & (group.ghost_direction == Direction.BACKWARD)
    return implies(landed, (since - group.ghost_redone).count() == 0)


@at_rest(id="I6-time", expected={"4.9.4": REFUTED}, scopes=["equal-times"])
def reset_to_a_time_delivers_everything_since(group: Group) -> bool:
    """At rest, a backward reset to a time has had every message delivered again that was stored then or later.

    Refuted: where several messages were stored at the same time the search stops at any of them.
    """
    return _everything_since_is_redone(group)


@at_rest(
    id="I6-time-fixed",
    expected={"4.9.4": REFUTED},
    scopes=["equal-times"],
    fixes=[FIRST_OF_EQUAL_TIMES_FIX],
)
def reset_to_a_time_delivers_everything_since_with_the_first_of_equals(group: Group) -> bool:
    """The same with the search of 5.1.1.

    Still refuted, by what makes any reset unstable: see I5.
    """
    return _everything_since_is_redone(group)


@at_rest(
    id="I6-time-stable",
    expected={"4.9.4": HOLDS},
    scopes=["equal-times"],
    needs=["W-reset-by-time"],
    fixes=[FIRST_OF_EQUAL_TIMES_FIX, POLL_CHECKS_DROPPED_FIX],
)
def reset_to_a_time_delivers_everything_since_for_good(group: Group) -> bool:
    """The same with the fix of PR #10087 in addition: nothing is late, overtaken or stalled here."""
    return _everything_since_is_redone(group)


def _one_life_pulls(group: Group) -> bool:
    pulling = [
        choose(every([pq.token != Token.NONE, negation(pq.dropped)]), 1, 0)
        for consumer in group.consumer
        for pq in consumer.process_queue
    ]
    return sum(pulling) <= 1


@at_rest(
    id="I8-heals",
    expected={"4.9.4": HOLDS},
    scopes=["take-over", "allocated", "two-registries"],
    needs=["W-two-owners", "W-rest"],
)
def one_life_pulls_at_rest(group: Group) -> bool:
    """At rest, when all clients see the same group, at most one life of the queue still pulls, in a table or not.

    Believed because every life but the owner's has been dropped on the way, and a dropped one loses its token.
    """
    return _one_life_pulls(group)


@at_rest(id="I8-heals-reset", expected={"4.9.4": REFUTED}, scopes=["moving-reset"])
def one_life_pulls_at_rest_after_a_reset(group: Group) -> bool:
    """The same where a reset may overlap a rebalance.

    Refuted for good: the orphan that the reset took out of the table without dropping it goes on beside the new life,
    and everything is consumed twice.
    """
    return _one_life_pulls(group)


@at_rest(
    id="I8-heals-reset-fixed",
    expected={"4.9.4": HOLDS},
    scopes=["moving-reset"],
    needs=["W-rest-after-reset"],
    fixes=[RESET_DROPS_AGAIN_FIX],
)
def one_life_pulls_at_rest_when_a_reset_drops_again(group: Group) -> bool:
    """The same where a reset drops whatever life its second loop takes out of the table."""
    return _one_life_pulls(group)


def _finished_is_committed(group: Group) -> bool:
    stopped = group.consumer[0].stop == StopStep.STOPPED
    committed = group.broker.committed
    begins_at = 0 if committed is None else committed
    return implies(stopped, negation(group.ghost_done.has(begins_at)))


@at_rest(id="I16", expected={"4.9.4": REFUTED}, scopes=["shutdown"], needs=["W-shut-down"])
def shutdown_commits_finished_work(group: Group) -> bool:
    """After a graceful shutdown the message at the broker's offset is not a finished one: a successor repeats nothing.

    Refuted: by default nobody waits for running listeners, and what they finish after the persist is not sent.
    """
    return _finished_is_committed(group)


@at_rest(id="I16-waits", expected={"4.9.4": REFUTED}, scopes=["shutdown"], assumptions=[SHUTDOWN_WAITS])
def shutdown_that_waits_commits_finished_work(group: Group) -> bool:
    """The same where the shutdown waits longer than the longest listener.

    Still refuted: a pull that was sent before carries an older offset, and may reach the broker after the persist.
    """
    return _finished_is_committed(group)


@at_rest(
    id="I16-waits-monotone",
    expected={"4.9.4": HOLDS},
    scopes=["shutdown"],
    needs=["W-shut-down"],
    assumptions=[SHUTDOWN_WAITS],
    fixes=[MONOTONE_COMMITS_FIX],
)
def shutdown_that_waits_commits_finished_work_for_good(group: Group) -> bool:
    """The same with a broker that ignores a commit below the stored offset."""
    return _finished_is_committed(group)


@at_rest(id="I21", expected={"4.9.4": REFUTED}, scopes=["two-brokers"], needs=["W-both-brokers-answered"])
def reset_of_two_brokers_is_all_or_nothing(group: Group) -> bool:
    """At rest, a reset of a topic on two brokers has landed on both or on none.

    Refuted: the tool asks one broker after the other, and the first failure ends its loop.
    """
    return implies(group.ghost_landed, group.reset_loop == ResetLoop.BOTH_ANSWERED)


@at_rest(
    id="I21-answered",
    expected={"4.9.4": HOLDS},
    scopes=["two-brokers"],
    needs=["W-both-brokers-answered"],
    assumptions=[EVERY_BROKER_ANSWERS],
)
def reset_of_two_brokers_that_answer_is_all_or_nothing(group: Group) -> bool:
    """The same given that every broker answered."""
    return implies(group.ghost_landed, group.reset_loop == ResetLoop.BOTH_ANSWERED)


def _live_life_has_its_token(group: Group) -> bool:
    return every(
        implies(every([consumer.has_listed(life), negation(pq.dropped)]), pq.token != Token.NONE)
        for consumer in group.consumer
        for life, pq in enumerate(consumer.process_queue)
    )


@always(id="I23", expected={"4.9.4": HOLDS}, scopes=["come-back", "retention"], needs=["W-all-committed"])
def live_life_has_its_pull_token(group: Group) -> bool:
    """A live life has a pull token, which is in exactly one place (the model cannot express two).

    Believed because every branch of the pull and of its callback hands the token on, or drops the life.
    """
    return _live_life_has_its_token(group)


@always(id="I23-flow", expected={"4.9.4": HOLDS}, scopes=["tags"], needs=["W-passed-by-tag"])
def live_life_has_its_pull_token_under_flow_control(group: Group) -> bool:
    """The same with flow control, and with messages that match nothing."""
    return _live_life_has_its_token(group)


@always(id="I23-lost", expected={"4.9.4": REFUTED}, scopes=["lost-token"])
def live_life_keeps_its_pull_token(group: Group) -> bool:
    """The same where pullMessage may throw: PullMessageService swallows the exception, and the token with it.

    It heals: the effect of the violation is transient, because after two minutes a rebalance replaces the life.
    """
    return _live_life_has_its_token(group)


@always(id="I20", expected={"4.9.4": HOLDS}, scopes=["batch"], needs=["W-all-committed"])
def nothing_is_delivered_twice_without_a_cause(group: Group) -> bool:
    """No message is delivered twice where nothing is killed, reset, handed over, sent back or swept.

    Each of those causes has a witness that it suffices: W-again-...
    """
    return group.ghost_repeated.count() == 0
