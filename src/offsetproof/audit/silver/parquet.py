"""Silver as Parquet: rows of a piece become a file, and files become events again. Needs pyarrow."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offsetproof.audit.event import EventKind
from offsetproof.audit.lines.rows import DETAILS, KINDS, WITH_EXCEPTION, Parsed, Reading
from offsetproof.audit.silver.arrow_tables import schema_of
from offsetproof.audit.silver.columns import SILVER, Column
from offsetproof.engines.whole_files import CheckpointError

if TYPE_CHECKING:
    import pyarrow as pa


def table_of(parsed: Parsed, reading: Reading) -> pa.Table:
    """The rows of a piece as a table."""
    import pyarrow as pa

    rows = parsed.rows
    if not rows:
        return schema_of(SILVER).empty_table()
    line, at, begins, ends, numbers, processes, fields = zip(*rows, strict=True)
    group, client, topic, broker, queue, offset, other, details = zip(*fields, strict=True)
    size = len(rows)
    detail = [_DETAILS[number] if found is None else found for found, number in zip(details, numbers, strict=True)]
    for index, exception in parsed.exceptions.items():
        if numbers[index] in WITH_EXCEPTION and details[index] is None:
            detail[index] = exception
    columns = [
        _constant(reading.file, size),
        pa.array(line, pa.int64()),
        pa.array(at, pa.int64()),
        pa.array(parsed.lengths, pa.int32()),
        pa.array(begins, pa.int64()),
        pa.array(ends, pa.int64()),
        pa.array([reading.zone_known], pa.bool_()).take(_zeros(size)),
        _constant(reading.host, size),
        _names(processes, reading.process),
        _kinds(numbers),
        _names(client),
        _names(group),
        _names(topic),
        _names(broker, reading.broker),
        _integers(queue, pa.int32()),
        _integers(offset, pa.int64()),
        _integers(other, pa.int64()),
        _names(detail),
    ]
    return pa.Table.from_arrays(columns, schema=schema_of(SILVER))


_DETAILS = [None if detail is None else detail.encode() for detail in DETAILS]


def _zeros(size: int) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    return pa.array(np.zeros(size, dtype=np.int32))


def _constant(value: str, size: int) -> pa.DictionaryArray:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(_zeros(size), pa.array([value], pa.string()))


_KIND_NAMES = [kind.value for kind in EventKind]
_KIND_AT = [_KIND_NAMES.index(kind.value) if kind else -1 for kind in KINDS]


def _kinds(numbers: Sequence[int]) -> pa.DictionaryArray:
    import pyarrow as pa

    indices = pa.array([_KIND_AT[number] for number in numbers], pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array(_KIND_NAMES, pa.string()))


def _names(values: Sequence[bytes | None], otherwise: str | None = None) -> pa.DictionaryArray:
    """Names, each different one decoded once; what is not UTF-8 is shown as such."""
    import pyarrow as pa

    found = pa.array(values, pa.binary())
    if otherwise is not None and found.null_count:
        found = found.fill_null(otherwise.encode())
    encoded = found.dictionary_encode()
    texts = [name.decode("utf-8", "replace") for name in encoded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(encoded.indices, pa.array(texts, pa.string()))


def _integers(values: Sequence[bytes | None], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, pa.binary()).cast(pa.string()).cast(kind)


def write_table(table: pa.Table, file: Path) -> None:
    """Writes a file whole or not at all: under a name of its own, which is then changed.

    CheckpointError where it cannot be written.
    """
    import pyarrow.parquet as pq

    temporary = file.with_name(f".{file.name}.{uuid.uuid4().hex}{TEMPORARY}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            pq.write_table(table, temporary, compression="snappy")
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CheckpointError(f"{file} cannot be written: {reason}; make room, and begin it again") from error


def write_rows(file: Path, columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> None:
    """Writes rows of a table."""
    import pyarrow as pa

    write_table(pa.Table.from_pylist(list(rows), schema=schema_of(columns)), file)


TEMPORARY = ".writing"
"""How names end under which files are written: what is left of a worker that was killed is removed by this."""


SILVER_AT, MALFORMED_AT = "silver", "bronze/malformed"
"""Where the files of these tables are, in a run's folder."""


def part_file(folder: Path, table: str, source: str, begin: int) -> Path:
    """Where the rows of a table are that come from a piece of a file."""
    return folder / table / f"source={source}" / f"part-{begin:015d}.parquet"


def part_files(folder: Path, table: str = SILVER_AT) -> list[Path]:
    """All files of a table, source by source, those of a source in the order of its bytes."""
    found = (folder / table).glob("source=*/part-*.parquet")
    return sorted(found, key=lambda file: (file.parent.name, int(file.stem.removeprefix("part-"))))
