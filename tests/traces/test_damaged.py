"""A damaged trace is refused with its place, or shown in every form, valid and visible, and replayed to an answer."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from systems.charts import judge_chart
from systems.forms import FORMS
from systems.hanging import not_hanging
from systems.lossy_queue import COMMITS, LOSES, STAGED, TAKES, finishes, replay
from systems.mutants import mutants
from systems.recordings import FILES

from offsetproof.checking.replaying import replay_trace
from offsetproof.reading.files import UnreadableFileError
from offsetproof.traces.mermaid import to_mermaid
from offsetproof.traces.store import read_record, write_record
from offsetproof.traces.trace import Trace, trace_of
from offsetproof.traces.two_traces import side_by_side

HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
ODD_NAMES = (
    "\x1b[2J", "<b>&\"'", "a\nb", "\\", "end", "x" * 300, "\u202e", "]]>", "--", "%%{", "\u2028", "\x7f\x85", "\t",
)  # fmt: skip
TEXTS = [file.read_text(encoding="utf-8") for file in FILES]
STORIES = [(trace.steps[-1].label, trace.states) for trace in (read_record(text).trace for text in TEXTS)]
"""How each of them ends, and by which states it gets there."""


def judge_forms(trace: Trace, other: Trace) -> None:
    """Every form can be written, has nothing in it that steers a terminal, and is what it says."""
    forms = {name: write(trace) for name, write in FORMS.items()} | {"beside": side_by_side(trace, other)}
    for text in forms.values():
        text.encode("utf-8")
        assert HIDDEN.search(text) is None
    json.loads(forms["itf"])
    assert read_record(forms["json"]).trace == trace
    ElementTree.fromstring(forms["graphml"])
    judge_chart(forms["mermaid"])
    strings = re.sub(r'"(?:[^"\\]|\\.)*"', "", forms["dot"])
    assert '"' not in strings
    assert strings.count("{") == strings.count("}") == (2 if "rank=same" in strings else 1)


def outcomes_of(count: int, seed: int) -> Counter[str]:
    """What became of that many damaged traces."""
    found: Counter[str] = Counter()
    other = read_record(TEXTS[0]).trace
    for text in mutants(TEXTS, count, seed):
        with not_hanging():
            trace, said = read(text)
            if trace is None:
                assert said.startswith("damaged.json: ")
                found["refused"] += 1
                continue
            judge_forms(trace, other)
            outcome = replay_trace(trace)
            assert outcome.agrees or outcome.reason
            assert not outcome.agrees or (trace.steps[-1].label, trace.states) in STORIES
            found[str(outcome.agrees)] += 1
    return found


def read(text: str) -> tuple[Trace | None, str]:
    """The trace in a text, or why it is refused."""
    try:
        return read_record(text, "damaged.json").trace, ""
    except UnreadableFileError as error:
        return None, str(error)


def test_damaged_traces_are_refused_or_shown_and_replayed() -> None:
    found = outcomes_of(50, seed=4)
    assert found.total() == 50
    assert min(found["refused"], found["True"] + found["False"]) > 10


@pytest.mark.slow
def test_fifteen_hundred_damaged_traces_are_refused_or_shown_and_replayed() -> None:
    found = outcomes_of(1500, seed=2)
    assert found.total() == 1500
    assert min(found["refused"], found["True"], found["False"]) > 100


def test_names_of_any_kind_leave_every_form_valid() -> None:
    plain = trace_of(replay("Q2", TAKES, finishes(0), COMMITS, LOSES), subject="queue", staged=STAGED)
    text = write_record(plain)
    for name in ODD_NAMES:
        odd = text.replace('"consumer_takes_queue"', json.dumps(name)).replace('"consumer[0]"', json.dumps(name))
        trace = read_record(odd.replace('"loss"', json.dumps(name))).trace
        assert {trace.steps[0].action, trace.steps[0].actor} == {name}
        judge_forms(trace, plain)


def test_step_without_a_thread_has_a_lane_of_its_actors_name() -> None:
    plain = trace_of(replay("Q2", TAKES, finishes(0), COMMITS, LOSES), subject="queue", staged=STAGED)
    first, second, *others = plain.steps
    odd = replace(plain, steps=(replace(first, thread="pull"), replace(second, actor=first.actor, thread=""), *others))
    chart = to_mermaid(odd)
    judge_chart(chart)
    assert re.findall(r"participant p[01] as (.*)", chart) == ["pull", first.actor]


def test_damage_is_the_same_in_each_run(tmp_path: Path) -> None:
    assert list(mutants(TEXTS, 20, 1)) == list(mutants(TEXTS, 20, 1))
    assert list(mutants(TEXTS, 20, 1)) != list(mutants(TEXTS, 20, 2))
    assert not list(tmp_path.iterdir())
