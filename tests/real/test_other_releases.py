"""The rig on 4.9.8 and 5.3.3 starts and does steps; where the model differs from them it does so for a reason."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.subject import load_subject
from offsetproof.conformance.other_release import BEGINNING, Difference, Differences, difference_of, without_twins
from offsetproof.conformance.walks import conform_settings, settings_to_conform
from offsetproof.real.compiling import COMMANDS, MOVED, PARTS, SOURCES, CompiledRig, compile_rig, sources_of
from offsetproof.real.conform import Disagreement
from offsetproof.real.jars import JarSet, releases
from offsetproof.real.sidecar import Gates
from studies.conforming import OTHER_RELEASES, other_release
from studies.other_releases import DATA, WHY


def test_each_release_has_its_parts_and_nothing_of_another() -> None:
    assert set(PARTS) == set(releases())
    folders = {folder.name for folder in SOURCES.iterdir() if folder.is_dir() and folder.name != "__pycache__"}
    assert folders == {"whole", "live", *COMMANDS, *(part for parts in PARTS.values() for part in parts)}
    (before, now) = MOVED["5.3.3"]
    of_brokers = {"Brokers.java", "BrokerFileOwner.java", "RefusedBroker.java", "Outer.java"}
    assert {*sources_of("5.3.3")} - {*sources_of("4.9.8")} == of_brokers
    assert {*sources_of("4.9.4")} == {*sources_of("5.3.3")}
    assert {*sources_of("4.9.8")} <= {*sources_of("4.9.4")}
    for release in releases():
        text = "".join(sources_of(release).values())
        assert (before in text) == (release not in MOVED)
        assert now in text or release not in MOVED


@pytest.fixture
def rig_of(published: Callable[[str], JarSet]) -> Callable[[str], CompiledRig]:
    return lambda release: compile_rig(published(release))


@pytest.mark.slow
@pytest.mark.parametrize("release", OTHER_RELEASES)
@pytest.mark.parametrize("gates", [*Gates])
def test_consumer_rig_starts_and_takes_the_steps_of_a_batch(
    rig_of: Callable[[str], CompiledRig], release: str, gates: Gates
) -> None:
    subject = SINGLES["rocketmq"].subjects[0]
    setting = settings_to_conform(subject, "batch")[0]
    (done,) = conform_settings(rig_of(release), subject, [setting], steps=60, seed=1, gates=gates)
    assert (done.release, done.result.steps, done.result.disagreements) == (release, 60, [])
    assert {"rebalance_adds_queue", "consumer_pulls", "poll_finds_messages"} <= set(done.result.taken)


@pytest.mark.slow
def test_5_3_3_differs_from_the_model_where_the_queue_is_empty(rig_of: Callable[[str], CompiledRig]) -> None:
    subject = SINGLES["rocketmq"].subjects[0]
    setting = settings_to_conform(subject, "calm-reset")[0]
    (done,) = conform_settings(rig_of("5.3.3"), subject, [setting], steps=300, seed=1, gates=Gates.WOVEN)
    assert not done.agrees
    assert set(done.lacking) == {"repair_updates_cell"}
    (found,) = done.result.disagreements
    assert (found.steps[-1][0], found.field) == ("rebalance_stores_start", "consumer[0].cell")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "steps"), [("orderly", 30_000), ("broadcasting", 20_000), ("several-queues", 10_000)])
def test_model_of_4_9_8_agrees_with_its_classes(rig_of: Callable[[str], CompiledRig], name: str, steps: int) -> None:
    subject = SINGLES[name].subjects[0]
    settings = settings_to_conform(subject, release="4.9.8")
    assert {setting.release for setting in settings} == {"4.9.8"}
    done = [*conform_settings(rig_of("4.9.8"), subject, settings, steps=steps, seed=3, gates=Gates.WOVEN)]
    assert [str(found) for each in done for found in each.result.disagreements] == []
    assert sum(each.result.steps for each in done) == steps


@pytest.mark.slow
def test_component_of_which_the_rig_has_no_classes_is_unknown(rig_of: Callable[[str], CompiledRig]) -> None:
    subject = SINGLES["offset-files"].subjects[0]
    settings = settings_to_conform(subject, "broker-kills") + settings_to_conform(subject, "client-kills")
    broker, client = conform_settings(rig_of("4.9.8"), subject, settings, steps=80, seed=1, gates=Gates.WOVEN)
    assert broker.not_held == "a broker's offset file: the broker of this release is not published"
    assert (broker.agrees, broker.result.steps) == (False, 0)
    assert (client.not_held, client.result.steps > 0) == ("", True)


@pytest.mark.slow
def test_two_processes_that_share_a_lock_in_one_jvm_are_not_held(rig_of: Callable[[str], CompiledRig]) -> None:
    subject = SINGLES["offset-files"].subjects[0]
    of_release = {
        release: settings_to_conform(subject, "broker-twice", release=release) for release in ("5.3.3", "5.5.0")
    }
    (old,), (new,) = (
        [*conform_settings(rig_of(release), subject, settings, steps=80, seed=1, gates=Gates.WOVEN)]
        for release, settings in of_release.items()
    )
    assert "share the lock of string2File" in old.not_held
    assert (new.not_held, new.agrees, new.result.steps) == ("", True, 80)


@pytest.mark.slow
def test_model_lacks_no_place_in_its_own_release(rig: CompiledRig) -> None:
    for name in ("rocketmq", "orderly", "offset-files", "broadcasting", "several-queues", "replicas"):
        subject = SINGLES[name].subjects[0]
        setting = settings_to_conform(subject)[0]
        (done,) = conform_settings(rig, subject, [setting], steps=40, seed=1, gates=Gates.WOVEN)
        assert (done.lacking, done.agrees) == ({}, True)


def test_difference_of_several_components_is_told_once_with_its_shortest_way() -> None:
    one, same, other = (Difference("a", act, "cell", "", "", "", n) for act, n in (("x", 9), ("x", 4), ("y", 1)))
    told = [*without_twins([Differences("a", 10, (one,)), Differences("b", 10, (same, other))])]
    assert told == [(same, 2), (other, 1)]


def test_difference_before_the_first_step_is_told_as_one() -> None:
    found = Disagreement((), "consumer[0].cell", None, 7, "the rig does not start where the model does")
    told = difference_of("reset", load_subject("rocketmq"), "4.9.8", found)
    assert (told.action, told.field, told.reason, told.length) == (BEGINNING, "consumer[].cell", "7 and not None", 0)
    nothing = difference_of(
        "reset", load_subject("rocketmq"), "4.9.8", Disagreement((), None, None, None, "it is gone")
    )
    assert (nothing.action, nothing.field, nothing.reason) == (BEGINNING, None, "it is gone")


def test_each_recorded_difference_has_a_reason_and_each_reason_a_difference() -> None:
    data = json.loads(DATA.read_text(encoding="utf-8"))
    assert [*data] == [*OTHER_RELEASES]
    found = {(row["action"], row["field"]) for each in data.values() for row in each["found"]}
    assert found == set(WHY)
    assert all(each["agree"] == each["components"] for release, each in data.items() if release != "4.9.8")


@pytest.mark.slow
@pytest.mark.parametrize("release", OTHER_RELEASES)
def test_other_releases_still_differ_as_the_data_says(release: str) -> None:
    recorded = json.loads(DATA.read_text(encoding="utf-8"))[release]
    assert json.loads(json.dumps(other_release(release))) == recorded
