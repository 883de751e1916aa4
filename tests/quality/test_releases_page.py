"""docs/releases.md says of each release what the committed baselines found there."""

from __future__ import annotations

import re

import pytest
from systems.turned_baselines import turn

from offsetproof.checking.catalogue import DEFAULT, SINGLES
from offsetproof.guard.baseline import baseline_file, read_baseline
from offsetproof.lang import ClaimKind, Subject
from studies.claims import claims_of, expected_in
from studies.releases import IN_README, RELEASES, behaviours, differing, in_readme, matrix, totals
from studies.subjects import ABOUT_ROCKETMQ
from studies.verdicts import NoFindingError, case_named


def rows(table: str) -> dict[str, list[str]]:
    """The cells of each row behind its first, by the name in that."""
    lines = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]
    return {re.sub(r"\[([^\]]*)\]\(\S*\)", r"\1", first): rest for first, *rest in lines}


@pytest.mark.parametrize("subject", ABOUT_ROCKETMQ, ids=lambda subject: subject.name)
def test_what_is_said_of_a_release_is_what_the_baseline_found_there(subject: Subject) -> None:
    baseline = read_baseline(baseline_file(subject.name, SINGLES[subject.name].subjects[0]), subject)
    release_of = {release.name: release for release in subject.model.releases}
    compared = 0
    for cell in baseline.findings.values():
        prop = subject.find(cell.asked.claim)
        if prop.kind is not ClaimKind.SOMETIMES and cell.asked.release is not None:
            expected = expected_in(release_of[cell.asked.release], prop, subject, cell.asked.scope)
            assert str(cell.verdict) == str(expected), cell.asked
            compared += 1
    assert compared > (400 if subject.name == DEFAULT else 50)


def test_cells_of_claims_are_those_that_were_worked_out_by_hand() -> None:
    table = rows(matrix())
    assert [each.name for each in RELEASES] == ["4.9.4", "4.9.8", "5.3.3-client-reset", "5.3.3", "5.5.0"]
    one_of_two = "1 of 2"
    assert table["forward-reset-without-force-moves-nothing (I28)"] == [
        "rocketmq", one_of_two, one_of_two, one_of_two, "REFUTED", "REFUTED",
    ]  # fmt: skip
    assert table["task-never-undoes-a-reset (I7)"] == ["rocketmq", one_of_two, one_of_two, one_of_two, "", ""]
    assert table["at-most-one-listener-runs (I9)"][1:] == ["9 of 16"] * 2 + ["13 of 16"] * 3


def test_totals_are_the_findings_of_the_baselines() -> None:
    table = rows(totals())
    first = [
        finding
        for subject in ABOUT_ROCKETMQ
        for finding in read_baseline(
            baseline_file(subject.name, SINGLES[subject.name].subjects[0]), subject
        ).findings.values()
        if finding.asked.release == RELEASES[0].name
    ]
    claims = [finding for finding in first if finding.kind is not ClaimKind.SOMETIMES]
    refuted = sum(str(finding.verdict) == "REFUTED" for finding in claims)
    assert table["all"][0] == f"{len(claims) - refuted}, {refuted}"
    assert table["decided in that release"][0] == str(len(claims))
    assert table["witnesses: reached, not"][0] == f"{len(first) - len(claims)}, 0"
    assert table["hold, and say nothing"] == ["0"] * 5
    assert table["offset-files"][2] == "-"
    names = [subject.name for subject in ABOUT_ROCKETMQ]
    for place, total in enumerate(table["all"]):
        cells = [[*map(int, table[name][place].split(", "))] for name in names if table[name][place] != "-"]
        assert ", ".join(map(str, map(sum, zip(*cells, strict=True)))) == total


def test_totals_follow_a_verdict_that_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [*map(int, rows(totals())["several-queues"][0].split(", "))]
    monkeypatch.setattr("studies.releases.RELEASES", RELEASES[:1])
    turn(monkeypatch, case_named("several-queues I21"))
    after = [*map(int, rows(totals())["several-queues"][0].split(", "))]
    assert after == [before[0] + 1, before[1] - 1]


def test_cases_that_differ_are_told_with_their_stories_and_no_others() -> None:
    table = rows(differing())
    verdicts = {name: cells[1:6] for name, cells in table.items()}
    assert verdicts["I4-killed"] == ["HOLDS", "HOLDS", "REFUTED", "REFUTED", "REFUTED"]
    assert verdicts["I28-poll-checks"] == ["HOLDS", "HOLDS", "HOLDS", "REFUTED", "REFUTED"]
    assert verdicts["I7"] == ["REFUTED", "REFUTED", "REFUTED", "not asked", "not asked"]
    assert verdicts["I9-once"] == ["HOLDS", "HOLDS", "REFUTED", "REFUTED", "REFUTED"]
    assert {"I11", "I28", "I9"} & table.keys() == set()
    assert "I4-killed-second-look" in table["I4-killed"][-1]


def test_behaviour_is_told_with_the_first_release_that_has_it_and_the_cases_that_name_it() -> None:
    table = rows(behaviours())
    assert table["`server-side-reset`"][:2] == ["broker", "5.3.3"]
    assert table["`zero-only-if-stored`"][1] == "5.3.3-client-reset"
    assert table["`two-phase-removal`"][-1] == "-"
    assert table["`freezes-cell`"][-1].endswith(", I34, I34-calm, I34, I34-kept, W-repaired")
    assert table["`server-side-reset`"][-1] == "95 cases (`offsetproof list server-side-reset`)"
    assert table["`commits-before-holding`"][-1] == "-"


def test_table_of_the_readme_is_narrow_and_has_the_counts_of_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    table = in_readme()
    assert len(table.splitlines()) == len(IN_README) + 2
    assert max(map(len, table.splitlines())) <= 80
    columns = rows(table)
    assert columns["a backward reset stays"] == ["8 of 13", "7 of 13", "12 of 17", "12 of 17"]
    assert columns["an answered reset was written"] == ["5 of 8", "6 of 10", "1 of 10", "1 of 10"]
    assert columns["LAST_OFFSET starts at the end"][0] == "1 of 5"
    names = {name for subject in ABOUT_ROCKETMQ for name, _ in claims_of(subject)}
    assert {name for _, name, _ in IN_README} <= names
    turn(monkeypatch, case_named("rocketmq I6"))
    with pytest.raises(NoFindingError, match="rocketmq I6 in moving-reset of"):
        in_readme()
