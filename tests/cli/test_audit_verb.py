"""`offsetproof audit` end to end, on recorded logs of real clusters: its report, its forms, its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import run
from systems.schemas import complaints

from offsetproof.audit.auditing import NOTHING_READ

DATA = Path(__file__).parents[1] / "audit" / "data"
UNDONE = DATA / "5.3.3" / "reset-undone-by-restart"
CLEAN = DATA / "5.3.3" / "clean"


@pytest.fixture(scope="module")
def undone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The report of a reset that comes undone, as text, and the folder with the tables and the page."""
    folder = tmp_path_factory.mktemp("undone")
    ended = run("audit", str(UNDONE), "--out-dir=tables", "--html=page", cwd=folder)
    assert ended.code == 0, ended.err
    return folder, ended.out


def test_text_says_that_the_reset_came_undone_and_why(undone: tuple[Path, str]) -> None:
    _, text = undone
    assert "reset-overridden (I5), certain: group billing, topic orders" in text
    assert "explained by I5-restarted-marker-forgotten" in text
    assert "broker.log:" in text


def test_a_page_and_tables_are_written(undone: tuple[Path, str]) -> None:
    folder, _ = undone
    assert (folder / "page" / "index.html").exists()
    assert (folder / "page" / "I5-restarted-marker-forgotten.html").exists()
    assert any((folder / "tables" / "silver").rglob("*.parquet"))
    assert (folder / "tables" / "manifest.json").exists()


def test_a_second_run_on_spark_reads_no_log_again_and_says_the_same(undone: tuple[Path, str]) -> None:
    folder, text = undone
    parts = {file: file.stat().st_mtime_ns for file in (folder / "tables" / "silver").rglob("*.parquet")}
    again = run("audit", str(UNDONE), "--out-dir=tables", "--master=local[1]", "--format=json", cwd=folder)
    assert again.code == 0, again.err
    document = json.loads(again.out)
    assert complaints("audit", document) == []
    same = [file for file, written in parts.items() if file.stat().st_mtime_ns == written]
    assert len(same) == len([*UNDONE.rglob("*.log")])  # snapshots are small, and are read whole
    assert "read by this process" in text
    assert document["read"]["by"] == "Spark at local[1]"
    assert len(document["findings"]) == text.count("certain: ") + text.count("possible: ")


def test_fail_on_certain_is_12_where_there_is_one_and_0_where_logs_are_clean(tmp_path: Path) -> None:
    assert run("audit", str(UNDONE), "--fail-on=certain", "--quiet", cwd=tmp_path).code == 12
    assert run("audit", str(CLEAN), "--fail-on=certain", "--quiet", cwd=tmp_path).code == 0


def test_what_cannot_be_read_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    ended = run("audit", str(UNDONE), "absent.log", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "not read: absent.log" in ended.out
    assert "reset-overridden" in ended.out


@pytest.mark.parametrize("paths", ["logs", "lo*/*", "absent.log --host=app1=logs"])
def test_no_log_is_replaced_by_the_report(tmp_path: Path, paths: str) -> None:
    (tmp_path / "logs").mkdir()
    for name in ("app.log", "consumerOffset.json.2024-06-01T08:00:00Z"):
        log = tmp_path / "logs" / name
        log.write_text("2024-06-01 08:00:00,123 INFO RocketmqClient - suspend this consumer, orders\n")
        before = log.read_bytes()
        ended = run("audit", *paths.split(), f"--output=logs/{name}", cwd=tmp_path)
        assert ended.code == 150
        assert "this run reads it" in ended.err
        assert log.read_bytes() == before


def test_logs_without_a_word_of_offsets_are_not_told_as_clean_ones(tmp_path: Path) -> None:
    (tmp_path / "other.log").write_text("2024-06-01 08:00:00,123 INFO Main - hello\n")
    ended = run("audit", "other.log", "--format=json", cwd=tmp_path)
    assert (ended.code, json.loads(ended.out)["notes"]) == (30, [NOTHING_READ])
    assert "says anything of offsets" in run("audit", "other.log", cwd=tmp_path).out
    assert "says anything of offsets" not in run("audit", str(CLEAN), cwd=tmp_path).out


def test_nothing_readable_is_150(tmp_path: Path) -> None:
    assert run("audit", "absent.log", cwd=tmp_path).code == 150


def test_a_zone_is_named_by_its_place_or_by_its_hours(tmp_path: Path) -> None:
    """Both say the same, and move what a 4.x client has written."""
    logs = str(DATA / "4.9.4" / "broadcast-idle" / "first" / "rocketmq_client.log")
    of = {
        zone: json.loads(run("audit", logs, f"--zone={zone}", "--format=json", "--no-search", cwd=tmp_path).out)
        for zone in ("Asia/Shanghai", "UTC+8", "UTC")
    }
    times = {zone: [each["time_from"] for each in document["findings"]] for zone, document in of.items()}
    assert times["UTC+8"] == times["Asia/Shanghai"] != times["UTC"]


@pytest.mark.parametrize(
    ("option", "word"),
    [
        ("--zone=first=Mars/Olympus", "not a time zone"),
        ("--zone=UTC+30", "not a time zone"),
        ("--host=nothing", "NAME=PATH"),
        ("--skew=inf", "86400"),
        ("--release=4.0.0", "4.0.0"),
    ],
)
def test_odd_options_are_usage_errors(tmp_path: Path, option: str, word: str) -> None:
    ended = run("audit", str(UNDONE), option, cwd=tmp_path)
    assert ended.code == 2
    assert word in ended.err
