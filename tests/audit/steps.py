"""Single steps of the audit: a log's bytes as events, events as findings with none left out, what a folder has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import groupby
from pathlib import Path

import pyarrow.parquet as pq

from offsetproof.audit.event import Event
from offsetproof.audit.gold.clocks import events_in_order
from offsetproof.audit.gold.copies import without_copies
from offsetproof.audit.gold.finding import Finding
from offsetproof.audit.gold.finding_rules import SKEW, find_in_group, histories_of
from offsetproof.audit.gold.rules.files import file_findings
from offsetproof.audit.gold.tables import finding_of_row
from offsetproof.audit.lines.layouts import Layout, layout_of
from offsetproof.audit.lines.rows import Parsed, Reading
from offsetproof.audit.silver.arrow_tables import events_of_rows
from offsetproof.audit.silver.parquet import part_files, table_of


def reading_of(file: Path, start: bytes, **known: object) -> Reading:
    """How a file is read by what its first bytes show; `known` are fields of Reading."""
    layout = known.pop("layout", None) or layout_of(start)
    assert isinstance(layout, Layout)
    return Reading(str(file), layout, zone_known=layout.zone is not None, **known)  # type: ignore[arg-type]  # as the caller names them


def events_of(parsed: Parsed, reading: Reading) -> Iterator[Event]:
    """What was parsed, as events."""
    return events_of_rows(table_of(parsed, reading))


def find(events: Iterable[Event], skew: timedelta = SKEW) -> Iterator[Finding]:
    """The findings of some events, in any order, none of which is left out before the rules look at them."""
    every = events_in_order(without_copies(events))
    yield from file_findings(every)
    for _, histories in groupby(histories_of(every, skew), key=lambda each: each.group):
        yield from find_in_group(list(histories))


def read_silver(folder: Path) -> Iterator[Event]:
    """The events of a run's folder, source by source, each in the order of its lines."""
    for file in part_files(folder):
        yield from events_of_rows(pq.ParquetFile(file).read())


def read_findings(folder: Path) -> list[Finding]:
    """The findings that a run's folder has."""
    return [finding_of_row(row) for row in pq.read_table(folder / "gold" / "findings").to_pylist()]
