"""Somebody's own classes in front of a release's: which run, where their lines are, and what cannot be used."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from real.patched import Patched
from real.stories import RELEASE, story

from offsetproof.conformance.on_release import lines_of, replay_on
from offsetproof.conformance.walks import conform_settings, settings_to_conform
from offsetproof.lang.anchor import Anchor, at
from offsetproof.reading.files import UnusableFileError
from offsetproof.real.compiling import compile_rig
from offsetproof.real.jars import JarSet
from offsetproof.real.own_classes import OwnClasses, read_class_path
from offsetproof.real.program import AbsentError
from offsetproof.real.replay import OutcomeKind, ReplayOutcome
from offsetproof.real.sidecar import Gates

CHECKS, ENDS = (at("DefaultMQPushConsumerImpl.PullCallback", "onSuccess", call) for call in ("", "correctTagsOffset"))
REMOVES = at("ProcessQueue", "removeMessage")


@pytest.fixture
def own(published: Callable[[str], JarSet], patched: Patched) -> Callable[..., OwnClasses]:
    """Changed classes in front of the jars of 4.9.4."""
    return lambda *changes: read_class_path(str(patched(*changes)), published(RELEASE))


def line_in(own: OwnClasses | None, anchor: Anchor) -> int | None:
    """The line of an anchor in these classes."""
    tables = lines_of(story("I5-late-poll").subject, RELEASE, own)
    return next((line for table in tables if (line := table.line_of.get(anchor)) is not None), None)


def replayed(own: OwnClasses, name: str, gates: Gates = Gates.WOVEN) -> ReplayOutcome:
    (each,) = replay_on(compile_rig(own.jars, own), [story(name)], gates)
    assert each.own is own
    return each.outcome


@pytest.mark.slow
@pytest.mark.parametrize("gates", Gates)
def test_class_with_other_lines_that_does_the_same_reproduces_the_story(
    own: Callable[..., OwnClasses], gates: Gates
) -> None:
    moved = own("moved-lines")
    assert [line_in(None, anchor) for anchor in (CHECKS, ENDS, REMOVES)] == [312, 362, 192]
    assert [line_in(moved, anchor) for anchor in (CHECKS, ENDS, REMOVES)] == [1312, 1362, 192]
    assert replayed(moved, "I5-late-poll", gates).kind is OutcomeKind.REPRODUCED


@pytest.mark.slow
def test_patched_class_runs_in_place_of_the_released_one(own: Callable[..., OwnClasses]) -> None:
    checks = own("callback-checks-dropped")
    assert [name.rpartition("/")[2] for name in checks.replaced] == ["DefaultMQPushConsumerImpl$1"]
    outcome = replayed(checks, "I5-late-poll")
    assert (outcome.kind, outcome.step) == (OutcomeKind.DIVERGED, 20)
    assert outcome.reason.startswith("thread callback 0 0 is over, not at ")


@pytest.mark.slow
def test_story_with_a_fix_is_done_by_the_class_that_has_it(own: Callable[..., OwnClasses]) -> None:
    """The rig does not play the fix there: without it the callback goes on."""
    assert replayed(own("callback-checks-dropped"), "I5-stalled-task").kind is OutcomeKind.REPRODUCED
    outcome = replayed(own("moved-lines"), "I5-stalled-task")
    assert outcome.kind is OutcomeKind.REPRODUCED  # nothing is dropped when this story's callback looks


@pytest.mark.slow
def test_conformance_holds_a_patched_class_against_the_model_with_its_fix(own: Callable[..., OwnClasses]) -> None:
    subject, found = story("I5-late-poll").subject, {}
    for changes in ("callback-checks-dropped", "moved-lines"):
        rig = compile_rig(own(changes).jars, own(changes))
        for fixes in ((), ("poll-checks-dropped",)):
            settings = settings_to_conform(subject, "calm-reset", fixes)
            (each,) = conform_settings(rig, subject, settings, steps=400, seed=0, gates=Gates.WOVEN)
            assert (each.fixes, each.own) == (fixes, own(changes))
            found[changes, fixes] = [differing.steps[-1][0] for differing in each.result.disagreements]
    assert found == {
        ("callback-checks-dropped", ()): ["poll_ends_without_news"],
        ("callback-checks-dropped", ("poll-checks-dropped",)): [],
        ("moved-lines", ()): [],
        ("moved-lines", ("poll-checks-dropped",)): ["poll_checks_dropped"],
    }


def test_method_that_is_gone_is_the_reason(own: Callable[..., OwnClasses]) -> None:
    gone = own("no-remove")
    assert line_in(gone, REMOVES) is None
    schedule = story("I5-late-poll").schedule(RELEASE, gone)
    with pytest.raises(AbsentError, match=r"this release: ProcessQueue has no method removeMessage$"):
        schedule.place(REMOVES)


def test_class_without_line_numbers_is_refused_with_the_way_out(own: Callable[..., OwnClasses]) -> None:
    without = own("no-lines")
    said = rf"^--classpath: {without.paths[0]}: ProcessQueue\.\w+ has no code with line numbers, .*\(javac -g, or"
    with pytest.raises(UnusableFileError, match=said):
        line_in(without, REMOVES)


def test_jar_is_as_good_as_a_folder(own: Callable[..., OwnClasses], tmp_path: Path) -> None:
    folder, jar = own("moved-lines"), tmp_path / "moved.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for name in folder.replaced:
            archive.writestr(f"{name}.class", folder.containers[0].data(name))
    packed = read_class_path(f"{jar}:{jar}", folder.jars)
    assert (packed.paths, packed.replaced, packed.others) == ((str(jar),), folder.replaced, folder.replaced)
    assert line_in(packed, ENDS) == 1362


@pytest.mark.slow
def test_classes_that_look_otherwise_to_others_make_another_rig(own: Callable[..., OwnClasses]) -> None:
    """The rig is compiled against them; a class that does something else looks as it did."""
    jars = own("moved-lines").jars
    release, changed, without = (
        compile_rig(jars, each).jar for each in (None, own("callback-checks-dropped"), own("no-remove"))
    )
    assert release == changed != without
    assert compile_rig(jars, replace(own("no-remove"))).jar == without


def test_class_path_that_cannot_be_used_says_why(published: Callable[[str], JarSet], tmp_path: Path) -> None:
    (tmp_path / "text.jar").write_text("no jar")
    (tmp_path / "empty").mkdir()
    (tmp_path / "others" / "com").mkdir(parents=True)
    (tmp_path / "others" / "com" / "Acme.class").write_bytes(b"")
    for part, why in {
        "nowhere": "there is no folder or jar {}",
        "text.jar": "{} is neither a folder nor a jar",
        "empty": "{} has no classes",
        "others": "none of the 1 classes in {} has the name of a class of RocketMQ 4.9.4, so nothing would be "
        "replaced; name the folder that has org/ in it",
    }.items():
        with pytest.raises(UnusableFileError) as refused:
            read_class_path(str(tmp_path / part), published(RELEASE))
        assert str(refused.value) == "--classpath: " + why.format(tmp_path / part)
    with pytest.raises(UnusableFileError, match="it is empty"):
        read_class_path(":", published(RELEASE))
