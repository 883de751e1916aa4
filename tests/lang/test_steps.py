"""What a step says of itself where it is defined: its waits and its part in the rig follow from that and the order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offsetproof.lang import DeclarationError, Index, Model, Scope, Timer, Wait, action, at, flag
from offsetproof.lang.record import NotInRig, Pause
from offsetproof.lang.rigging import Rigging, RigMoment, ThreadStep
from offsetproof.lang.step import Outside, Thread, any_time_in, in_rig, rigging_of, waits_in

DESK = Index("desk", 2)
RIG = Rigging(settings=lambda scope, state: {}, fields_in_rig=dict)
SLEEP, REQUEST, NAP = Timer("sleep", 10.0), Timer("request", 1.0), Timer("nap", 0.0)
CLERK = Thread(
    "clerk",
    {"d": DESK},
    late="a clerk stalls",
    rig=ThreadStep("clerk", lambda moment: (f"clerk {moment.arg('d')}",), values=lambda moment: {"d": moment.arg("d")}),
)
ASLEEP = Pause("a clerk oversleeps", (("opens", "shuts"),), least=SLEEP, source="Desk.sleep")
CALLED = Pause("a call is on its way", ("rings", "wakes"), most=2 * REQUEST + SLEEP, source="a call")
SOON = Pause(
    "a clerk is slow", ("opens", "wakes"), most=SLEEP, soon_after=("wakes",), soon=NAP + 2 * REQUEST, source="a rule"
)
NAPS = Pause("a nap", ("wakes",), NAP, any_longer=True, source="Desk.nap", held_at_begin=(("wakes", "d", "desk"),))
OLD = Pause("a call grows old", ("rings",), least=SLEEP, any_longer=True, same=(), only=(("d", 1),))
CALLER = Outside("street", {}, "caller", NotInRig("nobody calls the rig"))
OPENS = in_rig("a gate", call="open", early=True, at=lambda moment: moment.arg("d"))


class Place(Model):
    """Where there is something to do."""

    x: bool = flag()


class Opening(Place):
    """A desk that opens and shuts."""

    @CLERK.step(
        at("Desk", "open"), waits=CALLED, rig=in_rig("a gate", call="open", early=True, at=lambda m: m.arg("d"))
    )
    def opens(self, d: int) -> None:
        """The desk opens."""
        self.x = d == 0

    @CLERK.step(at("Desk", "shut"), logs="shut {}")
    def shuts(self, d: int) -> None:
        """The desk shuts."""
        self.x = d == 1


class Sleeping(Place):
    """A clerk who sleeps, and wakes for one of two reasons."""

    @CLERK.step(at("Desk", "sleep"), waits=ASLEEP)
    def wakes(self, d: int) -> None:
        """The clerk wakes."""
        self.x = d == 0

    @CLERK.step(at("Desk", "sleep"), waits=ASLEEP, fault="late")
    def wakes_late(self, d: int) -> None:
        """The clerk wakes too late."""
        self.x = d == 1


class Stamping(Place):
    """A clerk who stamps, and forgets."""

    @CLERK.step(at("Desk", "stamp"))
    def stamps(self, d: int) -> None:
        """The clerk stamps."""
        self.x = d == 0

    @CLERK.step(at("Desk", "forget"), waits=(OLD, CALLED), any_time="a whim")
    def forgets(self, d: int) -> None:
        """The clerk forgets a call."""
        self.x = d == 1


class Calling(Place):
    """Somebody who calls."""

    @CALLER.step(at("Desk", "call"), any_time="a decision from outside")
    def rings(self) -> None:
        """Somebody calls."""
        self.x = False


class Desk(Calling, Stamping, Sleeping, Opening):
    """All of it."""


class Counter(Stamping, Opening):
    """A counter, where somebody may knock, and nobody sleeps or calls."""

    @action(d=DESK, actor="consumer[c]", thread="clerk")
    def stamps(self, d: int) -> None:
        """The clerk stamps twice."""
        super().stamps(d)

    @CALLER.step(at("Counter", "knock"), any_time="a decision from outside", counts_as="opens")
    def knocks(self) -> None:
        """Somebody knocks."""
        self.x = False


def test_steps_follow_each_other_in_their_order_and_a_pause_begins_a_stretch() -> None:
    wakes = ("wakes", "wakes_late")
    assert set(waits_in(Desk.actions, lambda timer: timer.seconds)) == {
        Wait("a clerk stalls", ("shuts",), (("opens",),), ("d",), source="plain code"),
        Wait("a clerk stalls", ("stamps",), (wakes,), ("d",), source="plain code"),
        Wait("a clerk oversleeps", wakes, (("opens", "shuts"),), ("d",), 10, 10, "Desk.sleep"),
        Wait("a call is on its way", ("opens", "forgets"), (("rings",), ("wakes",)), ("d",), 0, 12, "a call"),
        Wait("a call grows old", ("forgets",), (("rings",),), (), 10, None, "", (), (("d", 1),)),
    }


def test_model_without_a_step_has_no_wait_for_it_and_an_override_keeps_the_record() -> None:
    assert list(waits_in(Counter.actions, lambda timer: timer.seconds)) == [
        Wait("a clerk stalls", ("shuts",), (("opens", "knocks"),), ("d",), source="plain code"),
        Wait("a clerk stalls", ("stamps",), (("opens", "shuts", "knocks"),), ("d",), source="plain code"),
    ]
    assert Counter.actions["stamps"].record is Desk.actions["stamps"].record
    outside = "a decision from outside"
    assert any_time_in(Desk.actions) == {"rings": outside}
    assert any_time_in(Counter.actions) == {"forgets": "a whim", "knocks": outside}
    assert rigging_of(RIG, Counter.actions).left_out == {"knocks": "nobody calls the rig"}


def test_release_with_another_timer_has_other_waits() -> None:
    waits = waits_in(Desk.actions, lambda timer: 3.0 if timer is SLEEP else timer.seconds)
    assert {wait.most for wait in waits if wait.who == "a call is on its way"} == {5.0}


def test_pause_says_nothing_where_its_timer_is_of_another_release() -> None:
    assert NAPS.wait(("opens",), "", ("d",), lambda timer: timer.seconds).says_nothing
    napping = NAPS.wait(("opens",), "", ("d",), lambda timer: 0.5)
    assert napping == Wait(
        "a nap", ("opens",), (("wakes",),), ("d",), 0.5, None, "Desk.nap", held_at_begin=(("wakes", "d", "desk"),)
    )
    assert not napping.says_nothing

    class Napping(Place):
        """A desk whose clerk naps in one release."""

        @CLERK.step(at("Desk", "wake"), any_time="a whim")
        def wakes(self, d: int) -> None:  # noqa: ARG002 - any desk's clerk
            """It wakes."""
            self.x = False

        @CLERK.step(at("Desk", "open"), waits=NAPS, any_time="a whim")
        def opens(self, d: int) -> None:  # noqa: ARG002 - any desk's clerk
            """It opens."""
            self.x = True

    assert list(waits_in(Napping.actions, lambda timer: timer.seconds)) == []
    assert list(waits_in(Napping.actions, lambda timer: 0.5)) == [napping]
    assert any_time_in(Napping.actions) == {"wakes": "a whim", "opens": "a whim"}


def test_what_comes_soon_after_some_steps_does_so_where_that_is_less_than_else() -> None:
    def wait(nap: float) -> Wait:
        return SOON.wait(("shuts",), "", (), lambda timer: nap if timer is NAP else timer.seconds)

    assert (wait(0.5).most, wait(0.5).sooner) == (10.0, (("wakes", 2.5),))
    assert (wait(9.0).most, wait(9.0).sooner) == (10.0, ())


def test_rig_runs_a_step_as_its_thread_does_but_for_what_it_says() -> None:
    steps, moment = rigging_of(RIG, Desk.actions).steps, RigMoment({"d": 1}, {}, {})
    opens, shuts = steps["opens"], steps["shuts"]
    assert isinstance(opens, ThreadStep)
    assert opens.threads(moment) == ("clerk 1",)
    assert (opens.role, opens.call, opens.gates) == ("clerk", "open", ("a gate",))
    assert opens.values(moment) == {"d": 1, "early": True, "at": 1}
    assert shuts is CLERK.rig
    assert len(steps) == len(Desk.actions) - 1


def test_step_is_an_action_of_its_thread_at_its_places() -> None:
    shuts, late = Desk.actions["shuts"], Desk.actions["wakes_late"]
    assert (shuts.actor, shuts.thread, shuts.logs, shuts.sorts) == ("consumer[c]", "clerk", "shut {}", (("d", DESK),))
    assert (shuts.stands_for, late.fault) == ((at("Desk", "shut"),), "late")


def test_step_outside_of_threads_cannot_begin_elsewhere_in_one() -> None:
    with pytest.raises(
        DeclarationError, match=r"test_steps.py:\d+: in_rig\(\) is for steps of a Thread, and street is"
    ):
        CALLER.step(at("Desk", "ring"), rig=in_rig("a gate"))


def test_rig_shows_more_fields_or_others_in_some_scopes() -> None:
    more = replace(RIG, fields_in_scope=lambda scope, state: {"x": 2, "y": 3} if scope.name == "wide" else {})
    assert more.in_scope(Scope("wide", {})).fields_in_rig({"x": 1}) == {"x": 2, "y": 3}
    assert more.in_scope(Scope("narrow", {})).fields_in_rig({"x": 1}) == {"x": 1}
