"""`offsetproof.check`: the command line's answers and errors for programs, and answers that nobody takes for yes."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import offsetproof
from offsetproof.checking import answers as answering
from offsetproof.checking.answers import Answer
from offsetproof.examples.toys import Counter, Slips
from offsetproof.lang import (
    DeclarationError,
    Default,
    Fix,
    Model,
    Scope,
    Subject,
    action,
    always,
    flag,
    integer,
    require,
    sometimes,
)
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.result import Verdict


class Lamp(Model):
    """A lamp that is switched on and off."""

    lit: bool = flag()

    @action()
    def switched(self) -> None:
        self.lit = not self.lit

    @always
    def stays_dark(self) -> bool:
        return not self.lit


@sometimes
def is_lit(lamp: Lamp) -> bool:
    return lamp.lit


@pytest.fixture(scope="module")
def lamp() -> offsetproof.Results:
    return offsetproof.check(Lamp)


def test_model_class_is_asked_all_that_stands_in_it_and_beside_it(lamp: offsetproof.Results) -> None:
    assert [(answer.claim, answer.verdict) for answer in lamp] == [
        ("stays_dark", Verdict.REFUTED),
        ("is_lit", Verdict.HOLDS),
    ]
    assert (lamp.subject, len(lamp), lamp.exit) == ("Lamp", 2, Exit.VIOLATION)
    assert [answer.holds for answer in lamp] == [False, True]
    assert (lamp.holds, lamp[1:].holds, lamp.as_expected, lamp[1:].as_expected) == (False, True, False, True)


def test_vacuous_claim_does_not_hold() -> None:
    results = offsetproof.check("toys:Counter", "stays_below_four")
    (vacuous,) = results
    assert (vacuous.verdict, vacuous.holds, results.holds, results.as_expected) == (Verdict.HOLDS, False, False, False)
    assert vacuous.vacuous == "true whatever its fields hold in this scope; no step could break it"
    assert (vacuous.exit, results.exit) == (Exit.LIVENESS, Exit.LIVENESS)
    assert repr(results) == "<Results of Counter: 1 VACUOUS; 1 not as expected>"
    (sound,) = offsetproof.check("toys:Counter", "never_falls", scope="default")
    assert sound.vacuous == ""


def test_answers_are_found_by_claim_in_either_spelling(lamp: offsetproof.Results) -> None:
    assert lamp["is_lit"] is lamp["is-lit"] is lamp[1]
    with pytest.raises(offsetproof.UnknownNameError, match="did you mean is_lit"):
        lamp["is_light"]


def test_neither_an_answer_nor_results_are_true_or_false(lamp: offsetproof.Results) -> None:
    for each in (lamp, lamp[0], lamp[1]):
        with pytest.raises(TypeError, match=r"neither true nor false.*\.holds"):
            bool(each)


def test_no_answer_at_all_is_no_good_answer(lamp: offsetproof.Results) -> None:
    nothing = lamp[len(lamp) :]
    assert (nothing.holds, nothing.as_expected, nothing.exit) == (False, False, Exit.UNKNOWN)
    assert (repr(nothing), str(nothing)) == ("<Results of Lamp: nothing>", "Lamp: nothing was decided")


def test_engines_that_contradict_each_other_do_not_make_a_claim_hold(lamp: offsetproof.Results) -> None:
    class Contradiction:
        problems = ("explicit says HOLDS, smt says REFUTED",)

    doubtful: Any = replace(lamp[1], agreement=Contradiction())
    assert (doubtful.verdict, doubtful.holds, doubtful.exit) == (Verdict.HOLDS, False, Exit.INTERNAL)


def test_trace_is_a_graph_and_a_text(lamp: offsetproof.Results) -> None:
    trace = lamp[0].trace
    assert trace is not None
    graph = trace.graph()
    assert [graph.nodes[number]["state"] for number in graph] == [{"lit": False}, {"lit": True}]
    assert graph.edges[0, 1, 0]["action"] == "switched"
    assert str(trace).startswith("stays_dark (always) fails after 1 step\n")


def test_report_is_shown_in_text_terminal_and_notebook(lamp: offsetproof.Results) -> None:
    assert repr(lamp) == "<Results of Lamp: 1 REFUTED, 1 reached; 1 not as expected>"
    assert repr(lamp[0]) == "<stays_dark REFUTED in default: 1 step>"
    text = str(lamp)
    assert text.startswith("Lamp: 1 REFUTED, 1 reached; 1 not as expected\n")
    console = Console(width=100, force_terminal=False)
    with console.capture() as shown:
        console.print(lamp)
    assert [line.rstrip() for line in shown.get().splitlines()] == text.splitlines()
    html, *frames = lamp._repr_html_().split("<iframe ")
    assert html.startswith("<pre ")
    assert "<span style=" in html
    plain = unescape("".join(part.partition(">")[2] for part in html.split("<")))
    assert [line.rstrip() for line in plain.splitlines()] == lamp.report(stories="none").rstrip().splitlines()
    assert [unescape(frame.split('"')[3]).startswith("<!doctype html>") for frame in frames] == [True, True]
    assert str(lamp[0]).startswith("Lamp: 1 REFUTED; 1 not as expected\n")
    assert "stays_dark" in lamp[0]._repr_html_()


def test_what_is_named_by_a_user_cannot_become_markup() -> None:
    class Odd(Model):
        lit: bool = flag()

        @action()
        def switched(self) -> None:
            self.lit = not self.lit

        @always(id="<script>[red]")
        def odd(self) -> bool:
            return not self.lit

    odd = offsetproof.check(Odd)
    assert "<script>" not in odd._repr_html_()
    assert "&lt;script&gt;[red]" in odd._repr_html_()
    assert "<script>[red]" in str(odd)


def test_claim_from_elsewhere_and_a_scope_of_ones_own_are_taken() -> None:
    @always
    def never_at_five(walk: Slips) -> bool:
        return walk.place != 5

    own = Scope("one slip", {}, faults={"slip": 1})
    (answer,) = offsetproof.check(Slips, never_at_five, scope=own)
    assert (answer.verdict, answer.result.setting.scope) == (Verdict.REFUTED, own)
    assert answer.trace is not None
    assert (answer.trace.length, answer.trace.faults) == (4, 1)


def test_words_of_the_command_line_name_subjects_claims_and_more() -> None:
    (toy,) = offsetproof.check("toys", "never_falls", scope="default")
    assert toy.subject is not None
    assert (toy.subject.name, toy.counts.states, toy.method) == ("Counter", 4, "exhaustive")
    (fixed,) = offsetproof.check("rocketmq", "I13", fixes="no-zero-answer", release="4.9.4", scope="new-group")
    assert fixed.holds
    subject = Subject("mine", Counter, Counter.claims)
    (smt,) = offsetproof.check(subject, Counter.never_falls, engine="smt", depth=5)
    assert (smt.result.engine, smt.verdict) == ("smt", Verdict.REFUTED)


def test_what_meets_a_limit_is_unknown_and_does_not_hold() -> None:
    (unsure,) = offsetproof.check(Counter, "no_deadlock", max_states=2)
    assert (unsure.verdict, unsure.holds, str(unsure.reason)) == (Verdict.UNKNOWN, False, "state limit")


@pytest.mark.parametrize(("asked", "options", "error", "told"), [
    ("no/such.py", {}, "NoSubjectError",
     "there is no model file no/such.py; name a Python file, a module, or rocketmq"),
    (Counter, {"claims": "never_fails"}, "UnknownNameError",
     "no claim named 'never_fails'; did you mean never_falls?"),
    ("several-queues", {"claims": "I24-broadcast"}, "UnknownNameError",
     "I24-broadcast is a claim of broadcasting, and several-queues has none of that name"),
    (Counter, {"scope": "big"}, "UnknownNameError", "no scope named 'big'; choose from default"),
    (Counter, {"bounds": {"top": 3}}, "UnknownNameError", "no bound of scope default named 'top'; there is none"),
    (Counter, {"fixes": "glue"}, "UnknownNameError", "no fix named 'glue'; there is none"),
    (Counter, {"engine": "explicitly"}, "UnknownNameError", "no engine named 'explicitly'; did you mean explicit?"),
])  # fmt: skip
def test_errors_have_the_words_of_the_command_line(asked: Any, options: dict[str, Any], error: str, told: str) -> None:
    with pytest.raises(getattr(offsetproof, error)) as raised:
        offsetproof.check(asked, **options)
    assert str(raised.value) == told


def test_function_that_is_not_a_claim_is_refused_with_its_place() -> None:
    def dark(lamp: Lamp) -> bool:
        return not lamp.lit

    undecorated: Any = dark
    with pytest.raises(offsetproof.DeclarationError, match=r"test_python\.py:\d+ .*dark\) is not a claim; mark it"):
        offsetproof.check(Lamp, undecorated)


@pytest.mark.parametrize(("option", "value"), [
    ("timeout", -1.0), ("timeout", float("nan")), ("timeout", float("inf")), ("max_states", 0), ("max_memory", 0),
    ("workers", 0), ("depth", -1), ("seed", -1),
])  # fmt: skip
def test_limit_that_is_none_is_refused(option: str, value: float) -> None:
    limit: dict[str, Any] = {option: value}
    with pytest.raises(ValueError, match=rf"^{option} is a number from \d, not {value}; leave it out"):
        offsetproof.check(Counter, **limit)


@pytest.mark.parametrize(("option", "value", "told"), [
    ("scope", 3, "scope is 3, which is of type int; give a scope's name, `all`, or a Scope"),
    ("bounds", [("top", 3)], "bounds is [('top', 3)], which is of type list; give a dict of names and values"),
    ("bounds", {"top": 2.5}, "bounds is {'top': 2.5}, which is of type dict; give a dict of names and values"),
    ("bounds", {3: 2}, "bounds is {3: 2}, which is of type dict; give a dict of names and values"),
    ("release", 4.9, "release is 4.9, which is of type float; give a name, an object of Release, or several of these"),
    ("fixes", [None], "fixes is None, which is of type NoneType; give a name, an object of Fix, or several of these"),
    ("assumptions", 1, "assumptions is 1, which is of type int; give a name, an object of Assumption, or several of"),
    ("listener", ("slow",), "listener is ('slow',), which is of type tuple; give a listener's name, or a Listener"),
    ("engine", None, "engine is None, which is of type NoneType; give an engine's name, as `explicit`"),
    ("timeout", "5", "timeout is '5', which is of type str; give a number from 0; leave it out for no limit"),
    ("timeout", True, "timeout is True, which is of type bool; give a number from 0; leave it out for no limit"),
    ("max_states", 1.5, "max_states is 1.5, which is of type float; give a whole number from 1; leave it out"),
    ("depth", None, "depth is None, which is of type NoneType; give a whole number from 0; leave it out"),
    ("claims", 3, "3 is not a claim; mark it with @always"),
])  # fmt: skip
def test_argument_of_another_kind_is_refused_by_its_name(option: str, value: object, told: str) -> None:
    given: dict[str, Any] = {option: value}
    with pytest.raises((TypeError, DeclarationError), match=f"^{re.escape(told)}"):
        offsetproof.check(Counter, **given)


@pytest.mark.parametrize("asked", [3, int, Counter.never_falls, b"toys"])
def test_what_is_no_subject_is_refused(asked: Any) -> None:
    with pytest.raises(TypeError, match=r"^subject is .*, which is of type \w+; give a model's class, a Subject, or"):
        offsetproof.check(asked)


def test_fixes_that_come_one_by_one_are_all_asked_with() -> None:
    (fixed,) = offsetproof.check("rocketmq", "I13", fixes=iter(["no-zero-answer"]), scope="new-group")
    assert [fix.name for fix in fixed.result.setting.fixes] == ["no-zero-answer"]


BOARDS_AND_BOOKS = {"boards": Default(2, "boards of the shelf"), "books": Default(1, "books that there are")}


class Shelf(Model):
    """A shelf of that many boards, of which one may break."""

    bounds = BOARDS_AND_BOOKS
    scopes = (Scope("small", {}, faults={"break": 1}),)
    placed: int = integer(0, "books")

    @action()
    def book_is_placed(self) -> None:
        require(self.placed < self.scope.books)
        self.placed += 1

    @action(fault="break")
    def board_breaks(self) -> None:
        self.placed = 0

    @sometimes
    def all_are_placed(self) -> bool:
        return self.placed == self.scope.books


def test_scope_of_ones_own_gets_the_defaults_that_a_scope_of_the_model_gets() -> None:
    (answer,) = offsetproof.check(Shelf, "all_are_placed", scope=Scope("own", {"books": 3}))
    assert dict(answer.result.setting.scope.bounds) == {"boards": 2, "books": 3}
    assert answer.holds


@pytest.mark.parametrize(("scope", "told"), [
    (Scope("own", {"xyz": 3}), "no bound (in scope own) named 'xyz'; choose from boards, books"),
    (Scope("own", {"book": 3}), "no bound (in scope own) named 'book'; did you mean books?"),
    (Scope("own", {}, faults={"xyz": 1}), "no fault (in scope own) named 'xyz'; choose from break"),
])  # fmt: skip
def test_scope_of_ones_own_with_bounds_or_faults_that_the_model_has_not_is_refused(scope: Scope, told: str) -> None:
    with pytest.raises(offsetproof.UnknownNameError) as raised:
        offsetproof.check(Shelf, scope=scope)
    assert str(raised.value) == told


def test_interrupt_is_raised_with_the_answers_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = answering.with_trace

    def stopped(subject: Subject, question: Any, *rest: Any) -> Any:
        if question.prop is Counter.never_falls:
            raise KeyboardInterrupt
        return shown(subject, question, *rest)

    monkeypatch.setattr(answering, "with_trace", stopped)
    with pytest.raises(offsetproof.CheckInterruptedError) as raised:
        offsetproof.check(Counter, ["stays_below_two", "never_falls"])
    assert isinstance(raised.value, KeyboardInterrupt)
    assert [(answer.claim, answer.is_interrupted) for answer in raised.value.results] == [
        ("stays_below_two", False),
        ("never_falls", True),
    ]


LIGHT = """
import sys
import offsetproof
heavy = {"llvmlite", "z3", "rich", "networkx", "hypothesis", "numpy", "typer", "offsetproof.lang", "ast"}
assert not heavy & {*sys.modules}, heavy & {*sys.modules}
import offsetproof.checking.subject
from offsetproof.checking.request import Request
assert callable(offsetproof.check), "the package of that name has replaced the function"
assert set(offsetproof.__all__) <= {*dir(offsetproof)}
assert all(getattr(offsetproof, name) is not None for name in offsetproof.__all__)
"""


def test_import_is_light_and_the_function_stays_what_it_is(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-c", LIGHT]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    with pytest.raises(AttributeError, match="module 'offsetproof' has no attribute 'chekc'"):
        offsetproof.chekc  # type: ignore[attr-defined]  # noqa: B018 - it is the reading that fails


def test_explicit_engine_loads_no_z3_before_stubborn_sets_are_asked_for() -> None:
    script = "import sys, offsetproof.engines.explicit.engine; sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=120).returncode == 0


def test_answers_of_python_are_those_of_the_command_line_and_show_themselves() -> None:
    answer = offsetproof.check("toys:Counter")[0]
    assert type(answer) is offsetproof.Answer
    assert issubclass(offsetproof.Answer, Answer)
    assert "Counter" in str(answer)


def test_fix_that_only_has_the_name_of_one_is_not_taken_for_it() -> None:
    other = Fix("no-zero-answer", "nothing at all")
    with pytest.raises(DeclarationError, match="no-zero-answer differs from the one that RocketMQ has in its fixes"):
        offsetproof.check("rocketmq", "I13", fixes=other)


def test_several_processes_give_the_answers_of_one() -> None:
    alone, together = (offsetproof.check("toys", max_states=20_000, workers=count) for count in (1, 2))
    found = [
        [(each.claim, each.verdict, each.result.counts.states, str(each.trace)) for each in results]
        for results in (alone, together)
    ]
    assert found[0] == found[1]
    assert len(found[0]) > 5
    with pytest.raises(ValueError, match="engine smt decides in one process; leave workers out"):
        offsetproof.check(Counter, engine="smt", workers=2)
