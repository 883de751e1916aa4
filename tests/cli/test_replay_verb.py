"""`replay` as users run it: what it says, what it ends with, and what it refuses before a JVM is started."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from cli.program import PROGRAM, environment, run, run_anew
from systems.schemas import read_valid

from offsetproof.checking.replaying import question_of_trace
from offsetproof.checking.subject import load_subject
from offsetproof.cli import replay_verb
from offsetproof.explore.walking import Walk, Walker
from offsetproof.real.jars import JarSet
from offsetproof.traces.recorded_stories import recorded_stories, recorded_traces
from offsetproof.traces.store import write_record


@pytest.fixture(autouse=True)
def jars(published: Callable[[str], JarSet]) -> JarSet:
    """The jars of 4.9.4, which are there before any of these runs."""
    return published("4.9.4")


def test_story_that_happens_is_a_line_and_code_0() -> None:
    ran = run("replay", "I11-row-put-twice", "--no-progress")
    assert (ran.code, ran.err) == (0, "")
    first, empty, last = ran.out.splitlines()
    assert first.startswith("I11-row-put-twice  reproduced     9 steps, ")
    assert (empty, last) == (
        "",
        "1 of 1 reproduced on RocketMQ 4.9.4 (held at their lines by the JVM's debugger)",
    )


def test_story_that_cannot_be_forced_says_where_and_why_and_ends_with_30() -> None:
    ran = run("replay", "I4-new-group-stored-killed-at-start", "--gates=woven", "--no-progress")
    assert (ran.code, ran.err) == (30, "")
    lines = [line.strip() for line in ran.out.splitlines()]
    assert lines[0].startswith("I4-new-group-stored-killed-at-start  not-forceable  9 of 11 steps, ")
    assert lines[1:3] == [
        "step 10, rebalance_finds_start(c=0, r=0),",
        "RebalancePushImpl.computePullFromWhereWithException:172 (maxOffset)",
    ]
    assert "consumer[0].cell: 2 in the model, None on 4.9.4" in lines
    assert lines[-1] == "0 of 1 reproduced on RocketMQ 4.9.4 (gates woven into the classes)"


@pytest.mark.slow
def test_walk_by_hand_is_taken_to_the_real_classes(tmp_path: Path) -> None:
    walk = tmp_path / "walk.json"
    subject = load_subject("rocketmq")
    walker = Walker(subject, question_of_trace(subject, recorded_stories()["I11-row-put-twice"]).setting)
    walk.write_text(write_record(walker.trace(Walk(("rebalance_removes_dirty_offset(c=0, r=0)", "producer_sends")))))
    ran = run("replay", walk)
    assert ran.code == 0
    assert "reproduced     2 steps" in ran.out


def test_json_is_that_of_the_contract() -> None:
    ran = run("replay", "I4-new-group-stored-killed-at-start", "I3", "--gates=woven", "--format=json", "--no-progress")
    document = read_valid("replay", ran.out)
    rows = document["replays"]
    assert (ran.code, document["subject"], [row["trace"] for row in rows]) == (
        30, "rocketmq", ["I4-new-group-stored-killed-at-start", "I3-overtaken-by-pull"],
    )  # fmt: skip
    promised = ("property", "release", "outcome", "step", "field", "model", "real")
    assert [[row[key] for key in promised] for row in rows] == [
        ["I4-new-group-stored", "4.9.4", "not-forceable", 10, "consumer[0].cell", 2, None],
        ["I3", "4.9.4", "reproduced", None, None, None, None],
    ]
    assert rows[0]["reason"].startswith("rests on start-stored, ")
    assert rows[1]["reason"] is None
    assert all(0 < row["seconds"] < 60 for row in rows)


def test_steps_are_told_with_their_places_and_both_sides() -> None:
    lines = run("replay", "I5-late-poll", "--gates=woven", "--steps", "--no-progress").out.splitlines()
    at = lines.index("   23  reset_persists(c=0)")
    assert lines[at + 1 : at + 3] == [
        "       RebalancePushImpl.removeUnnecessaryMessageQueue:86 (persist)",
        "       consumer[0].commits: [] -> [1]  |  4.9.4: [] -> [1]",
    ]


def test_logs_that_cannot_be_kept_are_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    ran = run("replay", "I11-row-put-twice", "--logs", file, "--no-progress")
    assert (ran.code, ran.out) == (150, "")
    assert "--logs: cannot write" in ran.complaint
    assert "it is not a folder" in ran.complaint


@pytest.mark.slow
def test_logs_of_each_trace_are_kept_for_themselves(tmp_path: Path) -> None:
    stories = ("I5-late-poll", "I2-resume-overlapping-runs")
    ran = run("replay", *stories, "--gates=woven", "--logs", tmp_path, "--no-progress")
    assert (ran.code, ran.err) == (0, "")
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {f"4.9.4/{story}/rocketmq_client.log" for story in stories}
    late, overlapping = ((tmp_path / "4.9.4" / story / "rocketmq_client.log").read_text() for story in stories)
    what = ("suspend this consumer", "resume this consumer", "[persist] Group", "add a new mq")
    assert [log.count(each) for log in (late, overlapping) for each in what] == [1, 0, 1, 1, 1, 0, 0, 1]


@pytest.mark.slow
def test_markdown_is_a_table() -> None:
    ran = run("replay", "I3-overtaken-by-pull", "--gates=woven", "--format=markdown", "--no-progress")
    assert ran.out.splitlines()[:3] == [
        "| trace | claim | release | outcome | steps | |",
        "|---|---|---|---|---|---|",
        "| I3-overtaken-by-pull | broker-offset-never-falls (I3) | 4.9.4 | reproduced | 16 steps |  |",
    ]


def edited(file: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A file with a recorded story that somebody has changed."""
    document = json.loads(recorded_traces()["I3-overtaken-by-pull"].read_text(encoding="utf-8"))
    change(document)
    file.write_text(json.dumps(document))
    return file


def last_change(document: dict[str, Any]) -> None:
    """The last step leaves another offset at the broker."""
    changed = document["trace"]["steps"][-1]["changed"]["broker.committed"]
    changed[1] += 1


def test_trace_that_was_edited_is_refused_before_the_real_classes_are_asked(tmp_path: Path) -> None:
    ran = run("replay", edited(tmp_path / "trace.json", last_change), "--no-progress")
    assert (ran.code, ran.out) == (20, "")
    assert "trace.json: DOES NOT REPLAY on the model: after step 16 broker.committed is 0, not 1" in ran.complaint
    ran = run("replay", edited(tmp_path / "trace.json", lambda document: document.pop("initial")), "--no-progress")
    assert (ran.code, ran.out) == (150, "")


@pytest.mark.slow
def test_other_traces_are_replayed_beside_one_that_was_edited(tmp_path: Path) -> None:
    file = edited(tmp_path / "trace.json", last_change)
    ran = run("replay", file, "I3-overtaken-by-pull", "--gates=woven", "--format=json", "--no-progress")
    assert (ran.code, [row["trace"] for row in read_valid("replay", ran.out)["replays"]]) == (
        20,
        ["I3-overtaken-by-pull"],
    )
    assert "trace.json: DOES NOT REPLAY on the model" in ran.complaint


def test_trace_of_a_subject_without_a_rigging_is_refused(models: Path) -> None:
    traces = models / "traces"
    assert run("check", models / "counter.py", "stays_below_two", "--out-dir", traces).code == 0
    (trace,) = traces.glob("*.json")
    ran = run("replay", trace, "--no-progress")
    assert (ran.code, ran.out) == (152, "")
    assert "says nothing of how its actions are done on the real classes (a rigging); rocketmq" in ran.complaint


@pytest.mark.parametrize(("words", "said"), [
    (("--release=4.9.5", "I3-overtaken-by-pull"), "no release named '4.9.5'; choose from 4.9.4, 4.9.8"),
    (("I3-overtaken-by-pul",), "no recorded trace, claim or file named 'I3-overtaken-by-pul'; did you mean"),
    ((), "name a trace, or give --recorded for all that are recorded"),
    (("I3-overtaken-by-pull", "--timeout=inf"), "give a number of seconds"),
])  # fmt: skip
def test_what_there_is_not_is_refused_with_code_2(words: tuple[str, ...], said: str) -> None:
    ran = run("replay", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in " ".join(ran.err.replace("│", " ").split())


def test_release_without_a_story_is_refused() -> None:
    with pytest.raises(typer.BadParameter, match=r"no story of 6\.0\.0 is recorded"):
        replay_verb.stories_of(["6.0.0"])


def test_missing_java_is_a_missing_prerequisite(tmp_path: Path) -> None:
    ran = run_anew("replay", "I3-overtaken-by-pull", "--no-progress", PATH=str(tmp_path), JAVA_HOME="")
    assert (ran.code, ran.out) == (69, "")
    assert ran.complaint.startswith("offsetproof: a JDK 17 or newer is needed, and there is no java on the path")


def test_interrupt_ends_the_jvm_with_nothing_left(tmp_path: Path) -> None:
    command = [str(PROGRAM), "replay", "--recorded", "--no-progress"]
    given = environment(TMPDIR=str(tmp_path))
    with subprocess.Popen(command, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as going:
        while not [*tmp_path.glob("offsetproof-*/sidecar.log")]:
            assert going.poll() is None
            time.sleep(0.05)
        going.send_signal(signal.SIGINT)
        _, err = going.communicate(timeout=60)
    assert (going.returncode, err) == (130, b"")
    assert [*tmp_path.glob("offsetproof-*")] == []


def test_check_says_of_a_counterexample_that_its_steps_were_reproduced() -> None:
    asked = ("check", "I5", "--scope=calm-reset", "--release=4.9.4", "--no-progress")
    found = read_valid("check", run(*asked, "--format=json").out)
    (row,) = found["results"]
    assert row["on_release"] == {"release": "4.9.4", "outcome": "reproduced", "story": "I5-late-poll"}
    told = " ".join(run(*asked).out.split())
    assert (
        "its steps were reproduced on the real classes of 4.9.4 (`offsetproof replay I5-late-poll` does it again)"
        in told
    )


def test_check_says_nothing_of_what_was_not_replayed(models: Path) -> None:
    found = json.loads(run("check", models / "counter.py", "stays_below_two", "--format=json").out)
    assert [row["on_release"] for row in found["results"]] == [None]
