"""Measures what TLC takes for exports, beside a specification by hand and an earlier export.

The earlier export is written by the program as it was at another commit (`--before`), of RocketMQ and the toys as they
were then; toys that have come since are left out. That the systems are the same shows in the counts.
Runs are taken in turns, and what counts is processor time: the machine is shared. What TLC spends it on is told by
samples of Java's flight recorder, sorted by what TLC was doing.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.exporting import to_export
from offsetproof.checking.request import Request
from offsetproof.checking.subject import load_subject
from offsetproof.examples.toys import TOYS
from offsetproof.exports.exported import Exported
from offsetproof.exports.identifiers import spell_in_tla
from offsetproof.exports.tla.tlc import LONG_RUN, SHORT_RUN, find_jar, find_java, tlc_arguments
from studies import RECORDS

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class System:
    """A system to export. TLC judges the claim where one is named, and the types of the variables in any case."""

    subject: str
    claim: str | None = None
    scope: str | None = None
    bounds: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How the page calls it."""
        bounds = [f"{name}={value}" for name, value in self.bounds.items()]
        return ", ".join(part for part in (self.claim, self.scope, *bounds) if part)

    @property
    def arguments(self) -> list[str]:
        """The arguments of `offsetproof export`."""
        named = {"--property": self.claim, "--scope": self.scope}
        options = [part for option, value in named.items() if value for part in (option, value)]
        bounds = [part for name, value in self.bounds.items() for part in ("--bound", f"{name}={value}")]
        return [self.subject, *options, *bounds]

    def exported(self) -> Exported:
        """The same export as the program makes it."""
        properties = (self.claim,) if self.claim else ()
        return to_export(Request(load_subject(self.subject), properties, scope=self.scope, bounds=self.bounds))


LAMPORT = System(str(EXAMPLES / "lamport_mutex.py"), "one_is_critical", "three")

ROCKETMQ = (
    System(DEFAULT, "I18", "moving-reset", {"view_changes": 0}),
    System(DEFAULT, "I5-forward-calm", "calm-reset", {"messages": 1}),
    System(DEFAULT, "I1", "come-back", {"messages": 1}),
    System(DEFAULT, "I2", "hand-over", {"messages": 1, "view_changes": 1}),
    System(DEFAULT, "I7-no-stalled-task", "reset", {"messages": 1}),
)
"""Scopes of middling size."""


def toys() -> tuple[System, ...]:
    """Every toy in every scope."""
    cases = dict.fromkeys((f"{toy.model.__module__}:{toy.model.__name__}", toy.scope or None) for toy in TOYS)
    return tuple(System(subject, scope=scope) for subject, scope in cases)


DATA = RECORDS / "tlc.json"

BEFORE = "a80f757"
"""The last commit that exported functions of tuples."""

ROUNDS = 3

Record = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """One run of TLC: what it counted, and the processor time that it took, in seconds."""

    states: int
    depth: int
    seconds: float


def main() -> None:
    """Measures everything and writes data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", default=BEFORE, help="the commit whose exports are measured, too")
    before = parser.parse_args().before
    record: Record = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {_java()}",
        "before": before,
    }
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        exporters = {"before": checked_out(before, folder / "source"), "after": ROOT}
        record["lamport"] = _lamport(exporters, folder / "lamport")
        record["rocketmq"] = [_measure_systems([system], exporters, folder / "rocketmq") for system in ROCKETMQ]
        known = [toy for toy in toys() if _is_known(toy, exporters["before"], folder / "known")]
        record["toys"] = _measure_systems(known, exporters, folder / "toys", SHORT_RUN)
        record["toys"]["subjects"] = [[toy.subject, toy.scope] for toy in known]
    DATA.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def checked_out(commit: str, folder: Path) -> Path:
    """The program as it was at a commit, with its model of RocketMQ and its toys, in a folder of its own."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="tar")
    return folder


def export(system: System, root: Path, folder: Path) -> Path:
    """Has the program in `root` export a system; the folder with its module, to be judged by its claim alone."""
    paths = os.pathsep.join(str(path) for path in (root / "src", root / "tests"))
    command = [sys.executable, "-m", "offsetproof", "export", *system.arguments, "--to", "tla", "--quiet"]
    folder.mkdir(parents=True)
    subprocess.run(
        [*command, "--out-dir", str(folder)], check=True, env={**os.environ, "PYTHONPATH": paths}, cwd=folder
    )
    (configuration,) = folder.glob("*.cfg")
    start, invariants = configuration.read_text(encoding="ascii").split("INVARIANTS\n")
    kept = {"TypeOK", *([spell_in_tla(system.claim)] if system.claim else [])}
    chosen = [line for line in invariants.splitlines() if line.strip() in kept]
    configuration.write_text("\n".join([f"{start}INVARIANTS", *chosen, ""]), encoding="ascii")
    return folder


def _is_known(system: System, root: Path, folder: Path) -> bool:
    """Has the program in `root` this system, too?"""
    try:
        export(system, root, folder)
    except subprocess.CalledProcessError:
        return False
    finally:
        shutil.rmtree(folder)
    return True


def run(folder: Path, java: Sequence[str] = LONG_RUN) -> Run:
    """Has TLC explore the one module in a folder, with one worker; RuntimeError where that does not come to its end."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [find_java(), *tlc_arguments(find_jar(), module_of(folder).stem, scratch, 1, java)]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    counts = re.search(r"(\d+) distinct states found, 0 states left", output)
    depth = re.search(r"depth of the complete state graph search is (\d+)", output)
    if process.returncode or counts is None or depth is None:
        raise RuntimeError(f"TLC has not explored {folder}:\n{output}")
    return Run(int(counts[1]), int(depth[1]) - 1, usage.ru_utime + usage.ru_stime)


def module_of(folder: Path) -> Path:
    """The module that a folder is about."""
    (configuration,) = folder.glob("*.cfg")
    return configuration.with_suffix(".tla")


def _lamport(exporters: dict[str, Path], folder: Path) -> Record:
    """The system that is there by hand, too: rounds, lines, and what TLC's time is spent on."""
    places = {"by hand": folder / "by hand"}
    places["by hand"].mkdir(parents=True)
    for file in EXAMPLES.glob("LamportMutexByHand.*"):
        shutil.copy(file, places["by hand"])
    places |= {name: export(LAMPORT, root, folder / name) for name, root in exporters.items()}
    modules = {name: module_of(path) for name, path in places.items()}
    return {
        "rounds": list(_rounds({name: [path] for name, path in places.items()}, LONG_RUN)),
        "lines": {name: len(module.read_text(encoding="ascii").splitlines()) for name, module in modules.items()},
        "profiles": {name: profile_of(module.parent, module.stem) for name, module in modules.items()},
    }


def _measure_systems(
    systems: Sequence[System], exporters: dict[str, Path], folder: Path, java: Sequence[str] = LONG_RUN
) -> Record:
    """Rounds of systems that are taken together."""
    places = {
        name: [export(system, root, folder / name / str(i)) for i, system in enumerate(systems)]
        for name, root in exporters.items()
    }
    rounds = list(_rounds(places, java))
    shutil.rmtree(folder)
    return {"name": systems[0].name if len(systems) == 1 else f"{len(systems)} toys", "rounds": rounds}


def _rounds(places: dict[str, list[Path]], java: Sequence[str]) -> Iterator[dict[str, Record]]:
    """In each round every export in turn: states, the greatest depth, and seconds in all."""
    for _ in range(ROUNDS):
        yield {name: asdict(_together([run(folder, java) for folder in folders])) for name, folders in places.items()}


def _together(runs: list[Run]) -> Run:
    seconds = round(sum(run.seconds for run in runs), 2)
    return Run(sum(run.states for run in runs), max(run.depth for run in runs), seconds)


def _java() -> str:
    said = subprocess.run([find_java(), "-version"], check=True, capture_output=True, text=True).stderr
    return said.splitlines()[0].replace('"', "")


DOING = {
    "fingerprints of new states": r"[Ff]ingerPrint$",
    "making hash indices of functions": r"FcnRcdValue\.(createIndex|lookupIndex)$",
    "looking values up in functions": r"FcnRcdValue\.(select|apply)$",
    "copying functions for EXCEPT, making new ones": r"(takeExcept|toFcnRcd)$",
    "checking types and invariants": r"doNextCheckInvariants$",
    "the visited set, and states that wait on disk": r"(FPSet\.\w+|StatePool\w+\.run|DiskStateQueue\.\w+|writeState)$",
    "evaluating the rest of guards and updates": r"(getNextStates|getNextStates0)$",
}
"""What a sample is counted as: the first that its stack, from the innermost call outwards, has a method of."""

_FRAME = re.compile(r"^\s+([\w.$<>]+)\(", re.MULTILINE)


def profile_of(folder: Path, module: str) -> dict[str, int]:
    """How many samples each of TLC's doings has in a run of the module in a folder."""
    recorder = shutil.which("jfr")
    if recorder is None:
        raise RuntimeError("jfr was not found; a Java development kit brings it")
    with tempfile.TemporaryDirectory() as scratch:
        record = Path(scratch) / "record.jfr"
        java = [*LONG_RUN, f"-XX:StartFlightRecording=filename={record},settings=profile"]
        command = [find_java(), *tlc_arguments(find_jar(), module, scratch, 1, java)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        command = [recorder, "print", "--events", "jdk.ExecutionSample", "--stack-depth", "64", str(record)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return sorted_samples(printed)


def sorted_samples(printed: str) -> dict[str, int]:
    """The samples that the flight recorder printed, by what they are counted as; those of no known kind last."""
    counts = Counter(_doing_of(_FRAME.findall(sample)) for sample in printed.split("jdk.ExecutionSample")[1:])
    return {doing: counts[doing] for doing in (*DOING, "other") if counts[doing]}


def _doing_of(frames: list[str]) -> str:
    for frame in frames:
        for doing, method in DOING.items():
            if re.search(method, frame):
                return doing
    return "other"


if __name__ == "__main__":
    main()
