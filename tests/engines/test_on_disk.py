"""A search in files says what one in memory says, goes on where another has ended, and believes no damaged file."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from cli.program import run

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.on_disk import CHECKPOINT, STATES, CheckpointJson, OnDisk
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.engines.explicit.row_memory import MemoryOfFile
from offsetproof.engines.explicit.search import Search
from offsetproof.engines.explicit.visited import Visited
from offsetproof.engines.preparing import StagedModels
from offsetproof.engines.whole_files import CheckpointError, DamagedError, write_whole
from offsetproof.examples.toy_queue import ToyQueue
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.ir.sealed_json import seal, unseal
from offsetproof.lang.setting import Setting
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.properties.queues.catalogue import QUEUES
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict

DECIDED = [toy for toy in TOYS if toy.reason is None]
SOME = 40_000
"""So many states are explored before a search is ended: some levels of the toy queue, which has 1.5 million."""


def the_queue(limits: Limits = Limits()) -> Question:
    return Question(ToyQueue, Setting(ToyQueue.scopes[0]), ToyQueue.claims[0], limits=limits)


def search_in(folder: Path, limits: Limits = Limits(), *, resume: bool = False) -> Search:
    """The one search of the queue, not begun, or gone on with."""
    question = the_queue(limits)
    staged, system, reductions = StagedModels().reduced_system(question)
    explore = OnDisk(folder, resume=resume)
    prepared = PreparedQuestion(question, explore, staged, system, reductions, time.monotonic())
    return explore.search(question, prepared.program, prepared.program.system.initial, None, limits)


def left_in(folder: Path) -> tuple[Path, Path]:
    """The states and the checkpoint that a limited search has left."""
    search = search_in(folder, Limits(states=SOME))
    assert (search.run(0), search.stopped) == (None, Reason.STATES)
    return next(folder.glob(f"*{STATES}")), next(folder.glob(f"*{CHECKPOINT}"))


def found(result: Result) -> object:
    replay = result.replay
    steps = None if replay is None else (replay.states, replay.labels, replay.cycle_at)
    counts = replace(result.counts, peak_bytes=0, bytes_per_state=0.0)
    return result.verdict, counts, result.exhaustive, result.vacuous, steps


@pytest.mark.parametrize("toy", DECIDED, ids=lambda toy: toy.name)
def test_toy_is_decided_as_in_memory_and_nothing_is_left(toy: Toy, tmp_path: Path) -> None:
    question = Question(toy.model, toy.setting, toy.prop)
    on_disk = Explicit(explore=OnDisk(tmp_path, resume=False)).decide(question)
    assert found(on_disk) == found(Explicit().decide(question))
    assert [*tmp_path.iterdir()] == []


def test_search_that_goes_on_knows_all_that_an_unbroken_one_knows(tmp_path: Path) -> None:
    left_in(tmp_path)
    broken, whole = search_in(tmp_path, resume=True), search_in(tmp_path / "other")
    assert (broken.run(0), whole.run(0)) == (None, None)
    assert np.array_equal(broken.states[: broken.count], whole.states[: whole.count])
    one, other = broken.totals(), whole.totals()
    assert (one.count, one.levels, one.transitions) == (other.count, other.levels, other.transitions)
    assert (one.seen_claims, one.failed_depth, one.judged) == (other.seen_claims, other.failed_depth, other.judged)
    assert np.array_equal(one.fired, other.fired)
    assert np.array_equal(one.cuts, other.cuts)
    assert np.array_equal(one.sightings, other.sightings)


def test_unknown_leaves_its_files_and_going_on_decides(tmp_path: Path) -> None:
    limited = Explicit(explore=OnDisk(tmp_path, resume=False)).decide(the_queue(Limits(states=SOME)))
    assert (limited.verdict, limited.reason, len([*tmp_path.iterdir()])) == (Verdict.UNKNOWN, Reason.STATES, 2)
    went_on = Explicit(explore=OnDisk(tmp_path, resume=True)).decide(the_queue())
    assert found(went_on) == found(Explicit().decide(the_queue()))
    assert [*tmp_path.iterdir()] == []


def test_states_in_a_file_are_not_counted_as_memory(tmp_path: Path) -> None:
    search = search_in(tmp_path)
    search.run(0)
    assert search.held_bytes == search.visited.table.nbytes
    assert search.peak_bytes < 8 * search.layout.words * search.count


def test_search_is_not_begun_anew_unasked_and_not_gone_on_with_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"there is nothing in .* to resume; drop --resume"):
        OnDisk(tmp_path, resume=True)
    left_in(tmp_path)
    with pytest.raises(CheckpointError, match=r"has a search of [\d,]+ states to go on from; use --resume; remove"):
        search_in(tmp_path)


def test_other_system_has_files_of_its_own(tmp_path: Path) -> None:
    left_in(tmp_path)
    other = Question(DECIDED[0].model, DECIDED[0].setting, DECIDED[0].prop)
    assert found(Explicit(explore=OnDisk(tmp_path, resume=True)).decide(other)) == found(Explicit().decide(other))
    assert len([*tmp_path.iterdir()]) == 2


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    running = search_in(tmp_path)
    with pytest.raises(CheckpointError, match="is in use by another run; wait for it, or use another --spill"):
        search_in(tmp_path)
    assert running.count == 1


def flip(file: Path, at: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)


def rewrite(file: Path, change: Callable[[CheckpointJson], CheckpointJson]) -> None:
    """Other contents, with a digest that fits."""
    sealed = unseal(file.read_bytes())
    assert sealed is not None
    checkpoint = msgspec.json.decode(sealed, type=CheckpointJson)
    write_whole(file, seal(msgspec.to_builtins(change(checkpoint))))


DAMAGES: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "a bit of a state": (lambda states, _: flip(states, 3_003), "states is not what was written: its digest differs"),
    "a bit of the last state": (
        lambda states, checkpoint: flip(states, 8 * last_state_of(checkpoint)),
        "states is not what was written: its digest differs",
    ),
    "states are missing": (lambda states, _: os.truncate(states, 8_000), r"states has 8,000 bytes, and [\d,]+ were"),
    "half a state": (lambda states, _: os.truncate(states, states.stat().st_size - 3), "states has .* were written"),
    "all states are missing": (lambda states, _: states.unlink(), "states has 0 bytes, and"),
    "a bit of the checkpoint": (lambda _, checkpoint: flip(checkpoint, 200), "json is not what was written"),
    "the checkpoint is empty": (lambda _, checkpoint: checkpoint.write_bytes(b""), "json is not what was written"),
    "another version": (
        lambda _, checkpoint: rewrite(checkpoint, lambda found: msgspec.structs.replace(found, version="0.0.1")),
        "was written by offsetproof 0.0.1",
    ),
}


def last_state_of(checkpoint: Path) -> int:
    sealed = unseal(checkpoint.read_bytes())
    assert sealed is not None
    return msgspec.json.decode(sealed, type=CheckpointJson).parts[-1].until - 1


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_file_is_refused_with_its_name_and_the_way_out(damage: str, tmp_path: Path) -> None:
    states, checkpoint = left_in(tmp_path)
    do, said = DAMAGES[damage]
    do(states, checkpoint)
    with pytest.raises((DamagedError, CheckpointError), match=f"{said}.*; remove the file, or use another --spill"):
        search_in(tmp_path, resume=True)


def test_disk_without_room_ends_the_search_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    search = search_in(tmp_path)
    monkeypatch.setattr("os.posix_fallocate", refuse)
    with pytest.raises(CheckpointError, match=r"cannot grow to [\d,]+ bytes: No space left .*; make room") as refused:
        search.run(0)
    monkeypatch.undo()
    del search, refused
    went_on = search_in(tmp_path, resume=True)
    assert (went_on.run(0), went_on.count) == (None, 1_563_324)


@pytest.mark.parametrize("words", [1, 3])
def test_rows_of_a_file_stay_where_they_are_seen_while_it_grows(words: int, tmp_path: Path) -> None:
    opened = os.open(tmp_path / "rows", os.O_RDWR | os.O_CREAT)
    known = Visited(words, rows=4, slots=16, memory=MemoryOfFile(tmp_path / "rows", opened))
    known.add(np.arange(2 * words, dtype=np.uint64).reshape(-1, words), 2)
    seen = known.states[:2]
    rows = np.arange(30_000 * words, dtype=np.uint64).reshape(-1, words)
    known.add(rows, 30_000)
    assert np.array_equal(seen, rows[:2])
    assert (known.count, known.held_bytes) == (30_000, known.table.nbytes)
    again = Visited(words, memory=MemoryOfFile(tmp_path / "rows", opened))
    again.go_on(30_000)
    positions = np.empty(30_000, np.int64)
    again.places_of(rows, 30_000, positions)
    assert positions.tolist() == [*range(30_000)]
    again.add(rows + np.uint64(1), 30_000)
    assert again.count == 30_000 + (1 if words == 1 else 30_000)
    os.close(opened)


KILLED = {
    "that is exhausted": (ROCKETMQ, "I3-monotone", "come-back", {"commits_in_flight": 3}),
    "that finds an alarm in its last level": (QUEUES, "I6-half-way", "half-way", {}),
}
KILLS = 10


@pytest.mark.slow
@pytest.mark.parametrize("search", KILLED)
def test_search_that_is_killed_ten_times_says_what_an_unbroken_one_says(search: str, tmp_path: Path) -> None:
    subject, claim, scope, bounds = KILLED[search]
    request = Request(subject, properties=(claim,), scope=scope, bounds=bounds, releases=("4.9.4",))
    (question,) = questions_of(request)
    unbroken = Explicit().decide(question)
    asked = [subject.name, claim, f"--scope={scope}", "--release=4.9.4", "--workers=1", "--no-progress"]
    bound = [f"--bound={name}={value}" for name, value in bounds.items()]
    command = [sys.executable, "-m", "offsetproof", "check", *asked, *bound, "--spill", str(tmp_path)]
    chance, states = random.Random(35), unbroken.counts.states
    assert states is not None
    for kill in range(KILLS):
        moment = 1 + int(states * (kill + chance.random()) / (KILLS + 1))
        must_be_killed([*command, *(["--resume"] if kill else [])], tmp_path, moment, chance.random() / 5)
    went_on = Explicit(explore=OnDisk(tmp_path, resume=True)).decide(question)
    assert found(went_on) == found(unbroken)
    assert went_on.counts.levels == unbroken.counts.levels
    assert sum(went_on.counts.levels) == states
    assert [*tmp_path.iterdir()] == []


def must_be_killed(command: list[str], folder: Path, moment: int, seconds: float) -> None:
    """Ends a search so long after its checkpoint has come to have so many states; at most a level is lost."""
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, process_group=0)
    before = count_in(folder)
    try:
        while running.poll() is None and count_in(folder) < moment:
            time.sleep(0.002)
        time.sleep(seconds)
        assert running.poll() is None, "it was not killed, but came to its end"
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    assert count_in(folder) >= max(before, moment)


def count_in(folder: Path) -> int:
    """How many states the checkpoint has; 0 where there is none."""
    files = [*folder.glob(f"*{CHECKPOINT}")]
    sealed = unseal(files[0].read_bytes()) if files else None
    return 0 if sealed is None else msgspec.json.decode(sealed, type=CheckpointJson).parts[-1].until


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--resume"], "say with --spill where to go on from, or use --engine spark"),
        (["--spill=kept", "--stubborn"], "a search in files explores everything; drop one of both"),
        (["--spill=kept", "--engine=smt"], "only --engine explicit knows it"),
        (["--spill=kept", "--resume"], "there is nothing in kept to resume; drop --resume"),
    ],
)
def test_odd_options_are_refused(options: list[str], said: str, tmp_path: Path) -> None:
    ran = run("check", "I11", "--release=4.9.4", *options, cwd=tmp_path)
    assert ran.code in (Exit.USAGE, Exit.UNREADABLE)
    assert said in " ".join(ran.err.split())
    assert [*tmp_path.rglob("*.states")] == []
