"""Small logs are audited without Spark, large ones where it is missing; with `--master` only on Spark."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from offsetproof.audit import auditing
from offsetproof.audit.auditing import GZIP_FACTOR, HERE_BYTES, Asked, bytes_of, run_audit
from offsetproof.audit.reports.audit import audit_json
from offsetproof.verdict.prerequisite import SPARK, PrerequisiteError

DATA = Path(__file__).parent / "data"
UNDONE = DATA / "5.3.3" / "reset-undone-by-restart"


def no_spark() -> None:
    """What a machine without Java says."""
    raise PrerequisiteError("no Java was found")


def document(done: auditing.Done) -> dict[str, object]:
    """The report as JSON."""
    found: dict[str, object] = json.loads(audit_json(done.audit))
    return found


def test_small_logs_need_neither_java_nor_pyspark(tmp_path: Path) -> None:
    """PySpark cannot be imported here, so whatever the verb does, it does not import it."""
    (tmp_path / "pyspark.py").write_text("raise ImportError('there is none')\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment |= {"PYTHONPATH": str(tmp_path), "PATH": str(tmp_path)}
    command = [sys.executable, "-m", "offsetproof", "audit", str(UNDONE), "--format=json", "--html=page"]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["read"]["by"] == "this process"
    assert [each["kind"] for each in told["findings"]] == ["reset-overridden"]
    assert "read by this process" in (tmp_path / "page" / "index.html").read_text(encoding="utf-8")


def test_a_master_that_cannot_run_is_no_reason_to_go_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("offsetproof.engines.spark.session.require_spark", no_spark)
    with pytest.raises(PrerequisiteError, match="no Java"):
        run_audit(Asked((str(UNDONE),)), tmp_path, "local[1]", lambda _: None, lambda _: None)


def test_large_logs_are_read_without_spark_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "HERE_BYTES", 10)
    monkeypatch.setattr(auditing, "require_spark", no_spark)
    warned: list[str] = []
    done = run_audit(Asked((str(UNDONE),)), tmp_path, None, lambda _: None, warned.append)
    (warning,) = warned
    assert "read without Spark" in warning
    assert "no Java was found" in warning
    assert [each.finding.kind for each in done.audit.found] == ["reset-overridden"]


@pytest.mark.parametrize(("more", "goes_to"), [(0, "here"), (1, "local[*]")])
def test_the_limit_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int, goes_to: str) -> None:
    """A sparse file is as large as the limit, and takes no room."""
    with (tmp_path / "a.log").open("wb") as file:
        file.truncate(HERE_BYTES + more)
    went: list[str] = []
    monkeypatch.setattr(auditing, "require_spark", lambda: None)
    monkeypatch.setattr(auditing, "audit_here", lambda *_: went.append("here"))
    monkeypatch.setattr(auditing, "_audit_on_spark", lambda asked, folder, master, tell: went.append(master))
    run_audit(Asked((str(tmp_path),)), tmp_path / "out", None, lambda _: None, lambda _: None)
    assert went == [goes_to]


def test_a_gz_counts_as_about_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"x" * 1000)
    (tmp_path / "b.log.gz").write_bytes(gzip.compress(b"y" * 1000))
    small = (tmp_path / "b.log.gz").stat().st_size
    assert bytes_of(Asked((str(tmp_path), "absent.log"))) == 1000 + GZIP_FACTOR * small


@pytest.mark.slow
@pytest.mark.parametrize("masters", [(None, "local[1]"), ("local[1]", None)], ids=["here, then Spark", "the reverse"])
def test_either_reads_on_what_the_other_has_begun(tmp_path: Path, masters: tuple[str | None, ...]) -> None:
    """Half of the broker's log first, then all: as if it had been read at once, and nothing is read twice."""
    logs = tmp_path / "logs"
    shutil.copytree(UNDONE, logs)
    at_once = run_audit(Asked((str(logs),)), tmp_path / "once", None, lambda _: None, lambda _: None)
    log = next(logs.rglob("broker.log"))
    whole = log.read_bytes()
    log.write_bytes(whole[: whole.index(b"\n", len(whole) // 2) + 1])
    run_audit(Asked((str(logs),)), tmp_path / "out", masters[0], lambda _: None, lambda _: None)
    parts = {file: file.stat().st_mtime_ns for file in (tmp_path / "out" / "silver").rglob("*.parquet")}
    log.write_bytes(whole)
    done = run_audit(Asked((str(logs),)), tmp_path / "out", masters[1], lambda _: None, lambda _: None)
    told, expected = document(done), document(at_once)
    assert told["findings"] == expected["findings"]
    assert done.audit.read.lines == at_once.audit.read.lines
    assert done.audit.read.by == (f"Spark at {masters[1]}" if masters[1] else "this process")
    same = [file for file, written in parts.items() if file.stat().st_mtime_ns == written]
    assert len(same) >= len([*logs.rglob("*.log")])


def test_what_spark_is_said_to_be_for_is_what_is_not_read_without_it() -> None:
    assert f"audit of more than {HERE_BYTES // 10**9} GB" in SPARK.needed_by
