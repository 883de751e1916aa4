"""Benchmarks, and the pages that they write. The systems they time are those that the tests share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
