"""What was measured on Spark has the counts that the checker finds."""

from __future__ import annotations

import json

import pytest

from studies.scale import DATA, LARGE, LITTLE, MIDDLE, files, predicted_seconds

TOLD = json.loads(DATA.read_text(encoding="utf-8"))


def test_everybody_counted_the_same() -> None:
    for name in map(" ".join, (MIDDLE, LARGE)):
        expected = TOLD["explicit"][name]
        for cores in (1, 2):
            run = TOLD[f"spark {cores}"][name]
            assert [run[key] for key in ("states", "transitions", "depth")] == [
                expected[key] for key in ("states", "transitions", "depth")
            ]
            assert sum(level[0] for level in run["levels"]) == expected["states"]
    assert TOLD["tlc"]["states"] == TOLD["explicit"][" ".join(MIDDLE)]["states"]
    assert TOLD["little"]["states"] == TOLD["explicit"][" ".join(LARGE)]["states"] == 11_176_150


def test_large_system_needs_ten_times_the_memory_of_a_task() -> None:
    assert TOLD["explicit"][" ".join(LARGE)]["held"] >= 10 * LITTLE


@pytest.mark.parametrize("tasks", [1, 2])
def test_model_of_cost_foretells_the_system_that_it_was_not_fitted_to(tasks: int) -> None:
    measured = TOLD[f"spark {tasks}"][" ".join(MIDDLE)]["seconds"]
    assert measured / 1.5 < predicted_seconds(TOLD, " ".join(MIDDLE), tasks) < measured * 1.5


def test_more_tasks_write_more_files() -> None:
    assert [files(tasks) for tasks in (1, 2, 16)] == [0, 8, 120]
