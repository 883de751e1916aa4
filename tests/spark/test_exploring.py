"""Exploration on Spark: equal to the explicit engine in counts, verdicts and traces, also where memory is short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from spark.questions import asked, told
from systems.answered import Answered
from systems.samples import one_in

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.spark import exploring
from offsetproof.engines.spark.engine import OnSpark, Spark
from offsetproof.engines.spark.manifest import MANIFEST, Manifest, write_manifest
from offsetproof.engines.spark.site import Site
from offsetproof.engines.whole_files import CheckpointError, DamagedError
from offsetproof.examples.toys import TOYS
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.sources import program
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Verdict

ASKED = questions_of(Request(ROCKETMQ))


@pytest.mark.slow
@pytest.mark.parametrize("question", ASKED, ids=lambda question: f"{question.prop.id}-{question.setting.scope.name}")
def test_spark_and_explicit_say_the_same_of_rocketmq(spark: Spark, question: Question, answered: Answered) -> None:
    if not question.prop.kind.is_about_runs:
        assert told(spark.decide(question)) == told(answered.result(question))
        return
    result = spark.decide(question)
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.ENGINE)
    assert result.detail == f"spark cannot decide {question.prop.kind}; ask --engine explicit"


def _exploring_at(site_of: Callable[[Question], Site]) -> Explicit:
    return Explicit(explore=OnSpark(site_of))


SMALL = [toy for toy in TOYS if toy.states < 5_000][::9][:4]


@pytest.mark.parametrize("toy", one_in(4, SMALL), ids=lambda toy: toy.name)
def test_spark_and_explicit_say_the_same_of_toys(spark: Spark, toy: object) -> None:
    question = Question(toy.model, toy.setting, toy.prop)  # type: ignore[attr-defined]  # a toy
    assert told(spark.decide(question)) == told(Explicit().decide(question))


@pytest.mark.slow
def test_five_million_states_in_a_fraction_of_their_memory(spark: Spark) -> None:
    question = replace(asked("I6-time-stable", "equal-times"), limits=Limits(bytes=40 << 20))
    counts = spark.decide(question).counts
    assert (counts.states, counts.transitions, counts.depth) == (4_910_634, 28_384_538, 71)


@pytest.mark.slow
def test_run_that_met_a_limit_is_gone_on_with_in_less_memory(spark: Spark, tmp_path: Path) -> None:
    again = _exploring_at(replace(spark.sites, folder=tmp_path, resume=True).of)
    question = asked("I5-offline-quiet", "offline-reset")
    some = again.decide(replace(question, limits=Limits(states=200_000)))
    assert some.reason is Reason.STATES
    assert 200_000 < (some.counts.states or 0) < 400_000
    whole = Explicit().decide(question)
    rest = again.decide(replace(question, limits=Limits(bytes=whole.counts.peak_bytes // 3)))
    assert told(rest) == told(whole)


def test_damaged_part_is_named_at_once_with_the_way_out(spark: Spark, tmp_path: Path) -> None:
    again = _exploring_at(replace(spark.sites, folder=tmp_path, resume=True).of)
    question = asked("I6-nothing-lost", "lost-reset")
    assert again.decide(replace(question, limits=Limits(states=10_000))).reason is Reason.STATES
    part = min(tmp_path.rglob("level=0005/*.parquet"))
    part.write_bytes(part.read_bytes()[:50])
    with pytest.raises(DamagedError, match=r"part=000\.parquet is not the file that was written.*remove the run's"):
        again.decide(question)


@pytest.mark.slow  # Spark asks again for a quarter of a minute whether there is room
def test_search_goes_on_with_as_many_tasks_as_there_is_room_for(spark: Spark, tmp_path: Path) -> None:
    question = asked("I11", "first-commits")
    site = replace(spark.sites.of(question), tasks=3, folder=tmp_path / "run")
    engine = _exploring_at(lambda _question: site)
    assert site.driver.slots() == 2
    assert told(engine.decide(question)) == told(Explicit().decide(question))


def test_tasks_that_do_not_look_at_the_time_are_ended_after_it(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sleeping(batches: Iterator[object], **_told: object) -> Iterator[object]:
        import time

        time.sleep(120)
        yield from batches

    monkeypatch.setattr(exploring, "explore", sleeping)
    monkeypatch.setattr(exploring, "_GRACE", 0.5)
    question = replace(asked("I11", "first-commits"), limits=Limits(seconds=2.0))
    site = replace(spark.sites.of(question), folder=tmp_path / "run")
    engine = _exploring_at(lambda _question: site)
    result = engine.decide(question)
    assert result.reason is Reason.TIME
    tracker = spark.driver.ask(lambda session: session.sparkContext.statusTracker())
    assert spark.driver.ask(lambda _session: list(tracker.getActiveJobsIds())) == []


def test_run_whose_tasks_end_before_its_levels_do_is_no_answer(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = asked("I11", "first-commits")
    site = replace(spark.sites.of(question), folder=tmp_path / "run")
    engine = _exploring_at(lambda _question: site)
    monkeypatch.setattr(exploring.SparkSearch, "_run_tasks", lambda _search, _manifest: None)
    with pytest.raises(CheckpointError, match="its tasks have ended, its levels have not; use --resume"):
        engine.decide(question)


@pytest.mark.slow
def test_finished_run_is_read_by_fewer_tasks_than_made_it(spark: Spark) -> None:
    question = asked("I11", "first-commits")
    expected = told(spark.decide(question))
    site = replace(spark.sites.of(question), tasks=1, resume=True)
    engine = _exploring_at(lambda _question: site)
    assert told(engine.decide(question)) == expected


def test_run_of_another_system_is_not_gone_on_with_and_a_damaged_one_is_named(spark: Spark, tmp_path: Path) -> None:
    question = asked("I6-nothing-lost", "lost-reset")
    site = replace(spark.sites.of(question), folder=tmp_path, resume=True)
    engine = _exploring_at(lambda _question: site)
    write_manifest(tmp_path / MANIFEST, Manifest("0" * 64, program(), 16, 2))
    with pytest.raises(CheckpointError, match="use another --out-dir"):
        engine.decide(question)
    (tmp_path / MANIFEST).write_text("{", encoding="utf-8")
    with pytest.raises(DamagedError, match=r"manifest\.json is not what was written"):
        engine.decide(question)
