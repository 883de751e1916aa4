"""`replay --natural` and `replay --logs` as users run them; what is refused starts no JVM."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.program import PROGRAM, environment, run, run_anew
from systems.schemas import read_valid

from offsetproof.cli.formats import FORMATS
from offsetproof.cli.natural_replays import natural_report
from offsetproof.conformance.natural import NaturalReplay
from offsetproof.real.jars import JarSet
from offsetproof.real.natural.scenarios import SCENARIOS, scenario_of
from offsetproof.real.natural.trying import Tally, TryEnd
from offsetproof.traces.recorded_stories import recorded_stories

NEW_GROUP = scenario_of("I13-zero-answered")
assert NEW_GROUP is not None
TALLY = Tally(
    NEW_GROUP,
    "4.9.4",
    (TryEnd(1, True, "seen", 5.0), TryEnd(2, False, "not seen", 5.0), TryEnd(3, None, "no route: not in 60 s", 60.0)),
)


def words(text: str) -> str:
    return " ".join(text.replace("│", " ").split())


def test_story_without_a_scenario_says_so_and_ends_with_30(tmp_path: Path) -> None:
    ran = run_anew("replay", "I5-orphan", "--natural", "--no-progress", PATH=str(tmp_path), JAVA_HOME="")
    assert (ran.code, ran.err) == (30, "")
    told = words(ran.out)
    assert told.startswith("I5-orphan not-forceable: nobody has written a scenario of natural timing for it; there is")
    assert "I5-late-poll, I5-overtaken-by-query, I11-row-put-twice" in told


def test_json_of_a_story_without_a_scenario_is_that_of_the_contract() -> None:
    document = read_valid("replay", run("replay", "I5-orphan", "--natural", "--format=json", "--no-progress").out)
    (row,) = document["replays"]
    assert [row[key] for key in ("trace", "property", "release", "outcome", "step", "field", "natural")] == [
        "I5-orphan", "I5", "4.9.4", "not-forceable", None, None, None,
    ]  # fmt: skip
    assert row["reason"].startswith("nobody has written a scenario")


@pytest.mark.parametrize(("options", "said"), [
    (("--times=3",), "a story that is enforced happens or does not; --natural tries it"),
    (("--natural", "--steps"), "in natural timing there are no steps to tell"),
    (("--natural", "--times=0"), "Input should be greater than or equal to 1"),
    (("--natural", "--release=4.9.5"), "no release named '4.9.5'; did you mean"),
])  # fmt: skip
def test_options_that_mean_nothing_together_are_refused(options: tuple[str, ...], said: str) -> None:
    ran = run("replay", "I5-late-poll", *options)
    assert (ran.code, ran.out) == (2, "")
    assert said in words(ran.err)


def test_logs_that_cannot_be_kept_are_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    ran = run("replay", "I11-row-put-twice", "--logs", file, "--no-progress")
    assert (ran.code, ran.out) == (150, "")
    assert "--logs: cannot write" in ran.complaint
    assert "it is not a folder" in ran.complaint


@pytest.mark.slow
def test_logs_of_each_trace_are_kept_for_themselves(tmp_path: Path, published: Callable[[str], JarSet]) -> None:
    published("4.9.4")
    stories = ("I5-late-poll", "I2-resume-overlapping-runs")
    ran = run("replay", *stories, "--gates=woven", "--logs", tmp_path, "--no-progress")
    assert (ran.code, ran.err) == (0, "")
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {f"4.9.4/{story}/rocketmq_client.log" for story in stories}
    late, overlapping = ((tmp_path / "4.9.4" / story / "rocketmq_client.log").read_text() for story in stories)
    what = ("suspend this consumer", "resume this consumer", "[persist] Group", "add a new mq")
    assert [log.count(each) for log in (late, overlapping) for each in what] == [1, 0, 1, 1, 1, 0, 0, 1]


def test_natural_timing_is_told_in_every_form_that_replay_has() -> None:
    replays = [NaturalReplay("I13-zero-answered", recorded_stories()["I13-zero-answered"], "4.9.4", TALLY, 12.0)]
    told = {form: natural_report(form, replays) for form in FORMATS["replay"]}
    assert told.keys() == {"text", "json", "markdown"}
    assert told["text"].splitlines()[0] == (
        "I13-zero-answered  happened in 1 of 2 (1 more did not come far enough to tell) tries on 4.9.4,"
    )
    assert [line.split() for line in told["text"].splitlines()[-3:]] == [
        ["1", "yes", "seen"], ["2", "no", "not", "seen"], ["3", "?", "no", "route:", "not", "in", "60", "s"],
    ]  # fmt: skip
    row = read_valid("replay", told["json"])["replays"][0]
    assert (row["outcome"], row["natural"]["happened"], row["natural"]["told"]) == ("reproduced", 1, 2)
    assert told["markdown"].splitlines()[2].startswith("| I13-zero-answered | ")


@pytest.mark.parametrize(("happened", "outcome", "reason"), [
    ((True, False), "reproduced", None),
    ((False, False), "not-forceable", "it did not happen in 2 tries"),
    ((None, None), "not-forceable", "no try came far enough to tell: seen"),
])  # fmt: skip
def test_outcome_is_what_happened_at_least_once(
    happened: tuple[bool | None, ...], outcome: str, reason: str | None
) -> None:
    ends = tuple(TryEnd(number, each, "seen", 1.0) for number, each in enumerate(happened, 1))
    tally = Tally(SCENARIOS[0], "4.9.4", ends)
    replay = NaturalReplay("I5-late-poll", recorded_stories()["I5-late-poll"], "4.9.4", tally, 1.0)
    assert (str(replay.outcome), replay.reason) == (outcome, reason)


@pytest.mark.slow
def test_interrupt_ends_the_cluster_with_nothing_left(tmp_path: Path, published: Callable[[str], JarSet]) -> None:
    published("4.9.4")
    command = [str(PROGRAM), "replay", "I13-zero-answered", "--natural", "--no-progress"]
    given = environment(TMPDIR=str(tmp_path))
    with subprocess.Popen(command, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as going:
        while not [*tmp_path.glob("offsetproof-*/01-first/logs/rocketmq_client.log")]:
            assert going.poll() is None
            time.sleep(0.05)
        listed = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True).stdout
        assert sum(f"-Duser.home={tmp_path}" in line for line in listed.splitlines()) >= 4
        going.send_signal(signal.SIGINT)
        _, err = going.communicate(timeout=60)
    assert (going.returncode, err) == (130, b"")
    assert [*tmp_path.glob("offsetproof-*")] == []
    listed = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    assert [line for line in listed.splitlines() if f"-Duser.home={tmp_path}" in line] == []
