"""Workers of this machine give the audit that one process gives, whatever becomes of one of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from audit.steps import read_silver
from audit.test_gold_on_spark import rows

from offsetproof.audit.gold import run as gold
from offsetproof.audit.silver import piece_work
from offsetproof.audit.silver.run import make_silver
from offsetproof.audit.silver.sources import ReadingOptions
from offsetproof.audit.worker_pool import NO_WORKERS, worker_pool
from studies.audit_volume import Volume, write_volume

HERE = os.getpid()


def halved(number: int) -> int:
    """An order that odd numbers fail at."""
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number // 2


def ends_a_worker(number: int) -> int:
    """An order that no worker survives."""
    if os.getpid() != HERE:
        os._exit(9)
    return number


def who(_: int) -> int:
    """The process that has the order."""
    return os.getpid()


def test_answers_come_in_the_order_of_orders_and_from_workers() -> None:
    with worker_pool(2) as pool:
        assert pool.map(halved, [*range(0, 100, 2)]) == [*range(50)]
        assert HERE not in pool.map(who, [*range(8)])
    assert NO_WORKERS.map(who, [1, 2]) == [HERE, HERE]


def test_what_a_worker_fails_at_is_raised_here() -> None:
    with worker_pool(2) as pool, pytest.raises(ValueError, match="3 is odd"):
        pool.map(halved, [0, 2, 3])


def test_what_workers_die_of_is_done_here() -> None:
    with worker_pool(2) as pool:
        assert pool.map(ends_a_worker, [1, 2, 3, 4]) == [1, 2, 3, 4]
        assert pool.workers == []


def test_workers_make_the_tables_that_one_process_makes(tmp_path: Path) -> None:
    """Every line of queues that several clients have: each topic is looked at by one worker."""
    logs = [str(tmp_path / "logs")]
    truth = write_volume(tmp_path / "logs", Volume(3, files=14))
    alone = make_silver(logs, tmp_path / "alone", ReadingOptions(), piece_work.by_pool())
    found = gold.make_gold(tmp_path / "alone", gold.by_pool())
    with worker_pool(2) as pool:
        run = make_silver(logs, tmp_path / "shared", ReadingOptions(), piece_work.by_pool(pool))
        shared = gold.make_gold(tmp_path / "shared", gold.by_pool(pool))
        assert len(pool.workers) == 2
    assert (run.new_lines, run.files) == (truth.lines, alone.files)
    assert list(read_silver(tmp_path / "shared")) == list(read_silver(tmp_path / "alone"))
    assert shared.findings == found.findings
    assert rows(tmp_path / "shared") == rows(tmp_path / "alone")
    assert len([*(tmp_path / "shared" / "gold" / "commits").iterdir()]) > 1
