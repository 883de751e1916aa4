"""`make quick` finds what has changed, and which tests that asks for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from systems.folders import write_files

from tools.quick import by_folder, changed_files, related_tests

TREE = {
    "src/offsetproof/ir/nodes.py": "",
    "src/offsetproof/ir/folding.py": "def fold():\n    from offsetproof.ir import nodes\n",
    "src/offsetproof/ir/wire.py": "",
    "model/rebalancing.py": "",
    "model/resetting.py": "from offsetproof.model.waiting import wait\n",
    "model/waiting.py": "",
    "tests/ir/test_wire.py": "from ir.systems import SYSTEM\n",
    "tests/ir/test_folding.py": "from offsetproof.ir.folding import fold\n",
    "tests/ir/test_nodes.py": "from offsetproof.lang import (\n    at,\n    sorts,\n)\n",
    "tests/ir/systems.py": "from offsetproof.ir import wire\n",
    "tests/ir/test_program.py": "from systems.program import run\n",
    "tests/lang/test_stage.py": "from systems.toys import TOYS\n",
    "tests/model/test_steps.py": "from offsetproof.model import resetting, rebalancing\n",
    "tests/quality/test_documents.py": "PAGE = 'docs/trust.md'\n",
    "tests/quality/test_pages.py": "from studies import real\n",
    "tests/quality/test_data.py": 'DATA = RECORDS / "real.json"\nPAGE = "docs/trust.md"\n',
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write_files(tmp_path, TREE)
    return tmp_path


ABOUT_PAGES = ["quality/test_documents.py", "quality/test_pages.py"]


@pytest.mark.parametrize(("file", "tests"), [
    ("tests/ir/test_nodes.py", ["ir/test_nodes.py"]),
    ("tests/ir/systems.py", ["ir/test_wire.py"]),
    ("tests/systems/toys.py", ["lang/test_stage.py"]),
    ("src/offsetproof/lang/sorts.py", ["ir/test_nodes.py", "lang/test_stage.py"]),
    ("src/offsetproof/ir/nodes.py", ["ir/test_nodes.py", "ir/test_folding.py", "ir/test_program.py"]),
    ("src/offsetproof/ir/wire.py", ["ir/test_wire.py", "ir/test_nodes.py", "ir/test_program.py"]),
    ("src/offsetproof/verdict/result.py", []),
    ("model/rebalancing.py", ["model/test_steps.py"]),
    ("model/waiting.py", ["model/test_steps.py"]),
    ("studies/real.py", ["quality/test_pages.py", "quality/test_documents.py"]),
    ("studies/data/real.json", ["quality/test_data.py", *ABOUT_PAGES]),
    ("docs/trust.md", ["quality/test_data.py", *ABOUT_PAGES]),
    ("tests/conftest.py", []),
])  # fmt: skip
def test_file_asks_for_the_tests_that_name_it_and_those_of_its_room(tree: Path, file: str, tests: list[str]) -> None:
    found = related_tests(tree, file)
    assert sorted(found) == sorted(f"tests/{name}" for name in tests)
    assert found[:1] == [f"tests/{name}" for name in tests[:1]]


def test_files_of_a_folder_are_run_together() -> None:
    assert by_folder(["b/y", "a/z", "b/x", "a/z", "c/w"]) == ["b/y", "b/x", "a/z", "c/w"]


def _git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(("branch", "files"), [
    ("work", ["tests/d.py", "b.py", "c.py", "c.md"]), ("main", ["tests/d.py", "c.py", "c.md"]),
])  # fmt: skip
def test_change_is_all_of_a_branch_or_the_last_commit_on_main(tmp_path: Path, branch: str, files: list[str]) -> None:
    """Files that are not committed, or that git does not know yet, belong to it; those that are gone do not."""
    _git(tmp_path, "init")
    write_files(tmp_path, {"a.py": "", "gone.py": ""})
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-m", "first")
    _git(tmp_path, "checkout", "-B", branch)
    for new in ("b.py", "c.py"):
        write_files(tmp_path, {new: ""})
        _git(tmp_path, "add", ".")
        _git(tmp_path, "commit", "-m", new)
    (tmp_path / "gone.py").unlink()
    write_files(tmp_path, {"c.md": "", "tests/d.py": ""})
    assert changed_files(tmp_path) == files
