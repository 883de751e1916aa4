"""Grids: what a TOML file asks, question by question, and what is wrong with a file that is none."""

from __future__ import annotations

import json
import os
import signal
import time
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from systems.damage import SEEDS, damaged, edited

from offsetproof.checking.request import question_of
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.world import ClaimInWorld
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.reading.files import UnusableFileError
from offsetproof.sweep import grid as grid_module
from offsetproof.sweep.deciding import Task, decided_apart
from offsetproof.sweep.fingerprint import fingerprint, load_noting_imports
from offsetproof.sweep.grid import BUILT_IN, read_grid
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.prerequisite import NotStartedError

GRID = """
properties = ["I11", "I13"]
fixes = [[], ["no-zero-answer"]]
[bounds]
messages = "1..3"
[limits]
states = 1000
[[exclude]]
property = "I11"
messages = 3
"""


def task(subject: str, question: ClaimInWorld, limits: Limits) -> Task:
    """A question of a sweep that began with the model as it is now."""
    mark = fingerprint(ROCKETMQ, limits) if subject == "rocketmq" else ""
    return Task(subject, question, limits, mark)


def _file(folder: Path, text: str) -> str:
    file = folder / "some.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_grid_is_the_product_without_what_is_excluded(tmp_path: Path) -> None:
    grid = read_grid(_file(tmp_path, GRID), ROCKETMQ)
    assert grid.limits == Limits(states=1000)
    assert len(grid.questions) == 2 * 2 * 3 - 2
    assert grid.questions[0] == ClaimInWorld("I11", "4.9.4", "first-commits", bounds={"messages": 1})
    assert len({question.id for question in grid.questions}) == len(grid.questions)


def test_name_of_a_claim_asks_all_of_its_cases_and_each_case_once(tmp_path: Path) -> None:
    grid = read_grid(_file(tmp_path, 'properties = ["forward-reset-stays", "I5-forward"]'), ROCKETMQ)
    cases = [prop.id for prop in ROCKETMQ.named("forward-reset-stays")]
    assert list(dict.fromkeys(question.claim for question in grid.questions)) == cases
    assert len(cases) == 10


def test_id_of_a_question_depends_on_its_question_alone() -> None:
    one = ClaimInWorld("I11", "4.9.4", "first-commits", bounds={"messages": 1, "process_queues": 2})
    assert one.id == ClaimInWorld("I11", "4.9.4", "first-commits", bounds={"process_queues": 2, "messages": 1}).id
    assert one.id != ClaimInWorld("I11", "4.9.4", "first-commits", bounds={"messages": 2, "process_queues": 2}).id


@pytest.mark.parametrize("file", sorted(BUILT_IN.glob("*.toml")), ids=lambda file: file.stem)
def test_built_in_grid_asks_questions_that_exist(file: Path) -> None:
    grid = read_grid(file.stem, ROCKETMQ)
    assert len(grid.questions) >= 200
    assert all(question_of(ROCKETMQ, question, grid.limits).prop.id == question.claim for question in grid.questions)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("properties = [", "cannot be read"),
        ("propertys = []", "'propertys', which no grid has"),
        ('[bounds]\nmessages = "many"', "not a range of numbers"),
        ("[limits]\nminutes = 3", "no limit 'minutes'"),
        ("properties = 3", "is not a list of names"),
        ('scopes = "calm-reset"', "is not a list of names"),
        ("scopes = []", "is not a list of names"),
        ("[bounds]\nmessages = [1.9, true]", "is not a list of whole numbers"),
        ('[limits]\nseconds = "60"', "is not a limit"),
        ("[limits]\nseconds = -5", "is not a limit"),
        ("[limits]\nstates = true", "is not a limit"),
        ("fixes = []", "no questions"),
        ('fixes = ["poll-checks-dropped"]', "lists of lists"),
        ("[[exclude]]\nmesages = 3", "names nothing that a question has"),
        ("[[exclude]]", "names nothing that a question has"),
    ],
)
def test_grid_that_is_none_says_what_is_wrong(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UnusableFileError, match=told):
        read_grid(_file(tmp_path, text), ROCKETMQ)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('[bounds]\nmessages = "1..100000000"', "100,000,000"),
        ('[bounds]\nmessages = "1..300"\nlives = "1..300"', "90,000"),
        (f'[bounds]\nmessages = "1..{10**30}"', "far too many"),
        (f"fixes = [{'[], ' * 60_000}]", "60,000"),
    ],
)
def test_grid_of_too_many_questions_is_refused_before_it_is_expanded(tmp_path: Path, text: str, count: str) -> None:
    file = _file(tmp_path, f'properties = ["I11"]\n{text}')
    with pytest.raises(NotStartedError, match=rf"{file} asks {count} questions, and a sweep takes at most 50,000; ask"):
        read_grid(file, ROCKETMQ)


def test_questions_are_counted_over_all_claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_module, "QUESTIONS_MOST", 3)
    assert len(read_grid(_file(tmp_path, 'properties = ["I11", "I13"]'), ROCKETMQ).questions) == 2
    with pytest.raises(NotStartedError, match="asks 4 questions"):
        read_grid(_file(tmp_path, 'properties = ["I11", "I13"]\n[bounds]\nmessages = "1..2"'), ROCKETMQ)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = " + "[" * 50_000, "cannot be read: maximum recursion"),
        ("x = " + "{a = " * 50_000, "cannot be read: maximum recursion"),
        (".".join("a" * 200) + " = 1", "which no grid has"),
        (".".join("a" * 202) + " = 1", "a line of it has more than 200 dots"),
        ("fixes." + ".".join("a" * 190) + " = 1", "is not a grid"),
        ("properties." + ".".join("a" * 190) + " = 1", "is not a list of names"),
        ("[limits]\nstates = " + "9" * 5000, "cannot be read: Exceeds the limit"),
        ("[limits]\nseconds = nan", "is not a limit"),
        ("[limits]\nseconds = inf", "is not a limit"),
        ("[limits]\nstates = 0x" + "F" * 5000, "is not a grid"),
        ("[bounds]\nmessages = 0x" + "F" * 50, "is not a list of whole numbers"),
        (f'[bounds]\nmessages = "1..{"9" * 5000}"', "Exceeds the limit"),
        (f'properties = "{"x" * 100_000}"', "x{20,60}... is not a list of names"),
        ("[[exclude]]\nproperty = 'I11'\n" * 1001, "excludes by more than 1,000 rules"),
    ],
    ids=range(14),
)
def test_grid_that_is_meant_to_hurt_is_refused_in_few_words(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UnusableFileError, match=told) as refused:
        read_grid(_file(tmp_path, text), ROCKETMQ)
    assert len(str(refused.value)) < 600 + len(str(tmp_path))


def test_file_that_is_no_regular_one_or_too_large_is_not_read(tmp_path: Path) -> None:
    pipe, large, zero = tmp_path / "pipe.toml", tmp_path / "large.toml", tmp_path / "zero.toml"
    os.mkfifo(pipe)
    (tmp_path / "folder.toml").mkdir()
    large.write_bytes(b"#" * (2 << 20))
    zero.symlink_to("/dev/zero")
    for file, told in (
        (pipe, "not a regular file"), (tmp_path / "folder.toml", "not a regular file"), (zero, "not a regular file"),
        (large, "it has 2,097,152 bytes, and at most 1,048,576 are read"),
    ):  # fmt: skip
        with pytest.raises(UnusableFileError, match=told):
            read_grid(str(file), ROCKETMQ)


def _read_or_refused(file: str) -> bool:
    """Is it a grid? A clean complaint says that it is none."""
    try:
        return len(read_grid(file, ROCKETMQ).questions) > 0
    except (UnusableFileError, NotStartedError, UnknownNameError, DeclarationError):
        return False


@pytest.mark.parametrize("seeds", SEEDS)
def test_damaged_grid_is_read_or_refused(tmp_path: Path, seeds: Iterable[int]) -> None:
    file = tmp_path / "some.toml"
    refused = 0
    for seed in seeds:
        file.write_bytes(damaged(GRID.encode(), seed))
        refused += not _read_or_refused(str(file))
    assert refused > 0.5 * len(list(seeds))


@pytest.mark.parametrize("seeds", SEEDS)
def test_edited_grid_is_read_or_refused(tmp_path: Path, seeds: Iterable[int]) -> None:
    document = tomllib.loads(GRID)
    refused = sum(not _read_or_refused(_file(tmp_path, _toml(edited(document, seed)))) for seed in seeds)
    assert refused > 0.5 * len(list(seeds))


def _toml(value: Any, *, top: bool = True) -> str:
    """A value as TOML; what TOML has no word for is left to be refused."""
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key)} = {_toml(inside, top=False)}" for key, inside in value.items()]
        return "\n".join(pairs) if top else "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(inside, top=False) for inside in value) + "]"
    return json.dumps(value)


def test_questions_are_excluded_by_fixes_too(tmp_path: Path) -> None:
    text = GRID.replace("messages = 3", 'fixes = ["no-zero-answer"]').replace('messages = "1..3"', "messages = 1")
    questions = read_grid(_file(tmp_path, text), ROCKETMQ).questions
    assert [(question.claim, question.fixes) for question in questions] == [
        ("I11", ()), ("I13", ()), ("I13", ("no-zero-answer",)),
    ]  # fmt: skip


def test_unknown_fix_is_told_before_anything_is_decided(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no fix named 'nothing'"):
        read_grid(_file(tmp_path, 'properties = ["I11"]\nfixes = [["nothing"]]'), ROCKETMQ)


def test_unknown_grid_names_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match="did you mean resets"):
        read_grid("reset", ROCKETMQ)
    with pytest.raises(UnusableFileError, match=r"there is no file nowhere\.toml"):
        read_grid("nowhere.toml", ROCKETMQ)


def test_unknown_claim_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="I11"):
        ROCKETMQ.find("I111")


def test_question_is_decided_in_a_process_of_its_own() -> None:
    row = decided_apart(task("rocketmq", ClaimInWorld("I11", "4.9.4", "first-commits"), Limits()))
    assert (row["verdict"], row["faults"], row["steps"], row["died"]) == ("REFUTED", 0, 9, False)


def test_row_of_a_claim_that_nothing_could_have_broken_says_why() -> None:
    subject, imports = load_noting_imports("toys:Counter")
    question = ClaimInWorld("stays_below_four", None, "default")
    mark = fingerprint(subject, Limits(), imports.so_far)
    row = decided_apart(Task("toys:Counter", question, Limits(), mark))
    why = "true whatever its fields hold in this scope; no step could break it"
    assert (row["verdict"], row["vacuous"]) == ("HOLDS", why)


def test_question_of_a_model_that_has_changed_since_is_not_decided() -> None:
    row = decided_apart(Task("rocketmq", ClaimInWorld("I11", "4.9.4", "first-commits"), Limits(), "another model"))
    assert (row["verdict"], row["reason"]) == ("UNKNOWN", "error")
    assert "the model has changed since the sweep began" in row["detail"]


def test_question_beyond_its_budget_is_unknown_with_the_reason() -> None:
    row = decided_apart(task("rocketmq", ClaimInWorld("I11-fixed", "4.9.4", "first-commits"), Limits(states=5)))
    assert (row["verdict"], row["reason"]) == ("UNKNOWN", "state limit")


def test_question_whose_process_dies_is_unknown_with_the_signal(tmp_path: Path) -> None:
    file = tmp_path / "killed.py"
    file.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", encoding="utf-8")
    row = decided_apart(task(str(file), ClaimInWorld("I1", None, "small"), Limits()))
    assert (row["verdict"], row["reason"], row["died"]) == ("UNKNOWN", "died", True)
    assert "signal 9" in row["detail"]


def test_process_of_a_question_ends_with_the_one_that_wants_its_answer(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(f"import os, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n")
    asked = task(str(slow), ClaimInWorld("I1", None, "small"), Limits())
    parent = os.fork()
    if not parent:
        decided_apart(asked)
    _until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    child = Path(f"/proc/{(tmp_path / 'pid').read_text()}/stat")
    _until(lambda: not child.exists() or child.read_text().split()[2] == "Z")


def _until(what: Callable[[], bool]) -> None:
    """Waits for at most twenty seconds."""
    for _ in range(200):
        if what():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")


def test_question_that_cannot_be_asked_is_unknown_with_the_error() -> None:
    row = decided_apart(task("rocketmq", ClaimInWorld("I11", "4.9.4", "nowhere"), Limits()))
    assert (row["verdict"], row["reason"]) == ("UNKNOWN", "error")
    assert "nowhere" in row["detail"]


@pytest.mark.parametrize(
    ("named", "asked"),
    [
        ('["all"]', ["4.9.4", "4.9.8", "5.3.3-client-reset", "5.3.3", "5.5.0"]),
        ('["4.9.8", "all"]', ["4.9.8", "4.9.4", "5.3.3-client-reset", "5.3.3", "5.5.0"]),
    ],
)
def test_all_releases_of_the_model_are_asked_once_each(tmp_path: Path, named: str, asked: list[str]) -> None:
    grid = read_grid(_file(tmp_path, f'properties = ["I11"]\nreleases = {named}\n'), ROCKETMQ)
    assert [question.release for question in grid.questions] == asked
