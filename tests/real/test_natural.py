"""Natural timing without a cluster: how tries are run and counted, and which stories have a scenario."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from offsetproof.conformance.natural import scenario_for
from offsetproof.conformance.on_release import OtherModelError
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.jars import JarSet, read_lock
from offsetproof.real.natural import trying
from offsetproof.real.natural.scenarios import SCENARIOS, scenario_of
from offsetproof.real.natural.trying import Attempt, Scenario, Tally, Try, TryEnd, try_scenario
from offsetproof.real.sidecar import CommandRefusedError, SidecarError
from offsetproof.real.whole.cluster import whole_rig
from offsetproof.real.whole.listening import Delivery, ListenerAnswer, ListenerBehaviour, Script, deliveries_of
from offsetproof.real.whole.waiting import NotInTimeError, Waiting, until, wait
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.verdict.prerequisite import PrerequisiteError

RIG = CompiledRig("4.9.4", Path("rig.jar"), "rig.jar", "java")


@pytest.fixture
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries have nothing to run on."""

    @contextmanager
    def nothing(*_: object, **__: object) -> Iterator[None]:
        yield None

    monkeypatch.setattr(trying, "running_cluster", nothing)


def scenario(run: Callable[[Try], Waiting[Attempt]], at_once: int = 5, **more: object) -> Scenario:
    return Scenario("toy", "A toy.", "It moves.", run, at_once=at_once, **more)


def rests(own: Try) -> Waiting[Attempt]:
    yield 0.2
    return Attempt(own.number % 2 == 0, f"number {own.number}")


@pytest.mark.usefixtures("no_cluster")
def test_tries_are_under_way_at_once_as_many_as_the_scenario_says() -> None:
    seconds = []
    for at_once in (6, 1):
        begun = time.monotonic()
        tally = try_scenario(RIG, scenario(rests, at_once), 6)
        seconds.append(time.monotonic() - begun)
        assert [(end.number, end.happened) for end in tally.ends] == [(n, n % 2 == 0) for n in range(1, 7)]
        assert (tally.happened, tally.told, tally.in_words) == (3, 6, "3 of 6")
    assert 0.2 <= seconds[0] < 1.0 < 1.2 <= seconds[1]


@pytest.mark.usefixtures("no_cluster")
def test_try_that_does_not_come_far_enough_is_not_counted_as_one_that_did_not_happen() -> None:
    def waits(own: Try) -> Waiting[Attempt]:
        if own.number == 2:
            yield from until(lambda: False, 0.1, "the moon rises")
        yield 0.0
        return Attempt(True, "")

    tally = try_scenario(RIG, scenario(waits), 3)
    assert tally.ends[1].seen == "the moon rises: not in 0.1 s"
    assert [end.happened for end in tally.ends] == [True, None, True]
    assert tally.in_words == "2 of 2 (1 more did not come far enough to tell)"


@pytest.mark.usefixtures("no_cluster")
def test_try_of_which_a_jvm_refuses_a_command_cannot_tell() -> None:
    def refuses(own: Try) -> Waiting[Attempt]:
        yield 0.0
        if own.number == 1:
            raise CommandRefusedError("the tools refuses `commit`: Group toy not exist!", "Group toy not exist!")
        return Attempt(False, "")

    tally = try_scenario(RIG, scenario(refuses), 2)
    assert [(end.happened, end.seen) for end in tally.ends] == [
        (None, "the tools refuses `commit`: Group toy not exist!"), (False, ""),
    ]  # fmt: skip


@pytest.mark.usefixtures("no_cluster")
def test_jvm_that_dies_ends_all_tries() -> None:
    def dies(_: Try) -> Waiting[Attempt]:
        yield 0.0
        raise SidecarError("consumer 01-first ended during `start`")

    with pytest.raises(SidecarError, match="01-first ended"):
        try_scenario(RIG, scenario(dies), 3)


@pytest.mark.usefixtures("no_cluster")
def test_moments_are_the_same_in_each_run_and_others_with_another_seed() -> None:
    def draws(own: Try) -> Waiting[Attempt]:
        yield 0.0
        return Attempt(True, f"{own.random.uniform(0, 20)}")

    runs = [[end.seen for end in try_scenario(RIG, scenario(draws), 4, seed=seed).ends] for seed in (0, 0, 1)]
    assert runs[0] == runs[1]
    assert not {*runs[0]} & {*runs[2]}
    assert len({*runs[0]}) == 4


@pytest.mark.usefixtures("no_cluster")
def test_what_is_prepared_is_prepared_once_before_all_tries() -> None:
    order: list[str] = []

    def prepares(_: object) -> Waiting[None]:
        yield 0.1
        order.append("prepared")

    def notes(own: Try) -> Waiting[Attempt]:
        order.append(f"try {own.number}")
        yield 0.0
        return Attempt(True, "")

    try_scenario(RIG, scenario(notes, prepare=prepares), 2)
    assert order == ["prepared", "try 1", "try 2"]


def test_release_without_a_broker_cannot_run_a_cluster() -> None:
    with pytest.raises(PrerequisiteError) as refused:
        whole_rig(JarSet(read_lock("4.9.8"), Path("no/such/folder")))
    said = "no cluster of RocketMQ 4.9.8 can be started: Maven has no rocketmq-namesrv and no rocketmq-broker of it; "
    assert str(refused.value).startswith(said)


def test_every_story_of_a_scenario_is_recorded_and_has_one_scenario() -> None:
    recorded = recorded_stories()
    stories = [story for each in SCENARIOS for story in each.stories if each.name != "first-commits-together"]
    assert [story for story in stories if story not in recorded] == []
    assert len(stories) == len({*stories}) >= 9
    assert len({each.name for each in SCENARIOS}) == len(SCENARIOS)
    assert {recorded[story].world.release for story in stories} == {"4.9.4"}


def test_scenario_is_found_by_what_the_story_is_and_not_by_its_name() -> None:
    stories = recorded_stories()
    late = scenario_for("some/file.json", stories["I5-late-poll"])
    assert late is not None
    assert late is scenario_of("I5-late-poll")
    assert scenario_for("I5-orphan", stories["I5-orphan"]) is None


def test_story_that_its_model_no_longer_does_is_not_tried() -> None:
    trace = recorded_stories()["I13-zero-answered"]
    with pytest.raises(OtherModelError, match="only what the model does now is tried on the real classes"):
        scenario_for("edited", replace(trace, initial={}))


def test_deliveries_are_told_from_their_beginnings_and_ends() -> None:
    def note(what: str, at: int, body: str, batch: int, answer: str | None = None) -> dict[str, object]:
        return {
            "what": what,
            "at": at,
            "batch": batch,
            "body": body,
            "queue": 0,
            "offset": 3,
            "retries": 0,
            "answer": answer,
        }

    notes = [
        note("begins", 1000, "a", 1), note("begins", 1000, "b", 1), note("begins", 2000, "a", 2),
        note("ends", 2500, "a", 1, "SUCCESS"), note("ends", 2500, "b", 1, "SUCCESS"),
    ]  # fmt: skip
    assert deliveries_of(notes) == [
        Delivery("a", 0, 3, 0, 1, 1.0, 2.5, "SUCCESS"),
        Delivery("b", 0, 3, 0, 1, 1.0, 2.5, "SUCCESS"),
        Delivery("a", 0, 3, 0, 2, 2.0),
    ]


def test_script_is_told_to_a_listener_as_it_reads_it() -> None:
    script = Script(messages={"m1": ListenerBehaviour(ListenerAnswer.ROLLBACK, 1.5, ack_index=2, manual=True)})
    assert script.as_command() == {
        "otherwise": {"answer": "SUCCESS", "seconds": 0.0, "ackIndex": None, "throws": False, "manual": False},
        "messages": {
            "m1": {"answer": "ROLLBACK", "seconds": 1.5, "ackIndex": 2, "throws": False, "manual": True},
        },
    }


def test_waiting_gives_what_was_found_or_says_what_was_not() -> None:
    looks = iter([[], [], ["there"]])
    assert wait(until(lambda: next(looks), 5, "it comes")) == ["there"]
    with pytest.raises(NotInTimeError, match=r"^two messages: not in 0\.2 s$"):
        wait(until(lambda: None, 0.2, "two messages"))


def test_tally_without_a_telling_try_has_nothing_to_say() -> None:
    tally = Tally(SCENARIOS[0], "4.9.4", (TryEnd(1, None, "no route: not in 60 s", 60.0),))
    assert (tally.happened, tally.told) == (0, 0)
