"""Wider worlds on Spark are found to be what they are on this machine, row for row."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from systems.basin import BASIN, RAINY

from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.checking.widening import Found, WiderWorld, WorldOutcome, found_in_wider, wider_pairs, wider_worlds
from offsetproof.engines.spark.engine import Spark
from offsetproof.lang.world import ClaimInWorld
from offsetproof.sweep import widening
from offsetproof.sweep.fingerprint import load_noting_imports
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason


def quiet(_question: Question, _what: object, _done: int) -> None:
    """Nobody wants to know how far the work is."""


def local(worlds: list[WiderWorld]) -> list[Found]:
    return [*found_in_wider(worlds, 1, quiet)]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "states", "pairs"), [(BASIN, None, False), (BASIN, 4, False), (RAINY, None, True)])
def test_worlds_and_their_table_are_the_same_on_spark(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, states: int | None, pairs: bool
) -> None:
    (tmp_path / "basin.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(widening, "session", lambda _master, _folder: nullcontext(spark.driver))
    named = str(tmp_path / "basin.py")
    subject, imports = load_noting_imports(named)
    asked = [q for q in questions_of(Request(subject, limits=Limits(states=states))) if q.prop.id != "B3"]
    worlds = [*wider_worlds(asked)]
    if pairs:
        worlds = [*wider_pairs(zip(worlds, local(worlds), strict=True))]
    done: list[int] = []
    here, out = local(worlds), tmp_path / "out"
    there = widening.found_on_spark(subject, named, worlds, out, master="", imported=imports.so_far, tell=done.append)
    assert there == here
    expected = {WorldOutcome.TOO_LARGE} if states else {WorldOutcome.REFUTED}
    assert {found.outcome for found in there} >= expected
    for name, found in (("here", here), ("there", there)):
        widening.write_table([*zip(worlds, found, strict=True)], tmp_path / name)
    tables = [pq.read_table(tmp_path / name) for name in ("here", "there")]
    assert tables[0].equals(tables[1])
    assert tables[0].num_rows == len(worlds) == len([*out.glob("results/*/cell=*.parquet")])


def test_world_of_a_model_that_has_changed_is_not_decided(tmp_path: Path) -> None:
    (tmp_path / "basin.py").write_text(BASIN, encoding="utf-8")
    question = next(iter(questions_of(Request(load_subject(str(tmp_path / "basin.py")), ("B1",)))))
    world = ClaimInWorld.of("B1", question.setting)
    row = widening.found_apart(widening.WorldTask(str(tmp_path / "basin.py"), world, Limits(), "another", ("leak",)))
    assert (row["outcome"], row["reason"], row["states"]) == (WorldOutcome.OPEN, Reason.DIED, None)
    assert row["detail"] == "ChangedError: the model has changed since the sweep began"
