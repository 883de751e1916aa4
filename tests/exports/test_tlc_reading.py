"""Reading what TLC prints: values, states and traces; what is broken is refused and never half read."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from exports.samples import exported_model
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.examples.toys import Counter, Descent, Holder, Philosophers, WideSets
from offsetproof.exports.exported import Exported
from offsetproof.exports.other_tool import ToolOutcome
from offsetproof.exports.tla.tlc import SHORT_RUN, run_tlc
from offsetproof.exports.tla.tlc_traces import (
    Value,
    read_state,
    read_trace,
    read_value,
    state_of,
)
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.kind import Sort
from offsetproof.ir.system import System, Variable
from offsetproof.lang.setting import Setting

NO_VALUE = r"(expected .+, not .+|not a value or a name: .+), in: "


@pytest.mark.parametrize(("text", "expected"), [
    ("-3", -3),
    ("TRUE", True),
    ('"two words"', "two words"),
    ("{}", frozenset()),
    ("{1,\n 2}", frozenset({1, 2})),
    ("0..2", frozenset({0, 1, 2})),
    ("1..0", frozenset()),
    ("<<>>", ()),
    ("<<1, <<TRUE, {}>>>>", (1, (True, frozenset()))),
    ('[a |-> 1, b_2 |-> "x"]', {"a": 1, "b_2": "x"}),
    ("( 0 :> TRUE @@\n  1 :> FALSE )", {0: True, 1: False}),
    ("(<<0, 1>> :> 5)", {(0, 1): 5}),
])  # fmt: skip
def test_values_are_read_as_tlc_prints_them(text: str, expected: Value) -> None:
    assert read_value(text) == expected


@pytest.mark.parametrize(("text", "why"), [
    ("", "the end"),
    ("x", "not a value or a name: x"),
    ("1 2", "expected the end, not 2"),
    ("1 ..", "the end"),
    ("1..TRUE", "TRUE"),
    ("{1 2}", "expected ,, not 2"),
    ("{1,", "the end"),
    ("{", "the end"),
    ("<<1,>>", "not a value or a name: >>"),
    ("[", "the end"),
    ("[a", r"expected \|->, not the end"),
    ("[a 1]", r"expected \|->, not 1"),
    ("[1 |-> 2]", "not a value or a name: 1"),
    ("(0 :> 1", "expected @@, not the end"),
    ("(0 1)", "expected :>, not 1"),
    ("(0 :> )", r"not a value or a name: \)"),
    ('"', 'not a value or a name: "'),
    ('"open', 'not a value or a name: "'),
    ("1.5", r"expected the end, not \."),
])  # fmt: skip
def test_what_is_no_value_is_refused_with_the_place(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_value(text)


@pytest.mark.parametrize("text", ["x", "/\\", "/\\ x", "/\\ x = ", "/\\ 1 = 2", "x = 1 y", "/\\ x = 1 /\\ y"])
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=NO_VALUE):
        read_state(text)


@reproducible(300)
@given(st.text(alphabet='{}[]<>()|-:@.,=/\\ 01aTRUE\n"', max_size=12))
def test_no_text_makes_the_reader_fail_in_another_way(text: str) -> None:
    for reader in (read_value, read_state):
        try:
            reader(text)
        except ValueError as error:
            assert re.match(NO_VALUE, str(error))  # noqa: PT017 - whether it is raised at all depends on the text
            assert text in str(error)  # noqa: PT017 - the same


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> ToolOutcome:
    """TLC's words about a lock that the last process takes: two states."""
    folder = tmp_path_factory.mktemp("holder")
    return run_tlc(exported_model(Holder), folder=folder, claims=["two_never_holds"], java=SHORT_RUN)


def test_trace_is_read_with_the_arguments_that_tlc_does_not_name(outcome: ToolOutcome) -> None:
    trace = read_trace(exported_model(Holder), outcome)
    assert (trace.initial, trace.labels, trace.states) == ((0,), (("takes", (("p", 2),)),), ((0,), (3,)))


@pytest.mark.parametrize(("old", "new", "why"), [
    ("holder = 3", "holder = 9", r"no instance of takes leads from \(0,\) to \(9,\)"),
    ("holder = 3", "holder = 0", r"no instance of takes leads from \(0,\) to \(0,\)"),
    ("<Takes ", "<LetsGo ", r"no instance of lets_go leads from \(0,\) to \(3,\)"),
    ("holder = 3", "holder = TRUE", "TLC printed no int for holder"),
    ("holder = 3", "other = 3", "TLC printed no int for holder"),
    ("State 1:", "Stat 1:", r"\(3,\) is not an initial state"),
    ("State ", "Stage ", "TLC printed no trace"),
])  # fmt: skip
def test_trace_that_does_not_fit_the_system_is_refused(outcome: ToolOutcome, old: str, new: str, why: str) -> None:
    assert old in outcome.output
    with pytest.raises(ValueError, match=why):
        read_trace(exported_model(Holder), replace(outcome, output=outcome.output.replace(old, new)))


def test_trace_that_breaks_off_within_a_state_is_refused(outcome: ToolOutcome) -> None:
    end = outcome.output.index("holder = 3") + len("holder =")
    with pytest.raises(ValueError, match="the end"):
        read_trace(exported_model(Holder), replace(outcome, output=outcome.output[:end]))


def test_claim_about_steps_that_no_step_breaks_is_refused() -> None:
    said = "State 1: <Initial predicate>\nx = 0\n\nState 2: <CounterRises line 1>\nx = 1\n\n"
    told = ToolOutcome("TLC", 2, None, "never_falls", 2, 0.0, said)
    with pytest.raises(ValueError, match="no step from the last state breaks never_falls"):
        read_trace(exported_model(Counter), told)


def test_trace_that_starts_elsewhere_is_refused() -> None:
    said = "State 1: <Initial predicate>\n/\\ x = 2\n/\\ y = 1\n\n"
    with pytest.raises(ValueError, match=r"\(2, 1\) is not an initial state"):
        read_trace(exported_model(Descent), ToolOutcome("TLC", 1, None, "never_two_steps", 0, 0.0, said))


@pytest.mark.parametrize("printed", [
    "f = <<4, 5>>",
    "f = (1 :> 4 @@ 2 :> 5)",
])  # fmt: skip
def test_function_that_starts_at_one_comes_as_a_tuple(printed: str) -> None:
    assert state_of(numbered("f[1]", "f[2]"), read_state(printed)) == (4, 5)


def test_functions_of_functions_are_read_index_by_index() -> None:
    vocabulary = numbered("f[0][RED]", "f[0][BLUE]", "f[1][1]", "f[1][2]")
    assert state_of(vocabulary, read_state("f = (0 :> [RED |-> 4, BLUE |-> 5] @@ 1 :> <<6, 7>>)")) == (4, 5, 6, 7)
    with pytest.raises(ValueError, match=r"f\[1\]\[2\]"):
        state_of(vocabulary, read_state("f = (0 :> [RED |-> 4, BLUE |-> 5] @@ 1 :> <<6>>)"))


def numbered(*names: str) -> Vocabulary:
    """The names of a system with these variables."""
    system = System(tuple(Variable(name, Sort.INT, 0, 9, (0,)) for name in names), ())
    return Vocabulary(Exported("numbered", Counter, Setting(Counter.scopes[0]), system, (), {}, {}))


@pytest.mark.parametrize(("model", "values", "why"), [
    (Philosophers, {"hands": (1, 2)}, r"hands\[0\]"),
    (Philosophers, {"hands": {0: 1}}, r"hands\[1\]"),
    (Philosophers, {"hands": 1}, r"hands\[0\]"),
    (Philosophers, {}, r"hands\[0\]"),
    (WideSets, {"first": 3, "second": frozenset()}, "no set for first"),
    (WideSets, {"first": frozenset({True}), "second": frozenset()}, "no set for first"),
    (WideSets, {"first": frozenset({-1}), "second": frozenset()}, "no set for first"),
])  # fmt: skip
def test_value_of_another_sort_or_place_is_refused(model: type, values: dict[str, Value], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        state_of(Vocabulary(exported_model(model)), values)
