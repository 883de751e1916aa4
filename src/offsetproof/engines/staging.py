"""Staged models, kept for all who ask: questions about one setting share the work, whichever engine they are put to."""

from __future__ import annotations

from typing import Any

from offsetproof.lang.stage import Staged
from offsetproof.verdict.question import Question


class StagedModels:
    """Models staged in their settings, each once. Whoever runs a batch of questions makes one and gives it to engines.

    Staging is done by who asks first, within whatever limits that has; what a limit ends is not kept.
    """

    def __init__(self) -> None:
        self._staged: dict[Any, Staged] = {}

    def of(self, question: Question) -> Staged:
        """The question's model in its setting."""
        key = (question.model, question.setting.key)
        if key not in self._staged:
            self._staged[key] = Staged(question.model, question.setting)
        return self._staged[key]
