"""docs/questions.md says what the baselines found; where a verdict moves, its words change or are refused."""

from __future__ import annotations

import pytest
from systems.turned_baselines import turn

from offsetproof.lang import Property
from offsetproof.traces.recorded_stories import recorded_stories
from studies.questions import Question, Statement, UnsupportedError, questions, steps_of
from studies.verdicts import (
    NOT_ASKED,
    NOT_MODELLED,
    RELEASES,
    AskedCase,
    NoFindingError,
    case_named,
    findings_of,
    verdict_of,
)

STATEMENTS = [each for question in questions() for each in (*question.answers, *question.advice)]
RESTS_ON = [(statement, case) for statement in STATEMENTS for case, verdict in statement.where if verdict != NOT_ASKED]


def test_operators_are_answered() -> None:
    asked = (
        "slow listener", "setAckIndex(i)", "new group start", "new queue of an old group", "changes its owner",
        "kill of a client, of a broker, of a host", "skip the backlog", "reset to a time", "all or nothing",
        "reset safe",
    )  # fmt: skip
    titles = "\n".join(question.title for question in questions())
    assert [words for words in asked if words not in titles] == []


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.words[:40])
def test_sentence_is_told_of_releases_with_its_verdicts_alone(statement: Statement) -> None:
    releases = [release for release in RELEASES if statement.is_true_of(release)]
    assert releases
    for release in RELEASES:
        verdicts = [verdict_of(case, release) for case, _ in statement.where]
        causes = [
            [{*finding.cause} for finding in findings_of(case, release)]
            for case, verdict in statement.where
            if verdict == "REFUTED"
        ]
        shown = all(any(all({*by.split("|")} & each for by in statement.by) for each in those) for those in causes)
        assert (release in releases) is (shown and verdicts == [verdict for _, verdict in statement.where])


@pytest.mark.parametrize(("statement", "case"), RESTS_ON, ids=lambda each: getattr(each, "name", None))
def test_sentence_does_not_outlive_a_verdict_that_it_rests_on(
    statement: Statement, case: AskedCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = statement.line()
    turn(monkeypatch, case)
    try:
        after = statement.line()
    except (UnsupportedError, NoFindingError):
        return
    assert after != before


@pytest.mark.parametrize("question", questions(), ids=lambda question: question.title)
def test_every_release_that_all_models_of_a_question_have_is_answered(question: Question) -> None:
    for release in RELEASES:
        modelled = NOT_MODELLED not in [verdict_of(case, release) for case in question.cases]
        assert not modelled or any(statement.is_true_of(release) for statement in question.answers)
        lacking = any(release in releases for _, releases in question.unanswered)
        assert lacking is not modelled


@pytest.mark.parametrize("question", questions(), ids=lambda question: question.title)
def test_stories_are_of_the_claims_that_a_question_rests_on(question: Question) -> None:
    props: list[Property] = [case.prop for case in question.cases]
    for name in question.stories:
        story = recorded_stories()[name]
        assert story.property.name in {prop.name for prop in props}
        assert any(line.startswith(f"{story.length:>3} ") for line in steps_of(name))


def test_sentence_without_a_verdict_and_one_that_is_true_of_no_release_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="no verdict stands beside"):
        Statement("All is well.", ())
    never = Statement("Both.", tuple((case_named("rocketmq I13"), verdict) for verdict in ("HOLDS", "REFUTED")))
    with pytest.raises(UnsupportedError, match=r"no release of which this is true: Both\."):
        never.line()


def test_verdict_with_another_cause_supports_no_sentence() -> None:
    where = ((case_named("rocketmq I5-broker-kill"), "REFUTED"),)
    releases = {
        action: [
            release.name for release in RELEASES if Statement("It comes undone.", where, (action,)).is_true_of(release)
        ]
        for action in ("administrator_resets", "broker_is_killed|power_fails", "power_fails")
    }
    assert releases["administrator_resets"] == [release.name for release in RELEASES]
    assert releases["broker_is_killed|power_fails"] == ["4.9.4", "4.9.8", "5.3.3-client-reset"]
    assert releases["power_fails"] == []


def test_answers_are_those_that_were_worked_out_by_hand() -> None:
    lines = {statement.words.partition(".")[0]: statement.line() for statement in STATEMENTS}
    assert lines["Success means that the reset was written at the broker, and not that it stays"].startswith(
        "- **5.3.3, 5.5.0**: "
    )
    assert lines["No"].startswith("- **4.9.4 to 5.3.3-client-reset**: No. A listener")
    assert lines["-1 acknowledges none: the whole batch is sent back, and nothing is lost"].endswith(
        "(I4-ack-none HOLDS)"
    )
