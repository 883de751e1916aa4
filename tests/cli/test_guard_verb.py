"""`guard` as users run it: the baseline's way from nothing to a changed model, every format, and what goes wrong."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.program import Ran, in_terminal, run, searching
from systems.schemas import read_valid
from systems.tank import GUSHES, LEAKS, TANK

BASELINE = "tank.baseline.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the tank and its baseline."""
    write(tmp_path, TANK)
    assert guard(tmp_path, "--update", "--quiet") == Ran(0, "", "")
    return tmp_path


def write(folder: Path, text: str) -> None:
    """Makes this text the model."""
    (folder / "tank.py").write_text(text, encoding="utf-8")


def guard(folder: Path, *args: str) -> Ran:
    """Runs the verb on the model, at a turn in which no cell of the tank is decided again."""
    turn = () if any(arg.startswith("--turn") for arg in args) else ("--turn=0",)
    return run("guard", "tank.py", *turn, *args, cwd=folder)


def test_without_a_baseline_guard_says_how_to_get_one_and_update_writes_it_whole(tmp_path: Path) -> None:
    write(tmp_path, TANK)
    ran = guard(tmp_path)
    assert (ran.code, ran.out) == (150, "")
    place = tmp_path / BASELINE
    assert ran.complaint == (
        f"offsetproof: {place}: the file: there is none yet; write it with `offsetproof guard --update`"
    )
    ran = guard(tmp_path, "--update")
    assert (ran.code, ran.err) == (0, f"wrote {place}: 2 questions\n")
    assert ran.out.startswith(
        "Tank: 2 questions, 2 decided, 0 not decided again because their digests are equal; 2 new\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [BASELINE, "tank.py"]
    ran = guard(tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "0 decided, 2 not decided again because their digests are equal; nothing changed" in " ".join(
        ran.out.split()
    )
    assert "2 decided, 0 not decided again" in guard(tmp_path, "--all").out


def test_claim_that_held_is_code_12_with_its_story_until_the_change_is_accepted(folder: Path) -> None:
    write(folder, LEAKS)
    ran = guard(folder)
    assert ran.code == 12
    assert "full_tank_is_open (T1) in small: holds-to-refuted\n" in ran.out
    assert "full_tank_is_open (T1, always) fails after 5 steps\n" in ran.out
    assert "--update" not in ran.err, "which would not accept it"
    before = (folder / BASELINE).read_text()
    refused = guard(folder, "--update")
    assert refused.code == 12
    said = " ".join(refused.err.split())
    assert "full_tank_is_open (T1) in small: REFUTED where HOLDS is expected: not accepted" in said
    assert "(change what the claim expects, as with expected=REFUTED, or say --accept)" in said
    assert [cell["verdict"] for cell in json.loads((folder / BASELINE).read_text())["cells"]] == ["HOLDS", "HOLDS"]
    accepted = guard(folder, "--update", "--accept")
    assert (accepted.code, "full_tank_is_open (T1) in small: holds-to-refuted\n" in accepted.out) == (0, True)
    assert (folder / BASELINE).read_text() != before
    assert guard(folder).code == 0


def test_change_that_breaks_nothing_is_told_how_it_is_accepted(folder: Path) -> None:
    write(folder, TANK + GUSHES)
    ran = guard(folder)
    assert (ran.code, ran.err) == (20, "a change that is meant: the same with `--update` accepts it\n")
    assert guard(folder, "--update").err.startswith("wrote ")
    assert guard(folder).err == ""


def test_claim_that_was_made_weaker_is_told_though_nothing_else_changed(folder: Path) -> None:
    stated = "return self.open or self.level < self.scope.top"
    write(folder, TANK.replace(stated, f"{stated} or self.level == self.scope.top - 1"))
    ran = guard(folder)
    assert (ran.code, ran.err) == (0, "")
    same = "the claim or the model differs from the baseline's, with the same verdict and counts"
    told = f"{same}: full_tank_is_open (T1) in small"
    assert told in " ".join(ran.out.split())
    assert guard(folder, "--update").code == 0
    assert told not in " ".join(guard(folder).out.split())


def test_one_cell_in_ten_is_decided_again_whatever_its_digest(folder: Path) -> None:
    again = [read_valid("guard", guard(folder, f"--turn={turn}", "--format=json").out) for turn in range(10)]
    decided = [[cell["property"] for cell in each["cells"] if cell["decided"]] for each in again]
    assert sorted(claim for each in decided for claim in each) == ["T1", "W1"]
    turn = decided.index(["T1"])
    assert [each["turn"] for each in again] == [*range(10)]
    today = read_valid("guard", run("guard", "tank.py", "--format=json", cwd=folder).out)
    assert today["decided"] == again[today["turn"]]["decided"]
    told = " ".join(guard(folder, f"--turn={turn}").out.split())
    repeats = f"--turn {turn} repeats this run, --all decides every one"
    assert f"the questions of turn {turn} of 10, another one each day; {repeats}" in told
    assert "of turn" not in guard(folder, "--all").out


def test_only_the_claims_asked_for_are_compared_and_written(folder: Path) -> None:
    write(folder, LEAKS)
    assert guard(folder, "--property=W1").code == 0
    assert guard(folder, "--property=W1", "--update").code == 0
    assert guard(folder, "--property=T1").code == 12
    cells = json.loads((folder / BASELINE).read_text())["cells"]
    assert [(cell["property"], cell["verdict"]) for cell in cells] == [("T1", "HOLDS"), ("W1", "HOLDS")]


def test_limit_is_code_30_and_update_leaves_the_cell_as_it_was(folder: Path) -> None:
    before = (folder / BASELINE).read_text()
    ran = guard(folder, "--all", "--max-states=1")
    assert ran.code == 30
    assert "is UNKNOWN: state limit; scope small" in ran.out
    ran = guard(folder, "--all", "--max-states=1", "--update")
    assert (ran.code, ran.err.partition("; ")[2]) == (30, "not decided and left as they were: 2\n")
    assert (folder / BASELINE).read_text() == before


def test_each_format_tells_the_change_and_the_story(folder: Path) -> None:
    write(folder, LEAKS)
    told = {format: guard(folder, f"--format={format}") for format in ("json", "junit", "sarif", "github", "markdown")}
    assert {ran.code for ran in told.values()} == {12}
    cells = read_valid("guard", told["json"].out)["cells"]
    assert [(cell["property"], cell["release"], cell["change"]) for cell in cells] == [
        ("T1", None, "holds-to-refuted"),
        ("W1", None, "none"),
    ]
    suite = ElementTree.fromstring(told["junit"].out)[0]
    assert [[part.tag for part in case] for case in suite] == [["failure"], ["system-out"], []]
    assert "fails after 5 steps" in (suite[0][0].text or "")
    t1, w1 = json.loads(told["sarif"].out)["runs"][0]["results"]
    assert [(r["ruleId"], r["kind"], r["level"]) for r in (t1, w1)] == [("T1", "fail", "error"), ("W1", "pass", "none")]
    assert [flow["id"] for flow in t1["codeFlows"][0]["threadFlows"]] == ["valve", "tank"]
    line = TANK[: TANK.index('@always(id="T1")')].count("\n") + 1
    title = "full_tank_is_open (T1)"
    assert told["github"].out.startswith(
        f"::error file=tank.py,line={line},title={title} holds-to-refuted::{title} in small"
    )
    assert told["github"].out.count("\n") == 1
    assert "| full_tank_is_open (T1) |  | small | HOLDS -> REFUTED |" in told["markdown"].out
    assert "<summary>full_tank_is_open (T1): 5 steps</summary>" in told["markdown"].out


def test_unknown_is_an_error_in_junit_and_a_warning_elsewhere(folder: Path) -> None:
    args = ("--all", "--max-states=1")
    suite = ElementTree.fromstring(guard(folder, "--format=junit", *args).out)[0]
    assert [[part.tag for part in case] for case in suite] == [["error"], ["error"], []]
    results = json.loads(guard(folder, "--format=sarif", *args).out)["runs"][0]["results"]
    assert {(r["kind"], r["level"]) for r in results} == {("fail", "warning")}
    assert guard(folder, "--format=github", *args).out.count("::warning file=tank.py,line=") == 2


def test_github_says_that_nothing_changed(folder: Path) -> None:
    out = guard(folder, "--format=github").out
    assert out.startswith("::notice title=offsetproof guard::Tank: 2 questions, 0 decided, 2 not decided again")


def test_update_of_all_replaces_an_unreadable_baseline_but_not_another_subjects(folder: Path) -> None:
    path = folder / BASELINE
    good = path.read_text()
    path.write_text("{")
    assert guard(folder, "--update", "--property=T1").code == 150
    ran = guard(folder, "--update")
    assert (ran.code, path.read_text()) == (0, good)
    assert f"what could not be read is kept as {path}.unreadable" in ran.err
    path.write_text(good.replace('"Tank"', '"Barrel"'))
    assert guard(folder, "--update").code == 150
    assert '"Barrel"' in path.read_text()


def test_another_file_can_be_named(folder: Path) -> None:
    assert guard(folder, "--update", "--baseline=mine.json").code == 0
    assert (folder / "mine.json").read_text() == (folder / BASELINE).read_text()
    assert guard(folder, "--baseline=mine.json").code == 0
    ran = guard(folder, "--update", "--baseline=nowhere/mine.json")
    assert (ran.code, ran.out) == (150, "")
    assert ran.complaint == "offsetproof: --baseline: cannot write nowhere/mine.json: there is no folder nowhere"


def test_table_fits_80_columns(folder: Path) -> None:
    write(folder, LEAKS)
    code, text = in_terminal("guard", "tank.py", columns=80, cwd=folder)
    assert code == 12
    assert max(map(len, text.splitlines())) <= 80


def test_interrupted_update_writes_nothing_and_reports_what_was_decided(models: Path) -> None:
    with searching("guard", "long.py", "--update", "--max-memory=3GiB", cwd=models) as process:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.startswith("Long: 2 questions, 2 decided, 0 not decided again")
    assert "not_all_at_the_end in default: unknown\n  is UNKNOWN: interrupted; scope default" in out
    assert not list(models.glob("*.baseline.json*"))
