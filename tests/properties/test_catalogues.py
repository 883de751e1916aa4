"""Every built-in catalogue about RocketMQ is whole: its cases say what they owe a reader, and name what there is."""

from __future__ import annotations

import pytest
from systems.answered import ENGINES

from offsetproof.checking.request import Request, questions_of
from offsetproof.ir.node import variables
from offsetproof.lang import REFUTED, ClaimKind, Property, Subject
from offsetproof.properties.broadcasting.catalogue import BROADCASTING
from studies.subjects import ABOUT_ROCKETMQ

EACH_SUBJECT = pytest.mark.parametrize("subject", ABOUT_ROCKETMQ, ids=lambda subject: subject.name)
CASES = [
    pytest.param(prop, id=f"{subject.name}-{prop.id}") for subject in ABOUT_ROCKETMQ for prop in subject.properties
]
EACH_CASE = pytest.mark.parametrize("prop", CASES)


@EACH_CASE
def test_case_has_a_remedy_or_the_reason_for_none_if_and_only_if_it_is_refuted(prop: Property) -> None:
    assert bool(prop.remedies) + bool(prop.case.no_remedy) == (prop.case.expected is REFUTED)


@EACH_CASE
def test_remedies_are_for_scopes_in_which_the_case_is_refuted(prop: Property) -> None:
    assert {remedy.scope for remedy in prop.remedies} <= set(prop.scopes)


@EACH_CASE
def test_refuted_case_says_why(prop: Property) -> None:
    assert prop.case.why or prop.case.expected is not REFUTED


@EACH_SUBJECT
def test_every_needed_witness_is_a_witness_of_the_catalogue(subject: Subject) -> None:
    for prop in subject.properties:
        assert [subject.find(id).kind for id in prop.needs] == [ClaimKind.SOMETIMES] * len(prop.needs)


@EACH_SUBJECT
def test_every_claim_is_asked_in_every_scope_that_it_names(subject: Subject) -> None:
    named = [(prop.id, scope) for prop in subject.properties for scope in prop.scopes]
    request = Request(subject, tuple(prop.id for prop in subject.properties))
    assert [(q.prop.id, q.setting.scope.name) for q in questions_of(request)] == named


@EACH_SUBJECT
def test_every_case_has_an_id_and_every_claim_a_name_of_its_own(subject: Subject) -> None:
    ids = [prop.id for prop in subject.properties]
    assert len(set(ids)) == len(ids)
    claims = {(prop.name, prop.function) for prop in subject.properties}
    assert len({name for name, _ in claims}) == len(claims)
    assert len({function for _, function in claims}) == len(claims)


def test_claim_about_several_clients_does_not_look_at_history_that_is_kept_for_one() -> None:
    for prop in {prop.name: prop for prop in BROADCASTING.properties if prop.kind is not ClaimKind.SOMETIMES}.values():
        asked = questions_of(Request(BROADCASTING, (prop.id,), bounds={"consumers": 2}))
        (claim,) = ENGINES.models.of(asked[0]).system((prop,)).claims
        nodes = claim.per_step if claim.on_state is None else [claim.on_state]
        history = {name for name in variables(nodes) if name.startswith("ghost_")}
        assert history <= {"ghost_answered"}, f"{prop.id}: the tool's answer is one for all of them"


PLURALS = [
    pytest.param(subject, bound, id=f"{subject.name}-{bound}")
    for subject in ABOUT_ROCKETMQ
    for bound in ("consumers", "process_queues", "queues")
    if bound in subject.model.bounds
]


@pytest.mark.parametrize(("subject", "bound"), PLURALS)
def test_claim_is_asked_where_there_is_one_of_what_it_speaks_of_in_the_plural(subject: Subject, bound: str) -> None:
    claims = tuple({prop.function: prop for prop in subject.properties}.values())
    (question, *_) = questions_of(Request(subject, (claims[0].id,), bounds={bound: 1}))
    assert len(ENGINES.models.of(question).system(claims).claims) == len(claims)
