"""The group with its history for claims, fields that start with `ghost_`: nothing that happens depends on them.

A step calls what it does here, so that it reads as the Java does.
"""

from __future__ import annotations

from offsetproof.lang import (
    OffsetSet,
    bound,
    choose,
    every,
    flag,
    larger,
    negation,
    offset,
    offset_set,
    one_of,
    optional,
    some,
)
from offsetproof.model.shared.group_state import GroupState
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.variants import MONOTONE_COMMITS, ROW_MADE_ATOMICALLY
from offsetproof.model.vocabulary import Direction, Origin, ResetLoop


class Group(GroupState):
    """A group, and what claims have to know of its past.

    `ghost_done` are the offsets that some listener finished or that were sent back, `ghost_skipped` those that an
    administrator skipped, `ghost_delivered` and `ghost_repeated` those that a listener was given once and again,
    `ghost_owed_from` where the group was to start at its first start, `ghost_highest` the highest offset that the
    broker ever stored, `ghost_end_fell` says that messages at the queue's end are gone (rewinding.py),
    `ghost_group_deleted` that a group with an offset above 0 was deleted and no consumer has asked for it since
    (regrouping.py); of the last reset: its target, its direction, whether it was answered with success, whether its own
    write has reached the broker (landed), and the offsets done again since by ProcessQueues that started after the
    landing.
    """

    ghost_done: OffsetSet = offset_set()
    ghost_skipped: OffsetSet = offset_set()
    ghost_target: int = offset()
    ghost_direction: Direction = one_of(Direction)
    ghost_landed: bool = flag()
    ghost_redone: OffsetSet = offset_set()
    ghost_overtaken: bool = flag()
    ghost_delivered: OffsetSet = offset_set()
    ghost_repeated: OffsetSet = offset_set()
    ghost_retried: OffsetSet = offset_set()
    ghost_copied_twice: OffsetSet = offset_set()
    ghost_owed_from: int | None = optional(offset())
    ghost_has_committed: bool = flag()
    ghost_neighbour_has_committed: bool = flag()
    ghost_end_fell: bool = flag()
    ghost_group_deleted: bool = flag()
    ghost_highest: int = offset()
    ghost_answered: bool = flag()

    def execute_commit(self, value: int, origin: Origin, superseded: bool = False) -> None:
        """A commit is executed: into the group's row, or, where there is none, the first step to a new one.

        `superseded` is history: it was sent by a reset that another one followed.
        """
        broker = self.broker
        if self.scope.neighbours == 0 or self.setting.behaves(ROW_MADE_ATOMICALLY) or broker.has_row():
            self.commit(value, origin, superseded)
        else:
            bound(broker.row_being_made is None)
            broker.row_being_made = value
            broker.row_origin = origin
            broker.ghost_row_superseded = superseded

    def commit(self, offset: int, origin: Origin, superseded: bool) -> None:
        """The broker writes a committed offset: the last writer wins (ConsumerOffsetManager.commitOffset)."""
        held = self.broker.committed
        if self.setting.behaves(MONOTONE_COMMITS) and held is not None and origin == Origin.PROGRESS:
            self.put_offset(larger(held, offset))
        else:
            self.put_offset(offset)
        lands = every([origin == Origin.RESET, negation(superseded)])
        self.ghost_landed = some([self.ghost_landed, lands])

    def starts_after_landing(self) -> bool:
        """History: does a start that the broker gives now count as one after the reset's landing?"""
        return self.ghost_landed

    def is_resetting(self) -> bool:
        """Is a tool about to write the offset of a group that it has found to be down?"""
        return self.reset_loop == ResetLoop.OFFLINE

    def refuses_pulls(self) -> bool:
        """Does the broker refuse pulls before it looks at what they carry?

        Of a topic that is not there (TOPIC_NOT_EXIST), and of a group of which it knows no member
        (SUBSCRIPTION_NOT_EXIST): it forgets a client that leaves, or whose connection breaks. A pull that it receives
        between the end of a process and word of it is one that it receives before that end.
        """
        return some([self.broker.gone, every(negation(consumer.alive) for consumer in self.consumer)])

    def put_offset(self, offset: int) -> None:
        """The broker's offset becomes this one, with the history of it."""
        self.broker.committed = offset
        self.ghost_has_committed = True
        self.ghost_highest = larger(self.ghost_highest, offset)

    def note_delivered(self, m: int, size: int, former: OffsetSet) -> None:
        """History: a listener starts with `size` messages from offset m, without those that are `former` ones."""
        messages = (OffsetSet.below(m + size) - OffsetSet.below(m)) & OffsetSet.below(self.scope.messages)
        self.note_given(messages - former)

    def note_given(self, messages: OffsetSet) -> None:
        """History: a listener starts with these messages."""
        self.ghost_repeated = self.ghost_repeated | (self.ghost_delivered & messages)
        self.ghost_delivered = self.ghost_delivered | messages

    def copy_to_retry(self, m: int, pq: ProcessQueue) -> None:
        """A copy of the message at m is stored in %RETRY%: the message itself counts as done.

        Where another message is stored at m since, nothing is noted: that one is neither copied nor done.
        """
        here = choose(pq.ghost_former.has(m), OffsetSet(), OffsetSet.below(m + 1) - OffsetSet.below(m))
        self.ghost_copied_twice = self.ghost_copied_twice | (self.retry & here)
        self.retry = self.retry.add(m)
        self.ghost_done = self.ghost_done | here

    def note_first_start(self, owed_from: int) -> None:
        """History: the group starts on the queue for the first time; from here on messages are owed to it."""
        if self.ghost_owed_from is None:
            self.ghost_owed_from = owed_from

    def owed_offsets(self) -> OffsetSet:
        """The stored messages that the group must be given: from its start on, with its tags, none taken away."""
        owed_from = self.ghost_owed_from
        first = 0 if owed_from is None else owed_from
        stored = OffsetSet.below(self.broker.max_offset) - OffsetSet.below(self.broker.min_offset)
        return stored - OffsetSet.below(first) - self.other_tags() - self.ghost_skipped

    def note_done(self, m: int, pq: ProcessQueue) -> None:
        """History: a listener finished offset m, in a ProcessQueue that started after the reset had landed or not.

        Where another message is stored at m since, nothing is noted: that one is not done.
        """
        is_there = negation(pq.ghost_former.has(m))
        self.ghost_done = choose(is_there, self.ghost_done.add(m), self.ghost_done)
        again = every([self.starts_after_landing(), pq.ghost_after_landing, is_there])
        self.ghost_redone = choose(again, self.ghost_redone.add(m), self.ghost_redone)

    def note_stored(self, m: int) -> None:
        """History: a message is stored at m, where there may have been another: it is owed again.

        What was done, skipped or delivered there says nothing of it, and what a ProcessQueue still does with the former
        one does not either. A copy of that in %RETRY% is forgotten.
        """
        here = OffsetSet.below(m + 1) - OffsetSet.below(m)
        self.ghost_done = self.ghost_done - here
        self.ghost_skipped = self.ghost_skipped - here
        self.ghost_delivered = self.ghost_delivered - here
        self.ghost_repeated = self.ghost_repeated - here
        self.ghost_retried = self.ghost_retried - here
        self.ghost_copied_twice = self.ghost_copied_twice - here
        self.retry = self.retry - here
        for consumer in self.consumer:
            for pq in consumer.process_queue:
                pq.ghost_former = pq.ghost_former | (pq.ghost_unfinished & here)
