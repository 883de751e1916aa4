"""Witnesses: situations that must be reachable for claims about orderly consumption to mean anything."""

from __future__ import annotations

from offsetproof.lang import HOLDS, case, every, holds, negation, some, sometimes
from offsetproof.model.orderly.consumer import OrderlyConsumer
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.orderly.restarting import LockedRestarting
from offsetproof.model.orderly.variants import MANUAL_ROLLING_BACK, ROLLING_BACK, SUSPENDING
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.releases import PULL_NEEDS_START
from offsetproof.model.shared.lock_table import LockingBroker
from offsetproof.model.vocabulary import StopStep
from offsetproof.properties import witnesses


def listens_in_second_process_queue(consumer: OrderlyConsumer) -> bool:
    """Does the listener run for the client's second ProcessQueue? It does not where there is only one."""
    second = [pq for pq_id, pq in enumerate(consumer.process_queue) if pq_id == 1]
    return some(pq.request.at == RequestStep.LISTENING for pq in second)


everything_is_done_in_order = sometimes(case("W-all-committed", HOLDS, *("orderly", "orderly-batch", "orderly-loss")))(
    witnesses.everything_is_done_and_committed.function
)

comes_to_rest_in_order = sometimes(case("W-rest-in-order", HOLDS, *("orderly-come-back", "orderly-hand-over")))(
    witnesses.system_comes_to_rest.function
)

backward_reset_lands_in_order = sometimes(case("W-reset-landed", HOLDS, "orderly-reset"))(
    witnesses.backward_reset_lands.function
)

forward_reset_lands_in_order = sometimes(case("W-forward-reset-landed", HOLDS, "orderly-reset"))(
    witnesses.forward_reset_lands.function
)

message_is_done_again_in_order = sometimes(case("W-redone", HOLDS, "orderly-reset"))(
    witnesses.message_is_done_again.function
)

rest_after_reset_in_order = sometimes(case("W-rest-after-reset", HOLDS, "orderly-reset"))(
    witnesses.system_comes_to_rest_after_a_reset.function
)

illegal_offset_in_order = sometimes(case("W-illegal-offset", HOLDS, "orderly-retention"))(
    witnesses.illegal_offset_is_repaired.function
)

cold_start_in_order = sometimes(case("W-cold-start", HOLDS, "orderly-cold"))(
    witnesses.new_group_starts_on_a_cold_queue.function
)

shut_down_in_order = sometimes(case("W-shut-down", HOLDS, "orderly-shutdown"))(
    witnesses.consumer_is_shut_down_at_rest.function
)


passed_around_tags_in_order = sometimes(case("W-passed-around-tags", HOLDS, *("orderly-tags", "orderly-tags-around")))(
    witnesses.all_is_committed_but_other_tags_not_delivered.function
)


@sometimes(case("W-rolled-back", HOLDS, "orderly", listener=MANUAL_ROLLING_BACK))
def second_message_is_rolled_back(group: OrderlyGroup) -> bool:
    """A listener has rolled back two messages, the first of which it had not failed at."""
    return group.ghost_rolled_back.count() == 2


@sometimes(case("W-rolled-back-one", HOLDS, "orderly", listener=ROLLING_BACK))
def message_is_rolled_back(group: OrderlyGroup) -> bool:
    """A listener has rolled back a message."""
    return group.ghost_rolled_back.count() > 0


@sometimes(case("W-dead-letter", HOLDS, "dead-letters", listener=SUSPENDING))
def part_of_a_batch_is_a_dead_letter(group: OrderlyGroup) -> bool:
    """A listener runs with two messages, of which one has failed before: it would be a dead letter, the other not."""
    return some(
        every([pq.request.at == RequestStep.LISTENING, pq.request.taken.count() == 2, pq.tried.count() == 1])
        for consumer in group.consumer
        for pq in consumer.process_queue
    )


@sometimes(case("W-handed-over", HOLDS, "orderly-hand-over"))
def second_consumer_listens_after_the_first(group: OrderlyGroup) -> bool:
    """Another client's listener runs after the first client has finished a message."""
    others = some(consumer.listens() for c, consumer in enumerate(group.consumer) if c)
    return every([others, group.ghost_done.count() > 0])


@sometimes(case("W-locked-twice", HOLDS, "orderly-return"))
def first_consumer_listens_again(group: OrderlyGroup) -> bool:
    """A client's second ProcessQueue runs its listener while another client believes that the queue is its own."""
    others = some(consumer.believes_allocated for c, consumer in enumerate(group.consumer) if c)
    return every([listens_in_second_process_queue(group.consumer[0]), others])


@sometimes(case("W-second-process-queue-listens", HOLDS, *("orderly-come-back", "orderly-reset")))
def second_process_queue_waits_for_the_first(group: OrderlyGroup) -> bool:
    """A client's second ProcessQueue runs its listener."""
    return listens_in_second_process_queue(group.consumer[0])


@sometimes(
    case(
        "W-listens-after-repair",
        HOLDS,
        *("orderly-repair", "orderly-repair-busy", "orderly-repair-error"),
        not_in={"orderly-repair-error": [PULL_NEEDS_START]},
    )
)
def second_process_queue_listens_after_the_repair(group: OrderlyGroup) -> bool:
    """A client whose ProcessQueue met an illegal offset runs the next one's listener; another wants the queue."""
    first = group.consumer[0]
    others = some(consumer.believes_allocated for c, consumer in enumerate(group.consumer) if c)
    again = listens_in_second_process_queue(first)
    return every([again, first.process_queue[0].dropped, others, first.believes_allocated])


@sometimes(case("W-settled", HOLDS, *("orderly-hand-over", "orderly-come-back")))
def group_settles_after_a_change(group: OrderlyGroup) -> bool:
    """Nothing is pending, all changes of view are over, and a message is done."""
    return every([group.has_settled(), group.view_changes_left == 0, group.ghost_done.count() > 0])


@sometimes(case("W-settled-after-restart", HOLDS, *("orderly-restart-two", "orderly-restart-one")))
def group_settles_after_a_restart_of_the_broker(group: OrderlyGroup) -> bool:
    """Nothing is pending at a broker that has forgotten an offset which it once had."""
    forgotten = [group.ghost_has_committed, holds(group.broker, LockingBroker.committed, None)]
    return every([group.has_settled(), *forgotten])


@sometimes(case("W-settled-after-routine", HOLDS, *("orderly-restart-in-order", "orderly-restart-in-order-two")))
def group_settles_after_a_restart_in_order(group: LockedRestarting) -> bool:
    """Nothing is pending, the broker was restarted as a routine, and a message is done."""
    return every([group.has_settled(), group.broker_restarts_left == 0, group.ghost_done.count() > 0])


@sometimes(case("W-lease-expired", HOLDS, "orderly-lease"))
def lease_expires_for_want_of_renewal(group: OrderlyGroup) -> bool:
    """A client that runs and has the queue in its table has lost the broker's lock."""
    consumer = group.consumer[0]
    expired = some(every([consumer.has_listed(i), pq.lock_expired]) for i, pq in enumerate(consumer.process_queue))
    nobody = holds(group.broker, LockingBroker.lock_owner, None)
    return every([expired, nobody, consumer.stop == StopStep.RUNNING, negation(consumer.is_rebalancing())])


@sometimes(case("W-again-after-suspend", HOLDS, "orderly", listener=SUSPENDING))
def message_is_delivered_again_after_a_suspend(group: OrderlyGroup) -> bool:
    """A listener that suspended the queue is given the message again."""
    return group.ghost_repeated.count() > 0


@sometimes(case("W-again-after-rollback", HOLDS, "orderly", listener=MANUAL_ROLLING_BACK))
def message_is_delivered_again_after_a_rollback(group: OrderlyGroup) -> bool:
    """A listener that rolled back is given the messages again."""
    return group.ghost_repeated.count() == 2
