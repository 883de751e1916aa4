"""Logs that a story would leave, and findings about them: events with the clients, offsets and times of a real run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.explain.explaining import Explanation, ExplanationOutcome
from offsetproof.audit.explain.matching import Scene
from offsetproof.audit.explain.observables import BROKER_KINDS, Observable, observables_of
from offsetproof.audit.gold.finding import Certainty, Evidence, Finding, FindingKind
from offsetproof.traces.recorded_stories import recorded_stories

START = 1_764_300_000_000_000
"""28 November 2025, 03:20 UTC."""

SECOND = 1_000_000

GROUP, TOPIC, BROKER, QUEUE = "orders", "trades", "broker-a", 3

CLIENTS = ("10.0.0.1@4711", "10.0.0.2@815")


def event(kind: EventKind, at: float = 0.0, **columns: object) -> Event:
    """An event of the queue, so many seconds after START; of a broker's or a client's log."""
    is_broker = kind in BROKER_KINDS
    host = "broker-a" if is_broker else "app1"
    made = Event(
        file=f"{host}/{'broker.log' if is_broker else 'rocketmq_client.log'}",
        line=int(at * 10) + 1,
        byte_offset=int(at * 1000),
        byte_length=100,
        time_from=START + int(at * SECOND),
        time_to=START + int(at * SECOND) + (SECOND if is_broker else 1000),
        zone_known=True,
        host=host,
        process=f"{host}/log",
        kind=kind,
        group=GROUP,
        topic=TOPIC,
        broker=BROKER,
        queue=QUEUE,
    )
    return replace(made, **columns)  # type: ignore[arg-type]  # columns are as the caller names them


def real_offset(offset: int | None) -> int | None:
    """An offset of the model as one of a queue that has been used for a while."""
    return None if offset is None else 1_000 + 137 * offset


def logged(story: str) -> list[Event]:
    """The events that a recorded story leaves, two seconds apart; a commit before each reset, where it knows one.

    Where its clients have one id they have that of the first.
    """
    found: list[Event] = []
    has_one_id = recorded_stories()[story].world.scope.bounds.get("one_id", 0) > 0
    for number, each in enumerate(observables_of(story), 1):
        if each.before is not None:
            found.append(
                _line(replace(each, kinds=(EventKind.COMMIT_SENT,), client=0, offset=each.before), 2 * number - 1)
            )
        found.append(_line(each, 2 * number))
    return [replace(each, client=each.client and CLIENTS[0]) for each in found] if has_one_id else found


def _line(each: Observable, at: float) -> Event:
    made = event(
        each.kind, at, offset=real_offset(each.offset), other_offset=real_offset(each.other_offset), detail=each.detail
    )
    if each.client is None:
        return made
    host = f"app{each.client}"
    return replace(made, client=CLIENTS[each.client], host=host, process=f"{host}/log",
                   file=f"{host}/rocketmq_client.log")  # fmt: skip


def finding(kind: FindingKind, events: Sequence[Event], certainty: Certainty = Certainty.CERTAIN) -> Finding:
    """A finding of which these events are the evidence."""
    return Finding(
        kind,
        certainty,
        GROUP,
        TOPIC,
        BROKER,
        QUEUE,
        events[0].time_from,
        events[-1].time_to,
        f"{kind} on the queue",
        tuple(evidence(each) for each in events),
    )


def evidence(each: Event, role: str = "") -> Evidence:
    """An event as a line of evidence."""
    return Evidence(
        each.file, each.line, each.byte_offset, each.byte_length, role or str(each.kind), f"line of {each.kind}"
    )


def precedes(first: Event, second: Event) -> bool:
    """The order that these stamps prove."""
    if first.file == second.file:
        return first.byte_offset < second.byte_offset
    return first.time_to <= second.time_from


def nothing_found(_finding: Finding, _scene: Scene, release: str) -> Explanation:
    """A search that was whole, and found no run."""
    return Explanation(ExplanationOutcome.NOT_EXPLAINED, release, detail="no run leaves these lines")
