"""A mode tells a step that it takes as it is in its own words, and takes nothing of it but these."""

from __future__ import annotations

import pytest

from offsetproof.lang import Model, action, at, flag
from offsetproof.lang.action import Retold
from offsetproof.lang.errors import DeclarationError


class Door(Model):
    """A door that opens and closes."""

    is_open: bool = flag()

    @action(actor="porter", stands_for=[at("Door", "open")], logs="opened {}")
    def opens(self) -> None:
        """Opens the door."""
        self.is_open = True

    @action(actor="porter", stands_for=[at("Door", "close")], logs="closed {}")
    def closes(self) -> None:
        """Closes the door."""
        self.is_open = False


class Gate(Door):
    """A gate, which another opens, and whose closing is not logged."""

    retold = (
        Retold(Door.opens, "Raises the gate.", (at("Gate", "raise"),), actor="guard", thread="winch"),
        Retold(Door.closes, silent=True),
    )


class Drawbridge(Gate):
    """A gate that closes in a way of its own."""

    retold = (Retold(Door.opens, "Lets the bridge down."),)

    @action(actor="guard", stands_for=[at("Bridge", "lift")], logs="lifted {}")
    def closes(self) -> None:
        """Lifts the bridge."""
        self.is_open = False


class OpenBridge(Drawbridge):
    """A bridge that logs both, one of them again what its gate kept silent about."""

    retold = (Retold(Drawbridge.opens, logs="let down {}"), Retold(Drawbridge.closes, "Pulls it up.", logs="up {}"))


def _told(model: type[Model], name: str) -> tuple[object, ...]:
    each = model.actions[name]
    return each.about, [str(place) for place in each.stands_for], each.actor, each.thread, each.logs


def test_step_is_told_as_the_mode_says_and_else_as_before() -> None:
    assert _told(Gate, "opens") == ("Raises the gate.", ["Gate.raise"], "guard", "winch", "opened {}")
    assert _told(Gate, "closes") == ("Closes the door.", ["Door.close"], "porter", "main", None)
    assert _told(Door, "opens") == ("Opens the door.", ["Door.open"], "porter", "main", "opened {}")
    assert _told(OpenBridge, "opens") == ("Lets the bridge down.", ["Gate.raise"], "guard", "winch", "let down {}")
    assert _told(OpenBridge, "closes")[-1] == "up {}"
    assert list(Gate.actions) == list(Door.actions)
    assert Gate.actions["opens"].method is Door.actions["opens"].method


def test_last_word_is_the_nearest_ones_and_an_override_speaks_for_itself() -> None:
    assert _told(Drawbridge, "opens")[:3] == ("Lets the bridge down.", ["Gate.raise"], "guard")
    assert _told(Drawbridge, "closes") == ("Lifts the bridge.", ["Bridge.lift"], "guard", "main", "lifted {}")


def test_what_is_no_action_is_refused_by_name() -> None:
    with pytest.raises(DeclarationError, match=r"Wall\.retold has _told, which is none of its actions"):
        type("Wall", (Door,), {"retold": (Retold(_told),), "__module__": __name__})
