"""docs/studies/natural.md and what was counted for it: every scenario on 4.9.4, as it is described now."""

from __future__ import annotations

from offsetproof.real.natural.scenarios import SCENARIOS
from studies import DOCS
from studies.natural import RELEASE, read


def test_every_scenario_was_tried_twenty_times_on_the_release_of_the_stories() -> None:
    tallies = read()[RELEASE]
    assert {name: len(tally["tries"]) for name, tally in tallies.items()} == {each.name: 20 for each in SCENARIOS}


def test_counts_are_those_of_the_tries() -> None:
    for tallies in read().values():
        for name, tally in tallies.items():
            happened = [each["happened"] for each in tally["tries"]]
            told = len(happened) - happened.count(None)
            assert (tally["happened"], tally["told"], tally["scenario"]) == (happened.count(True), told, name)
            assert [each["number"] for each in tally["tries"]] == [*range(1, len(happened) + 1)]


def test_every_story_that_has_a_scenario_is_in_the_page_with_its_count() -> None:
    text = (DOCS / "studies" / "natural.md").read_text(encoding="utf-8")
    tallies = read()[RELEASE]
    for each in SCENARIOS:
        rows = [line for line in text.splitlines() if line.startswith(f"| [{each.name}](#{each.name})")]
        assert len(rows) == 1
        assert f"{tallies[each.name]['happened']} of {tallies[each.name]['told']}" in rows[0]
        assert all(f"`{story}`" in rows[0] for story in each.stories)
