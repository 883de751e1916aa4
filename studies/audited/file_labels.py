"""Offset files that lost a queue, or that a broker could not read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from offsetproof.audit.gold.finding import FindingKind
from studies.audited.label import Label
from studies.audited.recording import BROKER, Recorded


def queues_lost(recorded: Recorded) -> Iterator[Label]:
    """A broadcasting client's file of offsets from which a queue is gone."""
    last: dict[str, dict[tuple[str, int], int]] = {}
    for at, name, text in recorded.snapshots:
        if name == BROKER:
            continue
        rows = rows_of_file(text)
        group = next(life.subscription.group for life in recorded.lives if life.name == name)
        for topic, queue in last.get(name, {}).keys() - rows.keys():
            yield Label(FindingKind.FILE_LOST_QUEUE, group, topic, queue, at, "the file has had a row of the queue")
        last[name] = rows


def files_fallen_back(recorded: Recorded) -> Iterator[Label]:
    """A broker whose file of offsets was damaged loads the one before; of an empty file it logs nothing."""
    for at, file, left in recorded.requests("damaged"):
        says = f"{left} bytes are left of {file} when the broker is started"
        yield Label(FindingKind.FILE_FELL_BACK, None, None, None, at, says, shown=left > 0)


def rows_of_file(text: str) -> dict[tuple[str, int], int]:
    """The offsets by topic and queue; a row's key is a JSON object with its names in no order.

    >>> rows_of_file('{"offsetTable":{{"brokerName":"b","queueId":1,"topic":"t"}:7}}')
    {('t', 1): 7}
    """
    rows = {}
    for key, offset in re.findall(r"\{([^{}]*)\}\s*:\s*(\d+)", text):
        topic, queue = re.search(r'"topic":"([^"]*)"', key), re.search(r'"queueId":(\d+)', key)
        if topic and queue:
            rows[topic[1], int(queue[1])] = int(offset)
    return rows
