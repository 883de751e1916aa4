"""A JVM that dies or hangs: an error that says what and where, in a bounded time, and nothing left behind."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from real.stories import RELEASE, along, on_real, story

from offsetproof.conformance.on_release import lines_of, replay_on
from offsetproof.lang.anchor import AnchorLines, at
from offsetproof.lang.rigging import ThreadStep
from offsetproof.programs import ProgramFailedError
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.replay import OutcomeKind, Replayer
from offsetproof.real.schedule import RigSchedule
from offsetproof.real.sidecar import Gates, Sidecar


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("gates", Gates)
def test_jvm_that_is_killed_is_told_with_the_trace_and_its_log_stays(
    rig: CompiledRig, folders: Path, monkeypatch: pytest.MonkeyPatch, gates: Gates
) -> None:
    send, killed = Sidecar.send, []

    def kill_and_send(self: Sidecar, op: str, **values: object) -> None:
        if op == "walk":
            os.kill(self.process_id, signal.SIGKILL)
            killed.append(self.process_id)
        send(self, op, **values)

    monkeypatch.setattr(Sidecar, "send", kill_and_send)
    with pytest.raises(ProgramFailedError) as refused:
        [*replay_on(rig, [story("I5-late-poll")], gates)]
    (kept,) = folders.glob("offsetproof-*")
    said = str(refused.value)
    assert said.startswith("I5-late-poll: the sidecar ")
    assert said.endswith(f", with code -9; see {kept}/sidecar.log")
    assert (kept / "sidecar.log").is_file()
    assert not is_alive(killed[0])


def test_jvm_that_hangs_is_ended_after_its_time(rig: CompiledRig, tmp_path: Path) -> None:
    with Sidecar(rig, tmp_path, Gates.WOVEN) as sidecar:
        on_real(sidecar, story("I11-row-put-twice"))
        sidecar.patience = 2.0
        os.kill(sidecar.process_id, signal.SIGSTOP)
        begun = time.monotonic()
        with pytest.raises(
            ProgramFailedError, match=r"^the sidecar has not answered `state` in 2 s; see .*/sidecar\.log$"
        ):
            sidecar.ask("state", much="x" * 1_000_000)
        assert time.monotonic() - begun < 20
        assert not is_alive(sidecar.process_id)
        with pytest.raises(ProgramFailedError, match="was gone before `state`"):
            sidecar.ask("state")


def test_jvm_ends_with_its_input(rig: CompiledRig, tmp_path: Path) -> None:
    sidecar = Sidecar(rig, tmp_path, Gates.DEBUGGER)
    assert is_alive(sidecar.process_id)
    sidecar.close()
    assert not is_alive(sidecar.process_id)


def test_refused_command_is_told_and_the_next_is_answered(woven: Sidecar) -> None:
    with pytest.raises(ProgramFailedError, match=r"the sidecar refuses `fly`: .*no such command: fly"):
        woven.ask("fly")
    assert on_real(woven, story("I11-row-put-twice")).kind is OutcomeKind.REPRODUCED


def test_thread_that_waits_for_a_lock_of_a_held_one_diverges_soon_with_its_place(woven: Sidecar) -> None:
    """A task is held within removeMessage, where it has the lock that `clear` waits for."""
    told, inside = story("I7-stalled-task"), at("ProcessQueue", "removeMessage", "queueOffsetMax")
    removes = told.rigging.steps["task_removes_message"]
    assert isinstance(removes, ThreadStep)
    steps = {**told.rigging.steps, "task_removes_message": replace(removes, gates=(inside,))}
    line = {inside: "org.apache.rocketmq.client.impl.consumer.ProcessQueue"}
    anchors = told.schedule(RELEASE)._anchors
    tables = [*lines_of(told.subject, RELEASE), AnchorLines(RELEASE, "client", {inside: 199}, line)]
    replayer = Replayer(woven, RigSchedule(replace(told.rigging, steps=steps), anchors, tables))
    assert replayer.replay(told.trace).kind is OutcomeKind.REPRODUCED
    labels = [step.label for step in told.trace.steps]
    begun = time.monotonic()
    outcome = replayer.replay(along(told, [*labels[:13], *labels[15:17]]))
    assert time.monotonic() - begun < 20
    assert (outcome.kind, outcome.step) == (OutcomeKind.DIVERGED, 15)
    assert "waits for a lock that another thread has at [" in outcome.reason
    assert not outcome.has_failed
    assert "ProcessQueue.clear:" in outcome.reason
    assert on_real(woven, told).kind is OutcomeKind.REPRODUCED


def test_nothing_is_left_of_replays_that_end(rig: CompiledRig, folders: Path) -> None:
    [*replay_on(rig, [story("I11-row-put-twice")], Gates.WOVEN)]
    assert [*folders.glob("offsetproof-*")] == []


def test_nothing_is_left_where_replays_are_given_up(rig: CompiledRig, folders: Path) -> None:
    going = replay_on(rig, [story("I11-row-put-twice"), story("I8-two-owners")], Gates.WOVEN)
    assert next(going).outcome.kind is OutcomeKind.REPRODUCED
    assert len([*folders.glob("offsetproof-*")]) == 1
    going.close()
    assert [*folders.glob("offsetproof-*")] == []


def test_line_that_a_release_does_not_have_makes_a_story_not_forceable(rig: CompiledRig) -> None:
    (each,) = replay_on(replace(rig, release="4.9.3"), [story("I11-row-put-twice")], Gates.WOVEN)
    assert each.outcome.kind is OutcomeKind.NOT_FORCEABLE
    assert each.outcome.reason.endswith(" has no line in this release")
