"""Lines that were collected twice: a log beside its copy, what several logs were put together to, a log that goes to
two files.

Each would look like a process of its own that does the same at the same time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from offsetproof.audit.event import SECOND, Event, EventKind
from offsetproof.audit.gold.clocks import turns_of

_Run = tuple[str, int]
"""A file, and which of its runs of lines: where stamps go back far, another one begins."""

_Process = tuple[str, str]

_NO_LINES = frozenset({EventKind.OFFSET_STORED, EventKind.OFFSET_LOCAL})
"""Rows of offset files: two files with the same rows are two."""


def without_copies(events: Iterable[Event]) -> list[Event]:
    """The events, each once; those of a copy that are not in the other file count as of the same process.

    Two runs of lines are copies if at least half of what one has in the time of both is in the other as well, to the
    millisecond. Stamps of a second decide so of files of one host alone: brokers do the same at the same time.
    """
    every = list(events)
    turns = turns_of(every)
    runs: dict[_Run, list[int]] = {}
    at: dict[int, list[tuple[_Run, Event]]] = {}
    for event in every:
        if event.kind not in _NO_LINES:
            run = (event.file, bisect_right(turns[event.file], event.byte_offset) if event.file in turns else 0)
            runs.setdefault(run, []).append(event.time_from)
            at.setdefault(event.time_from, []).append((run, event))
    twins = [twin for each in at.values() if len(each) > 1 for twin in _twins(each)]
    pairs = _copies(runs, twins)
    if not pairs:
        return every
    dropped: set[int] = set()
    names: dict[_Process, _Process] = {}
    for each in twins:
        _keep_one(each, runs, pairs, dropped, names)
    return [_with_one_name(event, names) for event in every if id(event) not in dropped]


def _twins(events: Sequence[tuple[_Run, Event]]) -> Iterator[dict[_Run, list[Event]]]:
    """Those of some events of one time that say the same in several runs."""
    places: dict[tuple[object, ...], dict[_Run, list[Event]]] = {}
    for run, event in events:
        places.setdefault(_content(event), {}).setdefault(run, []).append(event)
    yield from (each for each in places.values() if len(each) > 1)


def _content(event: Event) -> tuple[object, ...]:
    where = event.host if event.time_to - event.time_from >= SECOND else None
    return (
        *(event.kind, where, event.client, event.group, event.topic),
        *(event.broker, event.queue, event.offset, event.other_offset, event.detail),
    )


def _copies(runs: dict[_Run, list[int]], twins: Sequence[dict[_Run, list[Event]]]) -> set[tuple[_Run, _Run]]:
    """The pairs of runs of which one is a copy of the other, or of a part of it."""
    shared: Counter[tuple[_Run, _Run]] = Counter()
    for each in twins:
        for one, two in combinations(sorted(each), 2):
            shared[one, two] += min(len(each[one]), len(each[two]))
    for times in runs.values():
        times.sort()
    return {
        (one, two)
        for (one, two), count in shared.items()
        if 2 * count >= min(_within(runs[one], runs[two]), _within(runs[two], runs[one]))
    }


def _within(times: Sequence[int], others: Sequence[int]) -> int:
    """How many of some sorted times are between the first and the last of others."""
    return bisect_right(times, others[-1]) - bisect_left(times, others[0])


def _keep_one(
    twin: dict[_Run, list[Event]],
    runs: dict[_Run, list[int]],
    pairs: set[tuple[_Run, _Run]],
    dropped: set[int],
    names: dict[_Process, _Process],
) -> None:
    """Drops the lines of all runs but one of those that are copies: that with most lines of all."""
    kept: list[_Run] = []
    for run in sorted(twin, key=lambda each: (-len(runs[each]), each)):
        original = next((each for each in kept if (min(each, run), max(each, run)) in pairs), None)
        if original is None:
            kept.append(run)
            continue
        for event, same in zip(twin[run], twin[original], strict=False):
            dropped.add(id(event))
            if (event.host, event.process) != (same.host, same.process):
                names.setdefault((event.host, event.process), (same.host, same.process))


def _with_one_name(event: Event, names: dict[_Process, _Process]) -> Event:
    process, seen = (event.host, event.process), set[_Process]()
    while process in names and process not in seen:
        seen.add(process)
        process = names[process]
    if not seen:
        return event
    host, name = process
    return replace(event, host=host, process=name)
