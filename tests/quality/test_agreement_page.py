"""docs/studies/agreement.md tells the truth: about the systems as they are, with no difference in it."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from systems.sizes import large_are_slow

from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.verdict.question import Question
from studies.agreement_page import SUBJECTS, TOOLS, differences, exceptions
from studies.agreement_questions import Asked, about_rocketmq, toys

ROOT = Path(__file__).parents[2]
KNOWN = json.loads((ROOT / "studies" / "data" / "agreement.json").read_text(encoding="utf-8"))
RECORDS: dict[str, dict[str, Any]] = KNOWN["questions"]
ASKED = [*toys(), *about_rocketmq()]


def test_every_claim_was_put_to_every_engine_and_tool_and_none_differs() -> None:
    assert {*RECORDS, *KNOWN.get("open", [])} == {asked.name for asked in ASKED}
    for name, record in RECORDS.items():
        assert {"explicit", "smt", "stateful", *TOOLS} <= set(record), name
        assert not list(differences(record)), name
        assert record["smt"]["steps"] is None or _pair(record["smt"]) == _pair(record["explicit"]), name
        assert record["stateful"]["steps"] is None or record["explicit"]["steps"] is not None, name


def _pair(said: dict[str, Any]) -> tuple[int, int]:
    return said["faults"], said["steps"]


def test_page_names_every_difference_and_what_ended_without_an_answer() -> None:
    wrong = "rocketmq I5 calm-reset"
    record = copy.deepcopy(RECORDS[wrong])
    record["SPIN"]["whole"]["states"] += 1
    record["TLC"] = {"failed": "TLC was still running after 300.0 s"}
    page = exceptions({**KNOWN, "questions": {**RECORDS, wrong: record}})
    states, depth = record["SPIN"]["whole"]["states"], record["SPIN"]["whole"]["depth"]
    assert f"Differences: 1.\n- {wrong}: SPIN counts {states} states to depth {depth}\n" in page
    assert f"- {wrong}: was still running after 300.0 s (TLC)\n" in page


@pytest.mark.slow
def test_at_most_a_tenth_of_the_questions_is_open_since_the_model_changed() -> None:
    assert len(KNOWN.get("open", [])) <= len(ASKED) / 10, "ask them: make agreement"


def test_most_systems_were_counted_by_every_tool() -> None:
    for tool in TOOLS:
        asked = [name for name, record in RECORDS.items() if tool != "TLC" or record["explicit"]["steps"] is None]
        counted = [name for name, record in RECORDS.items() if record[tool].get("whole")]
        assert len({*asked} & {*counted}) >= 0.7 * len(asked)
        assert sum(name.split()[0] in SUBJECTS for name in counted) >= 10


def test_only_sets_too_wide_for_spin_and_a_few_for_want_of_time_were_not_answered() -> None:
    why = {(name, tool): record[tool].get("failed", "") for name, record in RECORDS.items() for tool in TOOLS}
    late = [key for key, said in why.items() if "was still running after" in said]
    assert len(late) <= len(RECORDS) / 100
    failed = [key for key, said in why.items() if said and key not in late]
    assert {tool for _, tool in failed} <= {"SPIN"}
    assert all(name.startswith("WideSets ") for name, _ in failed)


STILL_TRUE = [asked for asked in ASKED if asked.name in RECORDS]


def _about_rocketmq(asked: Asked) -> Question | None:
    return asked.question if asked.subject in SUBJECTS else None


@pytest.mark.parametrize("asked", large_are_slow(STILL_TRUE, _about_rocketmq), ids=lambda asked: asked.name)
def test_page_speaks_of_the_system_as_it_is(asked: Asked) -> None:
    assert RECORDS[asked.name]["explicit"]["digest"] == asked.export().system.digest


@cache
def baseline_of(subject: str) -> list[dict[str, Any]]:
    """The cells of the baseline of a built-in subject that are about its first release."""
    cells: list[dict[str, Any]] = json.loads((BUILT_INS[subject].folder / "baseline.json").read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["release"] in (None, "4.9.4")]


@pytest.mark.parametrize("asked", [a for a in STILL_TRUE if a.subject in SUBJECTS], ids=lambda asked: asked.name)
def test_page_has_the_verdict_and_the_trace_of_the_baseline(asked: Asked) -> None:
    told = RECORDS[asked.name]["explicit"]
    prop, scope = asked.question.prop.id, asked.question.setting.scope.name
    (cell,) = [c for c in baseline_of(asked.subject) if (c["property"], c["scope"]["name"]) == (prop, scope)]
    assert [told[key] for key in ("verdict", "faults", "steps")] == [
        cell[key] for key in ("verdict", "faults", "steps")
    ]


def test_depths_of_smt_are_told_for_each_world_apart() -> None:
    worlds: dict[tuple[str, ...], set[int]] = {}
    for asked in STILL_TRUE:
        if asked.subject in SUBJECTS:
            assert RECORDS[asked.name]["with"] == asked.stated
            world = (asked.subject, asked.question.setting.scope.name, *asked.stated)
            worlds.setdefault(world, set()).add(RECORDS[asked.name]["smt"]["within"])
    for world, depths in worlds.items():
        assert len(depths) == 1, world


def test_every_mistranslation_was_noticed() -> None:
    assert len(KNOWN["mutations"]) >= 6
    for row in KNOWN["mutations"]:
        assert row["made"] == row["noticed"] > 0, row["translation"]
