"""Benchmarks: how fast the explicit engine explores. The systems are those that the tests share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
