"""Leaving out commit lines that change nothing that a rule looks at: the inner ones of a run of one client's.

Most lines are such. In a run the offsets all rise or all stay, so the first and the last tell what the others do. Kept
are lines near those of another file, as their order may be open, and lines near a reset, where the last offset before
it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from offsetproof.audit.event import EventKind
from offsetproof.audit.gold.rules.resets import REACH

Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

RESETS = frozenset(
    {EventKind.RESET_STARTED, EventKind.RESET_SENT, EventKind.COMMANDED, EventKind.RESET_MARKED, EventKind.MARKER_TAKEN}
)
"""Lines near which every commit is kept."""

LONGEST_STAMP = 1_000_000
"""No stamp leaves more than a second open."""

_AROUND = REACH + 15_000_000


@dataclass(frozen=True)
class Rows:
    """Events sorted by queue, then time.

    `queue_begins` and `file_begins` say where a row's queue, or its file or client, is not that of the row before.
    `is_commit` is false where an offset is unknown; `place` is in the file. Times are in microseconds. Where stamps
    and places of a file disagree, its rows are kept.
    """

    queue_begins: Flags
    file_begins: Flags
    is_commit: Flags
    place: Numbers
    offset: Numbers
    time_from: Numbers
    time_to: Numbers


def rows_to_keep(rows: Rows, skew: int, resets: Sequence[int]) -> Flags:
    """Which rows are kept, with clocks that are wrong by up to `skew`, and resets at these times.

    The first and the last row always are, so that pieces of a table can be thinned one by one.
    """
    size = len(rows.offset)
    if size < 3:
        return np.ones(size, dtype=np.bool_)
    goes_on = np.zeros(size, dtype=np.bool_)
    same = ~(rows.queue_begins[1:] | rows.file_begins[1:])
    goes_on[1:] = same & rows.is_commit[1:] & rows.is_commit[:-1]
    step = np.zeros(size, dtype=np.int64)
    step[1:] = np.sign(rows.offset[1:] - rows.offset[:-1])
    inner = np.zeros(size, dtype=np.bool_)
    inner[1:-1] = goes_on[1:-1] & goes_on[2:] & (step[1:-1] == step[2:]) & (step[1:-1] >= 0)
    in_order = np.ones(size, dtype=np.bool_)
    in_order[1:] = (rows.time_from[1:] >= rows.time_from[:-1]) & (rows.place[1:] > rows.place[:-1])
    inner[:-1] &= in_order[:-1] & in_order[1:]
    inner &= ~_near_others(rows, 2 * skew + 2 * LONGEST_STAMP)
    if len(resets):
        inner &= _to_nearest(rows.time_from, resets) > _AROUND + 2 * skew
    return ~inner


def _to_nearest(times: Numbers, resets: Sequence[int]) -> Numbers:
    """How far each time is from the nearest reset."""
    known = np.unique(np.array(resets, dtype=np.int64))
    at = np.searchsorted(known, times)
    before, behind = known[np.maximum(at - 1, 0)], known[np.minimum(at, len(known) - 1)]
    distance: Numbers = np.minimum(np.abs(times - before), np.abs(times - behind))
    return distance


def _near_others(rows: Rows, margin: int) -> Flags:
    """Rows that are near the row before, or behind, the run of rows of one file that they are in."""
    size = len(rows.offset)
    numbers = np.arange(size)
    begins = rows.queue_begins | rows.file_begins
    begins[0] = True
    first = np.maximum.accumulate(np.where(begins, numbers, 0))
    ends = np.append(begins[1:], True)
    last = np.minimum.accumulate(np.where(ends, numbers, size)[::-1])[::-1]
    cut_before = (first == 0) | ~rows.queue_begins[first]
    cut_behind = (last == size - 1) | ~rows.queue_begins[np.minimum(last + 1, size - 1)]
    since = rows.time_from - rows.time_from[np.maximum(first - 1, 0)]
    until = rows.time_from[np.minimum(last + 1, size - 1)] - rows.time_from
    near: Flags = (cut_before & (since < margin)) | (cut_behind & (until < margin))
    return near
