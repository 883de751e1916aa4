"""What `show` shows is replayed where the model is at hand; a trace that the model does not do is told as such."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.program import COUNTER, run
from systems.recordings import FILES

from offsetproof.checking.replaying import Replayed, replay_trace
from offsetproof.checking.subject import load_subject
from offsetproof.traces.store import read_record, read_record_file

Spoil = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_recorded_trace_is_what_the_model_does(file: Path) -> None:
    assert replay_trace(read_record_file(file).trace) == Replayed(True)


def spoiled(change: Spoil) -> str:
    """A recorded trace with something changed, as text."""
    file = next(file for file in FILES if file.stem == "I8-two-owners")
    document = json.loads(file.read_text(encoding="utf-8"))
    change(document)
    return json.dumps(document)


def last(document: dict[str, Any]) -> dict[str, Any]:
    """The last step."""
    step: dict[str, Any] = document["trace"]["steps"][-1]
    return step


def drop_last(document: dict[str, Any]) -> None:
    """Leaves the last step out."""
    document["trace"]["steps"].pop()
    document["trace"]["timing"]["times"].pop()
    document["trace"]["length"] -= 1


def pretend(document: dict[str, Any]) -> None:
    """Makes the last step change a field to something that it does not."""
    path, (before, after) = next(iter(last(document)["changed"].items()))
    last(document)["changed"][path] = [before, before if after != before else after]


def start_elsewhere(document: dict[str, Any]) -> None:
    """Gives a field that never changes another initial value."""
    changing = {path for step in document["trace"]["steps"] for path in step["changed"]}
    still = next(path for path, value in document["initial"].items() if value is False and path not in changing)
    document["initial"][still] = True


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (drop_last, "the trace does not replay at step 8: I8 is True here"),
        (pretend, "after step 9 "),
        (lambda d: last(d).update(actor="nobody"), "the actor of step 9, "),
        (lambda d: last(d).update(thread="none"), "the thread of step 9, "),
        (lambda d: last(d).update(action="x"), "the trace does not replay at step 9: the model has no action x"),
        (lambda d: last(d)["claims"].update(I8=True), "after step 9 claim I8 is not true as recorded"),
        (lambda d: d["property"].update(id="I99"), "no claim named 'I99'"),
        (lambda d: d["property"].update(kind="at_rest"), "the claim is I8 (always) now"),
        (lambda d: d["scope"].update(name="nowhere"), "no scope named 'nowhere'"),
        (lambda d: d["scope"]["bounds"].pop("queues"), "scope hand-over has other bounds now: "),
        (lambda d: d["scope"]["bounds"].update(moons=1), "no bound of scope hand-over named 'moons'"),
        (lambda d: d["scope"]["bounds"].update(consumers=2**62), "bound consumers is a number from 1 to 62, not 46"),
        (lambda d: d["scope"]["bounds"].update(messages=3), "these bounds are those of scope hand-over*"),
        (lambda d: d["scope"].update(name="come-back"), "these bounds are those of scope come-back*, not of come-back"),
        (lambda d: last(d).update(logs="disk is full"), "the logs of step 9, "),
        (lambda d: d["initial"].update(moon=1), "the model has no field moon"),
        (start_elsewhere, "no initial state of the model has "),
        (lambda d: d.update(fixes=["magic"]), "no fix named 'magic'"),
        (lambda d: d.update(listener="magic"), "no listener named 'magic'"),
        (lambda d: d.update(release="9", releases={"client": "9", "broker": "9"}), "no release named '9'"),
        (lambda d: d["trace"]["timing"].update(order=[2, 1, *range(4, 10), 3]), "the trace does not replay at step "),
        (lambda d: d.update(release=None, releases={}), ""),
    ],
)  # fmt: skip
def test_trace_that_the_model_does_not_do_is_told_with_the_place(change: Spoil, why: str) -> None:
    found = replay_trace(read_record(spoiled(change)).trace)
    if not why:  # one release is all that there is, so nothing is ambiguous
        assert found == Replayed(True)
        return
    assert found.agrees is False
    assert found.reason.startswith(why)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: last(d).update(line=1, file="elsewhere.py", stands_for=[]),
        lambda d: d.update(digest="", tool={"name": "offsetproof", "version": "9.0.0"}),
        lambda d: d["trace"].pop("timing"),
        lambda d: last(d).update(args=dict(reversed(last(d)["args"].items()))),
    ],
)
def test_what_says_nothing_about_what_happens_is_not_held_against_the_trace(change: Spoil) -> None:
    assert replay_trace(read_record(spoiled(change)).trace) == Replayed(True)


def test_other_name_of_the_claim_is_told_although_the_trace_replays() -> None:
    found = replay_trace(read_record(spoiled(lambda d: d["property"].update(name="x"))).trace)
    assert found == Replayed(True, "the claim is called at-most-one-consumer-has-a-live-process-queue now")
    assert str(found).startswith("replayed on the model: yes, but the claim is called at-most-one")


def test_arguments_may_stand_in_any_order(tmp_path: Path) -> None:
    model = tmp_path / "pair.py"
    model.write_text(
        "from offsetproof.lang import *\nA, B = Index('a', 2), Index('b', 3)\n"
        "class Pair(Model):\n    x: int = integer(0, 9)\n    @action(a=A, b=B)\n"
        "    def adds(self, a: int, b: int) -> None:\n        require(self.x == 0)\n        self.x = a + b\n"
        "    @always\n    def small(self) -> bool:\n        return self.x < 3\n"
    )
    assert run("check", model, f"--out-dir={tmp_path}", "--quiet").code == 12
    text = (tmp_path / "small-default.json").read_text()
    document = json.loads(text)
    args = document["trace"]["steps"][0]["args"]
    document["trace"]["steps"][0]["args"] = dict(reversed(args.items()))
    assert [*args] == ["a", "b"]
    assert replay_trace(read_record(json.dumps(document)).trace, load_subject(str(model))) == Replayed(True)


def test_error_without_a_text_is_told_by_its_class_when_a_trace_is_replayed(tmp_path: Path) -> None:
    silent = "class Silent(Exception):\n    def __str__(self): raise LookupError\n"
    (tmp_path / "counter.py").write_text(COUNTER)
    assert run("check", "counter.py", "--property=stays_below_two", "--out-dir=t", cwd=tmp_path).code == 0
    (file,) = (tmp_path / "t").iterdir()
    (tmp_path / "counter.py").write_text(silent + COUNTER.replace("self.x = self.x + 1", "raise Silent"))
    ran = run("show", file, "--subject=counter.py", cwd=tmp_path)
    assert (ran.code, "Traceback" in ran.err) == (20, False)
    assert "Silent" in ran.out


def test_model_that_does_not_end_is_told_when_a_trace_is_replayed_on_it(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER)
    assert run("check", "counter.py", "--property=stays_below_two", "--out-dir=t", cwd=tmp_path).code == 0
    (file,) = (tmp_path / "t").iterdir()
    (tmp_path / "counter.py").write_text(COUNTER.replace("self.x = self.x + 1", "while True: self.x = self.x"))
    ran = run("show", file, "--subject=counter.py", cwd=tmp_path)
    assert ran.code == 20
    assert "DOES NOT REPLAY on the model: counter.py:18: a loop that has not ended" in " ".join(ran.out.split())
