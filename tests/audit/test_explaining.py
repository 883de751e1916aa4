"""Findings are explained by the stories whose lines stand in the logs, in the release of the logs, or by none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from audit.made import CLIENTS, event, finding, logged, nothing_found, precedes

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.explain.causes import candidates, is_own_claim
from offsetproof.audit.explain.explaining import (
    Explainer,
    Explanation,
    ExplanationOutcome,
    clients_of,
    subjects_at_home,
)
from offsetproof.audit.explain.matching import place_of
from offsetproof.audit.explain.member_releases import release_shown
from offsetproof.audit.explain.observables import SHOWN, observables_of
from offsetproof.audit.gold.finding import FindingKind
from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.causes import RELEASES, cause_of_story
from offsetproof.lang.changes import with_all_changes
from offsetproof.traces.recorded_stories import recorded_stories


def explained(kind: FindingKind, events: list[Event], release: str | None = None) -> Explanation:
    return Explainer(lambda _: events, precedes, release, nothing_found).explain(finding(kind, events[-2:]))


def names(explanation: Explanation) -> list[str]:
    return [story.cause.story for story in explanation.stories]


def own_logs() -> Iterator[tuple[FindingKind, str, str]]:
    """Each story that may explain a kind of finding in a release, where its own logs show the subject that is meant."""
    for kind in FindingKind:
        for release in RELEASES:
            for story in candidates(kind, release, frozenset(SINGLES)):
                events = logged(story)
                if events and recorded_stories()[story].subject in subjects_at_home(finding(kind, events), events):
                    yield kind, release, story


@pytest.mark.parametrize("kind", FindingKind)
def test_a_story_is_among_what_explains_its_own_logs(kind: FindingKind) -> None:
    for each, release, story in own_logs():
        if each is kind:
            explanation = explained(kind, logged(story), release)
            assert story in (*names(explanation), *explanation.also), (release, explanation)


def test_most_stories_of_the_finding_s_claim_are_the_best_explanation_of_their_own_logs() -> None:
    cases = [each for each in own_logs() if is_own_claim(each[0], recorded_stories()[each[2]].property.id)]
    best = sum(story in names(explained(kind, logged(story), release)) for kind, release, story in cases)
    assert len(cases) > 200
    assert best / len(cases) > 0.92  # those of several queues stand behind those of one


def test_a_late_poll_is_told_from_the_other_causes_of_a_reset_that_comes_undone() -> None:
    explanation = explained(FindingKind.RESET_OVERRIDDEN, logged("I5-late-poll"), "4.9.4")
    assert explanation.outcome is ExplanationOutcome.EXPLAINED
    assert names(explanation) == ["I5-late-poll"]
    assert "4.9.4" in explanation.stories[0].cause.refuted_in
    assert explanation.stories[0].cause.changes[0].startswith("poll-checks-dropped: ")


def test_causes_that_leave_the_same_lines_are_all_named_and_what_needs_no_stall_is_first() -> None:
    explanation = explained(FindingKind.LOCK_LOST, logged("I9-lease-listener-outlives-lock"), "4.9.4")
    assert explanation.outcome is ExplanationOutcome.CONSISTENT
    assert len(explanation.stories) > 1
    needs = [(story.cause.faults, story.cause.stall) for story in explanation.stories]
    assert needs == sorted(needs)


def test_lines_that_no_story_leaves_are_a_finding_about_the_model() -> None:
    events = [event(EventKind.RESUMED, 1), event(EventKind.COMMIT_BELOW_STORE, 2, offset=7, other_offset=9)]
    explanation = explained(FindingKind.RESET_OVERRIDDEN, events, "4.9.4")
    assert explanation.outcome is ExplanationOutcome.NOT_EXPLAINED
    assert explanation.stories == ()


def test_what_shows_a_part_of_the_lines_explains_nothing_and_is_named() -> None:
    events = logged("I3-overtaken-by-pull")
    assert explained(FindingKind.COMMIT_REGRESSION, events, "4.9.4").stories
    illegal = replace(events[-2], kind=EventKind.PULL_ILLEGAL, byte_offset=events[-2].byte_offset + 1)
    explanation = explained(FindingKind.COMMIT_REGRESSION, [*events[:-1], illegal, events[-1]], "4.9.4")
    assert explanation.outcome is ExplanationOutcome.NOT_EXPLAINED
    assert "I3-overtaken-by-pull shows a part of them, and not pull-illegal" in explanation.detail


def test_the_only_modelled_cause_of_a_claim_is_told_from_no_other() -> None:
    explanation = explained(FindingKind.COMMIT_REGRESSION, logged("I3-overtaken-by-pull"), "4.9.4")
    assert (explanation.outcome, names(explanation)) == (ExplanationOutcome.CONSISTENT, ["I3-overtaken-by-pull"])


def test_lines_that_every_log_of_a_consumer_has_tell_no_cause() -> None:
    explanation = explained(FindingKind.TWO_OWNERS, logged("I8-orderly-lease-expired"), "4.9.4")
    assert explanation.outcome is ExplanationOutcome.CONSISTENT
    assert "I8-orderly-lease-expired" in names(explanation)


def test_stories_of_other_subjects_are_not_asked() -> None:
    assert subjects_at_home(finding(FindingKind.LOCK_LOST, [event(EventKind.LOCKED)]), []) == {"orderly"}
    made = finding(FindingKind.COMMIT_REGRESSION, [event(EventKind.COMMIT_BELOW_STORE)])
    assert subjects_at_home(made, []) == {"rocketmq", "several-queues"}
    assert subjects_at_home(made, [event(EventKind.PULL_BEYOND_END)]) == {"rocketmq", "several-queues", "replicas"}
    assert subjects_at_home(made, [event(EventKind.LOCKED)]) == {"orderly"}


def test_a_finding_that_breaks_no_claim_is_not_looked_for() -> None:
    explanation = explained(FindingKind.COMMIT_REFUSED_AFTER_RESET, [event(EventKind.COMMIT_REFUSED)], "5.3.3")
    assert explanation.outcome is ExplanationOutcome.NO_CLAIM
    assert "by design" in explanation.detail


def test_the_lines_show_their_release() -> None:
    marked = [event(EventKind.RESET_MARKED), event(EventKind.MARKER_TAKEN, 1)]
    assert release_shown(marked) == "5.3.3"
    assert release_shown([event(EventKind.START)]) == "4.9.4"
    assert release_shown([event(EventKind.SUSPENDED, process="4711")]) == "5.3.3-client-reset"
    assert release_shown([event(EventKind.COMMIT_SENT, process="/var/log/rocketmq_client.log")]) is None
    orderly = event(EventKind.START, detail="orderly", process="4711")
    assert release_shown([orderly]) == "5.3.3", "orderly clients of 5.x say where they start as well"
    assert release_shown([replace(orderly, process="/var/log/app.log")]) is None


def test_the_version_that_brokers_have_of_the_clients_shows_the_release() -> None:
    commit, marked = event(EventKind.COMMIT_SENT, process="4711"), event(EventKind.RESET_MARKED)
    shown = {each: release_shown([commit], frozenset({each})) for each in ("395", "401", "409", "413", "479", "513")}
    assert [*shown.values()] == ["4.9.4", "4.9.4", "4.9.8", "5.3.3", "5.3.3", "5.5.0"]
    assert release_shown([commit, marked], frozenset({"513"})) == "5.5.0"
    assert release_shown([commit, event(EventKind.SUSPENDED)], frozenset({"513"})) == "5.3.3-client-reset"
    assert release_shown([marked], frozenset({"401"})) == "5.3.3", "a broker of 5.x, with clients of 4.x"
    assert release_shown([commit], frozenset({"401", "513"})) == "5.3.3", "two releases are in one group"


def test_what_was_not_searched_for_is_unknown() -> None:
    events = [event(EventKind.RESUMED, 1), event(EventKind.COMMIT_BELOW_STORE, 2, offset=7, other_offset=9)]
    made = finding(FindingKind.RESET_OVERRIDDEN, events)
    explanation = Explainer(lambda _: events, precedes, "4.9.4").explain(made)
    assert explanation.outcome is ExplanationOutcome.UNKNOWN
    assert explanation.detail.endswith("; no run of the model was searched for")


def test_release_that_the_lines_contradict_explains_nothing() -> None:
    events = [each for each in logged("I5-commit-with-marker") if each.kind is not EventKind.START]
    made = finding(FindingKind.RESET_OVERRIDDEN, events)
    explanation = Explainer(lambda _: events, precedes, "4.9.4", nothing_found).explain(made)
    assert explanation.outcome is ExplanationOutcome.UNKNOWN
    assert explanation.detail == "the lines are those of 5.3.3, and not of 4.9.4"
    explanation = Explainer(lambda _: events, precedes, "5.5.0", nothing_found).explain(made)
    assert explanation.outcome is not ExplanationOutcome.UNKNOWN


def test_findings_are_explained_in_the_release_that_their_lines_show() -> None:
    explanation = explained(FindingKind.RESET_OVERRIDDEN, logged("I5-commit-with-marker"))
    assert explanation.release == "5.3.3"
    assert "I5-commit-with-marker" in names(explanation)


def test_what_an_operator_can_do_is_the_catalogue_s() -> None:
    cause = cause_of_story("I5-commit-with-marker", "5.3.3")
    assert cause.case == "I5"
    assert any("stop all consumers of the group" in act for act in cause.now)
    assert {"5.3.3", "5.5.0"} <= {*cause.refuted_in}


def test_each_action_with_lines_is_one_of_a_model() -> None:
    actions = {name for entry in SINGLES.values() for name in with_all_changes(entry.subjects[0].model).actions}
    assert {*SHOWN} <= actions


def test_most_recorded_stories_leave_lines() -> None:
    silent = [story for story in recorded_stories() if not observables_of(story)]
    assert len(silent) <= 5, silent


def test_lock_log_of_a_broker_tells_of_the_clients_that_have_logs() -> None:
    own = event(EventKind.COMMIT_SENT, 1, client=CLIENTS[0], host="app0", process="4711")
    lock = event(EventKind.LOCKED, 2, client=CLIENTS[0], host="broker-a", process="lock.log", file="lock.log")
    found = clients_of([own, lock])
    assert found[place_of(lock)] == found[place_of(own)]
