"""Many independent pieces of work on Spark: one task each, every result written down as soon as it is there.

    run=NAME/cell=ID.parquet    one row, written to a temporary name and renamed

What is done for a piece is named by where to import it from, and a piece is data: no code is shipped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offsetproof.pipeline.errors import CheckpointError, TasksFailedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOOK_EVERY = 0.3

Row = dict[str, Any]


def done(folder: Path) -> dict[str, Row]:
    """The rows that a run has written, by cell; CheckpointError for a file that cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows: dict[str, Row] = {}
    for file in sorted(folder.glob("cell=*.parquet")):
        try:
            rows.update((row["cell"], row) for row in pq.ParquetFile(file).read().to_pylist())
        except (OSError, KeyError, pa.ArrowException) as error:
            raise CheckpointError(
                f"{file} cannot be read: {error}; remove it, and --resume decides it again"
            ) from error
    return rows


def run(
    spark: SparkSession,
    work: str,
    pieces: Sequence[tuple[str, Any]],
    folder: Path,
    tell: Callable[[int], None],
) -> None:
    """Has `work` (as in "package.module:function") done for every piece, the first ones first.

    `tell` is told, now and then, how many rows there are. Raises TasksFailedError where Spark itself fails, and
    KeyboardInterrupt after having stopped what runs; what was written stays.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    folder.mkdir(parents=True, exist_ok=True)
    frame = spark.range(0, len(pieces), 1, max(1, len(pieces))).mapInArrow(
        partial(_work, work=work, pieces=tuple(pieces), folder=str(folder)), "cell string"
    )
    ended = threading.Event()
    telling = threading.Thread(target=_tell, args=(folder, tell, ended), daemon=True)
    telling.start()
    try:
        frame.collect()
    except KeyboardInterrupt:
        spark.sparkContext.cancelAllJobs()
        raise
    except (Py4JJavaError, PySparkException) as error:
        told = str(getattr(error, "java_exception", error)).splitlines()[0]
        raise TasksFailedError(f"Spark gave up: {told}; what is decided is in {folder}: go on with --resume") from error
    finally:
        ended.set()
        telling.join()


def _tell(folder: Path, tell: Callable[[int], None], ended: threading.Event) -> None:
    while not ended.wait(_LOOK_EVERY):
        tell(sum(1 for _ in folder.glob("cell=*.parquet")))


def _work(batches: Iterator[Any], work: str, pieces: tuple[tuple[str, Any], ...], folder: str) -> Iterator[Any]:
    """The body of a task: its piece, unless an earlier attempt has done it."""
    import pyarrow as pa

    module, _, name = work.partition(":")
    function: Callable[[Any], Row] = getattr(import_module(module), name)
    for batch in batches:
        for at in batch.column("id").to_pylist():
            key, piece = pieces[at]
            file = Path(folder) / f"cell={key}.parquet"
            if not file.exists():
                _write(file, function(piece))
            yield pa.RecordBatch.from_pydict({"cell": [key]})


def _write(file: Path, row: Row) -> None:
    """Puts a row in place at once."""
    import os

    import pyarrow as pa
    import pyarrow.parquet as pq

    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    pq.write_table(pa.Table.from_pylist([row], schema=_schema()), temporary)
    temporary.replace(file)


def _schema() -> Any:
    """The columns of a sweep's table."""
    import pyarrow as pa

    text, number, real, names = pa.string(), pa.int64(), pa.float64(), pa.list_(pa.string())
    kinds = {
        "cell": text, "property": text, "release": text, "scope": text, "fixes": names, "assumptions": names,
        "listener": text, "bounds": text, "verdict": text, "expected": text, "reason": text, "detail": text,
        "states": number, "transitions": number, "depth": number, "faults": number, "steps": number,
        "seconds": real, "wall": real, "digest": text, "died": pa.bool_(),
    }  # fmt: skip
    return pa.schema(list(kinds.items()))
