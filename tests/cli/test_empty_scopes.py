"""A HOLDS in a scope that allows a fault or raises a bound, of which nothing happened, says so beside the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import run

MODEL = """from offsetproof.lang import *

LOSS = Fault("loss", "a letter is lost")
THEFT = Fault("theft", "a letter is stolen")

class Post(Model):
    bounds = {{"letters": Default(0, "letters that are sent"), "stamps": Default(2, "stamps that there are")}}
    scopes = (Scope("small", {bounds}, faults={faults}),)
    letters_left: int = integer(0, "letters", "letters")
    stamps: int = integer(0, "stamps", "stamps")
    read: int = integer(0, "letters")
    lost: int = integer(0, 3)
    open: int = integer(0, {open})

    @action()
    def opens(self) -> None:
        require(self.open == 0)
        self.open = {opens}

    @action()
    def sends(self) -> None:
        require(self.open == 2, self.letters_left > 0)
        self.letters_left -= 1

    @action(fault=LOSS)
    def loses(self) -> None:
        require(self.letters_left < self.scope.letters)
        self.lost += 1

    @action(fault=THEFT)
    def steals(self) -> None:
        require(self.letters_left < self.scope.letters)
        self.lost += 1

    @always
    def little_is_lost(self) -> bool:
        return self.lost + self.open < 6
"""
NO_LOSS = "no fault loss (a letter is lost) happened in this scope: loses never taken"
NO_THEFT = "no fault theft (a letter is stolen) happened in this scope: steals never taken"
NO_LETTER = "no step used letters=2 of this scope (letters that are sent)"


def write_model(folder: Path, *, bounds: str, faults: str, opens: int, open: int = 7) -> None:
    text = MODEL.format(bounds=bounds, faults=faults, opens=opens, open=open)
    (folder / "post.py").write_text(text)


@pytest.mark.parametrize(
    ("bounds", "faults", "opens", "unspent"),
    [
        ('{"letters": 2}', "{LOSS: 1, THEFT: 1}", 1, [NO_LOSS, NO_THEFT, NO_LETTER]),
        ('{"letters": 2}', "{LOSS: 0, THEFT: 1}", 1, [NO_THEFT, NO_LETTER]),
        ('{"letters": 2}', "{LOSS: 1, THEFT: 1}", 2, []),
        ('{"letters": 2}', "{LOSS: 0, THEFT: 0}", 1, []),
        ("{}", "{LOSS: 1, THEFT: 1}", 1, [NO_LOSS, NO_THEFT]),
    ],
)
def test_what_the_scope_allows_and_no_step_spends_is_said(
    tmp_path: Path, bounds: str, faults: str, opens: int, unspent: list[str]
) -> None:
    write_model(tmp_path, bounds=bounds, faults=faults, opens=opens)
    ran = run("check", "post.py", "--format=json", cwd=tmp_path)
    (told,) = json.loads(ran.out)["results"]
    assert (ran.code, told["verdict"], told["vacuous"], told["unspent"]) == (0, "HOLDS", None, unspent)


@pytest.mark.parametrize("form", ["text", "markdown", "junit", "sarif", "html"])
def test_empty_scope_is_said_beside_the_verdict_in_every_form(tmp_path: Path, form: str) -> None:
    write_model(tmp_path, bounds='{"letters": 2}', faults="{LOSS: 1, THEFT: 1}", opens=1)
    how = "--html=report" if form == "html" else f"--format={form}"
    ran = run("check", "post.py", how, cwd=tmp_path)
    told = (tmp_path / "report" / "index.html").read_text() if form == "html" else ran.out
    assert ran.code == 0
    for sentence in (NO_LOSS, NO_THEFT, NO_LETTER):
        assert f"EMPTY: {sentence}" in " ".join(told.split())


def test_empty_scope_is_said_in_the_row_of_a_page() -> None:
    asked = ("check", "I4", "--scope=send-back", "--release=4.9.4", "--no-progress")
    ran = run(*asked, "--property=W-rest", "--stories=none")
    told = " ".join(ran.out.split())
    assert ran.code == 0
    assert "EMPTY: no fault send_back (a message cannot be sent back, or is sent back twice) happened" in told
    other = run(*asked, "--listener=reconsume-later", "--format=json")
    (found,) = json.loads(other.out)["results"]
    assert (other.code, found["verdict"], found["unspent"]) == (0, "HOLDS", [])


def test_refuted_claim_says_nothing_of_an_empty_scope(tmp_path: Path) -> None:
    write_model(tmp_path, bounds='{"letters": 2}', faults="{LOSS: 1, THEFT: 1}", opens=3)
    text = (tmp_path / "post.py").read_text().replace("self.lost + self.open < 6", "self.open < 3")
    (tmp_path / "post.py").write_text(text)
    (told,) = json.loads(run("check", "post.py", "--format=json", cwd=tmp_path).out)["results"]
    assert (told["verdict"], told["unspent"]) == ("REFUTED", [])


def test_smt_says_what_no_step_can_ever_spend(tmp_path: Path) -> None:
    write_model(tmp_path, bounds='{"letters": 2}', faults="{LOSS: 1, THEFT: 1}", opens=1)
    text = (tmp_path / "post.py").read_text().replace("require(self.open == 2, ", "require(self.stamps == 1, ")
    (tmp_path / "post.py").write_text(text)
    ran = run("check", "post.py", "--engine=smt", "--format=json", cwd=tmp_path)
    (told,) = json.loads(ran.out)["results"]
    assert (ran.code, told["verdict"], told["unspent"]) == (0, "HOLDS", [NO_LOSS, NO_THEFT, NO_LETTER])
