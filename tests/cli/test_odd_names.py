"""Names and words of a model may hold anything: reports stay valid, terminals unmoved, files apart."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.program import run, seen_in_terminal
from systems.samples import one_in

from offsetproof.cli.formats import FORMATS

NAMES = (
    "\x1b[2J\x1b]0;owned\x07\r\x9b8m", "<b>&\"'</b> | `` ``` --> ]]> %s {0} [red]x[/red]", "a\nb\u2028c\x85d",
    "\u202eabc\u2066", "::error file=x::y%0A", "../../x/y:z*?", "x" * 300, " . ",
)  # fmt: skip
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")


def write(folder: Path, names: Iterable[str]) -> None:
    """A model with each of these names wherever a text may be."""
    parts = [
        f"""
    @action(actor={name!a}, thread={name!a}, stands_for=[at({name!a}, {name!a}, {name!a}, line=3)], logs={name!a})
    def rises{i}(self) -> None:
        require(self.x == {i})
        self.x = self.x + 1
    @always(id={name!a}, scopes=[{name!a}])
    def small{i}(self) -> bool:
        return self.x < {i + 1}
    small{i}.function.__doc__ = {name!a}
"""
        for i, name in enumerate(names)
    ]
    (folder / "odd.py").write_text(
        f"""
from offsetproof.lang import *
NAMES = {tuple(names)!a}
class Odd(Model):
    scopes = tuple(Scope(name, {{"top": {len(parts)}}}) for name in NAMES)
    fixes = tuple(Fix(name, name) for name in NAMES)
    left_out = NAMES
    x: int = integer(0, {len(parts) + 1})
{"".join(parts)}
Odd.__doc__ = NAMES[0]
""",
        encoding="utf-8",
    )


@pytest.mark.parametrize("verb", one_in(2, ["guard", "check"]))
def test_reports_are_valid_and_steer_no_terminal(tmp_path: Path, verb: str) -> None:
    write(tmp_path, NAMES)
    model = (tmp_path / "odd.py").read_text()
    (tmp_path / "odd.py").write_text(re.sub(r"self\.x < \d+", f"self.x <= {len(NAMES)}", model))
    assert run("guard", "odd.py", "--update", "--quiet", cwd=tmp_path).code == 0
    (tmp_path / "odd.py").write_text(model)
    told = {}
    for format in FORMATS["check"]:
        ran = run(verb, "odd.py", f"--format={format}", cwd=tmp_path)
        assert (ran.code, HIDDEN.search(ran.out + ran.err)) == (12, None)
        told[format] = ran.out
    found = json.loads(told["json"])
    assert [each["property"] for each in found["results" if verb == "check" else "cells"]] == list(NAMES)
    assert len(json.loads(told["sarif"])["runs"][0]["results"]) == len(NAMES)
    assert len(ElementTree.fromstring(told["junit"])[0]) == len(NAMES) + (verb == "guard")
    assert [line[:13] for line in told["github"].splitlines()] == ["::error file="] * len(NAMES)
    table = [re.sub(r"\\\|", "", line).count("|") for line in told["markdown"].splitlines() if line.startswith("| ")]
    assert table == [7] * (len(NAMES) + 1)
    assert told["markdown"].count("<summary>") == told["markdown"].count("</details>") == len(NAMES)


def test_listing_graph_and_shown_traces_are_valid_and_steer_no_terminal(tmp_path: Path) -> None:
    write(tmp_path, NAMES)
    texts = {format: run("graph", "odd.py", f"--format={format}", cwd=tmp_path).out for format in ("dot", "graphml")}
    texts["list"] = run("list", "odd.py", cwd=tmp_path).out
    assert all(text and HIDDEN.search(text) is None for text in texts.values())
    ElementTree.fromstring(texts["graphml"])
    assert run("check", "odd.py", "--quiet", "--out-dir=traces", cwd=tmp_path).code == 12
    files = sorted((tmp_path / "traces").iterdir())
    assert len(files) == len(NAMES)
    for file in files:
        assert len(os.fsencode(file.name)) < 130
        shown = run("show", file, "--subject=odd.py", cwd=tmp_path)
        assert (shown.code, shown.err, HIDDEN.search(shown.out)) == (0, "", None)
        assert "replayed on the model: yes" in shown.out


@pytest.mark.parametrize("name", ["half \ud800 a pair", "a\0b"])
def test_name_that_no_file_could_hold_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, [name])
    ran = run("check", "odd.py", cwd=tmp_path)
    assert (ran.code, ran.out) == (120, "")
    assert re.match(r"offsetproof: odd\.py:\d+: ", ran.complaint)
    assert ran.complaint.endswith(f"{name!r} has a character in it that no file could hold; leave it out")


def test_traces_of_names_that_make_one_file_name_are_kept_apart(tmp_path: Path) -> None:
    ids = ["a/b", "a_b", "a:b", "x" * 300, "x" * 301]
    claim = "    @always(id={id!r})\n    def c{i}(self):\n        return not self.x\n"
    claims = "".join(claim.format(id=id, i=i) for i, id in enumerate(ids))
    (tmp_path / "odd.py").write_text(
        "from offsetproof.lang import *\nclass Odd(Model):\n    x: bool = flag()\n    @action()\n    def sets(self):\n"
        f"        self.x = True\n{claims}"
    )
    assert run("check", "odd.py", "--quiet", "--out-dir=traces", cwd=tmp_path).code == 12
    told = [json.loads(file.read_text())["property"]["id"] for file in (tmp_path / "traces").iterdir()]
    assert sorted(told) == sorted(ids)


@pytest.mark.parametrize("verb", one_in(2, ["check", "guard", "list"]))
def test_terminal_gets_colours_and_nothing_else_that_steers_it(tmp_path: Path, verb: str) -> None:
    write(tmp_path, NAMES)
    run("guard", "odd.py", "--update", "--accept", "--quiet", cwd=tmp_path)
    got = seen_in_terminal(verb, "odd.py", "--no-progress", cwd=tmp_path)
    assert HIDDEN.search(re.sub(r"\x1b\[[0-9;]*m", "", got)) is None
    assert verb != "check" or "\x1b[31mREFUTED" in got


ALIKE = """
from offsetproof.lang import *

class M(Model):
    scopes = (Scope("big", {"n": 3}), Scope("late-big", {"n": 4}))
    x: int = integer(0, "n")

    @action()
    def rises(self) -> None:
        bound(self.x < self.scope.n)
        self.x = self.x + 1

    @always(case("low", REFUTED, "late-big"))
    def never_four(self) -> bool:
        return self.x != 4

    @always(case("low-late", REFUTED, "big"))
    def never_one(self) -> bool:
        return self.x != 1
"""


def test_traces_whose_names_come_to_the_same_are_two_files(tmp_path: Path) -> None:
    (tmp_path / "alike.py").write_text(ALIKE)
    assert run("check", "alike.py", "--quiet", "--out-dir=traces", cwd=tmp_path).code == 0
    told = {file.name: json.loads(file.read_text())["property"]["id"] for file in (tmp_path / "traces").iterdir()}
    assert sorted(told.values()) == ["low", "low-late"]
    assert all(re.fullmatch(r"low-late-big-[0-9a-f]{8}\.json", name) for name in told)


NO_FIELDS = """
from offsetproof.lang import *

class M(Model):
    scopes = (Scope("s", {"n": 1}),)

    @action()
    def goes(self) -> None:
        require(self.scope.n == 1)

    @always()
    def one(self) -> bool:
        return self.scope.n == 1
"""


def test_model_without_fields_is_checked_and_its_claim_is_vacuous(tmp_path: Path) -> None:
    (tmp_path / "none.py").write_text(NO_FIELDS)
    ran = run("check", "none.py", "--format=json", cwd=tmp_path)
    (result,) = json.loads(ran.out)["results"]
    assert (ran.code, result["verdict"], result["states"]) == (13, "HOLDS", 1)
    assert result["vacuous"].startswith("true whatever its fields hold")
