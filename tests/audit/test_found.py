"""What an audit finds in recorded logs of real clusters is what is written down, and what happened there."""

from __future__ import annotations

import pytest

from offsetproof.audit.gold.finding import FindingKind
from studies.audit_found import DATA, LOGS, audited
from studies.rows import read_rows

ROWS = {(row["release"], row["scenario"]): row for row in read_rows(DATA)}


def test_every_recording_is_audited() -> None:
    assert {(path.parents[1].name, path.parent.name) for path in LOGS.glob("*/*/labels.json")} == {*ROWS}


@pytest.mark.parametrize("place", ROWS, ids="-".join)
def test_what_is_written_down_is_found_again(place: tuple[str, str]) -> None:
    assert audited(LOGS.joinpath(*place)) == ROWS[place]


def test_nothing_is_certain_that_did_not_happen() -> None:
    assert {place: row["false"] for place, row in ROWS.items() if row["false"]} == {}


def test_all_that_happened_is_found() -> None:
    assert {place: row["missed"] for place, row in ROWS.items() if row["missed"]} == {}


def test_what_is_not_certain_leaves_the_lines_that_something_harmless_leaves_too() -> None:
    """A reset that was kept, and consumed up to where the group had been; a queue that gets no more messages."""
    possible = {place: {*row["found"]} - {*row["certain"]} for place, row in ROWS.items()}
    overridden = {(release, "reset-overridden"): {"reset-overridden"} for release in ("4.9.4", "5.3.3", "5.5.0")}
    others = {("5.3.3", "marker-taken"): {"reset-overridden"}, ("4.9.4", "crash-loop"): {"same-start-again"}}
    assert {place: kinds for place, kinds in possible.items() if kinds} == overridden | others


def test_every_kind_of_finding_but_two_is_made_of_a_recording() -> None:
    made = {kind for row in ROWS.values() for kind in row["found"]}
    assert {str(kind) for kind in FindingKind} - made == {"new-group-from-zero", "reset-without-effect"}


def test_two_zones_that_nobody_names_make_nothing_certain() -> None:
    """The clients are half a day apart, so that by their stamps the queues had two owners for hours."""
    row = audited(LOGS / "4.9.4" / "zones", zones_known=False)
    assert (row["expected"], row["false"]) == ([], [])
    assert ROWS["4.9.4", "zones"]["possible"] == 0 < row["possible"]


@pytest.mark.parametrize(
    ("release", "scenario", "story"),
    [
        ("4.9.4", "reset-overridden", "I5-one-cpu"),
        ("5.3.3", "reset-undone", "I5-commit-with-marker"),
        ("5.3.3", "reset-undone-by-restart", "I5-restarted-marker-forgotten"),
        ("5.5.0", "reset-undone", "I5-commit-with-marker"),
    ],
)
def test_a_reset_that_comes_undone_is_explained_by_what_undid_it(release: str, scenario: str, story: str) -> None:
    assert ROWS[release, scenario]["explained"] == [f"reset-overridden: explained ({story})"]
