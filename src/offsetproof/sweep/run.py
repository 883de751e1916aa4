"""Sweeps: all questions of a grid decided on Spark, long ones first, each result kept as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offsetproof.checking.request import question_of
from offsetproof.engines.spark.run_folder import alone_in
from offsetproof.engines.spark.session import session
from offsetproof.engines.whole_files import CheckpointError, DamagedError, write_whole
from offsetproof.lang.reference import Reference
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.reading.files import read_regular
from offsetproof.sweep import spark_jobs
from offsetproof.sweep.deciding import Task
from offsetproof.sweep.fingerprint import fingerprint
from offsetproof.sweep.grid import Grid
from offsetproof.sweep.rows import DIED, ERROR, nonsense_in, schema

AGAIN = (DIED, ERROR)
"""Reasons for which a question that is there is asked again: its process failed."""

MADE_OF = "_made_of"
"""The file that says what rows were decided on."""

WORK = "offsetproof.sweep.deciding:decided_apart"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Swept:
    """What became of a grid: a row per question, in the grid's order, for as many as were decided."""

    grid: Grid
    rows: tuple[Row, ...]

    @property
    def missing(self) -> int:
        """How many questions have no row."""
        return len(self.grid.questions) - len(self.rows)


@dataclass(frozen=True)
class Counted:
    """What a running sweep reports. Its text is one line."""

    done: int
    questions: int

    def __str__(self) -> str:
        return f"{self.done:,} of {self.questions:,} questions"


def run_folder(out: Path, grid: Grid) -> Path:
    """Where a grid's rows are: a partition of the table `results`."""
    return out / "results" / f"run={grid.name}"


def run_sweep(
    subject: Subject,
    named: str,
    grid: Grid,
    out: Path,
    *,
    master: str,
    resume: bool,
    imported: Iterable[str] = (),
    tell: Callable[[object], None],
    begun: Callable[[str | None], None],
) -> None:
    """Decides what is not decided yet, and what died once more, one at a time; `named` is how to load the subject.

    `imported` are the modules that loading it has brought (`fingerprint.Imports`). `tell` hears how far it has come,
    `begun` where Spark's own pages are. KeyboardInterrupt stops it; rows stay. DamagedError where a row is not what
    was written.
    """
    folder, mark = run_folder(out, grid), fingerprint(subject, grid.limits, imported)
    with alone_in(out):
        if resume:
            must_be_made_of(mark, folder)
            sound_rows(folder, mark)
        with session(master, out / "session") as driver:
            begun(driver.address)
            if not resume:
                begin(mark, folder)

            def count(done: int) -> None:
                tell(Counted(done, len(grid.questions)))

            def decide(questions: Sequence[ClaimInWorld]) -> None:
                _forget(folder, questions)
                pieces = [(question.id, Task(named, question, grid.limits, mark)) for question in questions]
                if pieces:
                    spark_jobs.run(driver, WORK, schema(), pieces, folder, mark, count)

            known = {id for id, row in sound_rows(folder, mark).items() if row["reason"] not in AGAIN}
            left = [question for question in grid.questions if question.id not in known]
            decide(_long_first(subject, left, _before(out, grid)))
            died = {id for id, row in sound_rows(folder, mark).items() if row["died"]}
            for question in grid.questions:
                if question.id in died:
                    decide([question])


def _forget(folder: Path, questions: Sequence[ClaimInWorld]) -> None:
    """Removes the rows that questions may have."""
    for question in questions:
        spark_jobs.row_file(folder, question.id).unlink(missing_ok=True)


def begin(mark: str, folder: Path) -> None:
    """Empties a run's folder, and says what its rows will be made of."""
    for file in spark_jobs.row_files(folder):
        file.unlink()
    write_whole(folder / MADE_OF, mark.encode())


def must_be_made_of(mark: str, folder: Path) -> None:
    """CheckpointError where the rows in a run's folder cannot be resumed."""
    if mark_of(folder) != mark:
        raise CheckpointError(
            f"the rows in {folder} were decided on another state of the model, or with other limits; "
            "drop --resume, or use another --out-dir"
        )


def mark_of(folder: Path) -> str:
    """What the rows in a run's folder are made of, as it says itself; CheckpointError where there are none."""
    marked = folder / MADE_OF
    try:
        return read_regular(marked).decode("ascii", "replace")
    except FileNotFoundError as error:
        raise CheckpointError(f"there is nothing in {folder} to resume; drop --resume") from error
    except OSError as error:
        raise DamagedError(f"{marked} cannot be read: {error}; drop --resume") from error


def sound_rows(folder: Path, mark: str) -> dict[str, spark_jobs.Row]:
    """The rows of a run, by question; DamagedError for one that is not what was written, or makes no sense."""
    rows = spark_jobs.finished_rows(folder, schema(), mark)
    for id, row in rows.items():
        wrong = nonsense_in(row)
        if wrong is not None:
            spark_jobs.refuse(spark_jobs.row_file(folder, id), wrong)
    return rows


def rows_of(grid: Grid, out: Path) -> Swept:
    """What is there of a grid."""
    folder = run_folder(out, grid)
    rows = sound_rows(folder, mark_of(folder)) if spark_jobs.row_files(folder) else {}
    return Swept(grid, tuple(rows[question.id] for question in grid.questions if question.id in rows))


def _before(out: Path, grid: Grid) -> dict[str, float]:
    """How long questions took in other runs that are kept beside this one."""
    times: dict[str, float] = {}
    for folder in (out / "results").glob("run=*"):
        if folder != run_folder(out, grid):
            with suppress(CheckpointError):  # another run's rows: they say what goes first, and no more
                times.update({id: row["wall"] for id, row in sound_rows(folder, mark_of(folder)).items()})
    return times


def _long_first(subject: Subject, questions: Sequence[ClaimInWorld], before: Mapping[str, float]) -> list[ClaimInWorld]:
    """Those of which it is known that they took long, then those with the most bits of state."""
    bits: dict[str, int] = {}

    def size(question: ClaimInWorld) -> tuple[float, int]:
        setting = question_of(subject, question).setting
        if repr(setting.key) not in bits:
            leaves = Reference(subject.model, setting).grown.tree.leaves
            bits[repr(setting.key)] = sum(leaf.variable.bits for leaf in leaves)
        return -before.get(question.id, 0.0), -bits[repr(setting.key)]

    return sorted(questions, key=size)
