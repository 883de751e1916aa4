"""Spark makes the gold that one process makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from audit.defects import DEFECTS
from audit.test_gold import write_silver
from audit.workloads import Workload

from offsetproof.audit.event import Event
from offsetproof.audit.gold import in_this_process, make_gold, on_spark
from offsetproof.engines.spark.driver import Driver
from offsetproof.engines.spark.session import session

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
    here = make_gold(tmp_path, in_this_process, SKEW)
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
