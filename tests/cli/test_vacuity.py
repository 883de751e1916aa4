"""A claim that holds because nothing happens is VACUOUS: `check` and `guard` end with 13, unless that is allowed."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.program import run

HEAD = """from offsetproof.lang import *

class Thing(Model):
    x: int = integer(0, 5)
    still: int = integer(0, 5)
    before: int = integer(0, 3)

    def rest(self) -> bool:
        return {rest}
"""
STEP = """
    @action()
    def turns(self) -> None:
        self.before = self.x
        self.x = (self.x + 1) % 4
"""
STAYS = """
    @action()
    def stays(self) -> None:
        self.x = self.x * 1
"""
NEVER = """
    @action()
    def jumps(self) -> None:
        require(self.still > 3)
        self.x = 5
"""


def thing(claim: str, actions: str = STEP, rest: str = "self.x == 3") -> str:
    """A model with one claim, `told`."""
    return f"{HEAD.format(rest=rest)}{actions}\n    {claim}\n"


JUDGES = (
    "@always\n    def told(self): return all(each < 4 for each in (self.x, self.before))",
    "@always\n    def told(self): return not (self.x > 2 and self.before > 2)",
    "@always\n    def told(self):\n        if self.x > 2 and self.before > 2: return False\n        return True",
)
"""Claims that say True as plainly as False: that is their judgement, and no way to say nothing."""

STEPS = "@each_step\n    def told(before, after, step): "
ALWAYS = "@always\n    def told(self): return "
MODELS = {
    "never at rest": (
        thing("@at_rest\n    def told(self): return self.x == 0", rest="self.x == 5"),
        "the system is never at rest",
    ),
    "true by its fields": (
        thing(f"{ALWAYS}self.x < 6"),
        "true whatever its fields hold in this scope; no step could break it",
    ),
    "premise that is never true": (thing(f"{ALWAYS}implies(self.x == 5, self.still > 0)"), "its premise is never true"),
    "guard that is constant false": (
        thing(
            "@each_step\n    def told(before, after, step): return after.x < 5 if step.action == 'jumps' else True",
            STEP + NEVER,
        ),
        "no step that it speaks of is ever taken",
    ),
    "step that never happens, in a slice without steps": (
        thing(
            "@each_step\n    def told(before, after, step): return implies(step.action == 'jumps', after.x == 0)",
            "\n    @action()\n    def moves(self): self.still = 1\n" + NEVER.replace("> 3", "> 9"),
        ),
        "no step that it speaks of is ever taken",
    ),
    "premise of a step claim that no step meets": (
        thing(f"{STEPS}return implies(before.x == before.before + 2, after.x < 3)"),
        "no step that it speaks of is ever taken",
    ),
    "premise of a step claim that is constant false": (
        thing(f"{STEPS}return implies(before.still == 3, after.x < 3)"),
        "no step that it speaks of is ever taken",
    ),
    "way to say nothing of a step that every step goes": (
        thing(f"{STEPS}\n        if before.x != before.before + 2: return True\n        return after.x < 3"),
        "no step that it speaks of is ever taken",
    ),
    "no action": (thing(f"{ALWAYS}self.x == 0", ""), "the model has no actions"),
}


@pytest.mark.parametrize("name", MODELS)
def test_claim_that_says_nothing_says_why_and_is_a_gap(tmp_path: Path, name: str) -> None:
    text, why = MODELS[name]
    (tmp_path / "thing.py").write_text(text)
    ran = run("check", "thing.py", "--format=json", cwd=tmp_path)
    (told,) = json.loads(ran.out)["results"]
    assert (ran.code, told["verdict"], told["vacuous"]) == (13, "HOLDS", why)
    text = run("check", "thing.py", cwd=tmp_path)
    assert text.code == 13
    assert text.out.startswith("Thing: 1 VACUOUS; 1 not as expected\n")
    assert f"VACUOUS: {why}" in " ".join(text.out.split())
    assert "or accept it with `--allow-vacuous`" in " ".join(text.out.split())
    for verb in (("guard", "thing.py", "--update"), ("guard", "thing.py")):
        guard = run(*verb, cwd=tmp_path)
        assert guard.code == 13
        assert f"told in default: vacuous, {why}" in " ".join(guard.out.split())


@pytest.mark.parametrize(
    "claim",
    [
        f"{ALWAYS}self.x < 4",
        f"{ALWAYS}implies(self.x == 3, self.before == 2)",
        "@at_rest\n    def told(self): return self.before == 2",
        f"{STEPS}return before.x != after.x",
        f"{STEPS}return implies(before.x == 3, after.x == 0)",
        f"{STEPS}return not (before.x == before.before + 2 and after.x == 3)",
        f"{STEPS}\n        if before.x < 3: return True\n        return after.x == 0",
        *JUDGES,
    ],
)
def test_claim_that_says_something_is_not_vacuous(tmp_path: Path, claim: str) -> None:
    (tmp_path / "thing.py").write_text(thing(claim))
    (told,) = json.loads(run("check", "thing.py", "--format=json", cwd=tmp_path).out)["results"]
    assert (told["verdict"], told["vacuous"]) == ("HOLDS", None)
    assert run("guard", "thing.py", "--update", cwd=tmp_path).code == 0


@pytest.mark.parametrize("name", MODELS)
def test_vacuous_claim_is_accepted_by_who_allows_it(tmp_path: Path, name: str) -> None:
    text, why = MODELS[name]
    (tmp_path / "thing.py").write_text(text)
    ran = run("check", "thing.py", "--allow-vacuous", cwd=tmp_path)
    assert ran.code == 0
    assert ran.out.startswith("Thing: 1 VACUOUS; all as expected\n")
    assert f"VACUOUS: {why}" in " ".join(ran.out.split())
    assert "--allow-vacuous" not in ran.out


@pytest.mark.parametrize("name", MODELS)
def test_vacuous_claim_that_smt_proves_is_vacuous_there_too(tmp_path: Path, name: str) -> None:
    text, why = MODELS[name]
    (tmp_path / "thing.py").write_text(text)
    ran = run("check", "thing.py", "--engine=smt", "--format=json", cwd=tmp_path)
    (told,) = json.loads(ran.out)["results"]
    assert (ran.code, told["engine"], told["verdict"], told["vacuous"]) == (13, "smt", "HOLDS", why)


@pytest.mark.parametrize("flags", [("--no-slice",), ("--no-slice", "--no-dead", "--engine=smt")], ids=" ".join)
@pytest.mark.parametrize("name", MODELS)
def test_vacuous_claim_is_vacuous_whatever_reductions_are_on(tmp_path: Path, name: str, flags: tuple[str, ...]) -> None:
    text, why = MODELS[name]
    (tmp_path / "thing.py").write_text(text)
    ran = run("check", "thing.py", *flags, "--format=json", cwd=tmp_path)
    (told,) = json.loads(ran.out)["results"]
    assert (ran.code, told["verdict"], told["vacuous"]) == (13, "HOLDS", why)


def test_smt_proves_nothing_whose_premise_it_has_not_met(tmp_path: Path) -> None:
    (tmp_path / "thing.py").write_text(thing(f"{ALWAYS}implies(self.x == 3, self.x + self.before < 7)"))
    met = run("check", "thing.py", "--engine=smt", "--depth=3", cwd=tmp_path)
    assert (met.code, met.out.partition("\n")[0]) == (0, "Thing: 1 HOLDS; all as expected")
    short = run("check", "thing.py", "--engine=smt", "--depth=2", "--format=json", cwd=tmp_path)
    (told,) = json.loads(short.out)["results"]
    assert (short.code, told["verdict"], told["reason"]) == (30, "UNKNOWN", "needed witness not reached")
    assert told["detail"] == "it is never broken, but no state or step was found that it says anything of"


def test_violation_comes_before_a_vacuous_claim_and_that_before_a_difference(tmp_path: Path) -> None:
    vacuous = f"{ALWAYS}self.x < 6"
    for more, code in (
        ("@always\n    def broken(self): return self.x < 3", 12),
        ("@always(expected=REFUTED)\n    def holds(self): return self.x < 5", 13),
    ):
        (tmp_path / "thing.py").write_text(thing(f"{vacuous}\n\n    {more}"))
        assert run("check", "thing.py", cwd=tmp_path).code == code


def test_vacuous_claim_that_should_be_refuted_is_not_accepted_where_vacuous_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "thing.py").write_text(thing("@always(expected=REFUTED)\n    def told(self): return self.x < 6"))
    assert run("check", "thing.py", cwd=tmp_path).code == 13
    allowed = run("check", "thing.py", "--allow-vacuous", cwd=tmp_path)
    assert allowed.code == 20
    assert allowed.out.startswith("Thing: 1 VACUOUS; 1 not as expected\n")
    assert "expected REFUTED" in allowed.out


def test_action_whose_guard_is_constant_false_is_named_by_guard(tmp_path: Path) -> None:
    (tmp_path / "thing.py").write_text(thing(f"{ALWAYS}self.x < 5", STEP + NEVER))
    guard = run("guard", "thing.py", "--update", cwd=tmp_path)
    assert guard.code == 13
    assert "can never be taken, in any scope that was asked: jumps" in guard.out


def test_claim_about_one_state_says_so(tmp_path: Path) -> None:
    (tmp_path / "thing.py").write_text(thing(f"{ALWAYS}self.x == 0", STAYS))
    for verb in ("check", "guard"):
        more = ("--update",) if verb == "guard" else ()
        ran = run(verb, "thing.py", "--property=no_deadlock", *more, cwd=tmp_path)
        assert ran.code == 13
        assert "there is one state: nothing that it depends on ever changes" in " ".join(ran.out.split())


def test_claim_about_one_state_says_so_to_smt(tmp_path: Path) -> None:
    (tmp_path / "thing.py").write_text(thing(f"{ALWAYS}self.x == 0", STAYS))
    ran = run("check", "thing.py", "no_deadlock", "--engine=smt", cwd=tmp_path)
    assert (ran.code, ran.out.partition("\n")[0]) == (13, "Thing: 1 VACUOUS; 1 not as expected")


def test_no_case_of_guard_passes_that_fails_in_check(tmp_path: Path) -> None:
    """A baseline that says the same excuses neither a claim that says nothing nor a witness that is not reached."""
    claims = f"{ALWAYS}self.x < 6\n    @always\n    def fine(self): return self.x < 4"
    (tmp_path / "thing.py").write_text(thing(f"{claims}\n    @sometimes\n    def seen(self): return self.x == 5"))
    run("guard", "thing.py", "--update", cwd=tmp_path)
    for verb in ("check", "guard"):
        ran = run(verb, "thing.py", "--format=junit", cwd=tmp_path)
        cases = ElementTree.fromstring(ran.out)[0]
        failed = {str(case.get("name")).partition("[")[0] for case in cases if case.find("failure") is not None}
        passed = {str(case.get("name")).partition("[")[0] for case in cases if case.find("system-out") is not None}
        assert (ran.code, {"told", "seen"} <= failed, passed) == (13, True, {"fine"})
        results = json.loads(run(verb, "thing.py", "--format=sarif", cwd=tmp_path).out)["runs"][0]["results"]
        assert [(each["kind"], each["level"]) for each in results if each["ruleId"] in {"told", "seen"}] == [
            ("fail", "error"), ("fail", "error"),
        ]  # fmt: skip


def test_scopes_that_were_not_asked_are_named_until_all_are(models: Path) -> None:
    one = run("check", "counter.py", "--property=never_falls", cwd=models)
    assert "asked in scope small only; `--scope all` asks in huge as well" in " ".join(one.out.split())
    every = run("check", "counter.py", "--property=never_falls", "--scope=all", "--format=json", cwd=models)
    told = json.loads(every.out)["results"]
    assert [(each["scope"]["name"], each["scopes_not_asked"]) for each in told] == [("small", []), ("huge", [])]
    assert [each["states"] for each in told] == [4, 5001]
    lock = run("check", "lock.py", cwd=models)
    assert "--scope all" not in lock.out
