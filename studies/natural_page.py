"""The tables in docs/studies/natural.md, made of studies/data/natural.json and of the scenarios."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studies.natural_timing.scenarios import SCENARIOS
from studies.natural_timing.trying import Scenario

Found = Mapping[str, Mapping[str, Mapping[str, Any]]]


def counts(found: Found) -> str:
    """A line for each scenario and release, with how often it happened there."""
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
    yield "| scenario | release | happened | stories |"
    yield "|---|---|---|---|"
    for scenario in SCENARIOS:
        named, stories = f"[{scenario.name}](#{scenario.name})", ", ".join(f"`{story}`" for story in scenario.stories)
        for release, tallies in found.items():
            if scenario.name in tallies:
                yield f"| {named} | {release} | {_count(tallies[scenario.name])} | {stories} |"
                named = stories = ""


def _count(tally: Mapping[str, Any]) -> str:
    lost = len(tally["tries"]) - tally["told"]
    return f"{tally['happened']} of {tally['told']}" + (f" ({lost} could not tell)" if lost else "")


def _section(scenario: Scenario, found: Found) -> Iterator[str]:
    yield f"\n## {scenario.name}\n\n{scenario.setting}\n\n*Counted:* {scenario.counted}\n"
    yield "| release | tries | | seen |\n|---|---:|---|---|"
    for release, tallies in found.items():
        if scenario.name in tallies:
            yield from (f"| {release} | {seen}" for seen in _seen(tallies[scenario.name]))


def _seen(tally: Mapping[str, Any]) -> Iterator[str]:
    """What was seen, the same only once, and what happened first; the end of a line."""
    order = {True: 0, False: 1, None: 2}
    counted = Counter(_kinds(tally["tries"]))
    for (happened, seen), tries in sorted(counted.items(), key=lambda row: (order[row[0][0]], -row[1], row[0][1])):
        yield f"{tries} | {_MARKS[happened]} | {seen} |"


_MARKS = {True: "happened", False: "did not", None: "cannot tell"}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_APART = 3
"""Up to so many texts that differ in their numbers alone are told apart."""


def _kinds(tries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[bool | None, str]]:
    """What is told of each try: what was seen, or the ranges of the numbers in many texts of one kind."""
    texts: dict[tuple[bool | None, str], list[str]] = defaultdict(list)
    for each in tries:
        texts[each["happened"], _NUMBER.sub("#", each["seen"])].append(each["seen"])
    for each in tries:
        alike = texts[each["happened"], _NUMBER.sub("#", each["seen"])]
        yield each["happened"], each["seen"] if len({*alike}) <= _APART else _with_ranges(alike)


def _with_ranges(texts: Sequence[str]) -> str:
    """One text for many that differ in their numbers.

    >>> _with_ranges(["killed after 1.8 s; 10 lost", "killed after 13.4 s; 10 lost"])
    'killed after 1.8 to 13.4 s; 10 lost'
    """
    columns = zip(*(_NUMBER.findall(text) for text in texts), strict=True)
    ranges = iter([_range(min(column, key=float), max(column, key=float)) for column in columns])
    return _NUMBER.sub(lambda _: next(ranges), texts[0])


def _range(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"


def rows(found: Found) -> str:
    """A line for each try."""
    lines = ["| release | scenario | try | | seen | seconds |", "|---|---|---:|---|---|---:|"]
    for release, tallies in found.items():
        for scenario, tally in tallies.items():
            for each in tally["tries"]:
                cells = [release, scenario, each["number"], _MARKS[each["happened"]], each["seen"], each["seconds"]]
                lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)
