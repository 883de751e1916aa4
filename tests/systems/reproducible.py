"""How Hypothesis runs here: the same examples every time, nothing remembered, nothing written into the repository.

The fast suite tries a quarter of a test's examples; the slow one (`OFFSETPROOF_EXAMPLES=all`) runs the test again with
all of them.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir

set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "offsetproof-hypothesis")


def reproducible(examples: int) -> settings:
    """Settings for a test that must give the same answer on every run and machine, however slow that is."""
    return reproducible_always(examples if os.environ.get("OFFSETPROOF_EXAMPLES") == "all" else -(-examples // 4))


def reproducible_always(examples: int) -> settings:
    """The same with so many examples in every suite, for tests that ask what their examples cover, too."""
    return settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
