"""Conformance bites: wrong models, each the right one with a small change, are told from the real classes."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest
from real.stories import RELEASE

from offsetproof.checking.catalogue import SINGLES
from offsetproof.conformance.walks import schedule_of, settings_to_conform
from offsetproof.conformance.wrong_models import Survival, WrongModel, walk_wrong_model
from offsetproof.lang.stage import Staged
from offsetproof.mutation.mutants import mutants
from offsetproof.real.conform import Conformer
from offsetproof.real.replay import Replayer
from offsetproof.real.sidecar import Sidecar
from studies.conforming import SEED, STEPS, WRONG, wrong_models


@cache
def recorded() -> list[dict[str, Any]]:
    """What the study has written."""
    components: list[dict[str, Any]] = json.loads(WRONG.read_text(encoding="utf-8"))
    return components


def walked(sidecar: Sidecar, component: str, change: str, steps: int = STEPS) -> WrongModel:
    """One wrong model of a concurrent component, by its change."""
    subject = SINGLES["rocketmq"].subjects[0]
    setting = settings_to_conform(subject, component)[0]
    staged = Staged(subject.model, setting)
    (mutant,) = (each for each in mutants(staged) if str(each) == change)
    own = Conformer(staged, Replayer(sidecar, schedule_of(subject, staged, RELEASE)), SEED)
    return walk_wrong_model(own, staged, mutant, steps, SEED)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (
            "poll_finds_messages: update of consumer[].process_queue[].next_offset off by one, one less",
            "consumer[0].process_queue[0].next_offset",
        ),
        (
            "task_removes_message: update of consumer[].process_queue[].task[].result off by one, one more",
            "consumer[0].cell",
        ),
        ("broker_answers_query: swapped with rebalance_stores_start, the step after it", "consumer[0].cell"),
    ],
)
def test_wrong_model_is_caught_in_the_field_that_it_gets_wrong(woven: Sidecar, change: str, field: str) -> None:
    wrong = walked(woven, "batch", change)
    assert wrong.caught is not None
    assert wrong.caught.field == field
    assert (wrong.survival, wrong.own) == (None, None)


@pytest.mark.parametrize(
    ("change", "survival", "told"),
    [
        (
            "task_updates_cell: update of consumer[].process_queue[].task[].handled off by one, one more",
            Survival.HIDDEN,
            "consumer[].process_queue[].task[].handled",
        ),
        ("broker_receives_pull: reads broker.gone as false", Survival.UNMET, ""),
    ],
)
def test_survivor_says_what_its_walks_met(woven: Sidecar, change: str, survival: Survival, told: str) -> None:
    wrong = walked(woven, "batch", change, 200)
    assert (wrong.caught, wrong.steps) == (None, 200)
    assert (wrong.survival, wrong.detail) == (survival, told)


def test_more_than_ten_wrong_models_are_caught_and_no_visible_one_is_missed() -> None:
    rows = [row for each in recorded() for row in each["models"]]
    assert [each["own"] for each in recorded()] == [{"steps": STEPS, "disagreements": []}] * len(recorded())
    assert sum("at" in row for row in rows) >= 20  # of a sample, which every new mutant draws anew
    assert [row["own"] for row in rows if "at" in row and row["own"]] == []
    why = Counter(row["survival"] for row in rows if "at" not in row)
    assert why[Survival.MISSED] == 0
    assert set(why) <= set(Survival)


@pytest.mark.slow
def test_every_wrong_model_still_ends_as_the_data_says() -> None:
    assert json.loads(json.dumps([*wrong_models()])) == recorded()
