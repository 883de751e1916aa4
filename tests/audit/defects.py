"""Defects that are put into a clean workload, each at a known queue: what has to be found, and what may come with it.

`PYTHONPATH=tests python -m audit.defects 20` prints, by kind, how many were expected, found certain, found possible,
missed, and how many other certain findings there were.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from audit.steps import find

from offsetproof.audit.event import EventKind
from offsetproof.audit.gold.finding import Certainty, Finding, FindingKind

from audit.workloads import TOPIC, Client, Workload  # isort: skip

Kind = FindingKind


@dataclass(frozen=True)
class Defect:
    """What to do to a workload: gives the queue that it hits. `beside` are kinds that rightly come with it."""

    kind: FindingKind
    do: Callable[[Workload], int | None]
    releases: str = "45"
    beside: tuple[FindingKind, ...] = ()
    certain: bool = True


def busy(w: Workload) -> tuple[int, Client]:
    """A queue that has an owner and gets messages, once the rebalances are over; no others come."""
    w.run(70)
    w.may_move = False
    w.run(30)
    number = w.random.randrange(len(w.queues))
    w.queues[number].rate, w.queues[number].speed = 3.0, 9.0
    w.run(30)
    owner = w.owner_of(number)
    assert owner is not None
    return number, owner


def another(w: Workload, owner: Client) -> Client:
    return next(each for each in w.clients if each.runs and each is not owner)


def handed_over(w: Workload, change: int) -> int:
    """The next owner starts so much above what was committed."""
    queue, owner = busy(w)
    w.give_up(owner, queue)
    w.run(4)
    w.queues[queue].stored += change
    w.take(another(w, owner), queue)
    w.run(30)
    return queue


def two_owners(w: Workload) -> int:
    queue, owner = busy(w)
    w.take(another(w, owner), queue)
    w.run(40)
    return queue


def overridden(w: Workload) -> int:
    queue, owner = busy(w)
    w.run(60)
    old = w.queues[queue].stored
    if w.five:
        w.says(w.broker, EventKind.RESET_MARKED, queue, old - 40)
        w.run(60)
        return queue
    w.may_move = True
    w.reset({queue: old - 40})
    w.run(10.2)
    w.queues[queue].stored = old
    w.run(60)
    assert owner.runs
    return queue


def without_effect(w: Workload) -> int:
    queue, owner = busy(w)
    for number in range(len(w.queues)):
        w.queues[number].rate, w.queues[number].speed = 3.0, 9.0
    w.run(30)
    w.reset({number: each.stored - 40 for number, each in enumerate(w.queues) if number != queue})
    w.run(100)
    assert owner.runs
    return queue


def marker_taken(w: Workload) -> int:
    queue, owner = busy(w)
    w.give_up(owner, queue)
    w.run(5)
    w.take(another(w, owner), queue)
    w.run(20)
    target = w.queues[queue].stored - 40
    w.says(w.broker, EventKind.RESET_MARKED, queue, target)
    w.says(w.broker, EventKind.MARKER_TAKEN, offset=target, group=None, topic=None)
    w.says(owner, EventKind.PULL_ILLEGAL, queue, target + 50, other_offset=target)
    w.run(10)
    w.says(owner, EventKind.PULL_FIXED, queue, target)
    w.run(40)
    return queue


def refused(w: Workload) -> int:
    queue, _ = busy(w)
    for _ in range(3):
        w.says(w.broker, EventKind.COMMIT_REFUSED, queue, w.queues[queue].stored)
        w.run(5)
    return queue


def new_group(w: Workload, from_end: bool) -> int:
    end, w.may_move = 500, False
    w.says(w.tools, EventKind.OFFSET_ABSENT, 0, other_offset=end)
    w.queues[0].end, w.queues[0].stored = end, end if from_end else 0
    w.run(5)
    w.take(w.clients[0], 0)
    w.run(60)
    return 0


def late_commit(w: Workload) -> int:
    queue, owner = busy(w)
    w.give_up(owner, queue)
    w.run(8)
    w.says(owner, EventKind.COMMIT_SENT, queue, w.queues[queue].stored)
    return queue


def one_id(w: Workload) -> None:
    _, owner = busy(w)
    twin = w.add_client(owner.id)
    queue = next(iter(owner.cells))
    w.give_up(owner, queue)
    w.run(5)
    w.take(twin, queue)
    w.run(40)
    w.take(owner, next(number for number in range(len(w.queues)) if number not in twin.cells))
    w.run(20)


def pinned(w: Workload) -> int:
    queue, _ = busy(w)
    w.queues[queue].speed = 0.0
    w.run(10)
    w.says(w.tools, EventKind.OFFSET_STORED, queue, w.queues[queue].stored, other_offset=int(w.queues[queue].end) + 1)
    w.run(80)
    return queue


def nobody(w: Workload) -> int:
    queue, owner = busy(w)
    w.give_up(owner, queue)
    for client in w.clients:
        mine = ",".join(f"broker-a:{number}" for number in sorted(client.cells))
        w.says(client, EventKind.ALLOCATED, client=client.id, detail=mine)
    w.queues[queue].held = True
    w.run(60)
    return queue


def lock_lost(w: Workload) -> int:
    queue, owner = busy(w)
    w.says(owner, EventKind.LOCKED, queue)
    w.run(30)
    w.says(w.broker, EventKind.LOCKED, queue, client=another(w, owner).id)
    w.run(20)
    return queue


def stuck(w: Workload) -> int:
    queue, owner = busy(w)
    w.queues[queue].speed = 0.0
    for _ in range(3):
        w.says(owner, EventKind.PULL_ILLEGAL, queue, owner.cells[queue], other_offset=owner.cells[queue])
        w.says(owner, EventKind.QUEUE_REMOVED, queue, detail="illegal-offset")
        w.says(owner, EventKind.PULL_FIXED, queue, owner.cells[queue])
        w.says(owner, EventKind.QUEUE_ADDED, queue)
        w.run(12)
    return queue


def lost_row(w: Workload) -> int:
    queue, _ = busy(w)
    for name, rows in (
        ("consumerOffset.json.bak", range(len(w.queues))),
        ("consumerOffset.json", range(len(w.queues))),
    ):
        for number in rows:
            if name.endswith(".bak") or number != queue:
                stored = w.queues[number].stored
                w.says(w.broker, EventKind.OFFSET_STORED, number, stored, file=f"broker-a/{name}", broker=None)
        w.run(20)
    return queue


def of_file(w: Workload) -> None:
    busy(w)
    w.says(w.broker, EventKind.FILE_FELL_BACK, group=None, topic=None, detail="consumerOffset.json")


def beyond(w: Workload) -> None:
    queue, _ = busy(w)
    end = int(w.queues[queue].end)
    w.says(w.broker, EventKind.PULL_BEYOND_END, None, end + 9, other_offset=end, detail="10.0.0.1:4711", topic=None)


DEFECTS = (
    Defect(Kind.COMMIT_REGRESSION, lambda w: handed_over(w, -60), beside=(Kind.RANGE_REPEATED,)),
    Defect(Kind.RANGE_REPEATED, lambda w: handed_over(w, -60), "4", (Kind.COMMIT_REGRESSION,)),
    Defect(Kind.RANGE_SKIPPED, lambda w: handed_over(w, 60), "4"),
    Defect(Kind.TWO_OWNERS, two_owners, beside=(Kind.COMMIT_REGRESSION,)),
    Defect(Kind.RESET_OVERRIDDEN, overridden),
    Defect(Kind.RESET_WITHOUT_EFFECT, without_effect, "4", certain=False),
    Defect(Kind.MARKER_TAKEN_BY_OTHER, marker_taken, "5", (Kind.RESET_OVERRIDDEN, Kind.COMMIT_REGRESSION)),
    Defect(Kind.COMMIT_REFUSED_AFTER_RESET, refused, "5"),
    Defect(Kind.NEW_GROUP_FROM_ZERO, lambda w: new_group(w, False), "4"),
    Defect(Kind.NEW_GROUP_FROM_END, lambda w: new_group(w, True), "4"),
    Defect(Kind.COMMIT_WITHOUT_QUEUE, late_commit),
    Defect(Kind.CLIENT_ID_TWICE, one_id, beside=(Kind.TWO_OWNERS, Kind.COMMIT_REGRESSION)),
    Defect(Kind.OFFSET_PINNED, pinned),
    Defect(Kind.OFFSET_PINNED, nobody),
    Defect(Kind.LOCK_LOST, lock_lost),
    Defect(Kind.SAME_START_AGAIN, stuck),
    Defect(Kind.FILE_LOST_QUEUE, lost_row),
    Defect(Kind.FILE_FELL_BACK, of_file),
    Defect(Kind.PULL_BEYOND_END, beyond),
)


@dataclass(frozen=True)
class Outcome:
    """What an audit made of a seeded defect: `found` are its findings, `false` certain ones that nothing explains."""

    found: tuple[Finding, ...]
    false: tuple[Finding, ...]

    @property
    def is_certain(self) -> bool:
        return any(each.certainty is Certainty.CERTAIN for each in self.found)


def outcome(defect: Defect, seed: int, five: bool) -> Outcome:
    """The defect in the workload of a seed, of 5.x or 4.9.4, whose clocks are wrong by up to half a second."""
    workload = Workload(seed, five=five, skew=0.5)
    queue = defect.do(workload)
    findings = list(find(workload.log, timedelta(seconds=0.5)))
    hit = [each for each in findings if each.kind is defect.kind and each.queue in (queue, None)]
    certain = [each for each in findings if each.certainty is Certainty.CERTAIN]
    explained = {defect.kind, *defect.beside}
    false = [each for each in certain if each.kind not in explained or (queue is not None and each.queue != queue)]
    return Outcome(tuple(hit), tuple(false))


def main(seeds: int) -> None:
    counts: dict[str, Counter[str]] = {}
    for defect in DEFECTS:
        for release in defect.releases:
            for seed in range(seeds):
                one = outcome(defect, seed, release == "5")
                row = counts.setdefault(f"{defect.kind} ({'5.x' if release == '5' else '4.9.4'})", Counter())
                row["expected"] += 1
                row["certain" if one.is_certain else "possible" if one.found else "missed"] += 1
                row["false"] += len(one.false)
    print(f"{TOPIC:40} expected certain possible missed false")
    for name, row in counts.items():
        print(
            f"{name:40} {row['expected']:8} {row['certain']:7} {row['possible']:8} {row['missed']:6} {row['false']:5}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]))
