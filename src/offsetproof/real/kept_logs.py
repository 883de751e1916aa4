"""RocketMQ's own log files of what was done on its classes, kept beside a report: what an audit of logs is tried on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOG_NAME = "rocketmq_client.log"


class KeptLog:
    """The log of a JVM that does one trace after the other, divided among them."""

    def __init__(self, log: Path, folder: Path | None) -> None:
        """`folder` is where the parts are kept; without one nothing is."""
        self._log, self._folder = log, folder

    @contextmanager
    def during(self, name: str) -> Iterator[None]:
        """Keeps what is logged while the block lasts, however it ends: as a file of a folder named for the trace."""
        begin = self._size()
        try:
            yield
        finally:
            if self._folder is not None:
                kept = folder_for(self._folder, name)
                (kept / LOG_NAME).write_bytes(self._log.read_bytes()[begin:] if self._size() else b"")

    def _size(self) -> int:
        return self._log.stat().st_size if self._log.exists() else 0


def folder_for(folder: Path, name: str) -> Path:
    """The folder in which the logs of a trace are kept, which is there afterwards; a file's trace has its stem.

    What was kept there before is replaced file by file.
    """
    own = folder / Path(name).stem
    own.mkdir(parents=True, exist_ok=True)
    return own
