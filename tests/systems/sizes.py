"""How large a question about RocketMQ is, as the baselines say; what is small is asked in the fast suite.

The rest of a matrix of questions is marked slow. `make guard` holds every verdict, count and cause as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet
from systems.built_in import BASELINES

from offsetproof.checking.request import Request, questions_of
from offsetproof.lang import Model
from offsetproof.verdict.question import Question

FEW = 200
"""What has fewer states than this is small: it takes less than a second, most of it before the search."""

Asked = TypeVar("Asked")


@cache
def _states() -> dict[tuple[type[Model], str, object], int]:
    """The states of every claim in each world that it is stated in."""
    states: dict[tuple[type[Model], str, object], int] = {}
    for subject, baseline in BASELINES.items():
        cells = json.loads(baseline.read_text(encoding="utf-8"))["cells"]
        usual = [cell for cell in cells if cell["release"] == subject.model.releases[0].name]
        known = {(cell["property"], cell["scope"]["name"]): cell["states"] for cell in usual}
        asked = questions_of(Request(subject))
        worlds = {(q.model, q.prop.id, q.setting.key): (q.prop.id, q.setting.scope.name) for q in asked}
        states |= {world: known[names] for world, names in worlds.items() if names in known}
    return states


def is_small(question: Question) -> bool:
    """Whether the question is known to have few states; one that the baseline does not have is not."""
    return known_states(question, FEW) < FEW


def known_states(question: Question, unknown: int) -> int:
    """How many states the baseline says that a question has; `unknown` where it does not have the question."""
    return _states().get((question.model, question.prop.id, question.setting.key), unknown)


def large_are_slow(asked: Iterable[Asked], question_of: Callable[[Asked], Question | None]) -> list[ParameterSet]:
    """Parameters, slow where their question is not small; those without a question about RocketMQ are fast."""
    found = []
    for each in asked:
        question = question_of(each)
        quick = question is None or is_small(question)
        found.append(pytest.param(each, marks=() if quick else pytest.mark.slow))
    return found
