"""The contract: what every engine must tell about a case whose answer is known, by what it promises.

An answer is a verdict, counts, depth, and (faults, steps) of the smallest trace. An engine leaves out what it
does not count, and one that is bounded or samples may leave the verdict open; nobody may tell anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from offsetproof.examples.toys import Toy
from offsetproof.verdict.result import Reason, Result, Verdict


@dataclass(frozen=True)
class Told:
    """An answer. None: not told, or (in `trace`) that there is none."""

    verdict: Verdict
    reason: Reason | None = None
    states: int | None = None
    transitions: int | None = None
    depth: int | None = None
    trace: tuple[int, int] | None = None


Promise = Callable[[Told, Told], Iterator[str]]
"""Everything about an answer, the second, that breaks the promise where the first is the truth."""


def known(toy: Toy, *, reduced: bool = False) -> Told:
    """A toy's answer as its author worked it out, without reductions or with them."""
    counts = (toy.states, toy.transitions, toy.depth)
    trace = None if toy.length is None else (toy.faults, toy.length)
    return Told(toy.verdict, toy.reason, *(toy.reduced or counts if reduced else counts), trace)


def told(result: Result) -> Told:
    """What an engine's result says; a trace is one that the model's own Python has replayed."""
    counts = (result.counts.states, result.counts.transitions, result.counts.depth)
    trace = None if result.replay is None else (result.replay.faults, len(result.replay.labels))
    return Told(result.verdict, result.reason, *counts, trace)


def exact(truth: Told, answer: Told) -> Iterator[str]:
    """Exhaustive search: the whole answer, but for what a tool does not say."""
    yield from _equal("verdict", truth.verdict, answer.verdict)
    yield from _equal("reason", truth.reason, answer.reason)
    yield from _equal("trace", truth.trace, answer.trace)
    for count in ("states", "transitions", "depth"):
        if getattr(answer, count) is not None:
            yield from _equal(count, getattr(truth, count), getattr(answer, count))


def bounded(steps: int) -> Promise:
    """Bounded search: exact where the smallest trace fits; else it may be open, or know a trace that is no smaller."""

    def promise(truth: Told, answer: Told) -> Iterator[str]:
        if truth.trace is not None and truth.trace[1] <= steps:
            yield from _equal("verdict", truth.verdict, answer.verdict)
            yield from _equal("trace", truth.trace, answer.trace)
        elif answer.trace is not None:
            yield from _no_smaller(truth, answer)
        elif answer.reason is not Reason.DEPTH:
            yield from _equal("verdict", truth.verdict, answer.verdict)
            yield from _equal("reason", truth.reason, answer.reason)

    return promise


def sampled(truth: Told, answer: Told) -> Iterator[str]:
    """Sampling, of cases so small that it meets what there is to meet: a trace, or nothing decided."""
    if answer.trace is not None:
        yield from _no_smaller(truth, answer)
    elif truth.trace is not None:
        yield f"no trace, but there is one of (faults, steps) {truth.trace}"
    elif answer.verdict is not Verdict.UNKNOWN or answer.reason is not (truth.reason or Reason.SAMPLED):
        yield f"{answer.verdict} ({answer.reason}) by sampling"


def _no_smaller(truth: Told, answer: Told) -> Iterator[str]:
    yield from _equal("verdict", truth.verdict, answer.verdict)
    if truth.trace is None:
        yield f"a trace of (faults, steps) {answer.trace}, but there is none"
    elif answer.trace is not None and answer.trace < truth.trace:
        yield f"a trace of (faults, steps) {answer.trace}, but the smallest has {truth.trace}"


def _equal(what: str, truth: object, answer: object) -> Iterator[str]:
    if truth != answer:
        yield f"{what} {answer}, not {truth}"
