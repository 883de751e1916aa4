"""docs/questions.md says what the baselines found; where a verdict moves, its words change or are refused."""

from __future__ import annotations

import pytest
from systems.turned_baselines import turn

from offsetproof.lang import Property, Release
from offsetproof.traces.recorded_stories import recorded_stories
from studies.questions import Question, Statement, UnsupportedError, questions
from studies.questions_page import (
    CHANGES,
    NOW,
    answers,
    by_release,
    names_of,
    other_steps,
    remedies_by_release,
    same_steps,
    steps_of,
)
from studies.verdicts import (
    NOT_ASKED,
    NOT_MODELLED,
    RELEASES,
    AskedCase,
    NoFindingError,
    case_named,
    findings_of,
    has_itself,
    verdict_of,
)

STATEMENTS = [each for question in questions() for each in (*question.answers, *question.advice)]
REMEDIED = [*dict.fromkeys(case for question in questions() for case in question.remedies)]
CITED = [*dict.fromkeys(case for statement in STATEMENTS for case, _ in statement.where)]
RESTS_ON = [(statement, case) for statement in STATEMENTS for case, verdict in statement.where if verdict != NOT_ASKED]


def told_of(case: AskedCase) -> list[tuple[tuple[Release, ...], str]]:
    return [each for changing in (False, True) for each in remedies_by_release(case, changing=changing)]


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
    releases = statement.releases
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
    before = statement.releases
    turn(monkeypatch, case)
    try:
        after = statement.releases
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


@pytest.mark.parametrize("case", CITED, ids=lambda case: case.id)
def test_cited_case_is_told_of_each_release_that_refutes_it(case: AskedCase) -> None:
    """By its own cause there, in one of its scopes."""
    refuted = [each for each in RELEASES if verdict_of(case, each) == "REFUTED" and has_itself(each, case.prop.fixes)]
    told = {
        release
        for statement in STATEMENTS
        for cited, verdict in statement.where
        if (cited.id, verdict) == (case.id, "REFUTED") and {*cited.scopes} & {*case.scopes}
        for release in statement.releases
    }
    assert names_of(release for release in refuted if release not in told) == ""


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
        assert never.releases


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


@pytest.mark.parametrize(("words", "releases", "verdicts"), [
    ("Success means that the reset was written at the broker", "5.3.3, 5.5.0", "(I6 HOLDS, I5 REFUTED)"),
    ("No. A listener that ends after the reset", "4.9.4, 4.9.8, 5.3.3-client-reset",
     "(I7-no-stalled-task HOLDS, I7 REFUTED)"),
    ("It may. Within milliseconds", "5.3.3, 5.5.0", "(I7-at-broker REFUTED)"),
    ("-1 acknowledges none", "All releases", "(I4-ack-none HOLDS)"),
])  # fmt: skip
def test_answers_are_those_that_were_worked_out_by_hand(words: str, releases: str, verdicts: str) -> None:
    (statement,) = [each for each in STATEMENTS if each.words.startswith(words)]
    assert names_of(statement.releases) == releases
    assert statement.line == f"{statement.words} {verdicts}"


@pytest.mark.parametrize("case", REMEDIED, ids=lambda case: case.id)
def test_what_mends_a_refuted_case_is_told_of_each_release_that_refutes_it(case: AskedCase) -> None:
    told = {release for releases, _ in told_of(case) for release in releases}
    refuted = [each for each in RELEASES if verdict_of(case, each) == "REFUTED" and has_itself(each, case.prop.fixes)]
    assert sorted(told, key=RELEASES.index) == refuted
    now, changes = ([line for _, line in remedies_by_release(case, changing=changing)] for changing in (False, True))
    assert [line for line in now if " fix `" in line or "no change is known" in line] == []
    assert [line for line in changes if " fix `" not in line and "no change is known" not in line] == []


@pytest.mark.parametrize(("case", "told"), [
    ("rocketmq I28", {
        "4.9.4, 4.9.8, 5.3.3-client-reset": "I28 holds with fix `poll-checks-dropped`.",
        "5.3.3, 5.5.0": "I28: no change is known.",
    }),
    ("rocketmq I5-forward-by-time", {
        "4.9.4, 4.9.8": "I5-forward-by-time holds with fix `end-when-later`.",
        "5.3.3, 5.5.0": "I5-forward-by-time holds with fix `monotone-commits`; or fix `resets-numbered`.",
    }),
    ("rocketmq I6-time", {
        "4.9.4, 4.9.8": "I6-time holds with fix `first-of-equal-times` and `poll-checks-dropped`.",
        "5.3.3-client-reset": "I6-time holds with fix `first-of-equal-times` and `poll-checks-dropped`; or fix "
        "`update-checks-dropped`.",
        "5.3.3, 5.5.0": "I6-time holds with fix `update-checks-dropped`; or fix `resets-numbered`.",
    }),
    ("rocketmq I8", {
        "All releases": "I8: no change is known.",
    }),
    ("offset-files I12-power broker-power", {
        "4.9.4, 4.9.8, 5.3.3": "offset-files I12-power holds with fix `contents-forced` (scope broker-power).",
    }),
    ("offset-files I12-empty-in-place broker-kills", {
        "5.3.3": "offset-files I12-empty-in-place holds with fix `keeps-whole-backup` (scope broker-kills).",
    }),
    ("rocketmq I21", {"All releases": "I21 holds given `every-broker-answers`."}),
    ("rocketmq I7-at-broker", {"5.3.3, 5.5.0": "I7-at-broker holds with fix `update-checks-dropped`."}),
])  # fmt: skip
def test_remedies_by_release_are_those_that_were_worked_out_by_hand(case: str, told: dict[str, str]) -> None:
    assert {names_of(releases): line for releases, line in told_of(case_named(case))} == told


def test_remedy_without_a_change_of_rocketmq_is_told_apart() -> None:
    now, changes = ([*remedies_by_release(case_named("rocketmq I5"), changing=each)][-1] for each in (False, True))
    assert now[0] == changes[0] == RELEASES[3:]
    assert now[1].startswith("I5 holds given `reset-while-down`, `group-stays-down`")
    assert changes[1].startswith("I5 holds with fix `resets-numbered` (case I5-numbered, scopes calm-reset, ")


def test_remedy_is_told_no_longer_where_the_case_that_states_it_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studies.remedies.remedies_in", lambda *_: ())
    assert [line for _, line in told_of(case_named("rocketmq I28"))] == ["I28: no change is known."]


def test_lines_are_told_once_for_the_releases_that_share_them_and_first_for_all() -> None:
    old, new = RELEASES[:2], RELEASES[3:]
    lines = [*by_release([(new, "a"), (old, "b"), (RELEASES, "c"), (new, "d")])]
    assert lines == [
        *("**All releases**", "", "- c", ""),
        *("**4.9.4, 4.9.8**", "", "- b", ""),
        *("**5.3.3, 5.5.0**", "", "- a", "- d"),
    ]


@pytest.mark.parametrize(("story", "same", "other"), [
    ("I7-stalled-task", "4.9.8, 5.3.3-client-reset", ""),
    ("I7-at-broker-new-cell", "5.5.0", ""),
    ("I4-ack-at-failure", "4.9.8", "5.3.3-client-reset, 5.3.3, 5.5.0"),
    ("I12-power-empty-file", "4.9.8", "5.3.3"),
    ("I12-empty-in-place-empty-backup", "", ""),
])  # fmt: skip
def test_story_says_in_which_releases_its_steps_refute_the_case_too(story: str, same: str, other: str) -> None:
    assert (names_of(same_steps(story)), names_of(other_steps(story))) == (same, other)


def test_each_release_is_named_in_each_answer_and_in_what_to_do_now() -> None:
    for section in answers().split("\n## "):
        for half in section.partition(CHANGES)[0].split(NOW):
            named = {
                name for line in half.splitlines() if line.startswith("**") for name in line.strip("*").split(", ")
            }
            assert "All releases" in named or {"4.9.4", "4.9.8", "5.3.3", "5.5.0"} <= named, section.partition("\n")[0]
