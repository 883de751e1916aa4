"""Releases, behaviours and fixes: each declared once, and a release says only what differs from the one before."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from offsetproof import check
from offsetproof.lang import (
    HOLDS,
    REFUTED,
    Assumption,
    Behaviour,
    Change,
    DeclarationError,
    Fix,
    Model,
    Release,
    Scope,
    Setting,
    Subject,
    Timer,
    TimerChange,
    action,
    always,
    case,
    declared_in,
    integer,
    remedy,
    require,
)
from offsetproof.lang.changes import left_out_of
from offsetproof.lang.model import usual_releases
from offsetproof.lang.other_release import is_right_for
from offsetproof.lang.setting import collect_behaviours
from offsetproof.lang.stage import Staged
from offsetproof.model.concurrent.left_out import LEFT_OUT
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.releases import LOCKED_WHEN_ADDED, MERGES_INTO_FILE, ONLY_CODE_22, R_4_9_4, R_4_9_8, R_5_5_0
from offsetproof.model.timers import FLUSH_EVERY, PULL_IDLE
from offsetproof.model.variants import MONOTONE_COMMITS
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.reports.listing import listing_text
from offsetproof.reports.listing_json import listing_json
from studies.subjects import ABOUT_ROCKETMQ

KEEPS = Behaviour("keeps", role="server", about="keeps the higher value", source="a pull request")
ASKS = Behaviour("asks", role="client", about="asks first")
BOTH = Fix("both", "keeps and asks", adds=frozenset({KEEPS, ASKS}))

ORDERLY = next(text for text in LEFT_OUT if "orderly" in text)
TOY = Release(
    "4.9.4-toy",
    frozenset({ONLY_CODE_22, MONOTONE_COMMITS}),
    based_on=R_4_9_4,
    timers=(
        TimerChange("idles-shorter", PULL_IDLE, 60.0, "pull request 1"),
        TimerChange("flushes-later", FLUSH_EVERY, 7.0),
    ),
)
TOYS_SUCCESSOR = Release(
    "4.9.5-toy",
    based_on=TOY,
    loses=frozenset({MONOTONE_COMMITS}),
    timers=(TimerChange("flushes-again", FLUSH_EVERY, 5.0),),
)


class Toys(RocketMQ):
    releases = (R_4_9_4, TOY, TOYS_SUCCESSOR)
    changed_by = (
        *RocketMQ.changed_by,
        Change(ONLY_CODE_22, includes=(ORDERLY,), leaves_out=("a toy's own oddity",)),
    )


def setting(client: Release, broker: Release) -> Setting:
    """A world of two releases."""
    return Setting(Scope("any"), {"broker": broker, "client": client})


def test_behaviour_is_its_own_fix_wherever_fixes_are_named() -> None:
    assert KEEPS.fix == Fix("keeps", "keeps the higher value", adds=frozenset({KEEPS}), source="a pull request")
    mended = case("falls", REFUTED, remedies=[remedy("small", fixes=[KEEPS, BOTH])])
    assert mended.remedies[0].fixes == (KEEPS.fix, BOTH)
    assert case("falls-never", HOLDS, fixes=[KEEPS]).fixes == (KEEPS.fix,)


def test_bound_may_say_whose_release_decides_and_that_nobody_s_does() -> None:
    locks = Behaviour("locks", "shop", "it is shut at night", whose=("door", ("shop", "guest", "")))
    old, new = Release("1.0"), Release("2.0", frozenset({locks}))
    for shop, guest, shown in ((old, new, [False, True, False]), (new, old, [True, False, False])):
        worlds = [Setting(Scope("s", {"door": door}), {"shop": shop, "guest": guest}) for door in range(3)]
        assert [world.behaves(locks) for world in worlds] == shown
    fixed = [Setting(Scope("s", {"door": door}), {"shop": old}, fixes=(locks.fix,)) for door in range(3)]
    assert [world.behaves(locks) for world in fixed] == [True, True, False]


def test_module_is_asked_for_what_it_declares_once_each_and_in_its_order() -> None:
    module = ModuleType("variants")
    vars(module).update(B=KEEPS, A=ASKS, AGAIN=KEEPS, CALM=Assumption("calm", "nothing happens"), number=3)
    assert declared_in(module, Behaviour) == (KEEPS, ASKS)
    assert [each.name for each in declared_in(module, Assumption)] == ["calm"]
    assert declared_in(module, Fix) == ()


def test_release_has_the_behaviours_of_its_base_but_for_those_it_loses() -> None:
    for release, only_22, monotone in ((R_4_9_4, False, False), (TOY, True, True), (TOYS_SUCCESSOR, True, False)):
        world = setting(release, release)
        assert (world.behaves(ONLY_CODE_22), world.behaves(MONOTONE_COMMITS)) == (only_22, monotone)
    assert not setting(R_4_9_4, TOY).behaves(ONLY_CODE_22)
    assert setting(R_4_9_4, TOY).behaves(MONOTONE_COMMITS)


def test_timer_is_that_of_the_nearest_release_that_says_so_in_its_own_role() -> None:
    seconds = {
        (client.name, broker.name): (world.seconds(PULL_IDLE), world.seconds(FLUSH_EVERY))
        for client, broker in ((R_4_9_4, R_4_9_4), (TOY, R_4_9_4), (R_4_9_4, TOY), (TOYS_SUCCESSOR, TOYS_SUCCESSOR))
        for world in [setting(client, broker)]
    }
    assert list(seconds.values()) == [(120.0, 5.0), (60.0, 5.0), (120.0, 7.0), (60.0, 5.0)]


def test_changed_timer_changes_the_waits_that_it_is_in_and_no_other() -> None:
    before = ROCKETMQ.timing_in(setting(R_4_9_4, R_4_9_4))
    after = ROCKETMQ.timing_in(setting(TOYS_SUCCESSOR, TOYS_SUCCESSOR))
    assert before is not None
    assert after is not None
    changed = [(a, b) for a, b in zip(before.waits, after.waits, strict=True) if a != b]
    assert [(a.who, a.least, b.least, a.most, b.most) for a, b in changed] == [
        ("an expired pull", 120.0, 60.0, None, None),
        ("an expired pull goes unnoticed", 0, 0, 140.0, 80.0),
    ]
    assert before.transits == after.transits


def test_what_is_left_out_is_what_the_model_leaves_out_but_for_what_a_behaviour_includes() -> None:
    assert left_out_of(R_4_9_4, Toys) == (*LEFT_OUT, *R_4_9_4.leaves_out)
    expected = (*(text for text in LEFT_OUT if text != ORDERLY), "a toy's own oddity", *R_4_9_4.leaves_out)
    assert left_out_of(TOY, Toys) == left_out_of(TOYS_SUCCESSOR, Toys) == expected


def test_what_no_model_has_of_a_release_is_left_out_of_those_based_on_it() -> None:
    first = Release("1.0", leaves_out=("a table of its own",))
    second = Release("2.0", based_on=first, leaves_out=("another",))
    assert [left_out_of(each, Toys)[len(LEFT_OUT) :] for each in (first, second)] == [
        ("a table of its own",),
        ("a table of its own", "another"),
    ]


@pytest.mark.parametrize(
    "word", ["POP", "gRPC", "proxy", "TopicQueueMapping", "LMQ", "RocksDB", "DLedger", "controller"]
)
def test_newest_release_says_in_every_model_which_parts_no_claim_speaks_of(word: str) -> None:
    for subject in ABOUT_ROCKETMQ:
        assert any(word in text for text in left_out_of(R_5_5_0, subject.model)), subject.name


def test_list_says_which_releases_leave_something_out_where_not_all_do() -> None:
    subject = Subject("toys", Toys, ())
    text = listing_text(subject, 500, ["left-out"])
    assert f"  -  {ORDERLY} (4.9.4)\n" in text
    assert "  -  a toy's own oddity (4.9.4-toy, 4.9.5-toy)\n" in text
    assert f"  -  {LEFT_OUT[0]}\n" in text
    assert ORDERLY in listing_json("toys", [subject])
    assert "oddity" not in json.dumps(json.loads(listing_json("toys", [subject]))["left_out"])


def test_list_says_which_timers_a_release_has_otherwise() -> None:
    subject = Subject("toys", Toys, ())
    toy, successor = (listing_text(subject, 500, [release.name]) for release in (TOY, TOYS_SUCCESSOR))
    idle = "timer     idles-shorter: idle pull: 60 s, not 120 s (pull request 1)\n"
    assert (toy.count("  timer "), successor.count("  timer ")) == (2, 1)
    assert idle in toy
    assert idle in successor
    assert "timer     flushes-later: flush: 7 s, not 5 s\n" in toy


def test_list_tells_a_timer_by_its_name_with_the_first_release_that_has_it() -> None:
    told = listing_text(ROCKETMQ, 500, ["dispatches-later"])
    assert told.splitlines()[:4] == [
        "timer dispatches-later",
        "            first pull's delay: 0.5 s, not 0 s (in 5.3.3-client-reset)",
        "  role      client",
        "  source    apache/rocketmq 9d8f4c2cc0, released in 5.0.0",
    ]
    assert "  at        RebalanceImpl.updateProcessQueueTableInRebalance: dispatchPullRequest\n" in told
    assert "  declared  model/releases.py:" in told
    subject = Subject("toys", Toys, ())
    section = listing_text(subject, 500, ["timers"])
    timers = json.loads(listing_json("toys", [subject]))["timers"]
    assert section.endswith(
        "timers\n"
        "  idles-shorter  idle pull: 60 s, not 120 s (in 4.9.4-toy)\n"
        "  flushes-later  flush: 7 s, not 5 s (in 4.9.4-toy)\n"
    )
    assert [(each["name"], each["seconds"], each["before"], each["release"]) for each in timers] == [
        ("idles-shorter", 60.0, 120.0, "4.9.4-toy"),
        ("flushes-later", 7.0, 5.0, "4.9.4-toy"),
    ]


def test_including_what_was_not_left_out_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"only-code-22 includes 'magic', which Odd does not leave out"):

        class Odd(RocketMQ):
            changed_by = (Change(ONLY_CODE_22, includes=("magic",)),)


def test_verdict_is_turned_round_in_the_releases_that_show_a_behaviour() -> None:
    @always(
        case("skips", REFUTED.unless(ONLY_CODE_22), where="where a query fails"), case("falls", HOLDS.unless(KEEPS))
    )
    def stays(_model: RocketMQ) -> bool:
        return True

    skips, falls = stays.cases
    for client, broker, expected in ((R_4_9_4, TOY, REFUTED), (TOY, R_4_9_4, HOLDS), (TOYS_SUCCESSOR, TOY, HOLDS)):
        assert skips.expects(setting(client, broker)) is expected
        assert falls.expects(setting(client, broker)) is HOLDS
    listed = listing_text(Subject("toys", Toys, (skips, falls)), 500, ["skips"])
    assert "REFUTED, unless only-code-22" in listed


def test_verdict_is_turned_back_where_a_release_of_any_role_shows_another_behaviour_besides() -> None:
    @always(case("skips", REFUTED.unless(ONLY_CODE_22).unless(MONOTONE_COMMITS)))
    def stays(_model: RocketMQ) -> bool:
        return True

    (skips,) = stays.cases
    pairs = ((R_4_9_4, R_4_9_4), (TOY, R_4_9_4), (R_4_9_4, TOY), (TOY, TOY), (TOYS_SUCCESSOR, TOYS_SUCCESSOR))
    assert [skips.expects(setting(*pair)) for pair in pairs] == [REFUTED, HOLDS, REFUTED, REFUTED, HOLDS]
    subject = Subject("toys", Toys, (skips,))
    assert "REFUTED, unless only-code-22 (in 4.9.4-toy) without monotone-commits (in 4.9.4-toy)" in listing_text(
        subject, 500, ["skips"]
    )
    turns = " ".join(listing_text(subject, 80, ["monotone-commits"]).split())
    assert "turns skips" in turns


def test_expectation_of_a_release_speaks_for_those_based_on_it_until_one_says_otherwise() -> None:
    @always(case("stays", REFUTED, elsewhere={"4.9.4-toy": HOLDS, "broker=4.9.4-toy,client=4.9.4": HOLDS}))
    def stays(_model: RocketMQ) -> bool:
        return True

    (prop,) = stays.cases
    expected = [
        prop.expects(setting(client, broker))
        for client, broker in (
            (R_4_9_4, R_4_9_4),
            (TOY, TOY),
            (TOYS_SUCCESSOR, TOYS_SUCCESSOR),
            (R_4_9_4, TOY),
            (TOY, R_4_9_4),
        )
    ]
    assert expected == [REFUTED, HOLDS, HOLDS, HOLDS, REFUTED]
    assert prop.expects(Setting(Scope("any"))) is REFUTED


def test_usual_release_is_asked_where_none_is_named_and_must_be_the_model_s() -> None:
    assert usual_releases(Toys) == (R_4_9_4,)
    with pytest.raises(DeclarationError, match=r"Odd.usual_release must be one of its releases"):

        class Odd(RocketMQ):
            releases = (TOY,)

    class Both(RocketMQ):
        releases = (R_4_9_4, TOY)
        usual_release = None

    assert usual_releases(Both) == (R_4_9_4, TOY)


def test_staged_model_is_right_for_releases_that_show_the_same_of_what_it_asked_for() -> None:
    staged = Staged(Toys, replace(setting(R_4_9_4, R_4_9_4), scope=Toys.scopes[0]))
    assert is_right_for(staged, setting(R_4_9_8, R_4_9_8), ())
    assert not is_right_for(staged, setting(TOY, TOY), ())


def test_4_9_8_has_what_4_9_5_and_4_9_8_brought() -> None:
    assert setting(R_4_9_8, R_4_9_8).behaviours == {LOCKED_WHEN_ADDED, MERGES_INTO_FILE}
    assert setting(R_4_9_4, R_4_9_8).behaviours == frozenset()


def test_behaviours_are_collected_by_each_of_two_that_stand_in_one_another() -> None:
    outer: set[Behaviour] = set()
    inner: set[Behaviour] = set()
    world = setting(TOY, TOY)
    with collect_behaviours(outer):
        with collect_behaviours(inner):
            pass
        world.behaves(ONLY_CODE_22)
    world.behaves(MONOTONE_COMMITS)
    assert (outer, inner) == ({ONLY_CODE_22}, set())


TICK = Timer("tick", 5.0, role="client")
NEXT = Release("4.9.9-toy", frozenset({ASKS}), based_on=R_4_9_4, timers=(TimerChange("ticks", TICK, 1.0),))


class Asking(Model):
    """One step, which asks of its setting what `ask` says."""

    roles = ("client", "server")
    releases = (R_4_9_4, NEXT)
    x: int = integer(0, 3)

    @always
    def stays_low(self) -> bool:
        return self.x < 3


def asking(ask: Callable[[Setting], bool]) -> type[Model]:
    """A model whose step goes further in the later release."""

    @action()
    def goes(self: Asking) -> None:
        require(self.x < 2 or ask(self.setting))
        self.x = self.x + 1

    return type("AskingOne", (Asking,), {"goes": goes, "__module__": __name__})


@pytest.mark.parametrize(
    "ask",
    [
        lambda setting: setting.seconds(TICK) < 3,
        lambda setting: setting.release == "4.9.9-toy",
        lambda setting: setting.stated({"4.9.9-toy": True}, False),
        lambda setting: ASKS in setting.behaviours,
        lambda setting: setting.behaves(ASKS),
    ],
    ids=["seconds", "release", "stated", "behaviours", "behaves"],
)
def test_model_that_tells_releases_apart_by_any_means_is_not_right_for_both(ask: Callable[[Setting], bool]) -> None:
    old, new = (Setting(Scope("any", {}), dict.fromkeys(Asking.roles, release)) for release in Asking.releases)
    staged, later = Staged(asking(ask), old), Staged(asking(ask), new)
    assert staged.system(()) != later.system(())
    assert not is_right_for(staged, new, ())
    assert not is_right_for(later, old, ())


@pytest.mark.parametrize(
    ("release", "why"),
    [
        (
            Release("new", frozenset({replace(ASKS, role="clients")})),
            r"behaviour asks of role 'clients', and the model has",
        ),
        (
            Release("new", timers=(TimerChange("ticks", replace(TICK, role="store"), 1.0),)),
            r"timer ticks of role 'store', and the model has",
        ),
        (Release("new", based_on=R_4_9_4, loses=frozenset({ASKS})), r"loses asks, which its base does not have"),
        (Release("new", frozenset({ASKS}), loses=frozenset({ASKS})), r"loses asks, which it has as well"),
        (Release("new", frozenset({ASKS, replace(ASKS, about="or not")})), r"two behaviours are named 'asks'"),
    ],
    ids=["role", "timer", "lost", "had and lost", "twice"],
)
def test_release_of_which_something_would_be_dropped_is_refused(release: Release, why: str) -> None:
    with pytest.raises(DeclarationError, match=why):
        type("Dropping", (Asking,), {"releases": (release,), "__module__": __name__})


def test_behaviour_that_only_has_the_name_of_a_release_s_is_refused_where_it_is_asked_for() -> None:
    other = replace(ASKS, about="asks otherwise")
    old = Setting(Scope("any", {}), dict.fromkeys(Asking.roles, R_4_9_4))
    with pytest.raises(DeclarationError, match="asks for a behaviour 'asks' that is another one than that of its"):
        Staged(asking(lambda setting: setting.behaves(other)), old)


class Named(Model):
    """A model that reads the name of its scope."""

    scopes = (Scope("a", {}), Scope("b", {}))
    x: int = integer(0, 2)

    @action()
    def goes(self) -> None:
        require(self.x < (2 if self.scope.name == "b" else 1))
        self.x = self.x + 1

    @always
    def stays_below_two(self) -> bool:
        return self.x < 2


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_scopes_that_differ_in_their_name_alone_are_two_worlds(engine: str) -> None:
    assert [str(each.verdict) for each in check(Named, scope="all", engine=engine)] == ["HOLDS", "REFUTED"]


@pytest.mark.parametrize("change", [{"name": "b"}, {"about": "else"}, {"large": True}, {"bounds": {"n": 1}}])
def test_key_of_a_setting_has_all_that_its_scope_says(change: dict[str, Any]) -> None:
    said = {"name": "a", "bounds": {}, "about": ""}
    assert Setting(Scope(**said)).key == Setting(Scope(**said)).key
    assert Setting(Scope(**said)).key != Setting(Scope(**{**said, **change})).key


class Judging(Model):
    """One step that asks nothing of its setting, and two claims, of which one does."""

    roles = ("client", "server")
    releases = (R_4_9_4, NEXT)
    x: int = integer(0, 1)

    @action()
    def goes(self) -> None:
        require(self.x == 0)
        self.x = 1

    @always
    def stays_low(self) -> bool:
        return self.x <= 1

    @always
    def stays_low_before(self) -> bool:
        return self.x == 0 or self.setting.behaves(ASKS)


def test_claim_that_asks_for_a_behaviour_tells_releases_apart_though_no_step_does() -> None:
    old, new = (Setting(Scope("any", {}), dict.fromkeys(Judging.roles, release)) for release in Judging.releases)
    low, low_before = Judging.claims
    assert is_right_for(Staged(Judging, old), new, (low,))
    assert not is_right_for(Staged(Judging, old), new, (low, low_before))
