"""What is kept of replays on the real classes: of every recorded story, and of what it is now."""

from __future__ import annotations

import json

import pytest

from offsetproof.conformance.on_release import classes_of, of_release
from offsetproof.conformance.reproduced import Found, digest_of, found_by_story, found_of
from offsetproof.real.replay import OutcomeKind
from offsetproof.real.sidecar import Gates
from offsetproof.traces.recorded_stories import recorded_stories
from studies import compared
from studies.other_releases import WHY
from studies.real import DATA, replayed
from studies.subjects import ABOUT_ROCKETMQ
from studies.verdicts import RELEASES

STORIES = of_release(recorded_stories(), ())
SUBJECTS = {subject.name: subject for subject in ABOUT_ROCKETMQ}


def test_every_recorded_story_was_replayed_as_it_is_now() -> None:
    assert sorted(found_by_story()) == sorted(STORIES)
    assert {name: row.release for name, row in found_by_story().items()} == {
        n: classes_of(trace) for n, trace in STORIES.items()
    }
    now = {name: digest_of(SUBJECTS[str(trace.subject)], trace) for name, trace in STORIES.items()}
    assert {name: row.digest for name, row in found_by_story().items()} == now, "run `make real`"
    assert {name: row.length for name, row in found_by_story().items()} == {
        n: trace.length for n, trace in STORIES.items()
    }


def test_digests_tell_stories_apart() -> None:
    outcomes = {(row.digest, row.subject, row.outcome, row.length, row.reason) for row in found_by_story().values()}
    assert len(found_by_story()) * 0.9 < len({row.digest for row in found_by_story().values()}) == len(outcomes)
    for name, trace in STORIES.items():
        row = found_of(SUBJECTS[str(trace.subject)], trace)
        assert row is not None
        assert row.story == name


def test_nothing_diverges_and_what_is_not_forceable_says_where_and_why() -> None:
    assert not [row for row in found_by_story().values() if row.outcome == OutcomeKind.DIVERGED]
    for row in found_by_story().values():
        assert row.is_reproduced is (row.reason is None)
        if not row.is_reproduced and row.step is not None:
            assert 1 <= row.step <= row.length
    assert sum(row.is_reproduced for row in found_by_story().values()) >= 44


def test_of_each_release_so_much_was_compared_as_the_page_says() -> None:
    found = compared.read()
    assert [*found] == [release.name for release in RELEASES]
    for row in found.values():
        walked, drawn = (sum(part["steps"] for part in row[kind].values()) for kind in ("walks", "drawn"))
        assert (walked, drawn >= compared.DRAWN) == (compared.WALKED, True)
        assert {part["seed"] for kind in ("walks", "drawn") for part in row[kind].values()} == {compared.SEED}


def test_of_each_disagreement_the_page_says_what_became_of_it() -> None:
    told = compared.differing()
    for release, row in compared.read().items():
        for subject, part in [*row["walks"].items(), *row["drawn"].items()]:
            differ = [each["component"] for each in part["disagreements"]]
            assert [name for name in differ if f"{release} {subject}: {name}" not in told] == []
            assert [why for why in part.get("not_held", ()) if f"| {why} |" not in told] == []
    assert [why for key, why in compared.WHY.items() if key not in WHY and why not in told] == []


@pytest.mark.slow
def test_every_story_still_ends_as_the_data_says() -> None:
    rows = json.loads(DATA.read_text(encoding="utf-8"))["stories"]
    told = {row["story"]: Found(**{**row, "silent": tuple(row["silent"])}) for row in rows}
    assert {row.story: row for row in replayed(Gates.DEBUGGER)} == told
