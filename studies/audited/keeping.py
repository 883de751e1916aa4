"""What is kept of a recording: logs, snapshots of offset files, and labels.json, without what names the machine."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from offsetproof.real.whole.cluster import Cluster
from studies.audited.labels import labels_of
from studies.audited.recording import BROKER, Recorded, now

KEPT = ("rocketmq_client.log", "broker.log", "lock.log", "filter.log")
"""The log files that are kept; others say nothing about offsets.

5.x declares the appender of its locks a second time, for filter.log: that is where their lines are.
"""
_HOME = b"/opt/rocketmq"
_LOOPBACK = b"127.0.0.1"
_ADDRESS = re.compile(rb"(?<![\d.])(?!127\.)(?!0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_JARS = re.compile(rb"[^\s\"=,:\[]*/([\w.-]+\.jar)")
_RECORD = re.compile(rb"^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)", re.MULTILINE)
_LEFT_OUT = re.compile(
    rb"\S+ \S+ (?:DEBUG io\.netty\.|INFO main - (?:\w+=|load exist)"
    rb"|INFO HeartbeatThread_\d+ - (?:subscription changed|ClientManage)"
    rb"|(?:INFO|WARN) (?:RocketmqRemoting - | *\[\d+\] \[[^\]]*\] \[RocketmqRemoting#)"
    rb"|INFO .*(?:Stats In One (?:Minute|Hour|Day)|HeartbeatData \[|service thread|join thread|shutdown thread))"
)
"""Records of the kinds that make up most of a log and say nothing about offsets: they stay in `clean` alone."""


def keep(cluster: Cluster, recorded: Recorded, folder: Path, *, whole: bool) -> None:
    """Writes what is kept into a folder by host; each member of the cluster is a host of its name.

    Without `whole` lines of the most frequent kinds are left out.
    """
    for member in cluster.members:
        if member.role in ("broker", "consumer"):
            for name, data in _files(member.logs):
                _write(folder / member.name / name, _neutral(data, cluster), whole=whole)
    for file in (cluster.broker.folder / "store" / "config").glob("consumerOffset.json*"):
        _write(folder / "broker" / file.name, file.read_bytes(), whole=True)
    for group, printed in recorded.progress.items():
        _write(folder / "broker" / f"consumerProgress-{group}.txt", printed.encode(), whole=True)
    for at, name, text in recorded.snapshots:
        taken = f"{datetime.fromtimestamp(at // 1_000_000, UTC):%Y-%m-%dT%H:%M:%SZ}"
        if name == BROKER:
            _write(folder / name / f"consumerOffset.json.{taken}", text.encode(), whole=True)
        else:
            life = next(life for life in recorded.lives if life.name == name)
            place = folder / name / life.client / life.subscription.group
            _write(place / f"offsets.json.{taken}", text.encode(), whole=True)


def _files(logs: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(logs.glob("**/*.log")):
        if file.name in KEPT and file.stat().st_size:
            yield file.name, file.read_bytes()


def _neutral(data: bytes, cluster: Cluster) -> bytes:
    """Without this machine's address and folders."""
    home = str(cluster.broker.folder.parent).encode()
    return _JARS.sub(_HOME + rb"/lib/\1", _ADDRESS.sub(_LOOPBACK, data.replace(home, _HOME)))


def _write(file: Path, data: bytes, *, whole: bool) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(record for record in _RECORD.split(data) if whole or not _LEFT_OUT.match(record)))


def labels_json(release: str, clients: str, does: str, recorded: Recorded, zones: dict[str, str]) -> str:
    """What labels.json says: what was done, what an audit has to find, and what happened.

    `clients` is the release of the clients alone.
    """
    said: dict[str, Any] = {
        "release": release,
        "does": does,
        "begun": recorded.begun,
        "zones": zones,
        "expected": [label.as_json() for label in labels_of(recorded, starts_are_logged=clients.startswith("4."))],
        "resets": [
            {"at": reset.at, "group": reset.group, "topic": reset.topic, "targets": dict(reset.targets)}
            for reset in recorded.resets
        ],
        "lives": [
            {
                "host": life.name,
                "client": life.client,
                "group": life.subscription.group,
                "began": life.began,
                "ended": life.ended,
                "end": life.end,
                "owned": {queue: list(spells) for queue, spells in sorted(life.owned.items())},
            }
            for life in recorded.lives
        ],
        "stored": _changes(recorded, "stored"),
        "marked": _changes(recorded, "marked"),
        "deliveries": _deliveries(recorded),
        "retried": sorted({each.body for life in recorded.lives for each in life.deliveries if each.retries}),
    }
    return _by_lines(said)


def _by_lines(said: dict[str, Any]) -> str:
    """JSON with a line for each value, and for each item of a list."""
    lines = []
    for name, value in said.items():
        text = ",\n  ".join(json.dumps(item) for item in value) if isinstance(value, list) else json.dumps(value)
        lines.append(
            f"{json.dumps(name)}: " + (f"[\n  {text}\n ]" if isinstance(value, list) and value else text or "[]")
        )
    return "{\n " + ",\n ".join(lines) + "\n}\n"


def _changes(recorded: Recorded, what: str) -> list[dict[str, Any]]:
    """The values that each row of a table has had, with their times."""
    return [
        {"group": group, "topic": topic, "queue": queue, "values": [list(change) for change in changes]}
        for (group, topic, queue), changes in sorted(recorded.values(what).items())
    ]


def _ranges(offsets: set[int]) -> list[list[int]]:
    """Offsets as ranges, of which the second is included.

    >>> _ranges({1, 2, 3, 7})
    [[1, 3], [7, 7]]
    """
    found: list[list[int]] = []
    for offset in sorted(offsets):
        if found and offset == found[-1][1] + 1:
            found[-1][1] = offset
        else:
            found.append([offset, offset])
    return found


def _deliveries(recorded: Recorded) -> list[dict[str, Any]]:
    """How often the messages of each group and queue were given to listeners."""
    times: dict[tuple[str, str, int], Counter[int]] = {}
    for life in recorded.lives:
        group, topic = life.subscription.group, life.subscription.topic
        for delivery in life.deliveries:
            if not delivery.retries:
                times.setdefault((group, topic, delivery.queue), Counter())[delivery.offset] += 1
    return [
        {
            "group": group,
            "topic": topic,
            "queue": queue,
            "messages": recorded.max_offset(topic, queue, now()),
            "never": _ranges({*range(recorded.max_offset(topic, queue, now()))} - {*given}),
            "again": _ranges({offset for offset, count in given.items() if count > 1}),
        }
        for (group, topic, queue), given in sorted(times.items())
    ]
