"""A finding: what a queue's events say happened to it, the claim that this breaks, and the lines that show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Certainty(StrEnum):
    """CERTAIN holds in every order that the stamps allow; POSSIBLE in at least one of them."""

    CERTAIN = "certain"
    POSSIBLE = "possible"


def counts_for(certainty: Certainty, least: Certainty | None) -> bool:
    """Is a finding as certain as asked, or more? None asks for none."""
    return least is Certainty.POSSIBLE or certainty is least


class FindingKind(StrEnum):
    """The names of findings; scripts depend on them."""

    COMMIT_REGRESSION = "commit-regression"
    TWO_OWNERS = "two-owners"
    RESET_OVERRIDDEN = "reset-overridden"
    RESET_WITHOUT_EFFECT = "reset-without-effect"
    MARKER_TAKEN_BY_OTHER = "marker-taken-by-other"
    COMMIT_REFUSED_AFTER_RESET = "commit-refused-after-reset"
    RANGE_SKIPPED = "range-skipped"
    RANGE_REPEATED = "range-repeated"
    NEW_GROUP_FROM_ZERO = "new-group-from-zero"
    NEW_GROUP_FROM_END = "new-group-from-end"
    COMMIT_WITHOUT_QUEUE = "commit-without-queue"
    CLIENT_ID_TWICE = "client-id-twice"
    OFFSET_PINNED = "offset-pinned"
    LOCK_LOST = "lock-lost"
    SAME_START_AGAIN = "same-start-again"
    FILE_LOST_QUEUE = "file-lost-queue"
    FILE_FELL_BACK = "file-fell-back"
    PULL_BEYOND_END = "pull-beyond-end"


CLAIM_OF: dict[FindingKind, str | None] = {
    FindingKind.COMMIT_REGRESSION: "I3",
    FindingKind.TWO_OWNERS: "I8",
    FindingKind.RESET_OVERRIDDEN: "I5",
    FindingKind.RESET_WITHOUT_EFFECT: "I6",
    FindingKind.MARKER_TAKEN_BY_OTHER: "I5",
    FindingKind.COMMIT_REFUSED_AFTER_RESET: None,
    FindingKind.RANGE_SKIPPED: "I4",
    FindingKind.RANGE_REPEATED: None,
    FindingKind.NEW_GROUP_FROM_ZERO: "I13",
    FindingKind.NEW_GROUP_FROM_END: "I13",
    FindingKind.COMMIT_WITHOUT_QUEUE: None,
    FindingKind.CLIENT_ID_TWICE: None,
    FindingKind.OFFSET_PINNED: None,
    FindingKind.LOCK_LOST: "I9",
    FindingKind.SAME_START_AGAIN: None,
    FindingKind.FILE_LOST_QUEUE: "I15",
    FindingKind.FILE_FELL_BACK: "I12",
    FindingKind.PULL_BEYOND_END: "I19",
}
"""The claim that a finding is about; None where no claim of the catalogue says that it must not be."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that shows a finding; `role` says which part it has, such as `commit before` or `reset`."""

    file: str
    line: int
    byte_offset: int
    byte_length: int
    role: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What happened to a queue, or to a group where `queue` is None.

    Times are in microseconds since 1970 UTC, of the first and the last line of the evidence; `says` is one sentence
    with the numbers; `values` are the offsets in it by name; `decided_by` says which line would decide, where the
    finding is only possible.
    """

    kind: FindingKind
    certainty: Certainty
    group: str | None
    topic: str | None
    broker: str | None
    queue: int | None
    time_from: int
    time_to: int
    says: str
    evidence: tuple[Evidence, ...]
    values: dict[str, int] = field(default_factory=dict)
    decided_by: str | None = None
