"""Pages take a case's verdicts from the committed baselines, also where one release speaks for another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from systems.turned_baselines import turn, with_findings

from offsetproof.lang import Subject
from offsetproof.lang.cases import Expectation
from studies import verdicts
from studies.claims import expected_in
from studies.subjects import ABOUT_ROCKETMQ
from studies.verdicts import (
    NOT_ASKED,
    NOT_MODELLED,
    RELEASES,
    AskedCase,
    NoFindingError,
    case_named,
    findings_of,
    in_words,
    releases_with,
    verdict_of,
)

OLDEST, RELEASE_4_9_8, CLIENT_RESET, RELEASE_5_3_3, NEWEST = RELEASES


@pytest.mark.parametrize("subject", ABOUT_ROCKETMQ, ids=lambda subject: subject.name)
def test_verdict_of_every_case_is_the_expected_one(subject: Subject) -> None:
    for prop in subject.properties:
        for release in subject.model.releases:
            for scope in prop.scopes:
                expected = expected_in(release, prop, subject, scope)
                said = verdict_of(AskedCase(subject, prop, scope), release)
                assert said == (NOT_ASKED if expected is None else str(expected))


def test_earlier_release_speaks_for_one_with_the_same_system() -> None:
    case = case_named("rocketmq I5 calm-reset")
    (older,), (same,), (other,) = (findings_of(case, each) for each in (OLDEST, RELEASE_4_9_8, NEWEST))
    assert (older.asked.release, same.asked.release, other.asked.release) == ("4.9.4", "4.9.4", "5.3.3")
    (own,) = findings_of(case_named("rocketmq I5-recreated"), NEWEST)
    assert own.asked.release == "5.5.0"


def test_verdict_is_that_of_the_baseline_and_not_of_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_named("several-queues I21")
    assert verdict_of(case, OLDEST) == "REFUTED"
    turn(monkeypatch, case)
    assert verdict_of(case, OLDEST) == "HOLDS"
    with pytest.raises(NoFindingError, match="several-queues I21 in half-way of"):
        verdict_of(case, RELEASE_4_9_8)


def test_case_without_a_finding_and_with_two_verdicts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [*verdicts.baseline_of("rocketmq").findings.values()]
    with_findings(monkeypatch, "rocketmq", [each for each in findings if each.asked.claim != "I7"])
    with pytest.raises(NoFindingError, match="rocketmq I7 in reset of"):
        verdict_of(case_named("rocketmq I7"), OLDEST)
    holds = [replace(each, verdict=Expectation.HOLDS) if each.asked.scope == "reset" else each for each in findings]
    with_findings(monkeypatch, "rocketmq", holds)
    with pytest.raises(NoFindingError, match="name a scope"):
        verdict_of(case_named("rocketmq I5"), OLDEST)


def test_release_that_a_subject_lacks_is_no_verdict() -> None:
    names = {release.name for release in case_named("offset-files I12").subject.model.releases}
    for release in RELEASES:
        assert (verdict_of(case_named("offset-files I12"), release) == NOT_MODELLED) is (release.name not in names)
    assert releases_with(case_named("rocketmq I7"), NOT_ASKED) == [RELEASE_5_3_3, NEWEST]
    with pytest.raises(NoFindingError, match="not asked in that scope"):
        case_named("rocketmq I7 calm-reset")


def test_releases_in_a_row_are_told_by_the_first_and_the_last() -> None:
    assert in_words([OLDEST, RELEASE_4_9_8]) == "4.9.4, 4.9.8"
    assert in_words(RELEASES[:3]) == "4.9.4 to 5.3.3-client-reset"
    assert in_words([OLDEST, RELEASE_5_3_3, NEWEST]) == "4.9.4, 5.3.3, 5.5.0"
