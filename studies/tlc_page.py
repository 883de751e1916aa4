"""The page docs/tlc.md, made of studies/data/tlc.json and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

Record = dict[str, Any]

_HEAD = """# TLC on exported systems

Written by `make tlc` on {machine}, shared with other work.
Seconds are processor time of the whole Java process (start, optimising and garbage collection included), TLC has one
worker, and what is compared was run in turns, {rounds} rounds of it; a ratio is that of two runs of one round. *Before*
is the export as commit `{before}` writes it, *after* the export as it is now.
`tests/quality/test_tlc_page.py` compares the counts with the checker's.

## Beside a specification by hand

`examples/lamport_mutex.py` is Lamport's mutual exclusion for three processes, with a queue of messages between each two
of them; `examples/LamportMutexByHand.tla` is the same system as people write it in TLA+, with sequences of records. All
three have {states:,} distinct states and depth {depth}, which is also what the TLA+ examples publish for this algorithm
in this size. In each TLC checks the types of all variables and mutual exclusion.
"""

_WHY = """
What TLC spends its processor time on, in seconds: samples of Java's flight recorder, scaled to the median above.
"""

_CHANGED = """
What made the difference:

- A field of a component in two arrays was a function of pairs, `f[p, q]`. For each function that a step has changed TLC
  hashed all of the pairs again before it looked the first value up (where there are more than ten; else it compared
  pairs one by one), and all of the pairs went into each fingerprint. Now it is a function of functions, `f[p][q]`, and
  what is looked up are numbers among a few numbers.
- A step that puts a message into a queue, or takes one out, wrote each of the queue's places by an EXCEPT of its own,
  and TLC copied the whole function for each. Now a step that writes most places of a queue gives it a new function,
  `![p][q] = [k \\in 0..2 |-> ...]`.
- What is written of an old value says `@`, which TLC has at hand.
- Instances that write the same places in another order are one text now; they were told apart by a question.
"""

_OTHERS = """
## Other systems

{about} Ratios below 1 mean that TLC has become faster.

| system | states | depth | before, s | after, s | after / before: median (least to most) |
|---|---:|---:|---:|---:|---:|"""


def page(measured: Record) -> str:
    """The text of the page."""
    lamport = measured["lamport"]
    first = lamport["rounds"][0]["after"]
    head = _HEAD.format(**measured, rounds=len(lamport["rounds"]), states=first["states"], depth=first["depth"])
    others = _OTHERS.format(
        about="Claims of the RocketMQ model that hold, with some bounds lowered; and all toys of the tests together."
    )
    rows = [_other(record) for record in (*measured["rocketmq"], measured["toys"])]
    parts = [head, *_by_hand(lamport), _WHY, *_profiles(lamport), _CHANGED, others.removeprefix("\n"), *rows]
    return "\n".join(parts) + "\n"


def ratios(record: Record, one: str, other: str) -> list[float]:
    """How much longer one takes than the other, round by round, ascending."""
    return sorted(run[one]["seconds"] / run[other]["seconds"] for run in record["rounds"])


def _by_hand(record: Record) -> Iterator[str]:
    yield "| specification | lines | seconds in each round | times that by hand: median (least to most) |"
    yield "|---|---:|---:|---:|"
    for name in ("by hand", "before", "after"):
        seconds = ", ".join(f"{run[name]['seconds']:.1f}" for run in record["rounds"])
        times = "" if name == "by hand" else _spread_in_words(ratios(record, name, "by hand"))
        yield f"| {name if name == 'by hand' else f'export, {name}'} | {record['lines'][name]} | {seconds} | {times} |"


def _profiles(record: Record) -> Iterator[str]:
    names = ("by hand", "before", "after")
    yield f"| TLC is | {' | '.join(names)} |"
    yield f"|---|{'---:|' * len(names)}"
    seconds = {name: _median(record, name) for name in names}
    profiles = record["profiles"]
    for doing in profiles["before"] | profiles["after"] | profiles["by hand"]:
        cells = [f"{seconds[name] * profiles[name].get(doing, 0) / sum(profiles[name].values()):.1f}" for name in names]
        yield f"| {doing} | {' | '.join(cells)} |"


def _other(record: Record) -> str:
    first = record["rounds"][0]["after"]
    return (
        f"| {record['name']} | {first['states']:,} | {first['depth']} | {_median(record, 'before'):.1f} "
        f"| {_median(record, 'after'):.1f} | {_spread_in_words(ratios(record, 'after', 'before'))} |"
    )


def _median(record: Record, name: str) -> float:
    seconds: list[float] = [run[name]["seconds"] for run in record["rounds"]]
    return median(seconds)


def _spread_in_words(values: list[float]) -> str:
    return f"{median(values):.2f} ({values[0]:.2f} to {values[-1]:.2f})"
