"""Times the explicit engine beside SPIN, TLC and Stateright, each on the same exported system.

Every tool is compiled beforehand; what is timed is a whole process that visits every state. The runs take turns, so a
ratio is that of two runs of one round. All must count the same states, but for stubborn sets, which leave some out. TLC
is left out where it would take minutes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench.subjects import COMPARED, Timed
from offsetproof.exports.exported import Exported, export_system
from offsetproof.exports.other_tool import output_of
from offsetproof.exports.promela.spin import SpinOptions, compile_search
from offsetproof.exports.stateright.cargo import build_program
from offsetproof.exports.tla.module import tla
from offsetproof.exports.tla.tlc import LONG_RUN, find_jar, find_java, tlc_arguments
from offsetproof.exports.tla.vocabulary import Vocabulary
from studies.beside import DATA, read

ROUNDS = 5
ROUNDS_OF_LARGE = 3
LARGE = 5_000_000
"""From so many states on there are fewer rounds: one takes minutes."""

TLC_MOST = 400_000
"""TLC is asked about systems of no more states than these."""

_STATES = {
    "offsetproof": r'"states": (\d+)',
    "SPIN": r"(\d+) states, stored",
    "Stateright": r'"unique_states": (\d+)',
    "TLC": r"(\d+) distinct states found",
}


@dataclass(frozen=True)
class Ran:
    """One run: wall seconds and the most memory of the whole process, and the states that it counted.

    Of offsetproof's own there are the seconds of the search as well, and the bytes that a state took at most.
    """

    seconds: float
    bytes: int
    states: int
    search_seconds: float | None = None
    bytes_per_state: float | None = None


@dataclass(frozen=True)
class Runner:
    """A tool, ready to run: the command, and where. With 0 threads it is one that leaves out states."""

    tool: str
    threads: int
    command: list[str]
    folder: Path
    compile_seconds: float | None = None

    def run(self) -> Ran:
        """Runs it to its end. ValueError where it does not say how many states there are."""
        with tempfile.TemporaryFile() as output:
            begun = time.perf_counter()
            process = subprocess.Popen(self.command, cwd=self.folder, stdout=output, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - begun
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            said = output.read().decode(errors="replace")
        states = re.findall(_STATES[self.tool], said)
        if process.returncode or not states:
            raise ValueError(f"{self.tool} did not end well: {said[-500:]}")
        ran = Ran(seconds, usage.ru_maxrss * 1024, int(states[-1]))
        if self.tool != "offsetproof":
            return ran
        told = json.loads(said.splitlines()[-1])
        return replace(ran, search_seconds=told["seconds"], bytes_per_state=told["bytes"])

    @property
    def name(self) -> str:
        """The tool, and how it is run."""
        return f"{self.tool}, {self.threads or 'stubborn sets'}"


def compared(name: str, timed: Timed, folder: Path, states: int) -> dict[str, object]:
    """The runs of all tools on one system. ValueError where one counts other states."""
    runners = [*_runners(name, _export(timed), folder, with_tlc=states <= TLC_MOST)]
    runs: dict[str, list[Ran]] = {each.name: [] for each in runners}
    for _ in range(ROUNDS if states < LARGE else ROUNDS_OF_LARGE):
        for each in runners:
            ran = each.run()
            print(name, each.tool, each.threads, ran, flush=True)
            if each.threads and ran.states - _before(each, timed) != states:
                raise ValueError(f"{name}: {each.tool} counts {ran.states:,} states, not {states:,}")
            runs[each.name].append(ran)
    return {
        "name": timed.name,
        "states": states,
        "compiled": {each.name: each.compile_seconds for each in runners if each.compile_seconds},
        "runs": {key: list(map(asdict, each)) for key, each in runs.items()},
    }


def _before(runner: Runner, timed: Timed) -> int:
    """SPIN begins in a state before several initial ones."""
    return int(runner.tool == "SPIN" and len(timed.system.initial) > 1)


def _export(timed: Timed) -> Exported:
    assert timed.question is not None
    question = timed.question
    return export_system("timed", question.setting, question.model, timed.system, (question.prop, *question.witnesses))


def _runners(name: str, export: Exported, folder: Path, *, with_tlc: bool) -> list[Runner]:
    own = [sys.executable, "-m", "bench.alone", name]
    runners = [Runner("offsetproof", threads, [*own, str(threads)], Path.cwd()) for threads in (1, 2, 0)]
    runners += [_spin(export, folder / "spin"), *_stateright(export, folder)]
    return [*runners, _tlc(export, folder / "tlc")] if with_tlc else runners


def _spin(export: Exported, folder: Path) -> Runner:
    begun = time.perf_counter()
    command = compile_search(export, folder, SpinOptions(megabytes=16_000, table_bits=24))
    return Runner("SPIN", 1, command, folder, time.perf_counter() - begun)


def _stateright(export: Exported, folder: Path) -> list[Runner]:
    """With one thread and with two, for which the program is changed; Stateright is compiled with the first."""
    runners = []
    for threads in (1, 2):
        own = folder / f"stateright-{threads}"
        begun = time.perf_counter()
        program = build_program(export, own, folder / "target")
        compile_seconds = time.perf_counter() - begun
        if threads > 1:
            for file in own.rglob("*.rs"):
                file.write_text(file.read_text().replace(".threads(1)", f".threads({threads})"))
            output_of(["cargo", "build", "--release", "--quiet"], own, environment={"CARGO_TARGET_DIR": str(own / "t")})
            program = own / "t" / "release" / program.name
        runners.append(Runner("Stateright", threads, [str(program)], own, compile_seconds if threads == 1 else None))
    return runners


def _tlc(export: Exported, folder: Path) -> Runner:
    folder.mkdir(parents=True)
    for name, text in tla(export, ()).items():
        (folder / name).write_text(text, encoding="utf-8")
    workers = os.cpu_count() or 1
    arguments = tlc_arguments(find_jar(), Vocabulary(export).module, str(folder), workers, LONG_RUN)
    return Runner("TLC", workers, [find_java(), *arguments], folder)


def compare_all(wanted: Sequence[str] = ()) -> None:
    """All systems, or those that are wanted, by their words; what is known of the others stays."""
    for name in wanted or COMPARED:
        timed = COMPARED[name]()
        own = Runner("offsetproof", 1, [sys.executable, "-m", "bench.alone", name, "1"], Path.cwd())
        with tempfile.TemporaryDirectory() as folder:
            found = compared(name, timed, Path(folder), own.run().states)
        records = {record["name"]: record for record in read()} | {timed.name: found}
        DATA.write_text(json.dumps([*records.values()], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    compare_all(sys.argv[1:])
