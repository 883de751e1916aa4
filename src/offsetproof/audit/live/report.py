"""What a watch has seen, for people and programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from textwrap import wrap
from typing import Annotated

from msgspec import Meta

from offsetproof.audit.event import Event
from offsetproof.audit.explain.explaining import Explainer, Explanation, ExplanationOutcome
from offsetproof.audit.gold.finding import CLAIM_OF, Certainty, Finding, counts_for
from offsetproof.audit.live.conditions import Condition, Direction, Met, Safety, model_release
from offsetproof.audit.live.following import Fate, Landed
from offsetproof.audit.live.watching import Watch, fate_of, summary_of
from offsetproof.audit.reports.audit import (
    AuditFindingJson,
    Explained,
    explanation_lines,
    finding_json,
    instant,
    queue_name,
)
from offsetproof.checking.catalogue import DEFAULT
from offsetproof.escaping import visible
from offsetproof.reading.typed_json import Count, Int64, JsonObject, Name, Names, Seconds, write_json
from offsetproof.reports.json import DocumentJson, envelope
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.phrases import quantity

AROUND = 120_000_000
"""How far from a finding, in microseconds, events explain it."""


def exit_of_watch(watch: Watch, fail_on: Certainty | None) -> Exit:
    """12 where a reset came undone, or a finding is as certain as asked; 30 where a reset would not be safe, or it is
    not known yet what became of it: the claims that hold do not speak of this cluster then, which is no violation. 30
    as well where a broker does not answer in the end: nothing is known of it."""
    codes = [Exit.VIOLATION] if any(counts_for(each.certainty, fail_on) for each in watch.findings) else []
    if watch.following is not None and watch.following.landed:
        fates = {each.fate for each in watch.following.landed.values()}
        codes.append(
            Exit.VIOLATION if Fate.UNDONE in fates else Exit.UNKNOWN if fates != {Fate.STAYED} else Exit.AS_EXPECTED
        )
    elif watch.wanted.before_reset is not None:
        safe = watch.safety is not None and watch.safety.is_safe
        codes.append(Exit.AS_EXPECTED if safe else Exit.UNKNOWN)
    if watch.poller.silent:
        codes.append(Exit.UNKNOWN)
    return worst(codes)


class BrokerJson(JsonObject):
    """A broker of the group."""

    name: Name
    address: str
    release: str
    resets_at_broker: bool
    answers: bool
    members: Count


class ConditionJson(JsonObject):
    """What a case rests on, and what was seen of it."""

    name: Name
    about: str
    met: Met
    seen: str
    todo: str


class SafetyJson(JsonObject):
    """Whether a reset would be safe now."""

    direction: Direction
    safe: bool
    release: str
    subject: str | None
    case: Annotated[str | None, Meta(description="The case that says so; null where none speaks of the release.")]
    why_not: str
    conditions: tuple[ConditionJson, ...]


class LandedJson(JsonObject):
    """A queue whose offset has jumped."""

    topic: str | None
    broker: str | None
    queue: Count | None
    before: Int64 | None
    target: Int64 | None
    fate: Fate
    undone_by: Annotated[Names, Meta(description="Recorded stories that need what was seen, and no more.")]


class WatchJson(DocumentJson):
    """Version 1 of what a watch has seen."""

    group: Name
    topic: str | None
    release: Annotated[str, Meta(description="Of the client classes that asked.")]
    cluster: Annotated[str, Meta(description="What the model takes the cluster for; empty where brokers differ.")]
    seconds: Seconds
    polls: Count
    requests: Count
    requests_per_second: Seconds
    longest_poll: Seconds
    brokers: tuple[BrokerJson, ...]
    clients: Names
    before_reset: SafetyJson | None
    reset: tuple[LandedJson, ...]
    not_reset: Names
    findings: tuple[AuditFindingJson, ...]


class Report:
    """A watch that has ended, with its findings explained."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    @cached_property
    def explained(self) -> tuple[Explained, ...]:
        """The findings, each with the stories that fit."""
        watch = self.watch
        release = model_release(watch.poller)
        explainer = Explainer(self._around, _precedes, release if "=" not in release and release else None)
        return tuple(Explained(each, _by_polls(explainer.explain(each))) for each in watch.findings)

    def _around(self, finding: Finding) -> list[Event]:
        near = finding.time_from - AROUND, finding.time_to + AROUND
        return [
            event
            for event in self.watch.events
            if near[0] <= event.time_from <= near[1] and event.queue in (finding.queue, None)
        ]


def _by_polls(explanation: Explanation) -> Explanation:
    """Polls show few of a story's lines: that none fits says nothing of the model, as it would of logs."""
    if explanation.outcome not in (ExplanationOutcome.NOT_EXPLAINED, ExplanationOutcome.UNKNOWN):
        return explanation
    return replace(explanation, outcome=ExplanationOutcome.UNKNOWN, detail=_LOGS_TELL)


_LOGS_TELL = "polls show too little of it; `offsetproof audit` of the clients' and the broker's logs may tell"


def _precedes(first: Event, second: Event) -> bool:
    return first.line < second.line


def watch_json(report: Report) -> str:
    """The whole document."""
    watch = report.watch
    return write_json(
        WatchJson(
            **envelope(DEFAULT),
            group=watch.wanted.group,
            topic=watch.wanted.topic,
            release=watch.release,
            cluster=model_release(watch.poller),
            seconds=_seconds(watch),
            polls=watch.poller.polls,
            requests=watch.poller.requests,
            requests_per_second=round(watch.requests_per_second, 3),
            longest_poll=round(watch.longest_poll, 3),
            brokers=tuple(
                BrokerJson(
                    name=each.name,
                    address=each.address,
                    release=each.release,
                    resets_at_broker=each.resets_at_broker,
                    answers=each.answers,
                    members=len(each.members.clients),
                )
                for each in watch.poller.brokers.values()
            ),
            clients=tuple(sorted(watch.poller.clients)),
            before_reset=None if watch.safety is None else _safety_json(watch.safety),
            reset=tuple(map(_landed_json, _resets_of(watch))),
            not_reset=_not_reset(watch),
            findings=tuple(map(finding_json, report.explained)),
        )
    )


def _seconds(watch: Watch) -> float:
    return round((watch.ended - watch.started) / 1e6, 3)


def _resets_of(watch: Watch) -> tuple[Landed, ...]:
    return () if watch.following is None else tuple(watch.following.landed.values())


def _not_reset(watch: Watch) -> Names:
    offsets = {queue: row.offset for queue, row in watch.poller.rows.items()}
    return () if watch.following is None else tuple(watch.following.not_reset(offsets))


def _safety_json(safe: Safety) -> SafetyJson:
    return SafetyJson(
        direction=safe.direction,
        safe=safe.is_safe,
        release=safe.release,
        subject=None if safe.way is None else safe.way.subject,
        case=None if safe.way is None else safe.way.case,
        why_not=safe.why_not,
        conditions=tuple(
            ConditionJson(name=each.name, about=each.about, met=each.met, seen=each.seen, todo=each.todo)
            for each in safe.conditions
        ),
    )


def _landed_json(each: Landed) -> LandedJson:
    return LandedJson(
        topic=each.after.topic,
        broker=each.after.broker,
        queue=each.after.queue,
        before=each.before.offset,
        target=each.after.offset,
        fate=each.fate,
        undone_by=each.undone_by,
    )


def finding_line(finding: Finding) -> str:
    """A finding in one line, as it appears."""
    claim = f" ({CLAIM_OF[finding.kind]})" if CLAIM_OF[finding.kind] else ""
    where = f"{finding.certainty} {finding.kind}{claim}: {queue_name(finding)}"
    return f"{instant(finding.time_to)} {where}: {finding.says}"


def watch_text(report: Report, width: int) -> str:
    """What the watch came to: totals, what explains each finding, and whether a reset is safe."""
    watch = report.watch
    certain = sum(each.certainty is Certainty.CERTAIN for each in watch.findings)
    lines = [
        f"{quantity(len(watch.findings), 'finding')}, {certain} certain, in {_seconds(watch):.0f} s of group "
        f"{watch.wanted.group} ({model_release(watch.poller) or 'no release, or several'})",
        f"{quantity(watch.poller.polls, 'poll')}, {quantity(watch.poller.requests, 'request')}, "
        f"{watch.requests_per_second:.1f} per second",
        *(f"broker {name} does not answer: nothing is known of it since" for name in watch.poller.silent),
    ]
    for each in report.explained:
        lines += ["", *wrap(finding_line(each.finding), width, subsequent_indent="  ")]
        for words in explanation_lines(each.explanation):
            lines += wrap(words.strip(), width, initial_indent="  ", subsequent_indent="    ")
    for landed in _resets_of(watch):
        lines.append(f"reset {fate_of(landed)}")
    if queues := _not_reset(watch):
        lines += wrap(f"not seen to be reset: {', '.join(queues)}", width, subsequent_indent="  ")
    if watch.safety is not None and not _resets_of(watch):
        lines += ["", *_safety_lines(watch.safety, width)]
    return visible("\n".join(lines)) + "\n"


def _safety_lines(safe: Safety, width: int) -> Iterator[str]:
    yield from wrap(summary_of(safe), width, subsequent_indent="  ")
    for each in safe.conditions:
        yield from wrap(_condition(each), width, initial_indent="  ", subsequent_indent="      ")


def _condition(each: Condition) -> str:
    seen = f" ({each.seen})" if each.seen else ""
    todo = f"; {each.todo}" if each.todo else ""
    return f"{each.met:<6}{each.name}: {each.about}{seen}{todo}"
