"""A broker of the pair: its offset table, its offset file, the version of both; and a copy on its way to the slave."""

from __future__ import annotations

from offsetproof.lang import Array, Component, array, every, flag, integer, one_of, part, some
from offsetproof.model.files.offset_file import Row
from offsetproof.model.files.vocabulary import QUEUES
from offsetproof.model.replicas.rows import are_alike, are_empty, forget_rows, take_rows
from offsetproof.model.replicas.variants import COPIED_ROW_BY_ROW
from offsetproof.model.replicas.vocabulary import Phase


class Version(Component):
    """DataVersion: its counter, and `stamp` for its timestamp, as the number of changes at either broker by then.

    Left out: the state machine's version, which is 0 without a controller.
    """

    counter: int = integer(0, "version_steps")
    stamp: int = integer(0, "version_steps")

    def take(self, other: Version) -> None:
        """Becomes the other version."""
        self.counter = other.counter
        self.stamp = other.stamp

    def is_at_most(self, other: Version) -> bool:
        """Does DataVersion.compare give 0 or less?"""
        same = every([self.counter == other.counter, self.stamp <= other.stamp])
        return some([self.counter < other.counter, same])


class Replica(Component):
    """ConsumerOffsetManager of one broker, with its file.

    `knows_topic`: the topic is in its topics.json. Left out: the backup of the file (model `offset-files`).
    """

    phase: Phase = one_of(Phase, Phase.UP)
    table: Array[Row] = array(QUEUES, Row)
    file: Array[Row] = array(QUEUES, Row)
    version: Version = part(Version)
    file_version: Version = part(Version)
    knows_topic: bool = flag(True)

    def is_running(self) -> bool:
        """Does it answer requests?"""
        return self.phase != Phase.DOWN

    def is_registered(self) -> bool:
        """Has the name server its address?"""
        return self.phase == Phase.UP

    def answer(self, q: int) -> int | None:
        """ConsumerOffsetManager.queryOffset."""
        return self.table[q].offset

    def answer_number(self, q: int) -> int:
        """The same as a number, 0 for none and else counted from 1. (Nothing splits.)"""
        return self.table[q].number_of(Row.offset)

    def put_offset(self, q: int, value: int) -> None:
        """ConsumerOffsetManager.commitOffset."""
        self.table[q].offset = value

    def put_all(self, other: Array[Row]) -> None:
        """Takes another table's rows, as putAll of topic@group does: all queues, or none where it has no row."""
        if self.setting.behaves(COPIED_ROW_BY_ROW):
            for row, source in zip(self.table, other, strict=True):
                row.offset = row.offset if source.offset is None else source.offset
        elif not are_empty(other):
            take_rows(self.table, other)

    def persist(self) -> None:
        """ConfigManager.persist."""
        take_rows(self.file, self.table)
        self.file_version.take(self.version)

    def stop(self) -> None:
        """Its process ends, and with it what was only in memory."""
        self.phase = Phase.DOWN
        forget_rows(self.table)
        self.version.reset()

    def load(self) -> None:
        """ConfigManager.load."""
        take_rows(self.table, self.file)
        self.version.take(self.file_version)

    def is_flushed(self) -> bool:
        """Would a flush change nothing?"""
        same = every([self.version.counter == self.file_version.counter, self.version.stamp == self.file_version.stamp])
        return every([are_alike(self.table, self.file), same])


class Copy(Component):
    """The master's answer to GET_ALL_CONSUMER_OFFSET on its way to the slave."""

    on_its_way: bool = flag()
    copied: Array[Row] = array(QUEUES, Row)
    version: Version = part(Version)
