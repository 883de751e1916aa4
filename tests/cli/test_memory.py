"""`--max-memory`: a tenth more than what was allowed, beside the program itself, is the most that is taken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli.program import PROGRAM, environment

DIALS = """
from offsetproof.lang import *

DIAL = Index("dial", 9)

class Dials(Model):
    dials: Array[int] = array(DIAL, integer(0, 9))

    @action(d=DIAL)
    def turns(self, d: int) -> None:
        require(self.dials[d] < 9)
        self.dials[d] += 1

    @always
    def some_dial_is_left(self) -> bool:
        return not all(dial == 9 for dial in self.dials)
"""
"""A billion states, the last of which refutes the claim."""

PROGRAM_MIB = 120
"""What the program takes without any states, and a little more."""


MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""
"""A small process that starts the program: Linux counts the memory of whoever starts one as the program's own."""


def peak(command: list[str], folder: Path) -> tuple[int, int]:
    """A program's exit code, and the most memory in bytes that it had at a time."""
    measuring = [sys.executable, "-c", MEASURE, *command]
    said = subprocess.run(measuring, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True, check=True)
    code, taken = map(int, said.stdout.split())
    return code, taken


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("allowed", [256, 512, 1024])
def test_search_keeps_its_limit_while_it_grows_and_uses_most_of_it(tmp_path: Path, allowed: int) -> None:
    (tmp_path / "dials.py").write_text(DIALS)
    code, taken = peak([str(PROGRAM), "check", "dials.py", f"--max-memory={allowed}MiB", "--quiet"], tmp_path)
    assert code == 30
    assert 0.8 * allowed < taken / 2**20 <= 1.1 * allowed + PROGRAM_MIB
