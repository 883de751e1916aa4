"""What a tool of another release than its broker's changes is found again, and is what the tool alone can change."""

from __future__ import annotations

import pytest
from systems.answered import ENGINES

from offsetproof.checking.request import Request, questions_of
from offsetproof.model.releases import ONE_QUEUE_RESET
from offsetproof.properties.queues.catalogue import QUEUES
from studies.mixed_tools import KNOWS_TOOL, PAIRS, recorded, row_of, told_apart
from studies.verdicts import NOT_ASKED

OLD_CLUSTER, NEW_BROKER, CLIENT_RESET = PAIRS


def test_each_pair_names_a_tool_of_another_release_than_its_broker() -> None:
    for subject in KNOWS_TOOL:
        for question in questions_of(Request(subject, releases=PAIRS)):
            assert question.setting.releases["tool"] != question.setting.releases["broker"]
            assert question.setting.release in PAIRS


def test_tool_of_5x_before_old_brokers_repeats_what_it_was_not_asked_for_and_counts_what_did_not_happen() -> None:
    verdicts = {row["claim"]: (row["verdict"], row["own"]) for row in recorded() if row["pair"] == OLD_CLUSTER}
    worse = ("REFUTED", "HOLDS")
    assert {"I5-forward-now": worse, "I3-one-queue-5x": worse, "I20-one-queue-5x": worse}.items() <= verdicts.items()
    assert verdicts["I6-old-command"] == ("HOLDS", "REFUTED")
    assert verdicts["I6-cluster"] == verdicts["I6-concurrently"] == ("REFUTED", NOT_ASKED)


def test_tool_of_4_9_asks_for_no_reset_of_one_queue() -> None:
    rows = {(row["claim"], row["pair"]): row for row in recorded()}
    assert rows["I3-one-queue-5x", CLIENT_RESET]["verdict"] == "HOLDS"
    assert rows["I3-one-queue-5x", CLIENT_RESET]["own"] == "REFUTED"


def test_verdicts_are_found_again_and_differ_only_where_the_tool_is_told_apart() -> None:
    for subject in KNOWS_TOOL:
        for pair in PAIRS:
            known = [row for row in recorded() if (row["subject"], row["pair"]) == (subject.name, pair)]
            assert known
            claims = tuple(dict.fromkeys(row["claim"] for row in known))
            assert [row_of(subject, told, ENGINES) for told in told_apart(subject, pair, ENGINES, claims)] == known


@pytest.mark.slow
def test_no_other_claim_can_tell_the_tools_apart() -> None:
    for subject in KNOWS_TOOL:
        for pair in PAIRS:
            found = {(there.prop.id, there.setting.scope.name) for there, _ in told_apart(subject, pair, ENGINES)}
            assert found == {
                (row["claim"], row["scope"])
                for row in recorded()
                if (row["subject"], row["pair"]) == (subject.name, pair)
            }


@pytest.mark.parametrize(("release", "fixes"), [
    ("4.9.4", ["one-queue-reset"]),
    ("client=4.9.4,broker=4.9.4,tool=4.9.4", []),
    ("client=4.9.4,broker=4.9.4,tool=5.3.3", ["one-queue-reset"]),
    ("client=5.3.3-client-reset,broker=5.3.3-client-reset,tool=4.9.4", []),
])  # fmt: skip
def test_case_about_a_tool_of_5x_is_asked_of_the_tool_that_is_named(release: str, fixes: list[str]) -> None:
    (question,) = questions_of(Request(QUEUES, ("I3-one-queue-5x",), (release,)))
    assert [fix.name for fix in question.setting.fixes] == fixes
    assert question.setting.behaves(ONE_QUEUE_RESET) is bool(fixes)
    (named,) = questions_of(Request(QUEUES, ("I3-one-queue-5x",), (release,), fixes=("one-queue-reset",)))
    assert named.setting.behaves(ONE_QUEUE_RESET)
