"""What tasks send each other: files of states, named with digests by who sends them, so that none is missed or changed.

scratch/ATTEMPT/start.json              there as long as the attempt is to go on
scratch/ATTEMPT/to=0007-003/1-0.parquet what task 1 sent first to part 3 for the level 7
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.stubborn import Tables
from offsetproof.engines.spark.states import read_states, write_states
from offsetproof.reading.typed_json import Count

_WAIT_FIRST, _WAIT_MOST = 0.0005, 0.02


@dataclass(frozen=True)
class Order:
    """What all tasks of an exploration are told.

    `cap` is the most faults (None: the scope's), `tasks` how many there are, `bytes` what each may hold, `until` when
    they end at the latest (seconds since the epoch). `tables` are those of stubborn sets, where these are used.
    """

    folder: str
    kinds: tuple[str, ...]
    initial: tuple[tuple[int, ...], ...]
    parts: int
    tasks: int
    cap: int | None
    attempt: str
    bytes: int
    states: int | None
    until: float | None
    tables: Tables | None = None

    @property
    def scratch(self) -> Path:
        """The folder of what the tasks of this attempt tell each other."""
        return Path(self.folder) / "scratch" / self.attempt

    @property
    def start(self) -> Path:
        """What is there as long as this attempt is to go on."""
        return self.scratch / "start.json"


def must_be_current(order: Order) -> None:
    """Raises RuntimeError where the attempt is over: others' files may be gone, and what it would write not whole."""
    if not order.start.exists():
        raise RuntimeError("this attempt is over")


def wait_for(file: Path, order: Order) -> None:
    """Waits until a file is there that another task is about to write; RuntimeError where that is not to be."""
    parent, pause = os.getppid(), _WAIT_FIRST
    while not file.exists():
        must_be_current(order)
        time.sleep(pause)
        if os.getppid() != parent:
            raise RuntimeError("Spark is gone")
        pause = min(2 * pause, _WAIT_MOST)


class Sent(Struct, frozen=True, forbid_unknown_fields=True):
    """A file of states as its sender knows it."""

    rows: Count
    digest: str


class Exchange:
    """One task's end of it."""

    def __init__(self, order: Order, task: int, words: int) -> None:
        self.order, self.task, self.words = order, task, words
        self._sent: dict[int, list[Sent]] = defaultdict(list)
        self._expected: list[list[list[Sent]]] = []

    def send(self, depth: int, part: int, rows: Words) -> None:
        """Writes states for a part's level."""
        digest = write_states(self._file(depth, part, self.task, len(self._sent[part])), rows)
        self._sent[part].append(Sent(len(rows), digest))

    def take_sent_files(self) -> list[list[Sent]]:
        """The files that went to each part since this was asked last."""
        files = [self._sent[part] for part in range(self.order.parts)]
        self._sent.clear()
        return files

    def expect(self, sent: list[list[list[Sent]]]) -> None:
        """What every task has sent to each part: these files there are, no more and no less."""
        self._expected = sent

    def receive(self, depth: int, part: int) -> Iterator[Words]:
        """The states that were sent to a part for a level; they are gone then."""
        for sender, sent in enumerate(self._expected):
            for number, entry in enumerate(sent[part]):
                file = self._file(depth, part, sender, number)
                wait_for(file, self.order)
                yield read_states(file, self.words, entry.rows, entry.digest)
                file.unlink()

    def _file(self, depth: int, part: int, sender: int, number: int) -> Path:
        return self.order.scratch / f"to={depth:04d}-{part:03d}" / f"{sender}-{number}.parquet"
