"""The broker's side of one queue: what is stored, and the group's row in the offset table and in the offset file."""

from __future__ import annotations

from offsetproof.lang import Component, every, flag, negation, offset, one_of, optional, some
from offsetproof.model.releases import ZERO_ONLY_IF_STORED
from offsetproof.model.variants import NO_ZERO_ANSWER
from offsetproof.model.vocabulary import Origin


class Broker(Component):
    """One queue of one topic, and the group's row in the offset table.

    Stands for the consume queue's min and max offset, whether offset 0 has left the memory (`cold`), whether the topic
    has been deleted and not created again yet (`gone`), ConsumerOffsetManager.offsetTable and the offset file:
    `flushed` is what the file holds. `row_being_made` is the value in the new inner map of a commit that found no row
    for the group, and `row_origin` who sent that commit; `neighbour_committed`, `neighbour_flushed` and
    `neighbour_row_being_made` are the same for the group's other queue on this broker, of which only the presence
    counts. History: `ghost_row_superseded` is true where a reset began the row and another followed. Left out:
    slaves, the backup of the offset file.
    """

    gone: bool = flag()
    cold: bool = flag()
    min_offset: int = offset()
    max_offset: int = offset()
    committed: int | None = optional(offset())
    flushed: int | None = optional(offset())
    row_being_made: int | None = optional(offset())
    row_origin: Origin = one_of(Origin)
    ghost_row_superseded: bool = flag()
    neighbour_committed: bool = flag()
    neighbour_flushed: bool = flag()
    neighbour_row_being_made: bool = flag()

    def offset_for_query(self) -> int | None:
        """What a query for the group's offset finds (ConsumerOffsetManager.queryOffset); None for nothing."""
        return self.committed

    def has_marker(self) -> bool:
        """Is there the marker of a reset? There is none where clients are told of resets by a command."""
        return False

    def answers_zero(self) -> bool:
        """Is a query answered with 0 where nothing is stored? So it is while offset 0 is in memory or yet to come.

        Where releases ask for message 0 itself it is not while that is yet to come.
        """
        if self.setting.behaves(NO_ZERO_ANSWER):
            return False
        known = [negation(self.cold), self.min_offset == 0]
        return every([*known, self.max_offset > 0] if self.setting.behaves(ZERO_ONLY_IF_STORED) else known)

    def flush(self) -> None:
        """The table is written to the offset file (ConfigManager.persist)."""
        self.flushed = self.committed
        self.neighbour_flushed = self.neighbour_committed

    def restart(self) -> None:
        """The process is gone and started again: what was in memory is what the offset file holds."""
        self.committed = self.flushed
        self.neighbour_committed = self.neighbour_flushed
        self.row_being_made = None
        self.row_origin = Origin.PROGRESS
        self.ghost_row_superseded = False
        self.neighbour_row_being_made = False
        self.forget_reset()

    def forget_reset(self) -> None:
        """What a reset has left in memory is gone; there is nothing where clients are told of resets."""

    def lose_queue(self) -> None:
        """The topic is gone: its queue is empty, and will begin at 0, in memory, when there is one again."""
        self.gone = True
        self.cold = False
        self.min_offset = 0
        self.max_offset = 0

    def holds_no_offset_beyond(self, end: int) -> bool:
        """Is no offset beyond this one stored for the group, or about to be, in memory or in the file?"""
        rows = [self.number_of(Broker.committed), self.number_of(Broker.flushed)]
        rows += [self.number_of(Broker.row_being_made)]
        return every(number <= end + 1 for number in rows)

    def has_row(self) -> bool:
        """Is there an inner map for topic@group?"""
        return some([self.committed is not None, self.neighbour_committed])
