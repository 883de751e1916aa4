"""What a reset at the broker adds to several queues and their clients: each queue's marker, and the repair after it.

A marker is the reset's target, until a pull takes it; `marking` is a target that is not in the table yet, `asked` one
that a tool of 5.x is about to ask for. A pull is answered with a target (`reset_to`): that of the ProcessQueue in the
table where `poll` is HELD, that of an earlier one where it is LEFT. A queue that comes into the table under a marker
has nothing cached until the marker is gone (`unfetched`).
"""

from __future__ import annotations

from typing import cast

from offsetproof.lang import every, flag, holds, negation, offset, one_of, optional, some
from offsetproof.model.queues.broker import StoredQueue
from offsetproof.model.queues.client import Client, Share
from offsetproof.model.queues.vocabulary import Poll
from offsetproof.model.releases import FREEZES_CELL
from offsetproof.model.vocabulary import RepairStep


class MarkedQueue(StoredQueue):
    """A queue with the marker of a reset, and a target that is not at the broker, or not in its table, yet."""

    marker: int | None = optional(offset())
    marking: int | None = optional(offset())
    asked: int | None = optional(offset())

    def has_marker(self) -> bool:
        """Is there a marker?"""
        return negation(holds(self, MarkedQueue.marker, None))

    def is_being_marked(self) -> bool:
        """Is a target not in the table yet?"""
        return negation(holds(self, MarkedQueue.marking, None))

    def offset_for_query(self) -> int:
        """The marker, or else what is stored (ConsumerOffsetManager.queryOffset)."""
        marker = self.marker
        return super().offset_for_query() if marker is None else marker

    def counts_as_redone(self, after_landing: bool) -> bool:
        """History: what starts from the marker counts before the target is in the table, too."""
        return after_landing

    def starts_after_landing(self) -> bool:
        """History: from the marker on, which is given before the target is in the table."""
        return some([super().starts_after_landing(), self.has_marker()])


class MarkedShare(Share):
    """One queue in one client, with what its pull was answered, and the repair after that."""

    reset_to: int | None = optional(offset())
    unfetched: bool = flag()
    repair: RepairStep = one_of(RepairStep)
    repair_to: int = offset()
    frozen: bool = flag()

    def is_answered_with_target(self) -> bool:
        """Is the answer to its pull the target of a reset?"""
        return negation(holds(self, MarkedShare.reset_to, None))

    def is_repaired(self) -> bool:
        """Is no repair of it under way?"""
        return self.repair == RepairStep.IDLE

    def is_frozen(self) -> bool:
        """Does the cell take no value (ControllableOffset)?"""
        return self.frozen

    def freeze_cell(self) -> None:
        """Writes the offset of the repair into the cell, which takes no other from then on where clients do so."""
        self.cell = self.repair_to
        self.frozen = self.setting.behaves(FREEZES_CELL)

    def set_cell(self, value: int) -> None:
        """Writes the cell, unless it is frozen."""
        if not self.frozen:
            super().set_cell(value)

    def raise_cell(self, value: int) -> None:
        """Raises the cell, unless it is frozen."""
        if not self.frozen:
            super().raise_cell(value)

    def remove_cell(self) -> None:
        """Takes the cell out of the offset table; the next one is not frozen."""
        super().remove_cell()
        self.frozen = False

    def has_caught_up(self, committed: int) -> bool:
        """Is every message consumed, and has the broker heard of it, as far as a frozen cell says it?"""
        end, polls = self.scope.messages, Poll.HELD if self.scope.polls > 0 else Poll.NONE
        stuck = every([self.frozen, self.number_of(Share.cell) == committed + 1])
        consumed = every([self.position == end, self.poll == polls, negation(self.unfetched)])
        return every([consumed, some([super().has_caught_up(committed), stuck])])

    def end_process_queue(self) -> None:
        """The ProcessQueue is dropped: it begins nothing more, and caches nothing more."""
        super().end_process_queue()
        self.unfetched = False


class MarkedClient(Client):
    """A client that hears of resets by its pulls."""

    def shares(self) -> list[MarkedShare]:
        """Its queues."""
        return [cast(MarkedShare, share) for share in self.share]

    def is_being_reset(self) -> bool:
        """Is a reset under way of some queue, which is not pulled meanwhile?"""
        return some(negation(share.is_repaired()) for share in self.shares())

    def hears_of_nothing(self) -> bool:
        """Is no answer with a target on its way, and no repair under way?"""
        return every(every([negation(share.is_answered_with_target()), share.is_repaired()]) for share in self.shares())

    def does_nothing(self) -> bool:
        """Is nothing pending, of repairs as well?"""
        return every([super().does_nothing(), self.hears_of_nothing()])

    def has_no_command(self) -> bool:
        """Is no reset waiting or under way?"""
        return every([super().has_no_command(), self.hears_of_nothing()])
