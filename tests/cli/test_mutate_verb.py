"""`mutate` as users run it: the score, every mutant as JSON, a limit, and Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from cli.program import PROGRAM, environment, in_terminal, run
from systems.schemas import read_valid
from systems.tank import TANK


def test_score_and_survivors_are_told_in_80_columns_and_as_json(tmp_path: Path) -> None:
    (tmp_path / "tank.py").write_text(TANK, encoding="utf-8")
    code, text = in_terminal("mutate", "tank.py", "--no-progress", columns=80, cwd=tmp_path)
    assert code == 0
    assert " ".join(text.split()).startswith(
        "Tank: 15 mutants; 11 noticed of 15 that could be, score 73.3%; 1 survived"
    )
    assert max(map(len, text.splitlines())) <= 80
    ran = run("mutate", "tank.py", "--format=json", "--limit=5", "--workers=3", cwd=tmp_path)
    found = read_valid("mutate", ran.out)
    assert (ran.code, ran.err, found["made"], found["tried"]) == (0, "", 15, 5)
    assert found["mutants"][0] == {
        "action": "valve_opens",
        "operator": "guard dropped",
        "change": "guard 1 dropped: not open",
        "outcome": "only counts moved",
        "noticed": False,
        "property": None,
        "scope": None,
        "detail": "stories in small: 5 states and 12 transitions, not 5 states and 9 transitions",
        "scopes": ["small"],
    }


def test_claims_beyond_the_limit_are_left_out_and_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "tank.py").write_text(TANK, encoding="utf-8")
    ran = run("mutate", "tank.py", "--property=T1", "--max-states=4", cwd=tmp_path)
    assert ran.code == 0
    assert "left out: full_tank_is_open (T1) in small (state limit after " in ran.out
    assert run("mutate", "tank.py", "--property=T2", cwd=tmp_path).code == 2


SHUT = """from offsetproof.lang import *


class Shut(Model):
    \"\"\"Six counters behind a gate that never opens; with the gate forgotten they have 2**36 states.\"\"\"

    x: Array[int] = array(Index("counter", 6), integer(0, 63))
    gate: bool = flag()

    @action(i=Index("counter", 6))
    def counter_rises(self, i: int) -> None:
        require(self.gate, self.x[i] < 63)
        self.x[i] = self.x[i] + 1

    @action()
    def gate_opens(self) -> None:
        require(self.x[0] > 0)
        self.gate = True

    @always()
    def not_all_at_the_end(self) -> bool:
        return some(self.x[i] < 63 for i in range(6))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "tried"), [("1", "0"), ("2", r"\d")])
def test_interrupt_is_code_130_with_the_report_so_far(tmp_path: Path, workers: str, tried: str) -> None:
    """The first mutant takes for ever; whoever is beside it judges others meanwhile."""
    (tmp_path / "shut.py").write_text(SHUT, encoding="utf-8")
    command = [
        str(PROGRAM),
        "mutate",
        "shut.py",
        "--max-states=1000000000",
        "--max-memory=3GiB",
        f"--workers={workers}",
    ]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert re.match(r"mutant \d+ of ", process.stderr.readline())
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.match(rf"Shut: \d+ mutants, {tried} of them tried; none to judge\n", out)
    assert "Traceback" not in err
