"""A search finds stories that leave given lines, which the model itself follows, and says where it did not look."""

from __future__ import annotations

from dataclasses import replace

import pytest
from audit.made import event, finding, logged, precedes

from offsetproof.audit.event import EventKind
from offsetproof.audit.explain.explaining import ExplanationOutcome, scene_of
from offsetproof.audit.explain.following import Line, TooManyReadingsError, readings
from offsetproof.audit.explain.matching import match_story
from offsetproof.audit.explain.observables import observables_in
from offsetproof.audit.explain.searching import LINES_MAX, Bounds, Searching
from offsetproof.audit.gold.finding import FindingKind
from offsetproof.checking.replaying import replay_trace


@pytest.mark.parametrize(
    ("story", "kind", "release", "lines"),
    [
        ("I5-late-poll", FindingKind.RESET_OVERRIDDEN, "4.9.4", 3),
        ("I5-one-cpu", FindingKind.RESET_OVERRIDDEN, "4.9.4", 9),
        ("I5-commit-with-marker", FindingKind.RESET_OVERRIDDEN, "5.3.3", 3),
        ("I3-overtaken-by-pull", FindingKind.COMMIT_REGRESSION, "5.3.3", 2),
        ("I8-two-owners", FindingKind.TWO_OWNERS, "5.5.0", 3),
    ],
)
def test_what_is_found_leaves_the_lines_and_is_what_the_model_does(
    story: str, kind: FindingKind, release: str, lines: int
) -> None:
    events = logged(story)
    found = finding(kind, events[-lines:])
    scene = scene_of(found, events, precedes)
    searching = Searching()
    explanation = searching(found, scene, release)
    assert explanation is not None
    assert explanation.outcome in (ExplanationOutcome.EXPLAINED, ExplanationOutcome.CONSISTENT), explanation
    (trace,) = searching.found.values()
    assert trace.world.release == release
    assert replay_trace(trace).agrees
    seen = scene_of(found, events[-lines:], precedes)
    observed = [each for each in observables_in(trace) if each.kind in {line.kind for line in seen.events}]
    assert match_story(observed, seen) is not None


def test_lines_that_no_run_leaves_are_not_explained() -> None:
    suspended = event(EventKind.SUSPENDED, 1, client="10.0.0.1@4711", host="app0", process="app0/log", file="app0/log")
    refused = event(EventKind.COMMIT_REFUSED, 4)  # which needs a reset at the broker, and 4.9.4 has none
    backward = [suspended, event(EventKind.RESET_STARTED, 8), refused]
    found = finding(FindingKind.RESET_OVERRIDDEN, backward)
    explanation = Searching(Bounds(scopes=1))(found, scene_of(found, backward, precedes), "4.9.4")
    assert explanation is not None
    assert explanation.stories == ()


def test_a_limit_that_is_met_is_said() -> None:
    events = logged("I5-late-poll")
    found = finding(FindingKind.RESET_OVERRIDDEN, events[-3:])
    explanation = Searching(Bounds(states=10, scopes=2))(found, scene_of(found, events, precedes), "4.9.4")
    assert explanation is not None
    assert explanation.outcome is ExplanationOutcome.UNKNOWN
    assert "state limit" in explanation.detail
    assert "more scopes were not searched" in explanation.detail


def test_more_lines_than_a_search_takes_are_unknown() -> None:
    events = [event(EventKind.COMMIT_BELOW_STORE, at, offset=at, other_offset=at + 1) for at in range(LINES_MAX + 1)]
    found = finding(FindingKind.COMMIT_REGRESSION, events)
    explanation = Searching()(found, scene_of(found, events, precedes), "4.9.4")
    assert explanation is not None
    assert explanation.outcome is ExplanationOutcome.UNKNOWN
    assert explanation.detail == "21 lines are more than a search takes (20)"
    assert Searching(Bounds(findings=0))(found, scene_of(found, events, precedes), "4.9.4") == explanation


def test_a_finding_that_comes_after_as_many_as_a_run_searches_for_is_unknown() -> None:
    events = logged("I5-late-poll")
    found = finding(FindingKind.RESET_OVERRIDDEN, events[-3:])
    explanation = Searching(Bounds(findings=0))(found, scene_of(found, events, precedes), "4.9.4")
    assert explanation is not None
    assert explanation.outcome is ExplanationOutcome.UNKNOWN
    assert explanation.detail == "it was not searched: a run searches for 0 findings, and others came first"


def test_scope_in_which_lines_can_be_read_in_too_many_ways_is_no_scope_that_was_searched() -> None:
    events = [event(EventKind.COMMIT_BELOW_STORE, at, offset=at, other_offset=at + 1) for at in range(19)]
    found = finding(FindingKind.COMMIT_REGRESSION, events)
    explanation = Searching(Bounds(states=2000))(found, scene_of(found, events, precedes), "4.9.4")
    assert explanation is not None
    assert explanation.outcome is ExplanationOutcome.UNKNOWN
    assert "more than 200 ways to read the offsets" in explanation.detail


def test_findings_with_the_same_lines_are_searched_for_once_and_told_at_their_own_places() -> None:
    searching = Searching()
    told = []
    for offset, at in ((0, 0), (1000, 90)):
        events = [replace(each, offset=each.offset and each.offset + offset, byte_offset=each.byte_offset + at)
                  for each in logged("I5-late-poll")]  # fmt: skip
        found = finding(FindingKind.RESET_OVERRIDDEN, events[-3:])
        explanation = searching(found, scene_of(found, events, precedes), "4.9.4")
        assert explanation is not None
        told.append(explanation.stories[0])
    assert len(searching.found) == 1
    assert told[0].cause == told[1].cause
    assert [(file, place + 90) for _, (file, place) in told[0].lines] == [place for _, place in told[1].lines]


def test_readings_keep_clients_apart_and_falls_strict() -> None:
    sent = EventKind.COMMIT_SENT
    falls = (Line(sent, 0, 1), Line(sent, 1, 0))
    assert readings(falls, consumers=1, offset_max=1) is None
    found = readings(falls, consumers=2, offset_max=1)
    assert found is not None
    assert found.clients == ((0, 1), (1, 0))
    assert found.offsets == ((0, 1),)
    many = tuple(Line(sent, 0, offset) for offset in range(12))
    with pytest.raises(TooManyReadingsError):
        readings(many, consumers=1, offset_max=3)
    rises = readings((Line(sent, 0, 0), Line(sent, 0, 1)), consumers=1, offset_max=1)
    assert rises is not None
    assert rises.offsets == ((0, 0), (0, 1), (1, 1))
