"""Lines become rows with their places; every line is accounted for, however a file is cut, ended or damaged."""

from __future__ import annotations

import random
from itertools import islice, product
from pathlib import Path
from string import ascii_lowercase

import pytest
from audit.steps import events_of, reading_of

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.lines.parsing import parse
from offsetproof.audit.lines.rows import Parsed
from offsetproof.audit.lines.shapes import OTHER_SHAPES, SHAPES_KEPT
from offsetproof.audit.silver.pieces import chunks_of, pieces_of
from studies.audit_volume import Truth, Volume, write_volume

MQ = "MessageQueue [topic=T, brokerName=broker-a, queueId=3]"
COMMIT = f"[persistAll] Group: g ClientId: 10.0.0.1@7 updateConsumeOffsetToBroker {MQ} 123456"
HEAD_4 = "2024-06-01 08:00:00,123 INFO RocketmqClient - "
HEAD_5 = "2024-06-01 08:00:00.123 INFO  [4711] [thread - 1] [o.a.r.c.Store#persistAll:1] - "


def events(data: bytes, name: str = "rocketmq_client.log") -> list[Event]:
    """The events of a file's content, after it is checked that no line is lost."""
    reading = reading_of(Path(name), data)
    parsed = parse(data, reading)
    assert parsed.lines == data.count(b"\n")
    return list(events_of(parsed, reading))


def lines(*texts: str, end: str = "\n") -> bytes:
    """A file of these lines."""
    return "".join(text + end for text in texts).encode()


def test_commit_of_a_client_of_4_has_all_columns() -> None:
    (event,) = events(lines(HEAD_4 + COMMIT, end="\r\n"))
    assert event == Event(
        file="rocketmq_client.log", line=1, byte_offset=0, byte_length=len(HEAD_4 + COMMIT) + 1,
        time_from=1717228800123000, time_to=1717228800124000, zone_known=False, host="", process="",
        kind=EventKind.COMMIT_SENT, client="10.0.0.1@7", group="g", topic="T", broker="broker-a", queue=3,
        offset=123456, detail="persistAll",
    )  # fmt: skip


def test_client_of_5_writes_in_gmt_8_and_with_its_process() -> None:
    (event,) = events(lines(HEAD_5 + COMMIT))
    assert (event.time_from, event.zone_known, event.process) == (1717200000123000, True, "4711")


def test_broker_leaves_an_interval_of_a_second() -> None:
    text = (
        "2024-06-01 08:00:00 WARN AdminBrokerThread_1 - [NOTIFYME]update consumer offset less than store. "
        "clientHost=10.0.0.1:999, key=T@g, queueId=3, requestOffset=5, storeOffset=9"
    )
    (event,) = events(lines(text), "broker.log")
    assert (event.time_from, event.time_to) == (1717200000000000, 1717200001000000)
    assert (event.group, event.topic, event.queue, event.offset, event.other_offset) == ("g", "T", 3, 5, 9)


def test_mark_of_a_reset_is_an_event_for_each_queue() -> None:
    marks = ",".join(f'{{"brokerName":"b","queueId":{queue},"topic":"T"}}:{queue * 10}' for queue in range(3))
    text = f"2024-06-01 08:00:00 INFO AdminBrokerThread_1 - Reset offset, topic=T, group=g, queues={{{marks}}}"
    found = events(lines(text), "broker.log")
    assert [(event.queue, event.offset) for event in found] == [(0, 0), (1, 10), (2, 20)]
    assert {event.line for event in found} == {1}


def test_stack_trace_belongs_to_its_record_and_names_the_exception() -> None:
    trace = (
        "org.apache.rocketmq.remoting.exception.RemotingTimeoutException: too late",
        "\tat org.apache.Some.method(Some.java:1)",
        f"Caused by: java.lang.IllegalStateException: {COMMIT}",
        "\t... 7 more",
    )
    data = lines(HEAD_4 + f"updateConsumeOffsetToBroker exception, {MQ}", *trace, HEAD_4 + COMMIT)
    failed, sent = events(data)
    assert failed.kind == EventKind.COMMIT_FAILED
    assert failed.detail == "org.apache.rocketmq.remoting.exception.RemotingTimeoutException"
    assert failed.byte_length == data.index(HEAD_4.encode(), 1) - 1
    assert sent.line == 6


@pytest.mark.parametrize("broken", [
    f"[persistAll] Group: g ClientId: c updateConsumeOffsetToBroker {MQ} 12x4",
    "[persistAll] Group: g ClientId: c updateConsumeOffsetToBroker MessageQueue [topic=T, brokerName=b, queueId=] 5",
    "[persistAll] Group: g ClientId: c updateCons",
])  # fmt: skip
def test_known_message_that_cannot_be_read_is_kept_with_its_reason(broken: str) -> None:
    data = lines(HEAD_4 + COMMIT, HEAD_4 + broken)
    parsed = parse(data, reading_of(Path("a.log"), data))
    (bad,) = parsed.malformed
    assert (bad.line, bad.byte_offset, bad.byte_length) == (2, len(HEAD_4 + COMMIT) + 1, len(HEAD_4 + broken))
    assert bad.reason == "its values cannot be read"
    assert parsed.event_lines == 1


def test_impossible_time_makes_no_event() -> None:
    data = lines(HEAD_4 + COMMIT, HEAD_4.replace("06-01", "06-31") + COMMIT)
    parsed = parse(data, reading_of(Path("a.log"), data))
    assert (len(parsed.rows), parsed.lines) == (1, 2)


@pytest.mark.parametrize("damage", [
    b"\xff\xfe\x80 not utf-8", b"\0\0\0\0", b"", b"   ", b"\x1f\x8b\x08", bytes(range(14, 256)), b"x" * 10_000_000,
], ids=["utf", "nul", "empty", "blank", "gzip", "binary", "long"])  # fmt: skip
def test_damage_between_lines_costs_no_event(damage: bytes) -> None:
    good = lines(HEAD_5 + COMMIT)
    parsed = parse(good + damage + b"\n" + good, reading_of(Path("a.log"), good))
    assert (len(parsed.rows), parsed.lines) == (2, 3)
    assert parsed.rows[1][:2] == (3, len(good) + len(damage) + 1)


@pytest.mark.parametrize("name", [b"g\xff", b"g.h", b"g<b>"], ids=["not UTF-8", "a dot", "a bracket"])
def test_name_that_no_group_can_have_is_malformed(name: bytes) -> None:
    data = (HEAD_4 + COMMIT + "\n").encode().replace(b"Group: g", b"Group: " + name)
    parsed = parse(data, reading_of(Path("a.log"), data))
    assert (events(data), len(parsed.malformed)) == ([], 1)


@pytest.mark.parametrize("end", ["", "|", "</msg>", "}", '"', "| INFO"])
def test_field_that_ends_with_a_group_closes_behind_it(end: str) -> None:
    data = lines(HEAD_4 + "resume this consumer, %RETRY%g" + end)
    assert [event.group for event in events(data)] == ["%RETRY%g"]


def test_unknown_messages_are_counted_by_shape_and_not_without_end() -> None:
    words = map("".join, islice(product(ascii_lowercase, repeat=3), SHAPES_KEPT * 2))
    data = lines(HEAD_4 + COMMIT, *(HEAD_4 + word + " went by" for word in words))
    parsed = parse(data, reading_of(Path("a.log"), data))
    assert parsed.shapes.total() == parsed.unknown_lines == SHAPES_KEPT * 2
    assert len(parsed.shapes) <= SHAPES_KEPT
    assert OTHER_SHAPES in parsed.shapes


def in_pieces(file: Path, end: int, size: int) -> tuple[list[object], int]:
    """The rows of a file's first bytes, read in pieces of a size, and how many lines they had."""
    reading = reading_of(file, file.read_bytes()[:65536])
    rows: list[object] = []
    count = 0
    for piece in pieces_of(file, 0, end, 0, size):
        for chunk in chunks_of(piece):
            parsed = parse(chunk.data, reading, chunk.lines, chunk.at, chunk.behind)
            rows += zip(parsed.rows, parsed.lengths, strict=True)
            count += parsed.lines
    return rows, count


@pytest.mark.parametrize("seed", range(3))
def test_pieces_cut_anywhere_give_the_rows_of_the_whole(tmp_path: Path, seed: int) -> None:
    write_volume(tmp_path, Volume(0.3, files=7, seed=seed))
    chance = random.Random(seed)
    for file in sorted(tmp_path.glob("*/*.log")):
        data = file.read_bytes()
        whole = in_pieces(file, len(data), len(data))
        assert whole[1] == data.count(b"\n")
        for size in (chance.randrange(60, 400), chance.randrange(1000, 9000)):
            assert in_pieces(file, len(data), size) == whole


def test_last_line_without_end_is_left(tmp_path: Path) -> None:
    file = tmp_path / "rocketmq_client.log"
    data = lines(HEAD_4 + COMMIT, HEAD_4 + COMMIT)
    file.write_bytes(data[:-4])
    rows, count = in_pieces(file, file.stat().st_size, 1000)
    assert (len(rows), count) == (1, 1)


def test_volume_is_read_as_it_was_written(tmp_path: Path) -> None:
    truth = write_volume(tmp_path, Volume(2))
    found = Truth()
    for file in tmp_path.glob("*/*.log"):
        data = file.read_bytes()
        parsed = parse(data, reading_of(file, data[:65536], zone="GMT+8"))
        found.add(summed(parsed, len(data)))
    assert found == truth


def summed(parsed: Parsed, size: int) -> Truth:
    """What was parsed in the words of what was written."""
    found = Truth(parsed.lines, size, parsed.unknown_lines, parsed.further_lines)
    for event in events_of(parsed, reading_of(Path("a"), b"")):
        found.kinds[event.kind.value] += 1
        for column in ("line", "byte_offset", "byte_length", "time_from", "queue", "offset", "other_offset"):
            found.sums[column] += getattr(event, column) or 0
    return found


def test_a_query_of_the_go_client_is_no_start() -> None:
    """A pull consumer asks before each pull; -1 is an answer, and no damaged number."""
    asked = [
        f'time="2024-06-01T08:00:0{second}.000Z" level=info msg="fetch offset of mq from broker success" '
        f'MessageQueue="{MQ}" consumerGroup=g offset={offset}'
        for second, offset in enumerate([-1, 7, 7, 7])
    ]
    found = events(lines(*asked))
    assert [(each.kind, each.group, each.queue, each.offset) for each in found] == [
        (EventKind.OFFSET_QUERIED, "g", 3, offset) for offset in (-1, 7, 7, 7)
    ]
