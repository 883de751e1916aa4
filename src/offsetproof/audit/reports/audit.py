"""What an audit found, for people and programs: a table of findings, each with evidence and explanation, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated

from msgspec import Meta

from offsetproof.audit.explain.explaining import Explanation, ExplanationOutcome, Told
from offsetproof.audit.explain.matching import Place
from offsetproof.audit.gold.finding import CLAIM_OF, Certainty, Evidence, Finding, FindingKind, counts_for
from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.causes import Cause
from offsetproof.reading.typed_json import Count, Int64, JsonObject, Name, Names, write_json
from offsetproof.reports.json import DocumentJson, envelope
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.phrases import quantity


@dataclass(frozen=True)
class Read:
    """What was read: files, lines and what they were, and the files that could not be read, each with its reason.

    `malformed` are files with damaged lines, and how many each has. `unfinished` are files whose last line has no end
    yet; it is read next time. `by` says who has read: Spark, or this machine alone.
    """

    files: int
    lines: int
    events: int
    unknown: int = 0
    malformed: tuple[tuple[str, int], ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()
    unfinished: tuple[str, ...] = ()
    unknown_shapes: tuple[tuple[str, int], ...] = ()
    by: str = "this process"

    @property
    def malformed_lines(self) -> int:
        """How many lines are damaged, in all files."""
        return sum(lines for _, lines in self.malformed)


@dataclass(frozen=True)
class Explained:
    """A finding and its explanation."""

    finding: Finding
    explanation: Explanation


@dataclass(frozen=True)
class Audit:
    """What an audit found, the certain and most urgent first."""

    read: Read
    found: tuple[Explained, ...]
    notes: tuple[str, ...] = field(default=())


def in_order(found: Sequence[Explained]) -> tuple[Explained, ...]:
    """What breaks a claim first, certain before possible, then by group, topic, queue and time."""

    def order(each: Explained) -> tuple[object, ...]:
        finding = each.finding
        where = (finding.group or "", finding.topic or "", finding.broker or "")
        queue = -1 if finding.queue is None else finding.queue
        is_by_design = each.explanation.outcome is ExplanationOutcome.NO_CLAIM
        return (
            is_by_design,
            finding.certainty is not Certainty.CERTAIN,
            *where,
            queue,
            finding.time_from,
            finding.kind,
        )

    return tuple(sorted(found, key=order))


def exit_of_audit(audit: Audit, fail_on: Certainty | None) -> Exit:
    """12 where a finding is as certain as `fail_on` says, or more.

    150 where nothing at all could be read; 30 where what was read says nothing of offsets, as no finding means nothing.
    """
    read = audit.read
    if read.unreadable and not (read.files and (read.events or read.unknown or read.malformed)):
        return Exit.UNREADABLE
    if not read.events:
        return Exit.UNKNOWN
    is_met = any(counts_for(each.finding.certainty, fail_on) for each in audit.found)
    return Exit.VIOLATION if is_met else Exit.AS_EXPECTED


class EvidenceJson(JsonObject):
    """A line that shows a finding."""

    file: str
    line: Count
    byte_offset: Count
    byte_length: Count
    role: str
    text: str


class StepLineJson(JsonObject):
    """A step of the story and the line that shows it."""

    step: Annotated[int, Meta(ge=1)]
    file: str
    byte_offset: Count


class StoryToldJson(JsonObject):
    """A story that the lines show."""

    story: Name
    subject: Name
    case: Name
    claim: Name
    cause: str
    searched: Annotated[bool, Meta(description="true: it is not recorded; a search found it.")]
    matched: Count
    observable: Annotated[Count, Meta(description="How many of its steps leave lines.")]
    lines: tuple[StepLineJson, ...]
    happens_in: Annotated[Names, Meta(description="The releases in which the very steps happen.")]
    refuted_in: Annotated[Names, Meta(description="Those in which the case is refuted, perhaps by other steps.")]
    holds_in: Names
    now: Annotated[Names, Meta(description="What an operator can do.")]
    changes: Annotated[Names, Meta(description="What a change of RocketMQ mends.")]
    faults: Count
    stall: float | None
    effect: str


class ExplanationJson(JsonObject):
    """Why it happened, as far as the model knows."""

    outcome: ExplanationOutcome
    release: str | None
    detail: str
    stories: tuple[StoryToldJson, ...]
    also: Annotated[Names, Meta(description="Stories that the lines agree with as well.")]


FROM_TIME = {"format": "date-time"}
Time = Annotated[str, Meta(extra_json_schema=FROM_TIME)]


class AuditFindingJson(JsonObject):
    """What happened to a queue, or to a group."""

    kind: FindingKind
    claim: str | None
    certainty: Certainty
    group: str | None
    topic: str | None
    broker: str | None
    queue: Count | None
    time_from: Time
    time_to: Time
    says: str
    values: dict[str, Int64]
    decided_by: str | None
    evidence: tuple[EvidenceJson, ...]
    explained_by: Annotated[str | None, Meta(description="The story that is seen best; null where there is none.")]
    explanation: ExplanationJson


class UnreadableJson(JsonObject):
    """A file that could not be read."""

    file: str
    reason: str


class MalformedJson(JsonObject):
    """A file with damaged lines."""

    file: str
    lines: Count


class ReadJson(JsonObject):
    """What was read."""

    by: Annotated[str, Meta(description="This process, workers of this machine, or Spark at a master.")]
    files: Count
    lines: Count
    events: Count
    unknown: Count
    malformed: Count
    malformed_in: tuple[MalformedJson, ...]
    unreadable: tuple[UnreadableJson, ...]
    unfinished: Names
    unknown_shapes: Annotated[
        tuple[tuple[str, Count], ...],
        Meta(description="What unknown lines look like, the most frequent first: digits are N, names are *."),
    ]


class AuditJson(DocumentJson):
    """Version 1 of the report of an audit."""

    read: ReadJson
    notes: Names
    findings: tuple[AuditFindingJson, ...]


def audit_json(audit: Audit) -> str:
    """The whole document."""
    findings = tuple(map(finding_json, audit.found))
    return write_json(
        AuditJson(**envelope(DEFAULT), read=read_json_of(audit.read), notes=audit.notes, findings=findings)
    )


def read_json_of(read: Read) -> ReadJson:
    """What was read as an object of the report."""
    return ReadJson(
        by=read.by,
        files=read.files,
        lines=read.lines,
        events=read.events,
        unknown=read.unknown,
        malformed=read.malformed_lines,
        malformed_in=tuple(MalformedJson(file=file, lines=lines) for file, lines in read.malformed),
        unreadable=tuple(UnreadableJson(file=file, reason=why) for file, why in read.unreadable),
        unfinished=read.unfinished,
        unknown_shapes=read.unknown_shapes,
    )


def finding_json(each: Explained) -> AuditFindingJson:
    """A finding as an object of the report."""
    finding, explanation = each.finding, each.explanation
    best = explanation.stories[0].cause.story if explanation.stories else None
    return AuditFindingJson(
        kind=finding.kind,
        claim=CLAIM_OF[finding.kind],
        certainty=finding.certainty,
        group=finding.group,
        topic=finding.topic,
        broker=finding.broker,
        queue=finding.queue,
        time_from=instant(finding.time_from),
        time_to=instant(finding.time_to),
        says=finding.says,
        values=finding.values,
        decided_by=finding.decided_by,
        evidence=tuple(map(_evidence_json, finding.evidence)),
        explained_by=best,
        explanation=explanation_json(explanation),
    )


def _evidence_json(each: Evidence) -> EvidenceJson:
    return EvidenceJson(
        file=each.file,
        line=each.line,
        byte_offset=each.byte_offset,
        byte_length=each.byte_length,
        role=each.role,
        text=each.text,
    )


def explanation_json(explanation: Explanation, *, with_lines: bool = True) -> ExplanationJson:
    """An explanation as an object of the report; `with_lines` says which line shows each step."""
    return ExplanationJson(
        outcome=explanation.outcome,
        release=explanation.release,
        detail=explanation.detail,
        stories=tuple(_told_json(story, story.lines if with_lines else ()) for story in explanation.stories),
        also=explanation.also,
    )


def _told_json(story: Told, lines: Sequence[tuple[int, Place]]) -> StoryToldJson:
    cause = story.cause
    return StoryToldJson(
        story=cause.story,
        subject=cause.subject,
        case=cause.case,
        claim=cause.claim,
        cause=cause.sentence,
        searched=story.searched,
        matched=story.matched,
        observable=story.observable,
        lines=tuple(StepLineJson(step=step, file=file, byte_offset=at) for step, (file, at) in lines),
        happens_in=cause.happens_in,
        refuted_in=cause.refuted_in,
        holds_in=cause.holds_in,
        now=cause.now,
        changes=cause.changes,
        faults=cause.faults,
        stall=cause.stall,
        effect=cause.effect,
    )


def instant(microseconds: int) -> str:
    """A time in UTC, to the millisecond.

    >>> instant(1_700_000_000_123_456)
    '2023-11-14T22:13:20.123Z'
    """
    when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    return f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03}Z"


def queue_name(finding: Finding) -> str:
    """The queue as people read it, or what of it is known.

    >>> from offsetproof.audit.gold.finding import *
    >>> f = Finding(FindingKind.TWO_OWNERS, Certainty.CERTAIN, "g", "t", "b", 3, 0, 0, "", ())
    >>> queue_name(f)
    'group g, topic t, queue b:3'
    """
    parts = [f"group {finding.group}"] if finding.group else []
    parts += [f"topic {finding.topic}"] if finding.topic else []
    if finding.queue is not None:
        parts.append(f"queue {finding.broker}:{finding.queue}" if finding.broker else f"queue {finding.queue}")
    elif finding.broker:
        parts.append(f"broker {finding.broker}")
    return ", ".join(parts) or "no group is named"


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """An explanation in words: what happened, in which releases, and what to do."""
    match explanation.outcome:
        case ExplanationOutcome.NO_CLAIM:
            yield explanation.detail or "no claim says that this must not be"
        case ExplanationOutcome.NOT_EXPLAINED:
            yield f"not explained by any modelled cause: {explanation.detail}"
        case ExplanationOutcome.UNKNOWN:
            yield f"UNKNOWN whether a modelled cause explains it: {explanation.detail}"
        case ExplanationOutcome.EXPLAINED:
            yield from _told_lines("explained by", explanation.stories[0])
        case ExplanationOutcome.CONSISTENT:
            many = len(explanation.stories) > 1
            yield f"consistent with what follows; {'the lines cannot tell which' if many else 'the lines say little'}:"
            for story in explanation.stories:
                yield from _told_lines("-", story)
    if explanation.also:
        yield f"the lines agree as well with: {', '.join(explanation.also)}"


def _told_lines(how: str, story: Told) -> Iterator[str]:
    cause = story.cause
    seen = f"{story.matched} of {quantity(story.observable, 'line')} seen"
    yield f"{how} {cause.story} ({cause.claim}, {seen}): {cause.sentence}"
    yield from _releases(cause)
    for act in cause.now:
        yield f"  what to do now: {act}"
    for change in cause.changes:
        yield f"  a change that mends it: {change}"


def _releases(cause: Cause) -> Iterator[str]:
    yield f"  these very steps happen in {', '.join(cause.happens_in) or 'no release that is modelled'}"
    held = f"; holds in {', '.join(cause.holds_in)}" if cause.holds_in else ""
    yield f"  {cause.case} is refuted in {', '.join(cause.refuted_in) or 'no release'}{held}"
