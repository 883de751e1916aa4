"""docs/studies/times.md tells the truth: the timing data speak of every action of the model."""

from __future__ import annotations

from offsetproof.lang.step import any_time_in
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.concurrent.timing import timing
from studies.times import times

TIMING = timing(lambda timer: timer.seconds)
ENDED = {name for wait in TIMING.waits for name in wait.ends}


def test_every_action_either_ends_a_wait_or_says_why_it_has_none() -> None:
    assert set(any_time_in(RocketMQ.actions)) | ENDED == set(RocketMQ.actions)


def test_every_wait_says_where_rocketmq_says_so() -> None:
    assert [wait for wait in TIMING.waits if not wait.source] == []
    assert all(f"| `{name}` | `" in times() for name in RocketMQ.actions)


def test_plain_code_waits_for_nothing_and_timers_for_something() -> None:
    for wait in TIMING.waits:
        assert (wait.least, wait.most) == (0, 0) if wait.source == "plain code" else (wait.least or wait.most)
