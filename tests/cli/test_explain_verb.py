"""The verb `explain`: what it prints, in both formats, and its exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from cli.program import in_terminal, run, write_models
from systems.schemas import read_valid

from offsetproof.cli.explain_verb import CAUSES_MAX

HOUSE = '''from offsetproof.lang import *

LOCK = Behaviour("new-lock", "house", "no copied key fits")


CALM = Assumption("calm", "nobody kicks doors in")

class House(Model):
    """Entered by a copied key, by the window, or by force."""

    scopes = (Scope("day", {"doors": 1}, {"force": 1}), Scope("night", {"doors": 1}), Scope("large", {"doors": 9}))
    releases = (Release("1"),)
    roles = ("house",)
    fixes = (Fix("new-lock", "no copied key fits", adds=frozenset({LOCK})),)
    assumptions = (CALM,)
    has_key: bool = flag()
    at_window: bool = flag()
    inside: bool = flag()
    noise: int = integer(0, 2)

    @action()
    def burglar_copies_key(self) -> None:
        self.has_key = True

    @action()
    def burglar_turns_key(self) -> None:
        require(self.has_key, not self.setting.behaves(LOCK))
        self.inside = True

    @action()
    def burglar_climbs(self) -> None:
        require(not self.at_window)
        self.at_window = True

    @action()
    def burglar_jumps_in(self) -> None:
        require(self.at_window)
        self.noise = 1
        self.inside = True

    @action(fault="force")
    def burglar_kicks_door(self) -> None:
        """The door gives way."""
        require(not self.setting.assumes(CALM))
        self.inside = True

    @always(id="H1", expected={"1": REFUTED}, scopes=["day", "night"])
    def nobody_gets_in(self) -> bool:
        """Nobody gets in."""
        return not self.inside

    @always(id="H2", expected={"1": HOLDS}, scopes=["day"])
    def window_is_a_way_in(self) -> bool:
        return self.noise < 2
'''

STILL = """from offsetproof.lang import *

class Still(Model):
    x: int = integer(0, 5)
    start: int = integer(0, 1, ANYTHING)

    @action()
    def rises(self) -> None:
        require(self.x < 4)
        self.x = self.x + 1

    @always
    def is_small(self): return self.x < 6
    @always
    def moves_on(self): return self.x < 5
    @always(expected=REFUTED)
    def not_at_first_or_third(self): return self.x != 0 + 3 * self.start
"""

WINDOW = ["burglar_climbs", "burglar_jumps_in"]
KEY = ["burglar_copies_key", "burglar_turns_key"]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A folder with the house."""
    return write_models(tmp_path, {"house": HOUSE})


def test_json_has_every_cause_with_what_removes_it_and_what_ended_the_search(house: Path) -> None:
    ran = run("explain", "house.py", "H1", "--format=json", cwd=house)
    assert ran.code == 0
    found = read_valid("explain", ran.out)
    assert (found["schema"], found["subject"]) == (1, "House")
    told = [(each["cause"], each["removed_by"], each["excluded"], each["also_in"]) for each in found["causes"]]
    assert told == [
        (WINDOW, [], True, ["night"]),
        (KEY, ["new-lock"], False, ["night"]),
        (["burglar_kicks_door"], ["calm"], False, []),
    ]
    assert [each["trace"]["cause"] for each in found["causes"]] == [each["cause"] for each in found["causes"]]
    assert (found["causes"][0]["trace"]["effect"], found["causes"][0]["trace"]["timing"]) == (None, None)
    ends = [
        (end["scope"]["name"], end["verdict"], end["fixes"], end["assumptions"], end["excluded"])
        for end in found["ends"]
    ]
    assert ends == [
        ("day", "HOLDS", ["new-lock"], ["calm"], [WINDOW]),
        ("night", "HOLDS", ["new-lock"], [], [WINDOW]),
    ]


def without_mark(text: str) -> str:
    """A text without the marks that tell causes with the same most telling action from each other."""
    return re.sub(r"(?<=[a-z])-[0-9a-f]{4}(?=[:\s]|$)", "", text)


def test_text_has_a_table_the_endings_and_every_story(house: Path) -> None:
    ran = run("explain", "house.py", "H1", "--scope=day", cwd=house)
    assert ran.code == 0
    assert ran.out.startswith("House 1: nobody_gets_in (H1) has 3 distinct causes\n")
    rows = [line.split() for line in ran.out.splitlines() if line.strip()[:2] in ("1 ", "2 ", "3 ")][:3]
    assert [(without_mark(row[1]), row[2], row[3], row[-2]) for row in rows] == [
        ("burglar-jumps-in", "2", "0", "-"),
        ("burglar-turns-key", "2", "0", "new-lock"),
        ("burglar-kicks-door", "1", "1", "calm"),
    ]
    flat = without_mark(" ".join(ran.out.split()))
    assert "scope day with fix new-lock; assuming calm, without 1 excluded cause: HOLDS, exhaustive" in flat
    assert "cause 1, burglar-jumps-in: removed by nothing that was asked alone" in flat
    assert "other causes that contain all of them are not seen" in flat
    assert (
        "cause 3, burglar-kicks-door: removed by calm The door gives way. "
        "actions that not every cause has: burglar_kicks_door "
        "nobody_gets_in (H1, always) fails after 1 step, 1 of them a fault in day "
        "1 system fault: The door gives way (inside False -> True)"
    ) in flat


def test_stories_are_brief_full_or_not_told(house: Path) -> None:
    told = {
        form: without_mark(run("explain", "house.py", "H1", "--scope=night", *form, cwd=house).out)
        for form in ((), ("--stories=brief",), ("--stories=full",), ("--stories=none",))
    }
    assert told[()] == told["--stories=brief",]
    assert "    2 system  burglar_turns_key (inside False -> True)" in told[()]
    assert "  2  system, main: burglar_turns_key\n       at house.py:" in told["--stories=full",]
    assert (
        "cause 2, burglar-turns-key: removed by new-lock\n  Burglar copies key; then burglar turns key."
        in told["--stories=none",]
    )
    assert "nobody_gets_in (H1, always) fails" not in told["--stories=none",]


def test_name_and_sentence_of_a_cause_are_the_same_in_text_and_json(house: Path) -> None:
    causes = json.loads(run("explain", "house.py", "H1", "--format=json", cwd=house).out)["causes"]
    text = " ".join(run("explain", "house.py", "H1", cwd=house).out.split())
    names = [cause["name"] for cause in causes]
    assert [without_mark(name) for name in names] == ["burglar-jumps-in", "burglar-turns-key", "burglar-kicks-door"]
    assert causes[0]["sentence"] == "Burglar climbs; then burglar jumps in."
    for number, cause in enumerate(causes, 1):
        removed = " or ".join(cause["removed_by"]) or "nothing that was asked alone"
        assert f"cause {number}, {cause['name']}: removed by {removed} {cause['sentence']}" in text


def test_text_fits_a_terminal_of_80_columns(house: Path) -> None:
    code, text = in_terminal("explain", "house.py", "H1", columns=80, cwd=house)
    assert code == 0
    assert [line for line in text.split("\n") for line in [line.split("\r")[-1]] if len(line) > 80] == []


@pytest.mark.slow
def test_no_word_value_or_name_is_cut_at_80_columns() -> None:
    code, text = in_terminal("explain", "I11", "--no-progress", columns=80)
    assert code == 0
    assert "..." not in text
    assert "…" not in text
    assert "    1 rebalance      Finds an allocated queue unlisted; removes a left-over cell\n" in text
    assert "(committed 0 -> None)" in text
    assert re.search(r"row-made-\s", text)  # in the table, behind a hyphen
    assert ": removed by row-made-atomically\n" in text


def test_code_is_that_of_the_claim(house: Path) -> None:
    assert run("explain", "house.py", "H2", cwd=house).code == 0
    assert run("explain", "house.py", "H1", "--scope=day", "--fix=new-lock", cwd=house).code == 12
    assert run("explain", "house.py", "H1", "--max-states=1", cwd=house).code == 30
    unknown = run("explain", "house.py", "H3", cwd=house)
    assert (unknown.code, unknown.out) == (2, "")
    assert unknown.complaint.startswith("offsetproof: no claim named 'H3'; did you mean H")
    assert run("explain", cwd=house).code == 2


def test_code_is_unknown_where_there_may_be_more_causes_than_were_found(house: Path) -> None:
    ran = run("explain", "house.py", "H1", "--scope=day", "--max-states=5", cwd=house)
    assert ran.out.startswith("House 1: nobody_gets_in (H1) has ")
    assert "UNKNOWN, there may be more: state limit" in " ".join(ran.out.split())
    assert ran.code == 30
    assert run("explain", "house.py", "H1", "--scope=day", "--max-states=6", cwd=house).code == 0


def test_code_is_unknown_where_the_number_of_causes_that_nobody_asked_for_ended_the_search(tmp_path: Path) -> None:
    steps = "".join(
        f"    @action()\n    def step{n}(self) -> None:\n        self.broken = True\n\n" for n in range(CAUSES_MAX + 2)
    )
    (tmp_path / "many.py").write_text(
        "from offsetproof.lang import REFUTED, Model, action, always, flag\n\n\nclass Many(Model):\n"
        f"    broken: bool = flag()\n\n{steps}"
        "    @always(expected=REFUTED)\n    def whole(self) -> bool:\n        return not self.broken\n"
    )
    ran = run("explain", "many.py", "whole", "--format=json", cwd=tmp_path)
    assert (ran.code, len(read_valid("explain", ran.out)["causes"])) == (30, CAUSES_MAX)
    assert run("explain", "many.py", "whole", f"--max-causes={CAUSES_MAX}", cwd=tmp_path).code == 0


def test_as_many_causes_as_asked_are_explained(house: Path) -> None:
    ran = run("explain", "house.py", "H1", "--scope=night", "--max-causes=1", "--format=json", cwd=house)
    found = read_valid("explain", ran.out)
    assert ([each["cause"] for each in found["causes"]], found["ends"][0]["verdict"]) == ([WINDOW], "REFUTED")
    assert found["whole"] is False
    text = run("explain", "house.py", "H1", "--scope=night", "--max-causes=1", cwd=house).out
    assert text.startswith("House 1: nobody_gets_in (H1) has at least 1 cause\n")


def test_claim_that_no_search_has_decided_is_not_said_to_have_no_cause(house: Path) -> None:
    text = run("explain", "house.py", "H1", "--max-states=1", cwd=house).out
    assert text.startswith(
        "House 1: nobody_gets_in (H1) is not explained: no cause was found before the search ended\n"
    )


def test_claim_that_holds_has_no_cause(house: Path) -> None:
    ran = run("explain", "house.py", "H2", cwd=house)
    assert ran.out.startswith(
        "House 1: window_is_a_way_in (H2) has no cause\nscope day: HOLDS, exhaustive in scope day"
    )


@pytest.mark.slow
def test_claim_that_nothing_could_have_broken_is_vacuous_in_every_form(tmp_path: Path) -> None:
    (tmp_path / "still.py").write_text(STILL)
    ran = run("explain", "still.py", "is_small", cwd=tmp_path)
    why = "true whatever its fields hold in this scope; no step could break it"
    assert (ran.code, ran.out.splitlines()[0]) == (13, "Still: is_small has no cause, and is VACUOUS")
    assert f"scope default: VACUOUS, {why}; exhaustive in scope default" in " ".join(ran.out.split())
    found = read_valid("explain", run("explain", "still.py", "is_small", "--format=json", cwd=tmp_path).out)
    assert [(end["verdict"], end["vacuous"]) for end in found["ends"]] == [("HOLDS", why)]
    moved = read_valid("explain", run("explain", "still.py", "moves_on", "--format=json", cwd=tmp_path).out)
    assert [(end["verdict"], end["vacuous"]) for end in moved["ends"]] == [("HOLDS", None)]


def test_initial_state_that_breaks_a_claim_is_no_cause_that_can_be_excluded(tmp_path: Path) -> None:
    """Every run contains all of no actions, so nothing would be left to judge, and the claim would hold."""
    (tmp_path / "still.py").write_text(STILL)
    ran = run("explain", "still.py", "not_at_first_or_third", cwd=tmp_path)
    told = " ".join(ran.out.split())
    assert (ran.code, ran.out.splitlines()[0]) == (30, "Still: not_at_first_or_third has at least 1 cause")
    assert "scope default: REFUTED, and the search for further causes ended there" in told
    assert "cause 1, initial-state: removed by nothing that was asked alone It is broken before any step." in told
    assert "excluded" not in told
    found = read_valid(
        "explain", run("explain", "still.py", "not_at_first_or_third", "--format=json", cwd=tmp_path).out
    )
    assert (found["whole"], [cause["name"] for cause in found["causes"]]) == (False, ["initial-state"])


def test_built_in_claim_is_explained_with_effect_and_timing() -> None:
    ran = run("explain", "I18", "--format=json", "--no-progress", "--max-causes=1")
    assert ran.code == 0
    (cause,) = read_valid("explain", ran.out)["causes"]
    assert cause["trace"]["effect"]["kind"] == "permanent"
    assert (cause["trace"]["timing"]["stall"], len(cause["trace"]["timing"]["times"])) == (0, cause["trace"]["length"])


@pytest.mark.parametrize(("words", "again"), [
    (("W-late-poll",), "check W-late-poll"),
    (("counter.py", "reaches_three"), "check counter.py reaches_three"),
])  # fmt: skip
def test_witness_has_no_causes_and_the_verb_that_tells_of_it_is_named(
    tmp_path: Path, words: Sequence[str], again: str
) -> None:
    ran = run("explain", *words, cwd=write_models(tmp_path))
    assert (ran.code, ran.out) == (2, "")
    assert f"{words[-1]} is a witness, which has no causes; `{again}` tells how it is reached" in ran.err


def test_causes_of_two_releases_are_told_apart(tmp_path: Path) -> None:
    later = HOUSE.replace('Release("1"),', 'Release("1"), Release("2"),').replace('{"1": REFUTED}', "REFUTED")
    (tmp_path / "house.py").write_text(later)
    ran = run("explain", "house.py", "H1", "--scope=night", "--release=all", "--stories=none", cwd=tmp_path)
    heads = re.findall(r"^House (\d): nobody_gets_in \(H1\) has (\d) distinct causes", ran.out, re.MULTILINE)
    assert heads == [("1", "2"), ("2", "2")]
