"""The system that is explored for a question: what is known of one with the same digest need not be decided again."""

from __future__ import annotations

from offsetproof.checking.engines import Engines
from offsetproof.verdict.question import Question


def explored_digest(question: Question, engines: Engines) -> str:
    """The digest of the claim's system and its witnesses', reduced."""
    return engines.models.reduced_system(question)[1].digest
