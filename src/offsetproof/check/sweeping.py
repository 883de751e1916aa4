"""Sweeps: all cells of a grid decided on Spark, long ones first, each result kept as soon as it is there."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offsetproof import __version__
from offsetproof.check.cells import Task, schema
from offsetproof.check.grid import Cell, Grid
from offsetproof.lang.model import Subject
from offsetproof.lang.reference import Reference
from offsetproof.pipeline import many
from offsetproof.pipeline.errors import CheckpointError
from offsetproof.pipeline.run_folder import alone_in, write_whole
from offsetproof.pipeline.session import session
from offsetproof.verdict.question import Limits

AGAIN = ("died", "error")
"""Reasons for which a cell that is there is asked again: its process failed."""

WORK = "offsetproof.check.cells:decided_apart"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Swept:
    """What became of a grid: a row per cell, in the grid's order, for as many as were decided."""

    grid: Grid
    rows: tuple[Row, ...]

    @property
    def missing(self) -> int:
        """How many cells have no row."""
        return len(self.grid.cells) - len(self.rows)


@dataclass(frozen=True)
class Counted:
    """What a running sweep reports. Its text is one line."""

    done: int
    cells: int

    def __str__(self) -> str:
        return f"{self.done:,} of {self.cells:,} cells"


def run_folder(out: Path, grid: Grid) -> Path:
    """Where a grid's rows are: a partition of the table `results`."""
    return out / "results" / f"run={grid.name}"


def swept(
    subject: Subject,
    named: str,
    grid: Grid,
    out: Path,
    *,
    master: str,
    resume: bool,
    told: Callable[[object], None],
    begun: Callable[[str | None], None],
) -> None:
    """Decides what is not decided yet, and what died once more, one at a time; `named` is how to load the subject.

    `told` hears how far it has come, `begun` where Spark's own pages are. KeyboardInterrupt stops it; rows stay.
    """
    folder = run_folder(out, grid)
    with alone_in(out), session(master, out / "session") as spark:
        make_ready(folder, fingerprint(subject, grid), resume=resume)
        begun(spark.sparkContext.uiWebUrl)

        def tell(done: int) -> None:
            told(Counted(done, len(grid.cells)))

        known = {id for id, row in many.done(folder).items() if row["reason"] not in AGAIN}
        left = _forgotten(folder, [cell for cell in grid.cells if cell.id not in known])
        if left:
            pieces = [Task(named, cell, grid.limits) for cell in _long_first(subject, left, _before(out, grid))]
            many.run(spark, WORK, schema(), [(piece.cell.id, piece) for piece in pieces], folder, tell)
        died = {id for id, row in many.done(folder).items() if row["died"]}
        for cell in _forgotten(folder, [cell for cell in grid.cells if cell.id in died]):
            many.run(spark, WORK, schema(), [(cell.id, Task(named, cell, grid.limits))], folder, tell)


def _forgotten(folder: Path, cells: list[Cell]) -> list[Cell]:
    """Cells to be decided, without the rows that they may have."""
    for cell in cells:
        (folder / f"cell={cell.id}.parquet").unlink(missing_ok=True)
    return cells


def fingerprint(subject: Subject, grid: Grid) -> str:
    """What rows depend on beside their cells: the model's and the claims' sources, the limits, this program."""
    own = {kind.__module__ for kind in subject.model.__mro__} | {p.function.__module__ for p in subject.properties}
    packages = tuple(f"{name.rpartition('.')[0]}." for name in own if "." in name)
    modules = own | {name for name in sys.modules if name.startswith(packages)}
    files = [getattr(sys.modules.get(name), "__file__", None) for name in sorted(modules)]
    found = hashlib.sha256(f"{__version__} {grid.limits}".encode())
    for file in files:
        if file is not None and file.endswith(".py"):
            found.update(Path(file).read_bytes())
    return found.hexdigest()


def make_ready(folder: Path, mark: str, *, resume: bool) -> None:
    """Makes a run's folder ready; CheckpointError where its rows are none to go on with."""
    marked = folder / "_made_of"
    if resume:
        was = marked.read_text(encoding="utf-8") if marked.exists() else None
        if was is None:
            raise CheckpointError(f"there is nothing in {folder} to go on with; leave --resume away")
        if was != mark:
            raise CheckpointError(
                f"the rows in {folder} were decided on another state of the model, or with other limits; "
                "leave --resume away, or use another --out-dir"
            )
    for file in [] if resume else folder.glob("cell=*.parquet"):
        file.unlink()
    write_whole(marked, mark.encode())


def rows_of(grid: Grid, out: Path) -> Swept:
    """What is there of a grid."""
    rows = many.done(run_folder(out, grid))
    return Swept(grid, tuple(rows[cell.id] for cell in grid.cells if cell.id in rows))


def _before(out: Path, grid: Grid) -> dict[str, float]:
    """How long cells took in other runs that are kept beside this one."""
    times: dict[str, float] = {}
    for folder in (out / "results").glob("run=*"):
        if folder != run_folder(out, grid):
            times.update({id: row["wall"] for id, row in many.done(folder).items()})
    return times


def _long_first(subject: Subject, cells: Sequence[Cell], before: Mapping[str, float]) -> list[Cell]:
    """Those of which it is known that they took long, then those with the most bits of state."""
    bits: dict[str, int] = {}

    def size(cell: Cell) -> tuple[float, int]:
        setting = cell.question(subject, Limits()).setting
        if repr(setting.key) not in bits:
            leaves = Reference(subject.model, setting).grown.tree.leaves
            bits[repr(setting.key)] = sum(leaf.variable.bits for leaf in leaves)
        return -before.get(cell.id, 0.0), -bits[repr(setting.key)]

    return sorted(cells, key=size)
