"""Kept answers: what is recalled is what was decided, of the very same question and program, and nothing else."""

from __future__ import annotations

import os
import pickle
import py_compile
import shutil
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import fields, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from cli.program import Ran, run_anew, write_models
from systems.damage import damaged
from systems.schemas import read_valid

import offsetproof.sources
from offsetproof.cache import cache_folder, read_kept, write_kept
from offsetproof.checking import kept_answers
from offsetproof.checking.answers import Answer, answers_of_all
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.kept_answers import BySubject, Recalled, recall
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.traces.trace import Effect
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Reason, Result, Verdict

JUGS = load_subject("toys:Jugs")
COUNTER = load_subject("toys:Counter")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where answers are kept, empty, of a program that nobody has changed."""
    monkeypatch.setattr(kept_answers, "cache_folder", lambda what: tmp_path / what)
    monkeypatch.setattr(kept_answers, "is_as_loaded", lambda: True)
    return tmp_path / "answers"


def asked(**changes: Any) -> BySubject:
    """All questions about two toys."""
    return [(subject, questions_of(Request(subject, **changes))) for subject in (JUGS, COUNTER)]


def questions(by_subject: BySubject) -> list[Question]:
    """The questions one after the other."""
    return [question for _, those in by_subject for question in those]


def decided(by_subject: BySubject) -> Generator[Answer, None, None]:
    """What an engine answers."""
    return answers_of_all(explicit_alone(), by_subject)


def nothing() -> Generator[Answer, None, None]:
    """What nobody answers."""
    yield from ()


def keep(by_subject: BySubject) -> list[Answer]:
    """The answers of a first run."""
    recalled = recall(by_subject, keeps=True, believes=True)
    assert not recalled.answers
    return [*recalled.complete(decided(recalled.left))]


_OWN = ("replay", "kept_since", "seconds")
"""What of a result is of one run alone."""


def told(answers: Sequence[Answer]) -> list[object]:
    """What answers say, whoever has decided them when."""
    return [
        (
            [getattr(answer.result, each.name) for each in fields(Result) if each.name not in _OWN],
            answer.result.replay and answer.result.replay.labels,
            answer.trace,
            answer.outline,
        )
        for answer in answers
    ]


def files(folder: Path) -> list[Path]:
    """All that is kept."""
    return sorted(file for file in folder.rglob("*") if file.is_file())


def test_what_was_decided_is_recalled_with_its_story_and_since_when() -> None:
    by_subject = asked()
    first = keep(by_subject)
    assert {answer.result.kept_since for answer in first} == {""}
    again = recall(by_subject, keeps=True, believes=True)
    assert questions(again.left) == []
    second = [*again.complete(nothing())]
    assert told(second) == told(first)
    assert [answer.result.seconds for answer in second] == [answer.result.seconds for answer in first]
    assert {answer.verdict for answer in second} == {Verdict.HOLDS, Verdict.REFUTED}
    assert all(answer.result.kept_since.endswith(" UTC") for answer in second)
    assert [answer.subject for answer in second] == [answer.subject for answer in first]


def test_answers_that_are_not_believed_or_not_to_be_kept_are_decided(folder: Path) -> None:
    by_subject = asked()
    unkept = recall(by_subject, keeps=False, believes=True)
    assert len([*unkept.complete(decided(unkept.left))]) == len(questions(by_subject))
    assert files(folder) == []
    keep(by_subject)
    assert questions(recall(by_subject, keeps=True, believes=False).left) == questions(by_subject)
    assert questions(recall(by_subject, keeps=False, believes=True).left) == questions(by_subject)


def test_answers_of_changed_sources_are_neither_recalled_nor_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_subject = asked()
    keep(by_subject)
    before = files(folder)
    with monkeypatch.context() as patch:
        patch.setattr(kept_answers, "program", lambda: "another")
        assert not recall(by_subject, keeps=True, believes=True).answers
    with monkeypatch.context() as patch:
        patch.setattr(kept_answers, "_runs_on", lambda: ("another Python",))
        assert not recall(by_subject, keeps=True, believes=True).answers
    monkeypatch.setattr(kept_answers, "is_as_loaded", lambda: False)
    late = recall(by_subject, keeps=True, believes=True)
    assert not late.answers
    recalled = Recalled(by_subject, {}, keeps=True)
    for file in before:
        file.unlink()
    assert len([*recalled.complete(decided(by_subject))]) == len(questions(by_subject))
    assert files(folder) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda q: replace(q, setting=replace(q.setting, scope=replace(q.setting.scope, bounds={"steps": 1}))),
        lambda q: replace(q, setting=replace(q.setting, scope=replace(q.setting.scope, faults={"spill": 1}))),
        lambda q: replace(q, setting=replace(q.setting, scope=replace(q.setting.scope, name="another"))),
        lambda q: replace(q, reductions=Reductions(slicing=False)),
        lambda q: replace(q, reductions=Reductions(dead=False)),
        lambda q: replace(q, witnesses=(*q.witnesses, COUNTER.properties[0])),
        lambda q: replace(q, unasked=("elsewhere",)),
        lambda q: replace(q, prop=replace(q.prop, case=replace(q.prop.case, id="another"))),
        lambda q: replace(q, setting=replace(q.setting, other_listener=True)),
    ],
)
def test_answer_to_another_question_is_not_recalled(change: Callable[[Question], Question]) -> None:
    those = questions_of(Request(COUNTER))
    holding = next(q for q, a in zip(those, keep([(COUNTER, those)]), strict=True) if a.result.replay is None)
    assert recall([(COUNTER, [holding])], keeps=True, believes=True).answers
    assert not recall([(COUNTER, [change(holding)])], keeps=True, believes=True).answers
    assert not recall([(replace(COUNTER, name="another"), [holding])], keeps=True, believes=True).answers


@pytest.mark.parametrize("seeds", [range(30), pytest.param(range(30, 600), marks=pytest.mark.slow)])
def test_damaged_answer_is_decided_again(folder: Path, seeds: Sequence[int]) -> None:
    by_subject = [(JUGS, questions_of(Request(JUGS))[:1])]
    (first,) = keep(by_subject)
    (file,) = files(folder)
    whole = file.read_bytes()
    for seed in seeds:
        file.write_bytes(damaged(whole, seed))
        recalled = recall(by_subject, keeps=True, believes=True)
        assert not recalled.answers, seed
        assert not file.exists()
    assert told([*recalled.complete(decided(by_subject))]) == told([first])
    assert recall(by_subject, keeps=True, believes=True).answers


def test_answer_of_another_question_under_its_name_is_not_believed(folder: Path) -> None:
    those = questions_of(Request(JUGS))
    keep([(JUGS, those[:1])])
    (first,) = files(folder)
    keep([(JUGS, those[1:2])])
    (second,) = set(files(folder)) - {first}
    first.write_bytes(second.read_bytes())
    assert not recall([(JUGS, those[:1])], keeps=True, believes=True).answers


class _Calls:
    """What calls something when it is read."""

    def __init__(self, called: object, *args: object) -> None:
        self.called, self.args = called, args

    def __reduce__(self) -> tuple[object, ...]:
        return (self.called, self.args)


def _rewritten(folder: Path, question: Question, change: Callable[[Any], object]) -> None:
    """Writes what is kept of a question anew, behind a digest that fits."""
    (file,) = files(folder)
    made_of = kept_answers._made_of(JUGS, question)
    content = read_kept(file, made_of)
    assert content is not None
    write_kept(file, made_of, pickle.dumps(change(pickle.loads(content))))


@pytest.mark.parametrize(
    "odd",
    [
        _Calls(Path.touch, Path("harmed")),
        _Calls(cache_folder, "harmed"),
        _Calls(Path, "elsewhere"),
        HTTPStatus.OK,
    ],
)
def test_kept_answer_has_no_values_but_the_programs_own_and_runs_no_code(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: object
) -> None:
    monkeypatch.chdir(tmp_path)
    (question, *_) = questions_of(Request(JUGS))
    keep([(JUGS, [question])])
    _rewritten(folder, question, lambda kept: (kept[0], replace(kept[1], unasked=odd)))
    assert not recall([(JUGS, [question])], keeps=True, believes=True).answers
    assert not (tmp_path / "harmed").exists()


def test_story_that_does_not_replay_and_verdict_without_evidence_are_not_believed(folder: Path) -> None:
    questions = questions_of(Request(JUGS))
    answers = keep([(JUGS, questions)])
    question, _ = next((q, a) for q, a in zip(questions, answers, strict=True) if a.result.replay)
    for file in files(folder):
        file.unlink()
    keep([(JUGS, [question])])

    def cut(kept: Any) -> object:
        decided, packed = kept
        initial, labels = packed.steps
        return decided, replace(packed, steps=(initial, labels[:-1]))

    def without(kept: Any) -> object:
        decided, packed = kept
        return decided, replace(packed, steps=None)

    for change in (cut, without):
        assert recall([(JUGS, [question])], keeps=True, believes=True).answers
        _rewritten(folder, question, change)
        assert not recall([(JUGS, [question])], keeps=True, believes=True).answers
        files(folder)[0].unlink()
        keep([(JUGS, [question])])


def test_unknown_and_interrupted_answers_are_not_kept(folder: Path) -> None:
    those = questions_of(Request(JUGS))
    answers = [*decided([(JUGS, those)])]

    def odd() -> Generator[Answer, None, None]:
        yield replace(answers[0], result=replace(answers[0].result, interrupted=True))
        yield replace(
            answers[1],
            trace=None,
            result=replace(answers[1].result, verdict=Verdict.UNKNOWN, reason=Reason.MEMORY, replay=None),
        )

    by_subject = [(JUGS, those[:2])]
    assert len([*recall(by_subject, keeps=True, believes=True).complete(odd())]) == 2
    assert files(folder) == []


def test_answer_whose_effect_lacks_memory_is_not_kept(folder: Path) -> None:
    answer = next(each for each in decided(asked()) if each.trace)
    question = next(each for each in questions(asked()) if each.prop.id == answer.claim)

    def with_effect(*, lacks_memory: bool) -> Generator[Answer, None, None]:
        assert answer.trace
        effect = Effect("unknown", None, None, "the memory is used up", lacks_memory)
        yield replace(answer, trace=replace(answer.trace, effect=effect))

    by_subject = [(answer.subject or JUGS, [question])]
    for lacks_memory, kept in ((True, 0), (False, 1)):
        recalled = recall(by_subject, keeps=True, believes=False)
        assert len([*recalled.complete(with_effect(lacks_memory=lacks_memory))]) == 1
        assert len(files(folder)) == kept


@pytest.mark.parametrize("believes", [True, False])
def test_sources_are_digested_before_anything_is_decided(monkeypatch: pytest.MonkeyPatch, believes: bool) -> None:
    events: list[str] = []
    monkeypatch.setattr(kept_answers, "program", lambda: events.append("digested") or "a program")

    def new() -> Generator[Answer, None, None]:
        events.append("decided")
        yield from decided(recalled.left)

    recalled = recall(asked(), keeps=True, believes=believes)
    assert [*recalled.complete(new())]
    assert events[0] == "digested"


def test_kept_and_new_answers_come_in_the_order_of_the_questions(folder: Path) -> None:
    by_subject = asked()
    whole = told(keep(by_subject))
    for count, file in enumerate(files(folder)):
        if count % 2:
            file.unlink()
    recalled = recall(by_subject, keeps=True, believes=True)
    assert 0 < len(questions(recalled.left)) < len(whole)
    assert told([*recalled.complete(decided(recalled.left))]) == whole


def test_where_new_answers_end_early_kept_ones_are_there_and_none_is_kept_for_another_question(folder: Path) -> None:
    by_subject = asked()
    answers = keep(by_subject)
    assert len(answers) > 2
    for file in files(folder):
        file.unlink()
    keep([(JUGS, questions(by_subject)[:1])])
    recalled = recall(by_subject, keeps=True, believes=True)
    got = [*recalled.complete(answer for answer in answers[-1:])]
    assert [answer.claim for answer in got] == [answers[0].claim, answers[-1].claim]
    assert questions(recall(by_subject, keeps=True, believes=True).left) == questions(by_subject)[1:]


def test_answers_of_the_last_programs_are_kept_and_no_more(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_subject = [(JUGS, questions_of(Request(JUGS))[:1])]
    for name in ("one", "two", "three", "four", "five"):
        monkeypatch.setattr(kept_answers, "program", lambda name=name: name)
        keep(by_subject)
    assert len([*folder.iterdir()]) == 3
    assert recall(by_subject, keeps=True, believes=True).answers


def test_folder_that_cannot_be_used_changes_nothing(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept_answers._complain.cache_clear()
    folder.write_text("a file in its way", encoding="utf-8")
    by_subject = asked()
    assert len(keep(by_subject)) == len(questions(by_subject))
    assert len(caplog.records) == 1
    assert "answers cannot be kept, so every run decides them again" in caplog.text


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of two files, loaded long after they were written."""
    folder = tmp_path / "program"
    (folder / "lines").mkdir(parents=True)
    (folder / "code.py").write_text("x = 1", encoding="utf-8")
    (folder / "lines" / "data.json").write_text("{}", encoding="utf-8")
    module = offsetproof.sources
    monkeypatch.setattr(module.resources, "files", lambda package: folder)
    monkeypatch.setattr(module, "LOADED_AT", time.time() + 1000)
    for cached in (module._first_look, module._have_old_byte_code, module.program):
        cached.cache_clear()
    yield folder
    for cached in (module._first_look, module._have_old_byte_code, module.program):
        cached.cache_clear()


def test_sources_are_as_loaded_unless_one_is_younger_than_the_process(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = max(file.stat().st_ctime for file in sources.rglob("*.*"))
    for loaded_at, expected in ((newest + 1e6, True), (newest + 0.5, False), (newest - 1, False)):
        monkeypatch.setattr(offsetproof.sources, "LOADED_AT", loaded_at)
        assert offsetproof.sources.is_as_loaded() is expected


@pytest.mark.parametrize("changed", ["code.py", "lines/data.json"])
def test_data_and_code_are_both_the_program(sources: Path, changed: str) -> None:
    before = offsetproof.sources.program()
    offsetproof.sources.program.cache_clear()
    (sources / changed).write_text("[1]", encoding="utf-8")
    assert offsetproof.sources.program() != before


def test_sources_that_a_rename_has_put_in_place_are_not_as_loaded(sources: Path) -> None:
    other = sources.with_name("other")
    shutil.copytree(sources, other)
    assert offsetproof.sources.is_as_loaded()
    sources.rename(sources.with_name("before"))
    other.rename(sources)
    assert not offsetproof.sources.is_as_loaded()


def test_sources_with_byte_code_from_before_their_last_change_are_not_as_loaded(sources: Path) -> None:
    """Python runs such byte code: it looks at the source's size and the second of its change alone."""
    compiled = Path(py_compile.compile(str(sources / "code.py"), doraise=True))
    assert offsetproof.sources.is_as_loaded()
    offsetproof.sources._have_old_byte_code.cache_clear()
    changed = (sources / "code.py").stat().st_ctime
    os.utime(compiled, (changed - 5, changed - 5))
    assert not offsetproof.sources.is_as_loaded()
    offsetproof.sources._have_old_byte_code.cache_clear()
    os.utime(sources / "code.py", (changed - 60, changed - 60))
    offsetproof.sources._first_look.cache_clear()
    assert offsetproof.sources.is_as_loaded(), "Python does not take it: the source has another time"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder of models, with a cache that has machine code and no answer."""
    cache_folder("machine-code").mkdir(parents=True, exist_ok=True)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "machine-code").symlink_to(cache_folder("machine-code"))
    return write_models(tmp_path)


def checked(place: Path, *args: str, again: str = "") -> Ran:
    """What `check` says with answers that are kept in the folder."""
    return run_anew(
        "check", *args, "--no-progress", cwd=place, OFFSETPROOF_CACHE=str(place / "cache"), OFFSETPROOF_AGAIN=again
    )


def kept_since(ran: Ran) -> set[str | None]:
    """Since when the answers of a JSON report are kept."""
    return {result["kept_since"] for result in read_valid("report", ran.out)["results"]}


def test_check_says_which_answers_are_kept_and_decides_all_again_when_told(place: Path) -> None:
    first, second = checked(place, "toys:Jugs"), checked(place, "toys:Jugs")
    assert "kept from" not in first.out
    (line,) = [line for line in second.out.splitlines() if "kept from" in line]
    (since,) = kept_since(checked(place, "toys:Jugs", "--format=json")) - {None}
    assert line.startswith(f"{len(JUGS.properties)} of {len(JUGS.properties)} answers kept from {since}, decided")
    assert second.code == first.code
    for form in ("junit", "sarif", "markdown"):
        assert f"kept from {since}" in checked(place, "toys:Jugs", f"--format={form}").out
    assert "kept from" not in checked(place, "toys:Jugs", again="1").out


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["--max-states=100000"], marks=pytest.mark.slow),
        ["--timeout=60"],
        pytest.param(["--max-memory=1GiB"], marks=pytest.mark.slow),
        pytest.param(["--engine=stateful"], marks=pytest.mark.slow),
    ],
)
def test_answers_within_limits_and_of_other_engines_are_not_kept(place: Path, args: list[str]) -> None:
    checked(place, "toys:Jugs")
    assert kept_since(checked(place, "toys:Jugs", "--format=json", *args)) == {None}


def test_answers_about_a_users_model_are_not_kept_even_where_it_hands_on_a_built_in_one(place: Path) -> None:
    (place / "mine.py").write_text(
        "from offsetproof.lang import *\nfrom offsetproof.examples.toys.jugs import Jugs\nclass Mine(Jugs): ...\n",
        encoding="utf-8",
    )
    for name in ("counter.py", "mine.py", "offsetproof.examples.toys.jugs:Jugs"):
        ran = checked(place, name, "--format=json")
        assert kept_since(ran) == {None}, ran.err
    assert not (place / "cache" / "answers").exists()
