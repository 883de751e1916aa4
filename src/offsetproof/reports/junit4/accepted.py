"""What a story's claim accepts at its end, in terms of what a test can see of the real classes.

The claim itself is asked: the last state is given other values of one field, and the claim says with which of them it
would hold. Those are what the test expects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from offsetproof.conformance.on_release import Prepared
from offsetproof.ir.system import State
from offsetproof.lang.claim import ClaimKind
from offsetproof.traces.trace import plain
from offsetproof.verdict.prerequisite import NotForceableError

SEEN: tuple[tuple[str, str], ...] = (
    (r"broker\.committed", "committedOffset"),
    (r"consumer\[(\d)\]\.cell", "consumer{}.cell()"),
    (r"consumer\[(\d)\]\.process_queue\[(\d)\]\.next_offset", "consumer{}.nextOffset({})"),
    (r"consumer\[(\d)\]\.process_queue_table", "consumer{}.listed()"),
)
"""The fields that a test can see, and how; the first that decides the claim is asserted."""


@dataclass(frozen=True)
class Expected:
    """An expression of the test, what it is at the story's end, and the values that the claim accepts there."""

    field: str
    java: str
    story: int | None
    accepted: tuple[int | None, ...]

    @property
    def condition(self) -> str:
        """What has to be true of `actual`."""
        numbers = [value for value in self.accepted if value is not None]
        none = [] if None not in self.accepted else ["actual == null"]
        if not numbers:
            return none[0]
        if self.story is not None and self.story > max(numbers):
            return (
                " || ".join([*none, f"actual <= {max(numbers)}"])
                if none
                else f"actual != null && actual <= {max(numbers)}"
            )
        if self.story is None or self.story < min(numbers):
            return (
                " || ".join([*none, f"actual >= {min(numbers)}"])
                if none
                else f"actual != null && actual >= {min(numbers)}"
            )
        among = " || ".join(f"actual == {value}" for value in numbers)
        return " || ".join([*none, among]) if none else f"actual != null && ({among})"

    @property
    def words(self) -> str:
        """The same for people."""
        return " or ".join("none" if value is None else str(value) for value in self.accepted)


def expected_at_end(story: Prepared) -> Expected:
    """What the claim accepts at the story's end. NotForceableError where it is about nothing that a test can see."""
    if story.replay.prop.kind.is_about_runs:
        raise NotForceableError(f"{story.trace.property.name} fails in a run without an end, which no test waits for")
    changed = story.trace.steps[-1].changed if story.replay.prop.kind is ClaimKind.EACH_STEP else {}
    for field, java in sorted(_seen_fields(story), key=lambda pair: pair[0] not in changed):
        found = _accepted_values(story, field)
        now = story.trace.states[-1][field]
        is_other_queue = field.endswith("process_queue_table") and found != [None]  # that says nothing of this one
        if found and not is_other_queue and (now is None or type(now) is int):
            return Expected(field, java, now, tuple(found))
    raise NotForceableError(
        f"no other value of what a test can see would make {story.trace.property.name} true at the end"
    )


def _seen_fields(story: Prepared) -> Iterator[tuple[str, str]]:
    """The fields that a test can see at the end, in their order here, each with how."""
    for pattern, java in SEEN:
        for field in story.trace.states[-1]:
            if match := re.fullmatch(pattern, field):
                yield field, java.format(*match.groups())


def _accepted_values(story: Prepared, field: str) -> list[int | None]:
    """The values of a field with which the claim would hold at the end."""
    last = story.replay.states[-1]
    leaves = story.replay.reference.grown.tree.leaves
    place, leaf = next((place, leaf) for place, leaf in enumerate(leaves) if leaf.path == field)
    holds = _judge(story)
    values: list[int | None] = []
    for number in range(leaf.domain.lo, leaf.domain.hi + 1):
        value = plain(leaf.domain.decode(number))
        if holds((*last[:place], number, *last[place + 1 :])):
            values.append(value if type(value) is int else None)
    return values


def _judge(story: Prepared) -> Callable[[State], bool]:
    """Does the claim hold where this is the last state? The story has come to rest, whatever is put in there."""
    replay, prop = story.replay, story.replay.prop
    if prop.kind is ClaimKind.EACH_STEP:
        return lambda last: replay.reference.judge_step(prop, replay.states[-2], replay.labels[-1], last)
    at_rest = replace(prop, kind=ClaimKind.ALWAYS) if prop.kind is ClaimKind.AT_REST else prop
    return lambda last: replay.reference.judge(at_rest, last)
