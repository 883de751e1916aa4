"""Exploration on Spark: equal to the explicit engine in counts, verdicts and traces, also where memory is short."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from systems.toys import TOYS

from offsetproof.check.request import Request, questions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.pipeline.engine import Spark
from offsetproof.pipeline.errors import CheckpointError
from offsetproof.pipeline.run_folder import Manifest, read_manifest, write_manifest
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Limits, Question
from offsetproof.verdict.result import Reason, Result

CASES = (
    ("I11", "first-commits"),
    ("I5", "calm-reset"),
    ("I3", "come-back"),
    ("I6-nothing-lost", "lost-reset"),
    ("I18", "moving-reset"),
    ("W-detached", "fine-steps"),
)


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spark]:
    with Spark("local[2]", tmp_path_factory.mktemp("spark")) as engine:
        yield engine


def asked(id: str, scope: str) -> Question:
    (question,) = questions(Request(ROCKETMQ, (id,), scope=scope))
    return question


def told(result: Result) -> tuple[object, ...]:
    """Everything that two engines must agree on."""
    counts = result.counts
    totals = (counts.initial, counts.states, counts.transitions, counts.depth, counts.bound_cuts, dict(counts.fired))
    trace = None if result.replay is None else (result.replay.labels, result.replay.faults)
    return result.verdict, result.reason, result.detail, totals, trace, dict(result.witnesses), result.digest


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_spark_and_explicit_say_the_same_of_rocketmq(spark: Spark, case: tuple[str, str]) -> None:
    question = asked(*case)
    assert told(spark.decide(question)) == told(Explicit().decide(question))


SMALL = [toy for toy in TOYS if toy.states < 5_000][::5][:7]


@pytest.mark.parametrize("toy", SMALL, ids=lambda toy: toy.name)
def test_spark_and_explicit_say_the_same_of_toys(spark: Spark, toy: object) -> None:
    question = Question(toy.model, toy.setting, toy.prop)  # type: ignore[attr-defined]  # a toy
    assert told(spark.decide(question)) == told(Explicit().decide(question))


def test_visited_set_of_many_times_the_memory_of_a_task_gives_the_same_counts(spark: Spark) -> None:
    question = asked("I6-nothing-lost", "lost-reset")
    whole = Explicit().decide(question)
    little = whole.counts.peak_bytes // 8
    result = spark.decide(replace(question, limits=Limits(bytes=little)))
    assert told(result) == told(whole)
    assert result.counts.peak_bytes < 2 * whole.counts.peak_bytes


@pytest.mark.slow
def test_eleven_million_states_in_a_tenth_of_their_memory(spark: Spark) -> None:
    question = replace(asked("I7-no-stalled-task", "reset"), limits=Limits(bytes=40 << 20))
    counts = spark.decide(question).counts
    assert (counts.states, counts.transitions, counts.depth) == (11_176_150, 62_514_319, 69)


def test_part_that_does_not_fit_makes_the_answer_unknown(spark: Spark) -> None:
    result = spark.decide(replace(asked("I6-nothing-lost", "lost-reset"), limits=Limits(bytes=100_000)))
    assert result.reason is Reason.MEMORY
    assert result.counts.states


def test_limit_on_states_ends_the_search_after_a_level(spark: Spark) -> None:
    result = spark.decide(replace(asked("I6-nothing-lost", "lost-reset"), limits=Limits(states=10_000)))
    assert result.reason is Reason.STATES
    assert 10_000 < (result.counts.states or 0) < 100_000


def _resumed(spark: Spark, folder: Path, limits: Limits = Limits()) -> Result:
    """The same question once more, going on with what is in a folder."""
    question = replace(asked("I6-nothing-lost", "lost-reset"), limits=limits)
    again = Spark("local[2]", folder, resume=True)
    again.spark, again.folder = spark.spark, folder
    return again.decide(question)


@pytest.mark.parametrize("levels", [1, 7, 30])
def test_run_that_was_cut_off_after_any_level_goes_on_to_the_same_counts(
    spark: Spark, tmp_path: Path, levels: int
) -> None:
    question = asked("I6-nothing-lost", "lost-reset")
    expected = told(spark.decide(question))
    done = spark.place_of(question).folder
    shutil.copytree(done, tmp_path / done.name)
    manifest = read_manifest(done)
    manifest.passes[0].levels[levels:] = []
    manifest.passes[0].outcome = ""
    write_manifest(tmp_path / done.name, manifest)
    assert told(_resumed(spark, tmp_path)) == expected


def test_finished_run_is_read_by_fewer_tasks_than_made_it(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    question = asked("I11", "first-commits")
    expected = told(spark.decide(question))
    place = replace(spark.place_of(question), tasks=1, resume=True)
    monkeypatch.setattr(spark, "place_of", lambda _question: place)
    assert told(spark.decide(question)) == expected


def test_run_that_is_too_large_for_memory_is_gone_on_with_part_by_part(spark: Spark, tmp_path: Path) -> None:
    question = asked("I6-nothing-lost", "lost-reset")
    expected = told(spark.decide(question))
    done = spark.place_of(question).folder
    shutil.copytree(done, tmp_path / done.name)
    manifest = read_manifest(done)
    manifest.passes[0].levels[40:] = []
    manifest.passes[0].outcome = ""
    write_manifest(tmp_path / done.name, manifest)
    assert told(_resumed(spark, tmp_path, Limits(bytes=12_000_000))) == expected


def test_run_of_another_system_is_not_gone_on_with(spark: Spark, tmp_path: Path) -> None:
    name = spark.place_of(asked("I6-nothing-lost", "lost-reset")).folder.name
    write_manifest(tmp_path / name, Manifest("0" * 64, 16, 2))
    with pytest.raises(CheckpointError, match="use another --out-dir"):
        _resumed(spark, tmp_path)


def test_damaged_manifest_says_which_file_and_what_to_do(spark: Spark, tmp_path: Path) -> None:
    file = tmp_path / spark.place_of(asked("I6-nothing-lost", "lost-reset")).folder.name / "manifest.json"
    file.parent.mkdir()
    file.write_text("{", encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"manifest\.json cannot be read"):
        _resumed(spark, tmp_path)
