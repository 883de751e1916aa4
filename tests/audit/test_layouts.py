"""Layouts: in whatever form an application writes RocketMQ's messages, they are found, with their times."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from audit.steps import events_of

from offsetproof.audit.event import EventKind
from offsetproof.audit.lines.layouts import ANY, BROKER, CLIENT_4, CLIENT_5, Layout, layout_named, layout_of
from offsetproof.audit.lines.parsing import parse
from offsetproof.audit.lines.rows import Reading

_QUEUE = "MessageQueue [topic=orders, brokerName=broker-a, queueId=3]"
_MESSAGES = (
    (f"[persistAll] Group: billing ClientId: 10.0.0.7@4711 updateConsumeOffsetToBroker {_QUEUE} 55", "commit-sent"),
    (f"doRebalance, billing, add a new mq, {_QUEUE}", "queue-added"),
    ("suspend this consumer, billing", "suspended"),
    ("send heart beat to broker[broker-a 0 10.0.0.9:10911] success", None),
    ("receive broker's notification[10.0.0.9:10911], the consumer group: billing changed, rebalance immediately",
     "members-changed"),
    (f"the message queue lock Failed, billing {_QUEUE}", "lock-refused"),
)  # fmt: skip
_BEGIN = datetime(2024, 6, 1, 8, 0, 0, tzinfo=UTC)

Write = Callable[[int, str], str]
"""The line that says a message in the second of a number."""

_LAYOUTS: dict[str, Write] = {
    "4.9.4 client": lambda n, text: f"2024-06-01 08:00:0{n},125 INFO RocketmqClient - {text}",
    "4.9.4 client through the application's logback": lambda n, text: (
        f"2024-06-01 08:00:0{n}.125  INFO 3141 --- [MQClientFactoryScheduledThread] RocketmqClient{' ' * 20}: {text}"
    ),
    "5.x client": lambda n, text: (
        f"2024-06-01 16:00:0{n}.125 INFO  [4711] [pool - {n}] [o.a.r.c.c.s.RemoteBrokerOffsetStore#?:?] - {text}"
    ),
    "broker": lambda n, text: f"2024-06-01 16:00:0{n} WARN PullMessageThread_{n} - {text}",
    "logger without milliseconds": lambda n, text: f"2024-06-01 08:00:0{n} INFO RocketmqClient - {text}",
    "log4j in brackets behind an id": lambda n, text: (
        f"order-service-{n * 7919} 2024-06-01 08:00:0{n},125 [INFO ] [{'worker' + str(n):<20}] [RocketmqClient] {text}"
    ),
    "bars": lambda n, text: f"2024-06-01 08:00:0{n}.125|INFO|4711|thread {n}|RocketmqClient|{text}",
    "bars and a trace behind": lambda n, text: f"2024-06-01 08:00:0{n}.125 | INFO | t{n} | {text} | trace-{n}",
    "keys": lambda n, text: f"[2024-06-01 08:00:0{n}.125] level:INFO thread:t-{n} class:RocketmqClient msg:{text} ex:",
    "ISO with a zone": lambda n, text: f"2024-06-01T10:00:0{n}.125+02:00 INFO [t-{n}] RocketmqClient: {text}",
    "ISO, UTC, microseconds": lambda n, text: (
        f"2024-06-01T08:00:0{n}.125000Z  INFO ThreadId({n}) store: {200 + n}: {text}"
    ),
    "slashes": lambda n, text: f"2024/06/01 08:00:0{n}.125 client.go:{300 + n}: {text}",
    "C++, boost": lambda n, text: f"[2024-Jun-01 08:00:0{n}.125000](info):{text}",
    "C++ with the function": lambda n, text: f"[2024-06-01 08:00:0{n}.125](info):{text}[run{n}:{100 + n}]",
    "C++, spdlog": lambda n, text: f"[2024-06-01 08:00:0{n}.125] [info] [thread@{n}] - {text} [@ (run)]",
    "JSON": lambda n, text: json.dumps(
        {"@timestamp": f"2024-06-01T08:00:0{n}.125Z", "level": "INFO", "logger_name": "RocketmqClient", "message": text}
    ),
    "JSON, message first": lambda n, text: json.dumps(
        {"msg": text, "time": f"2024-06-01T08:00:0{n}.125Z"}, separators=(",", ":")
    ),
    "JSON, seconds as a number": lambda n, text: json.dumps(
        {"level": "info", "ts": _BEGIN.timestamp() + n + 0.125, "caller": f"x.go:{n}", "msg": text}
    ),
    "JSON, milliseconds as a number": lambda n, text: json.dumps(
        {"timestamp": int(_BEGIN.timestamp() + n) * 1000 + 125, "message": text}
    ),
    "milliseconds first": lambda n, text: f"{int(_BEGIN.timestamp()) + n}125 INFO [t-{n}] RocketmqClient - {text}",
    "milliseconds and bars": lambda n, text: f"{int(_BEGIN.timestamp()) + n}125|INFO|t-{n}|RocketmqClient|{text}",
    "seconds first": lambda n, text: f"{int(_BEGIN.timestamp()) + n}.125 INFO RocketmqClient - {text}",
    "JSON, milliseconds as text": lambda n, text: json.dumps(
        {"timestamp": f"{int(_BEGIN.timestamp()) + n}125", "message": text}, separators=(",", ":")
    ),
    "dots": lambda n, text: f"2024.06.01 08:00:0{n}.125 [t{n}] INFO RocketmqClient - {text}",
    "slashes and a comma": lambda n, text: f"[2024/06/01 08:00:0{n},125][INFO][t{n}] {text}",
    "day, month, year with dots": lambda n, text: f"01.06.2024 08:00:0{n},125 INFO  [t{n}] RocketmqClient - {text}",
    "docker": lambda n, text: json.dumps(
        {"log": f"{text}\n", "stream": "stdout", "time": f"2024-06-01T08:00:0{n}.125000001Z"}
    ),
    "kubernetes": lambda n, text: f"2024-06-01T08:00:0{n}.125000001Z stdout F INFO RocketmqClient - {text}",
    "key=value": lambda n, text: f'time="2024-06-01T08:00:0{n}.125Z" level=info msg="{text}" trace={n}',
    "day first": lambda n, text: f"01 Jun 2024 08:00:0{n},125 INFO [t{n}] RocketmqClient ({n}) - {text}",
    "digits": lambda n, text: f"20240601 08:00:0{n}.125 [t{n}] INFO RocketmqClient - {text}",
}
_IN_SECONDS = {"broker", "logger without milliseconds"}


def _lines_of(write: Write, end: str = "\n") -> bytes:
    """Every message twice, so that numbers and threads differ."""
    numbered = enumerate(text for text, _ in _MESSAGES)
    return "".join(write(number, text) + end for number, text in numbered).encode() * 2


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("name", _LAYOUTS)
def test_each_known_message_is_found_with_its_time(name: str, end: str) -> None:
    """The layout is found from the lines themselves; nothing is malformed, and each line is counted."""
    data = _lines_of(_LAYOUTS[name], end)
    reading = Reading("app.log", layout_of(data))
    parsed = parse(data, reading)
    events = list(events_of(parsed, reading))
    known = [(number, kind) for number, (_, kind) in enumerate(_MESSAGES) if kind]
    if name == "broker":
        assert reading.layout.zone is None, "a client's messages in the broker's form: their zone is anybody's guess"
        hours = 8
    else:
        hours = 0
    micros = 0 if name in _IN_SECONDS else 125_000
    assert [event.kind for event in events] == [EventKind(kind) for _, kind in known] * 2
    begin = int(_BEGIN.timestamp()) * 1_000_000 + hours * 3600 * 1_000_000 + micros
    assert [event.time_from for event in events] == [begin + number * 1_000_000 for number, _ in known] * 2
    assert (parsed.malformed, parsed.further_lines) == ([], 0)
    assert parsed.lines == data.count(b"\n")
    commit = events[0]
    assert (commit.group, commit.client, commit.topic) == ("billing", "10.0.0.7@4711", "orders")
    assert (commit.broker, commit.queue, commit.offset) == ("broker-a", 3, 55)


@pytest.mark.parametrize("name", _LAYOUTS)
def test_the_layout_that_is_found_needs_no_look_at_each_line(name: str) -> None:
    """The first lines decide: the separator is found, so that lines of unknown messages have their place, too."""
    assert layout_of(_lines_of(_LAYOUTS[name])).separator


def test_rocketmqs_own_layouts_are_known_without_a_known_message() -> None:
    """A file that begins with other messages has its layout all the same."""
    others = {
        CLIENT_4: "2024-06-01 08:00:00,125 DEBUG io.netty.util.internal.PlatformDependent - -Dio.netty.bitMode: 64\n",
        CLIENT_5: "2024-06-01 08:00:00.125 WARN  [1] [main] [RocketmqTools#?:?] - something\n",
        BROKER: "2024-06-01 08:00:00 INFO main - The broker dose not enable acl\n",
    }
    assert {layout_of(text.encode() * 3) for text in others.values()} == set(others)


def test_zones_are_known_where_layout_or_stamps_say_them() -> None:
    """A 4.x client writes in its JVM's zone, which nothing in the file tells."""
    zones = {name: layout_of(_lines_of(write)).zone for name, write in _LAYOUTS.items()}
    assert zones["4.9.4 client"] is None
    assert zones["5.x client"] == "GMT+8"
    assert zones["ISO with a zone"] == zones["JSON, seconds as a number"] == "UTC"


def test_a_quoted_message_is_no_event() -> None:
    """A stack trace that quotes a known message belongs to the record in front of it."""
    data = (
        b"2024-06-01 08:00:00,125 ERROR RocketmqClient - updateConsumeOffsetToBroker exception, "
        b"MessageQueue [topic=t, brokerName=b, queueId=0]\n"
        b"org.apache.rocketmq.remoting.exception.RemotingTimeoutException: wait response timeout, 3000(ms)\n"
        b"\tat org.apache.rocketmq.client.X.y(X.java:1)\n"
        b"Caused by: java.lang.IllegalStateException: suspend this consumer, quoted\n"
        b"\n"
        b"2024-06-01 08:00:01,125 INFO RocketmqClient - suspend this consumer, g\n"
    )
    reading = Reading("app.log", layout_of(data))
    parsed = parse(data, reading)
    failed, suspended = events_of(parsed, reading)
    assert failed.kind is EventKind.COMMIT_FAILED
    assert failed.detail == "org.apache.rocketmq.remoting.exception.RemotingTimeoutException"
    assert (suspended.group, suspended.line) == ("g", 6)
    assert failed.byte_length == suspended.byte_offset - 1
    assert parsed.further_lines == 4


def test_a_file_that_changes_its_layout_is_read_to_its_end() -> None:
    """After an update of the client the same file goes on in the form of 5.x."""
    before, after = (_lines_of(_LAYOUTS[name]) * 20 for name in ("4.9.4 client", "5.x client"))
    data = before + after
    reading = Reading("rocketmq_client.log", layout_of(data[: len(before)]))
    parsed = parse(data, reading)
    of_each = sum(kind is not None for _, kind in _MESSAGES) * 40
    assert (len(parsed.rows), parsed.further_lines, parsed.malformed) == (2 * of_each, 0, [])


def test_a_thread_name_with_the_separator_in_it_hides_no_message() -> None:
    """The separator that comes first is not always the one in front of the message."""
    lines = [
        f"2024-06-01 08:00:0{n},125 INFO [t - {n % 2}{' - x' * (n % 2)}] C - suspend this consumer, g\n"
        for n in range(6)
    ]
    data = "".join(lines).encode()
    reading = Reading("app.log", layout_of(data))
    assert len(parse(data, reading).rows) == 6


def test_a_description_of_the_layout_is_followed() -> None:
    """`--layout` says where the first lines cannot."""
    layout = layout_named("<*> %Y/%m/%d %H:%M:%S* ## {}")
    data = b"<a> 2024/06/01 08:00:00.125 INFO ## suspend this consumer, g\n<b> 2024/06/01 08:00:01 X ## other\n"
    parsed = parse(data, Reading("app.log", layout))
    assert (parsed.event_lines, parsed.unknown_lines) == (1, 1)
    assert parsed.rows[0][2] == int(_BEGIN.timestamp()) * 1_000_000 + 125_000


@pytest.mark.parametrize(
    "text", ["client-6", "%Y-%m-%d %H:%M:%S without a message", "- {}", "%H:%M:%S {} on 2024-13-01"]
)
def test_what_is_no_layout_is_refused(text: str) -> None:
    """The message says what a layout looks like."""
    with pytest.raises(ValueError, match=r"is neither a layout .*client-4.* nor a description|month must be in"):
        layout_named(text)


def test_layouts_survive_the_manifest() -> None:
    """A layout is written as JSON and read again when a file has grown."""
    layouts = [layout_of(_lines_of(write)) for write in _LAYOUTS.values()] + [ANY, layout_named("%Y%m%d %H:%M:%S {}")]
    assert [Layout.from_data(json.loads(json.dumps(each.as_data()))) for each in layouts] == layouts
