"""Judging one program: it is refused with a place in its own file, or everybody who runs it agrees.

Everybody is: plain Python run by brute force, twice and in two orders; the explicit engine without reductions (verdict
and counts) and with them (verdict, faults and length); the smt engine within its depth; random walks.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from engines.naive import Answer
from programs.plain_answers import Answers
from programs.plain_search import Graph, MeaninglessError, Plain, TooManyError
from systems.hanging import not_hanging

from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.preparing import StagedModels
from offsetproof.engines.smt.engine import Smt
from offsetproof.engines.smt.session import Bounds, Session
from offsetproof.engines.stateful.engine import Effort, Stateful
from offsetproof.ir.system import System
from offsetproof.lang import DeclarationError, RefusedError, UnknownNameError
from offsetproof.lang.claim import NO_DEADLOCK, ClaimKind
from offsetproof.lang.reference import Replay
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import DisagreementError, Reason, Result

STATES, SECONDS, SMT_DEPTH = 300, 60, 3
EFFORT = Effort(walk_steps=3_000, walk_length=20, examples=2, example_steps=5)


Refusal = (RefusedError, DeclarationError, UnknownNameError)


class FindingError(AssertionError):
    """Somebody does not agree, or a refusal is not one."""


@dataclass(frozen=True)
class Judged:
    """What became of a program: `refused` (and what was said), `large`, or the verdicts that all agree on."""

    outcome: str
    said: str = ""
    verdicts: tuple[str, ...] = ()


def judge(source: str, number: int, claims: int = 2) -> Judged:
    """What becomes of a program; FindingError where anything is wrong. So many of its claims are asked about."""
    with tempfile.TemporaryDirectory() as folder, not_hanging(SECONDS, FindingError):
        path = Path(folder) / f"drawn_{number}.py"
        path.write_text(source)
        try:
            asked = _asked(path, number, claims)
            models = StagedModels()
            explicit = Explicit(models)
            results = [explicit.decide(_whole(question)) for question in asked]
        except Refusal as error:
            return Judged("refused", _must_name_place(str(error), path))
        except FindingError:
            raise
        except Exception as error:
            raise FindingError(f"{type(error).__name__}: {error}") from error
        finally:
            sys.modules.pop(f"offsetproof_subject_{path.stem}", None)
        try:
            return _compared(source, asked, results, models)
        except DisagreementError as error:
            raise FindingError(str(error)) from error


def _asked(path: Path, number: int, claims: int) -> list[Question]:
    """Some of the claims by turns; all that are not the generator's own, which are there for an offence's sake."""
    everything = questions_of(Request(load_subject(str(path))))
    everything.append(replace(everything[0], prop=NO_DEADLOCK))
    usual = [q for q in everything if q.prop.id.endswith("_drawn") or q.prop.id in ("state", "no_deadlock")]
    turn = number % len(usual)
    return [*(q for q in everything if q not in usual), *(usual[turn:] + usual[:turn])[:claims]]


def _whole(question: Question) -> Question:
    limits = Limits(states=20_000, seconds=SECONDS)
    return replace(question, limits=limits, reductions=Reductions(slicing=False, dead=False))


def _must_name_place(text: str, path: Path) -> str:
    if not re.search(rf"{path.name}:\d+", text):
        raise FindingError(f"a refusal without a place in the file: {text}")
    return text


def _compared(source: str, asked: Sequence[Question], results: Sequence[Result], models: StagedModels) -> Judged:
    try:
        answers = [_answers(source, backwards=backwards) for backwards in (False, True)]
    except TooManyError:
        return Judged("large")
    except MeaninglessError as error:
        raise FindingError(f"accepted, and plain Python cannot run it: {error}") from error
    first, second = answers
    _must_be_one_graph(first.graph, second.graph)
    for question, result in zip(asked, results, strict=True):
        expected = first.to(question.prop.name)
        _must_be("explicit", _answer_of(result), expected, question)
        if (result.reason is Reason.OVERFLOW) is not (expected.verdict == "UNKNOWN"):
            raise FindingError(f"{question.prop.id}: {result.reason} where plain Python says {expected}")
        _must_replay(first, result)
    question, expected = asked[-1], first.to(asked[-1].prop.name)
    _must_keep(Explicit(models).decide(replace(_whole(question), reductions=Reductions())), expected)
    _must_not_contradict("smt", _smt(replace(question, limits=Limits(seconds=SECONDS)), models), expected)
    _must_not_contradict(
        "stateful",
        Stateful(EFFORT, models).decide(replace(question, limits=Limits(seconds=SECONDS))),
        expected,
    )
    return Judged("accepted", verdicts=tuple(result.verdict.value for result in results))


def _answers(source: str, *, backwards: bool) -> Answers:
    try:
        plain = Plain(source)
        return Answers(plain, plain.explore(STATES, backwards=backwards))
    except (TooManyError, MeaninglessError):
        raise
    except Exception as error:
        raise MeaninglessError(f"{type(error).__name__}: {error}") from error


def _must_be_one_graph(first: Graph, second: Graph) -> None:
    if first.shown() != second.shown():
        raise FindingError("accepted, and plain Python gives another graph in another order")


def _answer_of(result: Result) -> Answer:
    counts, replay = result.counts, result.replay
    return Answer(
        result.verdict.value,
        counts.states or 0,
        counts.transitions or 0,
        counts.depth,
        counts.initial,
        counts.bound_cuts,
        None if replay is None else len(replay.labels),
        replay.faults if replay else 0,
    )


def _must_be(who: str, found: Answer, expected: Answer, question: Question) -> None:
    if found != expected:
        raise FindingError(f"{question.prop.id}: {who} says\n{found}, plain Python\n{expected}")


def _must_keep(result: Result, expected: Answer) -> None:
    """Reductions keep verdict, faults and length, and never add a state; slicing may leave out what goes wrong."""
    found = _answer_of(result)
    kept = (found.verdict, found.length, found.faults) == (expected.verdict, expected.length, expected.faults)
    if not (kept or expected.verdict == "UNKNOWN") or found.states > expected.states:
        raise FindingError(f"{result.prop.id}: explicit with reductions says\n{found}, plain Python\n{expected}")


def _must_not_contradict(who: str, result: Result, expected: Answer) -> None:
    found = result.verdict.value
    shows = "HOLDS" if result.prop.kind is ClaimKind.SOMETIMES else "REFUTED"
    is_known = expected.length is not None and expected.length <= SMT_DEPTH and expected.faults == 0
    wrong = found not in ("UNKNOWN", expected.verdict) or (
        found == shows and result.replay is not None and expected.length is None
    )
    if who == "smt" and is_known and found == "UNKNOWN" and result.reason is Reason.DEPTH:
        wrong = True
    if expected.verdict == "UNKNOWN" and found not in ("UNKNOWN", shows):
        wrong = who != "smt"
    if wrong:
        raise FindingError(f"{result.prop.id}: {who} says {found} ({result.reason}), plain Python {expected}")


def _must_replay(answers: Answers, result: Result) -> None:
    """A story can be followed in plain Python, and every field is as told on the way."""
    replay = result.replay
    if replay is not None:
        told = [_worded(replay, i) for i in range(len(replay.states))]
        state = next((s for s in answers.graph.initial if answers.worded(s) == told[0]), None)
        for label, expected in zip(replay.labels, told[1:], strict=True):
            after = dict(answers.graph.steps[state]) if state is not None else {}
            state = after.get(label)
            if state is None or answers.worded(state) != expected:
                raise FindingError(f"{result.prop.id}: plain Python does not follow the story at {label}")


def _worded(replay: Replay, at: int) -> dict[str, str]:
    return {path: str(value) for path, value in replay.reference.show(replay.states[at]).items()}


def _smt(question: Question, models: StagedModels) -> Result:
    """In this process instead of a child."""
    with patch("offsetproof.engines.smt.engine.run_session", _session):
        return Smt(depth=SMT_DEPTH, query_seconds=5, induction=1, models=models).decide(question)


def _session(asked: System, sought: list[bool], bounds: Bounds, _seconds: float, tell: Callable[..., None]) -> bool:
    Session(asked, sought, bounds, tell).run()
    return True
