"""Ctrl-C after the search, while what it found is traced, told or rated: the report says what was established."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.program import COUNTER
from typer.testing import CliRunner, Result

from offsetproof.cli.check_verb import REPORTS
from offsetproof.cli.main import app
from offsetproof.verdict.deadline import Deadline


def interrupting(at: int = 1) -> Callable[..., None]:
    """Sends this process what Ctrl-C sends, the so-manieth time that it is called."""
    calls = [0]

    def interrupt(*_args: object, **_named: object) -> None:
        calls[0] += 1
        if calls[0] == at:
            os.kill(os.getpid(), signal.SIGINT)

    return interrupt


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    """The file of a model that is refuted after two steps."""
    path = tmp_path / "counter.py"
    path.write_text(COUNTER, encoding="utf-8")
    return path


def checked(file: Path, *args: str) -> Result:
    return CliRunner().invoke(app, ["check", str(file), "--property=stays_below_two", "--no-progress", *args])


@pytest.mark.parametrize("look", [1, 3, 5, 8])
def test_interrupt_while_tracing_is_code_130_and_says_what_was_found(
    counter: Path, look: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Deadline, "check", interrupting(look))
    result = checked(counter)
    assert result.exit_code == 130
    assert result.stdout.startswith("Counter: 1 UNKNOWN; 1 not as expected\n")
    text = re.sub(r"\s+", " ", result.stdout)
    assert "interrupted: an alarm was found at depth 2, but the trace to it was not completed; exhaustive in" in text
    assert "Traceback" not in result.output


def test_time_that_is_over_while_tracing_is_code_30(counter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("offsetproof.engines.explicit.engine.Deciding.with_fewest_faults", lambda self, found: found)
    clock = iter([0.0])
    monkeypatch.setattr("offsetproof.verdict.deadline.monotonic", lambda: next(clock, float("inf")))
    result = checked(counter, "--timeout=5", "--format=json")
    (found,) = json.loads(result.stdout)["results"]
    assert (result.exit_code, found["verdict"], found["reason"], found["trace"]) == (30, "UNKNOWN", "time limit", None)
    assert found["detail"] == "an alarm was found at depth 2, but the trace to it was not completed"


@pytest.mark.parametrize("format", ["text", *REPORTS])
def test_interrupt_while_the_story_is_made_keeps_the_verdict_in_every_report(
    counter: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("offsetproof.check.answers.trace_of", interrupting())
    result = checked(counter, f"--format={format}")
    assert result.exit_code == 130
    assert "Traceback" not in result.output
    if format == "json":
        (found,) = json.loads(result.stdout)["results"]
        assert (found["verdict"], found["trace"], found["notes"][-1]) == (
            "REFUTED", None, "its story is not told: interrupted",
        )  # fmt: skip
    elif format == "text":
        assert "its story is not told: interrupted" in result.stdout
        assert result.stdout.startswith("Counter: 1 REFUTED; all as expected\n")
