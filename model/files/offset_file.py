"""A file: what it holds, and whether its contents are on the disk."""

from __future__ import annotations

from offsetproof.lang import Array, Component, among, array, choose, every, flag, holds, offset, one_of, optional, part
from offsetproof.model.files.vocabulary import QUEUES, Contents


class Row(Component):
    """A queue's offset in a table, if the table has one."""

    offset: int | None = optional(offset())


class Table(Component):
    """A table of offsets: a row for each queue."""

    row: Array[Row] = array(QUEUES, Row)

    def take(self, other: Table) -> None:
        """Becomes the other table."""
        for row, source in zip(self.row, other.row, strict=True):
            row.offset = source.offset

    def is_like(self, other: Table) -> bool:
        """Are the rows the same?"""
        numbers = [(a.number_of(Row.offset), b.number_of(Row.offset)) for a, b in zip(self.row, other.row, strict=True)]
        return every(a == b for a, b in numbers)

    def is_empty(self) -> bool:
        """Has no queue a row?"""
        return every(holds(row, Row.offset, None) for row in self.row)

    def length(self) -> int:
        """How long it is as text: offsets have as many digits as each other, so rows alone count."""
        return sum(choose(holds(row, Row.offset, None), 0, 1) for row in self.row)


class OffsetFile(Component):
    """The main file, its backup, or the .tmp file, by their names.

    `table` is what a WHOLE one holds. `on_disk` is false while the operating system keeps its contents in memory, in
    scopes in which it does that for a while.
    """

    contents: Contents = one_of(Contents)
    table: Table = part(Table)
    on_disk: bool = flag(True)

    def become(self, contents: Contents) -> None:
        """Holds this, and no table."""
        self.table.reset()
        self.contents = contents

    def is_whole(self) -> bool:
        """Does it hold a whole table?"""
        return self.contents == Contents.WHOLE

    def is_blank(self) -> bool:
        """Is there no text: no file, or an empty one?"""
        return among(self.contents, Contents.MISSING, Contents.EMPTY)

    def take(self, other: OffsetFile) -> None:
        """Holds what the other file holds."""
        self.contents = other.contents
        self.on_disk = other.on_disk
        self.table.take(other.table)
