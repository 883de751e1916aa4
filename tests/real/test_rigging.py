"""What each subject's actions are to the rig: nothing is forgotten, and nothing is left out without a reason."""

from __future__ import annotations

import pytest

from offsetproof.checking.catalogue import SINGLES
from offsetproof.conformance.on_release import rigged_subjects
from offsetproof.lang import Subject
from offsetproof.lang.changes import with_all_changes
from offsetproof.lang.rigging import Rigging
from offsetproof.lang.step import rigging_of

RIGGED = [SINGLES[name].subjects[0] for name in rigged_subjects()]
pytestmark = pytest.mark.parametrize("subject", RIGGED, ids=lambda subject: subject.name)


def whole_rigging(subject: Subject) -> Rigging:
    """That of the model with all of its changes."""
    assert subject.rigging is not None
    return rigging_of(subject.rigging, with_all_changes(subject.model).actions)


def test_every_action_is_a_step_or_left_out_with_a_reason(subject: Subject) -> None:
    rigging = whole_rigging(subject)
    assert set(rigging.steps) | set(rigging.left_out) == with_all_changes(subject.model).actions.keys()
    assert not set(rigging.steps) & set(rigging.left_out)
    assert [name for name, why in rigging.left_out.items() if not why.strip()] == []


def test_every_place_at_which_a_thread_stops_has_a_line(subject: Subject) -> None:
    offered = {release.jars for release in subject.model.releases}
    lines = [table for table in subject.model.anchor_lines if table.release in offered]
    known = {anchor for table in lines for anchor, line in table.line_of.items() if line is not None}
    assert {str(anchor) for anchor in whole_rigging(subject).anchors - known} == set()
