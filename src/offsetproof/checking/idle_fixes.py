"""Fixes that somebody has added to a case, and without which its world is the same."""

from __future__ import annotations

import time
from dataclasses import replace

from offsetproof.engines.preparing import StagedModels
from offsetproof.lang.errors import DeclarationError, ModelError, RefusedError
from offsetproof.verdict.limits import LimitMetError, run_limited
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict


def with_idle_fixes(result: Result, models: StagedModels, question: Question) -> Result:
    """The result, with the fixes that the case does not have itself, and without which it has the same system.

    Nothing is said of them where a limit comes first, or where there is no such system.
    """
    setting = question.setting
    added = [fix for fix in setting.fixes if fix not in question.prop.fixes]
    if not added or result.verdict is Verdict.UNKNOWN:
        return result

    def names() -> tuple[str, ...]:
        own = _digest(models, question)
        without = {fix.name: tuple(each for each in setting.fixes if each is not fix) for fix in added}
        return tuple(
            name
            for name, fixes in without.items()
            if _digest(models, replace(question, setting=replace(setting, fixes=fixes))) == own
        )

    try:
        idle = run_limited(question.limits, time.monotonic() - result.seconds, names)
    except (LimitMetError, MemoryError, ModelError, DeclarationError, RefusedError):
        return result
    return replace(result, idle_fixes=idle)


def _digest(models: StagedModels, question: Question) -> str:
    return models.reduced_system(question)[1].digest_with_premises
