"""`offsetproof compare`: models, releases, fixes and a file in git; what is told, and which code that is."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from cli.program import in_terminal, run, run_anew
from systems.schemas import read_valid

from offsetproof.checking.subject import load_subject

COUNTER = '''
from offsetproof.lang import Model, Scope, action, always, flag, integer, require

class Counter(Model):
    """Counts to its top."""

    scopes = (Scope("small", {"top": 3}), Scope("large", {"top": 4}))
    value: int = integer(0, "top")
    BUSY

    @action(actor="worker")
    def begin(self) -> None:
        """Takes a number."""
        BEGIN

    @action(actor="worker")
    def add(self) -> None:
        """Adds it."""
        ADD

    @always
    def is_small(self) -> bool:
        """The value is 3 at most, which the first scope cannot break."""
        return self.value <= 3
'''
AT_ONCE = {"BUSY": "", "BEGIN": "require(False)", "ADD": "require(self.value < self.scope.top); self.value += 1"}
IN_TWO = {
    "BUSY": "busy: bool = flag()",
    "BEGIN": "require(not self.busy, self.value < self.scope.top); self.busy = True",
    "ADD": "require(self.busy); self.value += 1; self.busy = False",
}
BY_TWO = AT_ONCE | {"ADD": "require(self.value + 2 <= self.scope.top); self.value += 2"}
NEVER = AT_ONCE | {"ADD": "require(False)"}
TOO_FAR = AT_ONCE | {"ADD": "self.value += 1"}


def model(folder: Path, name: str, parts: dict[str, str]) -> str:
    text = COUNTER
    for word, code in parts.items():
        text = text.replace(word, code)
    (folder / name).write_text(text)
    return name


def git(folder: Path, *args: str) -> None:
    identity = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
    subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True)


def test_refactoring_into_smaller_steps_shows_the_same(tmp_path: Path) -> None:
    one, other = model(tmp_path, "one.py", AT_ONCE), model(tmp_path, "two.py", IN_TWO)
    ran = run("compare", one, other, cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "by what value show" in ran.out
    assert "one.py: 4 states, 3 steps; 4 combinations of values seen;" in ran.out
    assert "two.py: 7 states, 6 steps; 4 combinations of values seen;" in ran.out
    assert "it alone has busy: not compared" in ran.out
    assert [line.split()[0] for line in ran.out.splitlines() if line[:1].isupper()] == ["HOLDS", "HOLDS"]


def test_difference_is_told_in_two_columns_with_what_is_possible_instead(tmp_path: Path) -> None:
    one, other = model(tmp_path, "one.py", AT_ONCE), model(tmp_path, "two.py", BY_TWO)
    ran = run("compare", one, other, "--scope=large", cwd=tmp_path)
    assert ran.code == 20
    first, second = ran.out.split("REFUTED")[1:]
    assert first.startswith("  one.py shows in 1 step what two.py cannot show")
    assert "two.py can only show next: value = 2" in first
    assert "claims that read value: is_small" in first
    assert second.startswith("  two.py shows in 1 step what one.py cannot show")
    assert "one.py can only show next: value = 1" in second
    assert [line.split() for line in second.splitlines()[4:6]] == [
        ["value", "1", "worker", "cannot"], ["0", "->", "2", "add"],
    ]  # fmt: skip


def test_full_story_is_of_two_runs_and_of_no_claim(tmp_path: Path) -> None:
    one, other = model(tmp_path, "one.py", AT_ONCE), model(tmp_path, "two.py", BY_TWO)
    ran = run("compare", one, other, "--scope=large", "--stories=full", cwd=tmp_path)
    assert ran.code == 20
    assert "a run of 1 step" in ran.out
    assert "walk-by-hand" not in ran.out


def test_one_direction_may_hold_alone(tmp_path: Path) -> None:
    one, other = model(tmp_path, "one.py", AT_ONCE), model(tmp_path, "never.py", NEVER)
    ran = run("compare", one, other, "--format=json", cwd=tmp_path)
    found = read_valid("compare", ran.out)
    assert ran.code == 20
    assert [(each["side"], each["verdict"]) for each in found["directions"]] == [
        ("one.py", "REFUTED"), ("never.py", "HOLDS"),
    ]  # fmt: skip
    first = found["directions"][0]
    assert [step["action"] for step in first["run"]["steps"]] == ["add"]
    assert (first["other"]["steps"], first["instead"], first["differing"]) == ([], [], ["value"])
    assert [(side["states"], side["seen"]) for side in found["sides"]] == [(4, 4), (1, 1)]


def test_claim_that_only_one_run_breaks_is_named(tmp_path: Path) -> None:
    one, other = model(tmp_path, "one.py", AT_ONCE), model(tmp_path, "two.py", BY_TWO)
    ran = run("compare", other, one, "--scope=large", "--bound=top=5", cwd=tmp_path)
    assert "broken on the way" not in ran.out
    grown = AT_ONCE | {
        "ADD": "require(self.value < self.scope.top); self.value = self.value + 1 if self.value < 2 else 4"
    }
    ran = run("compare", model(tmp_path, "grown.py", grown), one, "--scope=large", cwd=tmp_path)
    assert "broken on the way in grown.py alone: is_small" in ran.out


def test_file_is_compared_with_what_git_has_of_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    model(tmp_path, "counter.py", AT_ONCE)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=As it was")
    model(tmp_path, "counter.py", IN_TWO)
    same = run("compare", "HEAD:counter.py", "counter.py", cwd=tmp_path)
    assert (same.code, same.err) == (0, "")
    assert "HEAD:counter.py: 4 states" in same.out
    model(tmp_path, "counter.py", BY_TWO)
    assert run("compare", "HEAD:counter.py:Counter", "counter.py", cwd=tmp_path).code == 20
    unknown = run("compare", "HEAD~7:counter.py", "counter.py", cwd=tmp_path)
    assert (unknown.code, "git has no HEAD~7:counter.py" in unknown.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".py"] == ["counter.py"]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("one.py", "two.py", "--field=valve"), 2, "no field named 'valve'; did you mean value?"),
        (("one.py", "two.py", "--field=busy"), 2, "no field named 'busy'"),
        (("one.py", "three.py"), 2, "there is no model file three.py"),
        (("one.py", "two.py", "--scope=huge"), 2, "no scope named 'huge'"),
        (("one.py@9.9", "two.py"), 2, "no release named '9.9'"),
        (("one.py+faster", "two.py"), 2, "no fix or assumption named 'faster'"),
        (("4.9.9", "4.9.4"), 2, "4.9.9 is no file, module or git revision of a file, and rocketmq has no"),
        (("4.9.4+poll-checks-droped", "4.9.4"), 2, "did you mean poll-checks-dropped?"),
        (("one.py",), 2, "Missing argument 'B'"),
    ],
)  # fmt: skip
def test_names_that_are_none_are_refused(tmp_path: Path, args: tuple[str, ...], code: int, said: str) -> None:
    model(tmp_path, "one.py", AT_ONCE)
    model(tmp_path, "two.py", IN_TWO)
    ran = run("compare", *args, cwd=tmp_path)
    assert (ran.code, ran.out) == (code, "")
    assert said in " ".join(ran.err.split())


FINISHED = """
from offsetproof.lang import Component, Model, Scope, action, flag, integer, part, require

class Job(Component):
    done: bool = flag()
    note: int = integer(0, 2)

    def finished(self) -> bool:
        return self.done

class Jobs(Model):
    scopes = (Scope("only", {}),)
    job: Job = part(Job)

    @action(actor="worker")
    def finish(self) -> None:
        require(not self.job.done)
        self.job.done, self.job.note = True, NOTE
"""


def test_field_of_a_finished_object_is_seen_though_nothing_reads_it(tmp_path: Path) -> None:
    """With all fields looked at: what is known of a finished job (it is done) is no reason to reset its note."""
    for note in ("1", "2"):
        (tmp_path / f"note{note}.py").write_text(FINISHED.replace("NOTE", note))
    ran = run("compare", "note1.py", "note2.py", cwd=tmp_path)
    assert (ran.code, ran.out.count("REFUTED")) == (20, 2)
    assert "note2.py can only show next: job.done = True, job.note = 2" in ran.out
    assert run("compare", "note1.py", "note2.py", "--field=done", cwd=tmp_path).code == 0


def test_what_is_not_known_is_no_success(tmp_path: Path) -> None:
    one, far = model(tmp_path, "one.py", AT_ONCE), model(tmp_path, "far.py", TOO_FAR)
    limited = run("compare", one, one, "--max-states=2", cwd=tmp_path)
    assert (limited.code, limited.out.count("UNKNOWN"), "state limit" in limited.out) == (30, 2, True)
    wrong = run("compare", one, far, cwd=tmp_path)
    assert (wrong.code, wrong.out.count("UNKNOWN")) == (75, 2)
    assert (
        " ".join(wrong.out.split()).count("? in far.py a step goes wrong (an error, or a value out of its range);") == 2
    )
    never = model(tmp_path, "never.py", NEVER)
    empty = run("compare", never, never, cwd=tmp_path)
    assert (empty.code, "nothing that is looked at ever changes" in empty.out) == (13, True)


def test_scope_that_is_too_large_is_told_with_smaller_ones_by_name() -> None:
    ran = run("compare", "4.9.4", "4.9.8", "--max-states=1000", "--field=committed")
    assert (ran.code, ran.out.count("state limit")) == (30, 2)
    said = " ".join(ran.out.partition("smaller, by the states of their claims: --scope ")[2].split())
    named = re.findall(r"([\w-]+) \(([\d,]+) states\)", said)
    sizes = [int(states.replace(",", "")) for _, states in named]
    assert len(named) == 3
    assert sizes == sorted(sizes, reverse=True)
    assert {name for name, _ in named} <= {scope.name for scope in load_subject("rocketmq").model.scopes}
    assert "smaller" not in run("compare", "4.9.4", "4.9.8", "--max-states=1000", "--bound=messages=2").out


def test_bound_in_the_way_is_said(tmp_path: Path) -> None:
    bounded = AT_ONCE | {"ADD": "bound(self.value < 2); require(self.value < self.scope.top); self.value += 1"}
    one, other = model(tmp_path, "one.py", AT_ONCE), model(tmp_path, "bounded.py", bounded)
    (tmp_path / other).write_text((tmp_path / other).read_text().replace("always,", "always, bound,"))
    ran = run("compare", one, other, cwd=tmp_path)
    assert ran.code == 20
    assert "a bound of the scope alone keeps bounded.py from a step there" in ran.out
    assert run("compare", other, one, "--format=json", cwd=tmp_path).out.count('"cut": true') == 1


TWO_WAYS = """
from offsetproof.lang import *

class Ways(Model):
    scopes = (Scope("only", {}),)
    value: int = integer(0, 4, START)
    way: int = integer(0, 3)

    @action(actor="worker", n=Index("way", WAYS))
    def begin(self, n: int) -> None:
        require(self.value == 0)
        self.value, self.way = n + 1, n

    @action(actor="worker")
    def go_on(self) -> None:
        require(among(self.value, 1, 2))
        self.value = 3

    @action(actor="worker")
    def end(self) -> None:
        require(self.value == 3, self.way >= FROM)
        bound(self.way >= TO)
        self.value = 4
"""


def two_ways(folder: Path, name: str, **parts: int) -> str:
    text = TWO_WAYS
    for word, number in ({"START": 0, "WAYS": 2, "FROM": 1, "TO": 3} | parts).items():
        text = text.replace(word, str(number))
    (folder / name).write_text(text)
    return name


def test_bound_in_the_way_elsewhere_is_not_said(tmp_path: Path) -> None:
    """After 0 1 3 no bound is in the way, only after 0 2 3, from where the model goes on alike: not at all."""
    one, other = two_ways(tmp_path, "one.py", WAYS=1, FROM=0, TO=0), two_ways(tmp_path, "other.py")
    cut = json.loads(run("compare", one, other, "--field=value", "--format=json", cwd=tmp_path).out)["directions"][0]
    assert [step["action"] for step in cut["run"]["steps"]] == ["begin", "go_on", "end"]
    assert (cut["instead"], cut["cut"]) == ([], False)
    later = two_ways(tmp_path, "later.py", FROM=0)
    said = run("compare", one, later, "--field=value", cwd=tmp_path).out
    assert said.count("a bound of the scope alone keeps later.py from a step there") == 1


def test_no_bound_keeps_a_model_from_beginning(tmp_path: Path) -> None:
    one, other = two_ways(tmp_path, "one.py", START=1), two_ways(tmp_path, "other.py", START=3, FROM=0)
    ran = run("compare", one, other, "--field=value", cwd=tmp_path)
    assert (ran.code, "other.py cannot begin so" in ran.out, "a bound of the scope" in ran.out) == (20, True, False)


def test_what_never_changes_may_differ_all_the_same(tmp_path: Path) -> None:
    one, other = two_ways(tmp_path, "one.py", START=4), two_ways(tmp_path, "other.py", START=3)
    ran = run("compare", one, other, cwd=tmp_path)
    assert (ran.code, ran.out.count("REFUTED"), "this says nothing" in ran.out) == (20, 2, False)


def test_difference_is_told_though_a_claim_is_made_for_another_scope(tmp_path: Path) -> None:
    one, other = model(tmp_path, "one.py", AT_ONCE), model(tmp_path, "two.py", BY_TWO)
    for name in (one, other):
        text = (tmp_path / name).read_text().replace("always,", "always, array, Array, Index,")
        text = text.replace('{"top": 3}', '{"top": 3, "cells": 3}').replace('{"top": 4}', '{"top": 4, "cells": 1}')
        text = text.replace(
            "    @action", '    cell: Array[bool] = array(Index("cell", "cells"), flag())\n    @action', 1
        )
        text += "\n    @always\n    def third(self) -> bool:\n        return not self.cell[2]\n"
        (tmp_path / name).write_text(text)
    ran = run("compare", one, other, "--scope=large", cwd=tmp_path)
    assert (ran.code, ran.out.count("REFUTED"), ran.err) == (20, 2, "")
    assert "claims that read value: is_small" in ran.out


def test_file_that_is_compared_is_never_written_over(tmp_path: Path) -> None:
    one = model(tmp_path, "one.py", AT_ONCE)
    text = (tmp_path / one).read_text() + '\n    fixes = (Fix("quick", "is quick"),)\n'
    text = text.replace("import Model", "import Fix, Model")
    (tmp_path / one).write_text(text)
    for name in ("one.py+quick", "one.py:Counter+quick", "one.py@+quick"):
        ran = run("compare", name, name, "--output=one.py", cwd=tmp_path)
        assert (ran.code, "this run reads it" in ran.err) == (150, True)
    assert (tmp_path / one).read_text() == text
    assert run("compare", "one.py+quick", "one.py", cwd=tmp_path).code == 0


def test_what_is_wrong_in_a_file_from_git_is_told_by_its_place_there(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    for name, parts in {"syntax.py": {"ADD": "("}, "staging.py": {"ADD": "import os"}}.items():
        model(tmp_path, name, AT_ONCE | parts)
    (tmp_path / "folder.py").mkdir()
    model(tmp_path, "folder.py/one.py", AT_ONCE)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=As it was")
    one = model(tmp_path, "one.py", AT_ONCE)
    for name in ("syntax.py", "staging.py"):
        ran = run("compare", f"HEAD:{name}", one, cwd=tmp_path)
        assert (ran.code, f"offsetproof: HEAD:{name}:" in ran.err, "/0/" in ran.err) == (120, True, False)
    folder = run("compare", "HEAD:folder.py", one, cwd=tmp_path)
    assert (folder.code, "git has no HEAD:folder.py" in folder.err) == (2, True)


def test_what_a_file_from_git_imports_is_said_to_be_as_now(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    model(
        tmp_path,
        "counter.py",
        AT_ONCE | {"self.value <= 3": "self.value <= MOST", "class": "from parts_now import MOST\n\nclass"},
    )
    (tmp_path / "parts_now.py").write_text("MOST = 3\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=As it was")
    (tmp_path / "parts_now.py").write_text("MOST = 4\n")
    ran = run_anew(
        "compare",
        "HEAD:counter.py",
        "counter.py",
        cwd=tmp_path,
        PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
    )
    assert ran.code == 0, ran.err
    assert ran.out.count("it imports parts_now as it is now, not as git has it") == 1


def test_revisions_and_files_may_have_signs_in_their_names(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    model(tmp_path, "a@b+c.py", AT_ONCE)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=As it was: one")
    git(tmp_path, "tag", "1.0+rc")
    model(tmp_path, "a@b+c.py", BY_TWO)
    for revision in ("HEAD", "@", "HEAD@{0}", "1.0+rc", ":0", "HEAD^{/was: one}"):
        ran = run("compare", f"{revision}:a@b+c.py", "a@b+c.py:Counter", "--scope=large", cwd=tmp_path)
        assert (ran.code, ran.err) == (20, ""), revision
    assert run("compare", "HEAD:a@b+c.py", "HEAD:a@b+c.py", cwd=tmp_path).code == 0
    whole = run("compare", f"HEAD:{tmp_path / 'a@b+c.py'}", "HEAD:a@b+c.py", cwd=tmp_path)
    assert (whole.code, whole.err) == (0, "")
    elsewhere = run("compare", "HEAD:/a@b+c.py", "a@b+c.py", cwd=tmp_path)
    assert (elsewhere.code, "git has no HEAD:/a@b+c.py" in elsewhere.err) == (2, True)


def test_releases_and_fixes_of_rocketmq_are_compared() -> None:
    at = ("--scope=calm-reset", "--field=committed", "--format=json", "--no-progress")
    same = json.loads(run("compare", "4.9.4", "4.9.8", *at).out)
    assert [each["verdict"] for each in same["directions"]] == ["HOLDS", "HOLDS"]
    assert same["fields"] == ["broker.committed"]
    assert [side["states"] for side in same["sides"]] == [86_342, 86_342]
    fixed = json.loads(run("compare", "4.9.4", "4.9.4+poll-checks-dropped", *at).out)
    assert [(side["fixes"]) for side in fixed["sides"]] == [[], ["poll-checks-dropped"]]
    assert fixed["directions"][1]["verdict"] == "HOLDS", "a fix adds nothing"


def test_text_fits_the_terminal() -> None:
    code, text = in_terminal(
        "compare", "4.9.4", "5.3.3", "--scope=calm-reset", "--field=committed", "--no-progress", columns=80
    )
    assert code == 20
    assert max(map(len, text.splitlines())) <= 80
    assert "HOLDS    4.9.4 shows all that 5.3.3 shows (exhaustive)" in text
    assert "broken on the way in 4.9.4 alone: backward-reset-stays (I5)" in text
