"""What readers see of one trace, and of two side by side."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from systems.lossy_queue import COMMITS, LOSES, STAGED, TAKES, TICKS, LossyQueue, finishes, replay, replays
from systems.odometer import Odometer, setting
from systems.reproducible import reproducible

from offsetproof.examples.toys import Ordered
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.setting import Setting
from offsetproof.reading.files import UnreadableFileError
from offsetproof.reports.json import trace_json
from offsetproof.traces.store import read_record, record, write_record
from offsetproof.traces.text import STEPS_MAX, in_report, to_text
from offsetproof.traces.trace import Effect, Schedule, Trace, trace_of
from offsetproof.traces.two_traces import align_steps, side_by_side

LOST = trace_of(
    replay("Q2", TAKES, finishes(0), COMMITS, LOSES, also=("W1",)),
    subject="queue",
    effect=Effect("permanent", 1, 0),
    staged=STAGED,
)


def test_text_tells_what_is_late_and_when_each_step_happens() -> None:
    timing = Schedule(7.5, ("the timer is late for 7.5 s",), (0.0, 0.0, 7.5, 7.5))
    text = to_text(replace(LOST, timing=timing, effect=Effect("unknown", None, None, "too large")))
    assert "\n  effect: unknown (too large)\n  timing: the timer is late for 7.5 s\n" in text
    assert "\n  2  consumer[0], task: consumer_finishes(c=0, m=0) (t = 0.0 s)\n" in text
    assert "\n  4  network, main: network_loses_commit (fault: loss) (t = 7.5 s)\n" in text
    calm = to_text(replace(LOST, timing=Schedule(0.0, (), (0.0,) * 4), effect=Effect("transient", 0, None)))
    assert "\n  effect: transient, 0 lost\n  timing: no stall or delay is needed\n" in calm
    assert "(t = " not in to_text(LOST)


def test_story_is_told_in_the_order_of_its_times() -> None:
    timed = replace(LOST, timing=Schedule(0.0, (), (0.0, 1.0, 2.0, 3.0), (1, 2, 4, 3)))
    steps = [line.strip() for line in to_text(timed).splitlines() if "(t = " in line]
    assert steps == [
        "1  consumer[0], rebalance: consumer_takes_queue(c=0) (t = 0.0 s)",
        "2  consumer[0], task: consumer_finishes(c=0, m=0) (t = 1.0 s)",
        "3  network, main: network_loses_commit (fault: loss) (t = 2.0 s)",
        "4  consumer[0], timer: consumer_commits(c=0) (t = 3.0 s)",
    ]
    told = to_builtins(trace_json(timed))
    assert [step["action"] for step in told["steps"]][2:] == ["network_loses_commit", "consumer_commits"]
    assert told["timing"]["times"] == (0.0, 1.0, 2.0, 3.0)
    assert [step["claims"] for step in told["steps"]] == [dict(step.claims) for step in LOST.steps]
    assert [step.action for step in record(timed).trace.steps] == [step.action for step in LOST.steps]
    assert to_text(read_record(write_record(timed)).trace) == to_text(timed)


def line_of(action: str) -> int:
    return LossyQueue.actions[action].line


def test_text_shows_each_step_with_what_it_changed() -> None:
    text = to_text(LOST).splitlines()
    assert text[:9] == [
        "committed_never_falls (Q2, each_step) fails after 4 steps, 1 of them a fault",
        "  subject: queue",
        "  release: broker=2.0,client=1.0",
        "  fix: retry",
        "  assuming: in_order",
        "  listener: slow",
        f"  scope: small ({LossyQueue.scopes[0].describe()})",
        "  cause: consumer_takes_queue, consumer_finishes, consumer_commits, network_loses_commit",
        "  effect: permanent, 1 lost, 0 repeated",
    ]
    assert text[10:20] == [
        "  0  the initial state",
        "       owner = None",
        "       committed = 0",
        "       lost = 0",
        "       ghost_finished = {}",
        "       consumer[0].phase = IDLE",
        "       consumer[0].done = {}",
        "       (6 other fields never change)",
        "       claim W1 is false",
        "",
    ]
    assert text[-14:] == [
        "       consumer[0].done: {} -> {0}",
        "       claim W1 is false",
        "",
        "  3  consumer[0], timer: consumer_commits(c=0)",
        f"       at tests/systems/lossy_queue.py:{line_of('consumer_commits')}",
        "       committed: 0 -> 1",
        "       claim W1 is false",
        "",
        "  4  network, main: network_loses_commit (fault: loss)",
        f"       at tests/systems/lossy_queue.py:{line_of('network_loses_commit')}",
        "       committed: 1 -> 0",
        "       lost: 0 -> 1",
        "       claim Q2 is now false",
        "       claim W1 is false",
    ]


def test_text_names_the_java_places_and_the_log_line() -> None:
    assert "       stands for ProcessQueue.removeMessage:196 (first)\n       stands for MessageListener.consume\n" in (
        to_text(LOST)
    )
    assert "       may log 'owner is {}'\n" in to_text(LOST)


@reproducible(100)
@given(replays(), st.integers(30, 120))
def test_text_fits_and_loses_no_word(found: Replay, width: int) -> None:
    trace = trace_of(found, staged=STAGED)
    text = to_text(trace, width)
    assert max(map(len, text.splitlines())) <= width
    assert "".join(text.split()) == "".join(to_text(trace).split())
    for step in trace.steps:
        assert f"{step.number:>3}  {step.actor}," in text


@reproducible(100)
@given(replays(), replays(), st.integers(63, 160))
def test_two_traces_fit_beside_each_other(a: Replay, b: Replay, width: int) -> None:
    text = side_by_side(trace_of(a, staged=STAGED), trace_of(b, staged=STAGED), width)
    assert max(map(len, text.splitlines())) <= width


@reproducible(100)
@given(replays(), replays())
def test_alignment_shows_every_step_once_in_order(a: Replay, b: Replay) -> None:
    left, right = trace_of(a, staged=STAGED).steps, trace_of(b, staged=STAGED).steps
    pairs = align_steps(left, right)
    assert [i for i, _ in pairs if i is not None] == list(range(len(left)))
    assert [j for _, j in pairs if j is not None] == list(range(len(right)))
    assert all(left[i].action == right[j].action for i, j in pairs if i is not None and j is not None)


@reproducible(50)
@given(replays())
def test_a_trace_beside_itself_differs_nowhere(found: Replay) -> None:
    trace = trace_of(found, staged=STAGED)
    assert {line[79:80] for line in side_by_side(trace, trace).splitlines() if line} == {"="}


def test_common_beginning_is_aligned_first_even_where_more_would_match_later() -> None:
    stops = ("consumer_stops", (("c", 1), ("how", "SLOWLY")))
    a, b = (
        trace_of(replay("W2", *labels, ("clock_rings", ())), staged=STAGED).steps
        for labels in ((TICKS, TAKES, finishes(0)), (TICKS, stops, TICKS, TAKES, finishes(0)))
    )
    assert align_steps(a, b) == [(0, 0), (None, 1), (None, 2), (1, 3), (2, 4), (3, 5)]


def test_extra_step_does_not_shift_the_rest() -> None:
    longer = trace_of(replay("Q2", TAKES, TICKS, finishes(1), COMMITS, LOSES), staged=STAGED)
    assert align_steps(LOST.steps, longer.steps) == [(0, 0), (None, 1), (1, 2), (2, 3), (3, 4)]
    lines = side_by_side(LOST, longer, 103).splitlines()
    assert [line[50:] for line in lines if "clock" in line and line.startswith(" " * 50)] == [
        " >   2  clock, main:",
        " >      clock_ticks",
        " >      clock: 0 -> 1",
    ]
    assert f"{'     consumer_finishes(c=0, m=0)':<50} !      consumer_finishes(c=0, m=1)" in lines
    assert f"{'  3  consumer[0], timer:':<50} =   4  consumer[0], timer:" in lines
    assert f"{'     committed: 0 -> 1':<50} !      committed: 0 -> 2" in lines
    assert f"{'     claim W1 is false':<50} <" in lines


def long(steps: int) -> Trace:
    """The odometer's way of that many steps."""
    where = setting(steps)
    reference = Reference(Odometer, where)
    labels, state = [], reference.first()
    for _ in range(steps):
        label, state = next(reference.steps(state))
        labels.append(label)
    return trace_of(Replay(reference, Odometer.claims[0], labels))


def test_report_tells_a_trace_of_usual_length_whole() -> None:
    assert in_report(LOST, 80) == to_text(LOST, 80)
    assert in_report(long(STEPS_MAX)) == to_text(long(STEPS_MAX))


def test_report_tells_beginning_and_end_of_a_very_long_trace_and_what_changed_between() -> None:
    trace = long(STEPS_MAX + 50)
    whole, told = to_text(trace), in_report(trace)
    gap = (
        "\n\n...  steps 51 to 200 are left out here; --out-dir and --format json have the whole trace\n"
        "       low = 8\n       odd = False\n       mid = 6\n\n"
    )
    head, tail = told.split(gap)
    assert whole.startswith(head + "\n\n 51  low, main: low_turns\n")
    assert whole.endswith("\n\n" + tail)
    assert tail.startswith("201  low, main: low_turns\n")
    assert trace.states[200] == {"low": 8, "mid": 6, "high": 0, "odd": False}
    assert max(map(len, in_report(trace, 60).splitlines())) <= 60


def test_story_tells_what_was_started_with_where_that_could_have_been_something_else() -> None:
    (claim,) = (prop for prop in Ordered.claims if prop.name == "stay_in_order")
    reference = Reference(Ordered, Setting(Ordered.scopes[0]))
    trace = trace_of(Replay(reference, claim, [("halves", ())], (0, 1)))
    assert to_text(trace).splitlines()[4:9] == [
        "  0  the initial state",
        "       a = 0",
        "       b = 1",
        "",
        "  1  system, main: halves",
    ]
    assert record(trace).trace.chosen == {"a": 0, "b": 1}
    assert read_record(write_record(trace)).trace == trace
    with pytest.raises(UnreadableFileError, match=r"trace\.chosen\['b'\]: is not what the initial state says"):
        read_record(write_record(trace).replace('"b": 1\n    }', '"b": 2\n    }'))
