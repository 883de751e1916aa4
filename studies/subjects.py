"""The built-in subjects about RocketMQ, as the catalogue has them: what pages and their data are made of."""

from __future__ import annotations

from offsetproof.checking.catalogue import DEFAULT, SINGLES
from offsetproof.lang import Subject

ABOUT_ROCKETMQ: tuple[Subject, ...] = tuple(entry.subjects[0] for entry in SINGLES.values())
"""All of them, in the catalogue's order."""

SMALLER: tuple[Subject, ...] = tuple(subject for subject in ABOUT_ROCKETMQ if subject.name != DEFAULT)
"""All but the one that is meant when none is named, whose claims have pages of their own."""
