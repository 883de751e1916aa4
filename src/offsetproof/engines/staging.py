"""Keeping staged models, so that questions about one setting share the work."""

from __future__ import annotations

from typing import Any

from offsetproof.lang.stage import Staged
from offsetproof.verdict.question import Question


class KeepsStaged:
    """What every engine has in common."""

    def __init__(self) -> None:
        self._staged: dict[Any, Staged] = {}

    def staged(self, question: Question) -> Staged:
        """The question's model in its setting, staged once."""
        key = (question.model, question.setting.key)
        if key not in self._staged:
            self._staged[key] = Staged(question.model, question.setting)
        return self._staged[key]
