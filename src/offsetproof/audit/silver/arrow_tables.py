"""The audit's tables as Arrow has them: the schemas of columns, and rows of silver as events. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import starmap
from typing import TYPE_CHECKING

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.silver.columns import Column

if TYPE_CHECKING:
    import pyarrow as pa

EVENT_COLUMNS = tuple(Event.__dataclass_fields__)
"""The columns of silver, which are the fields of an event."""

_KINDS = {kind.value: kind for kind in EventKind}


def schema_of(columns: Sequence[Column]) -> pa.Schema:
    """The Arrow schema of a table."""
    import pyarrow as pa

    types: dict[str, pa.DataType] = {
        "dictionary": pa.dictionary(pa.int32(), pa.string()),
        "string": pa.string(),
        "int64": pa.int64(),
        "int32": pa.int32(),
        "bool": pa.bool_(),
    }
    return pa.schema([pa.field(each.name, types[each.type], nullable=each.may_be_empty) for each in columns])


def plain_schema_of(columns: Sequence[Column]) -> pa.Schema:
    """The same for rows on their way: texts are no dictionaries, and everything may be empty."""
    return schema_of(
        [replace(each, type=each.type.replace("dictionary", "string"), may_be_empty=True) for each in columns]
    )


def events_of_rows(table: pa.Table | pa.RecordBatch) -> Iterator[Event]:
    """Rows of silver as events."""
    columns = [plain_text(table[name]).to_pylist() for name in EVENT_COLUMNS]
    at = EVENT_COLUMNS.index("kind")
    columns[at] = [_KINDS[each] for each in columns[at]]
    return starmap(Event, zip(*columns, strict=True))


def plain_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as it is, but texts without a dictionary."""
    import pyarrow as pa

    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
