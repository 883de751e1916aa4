"""What the tests of several exports share while they run."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where cargo keeps what it compiled: Stateright itself is compiled once, for all tests of this session."""
    return tmp_path_factory.getbasetemp() / "cargo-target"
