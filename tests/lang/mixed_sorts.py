"""Expressions of mixed sorts: a model whose one action computes a given one, in both kinds of run.

The fields are one of each sort; what is computed goes into a field of a sort that is given, too. A run refuses, goes
wrong, or comes to a value; `Answers` has all of that, for every state of the fields.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from itertools import product
from typing import Any

from offsetproof.ir.node import evaluate
from offsetproof.ir.system import Instance, State
from offsetproof.lang import Model, ModelError, RefusedError, Setting
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.stage import Staged

FIELDS = {
    "truth": "self.b", "number": "self.x", "colour": "self.e", "shape": "self.d", "offsets": "self.s",
    "optional": "self.o",
}  # fmt: skip
"""A field of each sort; an optional is a number or None."""

RESULTS = {
    "truth": "r_truth", "number": "r_number", "colour": "r_colour", "shape": "r_shape", "offsets": "r_offsets",
    "optional": "r_optional",
}  # fmt: skip
"""Where a value of each sort goes."""

_SOURCE = """
from enum import Enum
from offsetproof.lang import *

class Colour(Enum):
    RED = 0
    BLUE = 1

class Shape(Enum):
    ROUND = 0
    SQUARE = 1

class Mixed(Model):
    b: bool = flag()
    x: int = integer(-1, 2, 0)
    e: Colour = one_of(Colour)
    d: Shape = one_of(Shape)
    s: OffsetSet = offset_set(2)
    o: int | None = optional(integer(0, 1))
    r_truth: bool = flag()
    r_number: int = integer(-9, 9, 0)
    r_colour: Colour = one_of(Colour)
    r_shape: Shape = one_of(Shape)
    r_offsets: OffsetSet = offset_set(4)
    r_optional: int | None = optional(integer(-1, 3))

    @action()
    def computes(self) -> None:
        self.{target} = {expression}
"""

REFUSED, WRONG = "refused", "goes wrong"
Answer = str | State


@dataclass(frozen=True)
class Answers:
    """What each kind of run says, by state: that it refuses, that it goes wrong, or the state that it comes to."""

    concrete: tuple[Answer, ...]
    staged: tuple[Answer, ...]

    @property
    def staging_refuses(self) -> bool:
        """Does a staged run refuse? Then there is no answer at all."""
        return REFUSED in self.staged

    @property
    def reference_refuses(self) -> bool:
        """Does the model's own Python refuse, in some state?"""
        return REFUSED in self.concrete


def answers(expression: str, result: str = "truth") -> Answers:
    """Computes an expression on every state of the fields, in both kinds of run."""
    model = _model(_SOURCE.format(target=RESULTS[result], expression=expression))
    setting = Setting(model.scopes[0])
    reference = Reference(model, setting)
    leaves = reference.grown.tree.leaves
    domains = [range(at.domain.lo, at.domain.hi + 1) if "r_" not in at.path else at.initial for at in leaves]
    states = [*product(*domains)]
    return Answers(tuple(_concrete(reference, state) for state in states), _staged(model, setting, states))


def _model(source: str) -> type[Model]:
    names: dict[str, Any] = {"__name__": "mixed_sorts_model"}
    file = "<mixed sorts>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)
    model: type[Model] = names["Mixed"]
    return model


def _concrete(reference: Reference, state: State) -> Answer:
    try:
        after = reference.take(state, reference.labels[0])
    except RefusedError:
        return REFUSED
    except ModelError:
        return WRONG
    assert not isinstance(after, NotTaken)
    return after


def _staged(model: type[Model], setting: Setting, states: list[State]) -> tuple[Answer, ...]:
    try:
        (instance,) = Staged(model, setting).instances
    except RefusedError:
        return (REFUSED,) * len(states)
    names = [variable.name for variable in Staged(model, setting).variables]
    return tuple(_after(instance, dict(zip(names, state, strict=True))) for state in states)


def _after(instance: Instance, values: dict[str, int]) -> Answer:
    enabled, _, *failing = evaluate(instance.guards, values)
    if not enabled:
        assert any(failing)
        return WRONG
    updates = dict(zip(instance.updates, evaluate(instance.updates.values(), values), strict=True))
    return tuple(updates.get(name, value) for name, value in values.items())
