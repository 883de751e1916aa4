"""What `guard` says of releases: those that were asked, those of which a case says nothing, and mixed ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.program import Ran, run
from cli.test_check_releases import LAMP

ROOM = LAMP.replace('roles = ("lamp",)', 'roles = ("lamp", "wall")')
BLINKING = "stays-dark (L1-blinking) in default: the case says nothing of 1.1, and expects no verdict there; `list"


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder with a lamp on a wall, in three releases, two of which do the same, and its baseline."""
    (tmp_path / "room.py").write_text(ROOM, encoding="utf-8")
    assert guard(tmp_path, "--update", "--quiet") == Ran(0, "", "")
    return tmp_path


def guard(folder: Path, *args: str) -> Ran:
    """Runs the verb on the model, at a turn in which none of its questions is decided again."""
    return run("guard", "room.py", "--turn=0", *args, cwd=folder)


def told(ran: Ran) -> str:
    """The report in one line."""
    return " ".join(ran.out.split())


@pytest.mark.parametrize(("args", "heading"), [
    ((), "Lamp 1.0, 1.1, 2.0: 3 questions, "),
    (("L1", "--release=1.1"), "Lamp 1.1: 1 question, "),
    (("L1", "--release=1.1", "--release=2.0"), "Lamp 1.1, 2.0: 2 questions, "),
])  # fmt: skip
def test_heading_names_the_releases_that_were_asked(room: Path, args: tuple[str, ...], heading: str) -> None:
    ran = guard(room, *args)
    assert (ran.code, told(ran).startswith(heading)) == (0, True), ran.out
    assert ("; compared as 1.0 where the systems are the same; nothing changed" in told(ran)) == ("1.1" in str(args))


def test_row_names_the_release_that_was_asked_in_each_format(room: Path) -> None:
    (room / "room.py").write_text(ROOM.replace("self.lit = True", "self.lit = self.lit"), encoding="utf-8")
    words = ("L1", "--release=1.1")
    assert "stays-dark (L1) in default of 1.1: refuted-to-holds" in told(guard(room, *words))
    assert "L1[default-1.1]" in guard(room, *words, "--format=junit").out
    assert "| stays-dark (L1) | 1.1 | default |" in guard(room, *words, "--format=markdown").out


def test_case_expects_no_verdict_in_a_release_of_which_it_says_nothing(room: Path) -> None:
    ran = guard(room, "L1-blinking", "--release=1.1")
    assert (ran.code, BLINKING in told(ran), "expects HOLDS" in ran.out) == (20, True, False)
    assert "alone asks no release of which the case says nothing, and would call them gone" in told(ran)
    assert "the case says nothing of" not in guard(room, "L1-blinking", "--release=2.0").out


def test_mixed_releases_are_kept_in_a_file_of_their_own(room: Path) -> None:
    words = ("L1", "--release=lamp=2.0,wall=1.0")
    for form in ("text", "github", "markdown"):
        ran = guard(room, *words, f"--format={form}")
        assert (ran.code, "`guard` alone asks no releases that differ from role to role" in told(ran)) == (20, True)
    assert guard(room, *words, "--update", "--baseline=mixed.json").code == 0
    again = guard(room, *words, "--baseline=mixed.json")
    assert (again.code, "nothing changed" in again.out, "not for it" in again.out) == (0, True, False)
    assert guard(room).code == 0


def test_question_that_is_new_is_said_to_be_written_by_update(room: Path) -> None:
    more = ROOM.replace(
        'case("L1-blinking"',
        'case("L3", REFUTED, why="it lights", no_remedy="a lamp lights"),\n        case("L1-blinking"',
    )
    (room / "room.py").write_text(more, encoding="utf-8")
    ran = guard(room, "L3")
    assert (ran.code, "not in the baseline yet, which `--update` writes: 2 questions" in told(ran)) == (20, True)
    assert "`guard` alone asks no scope that the case does not name" not in told(ran)
