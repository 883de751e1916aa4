"""Commit lines that are left out change no finding, possible ones included."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from audit.defects import DEFECTS
from audit.test_gold import told, write_silver
from audit.workloads import Workload

from offsetproof.audit.finding import Certainty
from offsetproof.audit.finding_rules import find
from offsetproof.audit.gold import in_this_process, make_gold

SKEWS = (0.0, 0.2, 1.0)


@pytest.mark.parametrize("five", [False, True], ids=["4.9.4", "5.x"])
@pytest.mark.parametrize("seed", range(10))
def test_gold_says_of_any_life_what_all_events_say(seed: int, five: bool, tmp_path: Path) -> None:
    skew = timedelta(seconds=SKEWS[seed % 3])
    workload = Workload(seed, queues=2 + seed % 6, clients=1 + seed % 4, five=five, skew=SKEWS[seed % 3])
    workload.live(900)
    write_silver(tmp_path, workload.log)
    run = make_gold(tmp_path, in_this_process, skew)
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
    run = make_gold(tmp_path, in_this_process)
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
        run = make_gold(folder, in_this_process, timedelta(seconds=0.5))
        assert told(list(run.findings)) == told(list(find(workload.log, timedelta(seconds=0.5)))), defect.kind
