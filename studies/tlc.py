"""Measures what TLC takes for exports, beside a specification by hand and an earlier export; writes docs/tlc.md.

The earlier export is written by the program as it was at another commit (`--before`), of RocketMQ and the toys as they
were then; toys that have come since are left out. That the systems are the same shows in the counts.
Runs are taken in turns, and what counts is processor time: the machine is shared.
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
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from offsetproof.exports.identifiers import spell_in_tla
from offsetproof.exports.tla.tlc import LONG_RUN, SHORT_RUN, find_jar, find_java, tlc_arguments
from studies import DOCS, RECORDS
from studies.tlc_page import page
from studies.tlc_profile import profile_of
from studies.tlc_systems import EXAMPLES, LAMPORT, ROCKETMQ, ROOT, System, toys

DATA, PAGE = RECORDS / "tlc.json", DOCS / "tlc.md"

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
    """Measures everything and writes the page."""
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
    PAGE.write_text(page(record), encoding="utf-8")


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


if __name__ == "__main__":
    main()
