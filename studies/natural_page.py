"""The page docs/natural.md, made of studies/data/natural.json and of what the scenarios say of themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from offsetproof.real.natural.scenarios import SCENARIOS
from offsetproof.real.natural.trying import Scenario

Found = Mapping[str, Mapping[str, Mapping[str, Any]]]

_HEAD = """# Stories in natural timing

Written by `make natural`. [real.md](real.md) has stories that are enforced step by step. Here nothing is held: a name
server, a broker, the administrator's tools and each consumer run in JVMs of their own, with RocketMQ's own threads,
timers and stock settings, on loopback; what a story needs is set up, and it is counted how often it happens.
`offsetproof replay STORY --natural --times 20` does it again for a story that has such a scenario, and `--logs FOLDER`
keeps the log files of every broker and client; `make natural LOGS=FOLDER` does both for all.

{table}

*Happened* counts the tries that came far enough to tell; how many did not is said beside it. A scenario with no story
counts what no claim forbids: delivery is at least once.

## How it was measured

A cluster for each scenario; each try has a topic, a group and consumers of its own, and several tries are under way at
once. Where a moment is told as a range, each try takes one at random, the same in each run of the study. Commands to
JVMs (start, kill, send, look) are given by one process in turn, so they come some tenths of a second later than meant
where the machine is busy. It had {cpus} processors, and other work to do: the load average was from {least} to {most}.
Deliveries are written down by the listeners, committed offsets are asked of the broker's own table. A consumer that is
killed is killed with kill -9. Before it is said that a message does not come, the consumer has been given a newer one
of the same queue, but where a time is told.

What cannot be set up from outside is not here: a thread that stalls between two lines for ten seconds
(`I5-stalled-task` and its like), a rebalance that overlaps another. Those are enforced. A reset by time goes to the
message whose time is nearest, which may be the one before: so the target is 3 or 4.

*query-first* is here because of what the first count of *late-poll* met once in 20 tries: the client logged `[persist]`
with the target, and 7 ms later its rebalance started the queue at the old end, before the broker executed that commit
(its `[NOTIFYME]` line is of the same second). Nothing was delivered again, and the old offset was committed again.

Set-ups that were changed after a first count on 4.9.4, which is not in the table: *late-poll* (9 of 19; it now waits
for the end of the pause), *shut-down* (1 of 20, with four tries at once that delayed each other past the listener's 2
s; now 4 s and two at once), *first-commits-together* (0 of 3 with 500 groups a try, 1 of 3 with 5000). On 5.3.3
*late-poll* and *query-first* looked for messages 8 s after the reset, when a held poll may still be out: their 0 says
that the offset stayed at the target.
"""


def page(found: Found) -> str:
    """The text of the page."""
    measured = [tally for tallies in found.values() for tally in tallies.values()]
    loads = [load for tally in measured for load in tally["load"]]
    cpus = " or ".join(sorted({str(tally["cpus"]) for tally in measured}))
    head = _HEAD.format(table="\n".join(_table(found)), cpus=cpus, least=min(loads), most=max(loads))
    return "\n".join([head.rstrip(), *(line for scenario in SCENARIOS for line in _section(scenario, found))]) + "\n"


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
