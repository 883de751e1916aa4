"""Ctrl-C and SIGTERM end a long check with the report of what was established; progress is on stderr only."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from cli.program import PROGRAM, environment, read_terminal, terminal

ARGS = ["check", "long.py", "--property=is_flipped", "--property=not_all_at_the_end", "--max-memory=3GiB"]


LAYER = r"[01] of 2: layer \d+"


def start(folder: Path, *args: str, stderr: int) -> subprocess.Popen[str]:
    """A check that would take minutes."""
    return subprocess.Popen(
        [str(PROGRAM), *ARGS, *args],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


def test_interrupt_is_code_130_with_the_verdicts_so_far_and_a_live_line_before(models: Path) -> None:
    master, slave = terminal(80)
    with start(models, stderr=slave) as process:
        os.close(slave)
        seen = more = read_terminal(master).decode()
        while "1 of 2: layer" not in seen and more:
            more = read_terminal(master).decode()
            seen += more
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        seen += read_terminal(master).decode()
    os.close(master)
    assert process.returncode == 130
    assert out.startswith("Long: 1 UNKNOWN, 1 reached; 1 not as expected\n")
    assert re.search(r"interrupted; scope default \(no bounds\), stopped after (1 state|[\d,]+ states),", out)
    assert "layer" not in out
    live = re.split(r"\r\x1b\[2K", seen)
    assert all(len(line) < 80 for line in live)
    assert any(re.match(LAYER + r" +\d+% of [\d,]+", x) for x in live)
    assert "Traceback" not in seen


@pytest.mark.slow
def test_sigterm_is_code_143_with_one_whole_document_and_lines_of_progress_before(models: Path) -> None:
    with start(models, "--format=json", stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 143
    assert re.match(LAYER + r" +\d+% of [\d,]+, (1 state|[\d,]+ states), .* known, .* MiB, ", line)
    assert "\r" not in line + err
    assert "\x1b" not in line + err
    results = json.loads(out)["results"]
    assert [(r["property"], r["verdict"], r["reason"]) for r in results] == [
        ("is_flipped", "HOLDS", None),
        ("not_all_at_the_end", "UNKNOWN", "interrupted"),
    ]
    assert results[1]["states"] > 1000


@pytest.mark.slow
def test_no_progress_keeps_stderr_silent_beyond_the_time_of_the_first_line(models: Path) -> None:
    with start(models, "--no-progress", "--timeout=5.5", stderr=subprocess.PIPE) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (30, "")
    assert out.startswith("Long: 1 UNKNOWN, 1 reached;")
