"""Events of one queue of one group, written by hand: two clients on two hosts, and their broker."""

from __future__ import annotations

from dataclasses import replace

from offsetproof.audit.event import Event, EventKind

SECOND = 1_000_000
BEGIN = 1_764_300_000 * SECOND


def client(number: int, at: float, kind: EventKind, offset: int | None = None, **columns: object) -> Event:
    """A line of a client's log, so many seconds after the beginning, to the millisecond."""
    name = f"10.0.0.{number}@{number}" if kind is EventKind.COMMIT_SENT else None
    return _event(f"app{number}/rocketmq_client.log", f"app{number}", at, 1000, kind, offset, client=name, **columns)


def broker(at: float, kind: EventKind, offset: int | None = None, **columns: object) -> Event:
    """A line of the broker's log, to the second."""
    return _event("broker-a/broker.log", "broker-a", int(at), SECOND, kind, offset, **columns)


def of_group(event: Event) -> Event:
    """The same line, of the group and the topic instead of one queue."""
    return replace(event, queue=None, broker=None, offset=None)


def _event(
    file: str, host: str, at: float, width: int, kind: EventKind, offset: int | None, **columns: object
) -> Event:
    start = BEGIN + round(at * SECOND)
    place = round((at + 1000) * 1000)
    made = Event(
        file=file,
        line=place,
        byte_offset=place * 100,
        byte_length=100,
        time_from=start,
        time_to=start + width,
        zone_known=True,
        host=host,
        process=file,
        kind=kind,
        group="orders",
        topic="trades",
        broker="broker-a",
        queue=0,
        offset=offset,
    )
    return replace(made, **columns)  # type: ignore[arg-type]  # columns of one event
