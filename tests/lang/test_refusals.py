"""What cannot be staged faithfully is refused at the model's own line, with what to write instead.

Each `_Bad` below marks its offending line with `# HERE`; the message must name this file and that line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from offsetproof.ir.build import var
from offsetproof.ir.node import evaluate
from offsetproof.lang import (
    Array,
    DeclarationError,
    Index,
    Model,
    ModelError,
    OffsetSet,
    RefusedError,
    Scope,
    Setting,
    Subject,
    UnknownNameError,
    action,
    always,
    array,
    flag,
    integer,
    offset_set,
    one_of,
    optional,
    require,
)
from offsetproof.lang.reference import Reference
from offsetproof.lang.stage import Staged
from offsetproof.lang.symbolic import SymInt

LINES = Path(__file__).read_text().splitlines()


class Colour(Enum):
    """Two colours."""

    RED = 0
    BLUE = 1


class Fields(Model):
    """The fields that the offending methods use."""

    scopes = (Scope("small", {"messages": 2}),)
    x: int = integer(0, 3)
    b: bool = flag()
    s: OffsetSet = offset_set()
    o: int | None = optional(integer(0, 1))
    e: Colour = one_of(Colour)
    many: Array[bool] = array(Index("bit", 13), flag())


def model_with(method: Callable[[Any], None], base: type[Model] = Fields) -> type[Model]:
    """A model whose only action is this method."""
    return type("Offending", (base,), {"act": action()(method), "__module__": __name__, "__annotations__": {}})


def staged(model: type[Model]) -> Staged:
    return Staged(model, Setting(model.scopes[0]))


def marked(method: Callable[..., Any]) -> str:
    """`file:line` of the line that is marked in a function."""
    start = method.__code__.co_firstlineno
    number = next(n for n in range(start, len(LINES) + 1) if LINES[n - 1].rstrip().endswith("# HERE"))
    return f"{Path(__file__).name}:{number}"


def test_truth_of_a_symbolic_value_outside_of_staging_is_refused() -> None:
    kept = SymInt(var("x", 0, 3)) > 1

    def asks() -> None:
        assert kept  # HERE

    with pytest.raises(RefusedError, match="use it only inside actions and claims") as refused:
        asks()
    assert marked(asks) in str(refused.value)


def test_guard_outside_of_an_action_is_refused() -> None:
    from offsetproof.lang import bound

    def asks() -> None:
        bound(False)  # HERE

    with pytest.raises(RefusedError, match="call require and bound only from actions") as refused:
        asks()
    assert marked(asks) in str(refused.value)


@always()
def claim_that_gives_a_number(model: Fields) -> bool:
    return 1 if model.b else 2  # type: ignore[return-value]  # what the test is about


def lowest_of_empty(self: Any) -> None:
    require(self.x > 0)
    self.x = self.s.lowest()  # HERE


def none_as_number(self: Any) -> None:
    self.x = self.o + 1  # HERE


def outside_of_array(self: Any) -> None:
    self.many[self.x + 11] = True  # HERE


def own_error(self: Any) -> None:
    if self.b:
        raise ValueError("no such branch")  # HERE


@pytest.mark.parametrize(
    ("method", "raised"),
    [
        (lowest_of_empty, "ValueError"),
        (none_as_number, "TypeError"),
        (outside_of_array, "IndexError"),
        (own_error, "no such branch (ValueError"),
    ],
)
def test_exception_on_a_path_becomes_a_failure_there(method: Callable[[Any], None], raised: str) -> None:
    (instance,) = staged(model_with(method)).instances
    (failure,) = instance.failures
    assert raised in failure.message
    assert marked(method) in failure.message
    reference = Reference(model_with(method), Setting(Fields.scopes[0]))
    state = tuple(3 if leaf.path == "x" else int(leaf.path == "b") for leaf in reference.grown.tree.leaves)
    with pytest.raises(ModelError, match=re.escape(raised)) as went_wrong:
        reference.take(state, reference.labels[0])
    assert marked(method) in str(went_wrong.value)


def test_ghost_that_a_guard_reads_is_refused() -> None:
    class Ghosts(Model):
        x: int = integer(0, 1)
        ghost_seen: bool = flag()

        @action()  # HERE
        def system_moves(self) -> None:
            require(not self.ghost_seen)
            self.x = 1

    without = r"ghost field ghost_seen.*declare it without ghost=True and ghost_"
    with pytest.raises(DeclarationError, match=without) as refused:
        staged(Ghosts)
    assert marked(Ghosts.system_moves) in str(refused.value)
    assert "system_moves" in str(refused.value)


def test_ghost_that_a_real_update_reads_is_refused_and_one_that_a_ghost_reads_is_not() -> None:
    class Leaks(Model):
        x: int = integer(0, 1)
        history: int = integer(0, 1, ghost=True)
        ghost_later: int = integer(0, 1)

        @action()
        def ghost_follows(self) -> None:
            self.ghost_later = self.history
            self.history = self.x

    assert len(staged(Leaks).instances) == 1

    class LeaksMore(Leaks):
        @action()
        def system_follows(self) -> None:
            self.x = self.history

    with pytest.raises(DeclarationError, match="ghost field history"):
        staged(LeaksMore)


def test_assignment_to_an_undeclared_field_names_line_and_way_out() -> None:
    def assigns(self: Any) -> None:
        self.cel = 1  # HERE

    with pytest.raises(RefusedError, match=r"a change of \.cel, which is not a field") as refused:
        staged(model_with(assigns))
    assert marked(assigns) in str(refused.value)
    with pytest.raises(DeclarationError, match="has no field cel; declare it in the class body") as refused_too:
        Reference(model_with(assigns), Setting(Fields.scopes[0])).take((0,) * 18, ("act", ()))
    assert marked(assigns) in str(refused_too.value)


def test_unknown_bound_says_the_nearest_name() -> None:
    def asks(self: Any) -> None:
        require(self.x < self.scope.mesages)

    with pytest.raises(
        RefusedError, match=r"mesages, which is neither declared nor a bound, .*did you mean messages\?"
    ):
        staged(model_with(asks))
    with pytest.raises(UnknownNameError, match=r"no bound of scope small named 'mesages'; did you mean messages\?"):
        Reference(model_with(asks), Setting(Fields.scopes[0])).take((0,) * 18, ("act", ()))
    with pytest.raises(UnknownNameError, match=r"did you mean messages\?"):
        Fields.scopes[0].with_bounds({"message": 3})


def test_unknown_claim_and_scope_say_the_nearest_name() -> None:
    subject = Subject("fields", Fields, (claim_that_gives_a_number,))
    with pytest.raises(UnknownNameError, match=r"did you mean claim_that_gives_a_number\?"):
        subject.find("claim_that_gives_number")
    with pytest.raises(UnknownNameError, match=r"did you mean small\?"):
        subject.scope("smal")


def test_anchored_model_needs_anchors() -> None:
    with pytest.raises(DeclarationError, match=r"moves stands for no Java code; add stands_for=\[at\(...\)\]"):

        class Unanchored(Model):
            anchored = True

            @action()
            def moves(self) -> None:
                """Nothing."""


def negated_difference(self: Any) -> None:
    self.x = -(self.x - 3)


def chained_comparison(self: Any) -> None:
    self.b = self.x == 0 == 0


def arithmetic(self: Any) -> None:
    self.x = +(abs(self.x - 7) * 5 // 2 % 3) + divmod(self.x, 2)[1]


def division_that_rounds_down(self: Any) -> None:
    self.x = (self.x - 7) // 2 + 5


def loop_over_a_set(self: Any) -> None:
    for offset in self.s.add(1).add(2):
        self.x = offset


def set_of_a_mask(self: Any) -> None:
    self.x = OffsetSet.of_mask(0b101).highest()


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (negated_difference, 3),
        (chained_comparison, 0),
        (arithmetic, 2),
        (division_that_rounds_down, 1),
        (loop_over_a_set, 2),
        (set_of_a_mask, 2),
    ],
    ids=lambda value: getattr(value, "__name__", None) or "",
)
def test_what_has_a_faithful_meaning_is_staged(method: Callable[[Any], None], expected: int) -> None:
    (instance,) = staged(model_with(method)).instances
    after = Reference(model_with(method), Setting(Fields.scopes[0])).take((0,) * 18, ("act", ()))
    assert isinstance(after, tuple)
    assert after[0] == expected
    assert not instance.failures
    values = dict.fromkeys(staged(model_with(method)).system([]).by_name, 0)
    assert evaluate(instance.updates.values(), values) == [expected if n == "x" else 1 for n in instance.updates]
