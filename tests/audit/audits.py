"""Audits with findings of each outcome, as reports show them."""

from __future__ import annotations

from audit.made import event, finding, logged, precedes

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.explaining import Explainer
from offsetproof.audit.finding import Certainty, FindingKind
from offsetproof.audit.report import Audit, Explained, Read, in_order

READ = Read(3, 120, 40, 70, 10, (("x.log", "permission denied"),), ("broker.log",))


def explained(kind: FindingKind, events: list[Event], certainty: Certainty = Certainty.CERTAIN) -> Explained:
    """A finding whose evidence are the last two events, explained."""
    found = finding(kind, events[-2:], certainty)
    return Explained(found, Explainer(lambda _: events, precedes).explain(found))


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
