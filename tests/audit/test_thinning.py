"""Commit lines that are left out change no finding, possible ones included."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from audit.defects import DEFECTS
from audit.queue_logs import client
from audit.steps import find
from audit.test_gold import told, write_silver
from audit.workloads import Workload

from offsetproof.audit.event import Event
from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.gold.clocks import events_in_order
from offsetproof.audit.gold.finding import Certainty
from offsetproof.audit.gold.run import by_pool, make_gold
from offsetproof.audit.gold.silver_thinning import bundles_of
from offsetproof.audit.gold.thinning import RESETS, Rows, rows_to_keep

SKEWS = (0.0, 0.2, 1.0)


def events_to_keep(events: Sequence[Event], skew: int, resets: Sequence[int]) -> list[Event]:
    """Those of one queue's events, in order, that the rules look at."""
    files = [(each.file, each.client) for each in events]
    rows = Rows(
        queue_begins=np.arange(len(events)) == 0,
        file_begins=np.array([number == 0 or files[number - 1] != each for number, each in enumerate(files)]),
        is_commit=np.array([each.kind is Kind.COMMIT_SENT and each.offset is not None for each in events]),
        place=np.array([each.byte_offset for each in events], dtype=np.int64),
        offset=np.array([each.offset or 0 for each in events], dtype=np.int64),
        time_from=np.array([each.time_from for each in events], dtype=np.int64),
        time_to=np.array([each.time_to for each in events], dtype=np.int64),
    )
    return [each for each, keep in zip(events, rows_to_keep(rows, skew, resets), strict=True) if keep]


def test_a_steady_consumer_is_thinned_to_a_few_lines() -> None:
    workload = Workload(3, clients=1)
    workload.run(3600)
    events = [each for each in events_in_order(workload.log) if each.queue == 0]
    assert len(events) > 700
    assert len(events_to_keep(events, 1_000_000, [])) < 40


def test_commits_near_a_reset_are_kept() -> None:
    workload = Workload(3, clients=1)
    workload.run(1800)
    workload.reset({0: 0})
    workload.run(600)
    events = [each for each in events_in_order(workload.log) if each.queue == 0]
    resets = [each.time_from for each in workload.log if each.kind in RESETS]
    near = [
        each
        for each in events_to_keep(events, 1_000_000, resets)
        if each.kind is Kind.COMMIT_SENT and abs(each.time_from - resets[0]) < 50_000_000
    ]
    every = [each for each in events if each.kind is Kind.COMMIT_SENT and abs(each.time_from - resets[0]) < 50_000_000]
    assert near == every


@pytest.mark.parametrize("five", [False, True], ids=["4.9.4", "5.x"])
@pytest.mark.parametrize("seed", range(6))
def test_gold_says_of_any_life_what_all_events_say(seed: int, five: bool, tmp_path: Path) -> None:
    skew = timedelta(seconds=SKEWS[seed % 3])
    workload = Workload(seed, queues=2 + seed % 6, clients=1 + seed % 4, five=five, skew=SKEWS[seed % 3])
    workload.live(900)
    write_silver(tmp_path, workload.log)
    run = make_gold(tmp_path, by_pool(), skew)
    assert told(list(run.findings)) == told(list(find(workload.log, skew)))


def test_a_queue_that_stands_is_seen_though_the_lines_of_those_that_move_are_left_out(tmp_path: Path) -> None:
    workload = Workload(1, clients=1)
    workload.may_move = False
    for number in range(len(workload.queues)):
        workload.take(workload.clients[0], number)
        workload.queues[number].rate, workload.queues[number].speed = 3.0, 9.0
    workload.run(600)
    workload.queues[0].speed = 0.0
    workload.run(90)
    workload.queues[0].speed = 9.0
    workload.run(600)
    write_silver(tmp_path, workload.log)
    run = make_gold(tmp_path, by_pool())
    assert [(each.kind, each.certainty, each.queue) for each in run.findings] == [
        ("offset-pinned", Certainty.POSSIBLE, 0)
    ]
    assert run.kept < len(workload.log) / 10


def test_every_kind_of_defect_is_told_alike_in_a_longer_life(tmp_path: Path) -> None:
    for number, defect in enumerate(DEFECTS):
        workload = Workload(number, five=defect.releases[-1] == "5", skew=0.5)
        workload.live(600)
        if sum(each.runs for each in workload.clients) < 2:
            workload.add_client()
        defect.do(workload)
        folder = tmp_path / str(number)
        write_silver(folder, workload.log)
        run = make_gold(folder, by_pool(), timedelta(seconds=0.5))
        assert told(list(run.findings)) == told(list(find(workload.log, timedelta(seconds=0.5)))), defect.kind


def set_back(events: list[Event], micros: int) -> list[Event]:
    """The same lines, with the clock of the first client's machine set back in the middle of its log."""
    own = [each for each in events if each.host == "app1"]
    late = {id(each) for each in own[len(own) // 2 :]}
    return [
        replace(each, time_from=each.time_from - micros, time_to=each.time_to - micros) if id(each) in late else each
        for each in events
    ]


@pytest.mark.parametrize("seconds", [0.02, 7, 30])
@pytest.mark.parametrize("seed", range(6))
def test_a_clock_that_is_set_back_within_a_run_of_lines_changes_nothing(
    seed: int, seconds: float, tmp_path: Path
) -> None:
    workload = Workload(seed, clients=3, skew=0.2)
    workload.live(600)
    log = set_back(workload.log, round(seconds * 1_000_000))
    write_silver(tmp_path, log)
    run = make_gold(tmp_path, by_pool(), timedelta(seconds=0.2))
    assert told(list(run.findings)) == told(list(find(log, timedelta(seconds=0.2))))


@pytest.mark.parametrize("seed", range(6))
def test_stamps_that_are_mixed_up_within_a_file_change_nothing(seed: int, tmp_path: Path) -> None:
    workload = Workload(seed, clients=2, skew=0.2)
    workload.live(600)
    chance = random.Random(seed)
    log = []
    for each in workload.log:
        by = chance.randrange(12_000_000) if chance.random() < 0.2 else 0
        log.append(replace(each, time_from=each.time_from - by, time_to=each.time_to - by))
    write_silver(tmp_path, log)
    run = make_gold(tmp_path, by_pool(), timedelta(seconds=0.2))
    assert told(list(run.findings)) == told(list(find(log, timedelta(seconds=0.2))))


def test_lines_whose_stamps_contradict_their_places_are_kept() -> None:
    commits = [client(1, 5.0 * number, Kind.COMMIT_SENT, number) for number in range(40)]
    back = commits[20]
    commits[20] = replace(back, time_from=back.time_from - 7_000_000, time_to=back.time_to - 7_000_000)
    offsets = [each.offset for each in events_to_keep(events_in_order(commits), 1_000_000, [])]
    assert offsets == [0, 19, 20, 39]


def test_a_regression_that_only_the_places_show_is_kept(tmp_path: Path) -> None:
    commits = [client(1, 5.0 * number, Kind.COMMIT_SENT, number) for number in range(40)]
    high, low = commits[20], commits[21]
    commits[20] = replace(high, offset=21, time_from=low.time_from, time_to=low.time_to)
    commits[21] = replace(low, offset=20, time_from=high.time_from, time_to=high.time_to)
    write_silver(tmp_path, commits)
    run = make_gold(tmp_path, by_pool())
    assert [(each.kind, each.certainty) for each in run.findings] == [("commit-regression", Certainty.CERTAIN)]


def test_pieces_of_a_file_are_read_in_the_order_of_its_bytes_and_few_tasks_have_many_files(tmp_path: Path) -> None:
    for source in range(100):
        folder = tmp_path / "silver" / f"source={source:03}"
        folder.mkdir(parents=True)
        for begin in (0, 900, 1000):
            (folder / f"part-{begin}.parquet").touch()
    bundles = bundles_of(tmp_path)
    parts = [part for bundle in bundles for part in bundle]
    assert [Path(part).name for part in parts[:3]] == ["part-0.parquet", "part-900.parquet", "part-1000.parquet"]
    assert parts == sorted(parts, key=lambda part: Path(part).parent.name)
    assert (len(parts), len(bundles)) == (300, 19)
