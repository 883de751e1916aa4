"""docs/studies/natural.md: how tries are run and counted, and what was counted on each release."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from offsetproof.programs import ProgramFailedError
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.jars import JarSet
from offsetproof.real.sidecar import CommandRefusedError
from offsetproof.real.whole.cluster import release_of
from offsetproof.traces.recorded_stories import recorded_stories
from studies import natural
from studies.natural import read
from studies.natural_page import scenarios
from studies.natural_timing import trying
from studies.natural_timing.scenarios import SCENARIOS
from studies.natural_timing.trying import RELEASE, Attempt, Scenario, Try, try_scenario
from studies.natural_timing.waiting import NotInTimeError, Waiting, until, wait

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
        assert (tally.happened, tally.told) == (3, 6)
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
    assert (tally.happened, tally.told) == (2, 2)


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
        raise ProgramFailedError("consumer 01-first ended during `start`")

    with pytest.raises(ProgramFailedError, match="01-first ended"):
        try_scenario(RIG, scenario(dies), 3)


@pytest.mark.usefixtures("no_cluster")
def test_moments_are_the_same_in_each_run_and_differ_from_try_to_try() -> None:
    def draws(own: Try) -> Waiting[Attempt]:
        yield 0.0
        return Attempt(True, f"{own.random.uniform(0, 20)}")

    runs = [[end.seen for end in try_scenario(RIG, scenario(draws), 4).ends] for _ in range(2)]
    assert runs[0] == runs[1]
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


def test_every_story_of_a_scenario_is_recorded_and_has_one_scenario() -> None:
    recorded = recorded_stories()
    stories = [story for each in SCENARIOS for story in each.stories if each.name != "first-commits-together"]
    assert [story for story in stories if story not in recorded] == []
    assert len(stories) == len({*stories}) >= 9
    assert len({each.name for each in SCENARIOS}) == len(SCENARIOS)
    assert all(recorded[story].world.release in each.releases for each in SCENARIOS for story in each.stories)


def test_waiting_gives_what_was_found_or_says_what_was_not() -> None:
    looks = iter([[], [], ["there"]])
    assert wait(until(lambda: next(looks), 5, "it comes")) == ["there"]
    with pytest.raises(NotInTimeError, match=r"^two messages: not in 0\.2 s$"):
        wait(until(lambda: None, 0.2, "two messages"))


def test_every_scenario_was_tried_twenty_times_on_its_releases() -> None:
    found = read()
    tried = {(each.name, release): found[release].get(each.name) for each in SCENARIOS for release in each.releases}
    assert {key: tally and len(tally["tries"]) for key, tally in tried.items()} == dict.fromkeys(tried, 20)
    assert {tally["release"] for release, tallies in found.items() for tally in tallies.values()} == {*found}


def test_clients_of_another_release_are_those_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(natural, "fetch", lambda release: SimpleNamespace(jars=release))
    monkeypatch.setattr(natural, "whole_rig", lambda jars: f"rig of {jars}")
    assert natural.rigs_of("5.3.3") == ("rig of 5.3.3", None)
    assert natural.rigs_of("broker=5.3.3,client=4.9.4") == ("rig of 5.3.3", "rig of 4.9.4")
    clients = replace(RIG, release="4.9.8")
    assert (release_of(RIG, None), release_of(RIG, RIG)) == ("4.9.4", "4.9.4")
    assert release_of(RIG, clients) == "broker=4.9.4,client=4.9.8"


def test_counts_are_those_of_the_tries() -> None:
    for tallies in read().values():
        for name, tally in tallies.items():
            happened = [each["happened"] for each in tally["tries"]]
            told = len(happened) - happened.count(None)
            assert (tally["happened"], tally["told"], tally["scenario"]) == (happened.count(True), told, name)
            assert [each["number"] for each in tally["tries"]] == [*range(1, len(happened) + 1)]


def test_what_differs_in_many_numbers_is_one_line_and_what_differs_in_few_stays() -> None:
    (scenario, *_) = SCENARIOS
    seen = [f"killed after {seconds} s; {lost} lost" for seconds, lost in ((9, 1), (10, 0), (11, 0), (12, 0))]
    few = [*(["3 committed"] * 2), "4 committed", "10 committed"]
    tries = [{"happened": True, "seen": text} for text in seen] + [{"happened": False, "seen": text} for text in few]
    tally = {"tries": tries, "told": 8, "happened": 4}
    page = scenarios({RELEASE: {scenario.name: tally}})
    rows = [line.removeprefix(f"| {RELEASE} | ") for line in page.splitlines() if line.startswith(f"| {RELEASE} ")]
    assert rows == [
        "4 | happened | killed after 9 to 12 s; 0 to 1 lost |", "2 | did not | 3 committed |",
        "1 | did not | 10 committed |", "1 | did not | 4 committed |",
    ]  # fmt: skip


@pytest.mark.slow
def test_scenario_that_always_happens_is_counted_and_its_logs_are_kept(
    tmp_path: Path, published: Callable[[str], JarSet], monkeypatch: pytest.MonkeyPatch
) -> None:
    published(RELEASE)
    monkeypatch.setattr(natural, "DATA", tmp_path / "natural.json")
    monkeypatch.setattr(sys, "argv", ["natural", "new-group", "--times=2", "--logs", str(tmp_path)])
    natural.main()
    counted = read()[RELEASE]["new-group"]
    assert (counted["happened"], counted["told"]) == (2, 2)
    assert {each["seen"] for each in counted["tries"]} == {"5 of 5 old messages delivered"}
    kept = tmp_path / RELEASE / "new-group"
    assert "new-group-02, add a new mq" in (kept / "02-first" / "rocketmq_client.log").read_text()
    assert (kept / "broker" / "broker.log").stat().st_size > 0
