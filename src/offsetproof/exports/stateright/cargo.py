"""Stateright on an exported crate: built by cargo and run, breadth-first and exhaustive, as an independent oracle."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

from offsetproof.exports.exported import Exported
from offsetproof.exports.other_tool import ToolOutcome, failure_of, output_of, path_of_tool
from offsetproof.exports.stateright.crate import crate_name, stateright
from offsetproof.verdict.prerequisite import CARGO


def run_stateright(
    export: Exported,
    *,
    claim: str | None = None,
    folder: Path,
    target: Path | None = None,
    seconds: float | None = None,
) -> ToolOutcome:
    """Builds the export's crate in a folder and explores it, judging one claim, or none to see everything.

    Runs that share `target` compile Stateright itself only once; the default is a folder of this crate alone. `seconds`
    limits building and exploring each. Raises PrerequisiteError without cargo, UnknownNameError for a claim that the
    export does not state, ProgramFailedError where cargo or the program ends without an answer.
    """
    started = time.monotonic()
    condition = None if claim is None else export.condition(claim)
    program = build_program(export, folder, target or folder / "target", seconds)
    output = output_of([str(program), *([claim] if claim is not None else [])], folder, seconds=seconds)
    answer = _answer(output)
    length = answer["length"] + condition.steps_after if condition is not None and answer["violated"] else None
    violated = claim if answer["violated"] else None
    passed = time.monotonic() - started
    return ToolOutcome("stateright", answer["unique_states"], answer["max_depth"] - 1, violated, length, passed, output)


def build_program(export: Exported, folder: Path, target: Path, seconds: float | None = None) -> Path:
    """The export's program, compiled. What did not change since the last time is not compiled again."""
    cargo = path_of_tool("cargo", CARGO)
    for name, text in stateright(export).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    target.mkdir(parents=True, exist_ok=True)
    resolved, locked = folder / "Cargo.lock", target / "Cargo.lock"
    if locked.is_file() and not resolved.is_file():
        shutil.copy(locked, resolved)
    environment = {"CARGO_TARGET_DIR": str(target.resolve())}
    output_of([cargo, "build", "--release", "--quiet"], folder, seconds=seconds, environment=environment)
    shutil.copy(resolved, locked)
    return target.resolve() / "release" / crate_name(export)


def _answer(output: str) -> dict[str, int]:
    """The line that the program printed last."""
    try:
        answer: dict[str, int] = json.loads(output.strip().splitlines()[-1])
    except (IndexError, ValueError):
        raise failure_of("stateright", "printed no answer", output) from None
    return answer
