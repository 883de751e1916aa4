"""What is known of a symptom is what its case, its story and its remedies say, in each release."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from offsetproof.checking.causes import RELEASES, trace_happens_in
from offsetproof.lang.scope import UnknownNameError
from offsetproof.reports.symptom import no_procedure, releases_in_words, symptom_text, where_seen
from offsetproof.symptoms.answering import NOT_COUNTED, Answer, answer, look_up
from offsetproof.symptoms.declared import Symptom, cases_named, symptoms
from offsetproof.traces.recorded_stories import recorded_stories

BY_ID = {symptom.id: symptom for symptom in symptoms()}
CLIENTS, AT_BROKER = RELEASES[:3], RELEASES[3:]


def answer_to(id: str, release: str = "") -> Answer:
    found = answer(BY_ID[id], BY_ID[id].cases[0], release)
    assert found is not None
    return found


@pytest.mark.parametrize("symptom", symptoms(), ids=lambda each: each.id)
def test_all_that_an_answer_has_is_of_its_case_and_story(symptom: Symptom) -> None:
    one = answer_to(symptom.id)
    assert one.case in symptom.cases
    assert one.cause != ""
    assert {*one.seen_in} & {*one.unseen_in} == set()
    assert one.seen_in or one.because, "what nobody can see is told for its reason alone"
    if one.story:
        trace = recorded_stories()[one.story]
        assert trace.property.id == one.case.prop.id
        told, effect = one.effect.removesuffix(f"; {NOT_COUNTED}"), str(trace.effect)
        assert told == effect or effect.startswith(told.partition(":")[0] + " (")
        assert (told != one.effect) == ("0 repeated" in told), "nothing comes again by itself: it may by a restart"
        assert all(trace_happens_in(trace, release) for release in one.same_steps)
        assert {*one.same_steps} <= {*one.seen_in} | {str(trace.world.release)}


def test_reset_that_is_undone_has_a_procedure_in_each_release() -> None:
    one = answer_to("reset-undone")
    assert (one.story, one.same_steps, one.seen_in) == ("I5-late-poll", CLIENTS, RELEASES)
    by_release = {
        release: [each.rests_on for each in one.now if each.is_procedure and release in each.releases]
        for release in RELEASES
    }
    for release in CLIENTS:
        assert by_release[release][0].startswith("I5-offline-quiet HOLDS in offline-reset, with poll-checks-dropped")
    for release in AT_BROKER:
        assert "holds in case I5-while-down, scope offline-reset" in by_release[release]
    assert answer_to("reset-undone", "5.3.3").story == "I5-commit-with-marker"


def test_remedy_that_no_case_states_is_told_as_not_checked() -> None:
    one = answer_to("orderly-not-consumed", "5.3.3")
    assert (one.case.prop.id, one.now) == ("I8-listed", ())
    assert no_procedure(one) == (
        "no procedure is known; not checked: the effect is transient: the rebalance after the two minutes replaces the "
        "ProcessQueue"
    )
    assert no_procedure(answer_to("broadcast-stuck")) == "no procedure is known"


def test_commonest_symptoms_have_a_procedure_or_the_reason_that_none_is_known() -> None:
    """Common is what two of the reports are about, or more."""
    reports = tomllib.loads(Path(__file__).with_name("reported.toml").read_text(encoding="utf-8"))["report"]
    told = Counter(row["expected"][0] for row in reports if row["expected"][0] in BY_ID)
    common = [answer_to(id) for id, times in told.items() if times > 1]
    assert len(common) >= 10
    silent = [
        each.symptom.id
        for each in common
        if not any(advice.is_procedure for advice in each.now) and not (each.none or each.unchecked or each.because)
    ]
    assert silent == []
    assert no_procedure(answer_to("new-group-gets-history")).startswith("no procedure is known: the broker answers 0")


@pytest.mark.parametrize(
    ("id", "said", "rests_on"),
    [
        ("queue-not-consumed", "suspend no consumer", "I38 HOLDS in lost-pull-request"),
        ("offset-falls", "go on running", "I3-heals HOLDS in come-back"),
        ("two-consumers", "one change of members after the other", "I8-heals HOLDS in take-over, allocated"),
        ("set-back-by-broker", "not by kill -9", "replicas I19-restart HOLDS in stop, slave-reads"),
    ],
)
def test_common_symptom_has_a_procedure_that_was_checked_in_each_release(id: str, said: str, rests_on: str) -> None:
    for release in RELEASES:
        first = answer_to(id, release).now[0]
        assert first.is_procedure
        assert said in first.words
        assert first.rests_on.startswith(rests_on)


@pytest.mark.parametrize("release", RELEASES)
def test_what_makes_nothing_sure_is_told_behind_what_was_checked(release: str) -> None:
    """A second reset comes undone like the first, so that none of the model's cases holds of it."""
    *checked, last = [each for each in answer_to("reset-undone", release).now if each.is_procedure]
    assert last.rests_on == "I5 REFUTED in calm-reset"
    assert "makes nothing sure" in last.words
    assert all("HOLDS" in each.rests_on or each.rests_on.startswith("holds in") for each in checked)
    assert checked


def test_reason_that_no_procedure_is_known_is_told_where_none_is() -> None:
    for symptom in (each for each in symptoms() if each.none):
        answers = [answer(symptom, symptom.cases[0], release) for release in RELEASES]
        silent = [each for each in answers if each and not any(one.is_procedure for one in each.now)]
        assert silent != [], symptom.id
        assert all(no_procedure(each).startswith(f"no procedure is known: {symptom.none}") for each in silent)


def test_release_in_which_other_steps_do_it_is_told_no_mechanism() -> None:
    one = answer_to("skipped-after-error", "5.3.3")
    assert (one.cause, one.same_steps) == ("", ("4.9.4", "4.9.8"))
    assert "5.3.3" in one.seen_in
    assert one.now == (), "a newer client is a remedy of 4.9.x alone"


def test_what_a_release_does_not_have_is_no_answer() -> None:
    one_queue = BY_ID["reset-of-one-queue"]
    assert answer(one_queue, one_queue.cases[0], "5.3.3") is None
    assert answer_to("reset-of-one-queue").unseen_in == AT_BROKER


def test_release_that_another_case_speaks_of_is_not_said_to_be_without() -> None:
    stuck = answer_to("broadcast-stuck")
    assert (stuck.seen_in, stuck.otherwise_in, stuck.unseen_in) == (RELEASES[:1], RELEASES[1:], ())
    assert answer_to("broadcast-stuck", "5.3.3").case.prop.id == "I24-broadcast-merged-stalled"


@pytest.mark.parametrize(
    ("id", "case", "seen_in"),
    [
        ("set-back-by-broker", "replicas I19-restart-acting", RELEASES[2:]),
        ("set-back-by-fail-over", "replicas I5-fail-over-marker", AT_BROKER),
        ("offset-stands", "rocketmq I34", RELEASES[2:]),
        ("slow-message", "rocketmq I16-swept", RELEASES),
        ("reset-of-one-queue", "several-queues I3-one-queue-5x", CLIENTS),
        ("broadcast-orderly", "broadcasting I8-broadcast-orderly", RELEASES[:2]),
    ],
    ids=["5.0.0", "5.2.0", "5.2.0 again", "patch", "tool", "story without it"],
)
def test_case_with_what_a_release_brought_is_not_seen_before(id: str, case: str, seen_in: tuple[str, ...]) -> None:
    found = answer(BY_ID[id], cases_named(case)[0])
    assert found is not None
    assert found.seen_in == seen_in


def test_defect_among_what_is_meant_is_not_said_to_be_meant() -> None:
    stands = BY_ID["offset-stands"]
    (frozen,) = (each for each in stands.cases if each.name == "several-queues I34")
    found = answer(stands, frozen)
    assert found is not None
    assert found.because == ()
    assert "frozen cell" in found.cause
    assert answer(stands, frozen, "4.9.4") is None, "the hang of 4.9.4 is something else"


def test_case_of_another_model_says_itself_what_is_seen() -> None:
    found = answer_to("reset-without-effect", "5.3.3")
    assert found.case.subject.name == "broadcasting"
    assert "broadcast" in found.says
    assert answer_to("reset-without-effect", "4.9.4").says == BY_ID["reset-without-effect"].says


def test_what_is_so_by_design_says_why_and_by_which_verdicts() -> None:
    one = answer_to("lost-reply")
    assert (one.seen_in, one.effect) == ((), "none: the case holds")
    assert [each.rests_on for each in one.because] == ["I22 HOLDS in come-back; I4 HOLDS in loss"]
    assert [each.releases for each in one.because] == [RELEASES]


@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("offset-stands", "lowest message that is cached and not finished"),
        ("repeated-after-kill", "every five seconds"),
        ("auto-commit", "only COMMIT moves the offset"),
        ("queue-without-owner", "a member that does not subscribe"),
        ("ack-index", "the messages 0 to ackIndex are acknowledged"),
    ],
)
def test_behaviour_that_is_meant_has_a_reason_in_all_releases(id: str, said: str) -> None:
    (reason,) = answer_to(id).because
    assert said in reason.words
    assert reason.releases == RELEASES


def test_parts_of_one_remedy_are_told_together_and_two_remedies_apart() -> None:
    both = [each.words for each in answer_to("reset-undone", "5.3.3").now]
    assert [words for words in both if "; let no consumer start before the tool has ended" in words] != []
    stands = [each.words for each in answer_to("offset-stands").now]
    assert len(stands) == 2
    assert stands[0] == "restart a consumer whose committed offset stands still"


def test_few_are_told_and_the_rest_counted() -> None:
    few, every = look_up("messages are repeated"), look_up("messages are repeated", limit=None)
    assert (len(few.answers), few.more) == (5, len(every.answers) - 5)
    assert every.answers[:5] == few.answers


def test_release_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        look_up("reset", "4.9.9")


def test_releases_in_words() -> None:
    assert releases_in_words(("4.9.4", "5.3.3")) == "4.9.4, 5.3.3"


def test_what_a_case_assumes_is_to_be_done_as_well() -> None:
    (advice,) = answer_to("group-made-again").now
    assert advice.words == "stop all consumers of the group, and delete it 21 s later; name `-r true`"


@pytest.mark.parametrize("id", ["repeated-after-restart", "skipped-in-added-queue", "offset-file-lost"])
def test_where_no_case_holds_no_procedure_is_known(id: str) -> None:
    assert [each for each in answer_to(id).now if each.is_procedure] == []


@pytest.mark.parametrize("release", RELEASES)
def test_procedure_rests_on_a_case_of_the_same_kind_of_group(release: str) -> None:
    answers = [answer(symptom, case, release) for symptom in symptoms() for case in symptom.cases]
    for told in filter(None, answers):
        procedures = {advice.words for advice in told.now if advice.is_procedure}
        for statement in told.symptom.now:
            kinds = {verdict.case.kind_of_group for verdict in statement.where}
            assert statement.words not in procedures or told.case.kind_of_group in kinds, told.case.name


def test_broadcasting_group_is_not_told_what_was_checked_of_one_that_shares_its_queues() -> None:
    symptom = next(each for each in symptoms() if each.id == "reset-without-effect")
    case = next(each for each in symptom.cases if each.prop.id == "I6-broadcast-each")
    told = answer(symptom, case, "5.3.3")
    assert told is not None
    assert [advice for advice in told.now if advice.is_procedure] == []
    assert "each client is told" in no_procedure(told)


def test_release_that_the_text_names_is_the_one_that_is_told_of() -> None:
    named, asked = look_up("a reset did not stick in v5.3.3"), look_up("a reset did not stick", "5.3.3")
    assert (named.release, named.is_release_of_text, asked.is_release_of_text) == ("5.3.3", True, False)
    assert named.answers == asked.answers
    assert symptom_text(named, 80).startswith("told of 5.3.3, which the text names; of all releases: `--release all`\n")
    assert not symptom_text(asked, 80).startswith("told of")


@pytest.mark.parametrize(
    ("text", "release", "first_line"),
    [
        ("after 4.9.4 became 5.3.3 a reset did not stick", "", "1. "),
        ("a reset did not stick in 5.3.3", "all", "1. "),
        ("a reset did not stick in 5.1.4", "", "5.1.4: not modelled, so told of all releases that are: 4.9.4, "),
        ("a reset did not stick at 10.0.0.1:10911", "", "1. "),
    ],
)
def test_answers_are_of_all_releases_where_no_single_modelled_one_is_meant(
    text: str, release: str, first_line: str
) -> None:
    found = look_up(text, release)
    assert found.answers[:2] == look_up("a reset did not stick", "all").answers[:2]
    assert symptom_text(found, 80).startswith(first_line)
    assert (found.release, found.is_release_of_text) == ("", False)


@pytest.mark.parametrize(
    "text",
    [
        "重置消费位点后没有生效 仍然从旧位置消费",
        "the reset did not stick",
        "重置没有生效",
        "offset reset has no effect",
    ],
)
def test_group_of_another_kind_than_the_text_s_is_told_behind(text: str) -> None:
    ids = [each.symptom.id for each in look_up(text, "5.3.3").answers]
    assert ids[0] == "reset-undone"
    ids = [each.symptom.id for each in look_up("broadcasting group: the reset did not stick", "5.3.3").answers]
    assert ids[0] == "broadcast-reset"


def test_symptom_that_a_release_has_of_broadcasting_alone_is_less_near_to_a_text_of_none() -> None:
    text = "resetOffsetByTime answers success and does nothing"
    answers = look_up(text, "5.3.3", limit=None).answers
    kinds = [each.case.kind_of_group for each in answers]
    assert kinds[0] == "", [each.symptom.id for each in answers]
    assert "broadcasting" in kinds


def test_fail_over_is_told_by_the_slave_s_last_copy_and_a_return_by_the_master_s_file() -> None:
    went = look_up("the broker died, its slave took over, messages are consumed again", "5.3.3").answers[0]
    assert (went.symptom.id, went.story) == ("set-back-by-fail-over", "I19-copy-behind")
    back = look_up("the old master was started again and groups were set back", "5.3.3").answers[0]
    assert (back.symptom.id, back.story) == ("set-back-by-fail-over", "I19-return-own-file")


@pytest.mark.parametrize("release", ["", *RELEASES])
def test_groups_that_are_set_back_are_not_said_to_cost_nothing(release: str) -> None:
    for id in ("set-back-by-broker", "set-back-by-fail-over"):
        assert answer_to(id, release).effect == f"transient, 0 lost, 0 repeated; {NOT_COUNTED}"


def test_steps_that_are_told_are_of_the_releases_that_stand_first() -> None:
    found = {release: where_seen(answer_to("reset-undone", release)) for release in ("", "5.3.3")}
    assert found[""] == "4.9.4 to 5.3.3-client-reset; by other steps in 5.3.3, 5.5.0"
    assert found["5.3.3"] == "5.3.3, 5.5.0; by other steps in 4.9.4 to 5.3.3-client-reset"
    assert where_seen(answer_to("lost-reply")) == "so in all releases"


def test_cost_that_is_not_known_is_told_without_what_the_search_did() -> None:
    assert answer_to("repeated-after-restart").effect == "unknown: not all that can follow was seen"
    assert answer_to("repeated-after-rebalance").effect.startswith("not measured")
