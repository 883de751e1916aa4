"""Audits with findings of each outcome, as reports show them."""

from __future__ import annotations

from dataclasses import replace

from audit.made import event, finding, logged, nothing_found, precedes

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.explain.explaining import Explainer, clients_of
from offsetproof.audit.explain.matching import place_of
from offsetproof.audit.gold.finding import Certainty, FindingKind
from offsetproof.audit.reports.audit import Audit, Explained, Read, in_order
from offsetproof.audit.reports.page import AuditPageJson, page_json
from offsetproof.audit.reports.queue_pictures import QueueKey, QueuePicture, pictures_of

READ = Read(
    *(3, 120, 40, 70),
    malformed=(("broker.log", 9), ("app0.log", 1)),
    unreadable=(("x.log", "permission denied"),),
    unfinished=("broker.log",),
    unknown_shapes=(("NettyEventExecutor *", 70),),
)


def explained(kind: FindingKind, events: list[Event], certainty: Certainty = Certainty.CERTAIN) -> Explained:
    """A finding whose evidence are the last two events, explained."""
    found = finding(kind, events[-2:], certainty)
    return Explained(found, Explainer(lambda _: events, precedes, search=nothing_found).explain(found))


def small_audit() -> Audit:
    """An audit with a finding of each outcome but UNKNOWN."""
    unexplained = [
        event(EventKind.RESUMED, 1),
        event(EventKind.COMMIT_BELOW_STORE, 2, offset=7, other_offset=9),
    ]
    found = [
        explained(FindingKind.RESET_OVERRIDDEN, unexplained, Certainty.POSSIBLE),
        explained(FindingKind.RESET_OVERRIDDEN, logged("I5-late-poll")),
        explained(FindingKind.COMMIT_REFUSED_AFTER_RESET, [event(EventKind.COMMIT_REFUSED)]),
        explained(FindingKind.LOCK_LOST, logged("I9-lease-listener-outlives-lock")),
    ]
    return Audit(READ, in_order(found), ("a note",))


def logs_of(*stories: str) -> list[tuple[Event, str | None]]:
    """The events of stories, with who wrote each."""
    events = [each for story in stories for each in logged(story)]
    clients = clients_of(events)
    return [(each, each.client and clients[place_of(each)][0]) for each in events]


def many_queues(queues: int, with_findings: int) -> tuple[Audit, dict[QueueKey, QueuePicture]]:
    """An audit of so many queues, each with the same history, some of which have findings."""
    late_poll = logged("I5-late-poll")
    lines: dict[QueueKey, QueuePicture] = {}
    found: list[Explained] = []
    for number in range(queues):
        topic, queue = f"trades-{number // 16:03}", number % 16
        events = [replace(each, topic=topic, queue=queue) for each in late_poll]
        lines |= pictures_of((each, each.client) for each in events)
        if number < with_findings:
            one = explained(FindingKind.RESET_OVERRIDDEN, events)
            found.append(replace(one, finding=replace(one.finding, topic=topic, queue=queue)))
    return Audit(READ, in_order(found)), lines


def audit_page_json() -> AuditPageJson:
    """The data of the page of the small audit."""
    return page_json(small_audit(), pictures_of(logs_of("I5-late-poll")), {"I5-late-poll": "I5-late-poll.html"})
