"""A process that has the file: its table in memory, and the threads that write."""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Component,
    array,
    every,
    flag,
    negation,
    offset,
    one_of,
    part,
)
from offsetproof.model.files.offset_file import OffsetFile, Table
from offsetproof.model.files.vocabulary import QUEUES, REBALANCE, THREADS, Handle, Phase, WriteStep


class Writer(Component):
    """A thread's call of ConfigManager.persist or LocalFileOffsetStore.persistAll, from its encoding on.

    `text` is what it was given to write, `previous` what it has read from the main file. Left out: that the text is
    collected row by row while the table changes.
    """

    step: WriteStep = one_of(WriteStep)
    handle: Handle = one_of(Handle)
    text: Table = part(Table)
    previous: OffsetFile = part(OffsetFile)

    def is_idle(self) -> bool:
        """Does it write nothing?"""
        return self.step == WriteStep.IDLE

    def is_in_string2file(self) -> bool:
        """Is it past the encoding?"""
        return every([self.step != WriteStep.IDLE, self.step != WriteStep.ENCODED])


class Process(Component):
    """One broker, or one JVM with a broadcast consumer.

    `table` is ConsumerOffsetManager.offsetTable or LocalFileOffsetStore.offsetTable. Of a consumer, `listed` are the
    queues in its process queue table, and `position` where it consumes next.
    """

    phase: Phase = one_of(Phase)
    table: Table = part(Table)
    writer: Array[Writer] = array(THREADS, Writer)
    listed: Array[bool] = array(QUEUES, flag())
    position: Array[int] = array(QUEUES, offset())

    def is_down(self) -> bool:
        """Does it not run?"""
        return self.phase == Phase.DOWN

    def is_calm(self) -> bool:
        """Does none of its threads write?"""
        return every(writer.is_idle() for writer in self.writer)

    def rebalances_nothing(self) -> bool:
        """Does its rebalance thread write nothing?"""
        return self.writer[REBALANCE].is_idle()

    def lists_nothing(self) -> bool:
        """Has its consumer no queue?"""
        return every(negation(listed) for listed in self.listed)
