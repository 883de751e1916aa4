"""Asks every engine and every foreign tool everything, and writes studies/data/agreement.json.

`make agreement` takes hours. What is written down already is kept while the system that it speaks
of is the same (its digest); `--again` asks everything again. `--prune` asks nothing: it drops what was asked of an
earlier model, and lists what has yet to be asked. Names of subjects have only those asked. Scope by scope is asked, the
smallest first. Beside that it measures
how fast walks are, and how much of Hypothesis's time is its own.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from contract.mutations import score

from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.simulation import simulate_settings
from offsetproof.engines.stateful.engine import Effort
from offsetproof.model.concurrent.scopes import SCOPES
from offsetproof.properties.catalogue import ROCKETMQ
from studies import RECORDS
from studies.agreement_page import SMT_SECONDS, SUBJECTS, answered
from studies.agreement_questions import Asked, about_rocketmq, toys
from studies.foreign import Record, by_explicit, by_smt, by_stateful, foreign, time_to_find

DATA = RECORDS / "agreement.json"

EFFORT = Effort(walk_steps=3_000_000, walk_length=120, examples=30, example_steps=60)
"""How much is walked in each scope."""

FOUND = (("I5", "calm-reset"), ("I5", "reset-two"), ("I18", "moving-reset"))
"""Violations whose finding is timed."""


def main() -> None:
    """Asks what is not yet known, writing after every answer."""
    known: dict[str, Any] = {}
    if DATA.is_file() and "--again" not in sys.argv:
        known = json.loads(DATA.read_text(encoding="utf-8"))
    everything = [*toys(), *about_rocketmq()]
    if "--prune" in sys.argv:
        _prune(known, everything)
        return
    known["machine"] = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    named = {*sys.argv[1:]} & {*SUBJECTS}
    with tempfile.TemporaryDirectory() as target:
        tools = foreign(Path(target))
        for group in _by_size([asked for asked in everything if not named or asked.subject in named]):
            for current in group:
                record = _fresh(known, current)
                for tool in tools:
                    _once(known, record, tool.name, partial(tool.asked, current, record["explicit"]))
                _once(known, record, "stateful", partial(by_stateful, current))
            _ask_smt(known, group)
    for id, scope in FOUND:
        (question,) = questions_of(Request(ROCKETMQ, (id,), scope=scope))
        _once(known, known.setdefault("finding", {}), f"{id} {scope}", partial(time_to_find, question))
    _once(known, known, "walking", measure_walks)
    _once(known, known, "mutations", lambda: [asdict(row) for row in score()])


def _fresh(known: dict[str, Any], question: Asked) -> Record:
    """The record of a question, with what the explicit engine says; emptied where the system has changed."""
    records: dict[str, Record] = known.setdefault("questions", {})
    digest = question.export().system.digest
    if records.get(question.name, {}).get("explicit", {}).get("digest") != digest:
        known["open"] = [name for name in known.get("open", []) if name != question.name]
        records[question.name] = {"whole_only": question.whole_only, "explicit": by_explicit(question)}
        _write(known)
    records[question.name]["with"] = question.stated
    return records[question.name]


def _prune(known: dict[str, Any], everything: list[Asked]) -> None:
    """Keeps the whole records whose system is the same as it was; the questions of the others are open."""
    digests = {question.name: question.export().system.digest for question in everything}
    known["questions"] = {
        name: record for name, record in answered(known).items() if record["explicit"]["digest"] == digests.get(name)
    }
    known["open"] = [name for name in digests if name not in known["questions"]]
    _write(known)


def _by_size(everything: list[Asked]) -> list[list[Asked]]:
    """The questions by subject and scope, so that an early end leaves few of them half asked; the smallest first."""
    groups = [list(group) for _, group in groupby(sorted(everything, key=_setting), _setting)]
    return sorted(groups, key=lambda group: max(question.export().system.bits for question in group))


def _ask_smt(known: dict[str, Any], questions: list[Asked]) -> None:
    """Bounded model checking of one scope."""
    if any("smt" not in known["questions"][each.name] for each in questions):
        seconds = SMT_SECONDS if questions[0].subject in SUBJECTS else SMT_SECONDS / 10
        for name, record in by_smt(questions, seconds).items():
            _once(known, known["questions"][name], "smt", record.copy)


def _setting(question: Asked) -> tuple[str, str]:
    return question.subject, question.question.setting.scope.name


def _once(known: dict[str, Any], record: Record, key: str, ask: Callable[[], Any]) -> None:
    if key not in record:
        record[key] = ask()
        print(key, json.dumps(record[key])[:200], flush=True)
        _write(known)


def _write(known: dict[str, Any]) -> None:
    """Writes a line for each question: a change of one reads as such in a diff."""
    rows = [f" {json.dumps(name)}: {json.dumps(record)}" for name, record in known["questions"].items()]
    rest = json.dumps({name: value for name, value in known.items() if name != "questions"}, indent=1)
    text = '{"questions": {\n' + ",\n".join(rows) + "\n},\n" + rest.removeprefix("{\n") + "\n"
    DATA.write_text(text, encoding="utf-8")


def measure_walks() -> dict[str, Any]:
    """One simulation per scope, of the claim that has no violation and therefore lets walks go on to their end."""
    rows = {}
    for scope in SCOPES:
        (one,) = simulate_settings(Request(ROCKETMQ, ("I7-no-stalled-task",), scope=scope.name), EFFORT)
        rows[scope.name] = {
            "instances": one.instances,
            "bits": one.bits,
            "walk_steps": one.tried.walk_steps,
            "steps_per_second": round(one.tried.rate),
            "hypothesis_steps": one.tried.hypothesis_steps,
            "hypothesis_overhead": None if one.tried.overhead is None else round(one.tried.overhead, 2),
        }
    return rows


if __name__ == "__main__":
    main()
