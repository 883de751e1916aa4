"""A model may be without some of the actions that it inherits."""

from __future__ import annotations

import pytest

from offsetproof.lang import Model, action, flag
from offsetproof.lang.errors import DeclarationError


class Door(Model):
    """A door that opens and closes."""

    is_open: bool = flag()

    @action(actor="door")
    def opens(self) -> None:
        self.is_open = True

    @action(actor="door")
    def closes(self) -> None:
        self.is_open = False


class Trap(Door):
    """A door that stays open."""

    without = ("closes",)


def test_model_has_not_the_actions_that_it_is_without() -> None:
    assert list(Door.actions) == ["opens", "closes"]
    assert list(Trap.actions) == ["opens"]


def test_model_derived_from_it_is_without_them_too() -> None:
    class Pit(Trap):
        """The same."""

    assert list(Pit.actions) == ["opens"]


def test_what_is_no_action_is_refused_by_name() -> None:
    with pytest.raises(DeclarationError, match=r"Wall\.without has 'opened', which is none of its actions"):
        type("Wall", (Door,), {"without": ("opened",), "__module__": __name__})


def test_action_that_a_model_declares_itself_is_not_left_out() -> None:
    with pytest.raises(DeclarationError, match=r"test_without\.py:\d+: Chute declares closes, and its without"):

        class Chute(Trap):
            @action(actor="door")
            def closes(self) -> None:
                self.is_open = False


def test_actions_of_a_model_cannot_be_taken_away_afterwards() -> None:
    for model in (Door, Trap, Model):
        assert not hasattr(model.actions, "pop")
        assert not hasattr(model.actions, "__setitem__")
