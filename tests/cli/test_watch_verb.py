"""`watch` as users run it, without a cluster: what is refused, and with which code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from audit.live_group import PlayedClock, PlayedGroup
from cli.program import run, run_anew

from offsetproof.audit.live.observer import Members
from offsetproof.audit.live.watching import Wanted
from offsetproof.cli import watch_verb
from offsetproof.cli.signals import STOP
from offsetproof.cli.watch_verb import seconds_of
from offsetproof.programs import ProgramFailedError
from offsetproof.real.jars import JarSet

NOWHERE = "127.0.0.1:9"
"""The port of `discard`, at which nobody listens."""


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--for", "soon"], "'soon' is no time; write it as 10m, 90s or 500ms"),
        (["--interval", "10ms"], "--interval: 0.2 s is the least"),
        (["--interval", "6s", "--before-reset"], "--interval: 5 s is the most before a reset"),
        (["--direction", "forward"], "--direction is of a reset: add --before-reset"),
        (["--fail-on", "never"], "'never' is not one of 'certain', 'possible'"),
    ],
)
def test_odd_options_are_refused(options: list[str], why: str) -> None:
    ran = run("watch", "--namesrv", NOWHERE, "--group", "shop", *options)
    assert (ran.code, ran.out) == (2, "")
    assert why in " ".join(ran.err.split())


@pytest.mark.parametrize("given", ["nonsense", "127.0.0.1", ":9876", "a:0", "a:99999", "a:9876;", "a:9876;b"])
def test_name_server_without_a_port_is_refused(given: str) -> None:
    ran = run("watch", "--namesrv", given, "--group", "shop")
    assert (ran.code, ran.out) == (2, "")
    assert "is no HOST:PORT" in " ".join(ran.err.split())


def test_release_that_was_not_fetched_is_a_prerequisite(tmp_path: Path) -> None:
    ran = run_anew("watch", "--namesrv", NOWHERE, "--group", "shop", OFFSETPROOF_CACHE=str(tmp_path))
    assert (ran.code, ran.out) == (69, "")
    assert "have not been fetched; run: offsetproof rocketmq fetch" in ran.err


@pytest.mark.slow
def test_name_server_that_does_not_answer_is_refused(published: Callable[[str], JarSet]) -> None:
    published("5.3.3")
    ran = run_anew("watch", "--namesrv", NOWHERE, "--group", "shop", "--release", "5.3.3", "--for", "3s")
    assert (ran.code, ran.out) == (152, "")
    assert f"no broker of the group shop is known; asked {NOWHERE} for the route of" in ran.err


def test_what_was_found_is_told_where_the_observer_dies(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(STOP, "doing", STOP.doing)
    group = PlayedGroup(PlayedClock())

    @contextmanager
    def played(_wanted: Wanted, _release: str | None) -> Iterator[PlayedGroup]:
        yield group

    def dies(address: str, group_name: str) -> Members:
        if group.requests > 9:
            raise ProgramFailedError("the observer ended during `members`")
        group.rows[0] = (40, 100) if group.requests > 6 else (100, 100)
        return PlayedGroup.members(group, address, group_name)

    monkeypatch.setattr(watch_verb, "_observer", played)
    monkeypatch.setattr(group, "members", dies)
    code = watch_verb.watch("a:1", "shop", duration="9s", interval="0.2s", format="json")
    told = capfd.readouterr()
    assert code == 255
    assert "offsetproof: the observer ended during `members`" in told.err
    assert [each["kind"] for each in json.loads(told.out)["findings"]] == ["commit-regression"]


def test_durations_have_units() -> None:
    assert [seconds_of(each) for each in ("10m", "2s", "1.5s", "500ms", "1h", "90")] == [600, 2, 1.5, 0.5, 3600, 90]
