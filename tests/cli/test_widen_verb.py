"""`widen` as users run it: what flips with the command that shows it, as JSON, and within limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import in_terminal, run
from systems.basin import BASIN, RAINY, TERRACES
from systems.schemas import read_valid


@pytest.fixture
def basin(tmp_path: Path) -> Path:
    (tmp_path / "basin.py").write_text(BASIN, encoding="utf-8")
    return tmp_path


def test_flips_are_told_in_80_columns_with_commands_that_show_them(basin: Path) -> None:
    code, text = in_terminal("widen", "basin.py", "--no-progress", columns=80, cwd=basin)
    words = " ".join(text.split())
    assert code == 20
    assert max(map(len, text.splitlines())) <= 80
    assert words.startswith(
        "Basin, each bound and fault raised by one: 6 worlds; 2 hold, 2 are the same system as before, 2 flip, 0 are "
        "not decided"
    )
    assert "B1 usual: fills=3: REFUTED (3 steps, no fault)" in words
    shown = [line.split()[1:] for line in text.splitlines() if line.strip().startswith("offsetproof check")]
    assert shown == [
        ["check", "basin.py", "B1", "--scope", "usual", "--bound", "fills=3"],
        ["check", "basin.py", "B2", "--scope", "leaky", "--bound", "leak=2"],
    ]
    for command in shown:
        assert run(*command, cwd=basin).code == 12


def test_json_has_every_world_and_what_was_found_there(basin: Path) -> None:
    ran = run("widen", "basin.py", "B2", "--format=json", cwd=basin)
    found = read_valid("widen", ran.out)
    assert (ran.code, ran.err, found["not_asked"], found["not_holding"]) == (20, "", 0, [])
    assert [(world["raised"], world["found"]) for world in found["worlds"]] == [
        ({"fills": 3}, "holds"),
        ({"unread": 2}, "same system"),
        ({"leak": 2}, "refuted"),
    ]
    assert found["worlds"][2] == {
        "property": "B2",
        "release": None,
        "scope": {"name": "leaky", "fills": 2, "unread": 1, "fixed": 1, "faults": {"leak": 1}},
        "raised": {"leak": 2},
        "found": "refuted",
        "reason": None,
        "detail": "",
        "faults": 2,
        "steps": 4,
        "states": found["worlds"][2]["states"],
        "reduced": False,
    }


def test_world_that_is_not_decided_is_code_30_and_says_why(basin: Path) -> None:
    ran = run("widen", "basin.py", "B1", "--max-states=3", cwd=basin)
    assert ran.code == 30
    assert "B1 usual: too large (state limit" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("states", "option", "is_reduced"),
    [(150_000, (), True), (1_000_000, (), False), (150_000, ("--stubborn",), True), (125_000, ("--stubborn",), True)],
)
def test_stubborn_sets_decide_what_is_too_large_for_a_whole_search(
    tmp_path: Path, states: int, option: tuple[str, ...], is_reduced: bool
) -> None:
    (tmp_path / "terraces.py").write_text(TERRACES, encoding="utf-8")
    ran = run("widen", "terraces.py", f"--max-states={states}", "--format=json", *option, cwd=tmp_path)
    (world,) = read_valid("widen", ran.out)["worlds"]
    assert (ran.code, world["raised"], world["found"], world["reduced"]) == (0, {"fills": 19}, "holds", is_reduced)
    recorded = run("widen", "terraces.py", f"--max-states={states}", "--update", *option, cwd=tmp_path)
    assert ("1 hold (1 of them by stubborn sets), 0 are" in " ".join(recorded.out.split())) is is_reduced
    (case,) = json.loads((tmp_path / "terraces.wider.json").read_bytes())["Terraces"].values()
    assert (case[2], [*case[3]]) == ({"by stubborn sets" if is_reduced else "holds": 1}, ["fills"])


def test_case_that_is_too_large_itself_is_not_widened_without_stubborn_sets(tmp_path: Path) -> None:
    (tmp_path / "terraces.py").write_text(TERRACES, encoding="utf-8")
    ran = run("widen", "terraces.py", "--max-states=125000", "--format=json", cwd=tmp_path)
    assert (ran.code, read_valid("widen", ran.out)["not_holding"]) == (30, ["T1 usual"])


def test_what_does_not_hold_itself_is_not_widened_and_named(basin: Path) -> None:
    (basin / "basin.py").write_text(BASIN.replace("level <= 2", "level <= 1"), encoding="utf-8")
    ran = run("widen", "basin.py", cwd=basin)
    assert ran.code == 12
    assert "nothing is raised of what is not found to hold itself: B1 usual (REFUTED)" in " ".join(ran.out.split())
    assert [line.split()[0] for line in ran.out.splitlines() if line.startswith(" B")] == ["B2"]


def test_claim_that_is_expected_to_be_refuted_leaves_nothing_to_raise(basin: Path) -> None:
    ran = run("widen", "basin.py", "B3", cwd=basin)
    assert (ran.code, ran.out) == (30, "Basin: no case holds of which anything can be raised\n")


def test_two_that_are_raised_together_are_told_with_the_command_that_shows_the_flip(tmp_path: Path) -> None:
    (tmp_path / "rainy.py").write_text(RAINY, encoding="utf-8")
    ran = run("widen", "rainy.py", "--pairs", "--out-dir=out", cwd=tmp_path)
    words = " ".join(ran.out.split())
    assert (ran.code, (tmp_path / "out" / "widened.parquet").is_file()) == (20, True)
    assert "10 worlds; 4 hold, 0 are the same system as before, 1 flip, 5 raise two that are not related" in words
    assert "B1 usual: fills=2 drip=1: REFUTED (7 steps, 1 of them a fault)" in words
    (shown,) = [line.split()[1:] for line in ran.out.splitlines() if line.strip().startswith("offsetproof check")]
    assert shown == ["check", "rainy.py", "B1", "--scope", "usual", "--bound", "fills=2", "--bound", "drip=1"]
    assert run(*shown, cwd=tmp_path).code == 12


@pytest.mark.parametrize("options", [
    ["--master=local[2]"], ["--master=local[2]", "--out-dir=out", "--budget=9"],
    ["--master=local[2]", "--out-dir=out", "--stubborn"],
])  # fmt: skip
def test_options_that_do_not_go_together_are_refused(basin: Path, options: list[str]) -> None:
    assert run("widen", "basin.py", *options, cwd=basin).code == 2
    assert not (basin / "out").exists()


@pytest.mark.slow
def test_command_that_shows_a_flip_of_a_built_in_claim_names_the_claim_first() -> None:
    ran = run("widen", "I11-fixed", "--release=5.3.3")
    shown = [line.split()[1:] for line in ran.out.splitlines() if line.strip().startswith("offsetproof check")]
    assert (ran.code, [words[:2] for words in shown]) == (20, [["check", "I11-fixed"]] * 4)
    assert run(*shown[0]).code == 12
