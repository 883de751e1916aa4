"""`show --format junit4`: which stories become a test, and that each fails on its release and passes with the fix."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import copy

import pytest
from cli.program import run
from real.patched import patch

from offsetproof.checking.replaying import Replayed
from offsetproof.real.jars import JarSet
from offsetproof.real.jdk import QUICK_START, find_jdk
from offsetproof.real.maven import copy_artifacts
from offsetproof.reports.junit4.writing import COVERED, shown_junit4
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.verdict.prerequisite import NotForceableError

_LIBRARIES = ("junit:junit:4.13.2", "org.mockito:mockito-core:3.10.0")
"""As RocketMQ's own tests have them."""
_RUNNER = Path(__file__).parents[1] / "real" / "java" / "StoryRunner.java"
_FIX = "callback-checks-dropped"

SEEN_AT_END = {
    "I1-group-cleared-cache": "1",
    "I2-resume-overlapping-runs": "0",
    "I2-running-info-late-answer": "0",
    "I3-overtaken-by-pull": "0",
    "I4-ack-at-failure": "1",
    "I4-ack-first": "1",
    "I4-expansion-cold-skipped": "1",
    "I4-expansion-second-look": "1",
    "I4-killed-broker-second-look": "1",
    "I4-killed-second-look": "1",
    "I4-new-group-second-start": "2",
    "I4-query-error-skipped": "1",
    "I4-retry-timestamp-skipped-retries": "2",
    "I5-forward-in-two": "0",
    "I5-forward-other-owner": "0",
    "I5-forward-overtaken-commit": "0",
    "I5-late-poll": "1",
    "I5-late-pull": "1",
    "I5-offline-last-pull": "1",
    "I5-offline-late-commit": "1",
    "I5-offline-started-meanwhile": "1",
    "I5-one-cpu": "1",
    "I5-orphan": "1",
    "I5-other-owner": "1",
    "I5-overtaken-by-query": "1",
    "I5-overtaken-commit": "1",
    "I5-persist-in-two": "1",
    "I5-stalled-callback": "1",
    "I5-stalled-task": "1",
    "I7-stalled-task": "1",
    "I8-two-owners": "0",
    "I16-listener-outlives-persist": "null",
    "I16-waits-late-pull": "1",
    "I17-late-writer": "1",
    "I28-late-poll-raises-target": "1",
    "I29-killed-before-persist": "1",
    "I29-unforced-cleared": "2",
    "I30-late-last-pull": "1",
    "I32-hang-pinned": "0",
}
"""The stories that become a test, with what the test sees at its end on the release."""

REFUSED = {
    "I4-expansion-fixed-skipped": "the story has the fix no-zero-answer",
    "I4-new-group-stored-killed-at-start": "the story has the fix start-stored",
    "I4-recreated-down-second-look": "its thread comes to OffsetStore.removeOffset twice before it has to stop",
    "I4-recreated-marked": "the rig's topic is always there",
    "I4-unforced-ignores-force": "the broker marks a reset, and the test plays the broker",
    "I5-commit-with-marker": "the broker marks a reset, and the test plays the broker",
    "I5-forward-late-commit": "the broker marks a reset, and the test plays the broker",
    "I5-restarted-marker-forgotten": "the broker marks a reset, and the test plays the broker",
    "I5-running-info-late-answer": "to come before MQClientInstance.resetOffset (Iterator.remove)",
    "I5-twice-commit-with-marker": "the broker marks a reset, and the test plays the broker",
    "I6-lost-command": "no other value of what a test can see",
    "I6-nobody-writes": "no other value of what a test can see",
    "I6-restarted-commit-lost": "no other value of what a test can see",
    "I6-time-fixed-late-poll": "no other value of what a test can see",
    "I6-time-middle-of-equals": "no other value of what a test can see",
    "I7-at-broker-new-cell": "to come before RebalanceImpl.removeProcessQueue (setDropped)",
    "I8-heals-reset-fixed-late-run": "to come before RebalanceImpl.updateProcessQueueTableInRebalance (It",
    "I8-heals-reset-orphan": "no other value of what a test can see",
    "I8-heals-resume-late-run": "to come before RebalanceImpl.updateProcessQueueTableInRebalance (It",
    "I11-row-put-twice": "the broker makes a group's row, and the test plays the broker",
    "I13-zero-answered": "no other value of what a test can see",
    "I16-restarted-last-persist-lost": "the broker starts again, and the test plays the broker",
    "I16-waits-in-two": "to come before RemoteBrokerOffsetStore.updateOffset (compareAndIncreaseOnly)",
    "I18-orphan": "to come before DefaultMQPushConsumerImpl.resume (pause=)",
    "I21-second-broker-fails": "no other value of what a test can see",
    "I23-lost-swallowed-exception": "the test has nothing for lose_pull_request",
    "I28-ignores-force": "the broker marks a reset, and the test plays the broker",
    "I29-unforced-forward": "to come before RebalanceImpl.removeProcessQueue (setDropped)",
    "I31-broker-kill-older-file": "no other value of what a test can see",
    "I31-offsets-kept": "no other value of what a test can see",
    "I31-running-committed-again": "no other value of what a test can see",
    "I34-frozen-cell": "no other value of what a test can see",
    "I36-lost-command-goes-on": "a run without an end, which no test waits for",
    "I36-restarted-goes-on": "a run without an end, which no test waits for",
    "I37-killed-goes-on": "a run without an end, which no test waits for",
    "I37-reset-goes-on": "a run without an end, which no test waits for",
    "I40-hang-goes-on": "a run without an end, which no test waits for",
}
"""The others, with what is said of each."""

REMOVED = {"I1-group-cleared-cache", "I5-late-poll", "I5-one-cpu", "I17-late-writer", "I28-late-poll-raises-target"}
"""The stories of 4.9.4 that a callback which checks `dropped` removes, by the tests."""


def test_every_story_of_one_queue_is_written_or_refused_with_its_reason() -> None:
    assert {*SEEN_AT_END, *REFUSED} == {*recorded_stories().about(COVERED)}
    assert not SEEN_AT_END.keys() & REFUSED.keys()


@pytest.mark.slow
def test_what_is_refused_says_why() -> None:
    said = {}
    for name in REFUSED:
        with pytest.raises(NotForceableError) as refusal:
            shown_junit4(recorded_stories()[name], Replayed(True))
        said[name] = str(refusal.value)
    assert {name: why for name, why in said.items() if REFUSED[name] not in why} == {}


@pytest.mark.parametrize(("story", "why"), [
    ("I11-row-put-twice", "step 3, neighbour_commits: the broker makes a group's row, and the test plays the broker"),
    ("I12-power-empty-file", "the test plays no part of offset-files, only of rocketmq (one group, one queue)"),
])  # fmt: skip
def test_story_that_cannot_be_written_ends_with_30(story: str, why: str) -> None:
    ran = run("show", story, "--format=junit4")
    assert (ran.code, ran.out) == (30, "")
    assert why in ran.complaint


@pytest.mark.parametrize(("story", "why"), [
    ("I9-late-unlock", "step 1, broker_answers_lock: Answers a rebalance that asks for the lock of a queue"),
    ("I8-one-unsubscribed-still-a-member", "its steps are called as some of rocketmq's, and done on another rig"),
    ("I8-several-views-differ", "step 2, client_reads_members: Asks a broker for the members, "),
    ("I4-broadcast-ack-dropped", "step 2, rebalance_reads_file: Reads the queue's offset in the file, "),
    ("I12-power-empty-file", "step 1, broker_starts: Loads the offset file, and serves"),
])  # fmt: skip
def test_story_of_another_subject_is_refused_with_its_own_first_step(story: str, why: str) -> None:
    trace = recorded_stories()[story]
    with pytest.raises(NotForceableError, match=re.escape(why)) as refusal:
        shown_junit4(trace, Replayed(True))
    assert str(refusal.value).startswith(f"the test plays no part of {trace.subject}, only of rocketmq (one group, ")


def test_test_is_the_same_twice_and_a_class_for_java_8_under_the_license_of_the_asf() -> None:
    first, again = (run("show", "I5-late-poll", "--format=junit4") for _ in range(2))
    assert (first.code, first.out) == (0, again.out)
    assert first.out.startswith("/*\n * Licensed to the Apache Software Foundation (ASF) under one or more")
    assert "public class BackwardResetStaysI5LatePollTest {" in first.out
    assert not re.search(r"@[A-Z_]+@|^//%|Thread\.sleep\(|\bvar\b", first.out, re.MULTILINE)
    assert max(map(len, first.out.splitlines())) <= 140


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """A folder with the test of each story that becomes one."""
    folder, folders = tmp_path_factory.mktemp("written"), {}
    for name in SEEN_AT_END:
        text = shown_junit4(recorded_stories()[name], Replayed(True))
        folders[name] = folder / name
        folders[name].mkdir()
        (folders[name] / f"{_class_in(text)}.java").write_text(text, encoding="utf-8")
    return folders


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with JUnit, Mockito, and the compiled runner."""
    folder = tmp_path_factory.mktemp("libraries")
    for jar in copy_artifacts(_LIBRARIES, folder / "maven", seconds=300, tell=lambda said: None).values():
        copy(jar, folder)
    subprocess.run([find_jdk().javac, "-d", folder, "-cp", f"{folder}/*", str(_RUNNER)], check=True)
    return folder


def _class_in(text: str) -> str:
    (name,) = re.findall(r"^public class (\w+) \{$", text, re.MULTILINE)
    return str(name)


def _release_of(story: str) -> str:
    return (recorded_stories()[story].world.release or "").removesuffix("-client-reset")


def _run(
    folders: Mapping[str, Path], jars: JarSet, libraries: Path, out: Path, *, times: int, first: str = ""
) -> dict[str, tuple[int, int, str]]:
    """How often each test passed and failed, and with what, in one JVM in which these classes come first."""
    (out / "logback.xml").write_text('<configuration><root level="OFF"/></configuration>')
    class_path = os.pathsep.join([first, str(out), f"{libraries}", f"{libraries}/*", jars.class_path])
    quiet = [f"-Dlogback.configurationFile={out}/logback.xml", "-Drocketmq.client.logUseSlf4j=true"]
    quiet += [f"-Drocketmq.log.root={out}", f"-Duser.home={out}"]
    command = [find_jdk().java, QUICK_START, *quiet, "-cp", class_path, "StoryRunner", str(out), str(times)]
    ran = subprocess.run(
        [*command, *map(str, folders.values())], capture_output=True, text=True, check=True, timeout=900
    )
    rows = (line.split("\t") for line in ran.stdout.splitlines())
    return {name: (int(passed), int(failed), said) for name, passed, failed, _, said in rows}


@pytest.mark.slow
@pytest.mark.parametrize(("release", "classes"), [("4.9.4", "4.9.4"), ("5.3.3", "5.3.3"), ("5.3.3", "5.5.0")])
def test_each_test_fails_on_the_release_and_the_later_one_by_what_the_story_ends_with(
    release: str,
    classes: str,
    written: Mapping[str, Path],
    libraries: Path,
    published: Callable[[str], JarSet],
    tmp_path: Path,
) -> None:
    own = {name: folder for name, folder in written.items() if _release_of(name) == release}
    found = _run(own, published(classes), libraries, tmp_path, times=3)
    seen = {name: (counts, said.rpartition(", and is ")[2]) for name, (*counts, said) in found.items()}
    assert seen == {name: ([0, 3], SEEN_AT_END[name]) for name in own}
    assert {name for name, (*_, said) in found.items() if not said.startswith("AssertionError: ")} == set()


@pytest.mark.slow
def test_tests_pass_on_a_class_with_the_fix(
    written: Mapping[str, Path], libraries: Path, published: Callable[[str], JarSet], tmp_path: Path
) -> None:
    own = {name: folder for name, folder in written.items() if _release_of(name) == "4.9.4"}
    patched = patch(published("4.9.4"), tmp_path / "patched", _FIX)
    found = _run(own, published("4.9.4"), libraries, tmp_path, times=3, first=str(patched))
    assert {name for name, (passed, _, _) in found.items() if passed == 3} == REMOVED
    assert {name for name, (passed, _, _) in found.items() if passed} == REMOVED
