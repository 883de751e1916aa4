"""The release that logs show: by each client's version in a broker's log, else by lines that only some write.

A client's own log has no version. What 5.5.0 writes 5.3.3 writes as well: none of the recorded logs of the two has a
message about offsets, owners or locks that the other's never have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from offsetproof.audit.event import Event
from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.explain.matching import is_first_pull
from offsetproof.audit.explain.observables import BROKER_KINDS

_FIRST_VERSIONS = {"4.9.4": 0, "4.9.8": 409, "5.3.3": 413, "5.5.0": 513}
"""The first of MQVersion's numbers for which a release is the nearest that the models know: 4.9.8 is 409, 5.0.0 413,
5.3.3 479, 5.5.0 513. Two releases are two apart, with a snapshot between them."""


def release_of_version(version: str) -> str | None:
    """The modelled release that is nearest to a client's version, which is MQVersion's number; None where it is none.

    >>> release_of_version("401"), release_of_version("479"), release_of_version("513"), release_of_version("V5_3_3")
    ('4.9.4', '5.3.3', '5.5.0', None)
    """
    if not version.isdecimal():
        return None
    return [release for release, first in _FIRST_VERSIONS.items() if first <= int(version)][-1]


def versions_of(members: Iterable[Event]) -> dict[str | None, frozenset[str]]:
    """The versions of Java clients by group, as brokers say them of members; other languages count their own."""
    found: dict[str | None, set[str]] = {}
    for event in members:
        match (event.detail or "").split(" "):
            case [_, "JAVA", version]:
                found.setdefault(event.group, set()).add(version)
    return {group: frozenset(versions) for group, versions in found.items()}


_ONLY_AT_BROKER = frozenset({Kind.RESET_MARKED, Kind.MARKER_TAKEN, Kind.COMMIT_REFUSED})


def release_shown(events: Sequence[Event], versions: frozenset[str] = frozenset()) -> str | None:
    """The release that the logs show, of the nearest that the models know; None where nothing does.

    `versions` are those of the group's clients. They count where they are of one release that writes such lines.
    """
    is_reset_by_client = any(event.kind is Kind.SUSPENDED for event in events)
    of_members = {release_of_version(each) for each in versions}
    lines = lines_shown(events)
    member = of_members.pop() if len(of_members) == 1 else None
    if member and all(each[0] == member[0] for each in lines):
        return "5.3.3-client-reset" if member[0] == "5" and is_reset_by_client else member
    if lines:
        return lines[0]
    of_client = [event for event in events if event.kind not in BROKER_KINDS]
    if any(event.process.isdigit() for event in of_client):
        return "5.3.3-client-reset" if is_reset_by_client else "5.3.3"
    return None


def lines_shown(events: Sequence[Event]) -> list[str]:
    """A release of each line, 5.x and 4.9, of which some lines are that the other never writes.

    An orderly client says in both where it starts.
    """
    is_5 = any(event.kind in _ONLY_AT_BROKER for event in events)
    is_4 = any(event.kind is Kind.START and not is_first_pull(event) for event in events)
    return ["5.3.3"] * is_5 + ["4.9.4"] * is_4
