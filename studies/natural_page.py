"""The tables in docs/studies/natural.md, made of studies/data/natural.json and of the scenarios."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from studies.natural_timing.scenarios import SCENARIOS
from studies.natural_timing.trying import Scenario

Found = Mapping[str, Mapping[str, Mapping[str, Any]]]


def counts(found: Found) -> str:
    """A line for each scenario, with how often it happened on each release."""
    return "\n".join(_table(found))


def machine(found: Found) -> str:
    """The processors and the load of the machine on which it was counted."""
    measured = [tally for tallies in found.values() for tally in tallies.values()]
    loads = [load for tally in measured for load in tally["load"]]
    cpus = " or ".join(sorted({str(tally["cpus"]) for tally in measured}))
    return (
        f"The machine had {cpus} processors, and other work to do: "
        f"the load average was from {min(loads)} to {max(loads)}."
    )


def scenarios(found: Found) -> str:
    """A section for each scenario."""
    return "\n".join(line for scenario in SCENARIOS for line in _section(scenario, found))


def _table(found: Found) -> Iterator[str]:
    yield "| scenario | stories | " + " | ".join(f"happened on {release}" for release in found) + " |"
    yield "|---|---|" + "---|" * len(found)
    for scenario in SCENARIOS:
        stories = ", ".join(f"`{story}`" for story in scenario.stories)
        counts = (_count(tallies.get(scenario.name)) for tallies in found.values())
        yield f"| [{scenario.name}](#{scenario.name}) | {stories} | {' | '.join(counts)} |"


def _count(tally: Mapping[str, Any] | None) -> str:
    if tally is None:
        return "not tried"
    lost = len(tally["tries"]) - tally["told"]
    return f"{tally['happened']} of {tally['told']}" + (f" ({lost} could not tell)" if lost else "")


def _section(scenario: Scenario, found: Found) -> Iterator[str]:
    yield f"\n## {scenario.name}\n\n{scenario.setting}\n\n*Counted:* {scenario.counted}"
    for release, tallies in found.items():
        if scenario.name in tallies:
            tally = tallies[scenario.name]
            yield f"\nOn {release} it happened in {_count(tally)}.\n\n| tries | | seen |\n|---:|---|---|"
            yield from _seen(tally)


def _seen(tally: Mapping[str, Any]) -> Iterator[str]:
    """What was seen, the same only once, and what happened first."""
    rows = Counter((each["happened"], each["seen"]) for each in tally["tries"])
    order = {True: 0, False: 1, None: 2}
    for (happened, seen), tries in sorted(
        rows.items(), key=lambda row: (order[row[0][0]], -row[1], _numbers(row[0][1]))
    ):
        mark = {True: "happened", False: "did not", None: "cannot tell"}[happened]
        yield f"| {tries} | {mark} | {seen} |"


def _numbers(seen: str) -> list[float]:
    """The numbers in a text, by which texts of one kind are ordered."""
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", seen)]
