"""A change that derives from another one's classes is there only beside that one."""

from __future__ import annotations

import pytest

from offsetproof.lang import Behaviour, Change, Fix, Model, Release, Scope, Setting, action, integer, same
from offsetproof.lang.changes import before_change, model_in, with_change

FASTER = Behaviour("faster", "clock", "it counts by two")
CAREFUL = Behaviour("careful", "clock", "counting by two, it stops before the end")


class Ticking(Model):
    """Counts."""

    time: int = integer(0, 9)

    @action()
    def ticks(self) -> None:
        """One more."""
        self.time = min(self.time + 1, 9)


class Fast(Ticking):
    """What ticks."""

    @same(Ticking.ticks)
    def ticks(self) -> None:
        """Two more."""
        self.time = min(self.time + 2, 9)


class Careful(Fast):
    """What ticks."""

    @same(Fast.ticks)
    def ticks(self) -> None:
        """Two more, up to six."""
        self.time = min(self.time + 2, 6)


BY_TWO, UP_TO_SIX = Change(FASTER, steps=(Fast,)), Change(CAREFUL, steps=(Careful,))


class Clock(Ticking):
    """The model."""

    scopes = (Scope("day", {}),)
    releases = (Release("1"), Release("2", frozenset({FASTER})))
    roles = ("clock",)
    fixes = (Fix("careful", "", adds=frozenset({CAREFUL})),)
    changed_by = (BY_TWO, UP_TO_SIX)


@pytest.mark.parametrize(("release", "fixed", "about"), [
    (0, False, "One more."), (1, False, "Two more."), (0, True, "One more."), (1, True, "Two more, up to six."),
])  # fmt: skip
def test_change_is_there_only_beside_what_it_derives_from(release: int, fixed: bool, about: str) -> None:
    setting = Setting(Clock.scopes[0], {"clock": Clock.releases[release]}, Clock.fixes if fixed else ())
    assert model_in(setting, Clock).actions["ticks"].about == about


def test_model_with_a_change_and_before_it_both_have_what_it_derives_from() -> None:
    assert with_change(Clock, UP_TO_SIX).actions["ticks"].about == "Two more, up to six."
    assert before_change(Clock, UP_TO_SIX).actions["ticks"].about == "Two more."
    assert before_change(Clock, BY_TWO) is Clock
