"""The folder in which the program runs."""

from pathlib import Path

import pytest
from cli.program import write_models


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with the small models."""
    return write_models(tmp_path)
