"""Offset tables as brokers and broadcast clients write them, and what mqadmin prints, become rows with their places."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from audit.steps import reading_of

from offsetproof.audit.event import Event
from offsetproof.audit.silver.snapshots import SnapshotError, events_of_snapshot, read_fastjson
from offsetproof.audit.silver.sources import SourceKind, kind_of

BROKER = """{
	"dataVersion":{"counter":3,"stateVersion":0,"timestamp":1717200000000},
	"offsetTable":{
		"ORDERS@billing":{0:45,1:-1
		},
		"%RETRY%billing@billing":{0:1
		}
	}
}"""
CLIENT = """{"offsetTable":{{
		"brokerName":"broker-a",
		"queueId":2,
		"topic":"ORDERS"
	}:17,{"brokerName":"broker-a","queueId":3,"topic":"ORDERS"}:{"offset":18}}}"""
PROGRESS = """\
#Topic            #Broker Name  #QID  #Broker Offset  #Consumer Offset  #Client IP  #Diff  #Inflight  #LastTime
ORDERS            broker-a      0     120             100               10.0.0.1    20     0          2024-06-01
ORDERS            broker-a      1     130             -1                10.0.0.1    131    0          N/A
%RETRY%billing    broker-a      0     2               2                 10.0.0.1    0      0          N/A

Consume TPS: 0.00
"""


def rows(content: str, kind: SourceKind, name: str = "host/file") -> list[Event]:
    """The rows of a snapshot that was taken at 7 microseconds."""
    return events_of_snapshot(content.encode(), kind, reading_of(Path(name), b""), 7)


def test_offsets_of_a_broker_have_unquoted_numbers_as_keys() -> None:
    found = rows(BROKER, SourceKind.OFFSETS)
    assert [(each.topic, each.group, each.queue, each.offset) for each in found] == [
        ("ORDERS", "billing", 0, 45), ("ORDERS", "billing", 1, -1), ("%RETRY%billing", "billing", 0, 1),
    ]  # fmt: skip
    assert [each.line for each in found] == [4, 4, 6]
    assert {(each.time_from, each.time_to, each.zone_known) for each in found} == {(7, 8, True)}


def test_offsets_of_a_broadcast_client_have_objects_as_keys() -> None:
    found = rows(CLIENT, SourceKind.LOCAL_OFFSETS)
    assert [(each.topic, each.broker, each.queue, each.offset) for each in found] == [
        ("ORDERS", "broker-a", 2, 17), ("ORDERS", "broker-a", 3, 18),
    ]  # fmt: skip
    assert {each.group for each in found} == {None}
    there = rows(CLIENT, SourceKind.LOCAL_OFFSETS, "app1/10.0.0.1@DEFAULT/shop/offsets.json")
    assert {each.group for each in there} == {"shop"}


def test_progress_has_the_end_beside_the_offset_and_the_group_from_its_retry_topic() -> None:
    found = rows(PROGRESS, SourceKind.PROGRESS)
    assert [(each.group, each.topic, each.queue, each.offset, each.other_offset) for each in found] == [
        ("billing", "ORDERS", 0, 100, 120), ("billing", "%RETRY%billing", 0, 2, 2),
    ]  # fmt: skip


def test_evidence_of_a_row_is_the_line_that_it_is_in() -> None:
    """Of a queue that is listed after others of its topic, too."""
    text = PROGRESS.replace("     -1  ", "     41  ").replace("ORDERS", "ORD\N{LATIN SMALL LETTER E WITH ACUTE}RS")
    for kind, content in ((SourceKind.PROGRESS, text), (SourceKind.OFFSETS, BROKER)):
        found = rows(content, kind)
        assert len(found) == 3
        for row in found:
            line = content.encode()[row.byte_offset : row.byte_offset + row.byte_length].decode()
            assert line == content.split("\n")[row.line - 1]
            assert {str(row.topic), str(row.offset)} <= {*re.findall(r"[%\w]+|-\d+", line)}


def test_group_of_progress_is_in_the_name_where_no_topic_says_it() -> None:
    text = "\n".join(PROGRESS.splitlines()[:2])
    (row,) = rows(text, SourceKind.PROGRESS, "host/consumerProgress-orders.txt")
    assert row.group == "orders"


@pytest.mark.parametrize("cut", [3, 60, len(BROKER) // 2, len(BROKER) - 1])
def test_nothing_of_a_damaged_snapshot_is_believed(cut: int) -> None:
    with pytest.raises(SnapshotError, match="none of its rows is taken"):
        rows(BROKER[:cut], SourceKind.OFFSETS)


@pytest.mark.parametrize(("name", "content", "kind"), [
    ("x", BROKER, SourceKind.OFFSETS), ("x", CLIENT, SourceKind.LOCAL_OFFSETS), ("x", PROGRESS, SourceKind.PROGRESS),
    ("consumerOffset.json.bak", "damaged", SourceKind.OFFSETS), ("offsets.json", "{", SourceKind.LOCAL_OFFSETS),
    ("a.log", '{"msg":"offsetTable"}', SourceKind.LOG),
])  # fmt: skip
def test_kind_of_a_file_is_seen_in_its_content(name: str, content: str, kind: SourceKind) -> None:
    assert kind_of(Path(name), content.encode()) == kind


def test_text_that_looks_like_a_key_stays_text() -> None:
    assert read_fastjson('{"a":"b, 5: c", 6 : [1]}') == {"a": "b, 5: c", "6": [1]}
