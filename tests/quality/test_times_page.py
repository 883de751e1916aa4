"""docs/studies/times.md tells the truth: the timing data speak of every action of the model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offsetproof.checking.catalogue import SINGLES
from offsetproof.lang import Setting, Subject, Timing
from offsetproof.lang.changes import with_all_changes
from offsetproof.lang.step import any_time_in

SUBJECTS = [entry.subjects[0] for entry in SINGLES.values()]


def whole_timing(subject: Subject) -> Timing:
    """That of the model with all of its changes."""
    timing = replace(subject, model=with_all_changes(subject.model)).timing_in(Setting(subject.model.scopes[0]))
    assert timing is not None
    return timing


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_every_action_either_ends_a_wait_or_says_why_it_has_none(subject: Subject) -> None:
    actions = with_all_changes(subject.model).actions
    ended = {name for wait in whole_timing(subject).waits for name in wait.ends}
    assert any_time_in(actions).keys() | ended == actions.keys()


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_every_wait_says_where_rocketmq_says_so(subject: Subject) -> None:
    assert [wait for wait in whole_timing(subject).waits if not wait.source] == []


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_plain_code_waits_for_nothing_and_timers_for_something(subject: Subject) -> None:
    for wait in whole_timing(subject).waits:
        assert (wait.least, wait.most) == (0, 0) if wait.source == "plain code" else (wait.least or wait.most)
