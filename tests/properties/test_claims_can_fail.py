"""Every claim that holds is refuted by a model that is broken on purpose."""

from __future__ import annotations

import pytest

from offsetproof.check.request import Request, questions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import OffsetSet, Subject, smaller
from offsetproof.model.consumer import Consumer
from offsetproof.model.process_queue import ProcessQueue
from offsetproof.properties.catalogue import PROPERTIES, ROCKETMQ
from offsetproof.verdict.result import Result, Verdict


def _decide(id: str) -> Result:
    subject = Subject("broken", ROCKETMQ.model, PROPERTIES)
    return Explicit().decide(questions(Request(subject, properties=(id,)))[0])


def _always_the_highest(self: ProcessQueue, messages: OffsetSet) -> int | None:
    if not self.msg_tree_map:
        return None
    self.msg_tree_map = self.msg_tree_map - messages
    return self.queue_offset_max + 1


def test_i1_is_refuted_when_remove_always_returns_the_highest_plus_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessQueue, "remove", _always_the_highest)
    assert _decide("I1").verdict is Verdict.REFUTED


def test_i5_forward_calm_is_refuted_when_the_cell_can_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    def lowers(self: Consumer, value: int) -> None:
        self.cell = smaller(0, value)

    monkeypatch.setattr(Consumer, "raise_cell", lowers)
    assert _decide("I5-forward-calm").verdict is Verdict.REFUTED


def test_i7_without_stalls_is_refuted_when_stalled_tasks_are_overlooked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Consumer, "has_task_past_check", lambda self: False)
    assert _decide("I7-no-stalled-task").verdict is Verdict.REFUTED
