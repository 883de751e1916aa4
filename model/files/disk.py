"""The disk: it may be full, and what is written is on it only some time later.

Left out: a directory that is not what the operating system said (deletions and renames are in the file system's
journal, in their order, and so survive a power failure that the contents of a file do not survive).
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.step import in_rig
from offsetproof.model.files.offset_file import OffsetFile
from offsetproof.model.files.store import Store
from offsetproof.model.files.threads import MACHINE, WRITEBACK, WRITER
from offsetproof.model.files.variants import DISK_FULL, POWER
from offsetproof.model.files.vocabulary import Contents, Fate, Handle
from offsetproof.model.threads import BY_FAULT

_CLOSES = at("MixAll", "string2FileNotSafe", "close").or_at("writeStringToFile", "close", of="IOTinyUtils")
"""It asks for nothing to be forced to the disk."""
_SOME_TIME = "the operating system's own time, some 30 s"


class Disk(Store):
    """What becomes of what is written."""

    @WRITER.step(
        at("MixAll", "string2FileNotSafe", "write"),
        at("ConfigManager", "persist", "error"),
        any_time=BY_FAULT,
        rig=in_rig(also=[_CLOSES], disk_full=True),
        fault=DISK_FULL,
        logs="persist file {} exception",
    )
    def disk_is_full(self, p: int, t: int) -> None:
        """Can write no more, and leaves string2File with an exception.

        What the open file holds by then stays there; nothing is deleted or renamed.
        """
        writer = self.process[p].writer[t]
        require(writer.handle != Handle.NONE)
        self.end_call(p, t)

    @MACHINE.step(_CLOSES, any_time=BY_FAULT, fault=POWER, m=Fate, b=Fate)
    def power_fails(self, m: Fate, b: Fate) -> None:
        """Loses power.

        What was written to the main file and to the backup may be there, or only its beginning, or nothing of it.
        """
        require(self.scope.delayed == 1)
        self._suffer(self.main, m)
        self._suffer(self.backup, b)
        self.tmp.reset()
        for process in self.process:
            process.reset()

    def _suffer(self, file: OffsetFile, fate: Fate) -> None:
        if fate != Fate.KEPT:
            require(not file.on_disk, not file.is_blank())
            file.become(Contents.EMPTY if fate == Fate.EMPTIED else Contents.TORN)
        file.on_disk = True

    @WRITEBACK.step(_CLOSES, any_time=_SOME_TIME)
    def system_writes_main(self) -> None:
        """Brings the main file's contents to the disk."""
        require(not self.main.on_disk)
        self.main.on_disk = True

    @WRITEBACK.step(_CLOSES, any_time=_SOME_TIME)
    def system_writes_backup(self) -> None:
        """Brings the backup's contents to the disk."""
        require(not self.backup.on_disk)
        self.backup.on_disk = True
