"""Engines: each answers the same question about a model with the same kind of result. They do not know each other."""

from __future__ import annotations

from typing import Protocol

from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result


class Engine(Protocol):
    """What every engine can do; `tests/contract` holds each of them to it."""

    name: str

    def decide(self, question: Question) -> Result:
        """Decides one claim; a limit or an interrupt makes the result UNKNOWN, not an exception."""
