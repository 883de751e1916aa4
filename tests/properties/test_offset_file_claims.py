"""Claims about offset files get the verdicts that are expected, remedies repair them, and actions have their times."""

from __future__ import annotations

import pytest

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, question_with_remedy, questions_of
from offsetproof.lang import REFUTED, ClaimKind, Property, Remedy, Setting
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.stage import Staged
from offsetproof.model.files.offset_files import OffsetFiles
from offsetproof.properties.files.catalogue import OFFSET_FILES, PROPERTIES
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

ENGINES = explicit_alone()
ASKED = questions_of(Request(OFFSET_FILES))
REMEDIES = [(prop, remedy) for prop in PROPERTIES for remedy in prop.remedies]

SMALLEST = {
    ("I12-refused", "broker-refused"): (1, 19), ("I12-two-threads", "client-stop"): (0, 17),
    ("I12-in-place", "broker-kills"): (2, 19), ("I16", "broker-stop"): (0, 10), ("I4-killed", "client-kills"): (1, 5),
    ("I12-emptied-power", "broker-power"): (1, 27), ("I12-emptied-in-place", "broker-kills"): (2, 30),
    ("I15-restart", "client-two-queues"): (1, 20), ("I16-client-waits", "client-stop"): (0, 11),
}  # fmt: skip
"""Faults and steps of some smallest stories."""

FAST = {"broker-stop", "broker-refused", "broker-power", "client-power", "client-idle"}


def of_scopes(asked: list[tuple[str, object]]) -> list[object]:
    """Each fourth question in scopes of few states is fast, and none of the others: `make guard` decides them all."""
    return [
        pytest.param(*each, marks=() if scope in FAST and i % 4 == 0 else pytest.mark.slow)
        for i, (scope, each) in enumerate(asked)
    ]


@pytest.mark.parametrize(
    "question",
    of_scopes([(q.setting.scope.name, (q,)) for q in ASKED]),
    ids=lambda q: f"{q.prop.id}-{q.setting.scope.name}",
)
def test_verdict_is_the_expected_one(question: Question) -> None:
    result = ENGINES.only.decide(question)
    assert str(result.verdict) == str(question.prop.required(question.setting))
    name = (question.prop.id, question.setting.scope.name)
    if name in SMALLEST:
        assert result.replay is not None
        assert (result.replay.faults, len(result.replay.labels)) == SMALLEST[name]


@pytest.mark.parametrize(("prop", "remedy"), of_scopes([(r.scope, (p, r)) for p, r in REMEDIES]))
def test_refuted_case_holds_with_its_remedy(prop: Property, remedy: Remedy) -> None:
    asked = question_with_remedy(OFFSET_FILES, prop, remedy, Limits())
    assert ENGINES.only.decide(asked).verdict is Verdict.HOLDS


def test_claims_expect_what_is_told_of_them() -> None:
    claims = [prop for prop in PROPERTIES if prop.kind is not ClaimKind.SOMETIMES]
    refuted = [prop.id for prop in claims if prop.case.expected is REFUTED]
    assert (len(claims), len(refuted)) == (41, 29)


def test_every_refuted_case_has_a_remedy() -> None:
    assert [prop.id for prop in PROPERTIES if prop.case.expected is REFUTED and not prop.remedies] == []


def test_more_queues_than_can_be_staged_are_refused_at_once() -> None:
    with pytest.raises(UnknownNameError, match="bound queues is a number from 1 to 3, not 4"):
        OFFSET_FILES.scope("client-routes").with_bounds({"queues": 4}).fitted(OffsetFiles.bounds)


@pytest.mark.slow
@pytest.mark.parametrize("scope", ["client-routes", "client-route-kills", "client-first", "broker-power"])
def test_as_many_queues_as_can_be_said_can_be_staged(scope: str) -> None:
    asked = OFFSET_FILES.scope(scope).completed(OffsetFiles.bounds).with_bounds({"queues": 3})
    staged = Staged(OffsetFiles, Setting(asked, dict.fromkeys(OffsetFiles.roles, OffsetFiles.releases[0])))
    assert staged.system(()).variables
