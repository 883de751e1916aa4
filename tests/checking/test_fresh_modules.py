"""What a user's file says now is what is checked, even where Python keeps byte code of what it said before."""

import inspect
import linecache
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from offsetproof.checking.subject import load_subject

LAMPS = """
from offsetproof.lang import *
from size_of_{name} import SIZE

NUMBER = 3

class Lamps(Model):
    lit: int = integer(0, SIZE)
"""


def _change(path: Path, before: str, after: str) -> None:
    """A file with other content of the same length and time, and byte code of what it said before."""
    assert len(before) == len(after)
    path.write_text(before)
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    py_compile.compile(str(path), doraise=True)
    path.write_text(after)
    os.utime(path, ns=times)


@pytest.mark.parametrize("kind", ["module", "package"])
def test_changed_file_of_the_same_length_and_time_is_read_again(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    beside = tmp_path / f"size_of_{kind}.py"
    if kind == "package":
        beside = tmp_path / "size_of_package" / "__init__.py"
        beside.parent.mkdir()
    _change(beside, "SIZE = 5\n", "SIZE = 7\n")
    lamps = LAMPS.format(name=kind)
    _change(tmp_path / "lamps.py", lamps.replace("NUMBER = 3", "NUMBER = 1"), lamps)
    module = sys.modules[load_subject(str(tmp_path / "lamps.py")).model.__module__]
    assert (vars(module)["NUMBER"], vars(module)["SIZE"]) == (3, 7)


def test_source_stays_as_it_was_when_the_file_is_changed_during_a_run(tmp_path: Path) -> None:
    path = tmp_path / "lamps.py"
    path.write_text("from offsetproof.lang import *\n\nclass Lamps(Model):\n    lit: int = integer(0, 3)\n")
    model = load_subject(str(path)).model
    path.write_text("# another line\n" * 9)
    linecache.checkcache()
    assert inspect.getsource(model) == "class Lamps(Model):\n    lit: int = integer(0, 3)\n"


def test_package_of_a_module_is_read_from_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "house").mkdir()
    _change(tmp_path / "house" / "__init__.py", "SIZE = 5\n", "SIZE = 7\n")
    lamps = LAMPS.replace("from size_of_{name} import SIZE", "from house import SIZE")
    (tmp_path / "house" / "lamps.py").write_text(lamps)
    module = sys.modules[load_subject("house.lamps").model.__module__]
    assert vars(module)["SIZE"] == 7


def test_lines_are_those_that_python_counts(tmp_path: Path) -> None:
    path = tmp_path / "pages.py"
    lamps = "class Lamps(Model):\n    x: bool = flag()\n"
    path.write_text(f"# a page\x0cand another\nfrom offsetproof.lang import *\n\n{lamps}")
    assert inspect.getsource(load_subject(str(path)).model) == lamps


def test_no_byte_code_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "size_of_three.py").write_text("SIZE = 3\n")
    (tmp_path / "lamps.py").write_text(LAMPS.format(name="three"))
    load_subject(str(tmp_path / "lamps.py"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lamps.py", "size_of_three.py"]


ASSERTS = """
from offsetproof.lang import *

class Lamps(Model):
    lit: int = integer(0, 9)

    @action()
    def lights(self) -> None:
        assert self.lit < 2
        self.lit = self.lit + 1

    @always()
    def few(self) -> bool:
        return self.lit <= 5
"""


def test_assert_of_a_model_counts_where_python_leaves_asserts_out(tmp_path: Path) -> None:
    (tmp_path / "lamps.py").write_text(ASSERTS)
    command = [sys.executable, "-O", "-m", "offsetproof", "check", "lamps.py", "--no-progress", "--workers=1"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, "1 UNKNOWN" in ran.stdout) == (75, True)
