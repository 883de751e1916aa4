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

from offsetproof.lang import (
    Array,
    Component,
    DeclarationError,
    Index,
    Model,
    ModelError,
    OffsetSet,
    Property,
    RefusedError,
    Scope,
    Setting,
    Subject,
    UnknownNameError,
    action,
    always,
    array,
    each_step,
    flag,
    integer,
    offset_set,
    one_of,
    optional,
    part,
    require,
    sometimes,
)
from offsetproof.lang.reference import Reference
from offsetproof.lang.run import PATHS_MAX
from offsetproof.lang.stage import Staged

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


COUNTS = {"runs": 0}


def int_of_field(self: Any) -> None:
    self.x = int(self.x)  # HERE


def loop_over_range(self: Any) -> None:
    for _ in range(self.x):  # HERE
        self.b = True


def list_index(self: Any) -> None:
    self.x = [0, 1, 2, 3][self.x]  # HERE


def text(self: Any) -> None:
    self.b = f"{self.x}" == "1"  # HERE


def text_of_colour(self: Any) -> None:
    self.b = str(self.e) == "Colour.RED"  # HERE


def float_of_field(self: Any) -> None:
    self.b = float(self.x) > 0.5  # HERE


def python_set(self: Any) -> None:
    self.b = self.x in {1, 2}  # HERE


def dict_key(self: Any) -> None:
    self.x = {Colour.RED: 0, Colour.BLUE: 1}[self.e]  # HERE


def length(self: Any) -> None:
    self.x = len(self.s)  # HERE


def loop_over_set(self: Any) -> None:
    for _ in self.s:  # HERE
        self.b = True


def offset_set_of_field(self: Any) -> None:
    self.s = OffsetSet(self.x)  # HERE


def product(self: Any) -> None:
    self.x = self.x * 2  # HERE


def product_from_the_right(self: Any) -> None:
    self.x = 2 * self.x  # HERE


def remainder(self: Any) -> None:
    self.x = (self.x + 1) % 4  # HERE


def list_times_field(self: Any) -> None:
    self.b = [0] * self.x == []  # HERE


def tilde(self: Any) -> None:
    self.b = ~self.b  # HERE


def bits(self: Any) -> None:
    self.x = self.x & 1  # HERE


def absolute(self: Any) -> None:
    self.x = abs(self.x - 2)  # HERE


def fraction(self: Any) -> None:
    require(self.x < 1.5)  # HERE


def symmetric_difference(self: Any) -> None:
    self.s = self.s ^ OffsetSet(1)  # HERE


def order_of_colours(self: Any) -> None:
    require(self.e < Colour.BLUE)  # HERE


def attribute_of_colour(self: Any) -> None:
    self.x = self.e.value  # HERE


def side_effect(self: Any) -> None:
    COUNTS["runs"] += 1
    if COUNTS["runs"] % 2:
        require(self.b)
    require(self.x > 0)  # HERE
    require(self.s.has(0))


@pytest.mark.parametrize(
    ("method", "instead"),
    [
        (int_of_field, "compare it, or index an array with it"),
        (loop_over_range, "compare it, or index an array with it"),
        (list_index, "compare it, or index an array with it"),
        (float_of_field, "compare it"),
        (text, "compute with the value itself"),
        (text_of_colour, "compute with the value itself"),
        (python_set, "use OffsetSet, an array, or compare the values one by one"),
        (dict_key, "use OffsetSet, an array, or compare the values one by one"),
        (length, "write .count()"),
        (loop_over_set, "ask .has(value)"),
        (offset_set_of_field, "write OffsetSet().add(value)"),
        (product, "use + and -"),
        (product_from_the_right, "use + and -"),
        (remainder, "use + and -"),
        (list_times_field, "use + and -"),
        (tilde, "write negation(x)"),
        (bits, "use + and -"),
        (absolute, "use + and -"),
        (fraction, "use + and -"),
        (symmetric_difference, "the operations of OffsetSet"),
        (order_of_colours, "use + and -"),
        (attribute_of_colour, "use the operations of its type"),
        (side_effect, "keep all state in fields"),
    ],
    ids=lambda value: getattr(value, "__name__", None) or "",
)
def test_refusal_names_the_line_and_the_way_out(method: Callable[[Any], None], instead: str) -> None:
    COUNTS["runs"] = 0
    with pytest.raises(RefusedError, match=re.escape(instead)) as refused:
        staged(model_with(method))
    assert marked(method) in str(refused.value)


def test_truth_of_a_symbolic_value_outside_of_staging_is_refused() -> None:
    kept: list[Any] = []

    def keeps(self: Any) -> None:
        kept.append(self.x > 1)

    def asks() -> None:
        assert kept[0]  # HERE

    staged(model_with(keeps))
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


def test_too_many_paths_are_refused_at_the_action_with_advice() -> None:
    def splits(self: Any) -> None:  # HERE
        for bit in self.many:
            if bit:
                self.x = 1

    assert 2 ** len(Reference(model_with(splits), Setting(Fields.scopes[0])).grown.root.many._items) > PATHS_MAX  # type: ignore[attr-defined]  # a Fields
    with pytest.raises(RefusedError, match=f"more than {PATHS_MAX} paths.*smaller, larger, choose") as refused:
        staged(model_with(splits))
    assert marked(splits) in str(refused.value)
    assert "splits" in str(refused.value)


class IdentityOfField(Model):
    """`is` other than None."""

    b: bool = flag()

    @action()
    def act(self) -> None:
        require(self.b is True)  # HERE


class TypeTest(Model):
    """isinstance."""

    x: int = integer(0, 1)

    @action()
    def act(self) -> None:
        require(isinstance(self.x, int))  # HERE


class BareExcept(Model):
    """A bare except, which would swallow guards."""

    x: int = integer(0, 1)

    @action()
    def act(self) -> None:
        try:
            self.x = 1
        except:  # noqa: E722  # HERE
            self.x = 0


class ExceptException(Model):
    """An except clause that would swallow refusals."""

    x: int = integer(0, 1)

    @action()
    def act(self) -> None:
        try:
            self.x = int(self.x)
        except (ValueError, Exception):  # HERE
            self.x = 0


class GlobalState(Model):
    """A global."""

    x: int = integer(0, 1)

    @action()
    def act(self) -> None:
        global LINES  # HERE
        LINES = []


class ClassPattern(Model):
    """A pattern that tests a type."""

    x: int = integer(0, 1)

    @action()
    def act(self) -> None:
        match self.x:
            case int():  # HERE
                self.x = 0


class SingletonPattern(Model):
    """A pattern that compares with `is`."""

    b: bool = flag()

    @action()
    def act(self) -> None:
        match self.b:
            case True:  # HERE
                self.b = False


class Inner(Component):
    """A component whose method is at fault."""

    x: int = integer(0, 1)

    def grow(self) -> None:
        require(type(self.x) == int)  # noqa: E721  # HERE


class FaultInComponent(Model):
    """The offence is in a nested component."""

    inner: Inner = part(Inner)

    @action()
    def act(self) -> None:
        self.inner.grow()


@pytest.mark.parametrize(
    ("model", "source", "instead"),
    [
        (IdentityOfField, IdentityOfField.act, "write =="),
        (TypeTest, TypeTest.act, "decide by a field or an enum"),
        (BareExcept, BareExcept.act, "catch the one exception that you mean"),
        (ExceptException, ExceptException.act, "catch the one exception that you mean"),
        (GlobalState, GlobalState.act, "declare a field"),
        (ClassPattern, ClassPattern.act, "decide by a field or an enum"),
        (SingletonPattern, SingletonPattern.act, "write an if"),
        (FaultInComponent, Inner.grow, "decide by a field or an enum"),
    ],
)
def test_source_is_refused_at_its_line(model: type[Model], source: Any, instead: str) -> None:
    with pytest.raises(RefusedError, match=re.escape(instead)) as refused:
        staged(model)
    assert marked(source) in str(refused.value)


@always()
def claim_that_tests_a_type(model: Fields) -> bool:
    return isinstance(model.x, int)  # HERE


@sometimes()
def witness_that_loops(model: Fields) -> bool:
    return any(offset > 0 for offset in model.s)  # HERE


@always()
def claim_that_raises(model: Fields) -> bool:
    return model.s.lowest() >= 0  # HERE


@each_step()
def step_that_multiplies(before: Fields, after: Fields, step: object) -> bool:  # noqa: ARG001 - the claim's signature
    return before.x * 2 >= after.x  # HERE


@always()
def claim_that_gives_a_number(model: Fields) -> bool:
    return 1 if model.b else 2  # type: ignore[return-value]  # HERE


def sets_x(self: Any) -> None:
    self.x = 1


@pytest.mark.parametrize(
    ("prop", "error", "instead"),
    [
        (claim_that_tests_a_type, RefusedError, "decide by a field or an enum"),
        (witness_that_loops, RefusedError, "ask .has(value)"),
        (step_that_multiplies, RefusedError, "use + and -"),
        (claim_that_raises, DeclarationError, "make it true or false everywhere, for example with a default"),
    ],
    ids=lambda value: getattr(value, "name", None) or "",
)
def test_claims_are_refused_like_actions(prop: Property, error: type[Exception], instead: str) -> None:
    with pytest.raises(error, match=re.escape(instead)) as refused:
        staged(model_with(sets_x)).system([prop])
    assert marked(prop.function) in str(refused.value)


def test_claim_that_gives_no_truth_value_is_a_declaration_error() -> None:
    with pytest.raises(DeclarationError, match=r"\.py:\d+ .*claim_that_gives_a_number gave something other than"):
        staged(model_with(sets_x)).system([claim_that_gives_a_number])


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

    with pytest.raises(DeclarationError, match=r"ghost field ghost_seen.*declare it without ghost_") as refused:
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

    with pytest.raises(DeclarationError, match="has no field cel; declare it in the class body") as refused:
        staged(model_with(assigns))
    assert marked(assigns) in str(refused.value)


def test_field_without_a_domain_names_line_and_way_out() -> None:
    def declares() -> None:
        class Bare(Component):  # HERE
            cell: int

    with pytest.raises(DeclarationError, match=r"field Bare.cell has no domain; declare it as flag") as refused:
        declares()
    assert marked(declares) in str(refused.value)


def test_unknown_bound_says_the_nearest_name() -> None:
    def asks(self: Any) -> None:
        require(self.x < self.scope.mesages)

    for run in (staged, lambda model: Reference(model, Setting(model.scopes[0])).take((0,) * 18, ("asks", ()))):
        with pytest.raises(UnknownNameError, match=r"no bound of scope small named 'mesages'; did you mean messages\?"):
            run(model_with(asks))
    with pytest.raises(UnknownNameError, match=r"did you mean messages\?"):
        Fields.scopes[0].with_bounds({"message": 3})


def test_unknown_claim_and_scope_say_the_nearest_name() -> None:
    subject = Subject("fields", Fields, (claim_that_raises,))
    with pytest.raises(UnknownNameError, match=r"did you mean claim_that_raises\?"):
        subject.find("claim_that_rises")
    with pytest.raises(UnknownNameError, match=r"did you mean small\?"):
        subject.scope("smal")


def test_anchored_model_needs_anchors() -> None:
    with pytest.raises(DeclarationError, match=r"moves stands for no Java code; add stands_for=\[at\(...\)\]"):

        class Unanchored(Model):
            anchored = True

            @action()
            def moves(self) -> None:
                """Nothing."""


@pytest.mark.parametrize(
    ("method", "expected"),
    [(lambda self: setattr(self, "x", -(self.x - 3)), 3), (lambda self: setattr(self, "b", self.x == 0 == 0), 0)],
)
def test_what_has_a_faithful_meaning_is_staged(method: Callable[[Any], None], expected: int) -> None:
    (instance,) = staged(model_with(method)).instances
    after = Reference(model_with(method), Setting(Fields.scopes[0])).take((0,) * 18, ("<lambda>", ()))
    assert isinstance(after, tuple)
    assert after[0] == expected
    assert not instance.failures
