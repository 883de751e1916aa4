"""Whatever is made of a trace takes work, and room, in proportion to its steps: counted in calls, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.forms import FORMS
from systems.lossy_queue import STAGED, replays
from systems.reproducible import reproducible
from systems.ring import timed, walk
from systems.samples import one_in

from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces import two_traces
from offsetproof.traces.acting import takers
from offsetproof.traces.happens_before import happens_before
from offsetproof.traces.mermaid import to_mermaid
from offsetproof.traces.store import read_record, write_record
from offsetproof.traces.text import to_text
from offsetproof.traces.trace import Trace, trace_of
from offsetproof.traces.two_traces import WINDOW, align_steps, side_by_side

SHORT, LONG = 201, 801
"""Four times as many steps: four times the work where it is in proportion, sixteen times where it is squared."""

AT_MOST = 4.4

Form = Callable[[Trace], str]
WORK: dict[str, Form] = {
    **FORMS,
    "text of a width": lambda trace: to_text(trace, 100),
    "read back": lambda trace: str(read_record(write_record(trace)).trace.length),
}


@cache
def walked(steps: int) -> tuple[Replay, Staged]:
    return walk(steps)


def fresh(steps: int) -> Trace:
    """A trace that has nothing computed yet."""
    return timed(*walked(steps))


def calls_of(work: Callable[[], object]) -> int:
    """How many functions of Python and of C are called."""
    count = 0

    def counting(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("form", one_in(3, WORK))
def test_form_of_a_trace_takes_work_and_room_in_proportion_to_its_steps(form: str) -> None:
    texts: list[str] = []
    short, long = (
        calls_of(lambda trace=trace: texts.append(WORK[form](trace)))  # type: ignore[misc]  # default argument binds the loop variable
        for trace in (fresh(SHORT), fresh(LONG))
    )
    assert long < AT_MOST * short
    assert len(texts[1]) < AT_MOST * len(texts[0])


@pytest.mark.parametrize(
    "work",
    [
        takers,
        happens_before,
        lambda replay, staged: to_mermaid(trace_of(replay, staged=staged), takers(replay, staged)),
    ],
    ids=["takers", "happens_before", "mermaid"],
)
def test_what_is_asked_of_the_model_takes_work_in_proportion_to_the_steps(
    work: Callable[[Replay, Staged], object],
) -> None:
    short, long = (calls_of(lambda steps=steps: work(*walked(steps))) for steps in (SHORT, LONG))  # type: ignore[misc]  # default argument binds the loop variable
    assert long < AT_MOST * short


def holes(trace: Trace, every: int) -> Trace:
    """The trace without every n-th step."""
    steps = [step for step in trace.steps if step.number % every != 3]
    return replace(trace, timing=None, steps=tuple(replace(step, number=at) for at, step in enumerate(steps, 1)))


def test_comparing_two_traces_takes_work_in_proportion_to_their_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []

    class Counted(SequenceMatcher[Any]):
        def __init__(self, junk: Any, a: list[str], b: list[str], *more: bool) -> None:
            lengths.append(len(a) + len(b))
            super().__init__(junk, a, b, *more)

    monkeypatch.setattr(two_traces, "SequenceMatcher", Counted)
    work = []
    for steps in (4 * WINDOW + 1, 16 * WINDOW + 1):
        trace = fresh(steps)
        lengths.clear()
        align_steps(trace.steps, holes(trace, 7).steps)
        assert max(lengths) <= 2 * WINDOW
        work.append(sum(lengths))
    assert work[1] < 1.2 * AT_MOST * work[0]


def test_window_by_window_an_extra_step_does_not_shift_the_rest() -> None:
    trace = fresh(4 * WINDOW + 1)
    steps = [*trace.steps[:300], trace.steps[7], *trace.steps[300:700], *trace.steps[701:]]
    other = replace(
        trace, timing=None, steps=tuple(replace(step, number=number) for number, step in enumerate(steps, 1))
    )
    pairs = align_steps(trace.steps, other.steps)
    assert [i for i, _ in pairs if i is not None] == list(range(trace.length))
    assert [j for _, j in pairs if j is not None] == list(range(other.length))
    met = [(i, j) for i, j in pairs if i is not None and j is not None]
    assert all(trace.steps[i].action == other.steps[j].action for i, j in met)
    assert met[:650] == [(i, i + (i >= 300)) for i in range(650)]
    assert len(met) > trace.length - 12, "the walk repeats itself every ten steps"
    assert side_by_side(trace, other).count("\n\n") == len(pairs) + 1


@reproducible(100)
@given(replays(), replays(), st.integers(2, 6))
def test_alignment_by_small_windows_shows_every_step_once_in_order(a: Replay, b: Replay, window: int) -> None:
    left, right = trace_of(a, staged=STAGED).steps, trace_of(b, staged=STAGED).steps
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(two_traces, "WINDOW", window)
        pairs = align_steps(left, right)
    assert [i for i, _ in pairs if i is not None] == list(range(len(left)))
    assert [j for _, j in pairs if j is not None] == list(range(len(right)))
    assert all(left[i].action == right[j].action for i, j in pairs if i is not None and j is not None)
