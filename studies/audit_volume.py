"""Logs of any size with known contents, for the speed and the exactness of the audit.

Clients of 4.9.4 (no thread, comma, CRLF) and of 5.3.3, and brokers: of seven files one is a broker's, with a third of
the bytes of another. Six of ten lines of clients are commits. The rest are other events, noise with messages of up to
4 kB, and stack traces, one of which quotes a known message. What a file holds is counted while it is written.

By themselves the lines of a queue contradict each other: every seventh is the end of some finding. With `has_owners`
each queue has one client, which adds it, starts it, commits, and gives it up: such logs have few findings.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

BEGINS = 1_717_200_000
"""2024-06-01 00:00:00 UTC, in seconds. Stamps of every file begin there, and are written in GMT+8."""

_BODY = (
    "MessageExt [brokerName=broker-a, queueId=3, storeSize=412, queueOffset=88123, sysFlag=0, "
    "bornHost=/10.1.2.3:51234, storeHost=/10.1.2.9:10911, msgId=0A010209000F2A9F0000000012345678, reconsumeTimes=0, "
    "toString()=Message{topic='ORDER', flag=0, properties={MIN_OFFSET=0, KEYS=20240601}, body=[123, 34, 111, 114]}]"
)
_TRACE = (
    "org.apache.rocketmq.remoting.exception.RemotingTimeoutException: wait response on the channel <10.1.2.9:10911>",
    *(
        f"\tat org.apache.rocketmq.client.impl.factory.MQClientInstance.m{i}(MQClientInstance.java:3{i})"
        for i in range(9)
    ),
    "Caused by: java.lang.IllegalStateException: [persistAll] Group: g ClientId: x updateConsumeOffsetToBroker failed",
    "\t... 7 more",
)
_BROKERS = ("broker-a", "broker-b", "bj-az1-rmq-broker-03")


@dataclass
class Truth:
    """What was written: lines by what they are, events by kind, and sums of columns over all events."""

    lines: int = 0
    bytes: int = 0
    unknown: int = 0
    further: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    sums: Counter[str] = field(default_factory=Counter)

    def add(self, other: Truth) -> None:
        """Takes another file's into account."""
        self.lines += other.lines
        self.bytes += other.bytes
        self.unknown += other.unknown
        self.further += other.further
        self.kinds.update(other.kinds)
        self.sums.update(other.sums)


@dataclass(frozen=True)
class Volume:
    """How much is written: `megabytes` in `files` files, of `groups` groups with `queues` queues of each topic."""

    megabytes: float
    files: int = 8
    groups: int = 30
    queues: int = 8
    seed: int = 33
    has_owners: bool = False


FALLS = 1 / 5000
"""How many commits fall of clients that have their queues to themselves."""

Said = tuple[str | None, str, int | None, int | None, int | None]
"""The kind of an event or None, the message, and the event's queue, offset and other offset."""


def write_volume(folder: Path, volume: Volume) -> Truth:
    """Writes the logs, a folder for each host, and says what they hold."""
    truth = Truth()
    chance = random.Random(volume.seed)
    for number in range(volume.files):
        is_broker = number % 7 == 6
        weight = 1 if is_broker else 3
        weights = sum(1 if each % 7 == 6 else 3 for each in range(volume.files))
        file = folder / f"host{number:04d}" / ("broker.log" if is_broker else "rocketmq_client.log")
        file.parent.mkdir(parents=True, exist_ok=True)
        size = int(volume.megabytes * 1e6 * weight / weights)
        writer = _Writer(random.Random(chance.random()), volume, number)
        head = writer.head_of_broker if is_broker else (writer.head_of_5 if number % 2 else writer.head_of_4)
        client, broker = (writer.owner, writer.noise) if volume.has_owners else (writer.client, writer.broker)
        truth.add(writer.write(file, size, head, broker if is_broker else client))
    return truth


class _Writer:
    """Writes one file."""

    def __init__(self, chance: random.Random, volume: Volume, number: int) -> None:
        self._chance, self._number = chance, number
        self._client = f"10.1.{number % 250}.17@{1000 + number}#817263{number}"
        own = sorted({chance.randrange(volume.groups) for _ in range(6)})
        first = number * volume.queues if volume.has_owners else 0
        self._cells = [
            [f"order_service_{group}", topic, f"MessageQueue [topic={topic}, brokerName={broker}, queueId={queue}]"]
            for group in own
            for topic in (f"ORDER_{group}", f"TRADE_STATUS_CHANGED_{group}", f"%RETRY%order_service_{group}")
            for broker in _BROKERS
            for queue in range(first, first + (1 if topic[0] == "%" else volume.queues))
        ]
        self._queues = [int(mq[mq.rindex("=") + 1 : -1]) for _, _, mq in self._cells]
        self._offsets = [chance.randrange(10**5, 10**8) for _ in self._cells]
        self._steps = [self._added for _ in self._cells]

    def head_of_4(self, second: str, millis: int, level: str) -> str:
        """The head of a line of a client of 4.9.4."""
        return f"{second},{millis:03d} {level} RocketmqClient - "

    def head_of_5(self, second: str, millis: int, level: str) -> str:
        """The head of a line of a client of 5.3.3."""
        return f"{second}.{millis:03d} {level:5s} [{1000 + self._number}] [MQClientFactoryThread] [o.a.r.c.X#?:?] - "

    def head_of_broker(self, second: str, millis: int, level: str) -> str:  # noqa: ARG002  # it has no millis
        """The head of a line of a broker."""
        return f"{second} {level} PullMessageThread_{self._number} - "

    def write(self, file: Path, size: int, head: Callable[[str, int, str], str], say: Callable[[], Said]) -> Truth:
        """Writes so many bytes, and counts what they say."""
        truth, end = Truth(), "\r\n" if head == self.head_of_4 else "\n"
        has_millis, chance, clock = head != self.head_of_broker, self._chance, _clock()
        sums: Counter[str] = truth.sums
        second, text, millis = *next(clock), 0
        with file.open("w", newline="", buffering=1 << 20) as out:
            while truth.bytes < size:
                millis += chance.randrange(40)
                if millis >= 1000:
                    millis -= 1000
                    second, text = next(clock)
                kind, message, queue, offset, other = say()
                further = _TRACE if kind == "commit-failed" else ()
                record = head(text, millis, "WARN" if further else "INFO") + message
                length = len(record) + sum(len(each) + len(end) for each in further) + len(end) - 1
                if kind is None:
                    truth.unknown += 1
                else:
                    truth.kinds[kind] += 1
                    sums["line"] += truth.lines + 1
                    sums["byte_offset"] += truth.bytes
                    sums["byte_length"] += length
                    sums["time_from"] += second * 1_000_000 + (millis * 1000 if has_millis else 0)
                    sums["queue"] += queue or 0
                    sums["offset"] += offset or 0
                    sums["other_offset"] += other or 0
                out.write(end.join((record, *further)) + end)
                truth.lines += 1 + len(further)
                truth.further += len(further)
                truth.bytes += length + 1
        return truth

    def client(self) -> Said:
        """A line of a client."""
        chance = self._chance
        x, at = chance.random(), int(chance.random() * len(self._cells))
        (group, topic, mq), queue = self._cells[at], self._queues[at]
        if x < 0.62:
            offset = self._offsets[at] = self._offsets[at] + int(chance.random() * 60)
            message = f"[persistAll] Group: {group} ClientId: {self._client} updateConsumeOffsetToBroker {mq} {offset}"
            return "commit-sent", message, queue, offset, None
        if x < 0.66:
            return "queue-added", f"doRebalance, {group}, add a new mq, {mq}", queue, None, None
        if x < 0.70:
            return "queue-removed", f"doRebalance, {group}, remove unnecessary mq, {mq}", queue, None, None
        if x < 0.71:
            message = f"remove unnecessary messageQueue offset. group={group}, mq={mq}, offsetTableSize=31"
            return "cell-removed", message, queue, None, None
        if x < 0.72:
            pull = f"PullRequest [consumerGroup={group}, messageQueue={mq}, nextOffset={self._offsets[at]}]"
            return "start", f"doRebalance, {group}, add a new pull request {pull}", queue, self._offsets[at], None
        if x < 0.73:
            sizes = "mqAllSize=24, cidAllSize=3, rebalanceResultSize=8"
            message = (
                f"rebalanced result changed. allocateMessageQueueStrategyName=AVG, group={group}, topic={topic}, "
                f"clientId={self._client}, {sizes}, rebalanceResultSet=[{', '.join([mq] * 8)}]"
            )
            return "allocated", message, None, None, None
        if x < 0.735:
            return "commit-failed", f"updateConsumeOffsetToBroker exception, {mq}", queue, None, None
        if x < 0.75:
            return "locked", f"the message queue locked OK, Group: {group} {mq}", queue, None, None
        return self._noise(x, group, mq)

    def broker(self) -> Said:
        """A line of a broker."""
        x, at = self._chance.random(), int(self._chance.random() * len(self._cells))
        (group, topic, mq), queue, offset = self._cells[at], self._queues[at], self._offsets[at]
        if x < 0.12:
            message = (
                "[NOTIFYME]update consumer offset less than store. clientHost=10.1.4.8:40112, "
                f"key={topic}@{group}, queueId={queue}, requestOffset={offset - 7}, storeOffset={offset}"
            )
            return "commit-below-store", message, queue, offset - 7, offset
        if x < 0.15:
            message = (
                f"PULL_OFFSET_MOVED:correction offset. topic={topic}, groupId={group}, requestOffset={offset}, "
                f"newOffset={offset + 999}, suggestBrokerId=0"
            )
            return "pull-moved", message, None, offset, offset + 999
        return self._noise(x, group, mq)

    def owner(self) -> Said:
        """A line of a client that has each of its queues to itself."""
        at = int(self._chance.random() * len(self._cells))
        return self._steps[at](at)

    def noise(self) -> Said:
        """A line that says nothing of offsets."""
        group, _, mq = self._cells[int(self._chance.random() * len(self._cells))]
        return self._noise(self._chance.random(), group, mq)

    def _added(self, at: int) -> Said:
        group, _, mq = self._cells[at]
        self._steps[at] = self._started
        return "queue-added", f"doRebalance, {group}, add a new mq, {mq}", self._queues[at], None, None

    def _started(self, at: int) -> Said:
        (group, _, mq), offset = self._cells[at], self._offsets[at]
        pull = f"PullRequest [consumerGroup={group}, messageQueue={mq}, nextOffset={offset}]"
        self._steps[at] = self._consumed
        return "start", f"doRebalance, {group}, add a new pull request {pull}", self._queues[at], offset, None

    def _consumed(self, at: int) -> Said:
        """A commit, the last one, or something else; one in 5,000 commits falls."""
        x, (group, _, mq), queue = self._chance.random(), self._cells[at], self._queues[at]
        if x < 0.01:
            self._steps[at] = self._added
            return "queue-removed", f"doRebalance, {group}, remove unnecessary mq, {mq}", queue, None, None
        if x < 0.69:
            moves = -1 if self._chance.random() < FALLS else 1 + int(self._chance.random() * 60)
            offset = self._offsets[at] = self._offsets[at] + moves
            message = f"[persistAll] Group: {group} ClientId: {self._client} updateConsumeOffsetToBroker {mq} {offset}"
            return "commit-sent", message, queue, offset, None
        if x < 0.7:
            return "commit-failed", f"updateConsumeOffsetToBroker exception, {mq}", queue, None, None
        return self._noise(x, group, mq)

    def _noise(self, x: float, group: str, mq: str) -> Said:
        port = int(x * 1e9) % 50_000 + 10_000
        if x < 0.82:
            message = "send heart beat to broker[broker-a 0 10.1.2.9:10911] success"
        elif x < 0.9:
            message = f"closeChannel: close the connection to remote address[10.1.2.9:{port}] result: true"
        elif x < 0.94:
            message = f"consumer fails to find {port} - retry later, doRebalance, not a template"
        elif x < 0.98:
            message = f"consumeMessage return null, Group: {group} Msgs: [{_BODY}] MQ: {mq}"
        elif x < 0.985:
            message = (
                f"consumeMessage exception: java.lang.RuntimeException Group: {group} Msgs: [{_BODY * 8}] MQ: {mq}"
            )
        else:
            message = f"register broker[0]to name server 10.1.2.{port % 9}:9876 OK"
        return None, message, None, None, None


def _clock() -> Iterator[tuple[int, str]]:
    """Seconds, and how they are written in GMT+8."""
    second = BEGINS
    while True:
        days, rest = divmod(second - BEGINS + 8 * 3600, 86_400)
        hours, minutes = rest // 3600, rest // 60 % 60
        month, day = (6, days + 1) if days < 30 else (7, days - 29)
        yield second, f"2024-{month:02d}-{day:02d} {hours:02d}:{minutes:02d}:{rest % 60:02d}"
        second += 1
