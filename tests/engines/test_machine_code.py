"""Machine code that is kept between runs: what is damaged is made again and never loaded, and nothing depends on it."""

from __future__ import annotations

import json
import logging
import pickle
import random
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from resource import RLIMIT_FSIZE, setrlimit
from typing import Any

import numpy as np
import pytest
from cli.program import PROGRAM, environment, run_anew, write_models
from numba.core.codegen import CPUCodeLibrary
from systems.damage import damaged

from offsetproof import cache
from offsetproof.cache import cache_folder
from offsetproof.engines.explicit import machine_code
from offsetproof.engines.explicit.machine_code import kept_machine_code

TIMES = [pytest.param(range(5), id="some"), pytest.param(range(5, 65), id="many")]
"""Fewer than of other readers: each is a process."""

ASKED = (
    "check", "counter.py", "--property=stays_below_two", "--property=stays_below_three", "--format=json",
    "--no-progress",
)  # fmt: skip


def _adds(numbers: Any) -> Any:
    total = 0
    for number in numbers:
        total += number
    return total


def _counts(numbers: Any) -> Any:
    total = 0
    for _ in numbers:
        total += 1
    return total


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where code is kept, empty; nothing has been complained of."""
    monkeypatch.setenv("OFFSETPROOF_CACHE", str(tmp_path / "cache"))
    machine_code._COMPLAINED[0] = 0
    yield cache_folder("machine-code")
    machine_code._COMPLAINED[0] = 0


def _asked(function: Callable[[Any], Any] = _adds, kind: type = np.int64) -> tuple[int, int]:
    """What a function says in a process that has not compiled it, and how often its code was there."""
    fresh: Any = kept_machine_code(function)
    return int(fresh(np.arange(4, dtype=kind))), sum(fresh.stats.cache_hits.values())


def test_code_is_kept_for_each_function_and_its_types(folder: Path) -> None:
    assert _asked() == (6, 0)
    assert _asked() == (6, 1)
    assert _asked(kind=np.float64) == (6, 0)
    assert _asked(_counts) == (4, 0)
    assert len(list(folder.iterdir())) == 3
    assert _asked(_counts) == (4, 1)


@pytest.mark.parametrize("seed", range(12))
def test_damaged_code_is_made_again_once(folder: Path, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    _asked()
    (file,) = folder.iterdir()
    file.write_bytes(damaged(file.read_bytes(), seed))
    assert _asked() == (6, 0)
    assert _asked() == (6, 1)
    assert caplog.records == []


def test_code_of_another_function_under_its_name_is_not_loaded(folder: Path) -> None:
    _asked()
    _asked(_counts)
    adds, counts = sorted(folder.iterdir())
    shutil.copyfile(counts, adds)
    assert _asked() == (6, 0)
    assert _asked() == (6, 1)


def test_code_of_other_sources_is_not_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _asked()
    monkeypatch.setattr(machine_code, "source_digest", lambda _module: "another")
    assert _asked() == (6, 0)
    assert len(list(folder.iterdir())) == 2


def test_code_that_numba_can_make_nothing_of_is_made_again(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    _asked()
    (file,) = folder.iterdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine_code, "read_kept", lambda _file, _made_of: pickle.dumps(("nothing", "of", "numba's")))
        assert _asked() == (6, 0)
    assert file.exists(), "it was written again"
    assert _asked() == (6, 1)
    assert len(caplog.records) == 1


def test_folder_that_cannot_be_used_is_told_once_and_changes_nothing(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.parent.write_text("a file in its way", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert _asked() == (6, 0)
        assert _asked(_counts) == (4, 0)
    (record,) = caplog.records
    assert record.getMessage().startswith("offsetproof: machine code cannot be kept, so every run compiles it first: ")
    assert record.getMessage().endswith("set OFFSETPROOF_CACHE to a folder that can be written")


def test_code_of_which_an_interrupt_left_nothing_to_keep_is_no_complaint(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none_yet(_library: object) -> bytes:
        raise RuntimeError("no compiled object yet")

    monkeypatch.setattr(CPUCodeLibrary, "_get_compiled_object", none_yet)
    assert _asked() == (6, 0)
    assert not folder.exists() or list(folder.iterdir()) == []
    assert caplog.records == []


def test_full_disk_leaves_nothing_half_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_file: Path, _made_of: bytes, _code: bytes) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "_digest", full)
    assert _asked() == (6, 0)
    assert list(folder.iterdir()) == []


def _told(out: str) -> Any:
    """A report without its times."""
    report = json.loads(out)
    for result in report["results"]:
        del result["seconds"]
    return report["results"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A folder of models with a cache that a run has filled, and what that run said."""
    place = write_models(tmp_path_factory.mktemp("filled"))
    ran = run_anew(*ASKED, cwd=place, OFFSETPROOF_CACHE=str(place / "cache"))
    assert (ran.code, ran.err) == (12, "")
    assert len(list((place / "cache").rglob("*-*"))) >= 3
    return place, _told(ran.out)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", TIMES)
def test_damaged_cache_changes_neither_report_nor_code_and_heals(
    filled: tuple[Path, Any], tmp_path: Path, seeds: Iterable[int]
) -> None:
    place, truth = filled
    for seed in seeds:
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        shutil.copytree(place / "cache", tmp_path / "cache")
        files = sorted((tmp_path / "cache").rglob("machine-code/*"))
        file = random.Random(seed).choice(files)
        data = damaged(file.read_bytes(), seed)
        file.write_bytes(data)
        ran = run_anew(*ASKED, cwd=place, OFFSETPROOF_CACHE=str(tmp_path / "cache"))
        assert (ran.code, ran.err, _told(ran.out)) == (12, "", truth), seed
        assert file.read_bytes() != data, "it was made again"
        assert sorted((tmp_path / "cache").rglob("machine-code/*")) == files


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["file in the way", "full disk"])
def test_cache_that_cannot_be_written_is_one_line_beside_the_same_report(
    filled: tuple[Path, Any], tmp_path: Path, limit: str
) -> None:
    place, truth = filled
    cache = tmp_path / "cache"
    if limit == "file in the way":
        cache.write_text("", encoding="utf-8")
    ran = subprocess.run(
        [str(PROGRAM), *ASKED], cwd=place, env=environment(OFFSETPROOF_CACHE=str(cache)),
        capture_output=True, text=True,
        preexec_fn=partial(setrlimit, RLIMIT_FSIZE, (1000, 1000)) if limit == "full disk" else None,
    )  # fmt: skip
    assert (ran.returncode, _told(ran.stdout)) == (12, truth)
    assert [file for file in cache.rglob("*") if file.is_file()] == []
    (line,) = ran.stderr.splitlines()
    assert line.startswith("offsetproof: machine code cannot be kept")


@pytest.mark.slow
def test_processes_that_fill_one_cache_at_once_get_in_nobodys_way(filled: tuple[Path, Any], tmp_path: Path) -> None:
    place, truth = filled
    command, given = [str(PROGRAM), *ASKED], environment(OFFSETPROOF_CACHE=str(tmp_path))
    running = [
        subprocess.Popen(command, cwd=place, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in running:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err, _told(out)) == (12, "", truth)
    names = {file.name for file in tmp_path.rglob("machine-code/*")}
    assert names == {file.name for file in (place / "cache").rglob("machine-code/*")}
