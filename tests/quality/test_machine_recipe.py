"""The recipe for one's own test suite, run as it stands there on an example that is refuted: it fails."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def recipe() -> str:
    """The code that docs/python.md has for `machine`."""
    blocks = re.findall(r"(?ms)^```\w*\n(.*?)^```$", (ROOT / "docs" / "python.md").read_text(encoding="utf-8"))
    (found,) = [block for block in blocks if "machine import machine" in block]
    return found


@pytest.mark.parametrize(
    ("example", "model", "scope", "claim", "steps"),
    [
        pytest.param("lease", "Lease", "two-clients", "writes_come_in_the_order_of_grants", 5, marks=pytest.mark.slow),
        ("lost_update", "Counter", "two", "every_update_counts", 4),
    ],
)
def test_recipe_fails_with_the_story_of_a_refuted_example(
    tmp_path: Path, example: str, model: str, scope: str, claim: str, steps: int
) -> None:
    test = recipe().replace("MyModel,", f"{model},").replace('"small"', f'"{scope}"')
    assert test.count(f'machine({model}, "{scope}")') == 1
    (tmp_path / "test_recipe.py").write_text(f"from {example} import {model}\n{test}")
    (tmp_path / f"{example}.py").write_text((ROOT / "examples" / f"{example}.py").read_text(encoding="utf-8"))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        "test_recipe.py",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed" in done.stdout
    assert claim in done.stdout
    assert f"fails after {steps} steps" in done.stdout
