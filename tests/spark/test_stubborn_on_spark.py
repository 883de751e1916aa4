"""Stubborn sets on Spark: the sets, and so all counts, are those of a search in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from spark.questions import asked, told

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.pairs_seen import PairsSeen
from offsetproof.engines.explicit.reduced_search import REDUCIBLE
from offsetproof.engines.explicit.reducing_plan import ReducingPlan
from offsetproof.engines.explicit.search import Program
from offsetproof.engines.spark.engine import OnSpark, Spark
from offsetproof.engines.spark.exploring import SparkSearch
from offsetproof.engines.spark.manifest import MANIFEST
from offsetproof.examples.toys import TOYS
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Result

FORCED = ReducingPlan(after=0, share=1e9)
"""From the first state on, whatever it saves."""


def both(spark: Spark, folder: Path, question: Question, plan: ReducingPlan = FORCED) -> tuple[Result, Result]:
    """A question by stubborn sets: here, and on Spark in this folder."""
    reduced = replace(question, reductions=Reductions(stubborn=True))
    on_spark = OnSpark(replace(spark.sites, folder=folder).of)
    return Explicit(plan=plan).decide(reduced), Explicit(explore=on_spark, plan=plan).decide(reduced)


def _proved() -> Iterator[Question]:
    """Toys that stubborn sets prove."""
    for toy in TOYS:
        question = Question(toy.model, toy.setting, toy.prop, reductions=Reductions(stubborn=True))
        if toy.prop.kind in REDUCIBLE and toy.states < 5_000 and Explicit(plan=FORCED).decide(question).counts.reduced:
            yield question


@pytest.mark.slow
def test_toys_are_proved_by_the_same_reduced_search(spark: Spark, tmp_path: Path) -> None:
    proved = list(_proved())
    assert len(proved) > 5
    for question in proved:
        here, there = both(spark, tmp_path, question)
        assert here.counts.reduced
        assert there.counts.reduced
        assert told(there) == told(here)


def test_claim_about_rocketmq_takes_a_sixteenth_of_its_states(spark: Spark, tmp_path: Path) -> None:
    here, there = both(spark, tmp_path, asked("I5-forward-calm", "calm-reset"))
    assert there.counts.reduced
    assert told(there) == told(here)
    assert there.counts.states == 7_707
    (kept,) = tmp_path.glob(f"*,stubborn=*/{MANIFEST}")
    assert kept.stat().st_size > 0


def test_sets_that_save_nothing_are_given_up(spark: Spark, tmp_path: Path) -> None:
    toy = next(toy for toy in TOYS if toy.name == "Philosophers-one_eats_at_a_time")
    question, plan = Question(toy.model, toy.setting, toy.prop), ReducingPlan(after=5, share=0, levels=0)
    here, there = both(spark, tmp_path, question, plan)
    assert not there.counts.reduced
    assert told(there) == told(here)
    assert there.notes[-1] == here.notes[-1]
    assert "stubborn sets were not used" in there.notes[-1]


def test_relations_are_compared_with_as_many_states_as_here(spark: Spark, tmp_path: Path) -> None:
    question = replace(asked("I5-forward-calm", "calm-reset"), reductions=Reductions(stubborn=True))
    both(spark, tmp_path, question)  # relations are kept
    looked: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PairsSeen, "look_at", lambda self, rows: looked.append(len(np.unique(rows, axis=0))))
        both(spark, tmp_path, question)
    assert looked == [512, 512]


def test_run_in_which_actions_stand_in_another_order_is_another_run(spark: Spark, tmp_path: Path) -> None:
    """Levels count the steps of actions by their places, and a system's digest does not tell these."""
    question = asked("I5-forward-calm", "calm-reset")
    system = Explicit().prepare(question, 0.0).prepared.system
    other = replace(system, instances=system.instances[::-1], claims=(replace(system.claims[0], per_step=()),))
    system = replace(system, claims=other.claims)
    site, kinds = replace(spark.sites, folder=tmp_path).of(question), [question.prop.kind]
    keys = [
        SparkSearch(site, Program.of(each, kinds), ("always",), each.initial, None, Limits(), print).key
        for each in (system, other)
    ]
    assert system.digest == other.digest
    assert keys[0] != keys[1]


def test_alarm_is_left_to_the_whole_search(spark: Spark, tmp_path: Path) -> None:
    toy = next(toy for toy in TOYS if toy.name == "Philosophers-one_eats_at_a_time")
    violated = next(
        toy for toy in TOYS if toy.prop.kind in REDUCIBLE and str(toy.verdict) == "REFUTED" and 10 < toy.states < 5_000
    )
    for each in (toy, violated):
        here, there = both(spark, tmp_path / each.name, Question(each.model, each.setting, each.prop))
        assert (there.verdict, told(there)) == (each.verdict, told(here))
