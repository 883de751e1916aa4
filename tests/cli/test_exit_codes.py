"""Every kind of outcome has its own exit code, and what goes wrong is told in one line without a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli.program import Ran, line_of, run, run_anew

HEAD = "from offsetproof.lang import *\n"
BODY = """class A(Model):
    x: int = integer(0, 3)
    @action()
    def goes(self) -> None:
        require(self.x < 2)
"""
STEP = BODY + "        self.x = self.x + 1\n"
CLAIM = "    @always()\n    def ok(self) -> bool:\n        return self.x <= 2\n"


def decide(models: Path, model: str, *args: str) -> Ran:
    return run("check", f"{model}.py", *args, cwd=models)


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        (("stays_below_two",), 0),
        (("reaches_three", "never_falls"), 0),
        (("no_deadlock",), 11),
        (("stays_below_three",), 12),
        (("passes_the_top",), 13),
        (("stays_in_range",), 20),
        (("stays_in_range", "passes_the_top", "no_deadlock"), 11),
        (("no_deadlock", "stays_below_three"), 12),
    ],
)
def test_verdicts_decide_the_code_and_the_gravest_wins(models: Path, claims: tuple[str, ...], code: int) -> None:
    ran = decide(models, "counter", *(f"--property={claim}" for claim in claims))
    assert (ran.code, ran.err) == (code, "")


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ("--max-states=1", "state limit; scope small"),
        ("--timeout=0", "time limit"),  # while the model is prepared, or at the first state
        ("--max-memory=1KiB", "memory limit"),
    ],
)
def test_limit_makes_verdict_unknown_and_code_30(models: Path, limit: str, told: str) -> None:
    ran = decide(models, "counter", "--property=never_falls", limit)
    assert ran.code == 30
    assert f"never_falls UNKNOWN {told}" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("goes", "limit", "told"),
    [
        ("while True: pass", "--timeout=0.5", "time limit"),
        ("sum([1 for i in range(10**6) for j in range(10**6)])", "--timeout=0.5", "time limit"),
        ("x = [(i, j) for i in range(10**6) for j in range(100)]", "--max-memory=64MiB", "memory limit"),
    ],
)
def test_limits_hold_while_a_model_is_staged(tmp_path: Path, goes: str, limit: str, told: str) -> None:
    (tmp_path / "slow.py").write_text(HEAD + BODY + f"        {goes}\n" + CLAIM)
    ran = run("check", "slow.py", limit, cwd=tmp_path)
    assert (ran.code, ran.err) == (30, "")
    assert f"{told}: while the model was prepared, before any state was looked at" in " ".join(ran.out.split())


def test_overflow_is_code_75_and_told_with_field_line_and_way_there(models: Path) -> None:
    ran = decide(models, "overflow")
    told = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (75, "")
    assert "model error: rises: field x: 3 is not in its domain, 0 to 2" in told
    line = line_of("overflow", "@action()")
    assert f"overflow.py:{line});after2steps:rises->rises" in "".join(ran.out.split())


@pytest.mark.parametrize(("claim", "code", "verdict"), [("I8", 0, "REFUTED"), ("W-piggyback", 0, "reached")])
def test_built_in_model_is_the_default_subject(claim: str, code: int, verdict: str) -> None:
    ran = run("check", "--property", claim, "--no-progress")
    assert (ran.code, ran.err) == (code, "")
    assert re.match(rf"rocketmq 4\.9\.4, .*: \d {verdict}; all as expected\n", ran.out)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--bound=top=x"], "bound top is a number from 0 to 4611686018427387903, not x"),
        (["--max-states=0"], "give 1 or more"),
        (["--timeout=-1"], "give 0 or more"),
    ],
)
def test_malformed_option_is_code_2_and_shows_what_to_write(models: Path, args: list[str], told: str) -> None:
    ran = decide(models, "counter", *args)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert "Traceback" not in ran.err


def test_one_of_two_models_is_chosen_by_name(tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text(HEAD + STEP + CLAIM + (STEP + CLAIM).replace("class A", "class B"))
    both = run("check", "two.py", cwd=tmp_path)
    assert (both.code, both.complaint) == (2, "offsetproof: two.py has 2 models (A, B); name one as two.py:NAME")
    ran = run("check", "two.py:B", cwd=tmp_path)
    assert ran.code == 0
    assert ran.out.startswith("B: 1 HOLDS; all as expected\n")


BAD_MODELS = {
    "syntax error": (HEAD + "class A(Model):\n    def f(self:\n        pass\n", 3, "'(' was never closed"),
    "null byte": ("\0", 1, "null bytes"),
    "missing import": (HEAD + "import nosuchthing\n", 2, "ModuleNotFoundError while it was imported"),
    "exception": (HEAD + "x = 1\nx = 1 / 0\n", 3, "ZeroDivisionError while it was imported"),
}


@pytest.mark.parametrize("name", BAD_MODELS)
def test_bad_model_is_code_120_with_file_and_line_and_no_traceback(tmp_path: Path, name: str) -> None:
    text, line, told = BAD_MODELS[name]
    (tmp_path / "bad.py").write_text(text)
    ran = run("check", "bad.py", cwd=tmp_path)
    assert (ran.code, ran.out) == (120, "")
    assert re.match(rf"offsetproof: \S*bad\.py:{line}: ", ran.complaint), ran.complaint
    assert told in ran.complaint


def test_claim_that_cannot_be_staged_loses_no_answer_that_was_there(tmp_path: Path) -> None:
    worse = CLAIM.replace("ok", "worse").replace("self.x <= 2", "self.x ** 2 > 0")
    (tmp_path / "bad.py").write_text(HEAD + STEP + CLAIM + worse)
    ran = run("check", "bad.py", cwd=tmp_path)
    assert ran.code == 120
    assert ran.out.startswith("A: 1 HOLDS")
    first, complaint = ran.err.splitlines()
    assert first == "offsetproof: the report has 1 of 2 questions; the next one ended it:"
    assert "bad.py:13: this operation on a number of a field" in complaint


def test_syntax_error_of_an_imported_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("x = 1\ny = (\n")
    (tmp_path / "bad.py").write_text("import helper\n")
    ran = run_anew("check", "bad.py", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert ran.code == 120
    assert "helper.py:2: '(' was never closed" in ran.complaint


def test_package_that_fails_when_it_is_imported_is_code_120_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "__init__.py").write_text("\n1 / 0\n")
    (tmp_path / "broken" / "inner.py").touch()
    ran = run_anew("check", "broken.inner", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert ran.code == 120
    assert ran.complaint == (
        "offsetproof: broken/__init__.py:2: ZeroDivisionError while it was imported: division by zero"
    )
