"""The wheel holds everything under one name, and nothing can be loaded under two."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from importlib.metadata import metadata, version
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
LINKED = ("model", "properties", "traces", "examples")
LEFT_BEHIND = (".venv", ".git", "build", "dist", "out", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")


def snapshot() -> set[str]:
    """What a build could leave in the repository."""
    return {str(path.relative_to(ROOT)) for pattern in ("build", "dist", "*.egg-info", "src/*.egg-info")
            for path in ROOT.glob(pattern)}  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel that is built from a copy."""
    if int(version("setuptools").split(".")[0]) < 77:
        pytest.fail("the environment is older than requirements.lock; touch requirements.lock and run make setup")
    folder, before = tmp_path_factory.mktemp("wheel"), snapshot()
    shutil.copytree(ROOT, folder / "copy", symlinks=True, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    command = [sys.executable, "-m", "pip", "wheel", str(folder / "copy"), "--no-deps", "--no-build-isolation",
               "--no-index", "--quiet", "--wheel-dir", str(folder)]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert snapshot() == before
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel_of_sdist(wheel: Path) -> Path:
    """A wheel that is built from the sdist of the same copy, where nothing else is."""
    folder = wheel.parent
    unpacked = folder / "unpacked"
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=folder / "copy", capture_output=True, check=True, timeout=120)
    [sdist] = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as opened:
        opened.extractall(unpacked, filter="data")
    [source] = unpacked.iterdir()
    built = folder / "of-sdist"
    built.mkdir()
    code = f"from setuptools import build_meta; build_meta.build_wheel({str(built)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, check=True, timeout=120)
    [again] = built.glob("*.whl")
    return again


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    """The names of the files in the wheel."""
    with zipfile.ZipFile(wheel) as opened:
        return opened.namelist()


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """A folder that the wheel is installed in, to be put on the path."""
    folder = wheel.parent / "somewhere"
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(folder)
    return folder


def run_installed(installed: Path, cwd: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Runs what is installed, as a user does who has no checkout."""
    command = [sys.executable, "-P", *args]
    path = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(command, cwd=cwd, env=path, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", LINKED)
def test_folder_of_the_root_is_linked_into_the_package_relatively(name: str) -> None:
    link = ROOT / "src" / "offsetproof" / name
    assert link.is_symlink()
    assert link.readlink() == Path(f"../../{name}")
    assert link.resolve() == (ROOT / name).resolve()


TELL_FILES = """
from offsetproof.lang.source_paths import shown_file
from offsetproof.properties.catalogue import ROCKETMQ
declared = (*ROCKETMQ.properties, *ROCKETMQ.model.actions.values())
print(sorted({shown_file(each.file) for each in declared}))
"""


def test_wheel_has_the_java_sources_of_both_rigs(names: list[str]) -> None:
    sources = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").glob("offsetproof/real/**/*.java")}
    assert {"offsetproof/real/java/Sidecar.java", "offsetproof/real/java/whole/Member.java"} <= sources
    assert sources <= {*names}


def test_installed_model_is_told_as_it_is_imported(installed: Path, tmp_path: Path) -> None:
    told = ast.literal_eval(run_installed(installed, tmp_path, "-c", TELL_FILES).stdout)
    assert len(told) > 10
    assert {tuple(name.split("/")[:2]) for name in told} == {("offsetproof", "model"), ("offsetproof", "properties")}
    assert all((installed / name).is_file() for name in told)


@pytest.mark.slow
def test_baseline_that_came_with_the_program_is_compared_with_and_never_written(
    installed: Path, tmp_path: Path
) -> None:
    there = installed / "offsetproof" / "properties" / "baseline.json"
    before = there.read_bytes()
    guard = ("-m", "offsetproof", "guard", "--no-progress", "--property=I13")
    assert run_installed(installed, tmp_path, *guard).returncode == 0
    done = run_installed(installed, tmp_path, *guard, "--update")
    assert (done.returncode, done.stdout) == (150, "")
    why = "it came with the program; name a file of your own"
    assert done.stderr == f"offsetproof: --baseline: cannot write {there}: {why}\n"
    mine = run_installed(installed, tmp_path, *guard, "--update", "--baseline=mine.json")
    same = [row for row in json.loads(before)["cells"] if row["property"] == "I13"]
    assert (mine.returncode, mine.stderr) == (0, f"wrote mine.json: {len(same)} questions\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]
    assert there.read_bytes() == before


def test_wheel_has_a_single_top_level(names: list[str]) -> None:
    from offsetproof import __version__

    assert {name.split("/")[0] for name in names} == {"offsetproof", f"offsetproof-{__version__}.dist-info"}


@pytest.mark.parametrize(
    "pattern",
    [
        "model/*.py",
        "properties/*.py",
        "properties/*.json",
        "traces/*.py",
        "traces/recorded/*.json",
        "examples/*.py",
        "examples/toys/*.py",
    ],
)
def test_wheel_holds_every_file_of_the_linked_folders(names: list[str], pattern: str) -> None:
    there = {f"offsetproof/{path.relative_to(ROOT).as_posix()}" for path in ROOT.glob(pattern)}
    assert there
    assert {name for name in names if Path(name).match(f"offsetproof/{pattern}")} == there


def test_wheel_holds_the_whole_program_its_types_and_its_locks(names: list[str]) -> None:
    source = ROOT / "src"
    there = {path.relative_to(source).as_posix() for path in (source / "offsetproof").rglob("*.py")}
    assert there <= set(names)
    there = {path.relative_to(source).as_posix() for path in (source / "offsetproof" / "real").rglob("*.json")}
    assert there
    pages = source / "offsetproof" / "reports" / "html"
    there |= {path.relative_to(source).as_posix() for path in pages.iterdir() if path.is_file()}
    assert f"{pages.relative_to(source).as_posix()}/story.js" in there
    assert {"offsetproof/py.typed", *there} <= set(names)
    assert len(names) == len(set(names))


def test_wheel_says_its_license_and_what_it_is(wheel: Path, names: list[str]) -> None:
    for name in ("LICENSE", "NOTICE"):
        (file,) = [each for each in names if each.endswith(f".dist-info/licenses/{name}")]
        with zipfile.ZipFile(wheel) as opened:
            assert opened.read(file) == (ROOT / name).read_bytes()
    (described,) = [each for each in names if each.endswith(".dist-info/METADATA")]
    with zipfile.ZipFile(wheel) as opened:
        said = message_from_bytes(opened.read(described))
    assert (said["License-Expression"], said["Requires-Python"]) == ("Apache-2.0", ">=3.11")
    assert "Programming Language :: Python :: 3.11" in said.get_all("Classifier", [])


@pytest.mark.slow
def test_sdist_is_enough_to_build_the_same_wheel(wheel: Path, wheel_of_sdist: Path) -> None:
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(wheel_of_sdist) as other:
        assert {name: one.read(name) for name in one.namelist()} == {
            name: other.read(name) for name in other.namelist()
        }


@pytest.mark.slow
def test_wheel_installs_with_what_it_needs_into_an_empty_environment_and_works(wheel: Path, tmp_path: Path) -> None:
    """As a user does it, with a network: nothing of the checkout or of its environment is in reach."""
    environment, elsewhere = tmp_path / "environment", tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, timeout=120)
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    outside |= {"OFFSETPROOF_CACHE": str(tmp_path / "cache")}

    def run(program: str, *args: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        command = [str(environment / "bin" / program), *args]
        return subprocess.run(
            command, cwd=elsewhere, env=outside, capture_output=True, text=True, timeout=timeout, check=False
        )

    installed = run("pip", "install", "--quiet", "--disable-pip-version-check", str(wheel), timeout=900)
    assert installed.returncode == 0, installed.stderr
    assert run("pip", "check").returncode == 0
    told = run("offsetproof", "show", "I5-late-poll", "--format=json")
    assert (told.returncode, json.loads(told.stdout)["property"]["id"]) == (0, "I5")
    checked = run("offsetproof", "check", "I13", "--no-progress", "--format=json")
    assert checked.returncode == 0, checked.stderr
    assert {row["verdict"] for row in json.loads(checked.stdout)["results"]} == {"REFUTED"}
    assert run("offsetproof", "guard", "I13", "--no-progress").returncode == 0
    assert [*elsewhere.iterdir()] == []


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock", "requirements-docs.lock"])
def test_everything_that_is_installed_is_pinned_and_held_to_hashes(name: str) -> None:
    packages = re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8").strip())
    assert len(packages) > 20
    for package in packages:
        assert re.match(r"[\w.-]+==\S+ \\\n", package), package
        assert set(re.findall(r"--hash=(\w+):[0-9a-f]{64}\b", package)) == {"sha256"}, package
    [command] = re.findall(rf"pip install .*-r {re.escape(name)}", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert "--require-hashes" in command


def test_documentation_needs_little_and_what_the_development_has() -> None:
    """`make docs` sets up neither Spark nor what checking needs."""
    pins = {
        name: set(re.findall(r"(?m)^([\w.-]+==\S+)", (ROOT / name).read_text(encoding="utf-8")))
        for name in ("requirements-docs.lock", "requirements-dev.lock")
    }
    assert pins["requirements-docs.lock"] < pins["requirements-dev.lock"]
    named = {pin.partition("==")[0] for pin in pins["requirements-docs.lock"]}
    assert {"mkdocs", "mkdocs-material"} <= named
    assert not named & {"pyspark", "playwright", "numpy", "llvmlite", "z3-solver"}
    assert "\ndocs: $(DOCS_STAMP) ##" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_what_is_pinned_installs_on_the_oldest_python_that_we_promise() -> None:
    promised = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert promised is not None
    oldest = f"{promised[1]}.0"
    pinned = re.findall(r"(?m)^([\w.-]+)==", (ROOT / "requirements-dev.lock").read_text(encoding="utf-8"))
    wanted = {name: metadata(name).get("Requires-Python") for name in pinned}
    assert {name: need for name, need in wanted.items() if need and not SpecifierSet(need).contains(oldest)} == {}
    assert sum(need is not None for need in wanted.values()) > 20


LOAD_ALL = """
import importlib, json, pkgutil, sys
import offsetproof
for found in pkgutil.walk_packages(offsetproof.__path__, "offsetproof."):
    importlib.import_module(found.name)
files = {}
for name, module in list(sys.modules.items()):
    if getattr(module, "__file__", None):
        files.setdefault(__import__("os").path.realpath(module.__file__), []).append(name)
json.dump(files, sys.stdout)
"""


def test_no_file_is_loaded_as_two_modules(tmp_path: Path) -> None:
    out = subprocess.run([sys.executable, "-I", "-c", LOAD_ALL], cwd=tmp_path, capture_output=True, check=True).stdout
    own = {file: names for file, names in json.loads(out).items() if Path(file).is_relative_to(ROOT / "src")
           or Path(file).parent in [ROOT / name for name in LINKED]}  # fmt: skip
    assert {names[0].split(".")[0] for names in own.values()} == {"offsetproof"}
    assert [names for names in own.values() if len(names) > 1] == []
    assert len(own) > 60


@pytest.mark.parametrize("name", LINKED)
def test_bare_name_is_no_module_of_the_environment(tmp_path: Path, name: str) -> None:
    command = [sys.executable, "-I", "-c", f"import importlib.util as u; print(u.find_spec({name!r}))"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout == "None\n"
