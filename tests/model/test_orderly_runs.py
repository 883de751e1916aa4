"""What an orderly consumer comes to in the end, under fairness; beside the claims that speak of states at rest.

`rest` is where a consumer has its lock, so no claim at rest can say that a lost lock comes back: `leads_to` can. Of a
message that a group skips at its start, it says as much as a claim about the committed offset, and not when.

One commit is on its way at most: with two, later ones hold up the query of a pull in the model, again and again, which
is answered after the older ones alone in the program.
"""

from __future__ import annotations

from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import OffsetSet, Subject, every, leads_to, negation, some
from offsetproof.lang.claim import Property
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.verdict.result import Result, Verdict


@leads_to
def lost_lock_comes_back(group: OrderlyGroup) -> tuple[bool, bool]:
    """A consumer whose lock the broker has lost gets it again, or is to have the queue no more."""
    consumer = group.consumer[0]
    wants = every([consumer.alive, consumer.believes_allocated])
    is_lost = every([wants, consumer.process_queue[0].locked, negation(group.has_lock(0))])
    return is_lost, some([group.has_lock(0), negation(wants)])


@leads_to
def stored_message_is_handled(group: OrderlyGroup) -> tuple[bool, bool]:
    """What is stored is handled by a listener."""
    return True, (group.owed_offsets() - group.ghost_done) <= OffsetSet()


def decided(prop: Property, scope: str, **bounds: int) -> Result:
    model = load_subject("orderly").model
    (question,) = questions_of(
        Request(Subject("orderly", model, (prop,)), releases=("5.3.3",), scope=scope, bounds=bounds)
    )
    return Explicit().decide(question)


def test_lock_that_broker_forgot_comes_back() -> None:
    result = decided(lost_lock_comes_back, "orderly-restart-one", view_changes=0)
    assert (result.verdict, result.vacuous, result.unspent) == (Verdict.HOLDS, "", ())
    assert result.counts.states == 2910


def test_message_that_is_sent_while_a_group_starts_may_be_skipped_for_ever() -> None:
    result = decided(stored_message_is_handled, "orderly", commits_in_flight=1)
    assert result.verdict is Verdict.REFUTED
    replay = result.replay
    assert replay is not None
    again = {label[0] for label in replay.labels[replay.cycle_at :]}
    assert {"consumer_pulls", "poll_ends_without_news", "consumer_persists_all"} <= again
    last = replay.reference.show(replay.states[-1])
    assert last["broker.committed"] == last["broker.max_offset"] > last["ghost_done"].count()
