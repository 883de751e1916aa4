"""Where the baselines of the built-in subjects about RocketMQ are, and which of them a model belongs to."""

from __future__ import annotations

from pathlib import Path

from offsetproof.checking.catalogue import SINGLES
from offsetproof.lang import Model, Subject
from studies.subjects import ABOUT_ROCKETMQ

BY_MODEL: dict[type[Model], Subject] = {subject.model: subject for subject in ABOUT_ROCKETMQ}

BASELINES: dict[Subject, Path] = {subject: SINGLES[subject.name].folder / "baseline.json" for subject in ABOUT_ROCKETMQ}
"""Their committed baselines."""
