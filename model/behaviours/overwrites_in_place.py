"""Since 5.1.0 string2File writes over the main file itself: there is no .tmp file, and nothing is renamed.

Stands for MixAll.string2File, which copies the main file to the backup first, as before, and for
IOTinyUtils.writeStringToFile, which writes a text in one call: only a kill within that, or a full disk, leaves a part.
"""

from __future__ import annotations

from typing import Any

from offsetproof.lang import Change, at, require
from offsetproof.lang.record import at_once
from offsetproof.lang.rigging import RigChange, RigMoment
from offsetproof.lang.step import in_rig
from offsetproof.model.files.disk import Disk
from offsetproof.model.files.threads import WRITER, of_process
from offsetproof.model.files.variants import DISK_FULL
from offsetproof.model.files.vocabulary import Handle, WriteStep
from offsetproof.model.files.writing import ENCODES, Writing, in_string2file
from offsetproof.model.releases import OVERWRITES_IN_PLACE
from offsetproof.model.threads import BY_FAULT

_OPENS = at("IOTinyUtils", "writeStringToFile", "FileOutputStream.<init>")
WRITES_TEXT = at("IOTinyUtils", "writeStringToFile", "write")
_CALLS = (at("ConfigManager", "persist", "string2File"), at("LocalFileOffsetStore", "persistAll", "string2File"))
"""string2File is synchronized: who has come to its first line has the lock, and who is to wait for it stands here."""


def opened_file(moment: RigMoment) -> dict[str, Any]:
    """Which file a thread has open."""
    handle = moment.before[f"process[{moment.arg('p')}].writer[{moment.arg('t')}].handle"]
    return {**of_process(moment), "file": handle.lower()}


class OverwritingSteps(Writing, Disk):
    """The main file is read as soon as there is a text, and written as the backup is."""

    @WRITER.step(in_string2file("file2String"), waits=at_once(*ENCODES), rig=in_rig(*_CALLS))
    def writer_reads_main(self, p: int, t: int) -> None:
        """Reads the main file, whatever it holds."""
        writer = self.process[p].writer[t]
        require(writer.step == WriteStep.ENCODED)
        self.require_turn(p, t)
        self.read_main(writer)

    @WRITER.step(
        WRITES_TEXT,
        any_time="a kill or a full disk comes within the system's write, which is one call",
        rig=RigChange("write_part", opened_file),
    )
    def writer_writes_part(self, p: int, t: int) -> None:
        """Has written a part of a longer text: the system may be stopped within its write."""
        writer = self.process[p].writer[t]
        if writer.step == WriteStep.MAIN_OPENED:
            require(self.scope.parts == 1)
            writer.step = WriteStep.MAIN_PART
            self.tear(writer)
        else:
            super().writer_writes_part(p, t)

    @WRITER.step(in_string2file("string2FileNotSafe"), _OPENS)
    def writer_opens_backup(self, p: int, t: int) -> None:
        """Opens the backup, which is empty from then on.

        Where there was no main file, it does not.
        """
        super().writer_opens_backup(p, t)

    @WRITER.step(WRITES_TEXT)
    def writer_writes_backup(self, p: int, t: int) -> None:
        """Has written to the backup what the main file held."""
        super().writer_writes_backup(p, t)

    @WRITER.step(in_string2file("string2FileNotSafe", 2), _OPENS)
    def writer_opens_main(self, p: int, t: int) -> None:
        """Opens the main file itself, which is empty from then on."""
        writer = self.process[p].writer[t]
        self.require_backup_done(writer)
        self.truncate(self.main)
        writer.handle = Handle.MAIN
        writer.step = WriteStep.MAIN_OPENED

    @WRITER.step(WRITES_TEXT)
    def writer_writes_main(self, p: int, t: int) -> None:
        """Has written the text to the main file itself."""
        self.lay_text(p, t)
        self.note_persisted(p, self.process[p].writer[t].text)
        self.end_call(p, t)

    @WRITER.step(
        WRITES_TEXT,
        at("ConfigManager", "persist", "error"),
        any_time=BY_FAULT,
        rig=in_rig(disk_full=True),
        fault=DISK_FULL,
        logs="persist file {} exception",
    )
    def disk_is_full(self, p: int, t: int) -> None:
        """Can write no more, and leaves string2File with an exception; what the open file holds stays there."""
        super().disk_is_full(p, t)

    def lay_text(self, p: int, t: int) -> None:
        """The text is in the main file."""
        writer = self.process[p].writer[t]
        self.require_first_part(writer, WriteStep.MAIN_OPENED, WriteStep.MAIN_PART)
        self.write(writer, writer.text)


OVERWRITES = Change(
    OVERWRITES_IN_PLACE,
    steps=(OverwritingSteps,),
    gone=(
        Writing.writer_opens_tmp,
        Writing.writer_writes_tmp,
        Writing.writer_deletes_main,
        Writing.writer_renames_tmp,
    ),
)
"""What offset files are with it."""
