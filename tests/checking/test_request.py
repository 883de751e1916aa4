"""From options to questions: releases, mixed clusters, what is added by name, bounds, and names that do not exist."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.releases import ALL_RELEASES, parse_release
from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.preparing import StagedModels
from offsetproof.lang import (
    HOLDS,
    REFUTED,
    Assumption,
    Behaviour,
    DeclarationError,
    Fault,
    Fix,
    Listener,
    Model,
    Release,
    Scope,
    Setting,
    Subject,
    UnknownNameError,
    action,
    always,
    flag,
    sometimes,
)
from offsetproof.lang.other_release import is_right_for
from offsetproof.model.broadcasting.broadcasting import Broadcasting
from offsetproof.model.releases import R_4_9_4, R_5_3_3_CLIENT_RESET
from offsetproof.properties.broadcasting.catalogue import BROADCASTING
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.properties.files.catalogue import OFFSET_FILES

ONCE, TWICE = Fix("once", "sends once"), Fix("twice", "sends twice")
CALM = Assumption("calm", "nothing is lost")
LOST = Fault("lost", "a letter is lost")


class Post(Model):
    """A letter is sent."""

    scopes = (Scope("near", {"letters": 1}, {LOST: 1}), Scope("far", {"letters": 2}))
    releases = (Release("1.0"), Release("2.0"))
    roles = ("sender", "receiver")
    fixes = (ONCE, TWICE)
    assumptions = (CALM,)
    listeners = (Listener("reader", "reads"), Listener("hoarder", "does not"))
    sent: bool = flag()

    @action()
    def sends(self) -> None:
        self.sent = True

    @action(fault=LOST)
    def loses(self) -> None:
        self.sent = False

    @always(id="P1", expected={"1.0": REFUTED, "2.0": HOLDS}, scopes=["far", "near"], needs=["W1"])
    def nothing_is_sent(self) -> bool:
        return not self.sent

    @always(id="P2", fixes=[ONCE], assumptions=[CALM])
    def one_is_sent(self) -> bool:
        return self.sent

    @sometimes(id="W1")
    def something_is_sent(self) -> bool:
        return self.sent


POST = Subject("post", Post, Post.claims)


class Plain(Model):
    """Neither releases nor scopes of its own."""

    up: bool = flag()

    @always()
    def stays_down(self) -> bool:
        return not self.up


PLAIN = Subject("plain", Plain, Plain.claims)


def asked(subject: Subject = POST, **options: object) -> list[tuple[str, str | None, str]]:
    """The questions as claim, release and scope."""
    made = questions_of(Request(subject, **options))  # type: ignore[arg-type] # options go through as they are
    return [(q.prop.id, q.setting.release, q.setting.scope.name) for q in made]


def test_without_options_every_claim_is_asked_in_every_release_and_its_own_scopes() -> None:
    assert asked() == [
        ("P1", "1.0", "far"), ("P1", "1.0", "near"), ("P1", "2.0", "far"), ("P1", "2.0", "near"),
        ("P2", "1.0", "near"), ("P2", "2.0", "near"), ("W1", "1.0", "near"), ("W1", "2.0", "near"),
    ]  # fmt: skip


def test_model_without_releases_and_scopes_is_asked_once_in_the_default_scope() -> None:
    assert asked(PLAIN) == [("stays_down", None, "default")]


@pytest.mark.parametrize("releases", [(), ("all",), ("all", "all")])
def test_model_without_releases_is_asked_where_all_are_wanted(releases: tuple[str, ...]) -> None:
    assert asked(PLAIN, releases=releases) == [("stays_down", None, "default")]


def test_all_releases_and_one_of_them_are_each_asked_once() -> None:
    assert asked(properties=("W1",), releases=("all", "2.0")) == [("W1", "1.0", "near"), ("W1", "2.0", "near")]
    assert asked(properties=("W1",), releases=("2.0",)) == [("W1", "2.0", "near")]


@pytest.mark.parametrize(
    ("claim", "asked"),
    [("I35", ["5.3.3", "5.5.0"]), ("I7", ["4.9.4", "4.9.8", "5.3.3-client-reset"])],
)
def test_named_case_is_asked_of_all_releases_of_which_it_says_something(claim: str, asked: list[str]) -> None:
    of_all = questions_of(Request(ROCKETMQ, (claim,), (ALL_RELEASES,)))
    assert list(dict.fromkeys(question.setting.release for question in of_all)) == asked
    (of_one,) = {question.setting.release for question in questions_of(Request(ROCKETMQ, (claim,), ("4.9.8",)))}
    assert of_one == "4.9.8"


def test_all_releases_and_a_mixed_cluster_are_both_asked() -> None:
    asked = questions_of(Request(POST, ("P2",), (ALL_RELEASES, "sender=1.0,receiver=2.0")))
    assert {question.setting.release for question in asked} == {"1.0", "2.0", "receiver=2.0,sender=1.0"}


def test_mixed_cluster_has_its_own_release_per_role() -> None:
    found = parse_release("sender=2.0,receiver=1.0", POST)
    assert {role: release.name for role, release in found.items()} == {"receiver": "1.0", "sender": "2.0"}
    assert asked(properties=("W1",), releases=("sender=2.0,receiver=1.0",)) == [
        ("W1", "receiver=1.0,sender=2.0", "near")
    ]
    assert asked(properties=("W1",), releases=("sender=2.0,receiver=2.0",)) == [("W1", "2.0", "near")]


SEALS = Behaviour("seals", role="clerk", else_role="sender", about="the clerk seals letters")


class Sealed(Post):
    """Letters may be sealed, by a clerk who is of the sender's release unless another is named."""

    releases = (Release("1.0"), Release("2.0", frozenset({SEALS})))


SEALED = Subject("sealed", Sealed, Post.claims)


@pytest.mark.parametrize(("text", "written", "seals"), [
    ("2.0", "2.0", True),
    ("receiver=1.0,sender=2.0", "receiver=1.0,sender=2.0", True),
    ("sender=1.0,receiver=1.0,clerk=2.0", "clerk=2.0,receiver=1.0,sender=1.0", True),
    ("clerk=1.0,receiver=2.0,sender=2.0", "clerk=1.0,receiver=2.0,sender=2.0", False),
    ("sender=1.0,receiver=2.0,clerk=1.0", "receiver=2.0,sender=1.0", False),
    ("sender=1.0,receiver=1.0,clerk=1.0", "1.0", False),
])  # fmt: skip
def test_role_that_need_not_be_named_is_of_another_role_s_release_unless_it_is(
    text: str, written: str, seals: bool
) -> None:
    setting = Setting(Sealed.scopes[0], parse_release(text, SEALED))
    assert (setting.release, setting.behaves(SEALS)) == (written, seals)
    assert parse_release(written, SEALED) == dict(setting.releases)


def test_role_that_need_not_be_named_is_known_by_its_name_and_not_enough_alone() -> None:
    with pytest.raises(UnknownNameError, match="no role named 'clark'; did you mean clerk"):
        parse_release("sender=1.0,receiver=1.0,clark=2.0", SEALED)
    with pytest.raises(UnknownNameError, match="names no release for role sender"):
        parse_release("clerk=2.0", SEALED)
    with pytest.raises(UnknownNameError, match="no role named 'clerk'"):
        parse_release("sender=1.0,receiver=1.0,clerk=2.0", POST)


def test_classes_are_those_of_the_roles_that_must_be_named() -> None:
    assert SEALED.published_as("clerk=2.0,receiver=1.0,sender=1.0") == "1.0"
    assert SEALED.published_as("receiver=2.0,sender=1.0") == "receiver=2.0,sender=1.0"


class AtTheClient(Broadcasting):
    """Of 5.3.3 it has the reset at the client alone."""

    releases = (R_4_9_4, R_5_3_3_CLIENT_RESET)


def test_release_that_a_model_has_in_another_configuration_alone_is_refused_by_that() -> None:
    why = "leaves out what 5.3.3 does by default; it has 5.3.3-client-reset, which is 5.3.3 in another configuration"
    for text in ("5.3.3", "client=4.9.4,broker=5.3.3"):
        with pytest.raises(UnknownNameError, match=f"broadcasting {why}"):
            parse_release(text, replace(BROADCASTING, model=AtTheClient, properties=()))


def test_configuration_that_a_model_has_no_need_of_is_refused_by_what_to_ask_instead() -> None:
    why = "it is 5.3.3 in another configuration, which changes nothing in this model; ask 5.3.3"
    for text in ("5.3.3-client-reset", "client=4.9.4,broker=5.3.3-client-reset"):
        with pytest.raises(UnknownNameError, match=f"^offset-files has no 5.3.3-client-reset of its own: {why}$"):
            parse_release(text, OFFSET_FILES)


@pytest.mark.slow
@pytest.mark.parametrize("subject", [subject for entry in SINGLES.values() for subject in entry.subjects])
def test_configuration_that_a_model_leaves_out_is_the_same_model_as_the_default(subject: Subject) -> None:
    there = {release.name: release for release in subject.model.releases}
    bases = {base for release in there.values() for base in release.lineage if base.name not in there}
    models = StagedModels()
    for base in bases:
        for question in questions_of(Request(subject, releases=(base.published_as,))):
            other = replace(question.setting, releases=dict.fromkeys(subject.model.roles, base))
            assert is_right_for(models.of(question), other, (question.prop, *question.witnesses)), question.prop.id


@pytest.mark.parametrize(("release", "told"), [
    ("2.1", "no release named '2.1'; choose from 1.0, 2.0"),
    ("", "no release named ''; choose from 1.0, 2.0"),
    ("sender=2.1,receiver=1.0", "no release named '2.1'; choose from 1.0, 2.0"),
    ("sendr=2.0", "no role named 'sendr'; did you mean sender?"),
    ("sender=2.0", "sender=2.0 names no release for role receiver; add receiver=..."),
    ("1.0,2.0", "1.0,2.0 are several releases; name each by itself, or `all`"),
    ("sender=1.0,sender=2.0", "sender=1.0,sender=2.0 names two releases for role sender; leave one out"),
])  # fmt: skip
def test_release_that_is_unknown_or_incomplete_is_refused_with_the_nearest(release: str, told: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        parse_release(release, POST)
    assert str(error.value) == told


@pytest.mark.parametrize(("options", "told"), [
    ({"properties": ("P3",)}, "no claim named 'P3'; did you mean P2?"),
    ({"fixes": ("onse",)}, "no fix named 'onse'; did you mean once?"),
    ({"assumptions": ("clam",)}, "no assumption named 'clam'; did you mean calm?"),
    ({"listener": "raeder"}, "no listener named 'raeder'; did you mean reader?"),
    ({"scope": "fra"}, "no scope named 'fra'; did you mean far?"),
    ({"scope": "far", "bounds": {"lettres": 1}}, "no bound of scope far named 'lettres'; did you mean letters?"),
])  # fmt: skip
def test_unknown_name_is_refused_with_the_nearest(options: dict[str, object], told: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        asked(**options)
    assert str(error.value) == told


def test_fault_is_given_a_budget_also_in_a_scope_that_does_not_name_its_kind() -> None:
    def budgets(**bounds: int) -> list[tuple[str, dict[str, int]]]:
        made = questions_of(Request(POST, ("P1",), ("1.0",), bounds=bounds))
        return [(q.setting.scope.name, dict(q.setting.scope.faults)) for q in made]

    assert budgets(letters=3) == [("far*", {}), ("near*", {"lost": 1})]
    assert budgets(lost=2) == [("far*", {"lost": 2}), ("near*", {"lost": 2})]
    with pytest.raises(UnknownNameError, match=r"^no bound of scope far named 'lots'; did you mean lost\?$"):
        budgets(lots=1)


def test_claim_is_found_by_id_or_name_and_asked_once() -> None:
    twice = asked(properties=("something_is_sent", "W1"), releases=("1.0",))
    assert twice == [("W1", "1.0", "near")]
    assert asked(properties=("no_deadlock",), releases=("1.0",)) == [("no_deadlock", "1.0", "near")]


def test_fixes_and_assumptions_are_added_to_the_claims_own_without_repeating_them() -> None:
    [question] = questions_of(Request(POST, ("P2",), ("1.0",), ("twice", "once"), ("calm",)))
    assert question.setting.fixes == (ONCE, TWICE)
    assert question.setting.assumptions == (CALM,)


def test_first_listener_is_taken_unless_another_is_named() -> None:
    assert questions_of(Request(POST, ("W1",)))[0].setting.listener == Post.listeners[0]
    assert questions_of(Request(POST, ("W1",), listener="hoarder"))[0].setting.listener == Post.listeners[1]
    assert questions_of(Request(PLAIN))[0].setting.listener is None


def test_bounds_and_fault_budgets_change_the_scope_and_mark_it() -> None:
    [question] = questions_of(Request(POST, ("W1",), ("1.0",), bounds={"letters": 3, "lost": 0}))
    scope = question.setting.scope
    assert (scope.name, dict(scope.bounds), dict(scope.faults)) == ("near*", {"letters": 3}, {"lost": 0})
    [same] = questions_of(Request(POST, ("W1",), ("1.0",), bounds={"letters": 1}))
    assert same.setting.scope.name == "near"


def test_expected_verdict_is_only_stated_for_the_claims_own_scopes_and_additions() -> None:
    def expected(**options: object) -> list[str | None]:
        made = questions_of(Request(POST, ("P1",), scope="near", **options))  # type: ignore[arg-type] # as above
        return [q.prop.expects(q.setting) for q in made]

    assert expected() == ["REFUTED", "HOLDS"]
    assert expected(fixes=("once",)) == [None, None]
    assert expected(bounds={"letters": 2}) == [None, None]
    assert expected(releases=("sender=2.0,receiver=1.0",)) == [None]


def test_needed_witnesses_come_with_the_question() -> None:
    assert [w.id for w in questions_of(Request(POST, ("P1",)))[0].witnesses] == ["W1"]
    assert questions_of(Request(POST, ("P2",)))[0].witnesses == ()


def test_subject_without_claims_and_releases_without_roles_are_declaration_errors() -> None:
    class Roleless(Post):
        roles = ()

    with pytest.raises(DeclarationError, match=r"test_request\.py:\d+: Plain claims nothing; mark a function"):
        questions_of(Request(Subject("Plain", Plain, ())))
    with pytest.raises(DeclarationError, match=r"test_request\.py:\d+: Roleless has releases but no roles"):
        questions_of(Request(Subject("Roleless", Roleless, Post.claims)))


def test_claim_that_names_no_scope_or_witness_of_its_model_is_a_declaration_error() -> None:
    class Lost(Post):
        @always(scopes=["nowhere"])
        def a(self) -> bool:
            return True

        @always(needs=["nothing"])
        def b(self) -> bool:
            return True

    for claim in (Lost.a, Lost.b):
        with pytest.raises(DeclarationError, match=r"test_request\.py:\d+: no (scope|claim) named 'no"):
            questions_of(Request(Subject("Lost", Lost, (claim,))))


def test_queue_that_the_topic_does_not_have_is_refused() -> None:
    for bounds in ({"queue": 1}, {"queue": 2, "queues": 2}):
        with pytest.raises(UnknownNameError, match=r"^bound queue=\d is not below queues=\d$"):
            questions_of(Request(ROCKETMQ, ("I4-expansion",), ("4.9.4",), scope="calm-reset", bounds=bounds))
    (asked,) = questions_of(
        Request(ROCKETMQ, ("I4-expansion",), ("4.9.4",), scope="calm-reset", bounds={"queue": 1, "queues": 2})
    )
    assert (asked.setting.scope.queue, asked.setting.scope.queues) == (1, 2)
