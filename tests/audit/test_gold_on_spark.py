"""Spark makes the gold that one process makes."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from audit.defects import DEFECTS
from audit.test_gold import write_silver
from audit.workloads import Workload
from spark.processes import end_sessions, in_a_session, living, nobody_is_left, until

from offsetproof.audit.event import Event
from offsetproof.audit.gold.run import by_pool, make_gold, on_spark
from offsetproof.audit.silver.piece_work import by_pool as by_process
from offsetproof.audit.silver.run import make_silver
from offsetproof.audit.silver.sources import ReadingOptions
from offsetproof.engines.spark.driver import Driver
from offsetproof.engines.spark.session import session
from studies.audit_volume import Volume, write_volume

SKEW = timedelta(seconds=0.5)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """Spark on two cores of this machine."""
    with session("local[2]", tmp_path_factory.mktemp("spark")) as started:
        yield started


def many_groups() -> list[Event]:
    """A group with each defect, and what concerns all groups."""
    log: list[Event] = []
    for number, defect in enumerate(DEFECTS):
        workload = Workload(number, five=defect.releases[0] == "5", skew=0.5)
        defect.do(workload)
        for each in workload.log:
            group = None if each.group is None else f"orders-{number}"
            log.append(replace(each, file=f"{number}/{each.file}", process=f"{number}/{each.process}", group=group))
    return log


def rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """All gold tables, each sorted."""
    pq = pytest.importorskip("pyarrow.parquet")
    return {
        table.name: sorted(pq.read_table(table).to_pylist(), key=lambda row: sorted(map(str, row.items())))
        for table in (folder / "gold").iterdir()
    }


def test_spark_makes_the_gold_that_one_process_makes(driver: Driver, tmp_path: Path) -> None:
    write_silver(tmp_path, many_groups())
    here = make_gold(tmp_path, by_pool(), SKEW)
    expected = rows(tmp_path)
    run = make_gold(tmp_path, on_spark(driver), SKEW)
    assert run == here
    assert rows(tmp_path) == expected
    assert {each.kind for each in run.findings} >= {each.kind for each in DEFECTS if each.certain}
    assert not list(tmp_path.glob(".gold*"))


def test_spark_makes_gold_of_nothing(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "silver").mkdir()
    assert make_gold(tmp_path, on_spark(driver), SKEW).findings == ()
    assert rows(tmp_path) == {"findings": []}


@pytest.mark.slow
@pytest.mark.parametrize("at", ["the start", "the first table"])
def test_killed_executor_costs_no_finding_and_no_row(tmp_path: Path, at: str) -> None:
    write_volume(tmp_path / "logs", Volume(60, has_owners=True))
    make_silver([str(tmp_path / "logs")], tmp_path, ReadingOptions(zones={"": "GMT+8"}), by_process())
    here = make_gold(tmp_path, by_pool(), timedelta(seconds=1))
    expected = rows(tmp_path)
    tests = Path(__file__).parents[1]
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tests)!r}); "
               f"from audit.gold_runs import main; main('local-cluster[2,1,1024]', {str(tmp_path)!r})"]  # fmt: skip
    run = in_a_session(command, tmp_path)

    def executors() -> list[int]:
        return [pid for pid, args in living(run.pid) if "CoarseGrainedExecutorBackend" in args and "java" in args]

    try:
        until(lambda: bool(executors()) and (at == "the start" or any(tmp_path.glob(".gold.*/*/.part-*"))), run)
        os.kill(random.Random(at).choice(executors()), signal.SIGKILL)
        out, err = run.communicate(timeout=400)
        assert run.returncode == 0, err
        assert int(out) == len(here.findings)
        assert len(here.findings) > 10
        assert rows(tmp_path) == expected
        assert not [*tmp_path.glob(".gold*"), *(tmp_path / "gold").rglob(".part-*")]
        nobody_is_left(run.pid)
    finally:
        end_sessions()
