"""What the rows of a sweep depend on: every module that the model imports, wherever it does, and no other file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from systems.folders import write_files
from systems.seeded import unread

from offsetproof.lang.world import ClaimInWorld
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.sweep import fingerprint as module
from offsetproof.sweep.deciding import Task, decided_apart
from offsetproof.sweep.fingerprint import fingerprint, load_noting_imports
from offsetproof.verdict.limits import Limits

MODEL = """
import importlib
import json
import fp_plain
import fp_package.sub.deep as deep
from fp_package import relative
from offsetproof.lang import Model, always, integer, action, require

named = importlib.import_module("fp_" + "computed").TOP

class Counts(Model):
    x: int = integer(0, 2)

    @action()
    def rises(self) -> None:
        require(self.x < deep.TOP)
        self.x = self.x + 1

    @always()
    def ok(self) -> bool:
        return self.x <= 2
"""

FILES = {
    "fp_plain.py": "TOP = 2\n",
    "fp_computed.py": "TOP = 2\n",
    "fp_package/__init__.py": "TOP = 2\n",
    "fp_package/sub/__init__.py": "TOP = 2\n",
    "fp_package/sub/deep.py": "TOP = 2\n",
    "fp_package/relative.py": "from .sibling import TOP\n",
    "fp_package/sibling.py": "TOP = 2\n",
}

STRANGERS = ("fp_stranger.py", "fp_package/late.py", "fp_package/sub/stranger.py", "data.json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A model whose modules are found, and forgotten after the test."""
    write_files(tmp_path, {"fp_model.py": MODEL, "fp_package/late.py": "TOP = 2\n", **FILES})
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    _forget()


def _forget() -> None:
    """Makes this process one that has not loaded the model."""
    for name in [name for name in sys.modules if name.startswith(("fp_", "offsetproof_subject_fp_"))]:
        del sys.modules[name]


def _told(folder: Path) -> str:
    """The fingerprint as another process works it out."""
    _forget()
    subject, imports = load_noting_imports(str(folder / "fp_model.py"))
    return fingerprint(subject, Limits(), imports.so_far)


@pytest.mark.parametrize("name", ["fp_model.py", *FILES])
def test_every_module_that_the_model_imports_counts(folder: Path, name: str) -> None:
    before = _told(folder)
    assert _told(folder) == before
    (folder / name).write_text((folder / name).read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert _told(folder) != before


def test_what_another_process_has_imported_before_is_no_difference(folder: Path) -> None:
    first = _told(folder)
    again, imports = load_noting_imports(str(folder / "fp_model.py"))
    assert "fp_plain" not in imports.so_far, "it was there already"
    assert fingerprint(again, Limits(), {*imports.so_far, "fp_computed"}) == first


@pytest.mark.parametrize("name", STRANGERS)
def test_file_that_nothing_imports_changes_nothing(folder: Path, name: str) -> None:
    before = _told(folder)
    (folder / name).write_text("TOP = 3\n", encoding="utf-8")
    assert _told(folder) == before


def test_libraries_are_told_by_nobody_and_the_program_by_its_sources(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject, imports = load_noting_imports(str(folder / "fp_model.py"))
    needed = module._modules_that_count({subject.model.__module__}, imports.so_far)
    assert {name for name in needed if not name.startswith("fp_")} == {"offsetproof_subject_fp_model"}
    before = fingerprint(ROCKETMQ, Limits())
    assert fingerprint(ROCKETMQ, Limits(states=5)) != before
    monkeypatch.setattr(module, "program", lambda: "another")
    assert fingerprint(ROCKETMQ, Limits()) != before


def test_model_that_is_installed_counts_with_its_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = module._environment() | {folder}
    monkeypatch.setattr(module, "_environment", lambda: installed)
    subject, imports = load_noting_imports("fp_model")
    before = fingerprint(subject, Limits(), imports.so_far)
    (folder / "fp_plain.py").write_text("TOP = 1\n", encoding="utf-8")
    assert fingerprint(subject, Limits(), imports.so_far) == before
    (folder / "fp_model.py").write_text(MODEL + "# changed\n", encoding="utf-8")
    assert fingerprint(subject, Limits(), imports.so_far) != before


def test_question_that_imports_more_while_it_is_decided_is_an_error(folder: Path) -> None:
    lazily = """
    lazy: int = integer(0, lambda scope: __import__("importlib").import_module("fp_package.late") and 1)
"""
    (folder / "fp_model.py").write_text(MODEL + lazily, encoding="utf-8")
    file, mark = str(folder / "fp_model.py"), _told(folder)
    _forget()
    with unread():
        row = decided_apart(Task(file, ClaimInWorld("ok", None, "default"), Limits(), mark))
    assert (row["verdict"], row["reason"]) == ("UNKNOWN", "error")
    assert "imports more than at its start" in row["detail"]
