"""The findings of an audit as SARIF: a rule per kind, a result per finding, located at its deciding line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from offsetproof.audit.gold.finding import CLAIM_OF, Certainty, Evidence, Finding
from offsetproof.audit.reports.audit import Audit, Explained, explanation_lines, queue_name
from offsetproof.reports.sarif import document
from offsetproof.verdict.phrases import quantity

UNREAD = "file-not-read"
"""The rule that every file is read."""

_LEVEL = {Certainty.CERTAIN: "error", Certainty.POSSIBLE: "warning"}


def audit_sarif(audit: Audit) -> str:
    """The whole document."""
    rules: dict[str, dict[str, Any]] = {}
    for each in audit.found:
        kind, claim = each.finding.kind, CLAIM_OF[each.finding.kind]
        about = f"{kind.replace('-', ' ')}, which claim {claim} says must not be" if claim else kind.replace("-", " ")
        rules[kind] = {"id": str(kind), "shortDescription": {"text": about}}
    results = [_result(each) for each in audit.found]
    unread = [*_not_read(audit)]
    if unread:
        rules[UNREAD] = {"id": UNREAD, "shortDescription": {"text": "Every file that is named is read."}}
        results += unread
    return document("audit", [*rules.values()], results)


def _result(each: Explained) -> dict[str, Any]:
    finding = each.finding
    parts = [f"{queue_name(finding)}: {finding.says}", *explanation_lines(each.explanation)]
    if finding.decided_by:
        parts.insert(1, f"would be decided by {finding.decided_by}")
    result: dict[str, Any] = {
        "ruleId": str(finding.kind),
        "kind": "fail",
        "level": _LEVEL[finding.certainty],
        "message": {"text": "\n".join(part.strip() for part in parts)},
        "partialFingerprints": {"finding/v1": _fingerprint(finding)},
        "properties": {
            "certainty": str(finding.certainty),
            "explanation": str(each.explanation.outcome),
            "explainedBy": [story.cause.story for story in each.explanation.stories],
        },
    }
    if finding.evidence:
        result["locations"] = [_location(finding.evidence[-1])]
        result["relatedLocations"] = [
            {"id": number, **_location(line)} for number, line in enumerate(finding.evidence, 1)
        ]
    return result


def _not_read(audit: Audit) -> Iterator[dict[str, Any]]:
    """What the text of the report says of files and lines that were not read."""
    read = audit.read
    for file, why in read.unreadable:
        yield _unread(why, file)
    for file in read.unfinished:
        yield _unread("its last line has no end yet, and is read next time", file)
    for file, lines in read.malformed:
        yield _unread(f"damaged: {quantity(lines, 'line')}", file)
    for note in audit.notes:
        yield _unread(note)


def _unread(why: str, file: str = "") -> dict[str, Any]:
    result: dict[str, Any] = {"ruleId": UNREAD, "kind": "fail", "level": "warning", "message": {"text": why}}
    place = {"physicalLocation": {"artifactLocation": {"uri": quote(file)}}}
    return {**result, "locations": [place]} if file else result


def _location(line: Evidence) -> dict[str, Any]:
    region: dict[str, Any] = {
        "startLine": max(1, line.line),
        "byteOffset": line.byte_offset,
        "byteLength": line.byte_length,
    }
    if line.text:
        region["snippet"] = {"text": line.text}
    return {
        "physicalLocation": {"artifactLocation": {"uri": quote(line.file)}, "region": region},
        "message": {"text": line.role},
    }


def _fingerprint(finding: Finding) -> str:
    """What stays the same when the same logs are read again, with more lines behind them."""
    where = (finding.kind, finding.group, finding.topic, finding.broker, finding.queue, finding.time_from)
    values = sorted(finding.values.items())
    return hashlib.sha256(repr((tuple(map(str, where)), values)).encode()).hexdigest()[:32]
