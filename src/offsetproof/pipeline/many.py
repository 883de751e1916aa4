"""Many independent pieces of work on Spark: one task each, every result written down as soon as it is there.

    run=NAME/cell=ID.parquet    one row, written to a temporary name and renamed

What is done for a piece is named by where to import it from, and a piece is data: no code is shipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offsetproof.pipeline.driver import Driver
from offsetproof.pipeline.errors import CheckpointError, TasksFailedError
from offsetproof.pipeline.whole import whole

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]


def row_file(folder: Path, key: str) -> Path:
    """Where the row of a piece is."""
    return folder / f"cell={key}.parquet"


def row_files(folder: Path) -> list[Path]:
    """Where the rows are that a run has written."""
    return sorted(folder.glob("cell=*.parquet"))


def done(folder: Path) -> dict[str, Row]:
    """The rows that a run has written, by cell; CheckpointError for a file that cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows: dict[str, Row] = {}
    for file in row_files(folder):
        try:
            rows.update((row["cell"], row) for row in pq.ParquetFile(file).read().to_pylist())
        except (OSError, KeyError, pa.ArrowException) as error:
            raise CheckpointError(
                f"{file} cannot be read: {error}; remove it, and --resume decides it again"
            ) from error
    return rows


def run(
    driver: Driver,
    work: str,
    schema: pa.Schema,
    pieces: Sequence[tuple[str, Any]],
    folder: Path,
    tell: Callable[[int], None],
) -> None:
    """Has `work` (as in "package.module:function") done for every piece, of which there are some, the first ones first.

    It gives rows of the schema; one of the columns is `cell`, the piece's name. `tell` is told, now and then, how many
    rows there are. Raises TasksFailedError where Spark itself fails, CheckpointError where a row cannot be written, and
    KeyboardInterrupt after having stopped what runs; what was written stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    body = partial(_work, work=work, schema=schema, pieces=tuple(pieces), folder=str(folder))
    try:
        driver.collect(
            lambda spark: spark.range(0, len(pieces), 1, len(pieces)).mapInArrow(body, "cell string"),
            lambda: tell(len(row_files(folder))),
        )
    except TasksFailedError as error:
        raise TasksFailedError(
            f"Spark gave up: {error}; what is decided is in {folder}: go on with --resume"
        ) from error


def _work(
    batches: Iterator[pa.RecordBatch], work: str, schema: pa.Schema, pieces: tuple[tuple[str, Any], ...], folder: str
) -> Iterator[pa.RecordBatch]:
    """The body of a task: its piece, unless an earlier attempt has done it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    module, _, name = work.partition(":")
    function: Callable[[Any], Row] = getattr(import_module(module), name)
    for batch in batches:
        for at in batch.column("id").to_pylist():
            key, piece = pieces[at]
            file = row_file(Path(folder), key)
            if not file.exists():
                row = pa.Table.from_pylist([function(piece)], schema=schema)
                with whole(file) as temporary:
                    pq.write_table(row, temporary)
            yield pa.RecordBatch.from_pydict({"cell": [key]})
