"""A renamed action is told as such; what only looks like one is told as another cause."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.program import run
from systems.schemas import read_valid
from systems.tank import GUSHES, LEAKS

from offsetproof.guard.report import renamed_actions


@pytest.mark.parametrize(
    ("before", "now", "actions", "names"),
    [
        ("a b c", "a b c", "a b c", {}),
        ("a b c", "a x c", "a x c", {"b": "x"}),
        ("a b c", "x y c", "x y c", {"a": "x", "b": "y"}),
        ("a b c", "a x c", "a b c x", {}),  # b is still there, so it is another cause
        ("a b c", "a c c", "a c", {}),  # c was in the cause already
        ("a b c", "x x c", "x c", {}),  # two names became one
        ("a b c", "b a c", "a b c", {}),  # another order
        ("a b", "a x c", "a x c", {}),
        ("", "", "", {}),
    ],
)
def test_actions_are_renamed_where_nothing_else_differs(
    before: str, now: str, actions: str, names: dict[str, str]
) -> None:
    assert renamed_actions(before.split(), now.split(), set(actions.split())) == names


def test_guard_tells_a_rename_from_another_cause(tmp_path: Path) -> None:
    model = tmp_path / "tank.py"
    model.write_text(LEAKS)
    assert run("guard", "tank.py", "--update", "--accept", "--quiet", cwd=tmp_path).code == 0
    model.write_text(LEAKS.replace("tank_fills", "tank_floods"))
    ran = run("guard", "tank.py", "--property=T1", cwd=tmp_path)
    assert ran.code == 20
    assert "full_tank_is_open (T1) in small: other-cause\n" in ran.out
    assert "  renamed: tank_fills -> tank_floods\n" in ran.out
    assert "the cause was" not in ran.out
    ran = run("guard", "tank.py", "--property=T1", "--format=json", cwd=tmp_path)
    (finding,) = read_valid("guard", ran.out)["cells"]
    assert (finding["change"], finding["renamed"]) == ("other-cause", {"tank_fills": "tank_floods"})
    model.write_text(LEAKS + GUSHES)
    ran = run("guard", "tank.py", "--property=T1", cwd=tmp_path)
    assert ran.code == 20
    assert "renamed" not in ran.out
    assert "  the cause was valve_opens, tank_fills, valve_closes\n" in ran.out
