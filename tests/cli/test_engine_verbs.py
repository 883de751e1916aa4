"""The verbs and options that ask other engines, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import COUNTER, run
from systems.schemas import read_valid

JUGS = Path(__file__).parents[2] / "examples" / "water_jugs.py"


def test_all_engines_agree_on_an_example_and_say_so() -> None:
    ran = run("check", JUGS, "--engine=all", "--depth=8", "--format=json")
    document = read_valid("check", ran.out)
    for result in document["results"]:
        assert [each["engine"] for each in result["agreement"]] == ["explicit", "smt", "stateful"]
    text = run("check", JUGS, "--engine=all", "--depth=8").out
    assert "0 disagreements" in text
    assert "agreement: explicit " in text


@pytest.mark.parametrize("engine", ["smt", "stateful"])
def test_an_engine_alone_finds_six_steps_to_four_litres(engine: str) -> None:
    ran = run("check", JUGS, f"--engine={engine}", "--format=json")
    found = [r["trace"]["length"] for r in json.loads(ran.out)["results"] if r["trace"]]
    assert 6 in found


def test_simulation_tells_stories_and_rates() -> None:
    ran = run("simulate", JUGS, "--steps=20000", "--examples=3", "--no-progress")
    assert "million steps/s walking" in ran.out
    assert "steps by Hypothesis" in ran.out or "steered walks" in ran.out
    again = run("simulate", JUGS, "--steps=20000", "--examples=3", "--no-progress", "--format=json", "--seed=5")
    document = read_valid("simulate", again.out)
    assert document["simulations"][0]["walk_steps"] > 0
    assert {r["engine"] for r in document["results"]} == {"stateful"}


def test_simulation_that_meets_no_violation_is_as_expected_in_its_report_and_its_code(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER)
    few = ("--steps=2000", "--examples=1", "--scope=small", "--no-progress")
    ran = run("simulate", "counter.py", "never_falls", *few, cwd=tmp_path)
    assert (ran.code, "\nCounter: 1 UNKNOWN; all as expected\n" in ran.out) == (0, True)
    none = run("simulate", "counter.py", "never_falls", "--steps=0", "--examples=0", cwd=tmp_path)
    assert (none.code, "\nCounter: 1 UNKNOWN; 1 not as expected\n" in none.out) == (30, True)
    sampled = run("check", "counter.py", "never_falls", "--engine=stateful", "--timeout=1", cwd=tmp_path)
    assert (sampled.code, sampled.out.partition("\n")[0]) == (30, "Counter: 1 UNKNOWN; 1 not as expected")


@pytest.mark.parametrize(("to", "files"), [
    ("tla", {".tla", ".cfg"}), ("promela", {".pml"}), ("stateright", {".toml", ".rs"}),
])  # fmt: skip
def test_export_writes_a_folder_that_is_ready_to_run(to: str, files: set[str], tmp_path: Path) -> None:
    ran = run("export", JUGS, f"--to={to}", f"--out-dir={tmp_path}")
    assert (ran.code, ran.out) == (0, "")
    assert {path.suffix for path in tmp_path.rglob("*") if path.is_file()} == files
    assert ran.err.startswith("wrote ")


def test_folder_that_cannot_be_written_is_code_150_and_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    ran = run("export", JUGS, "--to=tla", f"--out-dir={tmp_path / 'file' / 'folder'}")
    assert (ran.code, ran.out) == (150, "")
    assert ran.complaint == f"offsetproof: --out-dir: cannot write {tmp_path / 'file' / 'folder'}: Not a directory"
    (tmp_path / "WaterJugs.tla").mkdir()
    ran = run("export", JUGS, "--to=tla", f"--out-dir={tmp_path}")
    assert (ran.code, ran.out) == (150, "")
    assert ran.complaint == f"offsetproof: --out-dir: cannot write {tmp_path / 'WaterJugs.tla'}: it is a folder"


def test_unknown_claim_is_code_2_with_the_nearest_and_nothing_is_written(tmp_path: Path) -> None:
    ran = run("export", JUGS, "--to=tla", "--property=four_liters", f"--out-dir={tmp_path}")
    told = "offsetproof: no claim named 'four_liters'; did you mean four_litres?\n"
    assert (ran.code, ran.out, ran.err) == (2, "", told)
    assert list(tmp_path.iterdir()) == []


WIDE = """from offsetproof.lang import *

class Wide(Model):
    x: int = integer(0, 2**31)
    @action()
    def goes(self) -> None:
        self.x = 2**31 - self.x
    @always()
    def positive(self) -> bool:
        return self.x >= 0
"""


def test_what_a_language_cannot_say_is_refused_with_code_152_and_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "wide.py").write_text(WIDE, encoding="utf-8")
    refused = run("export", "wide.py", "--no-slice", "--to=promela", "--out-dir=written", cwd=tmp_path)
    assert (refused.code, refused.out) == (152, "")
    assert refused.err == (
        "offsetproof: field x ranges from 0 to 2147483648, and SPIN computes with 31 bits; use smaller domains, or "
        "export to TLA+ or Stateright\n"
    )
    assert not (tmp_path / "written").exists()
    for to in ("tla", "stateright"):
        assert run("export", "wide.py", "--no-slice", f"--to={to}", "--out-dir=written", cwd=tmp_path).code == 0


def test_unknown_language_and_engine_are_refused() -> None:
    assert run("export", JUGS, "--to=alloy").code == 2
    assert run("check", JUGS, "--engine=oracle").code == 2


@pytest.mark.parametrize("choice", ["--scope=all", "--release=all", "--release=4.9.4 --release=4.9.8"])
@pytest.mark.parametrize("verb", ["graph", "export --to=tla", "explore --text"])
def test_verb_of_one_world_refuses_several(tmp_path: Path, verb: str, choice: str) -> None:
    ran = run(*verb.split(), "rocketmq", *choice.split(), cwd=tmp_path)
    assert (ran.code, ran.out, [*tmp_path.iterdir()]) == (2, "", [])
    assert "this is of one world; name one scope and one release" in " ".join(ran.err.split())
