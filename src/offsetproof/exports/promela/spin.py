"""SPIN on an exported model: generated, compiled and run, exhaustive, as an independent oracle.

Breadth-first for claims about states and steps; for those about whole runs nested depth-first.

Nothing is approximated or left out: no bitstate hashing, no hash compaction, no partial-order reduction, no variable
hidden because no step reads it. A search that met a limit is an error, never an outcome.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from offsetproof.exports.exported import Exported
from offsetproof.exports.other_tool import ToolOutcome, failure_of, output_of, path_of_tool
from offsetproof.exports.promela.model import file_name, macros, promela
from offsetproof.exports.promela.runs import BOUNDS_MACRO
from offsetproof.lang.scope import UnknownNameError
from offsetproof.verdict.prerequisite import SPIN
from offsetproof.verdict.result import Verdict

GAVE_UP = ("max search depth too small", "reached -DMEMLIM bound", "out of memory", "VECTORSZ is too small")
"""What SPIN says, exit code 0 notwithstanding, where its search is not complete."""

_BROKEN_OFF = "Search not completed"
_VIOLATED = re.compile(r"assertion violated .*\(at depth (\d+)\)")
_CYCLE = "acceptance cycle (at depth"


@dataclass(frozen=True)
class SpinOptions:
    """How SPIN's search is compiled and how far it may go.

    `depth` and `megabytes` are limits: meeting one is an error. `optimize` is the C compiler's level. The table has
    2 to the power of `table_bits` places at first.
    """

    optimize: int = 2
    megabytes: int = 8000
    depth: int = 10_000_000
    table_bits: int = 20
    seconds: float | None = None


def compile_search(export: Exported, folder: Path, options: SpinOptions = SpinOptions()) -> list[str]:
    """Compiles SPIN's search of all states in a folder; the command that runs it. Raises what `run_spin` does."""
    return _SpinRun(folder, options, time.monotonic()).compile(export, [file_name(export)])


def run_spin(
    export: Exported, *, claim: str | None = None, folder: Path, options: SpinOptions = SpinOptions()
) -> ToolOutcome:
    """Explores the export with SPIN in a folder, checking one claim, or none to see everything.

    The output ends with the names of a violating trace's steps. Raises PrerequisiteError without SPIN or a C compiler,
    UnknownNameError for a claim that the export does not state, ProgramFailedError where the search is not complete,
    and what `promela` raises.
    """
    run = _SpinRun(folder, options, time.monotonic())
    condition = None if claim is None else export.condition(claim)
    defines = [] if condition is None else [f"-D{macros(export)[condition.claim]}"]
    output = run.search(export, [*defines, file_name(export)])
    match = _VIOLATED.search(output)
    if (match is None) == (_BROKEN_OFF in output) or (match is not None and condition is None):
        raise failure_of("spin", "broke the search off", output)
    if match is not None:
        output += "\n" + run.output_in_time([path_of_tool("spin", SPIN), "-t", *defines, file_name(export)])
    # The state before an initial one is chosen is none of the system's.
    before = int(len(export.system.initial) > 1)
    return ToolOutcome(
        "spin",
        _number("states, stored", r"(\d+) states, stored", output) - before,
        _number("depth", r"depth reached (\d+)", output) - before,
        None if match is None else claim,
        None if match is None or condition is None else int(match[1]) - before + condition.steps_after,
        time.monotonic() - run.started,
        output,
    )


@dataclass(frozen=True)
class RunsOutcome:
    """What SPIN says of a claim about whole runs; UNKNOWN where the scope alone ends each run that breaks it.

    `states` were stored in the last search, with those of the formula and of the turns. `output` ends with the names
    of a violating run's steps, and has a line `START OF CYCLE` before those that come again and again.
    """

    verdict: Verdict
    states: int
    seconds: float
    output: str


def judge_runs(export: Exported, *, claim: str, folder: Path, options: SpinOptions = SpinOptions()) -> RunsOutcome:
    """Has SPIN decide a claim about whole runs: where no run breaks it, once more with runs that the scope alone ends.

    Raises what `run_spin` does.
    """
    ending = next((ending for ending in export.endings if ending.claim == claim), None)
    if ending is None:
        raise UnknownNameError("exported claim about runs", claim, [ending.claim for ending in export.endings])
    run = _SpinRun(folder, options, time.monotonic())
    macro, file = f"-D{macros(export)[claim]}", file_name(export)
    output, verdict = run.search(export, [macro, file], is_of_runs=True), Verdict.REFUTED
    if _CYCLE not in output:
        output = run.search(export, [f"-D{BOUNDS_MACRO}", macro, file], is_of_runs=True)
        verdict = Verdict.UNKNOWN if _CYCLE in output else Verdict.HOLDS
    if (verdict is Verdict.HOLDS) is (_BROKEN_OFF in output):
        raise failure_of("spin", "broke the search off", output)
    states = _number("states, stored", r"(\d+) states, stored", output)
    if verdict is Verdict.REFUTED:
        output += "\n" + run.output_in_time([path_of_tool("spin", SPIN), "-t", macro, file])
    return RunsOutcome(verdict, states, time.monotonic() - run.started, output)


@dataclass(frozen=True)
class _SpinRun:
    """Where SPIN's programs run, how, and since when."""

    folder: Path
    options: SpinOptions
    started: float

    def output_in_time(self, command: list[str]) -> str:
        """What a program prints, within what is left of the time."""
        limit = self.options.seconds
        left = None if limit is None else max(0.0, limit - (time.monotonic() - self.started))
        return output_of(command, self.folder, seconds=left)

    def compile(self, export: Exported, model: list[str], *, is_of_runs: bool = False) -> list[str]:
        """Compiles SPIN's program; the command that runs it. `model` is how SPIN is told of the model."""
        spin, gcc = path_of_tool("spin", SPIN), path_of_tool("gcc", SPIN)
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, text in promela(export).items():
            (self.folder / name).write_text(text, encoding="utf-8")
        # Without -o2, SPIN leaves out variables that are written and never read, and counts fewer states.
        self.output_in_time([spin, "-o2", "-a", *model])
        self.output_in_time(
            [gcc, f"-O{self.options.optimize}", "-w", *self._macros(export, is_of_runs), "-o", "pan", "pan.c"]
        )
        pan = [str(self.folder.resolve() / "pan"), *(["-a"] if is_of_runs else [])]
        return [*pan, "-E", "-n", f"-w{self.options.table_bits}", f"-m{self.options.depth}"]

    def search(self, export: Exported, model: list[str], *, is_of_runs: bool = False) -> str:
        """What SPIN's program says at the end of a search that met no limit."""
        reported = self.output_in_time(self.compile(export, model, is_of_runs=is_of_runs))
        output = "\n".join(line for line in reported.splitlines() if not line.startswith("Depth="))
        limit = next((said for said in GAVE_UP if said in output), None)
        if limit is not None or "Full statespace search" not in output:
            raise failure_of("spin", limit or "made no full search", output)
        return output

    def _macros(self, export: Exported, is_of_runs: bool) -> list[str]:
        """The macros of a search that leaves nothing out, and is breadth-first unless it is about runs."""
        # Four bytes for each variable are as many as any type takes; SPIN adds a few of its own.
        vector = max(1024, 4 * len(export.system.variables) + 256)
        kind = ["-DNOFAIR"] if is_of_runs else ["-DBFS", "-DSAFETY"]
        return [*kind, "-DNOREDUCE", f"-DVECTORSZ={vector}", f"-DMEMLIM={self.options.megabytes}"]


def _number(what: str, pattern: str, output: str) -> int:
    match = re.search(pattern, output)
    if match is None:
        raise failure_of("spin", f"did not print {what}", output)
    return int(match[1])
