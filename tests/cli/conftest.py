"""The folder in which the program runs."""

import signal
from pathlib import Path

import pytest
from cli.program import write_models

signal.signal(signal.SIGHUP, signal.SIG_DFL)
"""Where the tests run under nohup, the programs that they start would inherit that hang-ups are ignored."""


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with the small models."""
    return write_models(tmp_path)
