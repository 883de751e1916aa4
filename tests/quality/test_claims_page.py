"""docs/claims.md is what the claims say."""

from __future__ import annotations

import re

from offsetproof.lang import REFUTED
from offsetproof.properties.catalogue import PROPERTIES
from studies.claims import PAGE, page, table

STATED = [prop for prop in PROPERTIES if not prop.id.startswith("W-")]


def test_page_is_made_of_the_claims() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make readme`"


def test_page_has_a_line_for_each_claim_and_one_for_each_case() -> None:
    names = dict.fromkeys(prop.name for prop in STATED)
    assert re.findall(r"\(#([a-z0-9-]+)\)", table()) == [*names]
    assert re.findall(r"(?m)^## (.*)$", page()) == [*names]
    assert sorted(re.findall(r"(?m)^\| (I[\w-]+) \|", page())) == sorted(prop.id for prop in STATED)


def test_what_is_said_of_claims_is_what_was_worked_out_by_hand() -> None:
    rows = {match[1]: match[2] for match in re.finditer(r"(?m)^\| \[([\w-]+)\]\([^)]*\) \| [^|]* \| (.*) \|$", table())}
    assert rows["I22"] == "HOLDS | "
    assert rows["I3"] == "REFUTED | fix `monotone-commits` (in come-back, hand-over with messages=1)"
    assert rows["I16"] == (
        "REFUTED | fix `monotone-commits`, given `shutdown-waits` (in shutdown); "
        "fix `monotone-commits`, given `shutdown-waits`, `persist-in-one` (in fine-shutdown); "
        "fix `monotone-commits`, given `shutdown-waits`, `nothing-lost` (in shutdown-loss)"
    )
    assert rows["I4"].startswith(
        "HOLDS; REFUTED in 14 of 28 cases | fix `update-checks-dropped` (in calm-reset); "
        "fix `only-code-22` (in take-over); fix `start-stored`, given `starts-complete` (in "
    )
    assert rows["I5"].startswith("REFUTED | fix `poll-checks-dropped`, given 7 assumptions (in reset); ")


def test_row_of_a_claim_begins_with_what_is_expected_of_its_first_case() -> None:
    first = {prop.name: str(prop.case.expected) for prop in reversed(STATED)}
    rows = re.findall(r"(?m)^\| \[[\w-]+\]\(#([a-z0-9-]+)\) \| [^|]* \| (HOLDS|REFUTED)", table())
    assert dict(rows) == first
    assert len(rows) > len([name for name, verdict in rows if verdict == "REFUTED"]) > 10


def test_no_refuted_case_is_without_a_way_to_make_it_hold_or_a_reason() -> None:
    repairs = {row[1]: row[2] for row in re.finditer(r"(?m)^\| (I[\w-]+) \|.*\| ([^|\n]*) \|$", page())}
    refuted = {prop.id for prop in STATED if prop.case.expected is REFUTED}
    assert {id for id, words in repairs.items() if words} == refuted
    assert len(repairs) == len(STATED) > len(refuted) > 20
