"""Reports of an audit: text, JSON by its schema, and SARIF; all with evidence, explanation and what to do."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from audit.audits import READ, small_audit
from audit.made import finding, logged, precedes
from jsonschema import Draft202012Validator

from offsetproof.audit.explain.explaining import Explainer
from offsetproof.audit.gold.finding import Certainty, FindingKind
from offsetproof.audit.reports.audit import Audit, Explained, Read, audit_json, exit_of_audit
from offsetproof.audit.reports.sarif import audit_sarif
from offsetproof.audit.reports.text import audit_text
from offsetproof.cli.schema_verb import schema_of
from offsetproof.verdict.exits import Exit


@pytest.fixture(scope="module")
def audit() -> Audit:
    return small_audit()


def test_text_says_what_happened_why_where_and_what_to_do(audit: Audit) -> None:
    text = audit_text(audit, 80)
    assert text.startswith("4 findings, 3 certain; 3 files, 120 lines, 40 events, read by this process\n")
    assert "reset-overridden            I5            1         1\n" in text
    assert "reset-overridden (I5), certain: group orders, topic trades, queue broker-a:3\n" in text
    assert "explained by I5-late-poll (backward-reset-stays, 6 of 6 lines seen): a long" in text
    assert "these very steps happen in 4.9.4, 4.9.8, 5.3.3-client-reset\n" in text
    assert "I5 is refuted in 4.9.4, 4.9.8, 5.3.3-client-reset, 5.3.3, 5.5.0\n" in text
    assert "a change that mends it: poll-checks-dropped" in text
    assert "not explained by any modelled cause" in text
    assert "the lines cannot tell which" in text
    assert "by design" in text
    assert "  70 lines say nothing of offsets, 10 are damaged\n" in text
    assert "\ndamaged: broker.log: 9 lines\ndamaged: app0.log: 1 line\nnot read: x.log: permission denied\n" in text
    assert "a note" in text


@pytest.mark.parametrize("width", [1, 40, 80, 120])
def test_no_line_is_wider_than_the_page_but_for_words_that_are(audit: Audit, width: int) -> None:
    for line in audit_text(audit, width).splitlines():
        assert len(line) <= width or " " not in line.strip() or width < 80, line


def test_a_line_of_evidence_is_folded_so_that_its_offset_is_read(audit: Audit) -> None:
    """At 80 columns the head alone of a 5.x line takes a row: date, thread and logger."""
    head = "2026-11-28 23:02:35.791 INFO  [7974] [MQClientFactoryScheduledThread] [o.a.r.c.c.s.RemoteBrokerOffsetStore]"
    line = f"{head} - [persistAll] Group: billing ClientId: 10.0.0.1@7974 MessageQueue [topic=orders, queueId=0] 235"
    first = audit.found[0].finding
    found = replace(first, evidence=(replace(first.evidence[0], text=line),))
    rows = audit_text(replace(audit, found=(replace(audit.found[0], finding=found),)), 80).splitlines()
    begin = next(number for number, row in enumerate(rows) if "23:02:35.791" in row)
    assert " ".join(row.strip() for row in rows[begin : begin + 3]) == line

    endless = replace(found, evidence=(replace(first.evidence[0], text="xxx " * 500),))
    rows = audit_text(replace(audit, found=(replace(audit.found[0], finding=endless),)), 80).splitlines()
    assert [row.endswith("...") for row in rows if "xxx" in row] == [False] * 4 + [True]


def test_files_that_are_not_read_for_one_reason_are_one_line_with_a_count_and_examples(audit: Audit) -> None:
    copies = tuple((f"{name}.bak", f"all of it is in another file as well: {name}") for name in "abcde")
    text = audit_text(replace(audit, read=replace(READ, unreadable=(*READ.unreadable, *copies))), 400)
    assert [row for row in text.splitlines() if row.startswith("not read")] == [
        "not read: x.log: permission denied",
        "not read: 5 files: all of it is in another file as well: a.bak (a); b.bak (b); c.bak (c); and 2 more",
    ]


def test_json_is_of_its_schema(audit: Audit) -> None:
    document = json.loads(audit_json(audit))
    Draft202012Validator(schema_of("audit")).validate(document)
    by_kind: dict[str, list[Any]] = {}
    for each in document["findings"]:
        by_kind.setdefault(each["kind"], []).append(each)
    overridden = by_kind["reset-overridden"][0]
    assert (overridden["claim"], overridden["certainty"], overridden["queue"]) == ("I5", "certain", 3)
    assert overridden["explained_by"] == "I5-late-poll"
    assert overridden["time_from"] < overridden["time_to"] < "2026"
    assert {line["file"] for line in overridden["evidence"]} == {"app0/rocketmq_client.log"}
    assert by_kind["commit-refused-after-reset"][0]["explained_by"] is None
    assert document["read"]["malformed"] == 10
    assert document["read"]["malformed_in"] == [{"file": "broker.log", "lines": 9}, {"file": "app0.log", "lines": 1}]
    assert document["read"]["unreadable"] == [{"file": "x.log", "reason": "permission denied"}]


def test_sarif_has_a_rule_per_kind_and_a_place_per_finding(audit: Audit) -> None:
    run = json.loads(audit_sarif(audit))["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        *dict.fromkeys(str(each.finding.kind) for each in audit.found),
        "file-not-read",
    ]
    levels = {result["level"] for result in run["results"]}
    assert levels == {"error", "warning"}
    first = run["results"][0]
    assert first["locations"][0]["physicalLocation"]["region"]["startLine"] > 0
    prints = [result.get("partialFingerprints", {}).get("finding/v1") for result in run["results"]]
    assert len({*prints} - {None}) == len(audit.found)


def test_sarif_says_all_that_was_not_read(audit: Audit) -> None:
    run = json.loads(audit_sarif(audit))["runs"][0]
    said = [result["message"]["text"] for result in run["results"] if result["ruleId"] == "file-not-read"]
    assert said == [
        "permission denied",
        "its last line has no end yet, and is read next time",
        "damaged: 9 lines",
        "damaged: 1 line",
        "a note",
    ]


def test_exit_codes_follow_certainty_and_what_was_read(audit: Audit) -> None:
    possible = Audit(READ, tuple(each for each in audit.found if each.finding.certainty is Certainty.POSSIBLE))
    assert exit_of_audit(audit, None) is Exit.AS_EXPECTED
    assert exit_of_audit(audit, Certainty.CERTAIN) is Exit.VIOLATION
    assert exit_of_audit(possible, Certainty.CERTAIN) is Exit.AS_EXPECTED
    assert exit_of_audit(possible, Certainty.POSSIBLE) is Exit.VIOLATION
    nothing = Read(0, 0, 0, unreadable=(("x.log", "permission denied"),))
    assert exit_of_audit(Audit(nothing, ()), Certainty.POSSIBLE) is Exit.UNREADABLE
    damaged = Read(1, 3, 0, unreadable=(("consumerOffset.json", "it is damaged"),))
    assert exit_of_audit(Audit(damaged, ()), None) is Exit.UNREADABLE


def test_certain_findings_come_first_and_what_breaks_no_claim_last(audit: Audit) -> None:
    *rest, last = [each.finding for each in audit.found]
    assert last.kind is FindingKind.COMMIT_REFUSED_AFTER_RESET
    certainties = [each.certainty for each in rest]
    assert certainties == sorted(certainties, key=[Certainty.CERTAIN, Certainty.POSSIBLE].index)


def test_what_a_log_says_cannot_forge_a_report() -> None:
    events = logged("I5-late-poll")
    found = finding(FindingKind.RESET_OVERRIDDEN, events[-2:])
    line = replace(found.evidence[0], file="a\x1b[2J.log", text="one\ntwo \u202e three")
    hostile = replace(found, group="g\nforged", says="\x1b[31mred", evidence=(line,))
    explanation = Explainer(lambda _: events, precedes).explain(found)
    text = audit_text(Audit(READ, (Explained(hostile, explanation),)), 80)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\nforged" not in text
    assert "one\\ntwo" in text
