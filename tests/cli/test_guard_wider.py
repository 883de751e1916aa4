"""`guard --wider` as users run it: what held with one thing raised by one and does not any more is a violation."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.program import Ran, run
from systems.basin import BASIN
from systems.schemas import read_valid

RECORD = "basin.wider.json"

OVERFLOWS = BASIN.replace("self.level -= 1", "self.level += 1")
"""A leak that fills the basin: where none is allowed nobody can tell."""


FLIP = (
    "basin_is_never_full (B1) in usual with leak=1: held when it was recorded, REFUTED now (3 steps, 1 of them a fault)"
)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The basin with its baseline and what was found in its wider worlds."""
    folder = tmp_path_factory.mktemp("basin")
    (folder / "basin.py").write_text(BASIN, encoding="utf-8")
    assert run("guard", "basin.py", "--update", "--quiet", cwd=folder).code == 0
    ran = run("widen", "basin.py", "--update", cwd=folder)
    assert (ran.code, ran.err) == (20, f"wrote {folder / RECORD}: 2 worlds that hold, of 2 cases\n")
    return folder


@pytest.fixture
def folder(recorded: Path, tmp_path: Path) -> Path:
    for file in recorded.glob("basin.*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def guard(folder: Path, *args: str) -> Ran:
    return run("guard", "basin.py", *args, cwd=folder)


def words(ran: Ran) -> str:
    return " ".join(ran.out.split())


def test_what_is_recorded_is_what_holds_and_how_many_do_not(folder: Path) -> None:
    cases = json.loads((folder / RECORD).read_text())["Basin"]
    assert {case: (counts, [*held]) for case, (_, _, counts, held) in cases.items()} == {
        "B1 usual": ({"refuted": 1, "holds": 1}, ["leak"]),
        "B2 leaky": ({"holds": 1, "refuted": 1}, ["fills"]),
    }


def test_change_that_flips_a_wider_world_alone_is_code_12_with_its_smallest_story(folder: Path) -> None:
    (folder / "basin.py").write_text(OVERFLOWS, encoding="utf-8")
    assert guard(folder, "B1").code == 0
    ran = guard(folder, "B1", "--wider=60")
    assert ran.code == 12
    assert "1 wider world recorded as holding: 1 refuted" in words(ran)
    assert f"gap: {FLIP}" in words(ran)
    assert "basin_is_never_full (B1, always) fails after 3 steps" in ran.out
    assert "--update" not in ran.err, "which would not accept it"


def test_every_format_tells_of_a_flip(folder: Path) -> None:
    (folder / "basin.py").write_text(OVERFLOWS, encoding="utf-8")
    given = {name: guard(folder, "B1", "--wider=60", f"--format={name}") for name in ("json", "junit", "sarif")}
    texts = {name: guard(folder, "B1", "--wider=60", f"--format={name}") for name in ("github", "markdown")}
    assert {ran.code for ran in (*given.values(), *texts.values())} == {12}
    (world,) = read_valid("guard", given["json"].out)["wider"]
    assert (world["raised"], world["found"], world["faults"]) == ({"leak": 1}, "refuted", 1)
    assert len(world["trace"]["steps"]) == world["steps"] == 3
    assert [failure.get("message") for failure in ElementTree.fromstring(given["junit"].out).iter("failure")] == [FLIP]
    failed = [each for each in json.loads(given["sarif"].out)["runs"][0]["results"] if each["kind"] == "fail"]
    assert ["leak=1" in each["message"]["text"] for each in failed] == [True]
    assert texts["github"].out.count("leak=1") == 1
    assert texts["markdown"].out.count("<details>") == 1


def test_flip_that_was_recorded_is_none_and_what_has_not_changed_is_not_decided(folder: Path) -> None:
    each_turn = [guard(folder, "--wider=60", f"--turn={turn}", "--format=json") for turn in range(10)]
    assert {ran.code for ran in each_turn} == {0}
    found = [read_valid("guard", ran.out)["wider"] for ran in each_turn]
    decided = [*[name for worlds in found for world in worlds if world["found"] == "holds" for name in world["raised"]]]
    assert (sorted(decided), {len(worlds) for worlds in found}) == (["fills", "leak"], {2})
    assert "2 wider worlds recorded as holding: 2 hold" in words(guard(folder, "--wider=60", "--all"))


def test_world_that_is_not_decided_does_not_count_as_one_that_holds(folder: Path) -> None:
    ran = guard(folder, "B1", "--wider=60", "--all", "--max-states=4")
    assert (ran.code, "recorded as holding: 1 not decided" in words(ran)) == (30, True)
    assert "leak=1: held when it was recorded, and is too large now (state limit)" in words(ran)


def test_worlds_that_there_was_no_time_for_are_told_and_call_for_no_code(folder: Path) -> None:
    (folder / "basin.py").write_text(OVERFLOWS, encoding="utf-8")
    ran = guard(folder, "B1", "--wider=0")
    assert (ran.code, "1 wider world recorded as holding: 1 left for want of time" in words(ran)) == (0, True)


def test_case_whose_scope_has_changed_is_named_and_not_asked(folder: Path) -> None:
    (folder / "basin.py").write_text(BASIN.replace('Scope("usual")', 'Scope("usual", {"fills": 1})'), encoding="utf-8")
    ran = guard(folder, "B1", "--wider=60")
    assert "no wider world is recorded as holding" in words(ran)
    assert "wider worlds were recorded that are not there now, and not asked: B1 usual" in words(ran)


def test_record_that_is_not_there_or_not_of_this_model_is_told_with_the_way_out(folder: Path) -> None:
    way = "write it with `offsetproof widen --update`"
    record = folder / RECORD
    for text, wrong in (
        ("{}", f"the document: says nothing of 'Basin'; {way}"),
        ('{"Basin": {"B1 usual": 3}}', "expected `array`"),
        (None, f"the file: there is none yet; {way}"),
    ):
        record.unlink()
        if text is not None:
            record.write_text(text, encoding="utf-8")
        ran = guard(folder, "--wider=60")
        assert (ran.code, ran.out) == (150, "")
        assert wrong.lower() in ran.complaint.lower()
        record.touch()


def test_record_is_made_by_widen_alone_and_of_models_of_ones_own(folder: Path) -> None:
    assert guard(folder, "--update", "--wider=60").code == 2
    assert run("widen", "offset-files", "I12", "--update", cwd=folder).code == 2


TURNING = '''from offsetproof.lang import *

FASTER = Behaviour("faster", role="valve", about="opens twice from the second turn on")


class Turning(Model):
    """A valve that is turned so often; only from two turns on the releases differ."""

    bounds = {"turns": Default(1, "times that it is turned", range(5))}
    releases = (Release("one"), Release("two", frozenset({FASTER})))
    roles = ("valve",)
    scopes = (Scope("usual"),)
    level: int = integer(0, 9)
    turned: int = integer(0, 5)

    @action()
    def opens(self) -> None:
        require(self.turned < self.scope.turns)
        self.turned += 1
        self.level += 1

    @action()
    def opens_more(self) -> None:
        require(self.scope.turns >= 2, self.turned >= 2, self.level < LIMIT, self.setting.behaves(FASTER))
        self.level += 1

    @always(id="B1", expected=HOLDS)
    def valve_is_half_open(self) -> bool:
        return self.level <= 4
'''


@pytest.mark.parametrize(("release", "found"), [([], "1 hold, 1 refuted"), (["--release=two"], "1 refuted")])
def test_worlds_of_a_release_whose_case_has_an_earlier_ones_system_are_asked(
    release: list[str], found: str, tmp_path: Path
) -> None:
    model = tmp_path / "valve.py"
    model.write_text(TURNING.replace("LIMIT", "4"), encoding="utf-8")
    assert run("guard", "valve.py", "--update", "--quiet", cwd=tmp_path).code == 13, "a step is of wider worlds alone"
    assert run("widen", "valve.py", "--update", "--quiet", cwd=tmp_path).code == 0
    model.write_text(TURNING.replace("LIMIT", "9"), encoding="utf-8")
    ran = run("guard", "valve.py", "--wider=60", "--all", *release, cwd=tmp_path)
    assert ran.code == 12
    assert f"recorded as holding: {found}" in words(ran)


@pytest.mark.parametrize("short", ["--max-states=4", "--budget=0"])
def test_update_keeps_what_it_is_too_short_to_decide(short: str, folder: Path) -> None:
    run("widen", "basin.py", "B1", "--update", "--quiet", short, cwd=folder)
    (folder / "basin.py").write_text(OVERFLOWS, encoding="utf-8")
    assert guard(folder, "B1", "--wider=60").code == 12


def test_what_is_recorded_and_cannot_be_raised_any_more_is_named(folder: Path) -> None:
    (folder / "basin.py").write_text(BASIN.replace('"leak"', '"drip"'), encoding="utf-8")
    assert "not there now, and not asked: B1 usual with leak" in words(guard(folder, "B1", "--wider=60"))


def test_update_keeps_what_is_recorded_of_other_cases(folder: Path) -> None:
    before = json.loads((folder / RECORD).read_text())
    assert run("widen", "basin.py", "B2", "--update", "--quiet", cwd=folder).code == 20
    assert json.loads((folder / RECORD).read_text()) == before


def test_two_models_of_one_file_have_one_record(folder: Path) -> None:
    (folder / "basin.py").write_text(BASIN + "\n\nclass Other(Basin):\n    pass\n", encoding="utf-8")
    before = json.loads((folder / RECORD).read_text())
    assert run("widen", "basin.py:Other", "B1", "--update", "--quiet", cwd=folder).code == 20
    after = json.loads((folder / RECORD).read_text())
    assert (after.pop("Other").keys(), after) == ({"B1 usual"}, before)


def test_update_refuses_a_damaged_record_before_anything_is_asked(folder: Path) -> None:
    (folder / RECORD).write_text('{"Basin": 3}', encoding="utf-8")
    ran = run("widen", "basin.py", "--update", cwd=folder)
    assert (ran.code, ran.out) == (150, "")
    assert (folder / RECORD).read_text() == '{"Basin": 3}'


def test_widen_leaves_what_its_budget_is_not_enough_for(folder: Path) -> None:
    ran = run("widen", "basin.py", "--budget=0", cwd=folder)
    assert (ran.code, ran.out.startswith("6 worlds not asked")) == (30, True)
