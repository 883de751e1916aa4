"""Optional fields that are asked without being read: by the field itself, on real values and staged alike."""

from __future__ import annotations

from enum import Enum, auto

import pytest

from offsetproof.lang import (
    DeclarationError,
    Model,
    RefusedError,
    Scope,
    Setting,
    action,
    always,
    every,
    flag,
    holds,
    integer,
    one_of,
    optional,
    require,
)
from offsetproof.lang.model import ModelInstance
from offsetproof.lang.stage import Staged


class Colour(Enum):
    RED = auto()
    BLUE = auto()


class Box(Model):
    scopes = (Scope("one"),)
    number: int | None = optional(integer(3, 5))
    colour: Colour | None = optional(one_of(Colour))
    full: bool = flag()

    @action()
    def fills(self) -> None:
        require(holds(self, Box.number, None), holds(self, Box.colour, None))
        self.number = 4
        self.colour = Colour.BLUE

    @action()
    def closes(self) -> None:
        require(holds(self, Box.number, 4), holds(self, Box.colour, Colour.BLUE))
        self.full = True


class Other(Model):
    scopes = (Scope("one"),)
    number: int | None = optional(integer(3, 5))


class Filled(Model):
    scopes = (Scope("one"),)
    number: int | None = optional(integer(3, 5), 4)
    colour: Colour | None = optional(one_of(Colour), Colour.BLUE)


def grown(model: type[Model] = Box) -> ModelInstance:
    return ModelInstance(model, Setting(model.scopes[0]))


def test_held_value_and_none_are_told_apart_and_what_is_no_value_is_not_held() -> None:
    empty, filled = grown().root, grown(Filled).root
    values = (None, 3, 4, 9)
    assert [holds(empty, Box.number, value) for value in values] == [True, False, False, False]
    assert [holds(filled, Filled.number, value) for value in values] == [False, False, True, False]
    assert [holds(filled, Filled.colour, colour) for colour in (None, *Colour)] == [False, False, True]
    assert (empty.number_of(Box.number), filled.number_of(Filled.number)) == (0, 2)


def test_asking_does_not_split_a_staged_action() -> None:
    staged = Staged(Box, Setting(Box.scopes[0]))
    (filling,) = [ways for (_, label), ways in staged.ways.items() if label and label[0] == "closes"]
    assert len(filling) == 3  # each of the two conditions is false, or both are true


@pytest.mark.parametrize("field", [Other.number, Box.full, 4])
def test_what_is_no_optional_field_of_the_component_is_refused(field: object) -> None:
    with pytest.raises(DeclarationError, match="Box has no optional field"):
        holds(grown().root, field, None)


def test_field_stands_for_itself_nowhere_else_in_a_model() -> None:
    @always
    def odd(box: Box) -> bool:
        return every([box.full, Box.full])  # type: ignore[list-item]  # which is the offence

    with pytest.raises(RefusedError, match=r"Box\.full"):
        Staged(Box, Setting(Box.scopes[0])).system([odd])
