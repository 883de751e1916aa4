"""Each study says what it does where it is asked for help, and does nothing of it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    file for file in (ROOT / "studies").glob("*.py") if '__name__ == "__main__"' in file.read_text(encoding="utf-8")
)


def test_there_are_studies_to_ask() -> None:
    assert {"flips", "recorded", "natural", "__main__"} <= {file.stem for file in SCRIPTS}


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.stem)
def test_study_tells_its_docstring_and_stops(file: Path, option: str) -> None:
    name = "studies" if file.stem == "__main__" else f"studies.{file.stem}"
    ran = subprocess.run(
        [sys.executable, "-m", name, option], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    says = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    assert (ran.returncode, ran.stderr) == (0, "")
    assert " ".join(says.split()[:8]) in " ".join(ran.stdout.split())
