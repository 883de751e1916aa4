"""The files of examples/ci are what they are said to be, and their steps run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli.program import PROGRAM, run
from real.patched import patch

from offsetproof.real.jars import JarSet
from offsetproof.version import __version__

FOLDER = Path(__file__).parents[2] / "examples" / "ci"
WORKFLOWS = ("fork.yml", "own-model.yml")


def workflow(name: str) -> dict[str, Any]:
    """A workflow; `on` is a truth value in YAML 1.1."""
    read: dict[str, Any] = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    return read


def steps(name: str) -> list[dict[str, Any]]:
    """The steps of its only job."""
    (job,) = workflow(name)["jobs"].values()
    listed: list[dict[str, Any]] = job["steps"]
    return listed


def commands() -> Iterator[str]:
    """Every call of the program in these files, one line each."""
    texts = [step["run"] for name in WORKFLOWS for step in steps(name) if "run" in step]
    hooks = yaml.safe_load((FOLDER / "pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    texts += [hook["entry"] for hook in hooks]
    texts += re.findall(
        r"(?m)^#   docker run .* (offsetproof \w+ .*)$", (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    )
    for text in texts:
        yield from re.findall(r"offsetproof (\w+.*)", text.replace("\\\n", " "))


@pytest.mark.parametrize("command", [*commands()])
def test_each_call_names_a_verb_and_options_that_there_are(command: str) -> None:
    verb, *words = command.split()
    shown = run(verb, "--help")
    assert shown.code == 0
    assert {word for word in words if word.startswith("--")} <= {*re.findall(r"--[\w-]+", shown.out)}


def test_fork_is_judged_once() -> None:
    scripts = [step.get("run", "") for step in steps("fork.yml")]
    assert sum(script.count("offsetproof judge") for script in scripts) == 1


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflow_has_few_rights_and_names_versions(name: str) -> None:
    read = workflow(name)
    assert read["permissions"] == {"contents": "read", "security-events": "write"}
    assert read["env"]["OFFSETPROOF"] == f"offsetproof=={__version__}"
    used = [step["uses"] for step in steps(name) if "uses" in step]
    assert len(used) > 3
    assert all(re.fullmatch(r"(actions|github)/[\w/-]+@v\d+", each) for each in used)


def test_image_copies_what_there_is_and_runs_without_rights() -> None:
    text = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    copied = [word for line in re.findall(r"(?m)^COPY (?!--)(.*) /\S+$", text) for word in line.split()]
    assert {"src", "requirements.lock", "LICENSE"} <= {*copied}
    assert all((FOLDER.parents[1] / name).exists() for name in copied)
    last = text.rpartition("\nFROM ")[2]
    assert last.startswith("python:3.11-slim")
    assert last.index("\nUSER checker\n") < last.index("\nENTRYPOINT")


def step_of(name: str, words: str) -> str:
    """The only step of a workflow whose script has these words."""
    (script,) = [step["run"] for step in steps(name) if words in step.get("run", "")]
    return str(script)


def bash(script: str, folder: Path, environment: Mapping[str, str]) -> int:
    """The code of a script, as GitHub runs it."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    own = {"PATH": f"{PROGRAM.parent}:/usr/bin:/bin", "HOME": str(Path.home()), "GITHUB_STEP_SUMMARY": "summary.md"}
    return subprocess.run(command, cwd=folder, env={**own, **environment}, capture_output=True).returncode


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expect", "code"), [("removed=I11-row-put-twice", 0), ("removed=I11-row-put-twic", 2)], ids=["so", "a typo"]
)
def test_gate_of_a_fork_passes_where_the_patch_removes_the_cause(
    expect: str, code: int, published: Callable[[str], JarSet], tmp_path: Path
) -> None:
    patch(published("4.9.4"), tmp_path / "classes", "commit-makes-row-atomically")
    asked = {name: str(value) for name, value in workflow("fork.yml")["env"].items()}
    asked |= {"CLAIM": "I11", "CLASSES": "classes", "EXPECT": expect, "FIX": "--fix row-made-atomically --keep I11"}
    assert bash(step_of("fork.yml", "offsetproof judge"), tmp_path, asked) == code
    assert ((tmp_path / "summary.md").exists(), (tmp_path / "judge.sarif").exists()) == (code == 0, code == 0)
    if code == 0:
        assert "as expected: I11-row-put-twice removed" in (tmp_path / "summary.md").read_text()
        (result, repaired) = json.loads((tmp_path / "judge.sarif").read_text())["runs"][0]["results"]
        assert (result["ruleId"], result["kind"]) == ("I11-row-put-twice", "pass")
        assert repaired["message"]["text"].startswith("repairs ")


@pytest.mark.slow
def test_guard_of_a_model_passes_and_fails_with_it(tmp_path: Path) -> None:
    assert run("new", tmp_path / "mymodel").code == 0
    script, asked = step_of("own-model.yml", "guard"), {"MODEL": "mymodel.py"}
    folder = tmp_path / "mymodel"
    assert bash(script, folder, asked) == 0
    model = folder / "mymodel.py"
    model.write_text(model.read_text().replace("self.counted = self.counted + 1", "pass"))
    assert bash(script, folder, asked) == 12
    assert "holds-to-refuted" in (folder / "summary.md").read_text()
    shutil.rmtree(folder)
