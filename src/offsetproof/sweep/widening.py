"""Wider worlds on Spark, a task for each, and the table of what was found, whoever found it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offsetproof.checking.request import question_of
from offsetproof.checking.side_by_side import Lost
from offsetproof.checking.widening import Found, WiderWorld, WorldOutcome, found_in_one, found_of_lost, wider_world
from offsetproof.engines.spark.run_folder import alone_in
from offsetproof.engines.spark.session import session
from offsetproof.engines.whole_files import whole
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.sweep import spark_jobs
from offsetproof.sweep.deciding import NOT_ENDED, Task, last_word, subject_of, writable
from offsetproof.sweep.fingerprint import fingerprint
from offsetproof.sweep.run import begin
from offsetproof.verdict.result import Reason
from offsetproof.workers import Answered, Failed

if TYPE_CHECKING:
    import pyarrow as pa

WORK = "offsetproof.sweep.widening:found_apart"

Worlds = Sequence[tuple[WiderWorld, Found]]


@dataclass(frozen=True)
class WorldTask(Task):
    """A case in its own world, and what is raised there."""

    raised: tuple[str, ...]


def found_apart(task: WorldTask) -> spark_jobs.Row:
    """The row of one world; a process that dies or does not end leaves it undecided, with the reason."""
    message = last_word(lambda: _find(task), task.limits)
    if isinstance(message, Answered):
        found = message.what
    elif isinstance(message, Failed):
        found = Found(WorldOutcome.OPEN, Reason.DIED, writable(message.why))
    else:
        why = NOT_ENDED if message is None else f"its process ended with {getattr(message, 'how', '')}"
        found = found_of_lost(Lost(Reason.TIME if message is None else Reason.DIED, why, 0.0))
    return {"cell": _key(task.question, task.raised), **_plain(found)}


def _find(task: WorldTask) -> Found:
    with subject_of(task) as subject:
        return found_in_one(wider_world(question_of(subject, task.question, task.limits), task.raised))


def found_on_spark(
    subject: Subject,
    named: str,
    worlds: Sequence[WiderWorld],
    out: Path,
    *,
    master: str,
    imported: Iterable[str] = (),
    tell: Callable[[int], None],
) -> list[Found]:
    """What is found in each world, in their order; `named` is how to load the subject, which imported these modules.

    Each row is in `out` as soon as it is there. KeyboardInterrupt stops it.
    """
    if not worlds:
        return []
    limits = worlds[0].question.limits
    run = "alone" if len(worlds[0].raised) == 1 else "pairs"
    folder, mark = out / "results" / f"run={run}", fingerprint(subject, limits, imported)
    asked = [(ClaimInWorld.of(each.question.prop.id, each.question.setting), each.raised) for each in worlds]
    pieces = [(_key(*each), WorldTask(named, each[0], limits, mark, each[1])) for each in asked]
    with alone_in(out), session(master, out / "session") as driver:
        begin(mark, folder)
        spark_jobs.run(driver, WORK, schema(), pieces, folder, mark, tell)
        rows = spark_jobs.finished_rows(folder, schema(), mark)
    return [_read_found(rows[key]) for key, _ in pieces]


def _key(question: ClaimInWorld, raised: Sequence[str]) -> str:
    return "-".join((question.id, *raised))


def schema() -> pa.Schema:
    """The columns of a row: which world, and the fields of what was found there."""
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    kinds = {"outcome": text, "reason": text, "detail": text, "faults": number, "steps": number, "states": number}
    return pa.schema([("cell", text), *kinds.items(), ("digest", text), ("reduced", pa.bool_())])


def _plain(found: Found) -> dict[str, Any]:
    reason = None if found.reason is None else str(found.reason)
    return {**asdict(found), "outcome": str(found.outcome), "reason": reason}


def _read_found(row: spark_jobs.Row) -> Found:
    said = {name: value for name, value in row.items() if name != "cell"}
    reason = None if said["reason"] is None else Reason(said["reason"])
    return Found(**{**said, "outcome": WorldOutcome(said["outcome"]), "reason": reason})


def write_table(worlds: Worlds, file: Path) -> None:
    """A Parquet table with a row for each world; OSError where it cannot be written."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, own = pa.string(), [each for each in schema() if each.name != "cell"]
    names = [(name, text) for name in ("property", "release", "scope", "raised")]
    rows = []
    for world, found in worlds:
        setting = world.question.setting
        place = {"property": world.question.prop.id, "release": setting.release, "scope": setting.scope.name}
        rows.append({**place, "raised": json.dumps({k: int(v) for k, v in world.values.items()}), **_plain(found)})
    with whole(file) as out:
        pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema([*names, *own])), out)
