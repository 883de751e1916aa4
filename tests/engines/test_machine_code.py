"""Machine code that is kept between runs: what is damaged is made again and never loaded, and nothing depends on it."""

from __future__ import annotations

import json
import logging
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from resource import RLIMIT_FSIZE, setrlimit
from threading import Barrier
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cli.program import PROGRAM, environment, run_anew, write_models
from systems.damage import damaged

from offsetproof import cache
from offsetproof.cache import cache_folder
from offsetproof.compiled.native import object_code_of
from offsetproof.engines.explicit import machine_code
from offsetproof.engines.explicit.machine_code import kept_machine_code
from offsetproof.engines.explicit.together import run_together

TIMES = [pytest.param(range(5), id="some"), pytest.param(range(5, 65), id="many")]
"""Fewer than of other readers: each is a process."""

ASKED = (
    "check", "counter.py", "--property=stays_below_two", "--property=stays_below_three", "--format=json",
    "--no-progress",
)  # fmt: skip


Numbers = npt.NDArray[np.int64]

_MORE = 5


def _adds(numbers: Numbers) -> int:
    total = 0
    for i in range(len(numbers)):
        total += numbers[i]
    return total


def _counts(numbers: Numbers) -> int:
    total = 0
    for _i in range(len(numbers)):
        total += 1
    return total


def _adds_columns(numbers: Numbers) -> int:
    total = 0
    for i in range(len(numbers)):
        for j in range(numbers.shape[1]):
            total += numbers[i, j]
    return total


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where code is kept, empty; nothing has been complained of."""
    monkeypatch.setenv("OFFSETPROOF_CACHE", str(tmp_path / "cache"))
    machine_code._COMPLAINED[0] = 0
    yield cache_folder("machine-code")
    machine_code._COMPLAINED[0] = 0


def _asked(function: Callable[[Numbers], int] = _adds, *shape: int) -> tuple[int, int]:
    """What a function says in a process that has not compiled it, and how often its code was there."""
    with pytest.MonkeyPatch.context() as patch:
        made: list[str] = []
        patch.setattr(machine_code, "object_code_of", lambda text: made.append(text) or object_code_of(text))
        return kept_machine_code(function)(np.arange(4).reshape(shape or (4,))), 1 - len(made)


def test_code_is_kept_for_each_function_and_its_widths(folder: Path) -> None:
    assert _asked() == (6, 0)
    assert _asked() == (6, 1)
    assert _asked(_adds_columns, 2, 2) == (6, 0)
    assert _asked(_adds_columns, 4, 1) == (6, 0)
    assert _asked(_adds_columns, 2, 2) == (6, 1)
    assert _asked(_counts) == (4, 0)
    assert len(list(folder.iterdir())) == 4
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


def test_code_for_another_processor_is_not_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _asked()
    monkeypatch.setattr(machine_code, "processor", lambda: ("another",))
    assert _asked() == (6, 0)
    assert len(list(folder.iterdir())) == 2


def _more_than(numbers: Numbers) -> int:
    return numbers[0] + _less(numbers)


def _less(numbers: Numbers) -> int:
    return numbers[1] - _MORE


def test_code_made_with_other_constants_is_not_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _asked(_more_than) == (-4, 0)
    assert _asked(_more_than) == (-4, 1)
    monkeypatch.setattr(sys.modules[__name__], "_MORE", 50)
    assert _asked(_more_than) == (-49, 0)
    assert len(list(folder.iterdir())) == 2


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


def test_full_disk_leaves_nothing_half_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_made_of: bytes, _code: bytes) -> bytes:
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


@pytest.mark.usefixtures("folder")
def test_threads_that_ask_at_once_have_the_code_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's parser fails where two threads use it in turns, so a first search in threads could end in an error."""
    compile_code, begin, found = machine_code._compile, Barrier(4), list[int]()
    compiled: list[str] = []

    def slowly(python: Callable[..., Any], widths: tuple[int, ...]) -> bytes:
        compiled.append(python.__name__)
        time.sleep(0.2)  # long enough for all to ask meanwhile
        return compile_code(python, widths)

    monkeypatch.setattr(machine_code, "_compile", slowly)
    adds = kept_machine_code(_adds)

    def ask() -> None:
        begin.wait()
        found.append(adds(np.arange(4)))

    run_together([ask] * 4)
    assert (compiled, found) == (["_adds"], [6] * 4)
