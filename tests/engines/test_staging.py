"""Staged models are kept apart from engines: each setting is staged once, for all who share them, within limits."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from offsetproof.checking.answers import answers
from offsetproof.checking.engines import EngineChoice, EngineName
from offsetproof.engines import preparing
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.preparing import StagedModels
from offsetproof.engines.stateful.engine import Effort, Stateful
from offsetproof.examples import toys
from offsetproof.examples.toys import TOYS
from offsetproof.lang import Subject
from offsetproof.lang.model import Model
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason

ASKED = [Question(toy.model, toy.setting, toy.prop) for toy in TOYS if toy.model is toys.Counter]
SETTINGS = {question.setting.key for question in ASKED}


@pytest.fixture
def stagings(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The setting of each staging so far."""
    done: list[object] = []

    def noted(model: type[Model], setting: Setting, **options: Any) -> Staged:
        done.append(setting.key)
        return Staged(model, setting, **options)

    monkeypatch.setattr(preparing, "Staged", noted)
    return done


def test_questions_of_a_setting_share_one_staging(stagings: list[object]) -> None:
    models = StagedModels()
    assert len(ASKED) > len(SETTINGS)
    for question in ASKED:
        assert models.of(question) is models.of(replace(question, limits=Limits(states=1)))
    assert sorted(map(repr, stagings)) == sorted(map(repr, SETTINGS))


def test_engines_that_are_given_the_same_models_do_not_stage_again(stagings: list[object]) -> None:
    models = StagedModels()
    Explicit(models).decide(ASKED[0])
    Stateful(Effort(walk_steps=100, examples=0), models).decide(ASKED[0])
    assert len(stagings) == 1
    Explicit().decide(ASKED[0])
    assert len(stagings) == 2


def test_all_engines_and_the_story_share_one_staging(stagings: list[object]) -> None:
    subject = Subject("counter", toys.Counter, toys.Counter.claims)
    asked = [question for question in ASKED if question.prop is toys.Counter.never_falls]
    with ExitStack() as stack:
        engines = EngineChoice(EngineName.ALL, depth=4).start(stack, asked, lambda _told: None)
        (answer,) = answers(subject, engines, asked)
    assert [each.name for each in engines.each] == ["explicit", "smt", "stateful"]
    assert answer.trace is not None
    assert len(stagings) == 1


def test_staging_that_a_limit_ends_is_not_kept_and_leaves_the_models_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(_model: type[Model], _setting: Setting, **_options: object) -> Staged:
        while True:
            time.sleep(0.01)

    models = StagedModels()
    with monkeypatch.context() as patch:
        patch.setattr(preparing, "Staged", endless)
        result = Explicit(models).decide(replace(ASKED[0], limits=Limits(seconds=0.2)))
    assert (result.reason, result.counts.states) == (Reason.TIME, 0)
    assert Explicit(models).decide(ASKED[0]).counts.states
