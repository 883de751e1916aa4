"""From a line of a log to the steps of the models that write it, and the recorded stories that take them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.causes import subject_named
from offsetproof.lang.changes import every_action
from offsetproof.traces.recorded_stories import recorded_stories

_LEAST = 12
"""A message with fewer letters of its own than this could be in any line."""


@dataclass(frozen=True)
class WritingStep:
    """A step of a model that writes a message: `{}` in the message stands for a value."""

    subject: str
    action: str
    about: str
    message: str


@cache
def writing_steps() -> tuple[WritingStep, ...]:
    """All steps of all models that say what they log, in whatever release they do."""
    return tuple(
        WritingStep(name, action.name, action.about, action.logs)
        for name in SINGLES
        for action in every_action(subject_named(name).model)
        if action.logs
    )


def is_in(message: str, line: str) -> bool:
    """Is a message, with whatever values, in a line, whatever stands in front of it?

    >>> is_in("suspend this consumer, {}", "2024-05-01 12:00:00,000 INFO RocketmqClient - suspend this consumer, g")
    True
    >>> is_in("remove unused mq, {}, {}", "the remove unused mq is what I saw")
    False
    """
    return bool(_pattern(message).search(line))


@cache
def _pattern(message: str) -> re.Pattern[str]:
    parts = [re.escape(part.strip()).replace(r"\ ", r"\s+") for part in message.split("{}")]
    own = re.sub(r"[^A-Za-z]", "", message)
    return re.compile(r".+?".join(parts)) if len(own) >= _LEAST else re.compile("(?!)")


def steps_in(line: str) -> tuple[WritingStep, ...]:
    """The steps that write a line."""
    return tuple(step for step in writing_steps() if is_in(step.message, line))


def stories_with(line: str) -> frozenset[str]:
    """The recorded stories that have a step which writes a line."""
    return frozenset(
        name for name, messages in _messages().items() if any(is_in(message, line) for message in messages)
    )


@cache
def _messages() -> Mapping[str, frozenset[str]]:
    """What the steps of each recorded story write."""
    return {
        name: frozenset(step.logs for step in trace.steps if step.logs) for name, trace in recorded_stories().items()
    }
