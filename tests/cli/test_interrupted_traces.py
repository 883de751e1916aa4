"""Ctrl-C after the search, while what it found is traced, told or rated: the report says what was established."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.program import COUNTER, Ran, environment
from systems.samples import one_in

from offsetproof.cli.formats import FORMATS

INTERRUPTING = """
import os, signal, time
PROGRAM = os.getpid()

def interrupting(at=1):
    "Sends the program what Ctrl-C sends, the so-manieth time that it is called, and waits for what follows from it."
    calls = [0]
    def interrupt(*args, **named):
        calls[0] += 1
        if calls[0] == at:
            os.kill(PROGRAM, signal.SIGINT)
            time.sleep(60)
    return interrupt
"""


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    """The file of a model that is refuted after two steps."""
    path = tmp_path / "counter.py"
    path.write_text(COUNTER, encoding="utf-8")
    return path


def checked(file: Path, change: str, *args: str) -> Ran:
    """The program, run with a change to its modules."""
    asked = ["offsetproof", "check", file.name, "--property=stays_below_two", "--no-progress", *args]
    script = f"{INTERRUPTING}\n{change}\nimport sys\nsys.argv = {asked}\nfrom offsetproof.cli.main import run\nrun()\n"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=file.parent, env=environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("look", one_in(4, [8, 1, 3, 5]))
def test_interrupt_while_tracing_is_code_130_and_says_what_was_found(counter: Path, look: int) -> None:
    change = f"from offsetproof.verdict.limits import Deadline\nDeadline.check = interrupting({look})"
    ran = checked(counter, change)
    assert (ran.code, ran.err) == (130, "")
    assert ran.out.startswith("Counter: 1 UNKNOWN; 1 not as expected\n")
    text = re.sub(r"\s+", " ", ran.out)
    assert "interrupted: an alarm was found at depth 2, but the trace to it was not completed; scope " in text


@pytest.mark.parametrize("format", one_in(9, [*FORMATS["check"]]))
def test_interrupt_while_the_story_is_made_keeps_the_verdict_in_every_report(counter: Path, format: str) -> None:
    change = "from offsetproof.checking import answers\nanswers.trace_of = interrupting()"
    ran = checked(counter, change, f"--format={format}")
    assert (ran.code, ran.err) == (130, "")
    if format == "json":
        (found,) = json.loads(ran.out)["results"]
        assert (found["verdict"], found["trace"], found["notes"][-1]) == (
            "REFUTED", None, "its story is not told: interrupted",
        )  # fmt: skip
    elif format == "text":
        assert "its story is not told: interrupted" in ran.out
        assert ran.out.startswith("Counter: 1 REFUTED; all as expected\n")
