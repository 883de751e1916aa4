"""Claims about whole runs say the same as those at rest where both are there, and more: what never comes to rest."""

from __future__ import annotations

import pytest

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import HOLDS, ClaimKind, Property
from offsetproof.properties.catalogue import PROPERTIES, ROCKETMQ
from offsetproof.verdict.result import Result
from studies.verdicts import AskedCase, findings_of

SAME = {
    "I36": "I6-kept",
    "I36-lost-command": "I6-lost-command",
    "I36-restarted": "I6-restarted",
    "I40": "I32",
    "I40-hang": "I32-hang",
}
"""What says the same of whole runs and of states at rest, in one world."""

MORE = {"I37-killed": "I4-killed", "I37-reset": "I4-reset"}
"""What is finished in the end, and what no committed offset may pass before."""

RELEASES = ROCKETMQ.model.releases


def verdicts_of(id: str, scope: str) -> list[str]:
    """What was found in each release in which the case is asked."""
    case = AskedCase(ROCKETMQ, ROCKETMQ.find(id), scope)
    return [str(finding.verdict) for release in RELEASES for finding in findings_of(case, release)]


def only_scope(id: str) -> str:
    (scope,) = ROCKETMQ.find(id).scopes
    return scope


@pytest.mark.parametrize("id", [*SAME, *MORE])
def test_verdict_is_that_of_the_claim_about_states_in_each_release(id: str) -> None:
    scope = only_scope(id)
    other = {**SAME, **MORE}[id]
    assert scope in ROCKETMQ.find(other).scopes
    told = verdicts_of(id, scope)
    assert told == verdicts_of(other, scope)[: len(told)]
    assert len(told) >= 3


def in_the_end() -> list[Property]:
    return [prop for prop in PROPERTIES if prop.kind is ClaimKind.LEADS_TO]


def test_case_that_says_as_much_as_one_at_rest_names_it() -> None:
    for id, other in SAME.items():
        prop = ROCKETMQ.find(id)
        assert prop.case.why is not None
        assert ("stronger than " if prop.case.expected is HOLDS else "as in ") + other in prop.case.why, id
    assert {*SAME, *MORE} < {prop.id for prop in in_the_end()}


def decided(id: str) -> Result:
    (question,) = questions_of(Request(ROCKETMQ, (id,), releases=("4.9.4",)))
    return Explicit().decide(question)


def test_listener_that_hangs_pins_the_offset_while_all_else_goes_on() -> None:
    replay = decided("I40-hang").replay
    assert replay is not None
    again = {label[0] for label in replay.labels[replay.cycle_at :]}
    assert again == {"consumer_persists_all", "broker_executes_commit", "consumer_pulls", "poll_ends_without_news"}
    assert "listener_hangs" in {label[0] for label in replay.labels[: replay.cycle_at]}
