"""Writing: MixAll.string2File, one system call after another, by any of the threads that may be in it.

A file that is open is the file, not its name: it goes on being written after a rename, which gives it another name, and
after a deletion, which leaves it none. Two threads that open one name write one file. 4.9.4 ignores what `delete` and
`renameTo` say. Left out: offsets with different numbers of digits, so that a text written over a longer one can only be
one with fewer rows; a deletion or a rename that the operating system refuses. What 5.x does instead is in
`behaviours`: `overwrites_in_place`, `moves_main_to_backup`.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import Anchor, Timer, at, every, holds, require, some
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.files.offset_file import OffsetFile, Row, Table
from offsetproof.model.files.process import Process, Writer
from offsetproof.model.files.store import Store
from offsetproof.model.files.threads import WRITER
from offsetproof.model.files.variants import (
    CONTENTS_FORCED,
    KEEPS_WHOLE_BACKUP,
    PERSIST_SYNCHRONIZED,
)
from offsetproof.model.files.vocabulary import (
    REBALANCE,
    STOPPER,
    TIMER,
    Contents,
    Handle,
    Owner,
    Phase,
    WriteStep,
)
from offsetproof.model.releases import STRING2FILE_SYNCHRONIZED
from offsetproof.model.timers import FLUSH_EVERY, FLUSH_FIRST, PERSIST_EVERY, PERSIST_FIRST


def in_string2file(call: str, nth: int = 1) -> Anchor:
    """A call of string2File itself."""
    return at("MixAll", "string2File", call, nth)


WRITES = at("MixAll", "string2FileNotSafe", "write")
OPENS = at("MixAll", "string2FileNotSafe", "FileWriter.<init>")
_CLOSES = at("MixAll", "string2FileNotSafe", "close")
WRITES_REST = in_rig(also=[_CLOSES])
"""All of the text is written, or the rest of it, behind a first part."""

ENCODES = ("broker_encodes_table", "client_encodes_table")


def _rounds(encodes: str, start: str, first: Timer, period: Timer) -> tuple[Pause, Pause]:
    """A timer's first round after a start, and its next ones."""
    next_ones = Pause("the timer", (encodes,), period, any_longer=True, source=period.source, only=(("t", TIMER),))
    return replace(next_ones, after=(start,), least=first, source=first.source, same=("p",)), next_ones


class Writing(Store):
    """What a thread does from the moment in which it encodes the table."""

    @WRITER.step(
        at("ConfigManager", "persist", "encode"),
        waits=_rounds("broker_encodes_table", "broker_starts", FLUSH_FIRST, FLUSH_EVERY),
        rig=in_rig(call="persist"),
    )
    def broker_encodes_table(self, p: int, t: int) -> None:
        """Makes a text of the whole table.

        ConfigManager.persist is synchronized: one thread at a time is in it.
        """
        process = self.process[p]
        require(self.scope.owner == Owner.BROKER, t != REBALANCE, process.is_calm(), self._may_begin(process, t))
        process.writer[t].text.take(process.table)
        process.writer[t].step = WriteStep.ENCODED

    @WRITER.step(
        at("LocalFileOffsetStore", "persistAll", "put"),
        waits=_rounds("client_encodes_table", "client_starts", PERSIST_FIRST, PERSIST_EVERY),
        rig=in_rig(at("LocalFileOffsetStore", "persistAll", "isEmpty"), call="persist", encodes=True),
    )
    def client_encodes_table(self, p: int, t: int) -> None:
        """Makes a text of the queues in the process queue table, and of no others.

        Without any it returns at once. It takes no lock.
        """
        process = self.process[p]
        writer = process.writer[t]
        require(self.scope.owner == Owner.CLIENT, t != REBALANCE, writer.is_idle(), self._may_begin(process, t))
        require(not process.lists_nothing())
        if self.setting.behaves(PERSIST_SYNCHRONIZED):
            require(process.is_calm())
        self.encode_listed(process, writer)
        writer.step = WriteStep.ENCODED

    def _may_begin(self, process: Process, t: int) -> bool:
        """The timer runs until it is stopped: a broker's before the last persist, a consumer's after it."""
        if t == STOPPER:
            return some([process.phase == Phase.STOPPING, process.phase == Phase.REFUSED])
        late = every([self.scope.owner == Owner.CLIENT, process.phase == Phase.STOPPING])
        return some([process.phase == Phase.UP, late])

    def encode_listed(self, process: Process, writer: Writer) -> None:
        """The rows of the queues in the process queue table."""
        for q, row in enumerate(process.table.row):
            if process.listed[q] and not holds(row, Row.offset, None):
                writer.text.row[q].offset = row.offset

    @WRITER.step(in_string2file("string2FileNotSafe"), OPENS, waits=at_once(*ENCODES))
    def writer_opens_tmp(self, p: int, t: int) -> None:
        """Opens the .tmp file, which is empty from then on."""
        writer = self.process[p].writer[t]
        require(writer.step == WriteStep.ENCODED)
        self.require_turn(p, t)
        self.truncate(self.tmp)
        writer.handle = Handle.TMP
        writer.step = WriteStep.TMP_OPENED

    def require_turn(self, p: int, t: int) -> None:
        """Where one thread at a time is in string2File, no other is in it now."""
        if self.setting.behaves(STRING2FILE_SYNCHRONIZED):
            others = [other for i, other in enumerate(self.process[p].writer) if i != t]
            require(not some(other.is_in_string2file() for other in others))

    def truncate(self, file: OffsetFile) -> None:
        """Opening a file for writing empties it."""
        file.become(Contents.EMPTY)
        self._note_written(file)

    def _note_written(self, file: OffsetFile) -> None:
        """What is written stays in memory for a while, where the scope has that, unless it is forced to the disk."""
        file.on_disk = some([self.scope.delayed == 0, self.setting.behaves(CONTENTS_FORCED)])

    @WRITER.step(
        WRITES,
        any_time="a part of a write, which comes before the rest of it",
        rig=replace(WRITER.rig, until=(_CLOSES,)),
    )
    def writer_writes_part(self, p: int, t: int) -> None:
        """Writes the first 8,192 characters of a longer text."""
        writer = self.process[p].writer[t]
        require(self.scope.parts == 1)
        if writer.step == WriteStep.TMP_OPENED:
            writer.step = WriteStep.TMP_PART
        else:
            require(writer.step == WriteStep.BACKUP_OPENED, writer.previous.contents != Contents.EMPTY)
            writer.step = WriteStep.BACKUP_PART
        self.tear(writer)

    def tear(self, writer: Writer) -> None:
        """The open file holds the beginning of a text; the file may have no name any more."""
        for name, file in self.names():
            if writer.handle == name:
                file.become(Contents.TORN)
                self._note_written(file)

    def names(self) -> list[tuple[Handle, OffsetFile]]:
        """The files by the handles that have them open."""
        return [(Handle.TMP, self.tmp), (Handle.MAIN, self.main), (Handle.BACKUP, self.backup)]

    def require_first_part(self, writer: Writer, opened: WriteStep, part: WriteStep) -> None:
        """All of the text is written at once, or its second part is."""
        require(writer.step == (part if self.scope.parts == 1 else opened))

    def write(self, writer: Writer, text: Table) -> None:
        """The text, or the rest of it, is in the open file, which is closed; the file may have no name any more."""
        for name, file in self.names():
            if writer.handle == name:
                self._lay_over(file, text)
        writer.handle = Handle.NONE

    def _lay_over(self, file: OffsetFile, text: Table) -> None:
        """The text from the start on; of a longer one that another thread has written, the end stays there.

        A second part needs the first one of the same thread before it.
        """
        longer = every([file.contents == Contents.WHOLE, file.table.length() > text.length()])
        if longer or (self.scope.parts == 1 and file.contents != Contents.TORN):
            file.become(Contents.TORN)
        else:
            file.contents = Contents.WHOLE
            file.table.take(text)
        self._note_written(file)

    @WRITER.step(WRITES, waits=at_once("writer_opens_tmp"), rig=WRITES_REST)
    def writer_writes_tmp(self, p: int, t: int) -> None:
        """Has written the text to the .tmp file."""
        writer = self.process[p].writer[t]
        self.require_first_part(writer, WriteStep.TMP_OPENED, WriteStep.TMP_PART)
        self.write(writer, writer.text)
        writer.step = WriteStep.TMP_DONE

    @WRITER.step(in_string2file("file2String"), waits=at_once("writer_writes_tmp"))
    def writer_reads_main(self, p: int, t: int) -> None:
        """Reads the main file, whatever it holds."""
        writer = self.process[p].writer[t]
        require(writer.step == WriteStep.TMP_DONE)
        self.read_main(writer)

    def read_main(self, writer: Writer) -> None:
        """What the main file holds is what the backup is to hold."""
        if self.setting.behaves(KEEPS_WHOLE_BACKUP) and not self.main.is_whole():
            writer.previous.become(Contents.MISSING)
        else:
            writer.previous.contents = self.main.contents
            writer.previous.table.take(self.main.table)
        writer.step = WriteStep.MAIN_READ

    @WRITER.step(in_string2file("string2FileNotSafe", 2), OPENS)
    def writer_opens_backup(self, p: int, t: int) -> None:
        """Opens the backup, which is empty from then on.

        Where there was no main file, it does not.
        """
        writer = self.process[p].writer[t]
        require(writer.step == WriteStep.MAIN_READ, writer.previous.contents != Contents.MISSING)
        self.truncate(self.backup)
        writer.handle = Handle.BACKUP
        writer.step = WriteStep.BACKUP_OPENED

    @WRITER.step(WRITES, rig=WRITES_REST)
    def writer_writes_backup(self, p: int, t: int) -> None:
        """Has written to the backup what the main file held."""
        writer = self.process[p].writer[t]
        previous = writer.previous
        if previous.contents == Contents.EMPTY:
            require(writer.step == WriteStep.BACKUP_OPENED)
            writer.handle = Handle.NONE
        else:
            self.require_first_part(writer, WriteStep.BACKUP_OPENED, WriteStep.BACKUP_PART)
            if previous.contents == Contents.TORN:
                self.backup.become(Contents.TORN)
                self._note_written(self.backup)
                writer.handle = Handle.NONE
            else:
                self.write(writer, previous.table)
        writer.previous.reset()
        writer.step = WriteStep.BACKUP_DONE

    def require_backup_done(self, writer: Writer) -> None:
        """The backup is written, or there was nothing to write to it."""
        nothing = every([writer.step == WriteStep.MAIN_READ, writer.previous.contents == Contents.MISSING])
        require(some([writer.step == WriteStep.BACKUP_DONE, nothing]))

    @WRITER.step(in_string2file("delete"))
    def writer_deletes_main(self, p: int, t: int) -> None:
        """Deletes the main file, if there is one."""
        writer = self.process[p].writer[t]
        self.require_backup_done(writer)
        self.unname(Handle.MAIN)
        self.main.reset()
        writer.step = WriteStep.MAIN_DELETED

    @WRITER.step(in_string2file("renameTo"))
    def writer_renames_tmp(self, p: int, t: int) -> None:
        """Makes the .tmp file the main file, if there is one.

        To the caller the text is stored then, even if another thread has taken the .tmp file away.
        """
        writer = self.process[p].writer[t]
        require(writer.step == WriteStep.MAIN_DELETED)
        if self.tmp.contents != Contents.MISSING:
            self.unname(Handle.MAIN)
            self.main.take(self.tmp)
            self.tmp.reset()
            self.rename(Handle.TMP, Handle.MAIN)
        self.note_persisted(p, writer.text)
        self.end_call(p, t)
