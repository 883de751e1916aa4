"""Checks a change within half a minute (`make quick`): ruff, mypy, and the fast tests that the changed files have.

A change is all since the branch left main, or the last commit on main itself, and whatever is not committed. Its tests
are chosen by folders and names, so that they are a sample: `make test` runs all.
"""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SECONDS = 30
LAST_BEGIN = 20
"""When the last test may begin, in seconds from the start: most tests end within ten."""

BIN = Path(sys.executable).parent
ABOUT_PAGES = ("tests/quality/test_documents.py", "tests/quality/test_pages.py")
LINKED = ("model", "properties", "traces", "examples")
"""The folders of the root that the package has as its own."""


def main() -> int:
    """Prints what is checked, and what is not; 1 where a check fails, or does not end in time."""
    begun = time.monotonic()
    files = changed_files(ROOT)
    tests = {file: related_tests(ROOT, file) for file in files}
    print(f"{len(files)} changed files; without a test by folder or name: {_as_list(f for f in files if not tests[f])}")
    python = [file for file in files if file.endswith(".py")]
    failed = [*(["ruff"] if python and _call("ruff", "check", *python) else [])]
    mypy = subprocess.Popen([BIN / "mypy"], cwd=ROOT)
    failed += _run_tests(by_folder(test for file in files for test in tests[file]), begun)
    try:
        failed += ["mypy"] if mypy.wait(max(1, begun + SECONDS - time.monotonic())) else []
    except subprocess.TimeoutExpired:
        mypy.kill()
        failed.append("mypy")
        print(f"NOT RUN to the end, as {SECONDS} seconds are over: mypy, which is faster next time")
    print(f"not passed: {_as_list(failed)}. Only these files' tests were asked for; make test runs all fast tests")
    return 1 if failed else 0


def changed_files(root: Path) -> list[str]:
    """The files that differ from where the branch left main, or from the last commit but one on main; tests first."""
    changed = _git(root, "diff", "--name-only", "--diff-filter=d", _base(root))
    files = {*changed, *_git(root, "ls-files", "--others", "--exclude-standard")}
    return sorted(files, key=lambda file: (not file.startswith("tests/"), not file.endswith(".py"), file))


def _base(root: Path) -> str:
    """The commit that a change began at."""
    head, main = _git(root, "rev-parse", "HEAD"), _git(root, "branch", "--all", "--list", "main", "origin/main")
    bases = [_git(root, "merge-base", "HEAD", branch.strip("* ").strip()) for branch in main]
    return next((base[0] for base in bases if base and base != head), "HEAD~1")


def _git(root: Path, *arguments: str) -> list[str]:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True).stdout.splitlines()


def related_tests(root: Path, file: str) -> list[str]:
    """The files of tests for a changed file: those that name it, then those of its room that come to it by imports.

    A file of tests is its own. Another file in a folder of tests stands for that folder, as does a room of the program
    for the folder of tests that is called alike. A test of a room that imports nothing of it runs the program, and so
    the whole room. Data of studies are shown on pages.
    """
    if Path(file).name.startswith("test_") and file.startswith("tests/"):
        return [file]
    parts = Path(file.removeprefix("src/offsetproof/")).parts
    room = parts[1] if parts[0] == "tests" and len(parts) > 2 else parts[0]
    near = [
        path.relative_to(root).as_posix()
        for path in sorted((root / "tests" / room).rglob("test_*.py"), key=lambda path: _unlike(path, file))
        if not file.endswith(".py") or _may_see(root, path, room, root / file)
    ]
    named, shown = _tests_that_name(root, file), file.endswith(".md") or file.startswith("studies/")
    return [*dict.fromkeys([*named, *near, *(ABOUT_PAGES if shown else ())])]


def _unlike(test: Path, file: str) -> tuple[bool, Path]:
    """Sorts tests that share a word of their name with a file before all others."""
    return not {*test.stem.split("_")[1:]} & {*Path(file).stem.split("_")}, test


def _may_see(root: Path, test: Path, room: str, changed: Path) -> bool:
    """Whether a test comes to a changed module by imports, or runs a room without importing anything of it.

    Every test of the program as users run it does the latter, whatever else it imports.
    """
    reached, waiting = {test}, [test]
    while waiting:
        new = {*_imports_of(root, waiting.pop())} - reached
        reached |= new
        waiting += new
    rooms = {root / "src" / "offsetproof" / room, root / room}
    runs_all = room == "cli" or not any(rooms & {*path.parents} for path in reached)
    return changed in reached or (runs_all and root / "tests" not in changed.parents)


@cache
def _imports_of(root: Path, path: Path) -> tuple[Path, ...]:
    """The files of this repository that a file imports, wherever in it."""
    return tuple(found for name in _imported_names(path) if (found := _file_of(root, name)))


def _imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


@cache
def _file_of(root: Path, name: str) -> Path | None:
    """The file of a module; a folder of tests is imported by its name alone."""
    first, *rest = name.split(".")
    linked = first == "offsetproof" and rest[:1] and rest[0] in LINKED
    place = root.joinpath(*rest) if linked else root.joinpath("src" if first == "offsetproof" else "", first, *rest)
    places = [place, root.joinpath("tests", first, *rest)]
    files = [file for each in places for file in (each.with_suffix(".py"), each / "__init__.py")]
    return next((file for file in files if file.is_file()), None)


def _tests_that_name(root: Path, file: str) -> list[str]:
    """The files of tests that import a module, or have the name of a file of data; of other files, those on quality."""
    is_data = Path(file).suffix in (".json", ".toml", ".java", ".js", ".css", ".html")
    paths = sorted((root / "tests" / ("" if is_data or file.endswith(".py") else "quality")).rglob("test_*.py"))
    pattern = _imports(file) if file.endswith(".py") else re.compile(rf"[\"/]{re.escape(Path(file).name)}\"")
    return [path.relative_to(root).as_posix() for path in paths if pattern.search(path.read_text(encoding="utf-8"))]


def _imports(file: str) -> re.Pattern[str]:
    """How a test imports the module of a file."""
    parts = Path(re.sub("^(src|tests)/", "", file)).with_suffix("").parts
    linked = parts[0] in LINKED and not file.startswith("tests/")
    *above, name = [*(["offsetproof"] if linked else []), *(part for part in parts if part != "__init__")]
    parent = re.escape(".".join(above))
    return re.compile(rf"(?m)^(from|import) {parent}\.{name}\b|^from {parent} import (\([^)]*|[^(\n]*)\b{name}\b")


def by_folder(tests: Iterable[str]) -> list[str]:
    """Each file once, and those of a folder together: pytest finds no fixture of a folder that it comes back to."""
    once = dict.fromkeys(tests)
    folders = [*dict.fromkeys(Path(test).parent for test in once)]
    return sorted(once, key=lambda test: folders.index(Path(test).parent))


def _run_tests(tests: Sequence[str], begun: float) -> list[str]:
    """Runs the fast tests of files until the time is over; which check failed."""
    if not tests:
        return []
    minutes = f"--minutes={(begun + LAST_BEGIN - time.monotonic()) / 60:.3f}"
    options = ["-q", "-n", "2", "--dist", "loadgroup", "-m", "not slow", minutes]
    run = subprocess.Popen([BIN / "pytest", *options, *tests], cwd=ROOT, process_group=0)
    try:
        code = run.wait(begun + SECONDS - time.monotonic())
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        code = _stop(run)
        print(f"NOT RUN to the end, as {SECONDS} seconds are over: {_as_list(tests)}")
    return [] if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) else ["pytest"]


def _stop(run: subprocess.Popen[bytes]) -> int:
    """Interrupts pytest, so that it says what it has found, and kills it where that takes long."""
    os.killpg(run.pid, signal.SIGINT)
    try:
        return run.wait(3)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        return run.wait()


def _call(tool: str, *arguments: str) -> int:
    return subprocess.run([BIN / tool, *arguments], cwd=ROOT).returncode


def _as_list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


if __name__ == "__main__":
    sys.exit(main())
