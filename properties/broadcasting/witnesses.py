"""Witnesses: situations that must be reachable for claims about broadcasting to mean anything."""

from __future__ import annotations

from offsetproof.lang import HOLDS, OffsetSet, case, every, holds, some, sometimes
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.local.store import LocalConsumer
from offsetproof.model.variants import RECONSUME_LATER
from offsetproof.model.vocabulary import RebalanceStep, StopStep
from offsetproof.properties import witnesses


@sometimes(case("W-all-stored", HOLDS, *("broadcast", "broadcast-batch")))
def everything_is_done_and_stored(group: BroadcastGroup) -> bool:
    """All messages are owed and done, and the file says so."""
    everything = OffsetSet.below(group.scope.messages)
    stored = holds(group.consumer[0], LocalConsumer.stored, group.scope.messages)
    return every([stored, everything <= group.owed_offsets(), everything <= group.ghost_done])


@sometimes(case("W-dropped-by-policy", HOLDS, *("broadcast", "broadcast-batch"), listener=RECONSUME_LATER))
def message_is_dropped_by_policy(group: BroadcastGroup) -> bool:
    """A message failed, was logged, and was passed by the file's offset."""
    stored = group.consumer[0].number_of(LocalConsumer.stored)
    return every([group.ghost_dropped.count() > 0, stored > group.ghost_dropped.highest(default=0) + 1])


@sometimes(
    case("W-later-process-queue-from-file", HOLDS, *("broadcast-kills", "broadcast-shutdown", "broadcast-route"))
)
def later_process_queue_begins_from_the_file(group: BroadcastGroup) -> bool:
    """A later ProcessQueue of the queue is about to begin where the file says, beyond the first message."""
    consumer = group.consumer[0]
    from_file = [every([run.at == RebalanceStep.STORED, run.start > 0]) for run in consumer.rebalance]
    return every([consumer.process_queues_made > 0, some(from_file)])


@sometimes(case("W-again-after-loss", HOLDS, "broadcast-first"))
def messages_come_again_after_a_loss(group: BroadcastGroup) -> bool:
    """A client that has lost its file is given a message again that its file had passed."""
    return every([group.ghost_repeated.count() > 0, group.consumer[0].process_queues_made > 1])


@sometimes(case("W-shut-down-with-row", HOLDS, "broadcast-shutdown"))
def client_is_shut_down_with_a_row(group: BroadcastGroup) -> bool:
    """A client was shut down gracefully at rest, and its file has an offset."""
    consumer = group.consumer[0]
    return every([consumer.stop == StopStep.STOPPED, consumer.stored is not None, group.rest()])


@sometimes(case("W-reset-in-file", HOLDS, "broadcast-reset"))
def reset_reaches_the_file(group: BroadcastGroup) -> bool:
    """A reset has landed in the file of a client that had consumed beyond the target."""
    return every([group.ghost_landed, group.ghost_done.count() > 0, group.ghost_target == 0])


rest_after_broadcast_reset = sometimes(case("W-rest-after-reset", HOLDS, "broadcast-reset"))(
    witnesses.system_comes_to_rest_after_a_reset.function
)


@sometimes(case("W-rest-with-both", HOLDS, "broadcast-orderly"))
def both_clients_rest_with_the_queue(group: BroadcastGroup) -> bool:
    """All clients are at rest, and each has the queue in its table."""
    return every([group.rest(), *(consumer.owns_live_queue() for consumer in group.consumer)])
