"""The catalogue of subjects: the one place that knows their names, and families of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from cli.program import run

import offsetproof
from offsetproof.checking.catalogue import BUILT_INS, DEFAULT
from offsetproof.checking.request import Request, questions_by_subject
from offsetproof.checking.subject import load_named, load_subject, load_subjects
from offsetproof.examples.toys import SUBJECTS, TOYS, Toy
from offsetproof.lang import UnknownNameError
from offsetproof.lang.subject import NoSubjectError
from offsetproof.verdict.result import Verdict

PACKAGE = Path(offsetproof.__file__).parent
DECIDED = [toy for toy in TOYS if toy.claim != "no_deadlock" and toy.reason is None]


def rooms() -> list[Path]:
    """The program's own files; what the links lead to is content."""
    links = {path for path in PACKAGE.iterdir() if path.is_symlink()}
    return [path for path in PACKAGE.rglob("*.py") if not links & {*path.parents}]


def words(tree: ast.Module) -> Iterator[str]:
    """The texts and names in a file's code; docstrings are for people."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@cache
def known_in(room: Path) -> frozenset[str]:
    """The words of a file, in lower case."""
    return frozenset(word.lower() for word in words(ast.parse(room.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("name", [*BUILT_INS, "offsetproof.properties", "offsetproof.model", "offsetproof.examples"])
def test_no_room_knows_a_subject_but_the_catalogue(name: str) -> None:
    assert len(rooms()) > 150
    knowing = {path.relative_to(PACKAGE).as_posix() for path in rooms() if any(name in word for word in known_in(path))}
    about_the_program = {each for each in knowing if each.startswith("audit/")}  # logs and clusters are RocketMQ's
    about_the_program |= {"version.py"} if name == DEFAULT else set()
    about_the_program |= {"cli/examples.py"}  # what a user may type
    if name == DEFAULT:  # the product that the real classes are of has the same name
        about_the_program |= {each for each in knowing if each.startswith(("real/", "cli/", "reports/", "assistants/"))}
        about_the_program |= {"verdict/prerequisite.py"}  # which names the verb that fetches jars
    if name in {"orderly", "broadcasting"}:  # so are consumers called that run on a whole cluster
        about_the_program |= {each for each in knowing if each.startswith("real/whole/")}
    assert knowing - about_the_program <= {"checking/catalogue.py"}


@pytest.mark.parametrize("name", [*BUILT_INS])
def test_catalogue_knows_them(name: str) -> None:
    assert name in words(ast.parse((PACKAGE / "checking" / "catalogue.py").read_text(encoding="utf-8")))


def test_every_entry_loads_and_has_claims_and_a_sentence() -> None:
    assert next(iter(BUILT_INS)) == DEFAULT
    for name, entry in BUILT_INS.items():
        assert entry.name == name
        assert entry.about
        assert entry.is_family == (len(entry.subjects) > 1)
        assert all(subject.properties for subject in entry.subjects)
        assert (entry.folder / "__init__.py").is_file()


def test_member_of_a_family_is_named_after_it_and_the_family_alone_is_no_single_subject() -> None:
    assert load_subject("toys:Jugs") is next(subject for subject in SUBJECTS if subject.name == "Jugs")
    assert load_subjects("toys") == SUBJECTS
    with pytest.raises(NoSubjectError, match=r"^toys has 22 models \(Counter, .*Holder\); name one as toys:NAME$"):
        load_subject("toys")
    with pytest.raises(NoSubjectError, match=r"^toys has no model Jug; it has Counter, "):
        load_subject("toys:Jug")


def test_words_after_a_family_are_claims_of_any_member() -> None:
    named = load_named(("toys", "never_falls", "never_arrives"))
    assert (named.name, named.words) == ("toys", ("never_falls", "never_arrives"))
    asked = questions_by_subject(named.subjects, Request(named.subjects[0], named.words))
    assert [(subject.name, [q.prop.id for q in those]) for subject, those in asked] == [
        ("Counter", ["never_falls"]),
        ("Slips", ["never_arrives"]),
    ]
    with pytest.raises(UnknownNameError, match="never_fails"):
        load_named(("toys", "never_fails"))
    with pytest.raises(UnknownNameError, match=r"never_fails.*did you mean never_falls"):
        questions_by_subject(named.subjects, Request(named.subjects[0], ("never_fails",)))


def test_ids_of_toys_differ_so_that_one_report_can_have_them_all() -> None:
    ids = [prop.id for subject in SUBJECTS for prop in subject.properties]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("toy", DECIDED, ids=lambda toy: toy.name)
def test_claim_of_a_toy_expects_the_verdict_that_was_worked_out(toy: Toy) -> None:
    assert str(toy.prop.required(toy.setting)) == str(toy.verdict)


def test_every_toy_but_the_wrong_one_is_a_subject() -> None:
    wrong = {toy.model for toy in TOYS if toy.verdict is Verdict.UNKNOWN}
    assert {subject.model for subject in SUBJECTS} == {toy.model for toy in TOYS} - wrong


def test_report_of_a_family_says_whose_claim_each_is() -> None:
    ran = run("check", "toys", "never_falls", "never_arrives", "--no-progress")
    assert ran.code == 0
    assert ran.out.startswith("toys: 2 REFUTED; all as expected\n")
    rows = [line for line in ran.out.splitlines() if " REFUTED " in line]
    assert [row.split()[:2] for row in rows] == [["Counter:", "never_falls"], ["Slips:", "never_arrives"]]


@pytest.mark.slow
def test_report_about_a_family_names_each_member_in_its_row() -> None:
    ran = run("check", "toys", "no_deadlock", "--no-progress", "--stories=brief", "--property=never_falls")
    assert ran.code == 11
    assert ran.out.startswith("toys: 11 HOLDS, 12 REFUTED; 11 not as expected\n")
    names = [subject.name for subject in SUBJECTS]
    rows = ran.out[: ran.out.index("\n\n", ran.out.index("───"))].splitlines()
    assert [*dict.fromkeys(head for row in rows if (head := row.strip().partition(":")[0]) in names)] == names


def test_files_of_traces_are_named_after_their_subjects(tmp_path: Path) -> None:
    ran = run("check", "toys", "never_falls", "never_arrives", "--no-progress", "--quiet", f"--out-dir={tmp_path}")
    assert ran.code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "Counter-never_falls-default.json",
        "Slips-never_arrives-slippery.json",
    ]
    shown = run("show", str(tmp_path / "Counter-never_falls-default.json"), "--subject=toys:Counter")
    assert shown.code == 0
    assert "replayed on the model: yes" in shown.out


def test_list_of_a_family_has_a_row_for_each_member() -> None:
    rows = [line for line in run("list", "toys").out.splitlines() if line.startswith("  ") and line[2] != " "]
    assert [row.split()[0] for row in rows[:-1]] == [subject.name for subject in SUBJECTS]
    assert "stays_below_two" in run("list", "toys", "stays_below_two").out


@pytest.mark.slow
def test_all_toys_are_decided_as_expected() -> None:
    ran = run("check", "toys", "--no-progress", "--stories=none")
    assert (ran.code, ran.err) == (13, "")
    told = "toys: 14 HOLDS, 6 VACUOUS, 17 REFUTED, 5 reached, 1 not reached; 6 not as expected\n"
    assert ran.out.startswith(told)
    allowed = run("check", "toys", "--no-progress", "--stories=none", "--allow-vacuous")
    assert (allowed.code, allowed.out.partition("\n")[0]) == (0, told.strip().replace("6 not", "all"))
