"""The page of an audit for a browser: findings first, a timeline for each queue, and the stories that explain them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from msgspec import Meta

from offsetproof.audit.gold.finding import CLAIM_OF, Certainty, Finding, FindingKind
from offsetproof.audit.reports.audit import Audit, ExplanationJson, ReadJson, explanation_json, queue_name, read_json_of
from offsetproof.audit.reports.queue_pictures import QueueKey, QueuePicture
from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.replaying import replay_trace
from offsetproof.reading.typed_json import Count, JsonObject, Name, Names
from offsetproof.reports.file_names import file_name
from offsetproof.reports.html.data import PageJson
from offsetproof.reports.html.folder import INDEX, shown_html
from offsetproof.reports.html.pages import audit_page
from offsetproof.reports.json import envelope
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.trace import Trace
from offsetproof.verdict.phrases import quantity

TEXT_MAX = 400
"""How much of a line the page shows."""

Milliseconds = Annotated[int, Meta(description="Since `since` of the page.")]
Lane = Annotated[int, Meta(ge=-1, description="A client's place in `lanes`; -1: no client's.")]


class TimelineJson(JsonObject):
    """One queue."""

    group: str | None
    topic: str | None
    broker: str | None
    queue: Count | None
    lanes: Names
    spans: Annotated[
        tuple[tuple[Lane, Milliseconds, Milliseconds, bool], ...],
        Meta(description="Who had it, from when to when, and whether its end is seen."),
    ]
    points: Annotated[
        tuple[tuple[Milliseconds, int, Lane, str], ...], Meta(description="Offsets, each with the kind of its event.")
    ]
    marks: tuple[tuple[Milliseconds, str, Lane, int | None], ...]


class PageEvidenceJson(JsonObject):
    """A line of evidence."""

    file: str
    line: Count
    role: str
    text: str


class PageFindingJson(JsonObject):
    """A finding; `timeline` and `explanation` are places in the page's lists."""

    kind: FindingKind
    claim: str | None
    certainty: Certainty
    where: str
    group: str | None
    timeline: Count | None
    begin: Milliseconds
    end: Milliseconds
    says: str
    decided_by: str | None
    evidence: tuple[PageEvidenceJson, ...]
    explanation: Count


class AuditPageJson(PageJson):
    """Version 1 of the data of an audit's page."""

    page: Literal["audit"]
    headline: str
    read: ReadJson
    notes: Names
    since: Annotated[int, Meta(description="Milliseconds since 1970 UTC.")]
    findings: tuple[PageFindingJson, ...]
    explanations: tuple[ExplanationJson, ...]
    stories: Annotated[dict[str, Name], Meta(description="The page of each story.")]
    timelines: tuple[TimelineJson, ...]


Stories = Mapping[str, Trace]
"""The traces of stories by name, beside those that are recorded."""


def audit_pages(audit: Audit, lines: Mapping[QueueKey, QueuePicture], found: Stories) -> Iterator[tuple[str, str]]:
    """The files of the report, each with its text: a page for each story that explains something, the index last."""
    stories = dict.fromkeys(story.cause.story for each in audit.found for story in each.explanation.stories)
    names = {story: f"{file_name(story, [INDEX.removesuffix('.html')])}.html" for story in stories}
    for story, name in names.items():
        trace = found.get(story) or recorded_stories()[story]
        yield name, shown_html(trace, replay_trace(trace))
    yield INDEX, audit_page(page_json(audit, lines, names))


def page_json(audit: Audit, lines: Mapping[QueueKey, QueuePicture], pages: Mapping[str, str]) -> AuditPageJson:
    """All that the page shows."""
    since = _since(audit, lines)
    order = _in_order(audit, lines)
    place = {key: number for number, key in enumerate(order)}
    explanations: dict[ExplanationJson, int] = {}
    findings = []
    for each in audit.found:
        explained = explanation_json(each.explanation, with_lines=False)
        number = explanations.setdefault(explained, len(explanations))
        findings.append(_finding(each.finding, place.get(key_of(each.finding)), number, since))
    certain = sum(each.finding.certainty is Certainty.CERTAIN for each in audit.found)
    return AuditPageJson(
        **envelope(DEFAULT),
        page="audit",
        headline=f"{quantity(len(audit.found), 'finding')}, {certain} certain, in {quantity(len(order), 'queue')}",
        read=read_json_of(audit.read),
        notes=audit.notes,
        since=since // 1000,
        findings=tuple(findings),
        explanations=tuple(explanations),
        stories=dict(pages),
        timelines=tuple(_timeline(lines[key], since) for key in order),
    )


def key_of(finding: Finding) -> QueueKey:
    """The queue of a finding."""
    return finding.group, finding.topic, finding.broker, finding.queue


def _in_order(audit: Audit, lines: Mapping[QueueKey, QueuePicture]) -> list[QueueKey]:
    """Queues with findings first, in their order, then all others by name."""
    with_findings = dict.fromkeys(key for each in audit.found if (key := key_of(each.finding)) in lines)
    others = sorted((key for key in lines if key not in with_findings), key=lambda key: tuple(map(_sortable, key)))
    return [*with_findings, *others]


def _sortable(part: str | int | None) -> tuple[bool, int, str]:
    return part is None, part if isinstance(part, int) else 0, part if isinstance(part, str) else ""


def _since(audit: Audit, lines: Mapping[QueueKey, QueuePicture]) -> int:
    """The earliest time that the page has, in microseconds."""
    times = [each.finding.time_from for each in audit.found]
    for line in lines.values():
        times += [span.begin for span in line.spans[:1]]
        times += [point.time for point in line.points[:1]]
        times += [mark.time for mark in line.marks[:1]]
    return min(times, default=0)


def _finding(finding: Finding, timeline: int | None, explanation: int, since: int) -> PageFindingJson:
    evidence = tuple(
        PageEvidenceJson(file=each.file, line=each.line, role=each.role, text=each.text[:TEXT_MAX])
        for each in finding.evidence
    )
    return PageFindingJson(
        kind=finding.kind,
        claim=CLAIM_OF[finding.kind],
        certainty=finding.certainty,
        where=queue_name(finding),
        group=finding.group,
        timeline=timeline,
        begin=(finding.time_from - since) // 1000,
        end=(finding.time_to - since) // 1000,
        says=finding.says,
        decided_by=finding.decided_by,
        evidence=evidence,
        explanation=explanation,
    )


def _timeline(line: QueuePicture, since: int) -> TimelineJson:
    group, topic, broker, queue = line.key

    def at(time: int) -> int:
        return (time - since) // 1000

    return TimelineJson(
        group=group,
        topic=topic,
        broker=broker,
        queue=queue,
        lanes=tuple(line.lanes),
        spans=tuple((each.lane, at(each.begin), at(each.end), each.is_closed) for each in line.spans),
        points=tuple((at(each.time), each.offset, each.lane, str(each.kind)) for each in line.points),
        marks=tuple((at(each.time), str(each.kind), each.lane, each.offset) for each in line.marks),
    )
