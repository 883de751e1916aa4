"""Of fifty models with a defect in a rare place, spot checks notice those that docs/measurements.md has."""

from __future__ import annotations

import json

import pytest
from systems.seeded import SEEDED, Seeded

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import RefusedError
from offsetproof.lang.setting import Setting
from offsetproof.verdict.question import Question
from studies.spot import BRIEF_WITHOUT_CLOCK, DATA, WITHOUT_CLOCK, seeded_record, try_check
from studies.spot_before import eight_states

WHEN = ("before", "after", "brief")
TOLD = {
    (each["kind"], each["shape"], *each["bounds"].values()): each for each in json.loads(DATA.read_text())["seeded"]
}
SMALLEST = {kind: min((each for each in SEEDED if each.kind == kind), key=lambda each: each.bounds["size"]) for kind in
            dict.fromkeys(each.kind for each in SEEDED)}  # fmt: skip


def told(seeded: Seeded) -> dict[str, bool]:
    record = TOLD[seeded.kind, seeded.shape.__name__, *seeded.bounds.values()]
    return {when: record[when]["noticed"] for when in WHEN}


@pytest.mark.parametrize("seeded", SMALLEST.values(), ids=SMALLEST)
def test_smallest_model_of_each_kind_is_noticed_as_the_page_says(seeded: Seeded) -> None:
    checks = (eight_states, WITHOUT_CLOCK, BRIEF_WITHOUT_CLOCK)
    assert {when: bool(try_check(seeded, check).said) for when, check in zip(WHEN, checks, strict=True)} == told(seeded)


@pytest.mark.slow
def test_counts_of_the_page_are_what_a_run_finds() -> None:
    found = [seeded_record(seeded) for seeded in SEEDED]
    assert len(found) == len(TOLD) == 50
    for seeded, record in zip(SEEDED, found, strict=True):
        assert {when: record[when]["noticed"] for when in WHEN} == told(seeded), seeded.name
        known = TOLD[seeded.kind, seeded.shape.__name__, *seeded.bounds.values()]
        assert (record["states"], record["instances"]) == (known["states"], known["instances"])


@pytest.mark.parametrize("kind", ["mutable closure", "one of four random values", "global counter in a rare branch"])
def test_reading_refuses_what_the_spot_checks_are_the_second_line_for(kind: str) -> None:
    seeded = SMALLEST[kind]
    model = seeded.made()
    with pytest.raises(RefusedError):
        Explicit().decide(Question(model, Setting(seeded.scope), model.claims[0]))


def test_what_is_said_names_action_arguments_field_both_values_and_state() -> None:
    seeded = next(each for each in SEEDED if each.kind == "fault's update" and each.bounds["size"] == 12)
    said = try_check(seeded, WITHOUT_CLOCK).said
    assert said.startswith(
        "hand_slips gives extra 3 in Python and 2 in the compiled model, where total=6, lamp=True, walker[0]=3, "
        "walker[1]=3. "
    )
