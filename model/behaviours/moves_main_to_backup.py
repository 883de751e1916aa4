"""In 5.5.0 a broker's main file is renamed to the backup, and a new one is forced to the disk.

Stands for ConfigManager.persist, which does not go through MixAll.string2File any more, and for ConfigManager.load,
which deletes a main file that it cannot read. A rename and a deletion are in the file system's journal, as elsewhere
in the model; that the directory is forced to the disk besides changes nothing of that.
"""

from __future__ import annotations

from typing import cast

from offsetproof.lang import Change, at, choose, every, flag, negation, require, same, some
from offsetproof.lang.record import at_once
from offsetproof.lang.rigging import RigChange
from offsetproof.lang.step import in_rig
from offsetproof.model.behaviours.overwrites_in_place import OverwritingSteps, opened_file
from offsetproof.model.files.disk import Disk
from offsetproof.model.files.process import Writer
from offsetproof.model.files.running import Running
from offsetproof.model.files.store import Store
from offsetproof.model.files.threads import WRITER
from offsetproof.model.files.variants import DISK_FULL, KEEPS_WHOLE_BACKUP
from offsetproof.model.files.vocabulary import Contents, Fate, Handle, WriteStep
from offsetproof.model.files.writing import ENCODES, Writing
from offsetproof.model.releases import MOVES_MAIN_TO_BACKUP
from offsetproof.model.threads import BY_FAULT

_PERSIST = ("ConfigManager", "persist")
_LOOKS = at(*_PERSIST, "exists")
_MOVES = at(*_PERSIST, "move")
_OPENS = at(*_PERSIST, "RandomAccessFile.<init>")
_WRITES = at(*_PERSIST, "RandomAccessFile.write")


class ForcingWriter(Writer):
    """A writer that may have written the main file, and not forced it to the disk yet (`written`)."""

    written: bool = flag()


def note_written(store: Store, p: int) -> None:
    """History: what a process had written, and not forced to the disk yet, is there for the next one."""
    for writer in store.process[p].writer:
        if cast(ForcingWriter, writer).written:
            store.note_persisted(p, writer.text)


class MovingSteps(OverwritingSteps):
    """What a broker's persist does with the main file."""

    def _writer(self, p: int, t: int) -> ForcingWriter:
        return cast(ForcingWriter, self.process[p].writer[t])

    @WRITER.step(_MOVES, waits=at_once(*ENCODES), rig=in_rig(_LOOKS, within=[_MOVES]))
    def writer_moves_main(self, p: int, t: int) -> None:
        """Renames the main file to the backup, whatever it holds."""
        writer = self._writer(p, t)
        require(writer.step == WriteStep.ENCODED, self.main.contents != Contents.MISSING)
        if self.setting.behaves(KEEPS_WHOLE_BACKUP) and not self.main.is_whole():
            self.unname(Handle.MAIN)
        else:
            self.unname(Handle.BACKUP)
            self.rename(Handle.MAIN, Handle.BACKUP)
            self.backup.take(self.main)
        self.main.reset()
        writer.step = WriteStep.BACKUP_DONE

    @WRITER.step(
        _OPENS,
        waits=at_once(*ENCODES, "writer_moves_main"),
        rig=in_rig(_OPENS, also=[_LOOKS], within=[_OPENS]),
    )
    def writer_opens_main(self, p: int, t: int) -> None:
        """Opens a main file, which is a new one; one that somebody else has made since keeps what it holds."""
        writer = self._writer(p, t)
        nothing = every([writer.step == WriteStep.ENCODED, self.main.contents == Contents.MISSING])
        require(some([writer.step == WriteStep.BACKUP_DONE, nothing]))
        if self.main.contents == Contents.MISSING:
            self.truncate(self.main)
        writer.handle = Handle.MAIN
        writer.step = WriteStep.MAIN_OPENED

    @WRITER.step(
        _WRITES,
        any_time="a kill or a full disk comes within the system's write, which is one call",
        rig=RigChange("write_part", opened_file),
    )
    def writer_writes_part(self, p: int, t: int) -> None:
        """Has written a part of a longer text: the system may be stopped within its write."""
        super().writer_writes_part(p, t)

    @WRITER.step(_WRITES, waits=at_once("writer_opens_main"))
    def writer_writes_main(self, p: int, t: int) -> None:
        """Has written the text to the main file, where a start finds it now."""
        writer = self._writer(p, t)
        require(negation(writer.written))
        handle = writer.handle
        self.lay_text(p, t)
        writer.handle = handle
        writer.written = True

    @WRITER.step(at(*_PERSIST, "force"), waits=at_once("writer_writes_main"))
    def writer_forces_main(self, p: int, t: int) -> None:
        """Forces the main file to the disk: the text is stored."""
        writer = self._writer(p, t)
        require(writer.written)
        for name, file in self.names():
            file.on_disk = choose(writer.handle == name, True, file.on_disk)
        self.note_persisted(p, writer.text)
        self.end_call(p, t)

    @WRITER.step(
        _WRITES,
        at(*_PERSIST, "error"),
        any_time=BY_FAULT,
        rig=in_rig(disk_full=True),
        fault=DISK_FULL,
        logs="Failed to persist",
    )
    def disk_is_full(self, p: int, t: int) -> None:
        """Can write no more, and leaves persist; what the main file holds stays there."""
        require(negation(self._writer(p, t).written))
        super().disk_is_full(p, t)

    @same(Disk.power_fails)
    def power_fails(self, m: Fate, b: Fate) -> None:
        """Loses power.

        What was written to the main file and to the backup may be there, or only its beginning, or nothing of it.
        """
        if m == Fate.KEPT:
            for p in range(self.scope.processes):
                note_written(self, p)
        super().power_fails(m, b)


class ForcedRunning(Running):
    """What a broker's load does with a main file that it cannot read, and what a kill leaves of an unforced one."""

    @same(Running.broker_starts)
    def broker_starts(self, p: int) -> None:
        """Loads the offset file, and serves; a main file that it cannot read is deleted.

        Where the load has failed, or another broker has the store's lock, it shuts down at once, and persists
        its table in doing so.
        """
        if not self.main.is_whole():
            self.unname(Handle.MAIN)
            self.main.reset()
        super().broker_starts(p)

    @same(Running.process_is_killed)
    def process_is_killed(self, p: int) -> None:
        """Is killed: the files stay as they are, also what is not forced to the disk yet."""
        note_written(self, p)
        super().process_is_killed(p)


MOVES = Change(
    MOVES_MAIN_TO_BACKUP,
    steps=(MovingSteps, ForcedRunning),
    parts=(ForcingWriter,),
    gone=(Writing.writer_reads_main, Writing.writer_opens_backup, Writing.writer_writes_backup),
    leaves_out=(
        "a second broker that takes the main file away between a broker's look for it and its rename, which then fails",
    ),
)
"""What a broker's offset file is with it."""
