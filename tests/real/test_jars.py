"""The jars of a release: all there and as published, or an error that says what is wrong and what to do."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from real.published import JARS, RELEASE, Machine, in_repository, put_programs

from offsetproof.lang.scope import UnknownNameError
from offsetproof.real import jdk
from offsetproof.real.fetching import fetch
from offsetproof.real.jars import LOCKS, JarSet, jars_of, read_lock, releases
from offsetproof.real.maven import last_words
from offsetproof.verdict.prerequisite import PrerequisiteError
from tools.lock_jars import RELEASES, lock_of, text_of

PUBLISHED = {Path(in_repository(coordinates)).name: data for coordinates, data in JARS.items()}
CLIENT, TOOLS = f"rocketmq-client-{RELEASE}.jar", f"rocketmq-tools-{RELEASE}.jar"
AGAIN = f"to fetch them again run: offsetproof rocketmq fetch {RELEASE}"


def test_each_release_has_a_lock_that_names_every_jar_once() -> None:
    assert releases() == RELEASES
    for release in releases():
        lock = read_lock(release)
        names = [jar.file for jar in lock.jars]
        assert names == sorted({*names})
        assert {jar.coordinates for jar in lock.jars} >= {*lock.asked}
        assert not {jar.coordinates for jar in lock.jars} & {*lock.lacking}
        for jar in lock.jars:
            assert re.fullmatch(r"[0-9a-f]{64}", jar.sha256)
            assert jar.bytes > 0
            _, artifact, *version = jar.coordinates.split(":")
            assert jar.file == f"{'-'.join([artifact, *version])}.jar"


def test_a_lock_says_what_of_its_release_could_not_be_had() -> None:
    assert {release: [each.split(":")[1] for each in read_lock(release).lacking] for release in releases()} == {
        "4.9.4": [],
        "4.9.8": ["rocketmq-namesrv", "rocketmq-broker"],
        "5.3.3": [],
        "5.5.0": [],
    }


def test_fetched_jars_are_those_of_the_lock_and_nothing_is_left_beside_them(machine: Machine) -> None:
    told: list[object] = []
    fetched = fetch(RELEASE, tell=told.append)
    assert fetched.seconds is not None
    assert machine.there == PUBLISHED
    assert machine.left == []
    assert fetched.jars == jars_of(RELEASE)
    paths = [str(machine.cache / RELEASE / name) for name in (CLIENT, TOOLS)]
    assert fetched.jars.class_path == os.pathsep.join(paths)
    assert fetched.jars.release == RELEASE
    assert re.fullmatch(r"[0-9a-f]{64}", fetched.jars.digest)


def test_jars_that_are_there_are_not_fetched_again_and_need_no_maven(machine: Machine) -> None:
    fetch(RELEASE)
    (machine.programs / "mvn").unlink()
    assert fetch(RELEASE).seconds is None
    assert len(machine.calls) == 1


def test_jars_that_were_never_fetched_say_the_command(machine: Machine) -> None:
    with pytest.raises(PrerequisiteError) as refused:
        jars_of(RELEASE)
    assert str(refused.value) == (
        f"the jars of RocketMQ {RELEASE} have not been fetched; run: offsetproof rocketmq fetch {RELEASE}"
    )
    assert not machine.cache.exists()


def test_release_without_a_lock_is_refused_with_those_that_have_one(machine: Machine) -> None:
    with pytest.raises(UnknownNameError, match=r"no release named '1\.00'; choose from 1\.0"):
        fetch("1.00")
    with pytest.raises(UnknownNameError):
        jars_of("../1.0")
    assert machine.calls == []


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[0] ^= 1
    file.write_bytes(data)


def shorten(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def make_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a flipped bit": (lambda there: flip(there / CLIENT), f"{CLIENT} is damaged"),
    "cut off": (lambda there: shorten(there / CLIENT), f"{CLIENT} is damaged"),
    "a folder of its name": (lambda there: make_folder(there / CLIENT), f"{CLIENT} is damaged"),
    "a link to nothing": (
        lambda there: ((there / CLIENT).unlink(), (there / CLIENT).symlink_to("nowhere")),
        f"{CLIENT} is damaged",
    ),
    "missing": (lambda there: (there / TOOLS).unlink(), f"{TOOLS} is missing"),
    "extra": (lambda there: (there / "evil.jar").write_bytes(b"x"), "evil.jar does not belong there"),
    "several": (
        lambda there: (flip(there / CLIENT), (there / TOOLS).unlink(), *((there / n).mkdir() for n in "ab")),
        f"{CLIENT} is damaged, {TOOLS} is missing, a does not belong there and 1 more",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_noticed_at_each_use_and_repaired_by_fetching_again(machine: Machine, damage: str) -> None:
    fetch(RELEASE)
    do, said = DAMAGES[damage]
    do(machine.cache / RELEASE)
    with pytest.raises(PrerequisiteError) as refused:
        jars_of(RELEASE)
    assert str(refused.value).endswith(f"are not what was published: {said}; {AGAIN}")
    fetch(RELEASE)
    assert machine.there == PUBLISHED
    assert machine.left == []


def test_repair_that_fails_leaves_what_was_there(machine: Machine) -> None:
    fetch(RELEASE)
    flip(machine.cache / RELEASE / CLIENT)
    machine.put_maven(code=1)
    with pytest.raises(PrerequisiteError, match=f"^Maven could not get rocketmq-tools {RELEASE}: "):
        fetch(RELEASE)
    assert machine.there.keys() == PUBLISHED.keys()
    assert machine.left == []


GIVEN: dict[str, tuple[dict[str, bytes], str]] = {
    "another": ({**JARS, next(iter(JARS)): b"another"}, f"{CLIENT} is damaged"),
    "none of them": ({}, f"{CLIENT} is missing, {TOOLS} is missing"),
    "one too many": ({**JARS, "a:more:1": b""}, "more-1.jar does not belong there"),
}


@pytest.mark.parametrize("given", GIVEN)
def test_jars_that_are_not_as_locked_never_get_into_the_cache(machine: Machine, given: str) -> None:
    jars, said = GIVEN[given]
    machine.put_maven(jars)
    with pytest.raises(PrerequisiteError) as refused:
        fetch(RELEASE)
    assert str(refused.value) == (
        f"Maven gave other jars of RocketMQ {RELEASE} than were published: {said}; "
        "delete them from Maven's local repository, or look at the mirror that it uses, and fetch again"
    )
    assert not (machine.cache / RELEASE).exists()
    assert machine.left == []


def test_maven_that_fails_is_told_in_its_own_words_and_leaves_nothing(machine: Machine) -> None:
    said = "[INFO] Scanning\n[ERROR] Unknown host nowhere -> [Help 1]\n[ERROR]\n[ERROR] Re-run Maven using -X"
    machine.put_maven(JARS, said=said, code=1)
    with pytest.raises(PrerequisiteError) as failed:
        fetch(RELEASE)
    assert str(failed.value) == f"Maven could not get rocketmq-tools {RELEASE}: Unknown host nowhere"
    assert not (machine.cache / RELEASE).exists()
    assert machine.left == []


@pytest.mark.parametrize(("output", "said"), [
    ("", ""),
    ("a\nb\n\nc\nd\n", "b c d"),
    ("[ERROR] one\n[ERROR] two\n[ERROR] three\n[ERROR] four\n", "one two three"),
    ("[ERROR] " + "x" * 1000, "x" * 597 + "..."),
])  # fmt: skip
def test_last_words_are_few(output: str, said: str) -> None:
    assert last_words(output) == said


def test_maven_that_hangs_is_ended_when_the_time_is_over(machine: Machine) -> None:
    machine.put_maven(JARS, then=60)
    begun = time.monotonic()
    with pytest.raises(
        PrerequisiteError, match=r"Maven had not ended after 2 s; is there a network\? --timeout gives it"
    ):
        fetch(RELEASE, seconds=2)
    assert time.monotonic() - begun < 20
    assert machine.left == []
    (maven,) = machine.calls
    assert is_gone(maven)


def is_gone(process: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(process, 0)
        return False
    return True


def test_two_who_fetch_at_once_fetch_once(machine: Machine) -> None:
    machine.put_maven(JARS, then=0.5)
    told: list[object] = []
    with ThreadPoolExecutor(2) as pool:
        both = [*pool.map(lambda _: fetch(RELEASE, tell=told.append), range(2))]
    assert len(machine.calls) == 1
    assert sorted(each.seconds is None for each in both) == [False, True]
    assert machine.there == PUBLISHED
    assert machine.left == []
    assert "another process fetches it" in told


def test_who_waits_for_another_too_long_says_so(machine: Machine) -> None:
    machine.put_maven(JARS, first=3)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(fetch, RELEASE)
        wait_until(lambda: bool(machine.calls))
        with pytest.raises(PrerequisiteError, match=r"another process fetches .*1\.0, and has not ended after 0\.5 s"):
            fetch(RELEASE, seconds=0.5)
        assert other.result().jars == jars_of(RELEASE)


KILLED = """
import sys
from pathlib import Path
from offsetproof.real import jars
from offsetproof.real.fetching import fetch
jars.LOCKS = Path(sys.argv[1])
fetch(sys.argv[2])
"""


def test_what_a_killed_fetch_has_left_is_cleared_away_by_the_next(machine: Machine) -> None:
    machine.put_maven(JARS, then=600)
    command = [sys.executable, "-c", KILLED, str(machine.locks), RELEASE]
    with subprocess.Popen(command, env={**os.environ, **machine.environment}) as killed:
        wait_until(lambda: bool([*machine.cache.glob(".1.0-*/maven/artifacts/**/*.jar")]))
        killed.kill()
    for maven in machine.calls:
        os.kill(maven, signal.SIGKILL)
    assert len(machine.left) == 1
    with pytest.raises(PrerequisiteError, match="have not been fetched"):
        jars_of(RELEASE)
    machine.put_maven(JARS)
    fetch(RELEASE)
    assert machine.there == PUBLISHED
    assert machine.left == []


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_is_missing_is_told_at_once_with_what_to_install(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(machine.locks))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(PrerequisiteError) as refused:
        fetch(RELEASE)
    assert str(refused.value) == (
        "a JDK 17 or newer is needed, and there is no java on the path; install it, on Debian with: apt-get install "
        "default-jdk-headless; Maven is needed, and there is no mvn on the path; install it, on Debian with: apt-get "
        "install maven"
    )


JDKS: dict[str, tuple[dict[str, str], str]] = {
    "no java": ({"javac": "javac 17.0.1"}, "there is no java in JAVA_HOME"),
    "a runtime alone": ({"java": "jdk.jdi@17"}, r"there is a java, but no compiler \(javac\) in JAVA_HOME"),
    "too old": ({"java": "jdk.jdi@11", "javac": "javac 11.0.20"}, r"\S+/javac is of Java 11"),
    "of old": ({"java": "jdk.jdi@8", "javac": "javac 1.8.0_292"}, r"\S+/javac is of Java 8"),
    "odd": ({"java": "jdk.jdi@17", "javac": "hello"}, r"\S+/javac does not say of which version it is"),
    "no debugger": ({"java": "java.base@17", "javac": "javac 17"}, r"\S+/java lacks the module jdk\.jdi"),
}


@pytest.mark.parametrize("has", JDKS)
def test_java_that_is_not_enough_is_told(has: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs, said = JDKS[has]
    put_programs(tmp_path / "bin", programs)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(PrerequisiteError, match=rf"^a JDK 17 or newer is needed, and {said}; install it, "):
        jdk.find_jdk()


def test_jdk_that_is_enough_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_programs(tmp_path / "bin", {"java": "jdk.jdi@21.0.1", "javac": "javac 21.0.1"})
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert jdk.find_jdk() == jdk.Jdk(str(tmp_path / "bin" / "java"), str(tmp_path / "bin" / "javac"))


def test_jdk_on_the_path_is_found_where_no_other_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    found = jdk.find_jdk()
    assert (found.java, found.javac) == (shutil.which("java"), shutil.which("javac"))


@pytest.mark.slow
def test_real_maven_gives_the_jars_of_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFFSETPROOF_CACHE", str(tmp_path))
    fetched = fetch("4.9.4")
    assert fetched.seconds is not None
    assert {file.name for file in fetched.jars.folder.iterdir()} == {jar.file for jar in read_lock("4.9.4").jars}
    assert len(fetched.jars.class_path.split(os.pathsep)) == 43


def test_releases_have_different_digests(published: Callable[[str], JarSet]) -> None:
    found = published("4.9.4")
    assert found.digest == read_lock("4.9.4").digest
    assert len({read_lock(release).digest for release in releases()}) == len(releases())


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_lock_is_what_maven_resolves(release: str) -> None:
    committed = (LOCKS / f"{release}.json").read_text(encoding="utf-8")
    assert text_of(lock_of(release)) == committed, "run `make jars`"
