"""A reset that did not stay (I5), and one that did nothing to a queue (I6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Finding, FindingKind
from offsetproof.audit.gold.history import History
from offsetproof.audit.gold.rules.resets import ONE_RESET, REACH, Reset, resets_of

_TICK = 6_000_000

_LOW = (EventKind.COMMIT_SENT, EventKind.COMMIT_BELOW_STORE)
_HELD = (EventKind.QUEUE_ADDED, EventKind.COMMIT_SENT, EventKind.START, EventKind.PULL_ILLEGAL)


def resets_overridden(history: History) -> Iterator[Finding]:
    """Claim I5: after a reset a queue goes on from the target.

    Inferred from what follows the lower offset that the reset brought. Certain: the next start is above it, though
    nobody had the queue between; or it went up to the offset before the reset or beyond, and down again, which no
    consuming does; or, of a reset at the broker, a client goes on above the target without a refusal or a repair, or
    the broker says that it had a higher offset again when the target came. Possible: the next offset that is committed
    is the one before the reset, or one beyond that is faster than the queue was consumed; a listener may have got
    there, too. It does not say which message was lost.
    """
    resets = resets_of(history)
    for number, reset in enumerate(resets):
        until = resets[number + 1].begun if number + 1 < len(resets) else None
        if reset.target is not None:
            marked = _commit_above_target(history, reset, until) or _return_to_target(history, reset, until)
            if marked is not None:
                yield marked
                continue
        landed = landing_of(history, reset)
        if landed is not None:
            yield from _undone(history, reset, landed, until)


def resets_without_effect(histories: Sequence[History]) -> Iterator[Finding]:
    """Claim I6: a reset that is said to have succeeded takes effect on each queue.

    Inferred from commits that go on above the offset before the reset, for longer than a reset may take, with nothing
    lower between, of a reset that the clients carry out. It is possible only, and said if other queues of the topic
    went back: the target of this one may have been where it stood.
    """
    landed = {id(history): [landing_of(history, reset) for reset in resets_of(history)] for history in histories}
    for history in histories:
        for number, reset in enumerate(resets_of(history)):
            elsewhere = any(
                other is not history and other.topic == history.topic and any(landed[id(other)]) for other in histories
            )
            if landed[id(history)][number] is None:
                yield from _nothing(history, reset, elsewhere)


def _nothing(history: History, reset: Reset, elsewhere: bool) -> Iterator[Finding]:
    before = [each for each in history.commits if history.clocks.before(each, reset.begun) is True]
    after = [each for each in history.commits if history.clocks.before(reset.begun, each) is True]
    late = [each for each in after if each.time_from > reset.ended]
    if not before or not late:
        return
    old = before[-1].offset or 0
    seen = [
        *after,
        *(each for each in history.of(EventKind.START, EventKind.PULL_FIXED) if each.time_to > reset.begun.time_from),
    ]
    if reset.target is None and elsewhere and not any((each.offset or 0) < old for each in seen):
        yield history.finding(
            FindingKind.RESET_WITHOUT_EFFECT,
            False,
            f"the queue was at {old} when the reset began, and went on to {late[0].offset}",
            [(before[-1], "commit before"), (reset.begun, "reset"), (late[0], "commit after")],
            "the reset's target for the queue",
            before=old,
            after=late[0].offset,
        )


def landing_of(history: History, reset: Reset) -> tuple[Event, int] | None:
    """The line that shows the reset's lower offset, and the offset before it."""
    before = history.clocks.before
    old: int | None = None
    for event in history.of(*_LOW):
        if event.offset is None or before(reset.begun, event) is not True:
            old = event.offset if event.offset is not None and before(event, reset.begun) else old
            continue
        if event.time_from > reset.ended:
            return None
        if event.kind is EventKind.COMMIT_BELOW_STORE and event.other_offset is not None:
            return _of_client(history, event), event.other_offset
        if old is not None and event.offset < old:
            return event, old
        old = event.offset if old is None else max(old, event.offset)
    return None


def _of_client(history: History, event: Event) -> Event:
    """The client's line of the commit that the broker tells of; the broker's where there is none."""
    for each in history.commits:
        if each.offset == event.offset and abs(each.time_from - event.time_from) <= _TICK + history.clocks.apart:
            return each
    return event


def _undone(history: History, reset: Reset, landed: tuple[Event, int], until: Event | None) -> Iterator[Finding]:
    low, old = landed
    assert low.offset is not None
    later = [
        each
        for each in sorted(history.of(*_HELD, EventKind.COMMIT_BELOW_STORE), key=history.rank)
        if history.clocks.before(low, each) is True and (until is None or history.clocks.before(each, until) is True)
    ]
    found = _started_above(history, low, later) or _went_up_and_down(history, old, later)
    certain = found is not None
    if found is None:
        found = _jump(history, reset, landed, later)
    if found is not None:
        yield history.finding(
            FindingKind.RESET_OVERRIDDEN,
            certain,
            f"the queue was reset to {low.offset} and then was at {found[-1][0].offset or found[0][0].offset} again"
            if len(found) == 1
            else f"the queue was reset to {low.offset}, then was at {found[0][0].offset}, and at {found[1][0].offset}",
            [(reset.begun, "reset"), (low, "offset after the reset"), *found],
            "the listener's own log: did it handle the messages between?",
            target=low.offset,
            before=old,
            after=found[0][0].offset,
        )


def _started_above(history: History, low: Event, later: list[Event]) -> list[tuple[Event, str]] | None:
    """A start above the reset's offset, where nobody can have consumed in between."""
    start = next((each for each in later if each.kind is EventKind.START), None)
    if start is None or start.offset is None or low.offset is None or start.offset <= low.offset:
        return None
    for each in later:
        if each is start or history.clocks.before(start, each) is True:
            continue
        if each.kind is EventKind.QUEUE_ADDED and history.members.owner(each) == history.members.owner(start):
            continue
        if each.offset is not None and each.offset <= low.offset:
            continue
        return None
    others = [
        each
        for each in history.of(EventKind.QUEUE_ADDED, EventKind.START, EventKind.COMMIT_SENT)
        if history.clocks.before(each, low) is None and each is not start and (each.offset or 0) != low.offset
    ]
    return None if others else [(start, "start above the reset")]


def _went_up_and_down(history: History, old: int, later: list[Event]) -> list[tuple[Event, str]] | None:
    before = history.clocks.before
    values = [each for each in later if each.offset is not None and each.kind in (*_LOW, EventKind.START)]
    for number, high in enumerate(values):
        if (high.offset or 0) >= old and high.kind is EventKind.COMMIT_SENT:
            for each in values[number + 1 :]:
                if (each.offset or 0) < old and before(high, each) is True and each.time_from <= high.time_to + REACH:
                    return [(high, "old offset committed"), (each, "offset of the reset again")]
    return None


def _jump(
    history: History, reset: Reset, landed: tuple[Event, int], later: list[Event]
) -> list[tuple[Event, str]] | None:
    """The next offset is the old one, or beyond it and faster than the queue has been consumed before the reset."""
    low, old = landed
    following = [each for each in later if each.kind is EventKind.COMMIT_SENT]
    moved = next((each for each in following if each.offset != low.offset), None)
    if moved is None or moved.offset is None or moved.offset < old or low.offset is None:
        return None
    if moved.offset > old:
        fastest = _fastest(history, reset, low)
        took = max(1, moved.time_to - low.time_from)
        if fastest is None or (moved.offset - low.offset) / took <= 3 * fastest:
            return None
    return [(moved, "old offset or beyond")]


def _commit_above_target(history: History, reset: Reset, until: Event | None) -> Finding | None:
    """A client that goes on above the target of a reset at the broker, as if there had been none."""
    before, mark = history.clocks.before, reset.lines[-1]
    target = reset.target or 0
    for events in history.by_owner.values():
        earlier = [each for each in events if each.kind is EventKind.COMMIT_SENT and before(each, reset.begun) is True]
        after = [each for each in events if before(mark, each) is True and (until is None or before(each, until))]
        same: list[Event] = []
        for each in after:
            if each.kind is not EventKind.COMMIT_SENT or (each.offset or 0) <= target:
                break
            same.append(each)
        if not earlier or not same or same[-1].time_from - mark.time_to < ONE_RESET:
            continue
        last, old = same[-1], earlier[-1].offset or 0
        refused = any(
            each.offset == last.offset and abs(each.time_from - last.time_from) <= _TICK + history.clocks.apart
            for each in history.of(EventKind.COMMIT_REFUSED)
        )
        if old > target and not refused:
            return history.finding(
                FindingKind.RESET_OVERRIDDEN,
                not history.members.is_mixed(last),
                f"the queue was reset from {old} to {target} at the broker, and "
                f"{history.members.name(last)} went on to commit {last.offset}",
                [(earlier[-1], "commit before"), (mark, "marker set"), (last, "commit above the target")],
                "which client of the log wrote the lines",
                target=target,
                before=old,
                after=last.offset,
            )
    return None


def _return_to_target(history: History, reset: Reset, until: Event | None) -> Finding | None:
    """The target comes from the client as a lower offset, though the broker had written it before."""
    before, mark = history.clocks.before, reset.lines[-1]
    for event in history.of(EventKind.COMMIT_BELOW_STORE):
        is_in = before(mark, event) is True and event.time_from <= reset.ended
        if is_in and event.offset == reset.target and (until is None or before(event, until) is True):
            earlier = [each for each in history.commits if before(each, reset.begun) is True]
            if earlier and (event.other_offset or 0) < (earlier[-1].offset or 0):
                return None
            return history.finding(
                FindingKind.RESET_OVERRIDDEN,
                True,
                f"the queue was reset to {reset.target} at the broker, which had {event.other_offset} again "
                "when the client came with the target",
                [(mark, "marker set"), (event, "target below the store")],
                target=reset.target,
                before=earlier[-1].offset if earlier else None,
                after=event.other_offset,
            )
    return None


def _fastest(history: History, reset: Reset, low: Event) -> float | None:
    """The most messages per microsecond that a client committed between two lines, from a minute before the reset.

    None if it is not known.
    """
    rates = []
    last: dict[str, Event] = {}
    for each in history.commits:
        if each.time_from < reset.begun.time_from - REACH or history.clocks.before(each, low) is not True:
            continue
        previous = last.get(each.file)
        if previous is not None and each.time_from > previous.time_from:
            rates.append(((each.offset or 0) - (previous.offset or 0)) / (each.time_from - previous.time_from))
        last[each.file] = each
    return max((each for each in rates if each > 0), default=None)
