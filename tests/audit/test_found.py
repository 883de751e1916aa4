"""What an audit finds in recorded logs of real clusters is what is written down, and what happened there."""

from __future__ import annotations

import pytest

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


def test_only_resets_that_clients_undo_are_not_certain() -> None:
    """A reset that was kept, and consumed up to where the group had been, leaves the same lines."""
    possible = {place: {*row["found"]} - {*row["certain"]} for place, row in ROWS.items()}
    overridden = {(release, "reset-overridden"): {"reset-overridden"} for release in ("4.9.4", "5.3.3", "5.5.0")}
    assert {place: kinds for place, kinds in possible.items() if kinds} == overridden


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
