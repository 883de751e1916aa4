"""What TLC's time is spent on: samples of Java's flight recorder, sorted by what TLC was doing."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from offsetproof.exports.tla.tlc import LONG_RUN, find_jar, find_java, tlc_arguments

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
