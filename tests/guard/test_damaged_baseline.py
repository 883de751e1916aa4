"""A damaged baseline is refused with its place, or what is read of it was there before."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from systems.hanging import not_hanging
from systems.mutants import mutants

from offsetproof.guard.baseline import Baseline, read_baseline, write_baseline
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.reading.files import UnreadableFileError

WHOLE = json.loads((Path(__file__).parents[2] / "properties" / "baseline.json").read_text(encoding="utf-8"))
TEXT = json.dumps({**WHOLE, "cells": WHOLE["cells"][:12]})
"""A dozen questions: what a reader makes of one it makes of each."""


def outcomes_of(count: int, seed: int, folder: Path) -> Counter[str]:
    """What became of so many damaged baselines."""
    found: Counter[str] = Counter()
    file = folder / "baseline.json"
    file.write_text(TEXT, encoding="utf-8")
    whole = read_baseline(file, ROCKETMQ).findings
    for text in mutants([TEXT], count, seed):
        file.write_text(text, encoding="utf-8")
        with not_hanging():
            baseline, said = read(file)
            found["refused" if baseline is None else "read"] += 1
            if baseline is None:
                assert said.startswith(f"{file}: ")
                assert said.endswith(("with `offsetproof guard --update`", "name another file with --baseline"))
                continue
            assert {key: whole[key] for key in baseline.findings} == baseline.findings
            file.write_text(write_baseline(ROCKETMQ, baseline.findings.values()), encoding="utf-8")
            assert read(file) == (baseline, "")
    return found


def read(file: Path) -> tuple[Baseline | None, str]:
    """The baseline in a file, or why it is refused."""
    try:
        return read_baseline(file, ROCKETMQ), ""
    except UnreadableFileError as error:
        return None, str(error)


def test_damaged_baselines_are_refused_or_read(tmp_path: Path) -> None:
    found = outcomes_of(100, 1, tmp_path)
    assert found.total() == 100
    assert found["refused"] > 10


@pytest.mark.slow
def test_fifteen_hundred_damaged_baselines_are_refused_or_read(tmp_path: Path) -> None:
    found = outcomes_of(1500, 2, tmp_path)
    assert found.total() == 1500
    assert found["refused"] > 1000  # questions are sealed: what may differ is what stands beside them
    assert found["read"] > 20
