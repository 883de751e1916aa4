"""The question that an engine is asked: one claim of one model in one setting, and how much may be spent on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from offsetproof.lang.claim import Property
from offsetproof.lang.model import Model
from offsetproof.lang.setting import Setting
from offsetproof.verdict.limits import Limits


@dataclass(frozen=True)
class Reductions:
    """Which sound reductions are on; see "Sound reductions" in ARCHITECTURE.md. Of engines
    explicit and spark know `stubborn`."""

    slicing: bool = True
    dead: bool = True
    stubborn: bool = False


@dataclass(frozen=True)
class Question:
    """One claim to decide, with the witnesses that it needs, within limits.

    `progress` is told, now and then, an object whose text says how far the work has come; `prepared` is called when
    the model is staged and the search is to begin. `unasked` are scopes of the
    model that the claim could have been asked in as well, `asked_instead` the ids of the cases that are asked where
    this one says nothing of the setting's releases.
    """

    model: type[Model]
    setting: Setting
    prop: Property
    witnesses: tuple[Property, ...] = ()
    limits: Limits = Limits()
    reductions: Reductions = Reductions()
    progress: Callable[[object], None] = field(default=lambda status: None, compare=False)
    unasked: tuple[str, ...] = ()
    asked_instead: tuple[str, ...] = field(default=(), compare=False)
    prepared: Callable[[], None] = field(default=lambda: None, compare=False)
