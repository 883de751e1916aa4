"""A data file that names a model loads none of that model's code: only the command line does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import run

from offsetproof.traces.recorded_stories import recorded_traces


@pytest.mark.parametrize("verb", [("show",), ("replay",), ("explore", "--text", "--trace"), ("judge", "--trace")])
def test_trace_that_names_a_file_as_its_model_does_not_run_it(verb: tuple[str, ...], tmp_path: Path) -> None:
    mark, model, trace = tmp_path / "it-ran", tmp_path / "model.py", tmp_path / "trace.json"
    model.write_text(f"open({str(mark)!r}, 'w')\n")
    document = json.loads(recorded_traces()["I13-zero-answered"].read_text(encoding="utf-8"))
    trace.write_text(json.dumps({**document, "subject": str(model)}))
    ran = run(*verb, trace, *(["--classpath=x"] if verb[0] == "judge" else []))
    assert str(model) in " ".join(ran.err.replace("│", " ").split()) + ran.out
    assert not mark.exists()
