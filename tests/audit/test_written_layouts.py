"""What is written in a layout is read with the same times; what does not say its day, or its month, is not guessed."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from audit.steps import events_of, read_silver
from audit.test_parsing import COMMIT, lines
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible_always

from offsetproof.audit.event import Event
from offsetproof.audit.lines.layouts import JAVA_UTIL, Layout, layout_named, layout_of
from offsetproof.audit.lines.parsing import parse
from offsetproof.audit.lines.rows import Parsed, Reading
from offsetproof.audit.lines.stamps import day_in_name
from offsetproof.audit.silver.piece_work import by_pool
from offsetproof.audit.silver.pieces import chunks_of, pieces_of
from offsetproof.audit.silver.run import make_silver
from offsetproof.audit.silver.sources import ReadingOptions

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
JUL_HEAD = "%b %d, %Y {hour}:%M:%S %p org.apache.rocketmq.logging.InternalLogger info"


def jul(time: datetime, message: str) -> str:
    """A record as java.util.logging's SimpleFormatter writes it."""
    return time.strftime(JUL_HEAD.format(hour=(time.hour - 1) % 12 + 1)) + f"\nINFO: {message}"


FORMS: dict[str, Callable[[datetime], str]] = {
    "iso": lambda at: f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03}",
    "comma": lambda at: f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03}",
    "T and Z": lambda at: f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z",
    "zone": lambda at: f"{at + timedelta(hours=8):%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}+08:00",
    "slashes": lambda at: f"{at:%Y/%m/%d %H:%M:%S}.{at.microsecond // 1000:03}",
    "dots": lambda at: f"{at:%Y.%m.%d %H:%M:%S}.{at.microsecond // 1000:03}",
    "day dots": lambda at: f"{at:%d.%m.%Y %H:%M:%S}.{at.microsecond // 1000:03}",
    "compact": lambda at: f"{at:%Y%m%d %H:%M:%S}.{at.microsecond // 1000:03}",
    "day first": lambda at: f"{at:%d %b %Y %H:%M:%S},{at.microsecond // 1000:03}",
    "web": lambda at: f"{at:%d/%b/%Y:%H:%M:%S}.{at.microsecond // 1000:03}",
    "millis": lambda at: str((at - EPOCH) // timedelta(milliseconds=1)),
    "seconds": lambda at: f"{(at - EPOCH) // timedelta(seconds=1)}.{at.microsecond // 1000:03}",
    "time": lambda at: f"{at:%H:%M:%S}.{at.microsecond // 1000:03}",
}
"""How a time is written, to the millisecond."""

AROUND = {
    "dash": ("", " INFO [thread-{n}] RocketmqClient - ", ""),
    "brackets": ("[", "] [INFO ] [pool {n}] ", ""),
    "bars": ("", "|INFO|{n}|RocketmqClient|", "|trace"),
    "colon": ("", "  WARN 4711 --- [exec-{n}] o.a.r.RocketmqClient   : ", ""),
}
"""What stands in front of the time, between it and the message, and behind."""

times = st.lists(
    st.integers(0, 86_399_999).map(lambda millis: datetime(2024, 6, 21, tzinfo=UTC) + timedelta(milliseconds=millis)),
    min_size=1,
    max_size=12,
)
offsets = st.lists(st.integers(0, 10**17), min_size=12, max_size=12)


def read(data: bytes, day: str | None = None, layout: Layout | None = None) -> tuple[Parsed, list[Event]]:
    """What a file's bytes say."""
    reading = Reading("app.log", layout or layout_of(data), day=day)
    parsed = parse(data, reading)
    assert parsed.lines == data.count(b"\n")
    return parsed, list(events_of(parsed, reading))


def commit(offset: int) -> str:
    """A commit of this offset."""
    return COMMIT.removesuffix("123456") + str(offset)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("form", FORMS)
@reproducible_always(25)
@given(times=times, offsets=offsets, others=st.booleans())
def test_what_is_written_is_read(
    form: str, around: str, times: list[datetime], offsets: list[int], others: bool
) -> None:
    """In any form of stamp, with any separator: each commit with its offset and its millisecond, no line damaged."""
    before, between, behind = AROUND[around]
    written = [
        before + FORMS[form](at) + between.format(n=n) + message + behind
        for n, (at, offset) in enumerate(zip(times, offsets, strict=False))
        for message in [commit(offset), *(["send heart beat to broker"] if others else [])]
    ]
    parsed, found = read(lines(*written), day="2024-06-21" if form == "time" else None)
    begins = [(at - EPOCH) // timedelta(microseconds=1) for at in times]
    assert [(each.time_from, each.time_to, each.offset) for each in found] == [
        (begin, begin + 1000, offset) for begin, offset in zip(begins, offsets, strict=False)
    ]
    assert (parsed.malformed, parsed.further_lines) == ([], 0)


@reproducible_always(100)
@given(times=times, offsets=offsets, cut=st.integers(1, 400), end=st.sampled_from(["\n", "\r\n"]))
def test_records_of_two_lines_are_read_however_a_file_is_cut(
    times: list[datetime], offsets: list[int], cut: int, end: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """java.util.logging: the stamp is on one line, the message on the next, which may be in the next piece."""
    records = [jul(at, commit(offset)) for at, offset in zip(times, offsets, strict=False)]
    file = tmp_path_factory.mktemp("jul") / "app.log"
    file.write_bytes(lines(*"\n".join(records).split("\n"), end=end))
    reading = Reading("app.log", JAVA_UTIL)
    found: list[Event] = []
    counted = 0
    for piece in pieces_of(file, 0, file.stat().st_size, 0, cut):
        for chunk in chunks_of(piece):
            parsed = parse(chunk.data, reading, chunk.lines, chunk.at, chunk.behind, chunk.line_before)
            found += events_of(parsed, reading)
            counted += parsed.lines
            assert parsed.malformed == []
    assert counted == 2 * len(times)
    assert [(each.offset, each.line) for each in found] == [
        (offset, 2 * n) for n, offset in enumerate(offsets[: len(times)], 1)
    ]
    whole = [at.replace(microsecond=0) for at in times]
    assert [each.time_from for each in found] == [(at - EPOCH) // timedelta(microseconds=1) for at in whole]
    assert {each.time_to - each.time_from for each in found} == {1_000_000}
    assert layout_of(file.read_bytes()) == JAVA_UTIL


def test_a_record_of_two_lines_ends_the_one_before() -> None:
    """A stack trace belongs to its own record, and the next head does not."""
    noon = datetime(2024, 6, 1, 12, 0, 5, tzinfo=UTC)
    failed = "updateConsumeOffsetToBroker exception, MessageQueue [topic=t, brokerName=b, queueId=0]"
    trace = "java.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)"
    parsed, found = read(lines(*f"{jul(noon, failed)}\n{trace}\n{jul(noon, commit(5))}".split("\n")))
    assert [(each.line, each.detail) for each in found] == [(2, "java.lang.IllegalStateException"), (6, "persistAll")]
    assert found[0].byte_length == len(f"INFO: {failed}\n{trace}")
    assert (parsed.event_lines, parsed.further_lines) == (2, 4)


def test_a_message_whose_head_was_read_in_an_earlier_run_has_its_time(tmp_path: Path) -> None:
    """The log grew in the middle of a record."""
    noon = datetime(2024, 6, 1, 12, 0, 5, tzinfo=UTC)
    log = tmp_path / "logs" / "app.log"
    log.parent.mkdir()
    whole = lines(jul(noon, commit(5)), jul(noon, commit(6)))
    log.write_bytes(whole[: whole.rindex(b"INFO")])
    make_silver([str(log)], tmp_path / "out", ReadingOptions(), by_pool())
    log.write_bytes(whole)
    make_silver([str(log)], tmp_path / "out", ReadingOptions(), by_pool())
    assert [(each.offset, each.line) for each in read_silver(tmp_path / "out")] == [(5, 2), (6, 4)]


@pytest.mark.parametrize(
    ("first", "month", "day"), [("21/06/2024", 6, 21), ("06-21-2024", 6, 21), ("12/13/2024", 12, 13)]
)
def test_a_number_above_12_says_which_is_the_day(first: str, month: int, day: int) -> None:
    """It holds for the other lines of the file as well."""
    other = first.replace(str(day), "05")
    written = [f"{each} 08:00:00.125 INFO RocketmqClient - {commit(5)}" for each in (other, first)]
    _, found = read(lines(*written))
    expected = [datetime(2024, month, each, 8, 0, 0, 125_000, tzinfo=UTC) for each in (5, day)]
    assert [each.time_from for each in found] == [(at - EPOCH) // timedelta(microseconds=1) for at in expected]


@pytest.mark.parametrize(
    "stamp",
    ["01/06/2024 08:00:00.125", "24/06/01 08:00:00", "08:00:00.125", "[08:00:00.125]", "2024-06-01 08:00:00.125 PM",
     "Jun 01, 2024 10:00:00 PM"],
)  # fmt: skip
def test_what_may_mean_several_times_is_told_and_not_guessed(stamp: str) -> None:
    """With a thread's name that is long, too: the line is told as one without a time, and is not lost among others."""
    parsed, found = read(lines(*[f"{stamp} INFO RocketmqClient - {commit(5)}"] * 3))
    assert found == []
    assert [each.reason for each in parsed.malformed] == ["there is no time with its day in front of it"] * 3


def test_lines_with_a_bare_time_and_a_long_head_are_told() -> None:
    """The message begins far behind."""
    head = "08:00:00.125 [MQClientFactoryScheduledThread-of-a-long-name] DEBUG o.a.r.c.impl.RemoteBrokerOffsetStore - "
    parsed, found = read(lines(*[head + commit(5), head + "something else"] * 3))
    assert (found, len(parsed.malformed), parsed.unknown_lines, parsed.further_lines) == ([], 3, 3, 0)


def test_a_layout_without_a_day_loses_no_line_in_silence() -> None:
    """The user's description says where the time is, and nothing says of which day."""
    parsed, found = read(lines("[t] 08:00:00.125 " + commit(5)), None, layout_named("[*] %H:%M:%S* {}"))
    assert (found, len(parsed.malformed)) == ([], 1)


@pytest.mark.parametrize(
    ("layout", "line"),
    [
        ("%H:%M:%S* [*] {} on 2024-06-21", "08:00:00.125 [t] "),
        ("%d/%m/%Y %H:%M:%S* - {}", "21/06/2024 08:00:00.125 INFO - "),
        ("%m-%d-%Y %H:%M:%S* - {}", "06-21-2024 08:00:00.125 INFO - "),
        ("%y/%m/%d %H:%M:%S* {}", "24/06/21 08:00:00.125 "),
    ],
)
def test_a_user_says_what_stamps_do_not(layout: str, line: str) -> None:
    named = layout_named(layout)
    _, found = read(lines(line + commit(5)), named.day, named)
    (event,) = found
    assert event.time_from == (datetime(2024, 6, 21, 8, 0, 0, 125_000, tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("name", "day"),
    [*((name, "2024-06-01") for name in ("app.2024-06-01.log", "app.log.2024-06-01", "app-20240601.0.log.gz",
                                         "app.2024_06_01.log")),
     *((name, None) for name in ("app.log-20240602", "app.log-20240602.gz", "app.log", "app.20241301.log",
                                 "app-2024-06-01-to-2024-06-02.log", "app-202406015.log"))],
)  # fmt: skip
def test_the_day_in_a_files_name_is_that_of_its_lines_but_for_logrotate(name: str, day: str | None) -> None:
    assert day_in_name(name) == day


def test_times_without_a_day_are_read_again_once_the_files_name_says_it(tmp_path: Path) -> None:
    """`app.log` becomes `app.2024-06-21.log.gz`: what was damaged for want of a day is then an event."""
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    data = lines(*[f"08:00:0{n}.125 [t] INFO RocketmqClient - {commit(n)}" for n in range(3)])
    (logs / "app.log").write_bytes(data)
    first = make_silver([str(logs)], out, ReadingOptions(), by_pool())
    assert (first.total("events"), first.total("malformed_lines")) == (0, 3)
    (logs / "app.log").unlink()
    (logs / "app.2024-06-21.log.gz").write_bytes(gzip.compress(data))
    second = make_silver([str(logs)], out, ReadingOptions(), by_pool())
    assert (second.total("events"), second.total("malformed_lines")) == (3, 0)
    begin = (datetime(2024, 6, 21, 8, 0, 0, 125_000, tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
    assert [each.time_from for each in read_silver(out)] == [begin, begin + 1_000_000, begin + 2_000_000]
