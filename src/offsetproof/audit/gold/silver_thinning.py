"""Silver thinned where it lies: which rows of a file can matter, in two passes over its pieces. Needs pyarrow.

The first pass says when a file has lines of each queue, the second leaves out the commits that change nothing away from
the lines of other files. So only a few rows in a hundred have to be brought together with those of other files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.rules.files import state_of
from offsetproof.audit.gold.thinning import LONGEST_STAMP, RESETS, Flags, Numbers, Rows, rows_to_keep
from offsetproof.audit.silver.arrow_tables import EVENT_COLUMNS, events_of_rows, plain_schema_of, plain_text
from offsetproof.audit.silver.columns import SILVER
from offsetproof.audit.silver.parquet import part_files

if TYPE_CHECKING:
    import pyarrow as pa

BUNDLE = 16
"""So many pieces of files, of up to 8 MB each, are one task at most."""

FEWEST_TASKS = 16
"""So many tasks there are at least, where there are as many pieces."""

_PAUSE = 30_000_000
"""A file without lines of a queue for so long has two stretches of them."""

_MOST_STRETCHES = 200_000
"""With more of them nothing is thinned here: there is no run of lines that is worth it."""

QueueKey = tuple[str | None, str | None, str | None, int]
Stretch = tuple[QueueKey, str, int, int]
"""A queue, a file, and the time of its first and of its last line without a pause between."""

Windows = dict[tuple[QueueKey, str], list[tuple[int, int]]]
"""For a queue and a file: when other files have lines of the queue."""

UNUSED = frozenset(
    {
        EventKind.CELL_REMOVED,
        EventKind.OFFSET_QUERIED,
        EventKind.RESULT_DISCARDED,
        EventKind.MEMBERS_CHANGED,
        EventKind.MEMBERS_UNKNOWN,
        EventKind.QUEUE_NOT_ADDED,
        EventKind.LOCK_REFUSED,
        EventKind.SEND_BACK_FAILED,
        EventKind.SUSPENDED,
        EventKind.RESUMED,
        EventKind.FILE_LOADED,
        EventKind.SLAVE_SYNCED,
        EventKind.PULL_MOVED,
    }
)
"""Kinds that no rule asks for."""

OF_FILES = frozenset({EventKind.FILE_FELL_BACK, EventKind.PULL_BEYOND_END})

_WIDE = OF_FILES | {
    *RESETS,
    EventKind.CONSUMER_STARTED,
    EventKind.CONSUMER_STOPPED,
    EventKind.MEMBER_SEEN,
    EventKind.GROUP_CLEANED,
    EventKind.TOPIC_CLEANED,
}
"""Kinds that concern more than one topic where they name none."""


@dataclass
class Survey:
    """What the first pass says: stretches, events that name no topic, a row of each offset file, times of resets."""

    stretches: list[Stretch] = field(default_factory=list)
    wide: list[Event] = field(default_factory=list)
    snapshots: list[Event] = field(default_factory=list)
    resets: list[int] = field(default_factory=list)

    def add(self, other: Survey) -> None:
        """Takes over what another part of silver says."""
        self.stretches += other.stretches
        self.wide += other.wide
        self.snapshots += other.snapshots
        self.resets += other.resets


@dataclass(frozen=True)
class Plan:
    """What the second pass has to know; without `windows` it keeps every row."""

    windows: Mapping[tuple[QueueKey, str], Sequence[tuple[int, int]]] | None
    resets: tuple[int, ...]
    skew: int


def bundles_of(folder: Path) -> list[tuple[str, ...]]:
    """The files of silver in bundles, source by source in the order of its bytes: one task for each."""
    parts = [*map(str, part_files(folder))]
    size = min(BUNDLE, -(-len(parts) // FEWEST_TASKS))
    return [tuple(parts[at : at + size]) for at in range(0, len(parts), size)] if parts else []


def read_bundle(files: Sequence[str]) -> pa.Table:
    """The rows of a bundle, but those that no rule asks for; strings are dictionaries."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    tables = [pq.ParquetFile(each).read() for each in files]
    table = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries().combine_chunks()
    unused = pa.array([each.value for each in UNUSED])
    return table.filter(pc.invert(pc.is_in(plain_text(table["kind"]), unused))).combine_chunks()


def survey(files: Sequence[str]) -> Survey:
    """The first pass over a bundle."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = read_bundle(files)
    kind = plain_text(table["kind"])

    def of(kinds: Iterable[EventKind]) -> Any:
        return pc.is_in(kind, pa.array([each.value for each in kinds]))

    nameless = pc.or_(pc.is_null(table["topic"]), pc.is_null(table["group"]))
    wide = pc.or_(of(OF_FILES), pc.and_(of(_WIDE), nameless))
    rows = pc.and_(of((EventKind.OFFSET_STORED, EventKind.OFFSET_LOCAL)), pc.is_null(table["other_offset"]))
    snapshots = {state_of(event): event for event in events_of_rows(table.filter(rows))}
    return Survey(
        list(_stretches(table)),
        list(events_of_rows(table.filter(wide))),
        list(snapshots.values()),
        [int(each) for each in table["time_from"].filter(of(RESETS)).to_pylist()],
    )


def _stretches(table: pa.Table) -> Iterator[Stretch]:
    own = table.filter(_is_of_queue(table))
    if not own.num_rows:
        return
    order, begins = _by_queue(own)
    time = own["time_from"].to_numpy()[order]
    ends_at = own["time_to"].to_numpy()[order]
    begins[1:] |= np.abs(np.diff(time)) > _PAUSE
    firsts = np.nonzero(begins)[0]
    first_times = np.minimum.reduceat(time, firsts)
    last_times = np.maximum.reduceat(ends_at, firsts)
    names = own.take(order[firsts]).select(["group", "topic", "broker", "queue", "file"]).to_pylist()
    for row, first, last in zip(names, first_times.tolist(), last_times.tolist(), strict=True):
        yield (row["group"], row["topic"], row["broker"], row["queue"]), row["file"], first, last


def plan_of(found: Survey, skew: int) -> Plan:
    """What the second pass has to know of all that the first one said."""
    resets = tuple(sorted({*found.resets, *(each.time_from for each in found.wide if each.kind in RESETS)}))
    if len(found.stretches) > _MOST_STRETCHES:
        return Plan(None, resets, skew)
    brokers: dict[tuple[str | None, str | None, int], set[QueueKey]] = {}
    for (group, topic, broker, queue), *_ in found.stretches:
        brokers.setdefault((group, topic, queue), set()).add((group, topic, broker, queue))
    by_queue: dict[QueueKey, list[tuple[str, int, int]]] = {}
    for key, file, first, last in found.stretches:
        nameless = key[2] is None
        for each in brokers[key[0], key[1], key[3]] if nameless else (key,):
            by_queue.setdefault(each, []).append((file, first, last))
    return Plan(_windows(by_queue, 2 * skew + 2 * LONGEST_STAMP), resets, skew)


def _windows(by_queue: dict[QueueKey, list[tuple[str, int, int]]], margin: int) -> Windows:
    """The other files' stretches, as each file has to see them: only those that touch its own."""
    found: Windows = {}
    for key, stretches in by_queue.items():
        active: list[tuple[str, int, int]] = []
        for file, first, last in sorted(stretches, key=lambda each: each[1]):
            active = [each for each in active if each[2] + margin >= first]
            for other, begin, end in active:
                if other != file:
                    found.setdefault((key, file), []).append((begin - margin, end + margin))
                    found.setdefault((key, other), []).append((first - margin, last + margin))
            active.append((file, first, last))
    return found


def thin_bundle(files: Sequence[str], plan: Plan) -> pa.Table:
    """The second pass: the rows of a bundle that are kept; strings are plain."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = read_bundle(files)
    own = np.nonzero(_is_of_queue(table).to_numpy())[0]
    if plan.windows is not None and len(own):
        mask = np.ones(table.num_rows, dtype=np.bool_)
        queues = table.take(own)
        order, begins = _by_queue(queues)
        mask[own[order]] = _rows_to_keep(queues.take(order), begins, plan)
        table = table.filter(pa.array(mask))
    table = table.filter(pc.and_(pc.is_valid(table["group"]), pc.is_valid(table["topic"])))
    return table.select(EVENT_COLUMNS).cast(plain_schema_of(SILVER))


def rows_of(table: pa.Table, queue_begins: Flags, file_begins: Flags) -> Rows:
    """Rows of silver as `rows_to_keep` looks at them."""
    import pyarrow.compute as pc

    is_commit = pc.equal(plain_text(table["kind"]), EventKind.COMMIT_SENT.value)
    return Rows(
        queue_begins=queue_begins,
        file_begins=file_begins,
        is_commit=pc.and_(is_commit, pc.is_valid(table["offset"])).to_numpy(),
        place=table["byte_offset"].to_numpy(),
        offset=table["offset"].fill_null(0).to_numpy(),
        time_from=table["time_from"].to_numpy(),
        time_to=table["time_to"].to_numpy(),
    )


def _rows_to_keep(table: pa.Table, begins: Flags, plan: Plan) -> Flags:
    rows = rows_of(table, begins, begins | where_differs([codes_of(table["client"])]))
    found = rows_to_keep(rows, plan.skew, plan.resets)
    firsts = np.nonzero(begins)[0]
    names = table.take(firsts).select(["group", "topic", "broker", "queue", "file"]).to_pylist()
    for row, first, last in zip(names, firsts, np.append(firsts[1:], len(found)), strict=True):
        key = (row["group"], row["topic"], row["broker"], row["queue"]), row["file"]
        for begin, end in (plan.windows or {}).get(key, ()):
            time = rows.time_from[first:last]
            found[first:last] |= (time >= begin) & (time <= end)
    return found


def _by_queue(table: pa.Table) -> tuple[Numbers, Flags]:
    """The rows queue by queue, each in the order of its lines; and where the queue or the file is another one."""
    codes = [codes_of(table[name]) for name in ("file", "group", "topic", "broker", "queue")]
    order = np.lexsort(codes[::-1])
    return order, where_differs([code[order] for code in codes])


def where_differs(columns: Sequence[Numbers]) -> Flags:
    """Where a row has another value than the one before in some column; true at the first row."""
    found = np.zeros(len(columns[0]), dtype=np.bool_)
    found[:1] = True
    for each in columns:
        found[1:] |= each[1:] != each[:-1]
    return found


def _is_of_queue(table: pa.Table) -> Any:
    import pyarrow.compute as pc

    return pc.and_(pc.and_(pc.is_valid(table["group"]), pc.is_valid(table["topic"])), pc.is_valid(table["queue"]))


def codes_of(column: pa.ChunkedArray) -> Numbers:
    """A number for each value, the same for the same; -1 where there is none."""
    import pyarrow as pa

    array = column.combine_chunks()
    if pa.types.is_integer(array.type):
        return np.asarray(array.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    return np.asarray(encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
