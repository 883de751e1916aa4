"""The built-in subjects about RocketMQ, each alone under its word in the catalogue, and where their baselines are."""

from __future__ import annotations

from pathlib import Path

from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.lang import Model, Subject

ABOUT_ROCKETMQ: tuple[Subject, ...] = tuple(entry.subjects[0] for entry in BUILT_INS.values() if not entry.is_family)
"""All but the toys, in the catalogue's order."""

BY_MODEL: dict[type[Model], Subject] = {subject.model: subject for subject in ABOUT_ROCKETMQ}

BASELINES: dict[Subject, Path] = {
    subject: BUILT_INS[subject.name].folder / "baseline.json" for subject in ABOUT_ROCKETMQ
}
"""Their committed baselines."""
