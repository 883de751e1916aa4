"""All parts together: the broker, the consumers of one group on one queue, what the outside may still do, and history.

Fields that start with `ghost_` are history for claims; nothing that really happens depends on them.
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Model,
    OffsetSet,
    array,
    choose,
    every,
    flag,
    integer,
    offset,
    offset_set,
    one_of,
    part,
)
from offsetproof.model.broker import Broker
from offsetproof.model.consumer import Consumer
from offsetproof.model.vocabulary import CONSUMERS, Direction, Origin


class Group(Model):
    """One consumer group on one queue, in CLUSTERING mode with a concurrent listener that succeeds.

    `resets_left` and `view_changes_left` are what the administrator and the group's membership may still do; their
    budgets are part of the scope. History: `ghost_done` are the offsets that some listener finished; `ghost_skipped`
    those that an administrator skipped; of the reset: its target, its direction, whether its own write has reached
    the broker (landed), and the offsets done again since by lives that started after the landing.
    """

    broker: Broker = part(Broker)
    consumer: Array[Consumer] = array(CONSUMERS, Consumer)
    resets_left: int = integer(0, "resets", "resets")
    view_changes_left: int = integer(0, "view_changes", "view_changes")
    ghost_done: OffsetSet = offset_set()
    ghost_skipped: OffsetSet = offset_set()
    ghost_target: int = offset()
    ghost_direction: Direction = one_of(Direction)
    ghost_landed: bool = flag()
    ghost_redone: OffsetSet = offset_set()
    ghost_overtaken: bool = flag()

    def initially(self) -> None:
        """At first the queue belongs to consumer 0, by everybody's belief."""
        self.consumer[0].believes_allocated = True

    def commit(self, offset: int, origin: Origin) -> None:
        """The broker writes a committed offset: the last writer wins (ConsumerOffsetManager.commitOffset:128)."""
        self.broker.committed = offset
        self.ghost_landed = self.ghost_landed | (origin == Origin.RESET)

    def note_done(self, m: int, after_landing: bool) -> None:
        """History: a listener finished offset m, in a life that started after the reset had landed or not."""
        self.ghost_done = self.ghost_done.add(m)
        again = every([self.ghost_landed, after_landing])
        self.ghost_redone = choose(again, self.ghost_redone.add(m), self.ghost_redone)
