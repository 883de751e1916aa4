"""What one task does, without Spark: little memory is kept to, limits end it within a level, attempts can be over."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.search import Program
from offsetproof.engines.preparing import reduce_system
from offsetproof.engines.spark.exchange import Order
from offsetproof.engines.spark.manifest import MANIFEST, Manifest, Pass, read_manifest, write_manifest
from offsetproof.engines.spark.run_folder import level_file, open_run
from offsetproof.engines.spark.share import Share
from offsetproof.engines.spark.task import Exploring, compile_system
from offsetproof.engines.whole_files import DamagedError, write_whole
from offsetproof.ir.faults import with_fault_cap
from offsetproof.ir.wire import to_bytes
from offsetproof.lang.stage import Staged
from offsetproof.properties.catalogue import ROCKETMQ

PARTS = 8
PLENTY = 1 << 30


@cache
def shipped() -> Program:
    """A system of 97,665 states, as a task gets it."""
    (question,) = questions_of(Request(ROCKETMQ, ("I1",), scope="fine-steps"))
    claims = (question.prop, *question.witnesses)
    system, _ = reduce_system(Staged(question.model, question.setting).system(claims), question)
    return compile_system(to_bytes(with_fault_cap(system)), tuple(prop.kind.value for prop in claims))


def order_in(folder: Path, memory: int = PLENTY) -> Order:
    """What the driver tells the one task of a new run."""
    program = shipped()
    rows = tuple(tuple(map(int, program.layout.pack(state))) for state in sorted(program.system.initial))
    open_run(Manifest("digest", "program", PARTS, program.layout.words), program.system, folder, None, resume=False)
    return Order(str(folder), ("always",), rows, PARTS, 1, None, "attempt", memory, None, None)


def explored(order: Order) -> Pass:
    """What the task has written when it is through."""
    folder = Path(order.folder)
    write_whole(order.start, (folder / MANIFEST).read_bytes())
    Exploring(shipped(), order, 0).run()
    return read_manifest(folder / MANIFEST).with_faults(order.cap)


def cut_off(run: Pass, levels: int) -> None:
    """Leaves a pass as it was when so many levels were complete."""
    run.levels[levels:], run.outcome, run.end = [], "", []


def counts(run: Pass) -> list[tuple[int, int]]:
    """States and transitions of every level."""
    return [(level.states, level.transitions) for level in run.levels]


@pytest.mark.slow
def test_task_with_little_memory_keeps_to_it_and_finds_the_same_levels(tmp_path: Path) -> None:
    whole = explored(order_in(tmp_path / "plenty"))
    memory = whole.levels[-1].bytes // 5
    little = explored(order_in(tmp_path / "little", memory))
    assert counts(little) == counts(whole)
    assert little.outcome == whole.outcome == "finished"
    share = Share(shipped(), order_in(tmp_path / "none", memory), 0)
    later = max(level.bytes for level in little.levels[20:])
    assert later - share.expander.out.nbytes < memory + share.most_waiting < whole.levels[-1].bytes / 2


@pytest.mark.parametrize(("levels", "memory"), [
    (7, 900_000),
    *(pytest.param(*each, marks=pytest.mark.slow) for each in product([1, 7, 30], [PLENTY, 900_000]) if each[0] != 7),
    pytest.param(7, PLENTY, marks=pytest.mark.slow),
])  # fmt: skip
def test_run_that_was_cut_off_after_any_level_goes_on_to_the_same_levels(
    tmp_path: Path, levels: int, memory: int
) -> None:
    order = order_in(tmp_path, memory)
    expected = counts(explored(order))
    manifest = read_manifest(tmp_path / MANIFEST)
    cut_off(manifest.passes[0], levels)
    write_manifest(tmp_path / MANIFEST, manifest)
    assert counts(explored(replace(order, attempt="again"))) == expected


def test_time_that_is_up_ends_a_level_and_what_was_complete_stays(tmp_path: Path) -> None:
    order = order_in(tmp_path)
    late = replace(order, until=time.time() - 1)
    run = explored(late)
    assert (run.outcome, run.levels) == ("TIME", [])


def test_time_that_is_up_while_a_run_is_taken_up_again_is_no_end_of_it(tmp_path: Path) -> None:
    order = order_in(tmp_path)
    expected = counts(explored(order))
    manifest = read_manifest(tmp_path / MANIFEST)
    cut_off(manifest.passes[0], 7)
    write_manifest(tmp_path / MANIFEST, manifest)
    late = explored(replace(order, attempt="late", until=time.time() - 1))
    assert (late.outcome, counts(late)) == ("TIME", expected[:7])


@pytest.mark.parametrize("memory", [PLENTY, 900_000])
def test_run_with_states_that_were_not_written_is_not_gone_on_with(tmp_path: Path, memory: int) -> None:
    order = order_in(tmp_path, memory)
    explored(order)
    manifest = read_manifest(tmp_path / MANIFEST)
    cut_off(manifest.passes[0], 9)
    write_manifest(tmp_path / MANIFEST, manifest)
    shutil.copyfile(level_file(tmp_path, None, 8, 4), level_file(tmp_path, None, 8, 3))
    with pytest.raises(DamagedError, match=r"level=0008/part=003\.parquet is not the file that was written"):
        explored(replace(order, attempt="again"))


def test_part_that_alone_is_too_large_ends_the_run(tmp_path: Path) -> None:
    run = explored(order_in(tmp_path, 100_000))
    assert run.outcome == "MEMORY"
    assert 0 < len(run.levels) < 40


def test_attempt_that_is_over_writes_nothing(tmp_path: Path) -> None:
    order = order_in(tmp_path)
    write_whole(order.start, (tmp_path / MANIFEST).read_bytes())
    exploring = Exploring(shipped(), order, 0)
    before = sorted(tmp_path.rglob("*.parquet"))
    order.start.unlink()
    with pytest.raises(RuntimeError, match=r"^this attempt is over$"):
        exploring.share.level(0, again=False)
    assert sorted(tmp_path.rglob("*.parquet")) == before == []
