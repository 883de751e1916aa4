"""Baselines other than the committed ones, for tests of pages that are made of these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from offsetproof.guard.baseline import Baseline, Finding
from studies import verdicts
from studies.verdicts import AskedCase


def with_findings(monkeypatch: pytest.MonkeyPatch, subject: str, findings: Iterable[Finding]) -> None:
    """Puts a baseline with these findings in the place of a subject's own."""
    known = verdicts.baseline_of
    changed = Baseline(subject, {finding.key: finding for finding in findings})
    monkeypatch.setattr(verdicts, "baseline_of", lambda name: changed if name == subject else known(name))


def turn(monkeypatch: pytest.MonkeyPatch, case: AskedCase) -> None:
    """Turns a case's verdict round in all its findings."""
    with_findings(
        monkeypatch,
        case.subject.name,
        [
            replace(each, verdict=each.verdict.other) if each.asked.claim == case.prop.id else each
            for each in verdicts.baseline_of(case.subject.name).findings.values()
        ],
    )
