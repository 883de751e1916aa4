"""Silver made by Spark: each piece by any executor, which writes the file itself. Needs pyspark."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from offsetproof.audit.silver.piece_work import PieceCounts, Runner, Task, read_piece
from offsetproof.audit.silver.pieces import PIECE_BYTES

if TYPE_CHECKING:
    import pyarrow as pa

    from offsetproof.engines.spark.driver import Driver


@contextmanager
def audit_session(master: str, folder: Path) -> Iterator[Driver]:
    """A Spark session for an audit: 2 GB for the driver, and what an executor or its Python loses is done again.

    `folder` gets Spark's log and scratch files. Raises PrerequisiteError where Spark cannot run here.
    """
    from offsetproof.engines.spark.session import session  # executors need nothing of it

    again = re.fullmatch(r"local\[(\d+|\*)\]", master)
    settings = {
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": "",
        "spark.sql.codegen.wholeStage": "true",
        "spark.task.maxFailures": str(ATTEMPTS),
        "spark.stage.maxConsecutiveAttempts": str(ATTEMPTS),
    }
    with session(f"local[{again[1]},{ATTEMPTS}]" if again else master, folder, settings) as driver:
        yield driver


ATTEMPTS = 8
"""How often a task is tried that loses its process, and a stage whose executor loses what the one before it made."""

_BUNDLE_TASKS = 64


def on_spark(driver: Driver, look: Callable[[], None] = lambda: None) -> Runner:
    """Has tasks done by Spark, each by any executor that can read the files and write the folder.

    `look` is called every now and then. ProgramFailedError where Spark gives up.
    """

    def run(tasks: Sequence[Task]) -> Iterator[PieceCounts]:
        rows = [(json.dumps([asdict(task) for task in bundle]),) for bundle in _bundles(tasks)]
        found = driver.collect(
            lambda spark: (
                spark.createDataFrame(rows, "tasks string")
                .repartition(len(rows))
                .mapInArrow(_read_pieces, "counts string")
            ),
            look,
        )
        return (PieceCounts(**json.loads(row["counts"])) for row in found)

    return run


def _bundles(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Small pieces together: a task of Spark costs as much as some thousand lines."""
    bundle: list[Task] = []
    size = 0
    for task in tasks:
        bundle.append(task)
        size += task.piece["end"] - task.piece["begin"]
        if size >= PIECE_BYTES // 2 or len(bundle) == _BUNDLE_TASKS:
            yield bundle
            bundle, size = [], 0
    if bundle:
        yield bundle


def _read_pieces(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        for text in batch.column("tasks").to_pylist():
            counts = [json.dumps(asdict(read_piece(Task(**task)))) for task in json.loads(text)]
            yield pa.RecordBatch.from_pydict({"counts": counts})
