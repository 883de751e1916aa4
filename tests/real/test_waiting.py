"""The rig waits longer for a thread that is at work than for one that waits, and for neither without an end."""

from __future__ import annotations

import subprocess
from pathlib import Path

from offsetproof.real.compiling import CompiledRig
from offsetproof.real.jdk import QUICK_START, find_jdk

_SOURCE = Path(__file__).parent / "java" / "WorkerAwait.java"


def test_thread_that_works_is_waited_for_six_times_as_long_as_one_that_waits(rig: CompiledRig, tmp_path: Path) -> None:
    subprocess.run([find_jdk().javac, f"-J{QUICK_START}", "-d", tmp_path, "-cp", rig.class_path, _SOURCE], check=True)
    command = [rig.java, QUICK_START, "-cp", f"{tmp_path}:{rig.class_path}", "offsetproof.WorkerAwait"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    found = {about: (how, int(times)) for about, how, times in (line.split("\t") for line in ran.stdout.splitlines())}
    assert {about: how for about, (how, _) in found.items()} == {
        "works a while": "over", "works for ever": "stands RUNNABLE", "waits": "stands TIMED_WAITING",
    }  # fmt: skip
    assert found["works a while"][1] >= 3
    assert found["works for ever"][1] >= 6
    assert 1 <= found["waits"][1] < found["works for ever"][1]
