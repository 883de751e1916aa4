"""From silver to gold: the events of each group's topic are brought together, by time, and workers look at them.

Needs pyarrow, and `on_spark` pyspark. Memory of a worker is that of the events of one topic that are kept
(thinning.py), not of all; without Spark this process has those of all topics. Gold is made anew from all of silver:
what a new file says may change what is certain about an old one.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offsetproof.audit.event import Event
from offsetproof.audit.gold.clocks import events_in_order
from offsetproof.audit.gold.copies import without_copies
from offsetproof.audit.gold.finding import Finding
from offsetproof.audit.gold.finding_rules import SKEW, find_in_group, histories_of
from offsetproof.audit.gold.rules.files import file_findings, state_of
from offsetproof.audit.gold.silver_thinning import (
    OF_FILES,
    Plan,
    Survey,
    bundles_of,
    codes_of,
    plan_of,
    rows_of,
    survey,
    thin_bundle,
    where_differs,
)
from offsetproof.audit.gold.tables import TABLES, Row, finding_of_row, row_of_finding, rows_of_queue
from offsetproof.audit.gold.thinning import RESETS, rows_to_keep
from offsetproof.audit.silver.arrow_tables import events_of_rows, plain_schema_of
from offsetproof.audit.silver.columns import SILVER
from offsetproof.audit.worker_pool import NO_WORKERS, WorkerPool

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from offsetproof.engines.spark.driver import Driver

ORDER = ("group", "topic", "broker", "queue", "time_from", "file", "byte_offset")
"""How the events of a partition are sorted; what is empty comes first."""

_ROWS_AT_ONCE = 50_000


@dataclass(frozen=True)
class Beside:
    """What every worker has to know beside the events of its topics: `wide` events, and a row of each offset file."""

    wide: tuple[Event, ...] = ()
    snapshots: tuple[Event, ...] = ()
    skew: timedelta = SKEW

    @property
    def skew_micros(self) -> int:
        """The skew in microseconds."""
        return round(self.skew / timedelta(microseconds=1))


@dataclass(frozen=True)
class GoldRun:
    """What has been made: the findings by time, how many rows each table has, how many events the rules looked at."""

    folder: Path
    findings: tuple[Finding, ...]
    rows: dict[str, int]
    kept: int


@dataclass
class _Counts:
    kept: int = 0
    rows: Counter[str] = field(default_factory=Counter)


GoldRunner = Callable[[Path, Path, timedelta], Iterable[str]]
"""Makes the tables of a run's folder in another, and says what each part has made."""


def make_gold(folder: Path, run: GoldRunner, skew: timedelta = SKEW) -> GoldRun:
    """Makes the gold tables of a run's folder from its silver; `run` is `by_pool(workers)`, or `on_spark(driver)`.

    The tables appear whole: they are written beside and then moved.
    """
    building = folder / f".gold.{uuid.uuid4().hex}"
    try:
        parts = [json.loads(each) for each in run(folder, building, skew)]
        found = _distinct(each for part in parts for each in part["findings"])
        _write_findings(building, found)
        rows: Counter[str] = Counter({"findings": len(found)})
        for part in parts:
            rows.update(part["rows"])
        for unfinished in building.rglob(".part-*"):  # of a worker that was killed; another has done its part
            unfinished.unlink()
        shutil.rmtree(folder / "gold", ignore_errors=True)
        building.rename(folder / "gold")
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return GoldRun(folder, tuple(found), dict(rows), sum(part["kept"] for part in parts))


def _distinct(rows: Iterable[Row]) -> list[Finding]:
    """The findings by time; one about a whole group is made by each of its topics, and is kept once."""
    found: dict[tuple[Any, ...], Finding] = {}
    for row in rows:
        each = finding_of_row(row)
        key = (each.kind, each.group, each.topic, each.broker, each.queue, each.says)
        first = each.evidence[0]
        found.setdefault(key if each.topic is None else (*key, first.file, first.byte_offset), each)
    return sorted(found.values(), key=lambda each: (each.time_from, each.kind, str(each.group), str(each.topic)))


def _write_findings(building: Path, findings: Iterable[Finding]) -> None:
    writer = _Writer(building, 0)
    writer.add("findings", [row_of_finding(each) for each in findings])
    writer.close()


# Where the events come from.


def by_pool(pool: WorkerPool = NO_WORKERS) -> GoldRunner:
    """Has workers of this machine make it; without any, this process."""

    def run(folder: Path, building: Path, skew: timedelta) -> Iterator[str]:
        import pyarrow as pa

        bundles = bundles_of(folder)
        found = Survey()
        for each in pool.map(survey, bundles):
            found.add(each)
        beside = _beside(found, skew)
        yield _of_files(beside)
        thin = partial(thin_bundle, plan=plan_of(found, beside.skew_micros))
        if bundles:
            table = pa.concat_tables(pool.map(thin, bundles))
            parts = _parts(table, 2 * len(pool.workers) or 1)
            yield from pool.map(partial(_work_on_part, beside=beside, building=building), [*enumerate(parts)])

    return run


def _parts(table: pa.Table, count: int) -> Iterator[pa.Table]:
    """Sorted rows in about as many parts, none of which has a topic of another."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = {name: table[name].fill_null("" if pa.types.is_string(table[name].type) else -1) for name in ORDER}
    order = pc.sort_indices(pa.table(keys), [(name, "ascending") for name in ORDER])
    topics = table.select(["group", "topic"]).take(order)
    begins = where_differs([codes_of(topics[name]) for name in ("group", "topic")]).nonzero()[0]
    cuts = {int(begins[begins <= len(order) * part // count].max(initial=0)) for part in range(count)}
    for begin, end in pairwise([*sorted(cuts), len(order)]):
        yield table.take(order[begin:end])


def _work_on_part(part: tuple[int, pa.Table], beside: Beside, building: Path) -> str:
    number, table = part
    return _work(iter(table.to_batches(max_chunksize=_ROWS_AT_ONCE)), beside, building, number)


def on_spark(driver: Driver) -> GoldRunner:
    """Has Spark bring the events of a topic together; its executors must be able to read and write the folder."""

    def run(folder: Path, building: Path, skew: timedelta) -> Iterator[str]:
        bundles = bundles_of(folder)
        if not bundles:
            return
        found = Survey()
        surveyed = driver.ask(lambda spark: _frame(spark, bundles).mapInArrow(_survey, "survey binary").collect())
        for row in surveyed:
            found.add(pickle.loads(row["survey"]))
        beside = _beside(found, skew)
        yield _of_files(beside)
        thin = partial(_thin, plan=plan_of(found, beside.skew_micros))
        work = partial(_task, beside=beside, building=str(building))
        parts = 2 * driver.slots()
        rows = driver.ask(
            lambda spark: (
                _frame(spark, bundles)
                .mapInArrow(thin, _SPARK_ROWS)
                .repartition(parts, "group", "topic")
                .sortWithinPartitions(*ORDER)
                .mapInArrow(work, "counts string")
                .collect()
            )
        )
        yield from (row["counts"] for row in rows)

    return run


_SPARK_TYPES = {"dictionary": "string", "string": "string", "int64": "bigint", "int32": "int", "bool": "boolean"}
_SPARK_ROWS = ", ".join(f"`{each.name}` {_SPARK_TYPES[each.type]}" for each in SILVER)


def _frame(spark: SparkSession, bundles: Sequence[tuple[str, ...]]) -> DataFrame:
    """A row for each bundle, each a task of its own."""
    rows = [(json.dumps(each),) for each in bundles]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, len(rows)), "files string")


def _survey(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        for files in batch.column("files").to_pylist():
            found = pa.array([pickle.dumps(survey(json.loads(files)))], pa.binary())
            yield pa.RecordBatch.from_arrays([found], ["survey"])


def _thin(batches: Iterator[pa.RecordBatch], plan: Plan) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for files in batch.column("files").to_pylist():
            yield from thin_bundle(json.loads(files), plan).to_batches(max_chunksize=_ROWS_AT_ONCE)


def _beside(found: Survey, skew: timedelta) -> Beside:
    snapshots = {state_of(each): each for each in found.snapshots}
    return Beside(tuple(events_in_order(found.wide)), tuple(snapshots.values()), skew)


def _of_files(beside: Beside) -> str:
    """The findings about files, as a worker would tell them."""
    found = [row_of_finding(each) for each in file_findings(beside.wide)]
    return json.dumps({"findings": found, "rows": {}, "kept": 0})


# What a worker does.


def _task(batches: Iterator[pa.RecordBatch], beside: Beside, building: str) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyspark import TaskContext

    context = TaskContext.get()
    part = context.partitionId() if context is not None else 0
    yield pa.RecordBatch.from_pydict({"counts": [_work(batches, beside, Path(building), part)]})


def _work(batches: Iterator[pa.RecordBatch], beside: Beside, building: Path, part: int) -> str:
    """Looks at sorted events, topic by topic; the findings and how many rows were written, as JSON."""
    counts, writer = _Counts(), _Writer(building, part)
    findings: list[Row] = []
    try:
        for events in _topics(_kept_events(batches, beside, counts)):
            group = events[0].group
            mine = [each for each in beside.wide if each.group in (None, group) and each.kind not in OF_FILES]
            every = events_in_order(without_copies([*mine, *events]))
            histories = list(histories_of(every, beside.skew, beside.snapshots))
            findings += [row_of_finding(each) for each in find_in_group(histories)]
            for history in histories:
                for table, row in rows_of_queue(history):
                    writer.add(table, [row])
                    counts.rows[table] += 1
    finally:
        writer.close()
    return json.dumps({"findings": findings, "rows": counts.rows, "kept": counts.kept})


def _topics(events: Iterator[Event]) -> Iterator[list[Event]]:
    """The events of each topic of a group."""
    found: list[Event] = []
    for event in events:
        if found and (event.group, event.topic) != (found[0].group, found[0].topic):
            yield found
            found = []
        found.append(event)
    if found:
        yield found


def _kept_events(batches: Iterator[pa.RecordBatch], beside: Beside, counts: _Counts) -> Iterator[Event]:
    """The events that are kept, batch by batch."""
    import pyarrow as pa

    resets = [each.time_from for each in beside.wide if each.kind in RESETS]
    topic: tuple[str | None, str | None] | None = None
    of_topic: list[int] = []
    for batch in batches:
        times = [*resets, *of_topic, *_reset_times(batch)]
        table = pa.Table.from_batches([batch])
        queue = where_differs([codes_of(table[name]) for name in ("group", "topic", "broker", "queue")])
        file = where_differs([codes_of(table[name]) for name in ("file", "client")])
        mask = rows_to_keep(rows_of(table, queue, file), beside.skew_micros, times)
        events = list(events_of_rows(batch.filter(pa.array(mask))))
        counts.kept += len(events)
        for event in events:
            if (event.group, event.topic) != topic:
                topic, of_topic = (event.group, event.topic), []
            if event.kind in RESETS:
                of_topic.append(event.time_from)
        yield from events


def _reset_times(batch: pa.RecordBatch) -> list[int]:
    """When the resets are that a batch tells of."""
    import pyarrow as pa
    import pyarrow.compute as pc

    mine = pc.is_in(batch["kind"], pa.array([each.value for each in RESETS]))
    return [int(each) for each in batch["time_from"].filter(mine).to_pylist()]


class _Writer:
    """Writes the rows of tables, each table to a file of this part, which appears whole."""

    def __init__(self, building: Path, part: int) -> None:
        self._building, self._part = building, part
        self._rows: dict[str, list[Row]] = {}
        self._files: dict[str, tuple[Path, Any]] = {}

    def add(self, table: str, rows: list[Row]) -> None:
        """Keeps rows; writes where there are many."""
        kept_rows = self._rows.setdefault(table, [])
        kept_rows += rows
        if len(kept_rows) >= _ROWS_AT_ONCE:
            self._write(table)

    def close(self) -> None:
        """Writes what is left, and gives the files their names."""
        for table in list(self._rows):
            self._write(table)
        for file, writer in self._files.values():
            writer.close()
            file.replace(file.with_name(f"part-{self._part:05}.parquet"))

    def _write(self, table: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = plain_schema_of(TABLES[table])
        if table not in self._files:
            file = self._building / table / f".part-{self._part:05}.{os.getpid()}.{uuid.uuid4().hex}"
            file.parent.mkdir(parents=True, exist_ok=True)
            self._files[table] = (file, pq.ParquetWriter(file, schema))
        self._files[table][1].write_table(pa.Table.from_pylist(self._rows[table], schema=schema))
        self._rows[table] = []
