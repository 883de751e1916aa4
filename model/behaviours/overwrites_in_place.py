"""Since 5.1.0 string2File writes over the main file itself: there is no .tmp file, and nothing is renamed.

Stands for MixAll.string2File, which copies the main file to the backup first, as before.
"""

from __future__ import annotations

from offsetproof.lang import Change, require, same
from offsetproof.lang.record import at_once
from offsetproof.model.files.threads import WRITER
from offsetproof.model.files.vocabulary import Handle, WriteStep
from offsetproof.model.files.writing import ENCODES, OPENS, WRITES, WRITES_REST, Writing, in_string2file
from offsetproof.model.releases import OVERWRITES_IN_PLACE


class OverwritingSteps(Writing):
    """The main file is read as soon as there is a text, and written as the backup is."""

    @WRITER.step(in_string2file("file2String"), waits=at_once(*ENCODES))
    def writer_reads_main(self, p: int, t: int) -> None:
        """Reads the main file, whatever it holds."""
        writer = self.process[p].writer[t]
        require(writer.step == WriteStep.ENCODED)
        self.require_turn(p, t)
        self.read_main(writer)

    @same(Writing.writer_writes_part)
    def writer_writes_part(self, p: int, t: int) -> None:
        """Writes the first 8,192 characters of a longer text."""
        writer = self.process[p].writer[t]
        if writer.step == WriteStep.MAIN_OPENED:
            require(self.scope.parts == 1)
            writer.step = WriteStep.MAIN_PART
            self.tear(writer)
        else:
            super().writer_writes_part(p, t)

    @WRITER.step(in_string2file("string2FileNotSafe"), OPENS)
    def writer_opens_main(self, p: int, t: int) -> None:
        """Opens the main file itself, which is empty from then on."""
        writer = self.process[p].writer[t]
        self.require_backup_done(writer)
        self.truncate(self.main)
        writer.handle = Handle.MAIN
        writer.step = WriteStep.MAIN_OPENED

    @WRITER.step(WRITES, rig=WRITES_REST)
    def writer_writes_main(self, p: int, t: int) -> None:
        """Has written the text to the main file itself."""
        writer = self.process[p].writer[t]
        self.require_first_part(writer, WriteStep.MAIN_OPENED, WriteStep.MAIN_PART)
        self.write(writer, writer.text)
        self.note_persisted(p, writer.text)
        self.end_call(p, t)


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
