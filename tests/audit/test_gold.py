"""Gold: thinned, by Arrow or by Spark, the same findings come out as from all the events at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

import pytest
from audit.defects import DEFECTS, Defect
from audit.steps import find, read_findings
from audit.workloads import Workload

from offsetproof.audit.event import Event
from offsetproof.audit.gold.finding import Finding
from offsetproof.audit.gold.run import by_pool, make_gold
from offsetproof.audit.gold.tables import TABLES, finding_of_row, row_of_finding

SKEW = timedelta(seconds=0.5)


def write_silver(folder: Path, events: list[Event]) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    files: dict[str, list[Event]] = {}
    for event in events:
        files.setdefault(event.file, []).append(event)
    types = {"str": pa.string(), "int": pa.int64(), "bool": pa.bool_()}
    schema = pa.schema(
        [
            (name, types[str(each.type).replace("EventKind", "str").partition(" ")[0]])
            for name, each in Event.__dataclass_fields__.items()
        ]
    )
    for number, own in enumerate(files.values()):
        file = folder / "silver" / f"source={number}" / "part-0.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist([asdict(each) for each in own], schema=schema), file)


def told(findings: list[Finding]) -> list[tuple[object, ...]]:
    return sorted((each.kind, each.certainty, each.queue, each.says) for each in findings)


@pytest.mark.parametrize("number", range(len(DEFECTS)))
def test_gold_has_the_findings_of_all_events(number: int, tmp_path: Path) -> None:
    defect: Defect = DEFECTS[number]
    workload = Workload(number, five=defect.releases[0] == "5", skew=0.5)
    workload.run(400)
    defect.do(workload)
    write_silver(tmp_path, workload.log)
    run = make_gold(tmp_path, by_pool(), SKEW)
    assert told(list(run.findings)) == told(list(find(workload.log, SKEW)))
    assert read_findings(tmp_path) == list(run.findings)
    assert set(run.rows) <= set(TABLES)
    assert 0 < run.kept < len(workload.log)


def test_a_finding_survives_its_row() -> None:
    workload = Workload(1, skew=0.5)
    DEFECTS[0].do(workload)
    findings = list(find(workload.log, SKEW))
    assert [finding_of_row(row_of_finding(each)) for each in findings] == findings


def test_gold_of_the_same_silver_is_the_same_again(tmp_path: Path) -> None:
    workload = Workload(1, skew=0.5)
    DEFECTS[0].do(workload)
    write_silver(tmp_path, workload.log)
    first = make_gold(tmp_path, by_pool(), SKEW)
    assert make_gold(tmp_path, by_pool(), SKEW) == first
    assert Counter(each.name for each in (tmp_path / "gold").iterdir()) == Counter(first.rows.keys())
