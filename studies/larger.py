"""Decides the claims in larger worlds than their own (`make check-all`); --write writes what was decided, too.

`--only SCOPE` (more than once for several) decides the worlds of that scope alone, and keeps the other rows.
A claim is expected to have the verdict there that the catalogue expects in its own scopes. The exit code is that of
`offsetproof check`: 0 if all is as expected, 12 where a claim that holds is refuted, 20 where one that is refuted
holds, 30 where one is not decided.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import ClaimKind, Expectation
from offsetproof.properties.catalogue import PROPERTIES, ROCKETMQ
from offsetproof.verdict.exits import Exit, exit_of_broken, worst
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict
from studies import RECORDS

DATA = RECORDS / "larger.json"

Record = dict[str, Any]

BYTES = 12 * 2**30
"""What one search may hold in memory."""


@dataclass(frozen=True)
class Larger:
    """A scope with larger bounds, for these claims, or for every claim that names the scope.

    What takes too long for `make check` is here with the bounds of the scope itself, for the claims left out there.
    """

    scope: str
    bounds: Mapping[str, int]
    claims: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The scope by its name, and all of its bounds; as `world_in_words` says it of a question."""
        scope = ROCKETMQ.scope(self.scope).with_bounds(self.bounds).fitted(ROCKETMQ.model.bounds)
        return f"{self.scope}: {scope.describe()}"

    def asked(self) -> list[Question]:
        """The questions about it, in the catalogue's order; witnesses are asked with the claims that need them.

        Those of later releases alone are not asked, nor are claims about runs that no world names: they need the steps
        of all threads, so their worlds grow faster.
        """
        usual = [p for p in PROPERTIES if p.kind is not ClaimKind.SOMETIMES and not p.case.only_of]
        named = tuple(p.id for p in usual if self.scope in p.scopes and not p.kind.is_about_runs)
        limits = Limits(bytes=BYTES)
        return questions_of(
            Request(ROCKETMQ, self.claims or named, scope=self.scope, bounds=self.bounds, limits=limits)
        )


WORLDS = (
    Larger(
        "come-back",
        {"messages": 1, "process_queues": 3, "view_changes": 4},
        ("I3", "I3-calm", "I3-monotone", "I3-heals", "I22", "I23"),
    ),
    Larger("calm-reset", {"messages": 2}),
    Larger("crash", {"messages": 3, "process_queues": 3, "kill": 2}),
    Larger("batch", {"messages": 4}, ("I4", "I4-ack-at-failure", "I4-ack-first", "I4-ack-below-minus-one", "I20")),
    Larger("batch", {"messages": 3}, ("I4-reconsume-later", "I4-ack-before-failure", "I4-ack-none", "I37", "I40")),
    Larger("crash", {"process_queues": 3, "kill": 2}, ("I37-killed",)),
    Larger("broker-restart", {"messages": 2}),
    Larger("recreated", {"messages": 3}),
    Larger("recreated-down", {"messages": 2, "deletions": 2}),
    Larger("recreated-marked", {"messages": 2}, ("I4-recreated-marked",)),
    Larger("recreated-start", {"messages": 3}),
    Larger("recreated-reset", {"process_queues": 3}),
    Larger("tail-lost", {"messages": 3}),
    Larger("take-over", {"commits_in_flight": 3}),
    Larger("fine-steps", {"process_queues": 2, "view_changes": 2}, ("I1", "I2")),
    Larger("fine-reset", {"messages": 2}),
    Larger("one-cpu", {"messages": 2}),
    Larger("offline-reset", {"kill": 2}),
    Larger("offline-reset", {"messages": 2}),
    Larger("equal-times", {"messages": 3, "equal_times": 3}, ("I6-time", "I6-time-fixed")),
    Larger("equal-times", {"commits_in_flight": 2}, ("I6-time-stable",)),
    Larger("reset-by-time", {"messages": 2}),
    Larger("restart-in-order", {"messages": 2}),
    Larger("reset-restart-in-order", {"messages": 2}),
    Larger("reset-restart-in-order", {"broker_restarts": 2}),
    Larger("shutdown-restart-in-order", {"messages": 3}),
    Larger("offline-restart-in-order", {"messages": 2}, ("I5-while-down-restarted",)),
    Larger("loss", {"messages": 3, "loss": 2}),
    Larger("lost-reset", {"loss": 2}),
    Larger("lost-reset", {"messages": 2}),
    Larger("tags", {"messages": 4}),
    Larger("tags-middle", {"messages": 4}),
    Larger("tags-last", {"messages": 4}),
    Larger("first-offset", {"messages": 3, "process_queues": 3, "kill": 2}),
    Larger("timestamp", {"messages": 3, "process_queues": 3, "kill": 2}),
    Larger("retry-last", {"messages": 3, "process_queues": 3, "kill": 2}),
    Larger("retry-timestamp", {"messages": 3, "process_queues": 3, "kill": 2}),
    Larger("allocated", {"commits_in_flight": 2}),
    Larger("allocated", {"view_changes": 3, "commits_in_flight": 2}),
    Larger("two-registries", {"view_changes": 1}, ("I8-heals",)),
    Larger("two-registries", {"view_changes": 2}, ("I8-heals",)),
    Larger("two-registries", {"queues": 3}, ("I8-heals",)),
    Larger("moving-reset", {"messages": 2, "process_queues": 4}, ("I6", "I18")),
    Larger("retention", {"messages": 3}),
    Larger("expansion", {"messages": 4}),
    Larger("expansion-cold", {"messages": 4}),
    Larger("expansion-late", {"messages": 4}),
    Larger("new-group", {"messages": 3, "process_queues": 3, "kill": 2}),
    Larger("two-brokers", {"messages": 2}),
    Larger("shutdown", {"messages": 4}),
    Larger("cold-start", {"messages": 4}),
    Larger("warm-start", {"messages": 4}),
    Larger("first-commits", {"messages": 3}),
    Larger("lost-pull-request", {"messages": 2}, ("I23-lost", "I38")),
    Larger("resume", {"messages": 3}),
    Larger("reset-query-error", {"messages": 2}),
    Larger("reset-broker-restart", {"messages": 2}),
    Larger("reset-twice", {"process_queues": 5}),
    Larger("reset-two", {"messages": 2}),
    Larger("hand-over", {"messages": 3}),
    Larger("fine-shutdown", {"messages": 3}),
    Larger("shutdown-sweep", {"messages": 3}),
    Larger("unforced-reset", {"messages": 2}),
    Larger("unforced-reset-two", {"messages": 3}),
    Larger("retention-moves", {"messages": 3}),
    Larger("group-deleted", {"messages": 2, "process_queues": 3, "shutdowns": 2, "group_deletions": 2}),
    Larger("group-deleted", {"consumers": 2, "shutdowns": 2}),
    Larger("group-deleted-restart", {"messages": 2}),
    Larger("hang", {"messages": 3}),
    Larger("hang-unswept", {"messages": 3}),
    Larger("hang-swept", {"process_queues": 2, "sweeps": 3}, ("I40-swept",)),
    Larger("shutdown-loss", {"messages": 3}),
    Larger("send-back", {"messages": 3}, ("I4-ack-below-minus-one-swept",)),
    Larger("running-info", {"messages": 2}),
    Larger("resume-moving", {"messages": 2}),
    Larger("inspected-reset", {"messages": 2}),
    Larger("reset", {"messages": 2}, ("I5", "I5-forward", "I7")),
)
"""More messages, kills or ProcessQueues than the scopes have, as far as that can be visited within half an hour."""


@dataclass(frozen=True)
class Decided:
    """A claim in a larger world, with what it should be."""

    result: Result
    expected: Expectation | None

    @property
    def exit(self) -> Exit:
        """The exit code that this calls for."""
        verdict = self.result.verdict
        if verdict is Verdict.UNKNOWN:
            return Exit.MODEL_ERROR if self.result.reason is Reason.OVERFLOW else Exit.UNKNOWN
        if str(verdict) == str(self.expected or Expectation.HOLDS):
            return Exit.AS_EXPECTED
        return exit_of_broken(self.result.prop.kind) if verdict is Verdict.REFUTED else Exit.DIFFERS

    @property
    def cells(self) -> list[str]:
        """A row of the table."""
        result = self.result
        shown = "" if result.replay is None else f" ({result.replay.faults}, {len(result.replay.labels)})"
        verdict = f"{result.verdict}{shown}" if result.reason is None else f"{result.verdict}: {result.reason}"
        states = f"{result.counts.states:,}"
        what = world_in_words(result)
        surprise = "" if self.exit is Exit.AS_EXPECTED else f", expected {self.expected}"
        return [result.prop.id, what, verdict + surprise, states, str(result.counts.depth), f"{result.seconds:.1f}"]


def world_in_words(asked: Question | Result) -> str:
    """The scope by its name, and all of its bounds."""
    scope = asked.setting.scope
    return f"{scope.name.rstrip('*')}: {scope.describe()}"


def decide_worlds(worlds: Iterable[Larger] = WORLDS) -> Iterator[Decided]:
    """Every claim in every larger world, as it is decided."""
    for world in worlds:
        engine = Explicit()
        for question in world.asked():
            yield Decided(engine.decide(question), question.prop.case.expected_in(question.setting))


def main() -> int:
    """Prints a line per claim, and writes them down if asked to."""
    parser = argparse.ArgumentParser(prog="studies.larger", description=__doc__, allow_abbrev=False)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", action="append", choices=sorted({world.scope for world in WORLDS}), metavar="SCOPE")
    options = parser.parse_args()
    worlds = [world for world in WORLDS if not options.only or world.scope in options.only]
    started, decided = time.monotonic(), []
    for each in decide_worlds(worlds):
        decided.append(each)
        print("  ".join(each.cells), flush=True)
    print(f"{len(decided)} claims in larger worlds, {time.monotonic() - started:.0f} s")
    if options.write:
        _write(decided, read() if options.only else None)
    return worst(each.exit for each in decided)


def _peak() -> float:
    """The most memory that this process has held so far, in GiB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**30 if sys.platform == "darwin" else 2**20)


def read() -> Record:
    """What was decided when the data were written."""
    known: Record = json.loads(DATA.read_text(encoding="utf-8"))
    return known


def rows_with(decided: Iterable[Decided], known: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """A row for each question of each world, in their order: what is decided now, else what is known."""
    rows = {(row[0], row[1]): row for row in (*known, *(each.cells for each in decided))}
    names = [(q.prop.id, world_in_words(q)) for world in WORLDS for q in world.asked()]
    missing = [name for name in names if name not in rows]
    if missing:
        raise SystemExit(f"not decided yet, so not to be left out: {missing}")
    return [rows[name] for name in names]


def _write(decided: Iterable[Decided], known: Record | None) -> None:
    """Writes down what was decided, and of what is known all that was not decided again."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    rows, most = (known["rows"], known["gigabytes"]) if known else ((), 0)
    record = {"machine": machine, "gigabytes": max(round(_peak()), most), "rows": rows_with(decided, rows)}
    DATA.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def counts(known: Record) -> str:
    """What it took, and what is not as expected."""
    rows = known["rows"]
    states = sum(int(row[3].replace(",", "")) for row in rows)
    minutes = sum(float(row[5]) for row in rows) / 60
    others = [f"{row[0]} in {row[1]}: {row[2]}" for row in rows if not _is_as_expected(row[2])]
    return (
        f"{len(rows)} questions in {len(WORLDS)} worlds, decided on {known['machine']}, shared, one thread: "
        f"{minutes:.0f} minutes for {states:,}\nstates, {known['gigabytes']} GiB of memory at most. Not as expected: "
        f"{'; '.join(others) or 'none'}."
    )


def worlds(known: Record) -> str:
    """A line for each world, with what its claims are there."""
    by_world = {words: [*rows] for words, rows in groupby(known["rows"], key=lambda row: str(row[1]))}
    lines = ["| scope | with | hold | refuted (faults, steps) | states at most |", "|---|---|---|---|---:|"]
    for world in WORLDS:
        rows = by_world.get(world.words, [])
        held = [row[0] for row in rows if row[2] == "HOLDS"]
        refuted = [f"{row[0]} {row[2].removeprefix('REFUTED ')}" for row in rows if row[2].startswith("REFUTED (")]
        bounds = ", ".join(f"{name}={value}" for name, value in world.bounds.items())
        most = max((int(row[3].replace(",", "")) for row in rows), default=0)
        lines.append(f"| {world.scope} | {bounds} | {', '.join(held)} | {', '.join(refuted)} | {most:,} |")
    return "\n".join(lines)


def rows(known: Record) -> str:
    """A line for each claim in each world."""
    lines = ["| claim | world | verdict | states | depth | s |", "|---|---|---|---:|---:|---:|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in known["rows"])])


def _is_as_expected(verdict: str) -> bool:
    return verdict == "HOLDS" or (verdict.startswith("REFUTED (") and "expected" not in verdict)


if __name__ == "__main__":
    sys.exit(main())
