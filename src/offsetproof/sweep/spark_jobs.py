"""Many independent pieces of work on Spark: one task each, every result written down as soon as it is there.

    run=NAME/cell=ID.parquet    one row, written to a temporary name and renamed

What is done for a piece is named by where to import it from, and a piece is data: no code is shipped. A row has a
checksum of all that it says and of what it was made of (`mark`); one whose checksum does not match is not believed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from offsetproof.engines.spark.driver import Driver
from offsetproof.engines.whole_files import DamagedError, whole
from offsetproof.programs import ProgramFailedError
from offsetproof.reading.files import read_regular

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]

CHECKSUM = "checksum"
"""The column that is added to those of the work."""


def row_file(folder: Path, key: str) -> Path:
    """Where the row of a piece is."""
    return folder / f"cell={key}.parquet"


def row_files(folder: Path) -> list[Path]:
    """Where the rows are that a run has written."""
    return sorted(folder.glob("cell=*.parquet"))


def finished_rows(folder: Path, schema: pa.Schema, mark: str) -> dict[str, Row]:
    """The rows that a run has written, by cell; DamagedError for a file that is not the one that was written."""
    return {row["cell"]: row for row in (_read(file, schema, mark) for file in row_files(folder))}


def refuse(file: Path, wrong: str) -> NoReturn:
    """Complains about the file of a row."""
    raise DamagedError(f"{file} {wrong}; remove it, and --resume decides it again")


def _read(file: Path, schema: pa.Schema, mark: str) -> Row:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(pa.BufferReader(read_regular(file))).read()
        if not table.schema.equals(_with_checksum(schema)) or table.num_rows != 1:
            refuse(file, f"has {table.num_rows} rows of {len(table.schema)} columns, and not one of those of a sweep")
        (row,) = table.to_pylist()
    except (OSError, ValueError, LookupError, OverflowError, MemoryError, pa.ArrowException) as error:
        refuse(file, f"cannot be read: {str(error).partition(chr(10))[0]}")
    if row.pop(CHECKSUM) != _checksum(row, mark):
        refuse(file, "is not what was written: its checksum does not match")
    if file != row_file(file.parent, row["cell"]):
        refuse(file, f"has the row of question {row['cell']}")
    return dict(row)


def _write(file: Path, row: Row, schema: pa.Schema, mark: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (plain,) = pa.Table.from_pylist([row], schema=schema).to_pylist()
    table = pa.Table.from_pylist([{**plain, CHECKSUM: _checksum(plain, mark)}], schema=_with_checksum(schema))
    with whole(file) as out:
        pq.write_table(table, out)


def _with_checksum(schema: pa.Schema) -> pa.Schema:
    import pyarrow as pa

    return schema.append(pa.field(CHECKSUM, pa.string()))


def _checksum(row: Row, mark: str) -> str:
    """What tells this row, made of this, from all others."""
    return hashlib.sha256(json.dumps([mark, row], sort_keys=True).encode()).hexdigest()


def run(
    driver: Driver,
    work: str,
    schema: pa.Schema,
    pieces: Sequence[tuple[str, Any]],
    folder: Path,
    mark: str,
    tell: Callable[[int], None],
) -> None:
    """Has `work` (as in "package.module:function") done for every piece, of which there are some, the first ones first.

    It gives rows of the schema; one of the columns is `cell`, the piece's name. `mark` says what they are made of, and
    `tell` is told, now and then, how many rows there are. Raises ProgramFailedError where Spark itself fails,
    CheckpointError where a row cannot be written, and KeyboardInterrupt after having stopped what runs; what was
    written stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    body = partial(_work, work=work, schema=schema, pieces=tuple(pieces), folder=str(folder), mark=mark)
    try:
        driver.collect(
            lambda spark: spark.range(0, len(pieces), 1, len(pieces)).mapInArrow(body, "cell string"),
            lambda: tell(len(row_files(folder))),
        )
    except ProgramFailedError as error:
        raise ProgramFailedError(f"Spark gave up: {error}; what is decided is in {folder}: use --resume") from error


def _work(
    batches: Iterator[pa.RecordBatch],
    work: str,
    schema: pa.Schema,
    pieces: tuple[tuple[str, Any], ...],
    folder: str,
    mark: str,
) -> Iterator[pa.RecordBatch]:
    """The body of a task: its piece, unless an earlier attempt has done it."""
    import pyarrow as pa

    module, _, name = work.partition(":")
    function: Callable[[Any], Row] = getattr(import_module(module), name)
    for batch in batches:
        for number in batch.column("id").to_pylist():
            key, piece = pieces[number]
            file = row_file(Path(folder), key)
            if not file.exists():
                _write(file, function(piece), schema, mark)
            yield pa.RecordBatch.from_pydict({"cell": [key]})
