"""All parts together: the files, the processes, what the outside may still do, and history.

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
    holds,
    integer,
    negation,
    offset,
    offset_set,
    part,
    smaller,
    some,
)
from offsetproof.model.files.offset_file import OffsetFile, Row, Table
from offsetproof.model.files.process import Process, Writer
from offsetproof.model.files.vocabulary import PROCESSES, QUEUES, STOPPER, Contents, Handle, Phase, Reading


class Store(Model):
    """One offset file with its backup and its .tmp file, and the processes that read and write it.

    `progress` is what a group has consumed of each queue, where the file is a broker's; `known` says that a broadcast
    consumer has once begun on a queue, so that it is owed all messages of it, and `stored` that the queue has them.
    What ends in `_left` are budgets of the scope. History: `ghost_last` and `ghost_before` are the texts of the last
    two calls of string2File that ended without an exception (`ghost_persisted`: how many there have been, 2 for more),
    `ghost_done` and `ghost_repeated` what a broadcast consumer has consumed, once and again.
    """

    main: OffsetFile = part(OffsetFile)
    backup: OffsetFile = part(OffsetFile)
    tmp: OffsetFile = part(OffsetFile)
    process: Array[Process] = array(PROCESSES, Process)
    progress: Array[int] = array(QUEUES, offset())
    group_runs: bool = flag(True)
    known: Array[bool] = array(QUEUES, flag())
    stored: Array[bool] = array(QUEUES, flag())
    shutdowns_left: int = integer(0, "shutdowns", "shutdowns")
    route_changes_left: int = integer(0, "route_changes", "route_changes")
    ghost_persisted: int = integer(0, 2)
    ghost_last: Table = part(Table)
    ghost_before: Table = part(Table)
    ghost_done: Array[OffsetSet] = array(QUEUES, offset_set())
    ghost_repeated: Array[OffsetSet] = array(QUEUES, offset_set())

    def rest(self) -> bool:
        """Does no process run? Then the files are what a start will find."""
        return every(process.is_down() for process in self.process)

    def reading(self) -> Reading:
        """What reading the files gives, to ConfigManager.load and to readLocalOffset alike.

        A main file without text, or with text that cannot be parsed, is the backup's turn. A backup without text gives
        an empty table, whatever there was in the main file; one that cannot be parsed gives an exception.
        """
        if self.main.is_whole():
            return Reading.MAIN
        if self.backup.is_whole():
            return Reading.BACKUP
        return Reading.FAILED if self.backup.contents == Contents.TORN else Reading.NOTHING

    def read_into(self, table: Table) -> None:
        """The table takes what the files give; it is empty where that is nothing or an exception."""
        reading = self.reading()
        if reading == Reading.MAIN:
            table.take(self.main.table)
        elif reading == Reading.BACKUP:
            table.take(self.backup.table)
        else:
            table.reset()

    def would_load(self, table: Table) -> bool:
        """Would a start succeed now, with this table? (Nothing splits.)"""
        whole, second = self.main.contents == Contents.WHOLE, self.backup.contents == Contents.WHOLE
        nothing = every([negation(some([whole, second])), self.backup.contents != Contents.TORN])
        from_main = every([whole, self.main.table.is_like(table)])
        from_backup = every([negation(whole), second, self.backup.table.is_like(table)])
        return some([from_main, from_backup, every([nothing, table.is_empty()])])

    def has_row(self, q: int) -> bool:
        """Would a reader of the files find the queue now? (Nothing splits.)"""
        whole, second = self.main.contents == Contents.WHOLE, self.backup.contents == Contents.WHOLE
        in_main = every([whole, negation(holds(self.main.table.row[q], Row.offset, None))])
        in_backup = every([negation(whole), second, negation(holds(self.backup.table.row[q], Row.offset, None))])
        return some([in_main, in_backup])

    def cannot_load(self) -> bool:
        """Would a start fail now? (Nothing splits.)"""
        return every([self.main.contents != Contents.WHOLE, self.backup.contents == Contents.TORN])

    def would_load_nothing(self) -> bool:
        """Would a start succeed now, with an empty table? (Nothing splits.)"""
        whole, second = self.main.contents == Contents.WHOLE, self.backup.contents == Contents.WHOLE
        from_main = every([whole, self.main.table.is_empty()])
        from_backup = every([negation(whole), second, self.backup.table.is_empty()])
        neither = every([negation(whole), negation(second), self.backup.contents != Contents.TORN])
        return some([from_main, from_backup, neither])

    def note_persisted(self, p: int, text: Table) -> None:
        """A call of string2File has ended without an exception, so its caller takes the text for stored.

        History does not count what a broker persists that never served.
        """
        if self.process[p].phase != Phase.REFUSED:
            self.ghost_before.take(self.ghost_last)
            self.ghost_last.take(text)
            self.ghost_persisted = smaller(self.ghost_persisted + 1, 2)
        for q, row in enumerate(text.row):
            self.known[q] = some([self.known[q], negation(holds(row, Row.offset, None))])

    def end_call(self, p: int, t: int) -> None:
        """A thread's call of persist is over, however it went; what the thread does then."""
        process = self.process[p]
        process.writer[t].reset()
        if t == STOPPER:
            if process.phase == Phase.REFUSED:
                process.reset()
            else:
                process.phase = Phase.STOPPED

    def unname(self, name: Handle) -> None:
        """Whoever has the file of this name open goes on with a file that has no name."""
        self.rename(name, Handle.GONE)

    def rename(self, name: Handle, to: Handle) -> None:
        """Whoever has a file open has it under its new name."""
        for other in self.all_writers():
            other.handle = choose(other.handle == name, to, other.handle)

    def all_writers(self) -> list[Writer]:
        """The writers of all processes."""
        return [writer for process in self.process for writer in process.writer]

    def note_consumed(self, q: int, offset: int) -> None:
        """History: a broadcast consumer has consumed this message of the queue."""
        again = choose(self.ghost_done[q].has(offset), self.ghost_repeated[q].add(offset), self.ghost_repeated[q])
        self.ghost_repeated[q] = again
        self.ghost_done[q] = self.ghost_done[q].add(offset)
