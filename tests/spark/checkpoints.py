"""Runs that were written down, and what can happen to them: flips, edits, and files that are another's."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from spark.one_task import one_task
from spark.questions import asked, told

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.preparing import StagedModels
from offsetproof.engines.spark.manifest import MANIFEST
from offsetproof.engines.spark.run_folder import SYSTEM
from offsetproof.engines.spark.states import states_in, write_states
from offsetproof.engines.whole_files import CheckpointError
from offsetproof.examples.toys import TOYS
from offsetproof.ir.sealed_json import seal, unseal
from offsetproof.ir.wire import to_bytes
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason

MODELS = StagedModels()
"""What all runs share."""

TRUTH = Explicit(MODELS)
"""The engine that decides what is true."""


@dataclass(frozen=True)
class Checkpoint:
    """A run that was written down, over or not, and the whole truth about its question."""

    question: Question
    folder: Path
    truth: tuple[object, ...]

    @property
    def files(self) -> list[Path]:
        """Everything that is there, as paths from the run's folder."""
        return sorted(path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())

    def copied(self, to: Path) -> Path:
        """A copy to be damaged; the run in it."""
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.folder, to / "run")
        return to / "run"


def resumed(question: Question, run: Path, memory: int = 1 << 30) -> tuple[object, ...] | CheckpointError:
    """All that the engine concludes that resumes a run, or why it concludes nothing."""
    engine = one_task(run.parent, resume=True, memory=memory, models=MODELS)
    try:
        return told(engine.decide(question))
    except CheckpointError as error:
        return error


def written(folder: Path, question: Question, states: int | None) -> Checkpoint:
    """A run to its end, or until it has found more than so many states."""
    result = one_task(folder, resume=False).decide(replace(question, limits=Limits(states=states)))
    assert (result.reason is Reason.STATES) is (states is not None)
    return Checkpoint(question, folder / "run", told(TRUTH.decide(question)))


def _toy(model: str, claim: str) -> Question:
    toy = next(toy for toy in TOYS if toy.model.__name__ == model and toy.prop.id == claim)
    return Question(toy.model, toy.setting, toy.prop)


SMALL: dict[str, tuple[Callable[[], Question], int | None]] = {
    "holds": (lambda: _toy("Farmer", "nobody_is_eaten"), None),
    "violated step": (lambda: _toy("Counter", "never_falls"), None),
    "violated state": (lambda: _toy("Counter", "stays_below_two"), None),
    "violated with a fault": (lambda: _toy("Slips", "never_arrives"), None),
    "deadlock": (lambda: _toy("Stairs", "no_deadlock"), None),
    "model error": (lambda: _toy("Overflow", "no_deadlock"), None),
    "interrupted": (lambda: _toy("Jugs", "one_jug_is_empty_or_full"), 9),
}
"""Runs of every outcome, small enough to be resumed hundreds of times."""

REAL: dict[str, tuple[Callable[[], Question], int | None]] = {
    "holds": (lambda: asked("I11-fixed", "first-commits"), None),
    "violated with a fault": (lambda: asked("I23-lost", "lost-pull-request"), None),
    "interrupted": (lambda: asked("I13-cold", "cold-start"), 2000),
}
"""Runs of claims on RocketMQ."""


Edit = Callable[[Path, random.Random], None]


def _in_manifest(change: Callable[[dict[str, Any], random.Random], None], *, again: bool) -> Edit:
    """An edit of the manifest, which is sealed again or not."""

    def edit(run: Path, rng: random.Random) -> None:
        file = run / MANIFEST
        document = json.loads(file.read_bytes())
        change(document["passes"][0], rng)
        file.write_bytes(json.dumps(document, separators=(",", ":")).encode())
        if again:
            del document["sum"]
            file.write_bytes(seal(document))

    return edit


def _outcome(told: str) -> Callable[[dict[str, Any], random.Random], None]:
    def change(run: dict[str, Any], _: random.Random) -> None:
        run["outcome"] = told if run["outcome"] != told else "finished" if told != "finished" else "state"

    return change


def _count(name: str) -> Callable[[dict[str, Any], random.Random], None]:
    def change(run: dict[str, Any], rng: random.Random) -> None:
        rng.choice(run["levels"])[name] += rng.choice((1, -1, 1_000_000))

    return change


def _counts_of_parts(run: dict[str, Any], _: random.Random) -> None:
    level = run["levels"][-1]
    level["states"] -= 1
    level["rows"][next(part for part, rows in enumerate(level["rows"]) if rows)] -= 1


def _more_actions(run: dict[str, Any], _: random.Random) -> None:
    for level in run["levels"]:
        level["fired"].append(0)


def _level_gone(run: dict[str, Any], _: random.Random) -> None:
    run["levels"].pop()


def _level_twice(run: dict[str, Any], _: random.Random) -> None:
    run["levels"].append(run["levels"][-1])


def _rows(change: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> Edit:
    """An edit of the rows of some file of states that has any, as one who knows Parquet makes it."""

    def edit(run: Path, rng: random.Random) -> None:
        held = {file: _states(file) for file in sorted(run.rglob("*.parquet"))}
        file, rows = rng.choice([(file, rows) for file, rows in held.items() if len(rows)])
        write_states(file, np.ascontiguousarray(change(rows)))

    return edit


def _states(file: Path) -> np.ndarray[Any, Any]:
    data = file.read_bytes()
    for words in range(1, 9):
        try:
            return states_in(data, words, file)
        except CheckpointError:
            continue
    raise AssertionError(file)


def _changed(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.concatenate([rows[:-1], rows[-1:] ^ np.uint64(1)])


def _swapped(run: Path, rng: random.Random) -> None:
    files = [file for file in sorted(run.rglob("*.parquet")) if len(_states(file))]
    one, other = rng.sample(files, 2)
    if one.read_bytes() == other.read_bytes():
        return _swapped(run, rng)
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)
    return None


def _gone(run: Path, rng: random.Random) -> None:
    rng.choice(sorted(run.rglob("*.parquet"))).unlink()


def _emptied(run: Path, rng: random.Random) -> None:
    rng.choice([path for path in sorted(run.rglob("*")) if path.is_file()]).write_bytes(b"")


def _truncated(run: Path, rng: random.Random) -> None:
    file = rng.choice([path for path in sorted(run.rglob("*")) if path.is_file()])
    file.write_bytes(file.read_bytes()[: rng.randrange(file.stat().st_size)])


def _folder_instead(run: Path, rng: random.Random) -> None:
    file = rng.choice(sorted(run.rglob("*.parquet")))
    file.unlink()
    file.mkdir()


def _pipe_instead(run: Path, rng: random.Random) -> None:
    file = rng.choice([path for path in sorted(run.rglob("*")) if path.is_file()])
    file.unlink()
    os.mkfifo(file)


def _endless_instead(run: Path, rng: random.Random) -> None:
    file = rng.choice([path for path in sorted(run.rglob("*")) if path.is_file()])
    file.unlink()
    file.symlink_to("/dev/zero")


def _manifest_gone(run: Path, _: random.Random) -> None:
    (run / MANIFEST).unlink()


def _older_schema(run: Path, _: random.Random) -> None:
    document = json.loads(unseal((run / MANIFEST).read_bytes()) or b"")
    (run / MANIFEST).write_text(json.dumps({**document, "schema": 2}), encoding="utf-8")


def _older_program(run: Path, _: random.Random) -> None:
    document = json.loads(unseal((run / MANIFEST).read_bytes()) or b"")
    (run / MANIFEST).write_bytes(seal({**document, "program": "0.0.9 (0123456789ab)"}))


def _other_system(run: Path, _: random.Random) -> None:
    document = json.loads(unseal((run / SYSTEM).read_bytes()) or b"")
    document["variables"][0][0] += "x"
    (run / SYSTEM).write_bytes(seal(document))


def _system_of_another_run(run: Path, _: random.Random) -> None:
    toy = next(toy for toy in TOYS if toy.model.__name__ == "Philosophers")
    (run / SYSTEM).write_bytes(to_bytes(Staged(toy.model, toy.setting).system([toy.prop])))


EDITS: dict[str, Edit] = {
    **{f"outcome {told}": _in_manifest(_outcome(told), again=False) for told in ("finished", "", "STATES", "state")},
    "outcome finished, sealed again": _in_manifest(_outcome("finished"), again=True),
    "outcome state, sealed again": _in_manifest(_outcome("state"), again=True),
    **{f"count of {name}": _in_manifest(_count(name), again=False) for name in ("states", "transitions", "judged")},
    "count of states, sealed again": _in_manifest(_count("states"), again=True),
    "count of transitions, sealed again": _in_manifest(_count("transitions"), again=True),
    "counts of parts, sealed again": _in_manifest(_counts_of_parts, again=True),
    "more actions, sealed again": _in_manifest(_more_actions, again=True),
    "level gone": _in_manifest(_level_gone, again=False),
    "level twice": _in_manifest(_level_twice, again=False),
    "level twice, sealed again": _in_manifest(_level_twice, again=True),
    "row missing": _rows(lambda rows: rows[:-1]),
    "row twice": _rows(lambda rows: np.concatenate([rows, rows[-1:]])),
    "row changed": _rows(_changed),
    "rows in another order": _rows(lambda rows: np.concatenate([rows[1:], rows[:1]]) if len(rows) > 1 else rows[:0]),
    "two files swapped": _swapped,
    "file gone": _gone,
    "file emptied": _emptied,
    "file cut off": _truncated,
    "folder in place of a file": _folder_instead,
    "pipe in place of a file": _pipe_instead,
    "device in place of a file": _endless_instead,
    "manifest gone": _manifest_gone,
    "older schema": _older_schema,
    "older program": _older_program,
    "another system": _other_system,
    "system of another run": _system_of_another_run,
}
"""What people, copies and other versions do to a run's folder."""
