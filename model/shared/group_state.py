"""All parts together: the broker, the consumers of one group on one queue, and what the outside may still do."""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Model,
    OffsetSet,
    array,
    choose,
    every,
    holds,
    implies,
    integer,
    negation,
    offset_set,
    one_of,
    optional,
    part,
    some,
)
from offsetproof.model.shared.broker import Broker
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.membership import Registry
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.vocabulary import CONSUMERS, REGISTRIES, PullRequestAt, ResetLoop


class GroupState(Model):
    """One consumer group on one queue: what each of its modes and listeners has.

    What ends in `_left` is what the administrator, the group's membership and the store may still do; the budgets are
    part of the scope. `retry` are the messages that have a copy in %RETRY%, `offline_target` is what the reset tool is
    about to write itself.
    """

    broker: Broker = part(Broker)
    consumer: Array[Consumer] = array(CONSUMERS, Consumer)
    resets_left: int = integer(0, "resets", "resets")
    view_changes_left: int = integer(0, "view_changes", "view_changes")
    sweeps_left: int = integer(0, "sweeps", "sweeps")
    updates_left: int = integer(0, "updates", "updates")
    running_infos_left: int = integer(0, "running_infos", "running_infos")
    suspends_left: int = integer(0, "suspends", "suspends")
    shutdowns_left: int = integer(0, "shutdowns", "shutdowns")
    unsubscribes_left: int = integer(0, "unsubscribes", "unsubscribes")
    deletions_left: int = integer(0, "deletions", "deletions")
    group_deletions_left: int = integer(0, "group_deletions", "group_deletions")
    retention_left: int = integer(0, "retention", "retention")
    registry: Array[Registry] = array(REGISTRIES, Registry)
    retry: OffsetSet = offset_set()
    neighbour_commits_left: int = integer(0, "neighbours", "neighbours")
    reset_loop: ResetLoop = one_of(ResetLoop)
    offline_target: int | None = optional(integer(0, lambda scope: scope.messages if scope.offline else 0))

    def initially(self) -> None:
        """At first the queue belongs to consumer 0, by everybody's belief."""
        self.consumer[0].believes_allocated = True
        for registry in self.registry:
            registry.members = OffsetSet.below(self.scope.consumers)

    def rest(self) -> bool:
        """Nothing is pending or on its way, views agree and are acted upon, and the timers have fired once more.

        Every held poll waits for the next message of a live ProcessQueue, so that it was sent after the last change;
        and its end without news would change nothing, because the one before it has ended so.
        """
        broker = self.broker
        idle = [holds(broker, Broker.row_being_made, None), negation(broker.neighbour_row_being_made)]
        idle += [self.reset_loop != ResetLoop.FIRST_ANSWERED, self.reset_loop != ResetLoop.OFFLINE]
        for consumer in self.consumer:
            idle += [consumer.is_calm(), negation(consumer.paused), consumer.matches_its_view()]
            for pq_id, pq in enumerate(consumer.process_queue):
                waits = every(
                    [pq.pull_request == PullRequestAt.HELD, pq.next_offset == broker.max_offset, negation(pq.dropped)]
                )
                no_sweep, no_pull_request = holds(pq, ProcessQueue.swept, None), pq.pull_request == PullRequestAt.NONE
                idle.append(every([pq.has_no_task(), no_sweep, some([no_pull_request, waits])]))
                corrected = implies(
                    pq.msg_tree_map.count() == 0, consumer.number_of(Consumer.cell) == pq.next_offset + 1
                )
                conditions = [waits, corrected, consumer.broker_has_cell(broker)]
                idle.append(implies(consumer.has_listed(pq_id), every(conditions)))
        for registry in self.registry:
            for c, consumer in enumerate(self.consumer):
                idle.append(consumer.believes_allocated == registry.allocates(c))
        believers = sum(choose(consumer.believes_allocated, 1, 0) for consumer in self.consumer)
        return every([*idle, believers == 1])

    def owed_to_nobody(self) -> OffsetSet:
        """The offsets of messages that were deleted, or have a tag to which nobody subscribed."""
        return OffsetSet.below(self.broker.min_offset) | self.other_tags()

    def other_tags(self) -> OffsetSet:
        """The offsets of messages that have a tag to which nobody subscribed."""
        first = self.scope.unmatched_from
        return OffsetSet.below(first + self.scope.unmatched) - OffsetSet.below(first)
