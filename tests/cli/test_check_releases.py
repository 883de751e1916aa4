"""Which releases `check` asks: all where none is named; each has a column, and what is the same is decided once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import run

LAMP = '''
from offsetproof.lang import *

BLINKS = Behaviour("blinks", "lamp", "it goes off again")


class Lamp(Model):
    """A lamp."""

    roles = ("lamp",)
    releases = (Release("1.0"), Release("1.1"), Release("2.0", frozenset({BLINKS})))
    usual_release = releases[0]
    fixes = (BLINKS.fix,)
    lit: bool = flag()

    @action()
    def lights(self) -> None:
        if self.setting.behaves(BLINKS):
            self.lit = not self.lit
        else:
            self.lit = True

    @always(
        case("L1", REFUTED, why="it lights", no_remedy="a lamp lights"),
        case("L1-blinking", REFUTED, only_of=[BLINKS], why="it lights", no_remedy="a lamp lights"),
    )
    def stays_dark(self) -> bool:
        """It is dark."""
        return not self.lit
'''

SPEAKS_OF_ONE = '''

@each_step(case("L2", REFUTED, only_of=[BLINKS], why="it blinks", no_remedy="a lamp blinks"))
def stays_lit(before: Lamp, after: Lamp, step: Step) -> bool:
    """It never goes off."""
    return after.lit if before.lit else True
'''


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    """A folder with a lamp in three releases, two of which do the same."""
    (tmp_path / "lamp.py").write_text(LAMP, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("words", "releases"), [
    (("L1",), ["1.0", "1.1", "2.0"]), (("--property=L1",), ["1.0", "1.1", "2.0"]), (("L1-blinking",), ["2.0"]),
    (("L1", "--release=2.0"), ["2.0"]), (("L1", "--release=all"), ["1.0", "1.1", "2.0"]),
])  # fmt: skip
def test_every_release_is_asked_where_none_is_named_and_each_has_a_column(
    lamp: Path, words: tuple[str, ...], releases: list[str]
) -> None:
    ran = run("check", "lamp.py", *words, cwd=lamp)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Lamp {', '.join(releases)}: {len(releases)} REFUTED; all as expected\n")
    row = next(line for line in ran.out.splitlines() if line.startswith(" stays"))
    assert row.count("REFUTED") == len(releases)


def test_case_has_a_dash_where_it_says_nothing_of_a_release(lamp: Path) -> None:
    rows = [line.split() for line in run("check", "lamp.py", cwd=lamp).out.splitlines()]
    assert ["stays-dark", "(L1-blinking)", "in", "default", "-", "-", "REFUTED"] in rows


def test_verdict_is_no_expected_one_in_a_release_of_which_the_case_says_nothing(lamp: Path) -> None:
    ran = run("check", "lamp.py", "L1-blinking", "--release=1.0", cwd=lamp)
    assert ran.code == 12
    assert ran.out.startswith("Lamp 1.0: 1 REFUTED; 1 not as expected\n")
    said = "the case says nothing of 1.0, and expects no verdict there (a refuted one counts as unexpected); `list"
    assert said in " ".join(ran.out.split())
    assert "says nothing of" not in run("check", "lamp.py", "L1-blinking", "--release=2.0", cwd=lamp).out


def test_fix_that_a_release_has_anyway_is_said_to_change_nothing_there(lamp: Path) -> None:
    words = ("check", "lamp.py", "L1", "--fix=blinks")
    said = "2.0 has blinks without the fix, which changes nothing there"
    assert said in " ".join(run(*words, "--release=2.0", cwd=lamp).out.split())
    assert "without the fix" not in run(*words, "--release=1.0", cwd=lamp).out


RINGS = '''
    ringing: bool = flag()

    @action()
    def rings(self) -> None:
        self.ringing = not self.ringing if self.setting.behaves(RINGS) else True

    @always(id="L4", expected=REFUTED)
    def is_quiet(self) -> bool:
        """It does not ring."""
        return not self.ringing
'''


def test_fix_of_which_the_case_sees_nothing_is_said_to_change_nothing(lamp: Path) -> None:
    of_both = LAMP.replace("fixes = (BLINKS.fix,)", "fixes = (BLINKS.fix, RINGS.fix)")
    declared = of_both.replace("\n\nclass Lamp", 'RINGS = Behaviour("rings", "lamp", "it rings")\n\n\nclass Lamp')
    (lamp / "lamp.py").write_text(declared + RINGS, encoding="utf-8")

    def told(*words: str) -> str:
        return " ".join(run("check", "lamp.py", *words, cwd=lamp).out.split())

    said = "fix rings changes nothing here: without it the system of {} in default of {} is the same"
    for release in ("1.0", "2.0"):
        assert said.format("L1", release) in told("L1", "--fix=rings", f"--release={release}")
        assert "changes nothing" not in told("L4", "--fix=rings", f"--release={release}")
        assert "changes nothing" not in told("L1", f"--release={release}")
    every = told("L1", "--fix=rings", "--fix=blinks", "--workers=1")
    assert all(said.format("L1", release) in every for release in ("1.0", "1.1", "2.0"))
    assert every.count("2.0 has blinks without the fix, which changes nothing there") == 1
    assert "fix blinks changes nothing" not in every


def test_case_that_says_nothing_of_a_release_names_those_that_are_asked_there_instead(lamp: Path) -> None:
    blinking = 'case("L1-blinking"'
    steady = 'case("L1-steady", REFUTED, not_of=[BLINKS], why="it lights", no_remedy="a lamp lights"),'
    (lamp / "lamp.py").write_text(LAMP.replace(blinking, f"{steady}\n        {blinking}"), encoding="utf-8")
    for words, instead in (
        (("L1-steady", "--release=2.0"), "L1-blinking"),
        (("L1-blinking", "--release=1.1"), "L1-steady"),
    ):
        for verb in ("check", "explain", "guard"):
            ran = run(verb, "lamp.py", *words, *(["--update"] if verb == "guard" else []), cwd=lamp)
            assert f"; asked there instead: {instead}" in " ".join(ran.out.split()), verb
    listed = run("list", "lamp.py", "L1-steady", "--release=2.0", cwd=lamp).out
    assert "no verdict: the case says nothing of 2.0; asked there instead: L1-blinking" in listed


@pytest.fixture
def silent(lamp: Path) -> Path:
    """The same with a case that holds in the releases of which it says nothing."""
    (lamp / "lamp.py").write_text(LAMP + SPEAKS_OF_ONE, encoding="utf-8")
    return lamp


def test_verdict_of_which_nothing_was_expected_is_in_no_report_as_expected(silent: Path) -> None:
    words = ("check", "lamp.py", "L2", "--release=1.0")
    ran = run(*words, cwd=silent)
    assert (ran.code, ran.out.partition("\n")[0]) == (0, "Lamp 1.0: 1 HOLDS; nothing expected of it")
    assert "as expected" not in ran.out
    mixed = run("check", "lamp.py", "L1", "L2", "--release=1.0", cwd=silent)
    assert (mixed.code, mixed.out.partition("\n")[0]) == (
        0,
        "Lamp 1.0: 1 HOLDS, 1 REFUTED; all as expected, nothing expected of 1",
    )
    assert run(*words, "--format=github", cwd=silent).out == (
        "::notice title=offsetproof::1 verdict on Lamp: nothing expected of it\n"
    )
    assert "| HOLDS | 1 | nothing expected |" in run(*words, "--format=markdown", cwd=silent).out
    for form in ("junit", "sarif"):
        assert (
            "the case says nothing of 1.0, and expects no verdict there"
            in run(*words, f"--format={form}", cwd=silent).out
        )


def test_explanation_of_a_case_that_says_nothing_of_a_release_says_so(silent: Path) -> None:
    told = "the case says nothing of 1.0, and expects no verdict there; `list --release 1.0` has those that"
    assert told in run("explain", "lamp.py", "L2", "--release=1.0", cwd=silent).out
    assert told not in run("explain", "lamp.py", "L2", "--release=2.0", cwd=silent).out


def test_releases_in_which_the_model_is_the_same_are_decided_once(lamp: Path) -> None:
    found = json.loads(run("check", "lamp.py", "L1", "--workers=1", "--format=json", cwd=lamp).out)["results"]
    once = [[note for note in result["notes"] if note.startswith("decided with")] for result in found]
    assert once == [[], ["decided with 1.0, in which the model is the same"], []]
    assert [(result["release"], len(result["trace"]["steps"])) for result in found] == [
        ("1.0", 1),
        ("1.1", 1),
        ("2.0", 1),
    ]
