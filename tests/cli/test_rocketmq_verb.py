"""`rocketmq fetch` as users run it: what it says, what it ends with, and that it leaves nothing half done."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.program import PROGRAM, environment, run, run_anew
from systems.schemas import read_valid

from offsetproof.real.jars import JarSet, read_lock


@pytest.fixture
def java_alone(tmp_path: Path) -> str:
    """A path with a JDK and no Maven."""
    folder = tmp_path / "java"
    folder.mkdir()
    for name in ("java", "javac"):
        program = shutil.which(name)
        assert program is not None
        (folder / name).symlink_to(Path(program).resolve())
    return str(folder)


def with_maven(folder: Path, script: str) -> str:
    """A path with this program in Maven's place."""
    folder.mkdir()
    (folder / "mvn").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "mvn").chmod(0o755)
    return os.pathsep.join([str(folder), os.environ["PATH"]])


def test_fetched_release_needs_neither_maven_nor_network(published: Callable[[str], JarSet], java_alone: str) -> None:
    there = published("4.9.4").folder
    lock = read_lock("4.9.4")
    ran = run_anew("rocketmq", "fetch", "4.9.4", PATH=java_alone)
    assert (ran.code, ran.err) == (0, "")
    told = f"RocketMQ 4.9.4: {len(lock.jars)} jars, {lock.bytes / 1e6:.1f} MB, all there, each as published"
    assert ran.out == f"{told}\n  {there}\n"


def test_json_says_where_the_jars_are(published: Callable[[str], JarSet]) -> None:
    jars = published("4.9.4")
    ran = run("rocketmq", "fetch", "4.9.4", "4.9.4", "--check", "--format=json")
    assert (ran.code, ran.err) == (0, "")
    assert read_valid("rocketmq", ran.out)["fetched"] == [{
        "release": "4.9.4", "folder": str(jars.folder), "jars": len(jars.lock.jars), "bytes": jars.lock.bytes,
        "digest": jars.digest, "lacking": [], "seconds": None,
    }]  # fmt: skip


@pytest.mark.parametrize(("named", "elsewhere"), [
    ("4.9.5", ""),
    (
        "5.3.3-client-reset",
        "; 5.3.3-client-reset is a release in rocketmq, orderly, several-queues, broadcasting, replicas: "
        "`offsetproof list 5.3.3-client-reset`",
    ),
])  # fmt: skip
def test_release_that_does_not_exist_is_refused_before_anything_is_fetched(
    tmp_path: Path, named: str, elsewhere: str
) -> None:
    ran = run_anew("rocketmq", "fetch", "4.9.4", named, OFFSETPROOF_CACHE=str(tmp_path))
    assert (ran.code, ran.out) == (2, "")
    assert ran.complaint == (
        f"offsetproof: no release named {named!r}; choose from 4.9.4, 4.9.8, 5.3.3, 5.5.0{elsewhere}"
    )
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("words", [("get", "4.9.4"), ("fetch",), ()])
def test_task_and_releases_have_to_be_named(words: tuple[str, ...]) -> None:
    assert run("rocketmq", *words).code == 2


def test_missing_maven_is_a_missing_prerequisite(tmp_path: Path, java_alone: str) -> None:
    ran = run_anew("rocketmq", "fetch", "all", OFFSETPROOF_CACHE=str(tmp_path / "cache"), PATH=java_alone)
    assert (ran.code, ran.out) == (69, "")
    assert ran.complaint == (
        "offsetproof: Maven is needed, and there is no mvn on the path; install it, on Debian with: "
        "apt-get install maven"
    )


def test_check_of_what_was_not_fetched_says_the_command_and_fetches_nothing(tmp_path: Path) -> None:
    ran = run_anew("rocketmq", "fetch", "5.3.3", "--check", OFFSETPROOF_CACHE=str(tmp_path))
    assert (ran.code, ran.out) == (69, "")
    assert ran.complaint == (
        "offsetproof: the jars of RocketMQ 5.3.3 have not been fetched; run: offsetproof rocketmq fetch 5.3.3"
    )
    assert [*tmp_path.iterdir()] == []


def test_network_that_is_not_there_is_told_in_mavens_words(tmp_path: Path) -> None:
    path = with_maven(tmp_path / "bin", "echo '[ERROR] Unknown host nowhere -> [Help 1]'; exit 1")
    cache = tmp_path / "cache"
    ran = run_anew("rocketmq", "fetch", "4.9.4", "--no-progress", OFFSETPROOF_CACHE=str(cache), PATH=path)
    assert (ran.code, ran.out) == (69, "")
    asked = "rocketmq-namesrv, rocketmq-broker, rocketmq-client, rocketmq-tools, asm-tree 4.9.4"
    assert ran.complaint == f"offsetproof: Maven could not get {asked}: Unknown host nowhere"
    assert [path.name for path in (cache / "rocketmq").iterdir()] == [".4.9.4.lock"]


def test_time_limit_ends_maven(tmp_path: Path) -> None:
    path = with_maven(tmp_path / "bin", "exec sleep 600")
    begun = time.monotonic()
    command = ("rocketmq", "fetch", "4.9.4", "--timeout=3", "--no-progress")
    ran = run_anew(*command, OFFSETPROOF_CACHE=str(tmp_path / "cache"), PATH=path)
    assert (ran.code, ran.out) == (69, "")
    assert "; is there a network? --timeout gives it longer" in ran.complaint
    assert time.monotonic() - begun < 30


def test_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in its way")
    ran = run_anew("rocketmq", "fetch", "4.9.4", OFFSETPROOF_CACHE=str(tmp_path / "file"))
    assert (ran.code, ran.out) == (150, "")
    assert ran.complaint.startswith(f"offsetproof: OFFSETPROOF_CACHE: cannot write {tmp_path / 'file'}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_maven_and_leaves_nothing_half_done(tmp_path: Path, number: signal.Signals) -> None:
    pid, cache = tmp_path / "pid", tmp_path / "cache"
    path = with_maven(tmp_path / "bin", f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 600")
    command = [str(PROGRAM), "rocketmq", "fetch", "4.9.4", "--no-progress"]
    given = environment(OFFSETPROOF_CACHE=str(cache), PATH=path)
    with subprocess.Popen(command, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as fetching:
        while not pid.exists():
            assert fetching.poll() is None
            time.sleep(0.02)
        fetching.send_signal(number)
        out, err = fetching.communicate(timeout=30)
    assert (fetching.returncode, out, err) == (128 + number, b"", b"")
    assert [path.name for path in (cache / "rocketmq").iterdir()] == [".4.9.4.lock"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
