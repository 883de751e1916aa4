"""Fifty models in which what is searched is not what the model's own Python does, each by a defect in a rare place.

Reading refuses the source of nearly all of them, and asking again notices some; both are switched off here, because
spot checks are what is left where these have overlooked something. `misread` stands for whatever staging may get wrong:
it has one value while a model is staged and another in a concrete run. Each call of `made` gives a fresh model, so that
no run sees another's counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any
from unittest.mock import MagicMock, patch

from systems.seeded_shapes import Ledger, Party, Shape, Walkers

from offsetproof.compiled.instructions import WRITERS, Block
from offsetproof.ir.kind import Kind
from offsetproof.ir.node import Node
from offsetproof.lang import Scope, action, always, bound, choose, require, smaller
from offsetproof.lang import run as running

Writers = dict[Kind, Callable[..., str]]


@dataclass(frozen=True)
class Seeded:
    """One model with a defect: the kind of it, the shape it is in, and how the lowering is spoiled, if that is it."""

    kind: str
    shape: type[Shape]
    bounds: dict[str, int]
    make: Callable[[type[Shape], Scope], type[Shape]]
    writers: Callable[[Scope], Writers] = lambda scope: {}

    @property
    def name(self) -> str:
        """The model in short."""
        return f"{self.kind}, {self.shape.__name__} {', '.join(f'{k}={v}' for k, v in self.bounds.items())}"

    @property
    def scope(self) -> Scope:
        """The model's scope."""
        return Scope("seeded", self.bounds, faults={"slip": 1})

    def made(self) -> type[Shape]:
        """The model, as if it had just been imported."""
        return self.make(self.shape, self.scope)

    @contextmanager
    def unread(self) -> Iterator[None]:
        """The model's source is not read, and the lowering is spoiled, for as long as this lasts."""
        with unread(), patch.dict(WRITERS, self.writers(self.scope)):
            yield


@contextmanager
def unread() -> Iterator[None]:
    """No model's source is read for as long as this lasts, and nothing is asked again, so that nothing is refused."""
    with only_asked_again(), patch("offsetproof.lang.stage.FLOOR", -1e9):
        yield


@contextmanager
def only_asked_again() -> Iterator[None]:
    """No model's source is read for as long as this lasts."""
    with patch("offsetproof.lang.stage.reading_of", lambda model: MagicMock()):
        yield


def misread(staged: Any, real: Any) -> Any:
    """One value while a model is staged, another one in a concrete run."""
    return staged if running._running and isinstance(running._running[-1], running.Path) else real


def _acting(shape: type[Shape], scope: Scope, marks: Callable[[Any], None]) -> type[Shape]:
    """A model with an action that does this, whenever nothing in it forbids it."""
    declared = scope

    class Acting(shape):  # type: ignore[misc, valid-type]  # the shape is a parameter
        scopes = (declared,)

        @action()
        def place_is_marked(self) -> None:
            marks(self)

    return Acting


def _marking(shape: type[Shape], scope: Scope, value: Callable[[Shape], int]) -> type[Shape]:
    """A model with an action that can always be taken and does in the rare situation what it should not."""

    def marks(model: Any) -> None:
        model.extra = 0
        if model.here():
            model.extra = value(model)

    return _acting(shape, scope, marks)


def counter(shape: type[Shape], scope: Scope) -> type[Shape]:
    """A global counter: the value changes after the third call. Staging sees only the first."""
    calls: list[int] = []

    def value(_model: Shape) -> int:
        calls.append(1)
        return 0 if len(calls) <= 3 else 1

    return _marking(shape, scope, value)


def closure(shape: type[Shape], scope: Scope) -> type[Shape]:
    """A closure that changes with each call."""
    cell = [0]

    def value(_model: Shape) -> int:
        cell[0] = (cell[0] + 1) % 5
        return cell[0]

    return _marking(shape, scope, value)


def random_value(shape: type[Shape], scope: Scope) -> type[Shape]:
    """One of four random values, of which staging has seen one."""
    random = Random(repr(sorted(scope.bounds.items())))
    return _marking(shape, scope, lambda model: random.choice((0, 1, 2, 3)))


def mixed_choose(shape: type[Shape], scope: Scope) -> type[Shape]:
    """`choose(rare, rare, 0)` into an integer: a number while staged, a truth value that no integer field takes."""

    def marks(model: Any) -> None:
        rare = model.total == model.scope.total
        if misread(False, True) and rare:
            raise ValueError("True is not an integer")
        model.extra = choose(rare, 1, 0)

    return _acting(shape, scope, marks)


def operator(shape: type[Shape], scope: Scope) -> type[Shape]:
    """The rare branch has the remainder of a division, which `_wrong_remainder` lowers to something else."""
    return _marking(shape, scope, lambda model: (model.total + 3) % 4)


def boundary(shape: type[Shape], scope: Scope) -> type[Shape]:
    """A comparison whose two sides are equal only rarely, lowered by `_less_for_at_most`; no branch depends on it."""

    def marks(model: Any) -> None:
        model.extra = choose(model.total + model.extra <= model.scope.total, 1, 0)

    return _acting(shape, scope, marks)


def _wrong_remainder(_scope: Scope) -> Writers:
    right = WRITERS[Kind.MOD]
    return {Kind.MOD: lambda block, node, given: block.line(f"xor i64 {right(block, node, given)}, 1")}


def _less_for_at_most(_scope: Scope) -> Writers:
    right = WRITERS[Kind.LE]

    def wrong(block: Block, node: Node, given: list[str]) -> str:
        if node.args[0].kind is Kind.ADD:
            return block.widen(block.line(f"icmp slt i64 {given[0]}, {given[1]}"))
        return right(block, node, given)

    return {Kind.LE: wrong}


def fault(shape: type[Shape], scope: Scope) -> type[Shape]:
    """A fault that writes another value in the rare situation."""
    declared = scope

    class Slipping(shape):  # type: ignore[misc, valid-type]  # the shape is a parameter
        scopes = (declared,)

        @action(fault="slip")
        def hand_slips(self) -> None:
            self.extra = 1
            if self.here():
                self.extra = misread(2, 3)

    return Slipping


def cut(shape: type[Shape], scope: Scope) -> type[Shape]:
    """A bound that is in the way at another total than the search believes."""

    def marks(model: Any) -> None:
        bound(model.total != model.scope.total + misread(0, 1))
        model.extra = smaller(model.extra + 1, 2)

    return _acting(shape, scope, marks)


def guard(shape: type[Shape], scope: Scope) -> type[Shape]:
    """A guard that asks of the rare situation what is not a field."""
    calls: list[int] = []

    def open_still() -> bool:
        calls.append(1)
        return len(calls) <= 3

    def marks(model: Any) -> None:
        if model.here():
            require(open_still())
        model.extra = smaller(model.extra + 1, 2)

    return _acting(shape, scope, marks)


def overlooked(shape: type[Shape], scope: Scope) -> type[Shape]:
    """A branch that staging has not seen at all: no expression tells its states from others."""

    def marks(model: Any) -> None:
        model.extra = smaller(model.extra + 1, 2)
        if misread(False, model.total == model.scope.total):
            model.extra = 5

    return _acting(shape, scope, marks)


def overlooked_pair(shape: type[Shape], scope: Scope) -> type[Shape]:
    """The same, in a situation that no field has to itself."""

    def marks(model: Any) -> None:
        model.extra = smaller(model.extra + 1, 2)
        if misread(False, True) and model.here():
            model.extra = 5

    return _acting(shape, scope, marks)


def claim(shape: type[Shape], scope: Scope) -> type[Shape]:
    """A claim that is false in the rare situation, and was true there when it was staged."""
    declared = scope

    class Claiming(shape):  # type: ignore[misc, valid-type]  # the shape is a parameter
        scopes = (declared,)

        @always
        def total_is_right(self) -> bool:
            if self.here():
                return bool(misread(True, False))
            is_right: bool = self.total == self.counted()
            return is_right

    return Claiming


WALKS = (
    {"walkers": 2, "steps": 6, "size": 12, "at": 3, "total": 6},
    {"walkers": 3, "steps": 9, "size": 27, "at": 4, "total": 25},
    {"walkers": 4, "steps": 11, "size": 44, "at": 7, "total": 2},
    {"walkers": 4, "steps": 16, "size": 64, "at": 9, "total": 63},
)
LEDGERS = (
    {"size": 9, "at": 3, "upto": 3, "total": 5},
    {"size": 60, "at": 20, "upto": 30, "total": 57},
    {"size": 300, "at": 100, "upto": 101, "total": 298},
)
PARTIES = (
    {"guests": 6, "size": 6, "at": 4, "total": 5},
    {"guests": 10, "size": 10, "at": 0, "total": 1},
    {"guests": 15, "size": 15, "at": 15, "total": 14},
)
SHAPES = (*((Walkers, b) for b in WALKS), *((Ledger, b) for b in LEDGERS), *((Party, b) for b in PARTIES))
"""The shapes with their sizes: 98 to 167,042 states before `extra` adds to them."""

KINDS: tuple[tuple[str, Any, Any, tuple[int, ...]], ...] = (
    ("global counter in a rare branch", counter, None, (0, 2, 4, 6, 9)),
    ("one of four random values", random_value, None, (1, 3, 4, 8, 9)),
    ("mixed choose", mixed_choose, None, (0, 3, 5, 6, 8)),
    ("mutable closure", closure, None, (1, 2, 5, 9)),
    ("wrong operator in a rare branch", operator, _wrong_remainder, (0, 3, 6, 8)),
    ("wrong operator at a boundary", boundary, _less_for_at_most, (1, 2, 5, 6, 9)),
    ("fault's update", fault, None, (0, 2, 6, 8)),
    ("cut", cut, None, (1, 2, 3, 6)),
    ("guard", guard, None, (2, 5, 7, 9)),
    ("claim", claim, None, (1, 3, 6, 8)),
    ("branch that staging overlooked, one field", overlooked, None, (1, 6, 9)),
    ("branch that staging overlooked, several fields", overlooked_pair, None, (3, 6, 9)),
)
"""Each kind of defect, how it is made and what spoils the lowering for it, and the shapes that it is put in."""

SEEDED = tuple(
    Seeded(kind, *SHAPES[at], make, writers or (lambda scope: {}))
    for kind, make, writers, places in KINDS
    for at in places
)
