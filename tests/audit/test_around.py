"""The events around a finding are those of its queue, and of what concerns the queue, whatever else silver holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from audit.made import finding
from audit.queue_logs import broker, client, of_group
from audit.test_gold import write_silver

from offsetproof.audit.around import Silver, events_around
from offsetproof.audit.event import Event
from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.gold.clocks import Clocks
from offsetproof.audit.gold.finding import FindingKind


def every_place() -> list[Event]:
    """Commits of two groups, topics and queues; a line of each group, one of a topic, one that names nothing."""
    own = [
        replace(client(1, 5.0 * at, Kind.COMMIT_SENT, at), group=group, topic=topic, queue=queue)
        for at, (group, topic, queue) in enumerate(
            (group, topic, queue) for group in ("g", "h") for topic in ("t", "u") for queue in (0, 1)
        )
    ]
    wide = [of_group(broker(50.0 + at, Kind.RESET_SENT)) for at in range(4)]
    return [
        *own,
        replace(wide[0], group="g", topic=None),
        replace(wide[1], group="h", topic=None),
        replace(wide[2], group="g", topic="t"),
        replace(wide[3], group=None, topic=None),
    ]


def test_around_each_finding_is_what_all_events_have_around_it(tmp_path: Path) -> None:
    events = every_place()
    write_silver(tmp_path, events)
    of_queue = replace(finding(FindingKind.COMMIT_REGRESSION, events[:1]), group="g", topic="t", broker="broker-a")
    asked = [
        replace(of_queue, queue=0),
        replace(of_queue, queue=None, topic=None, broker=None),
    ]
    for each in asked:
        found = Silver(tmp_path / "silver").around([each])(each)
        assert found == events_around(each, events)
        assert len(found) == {0: 4, None: 7}[each.queue]
    several = Silver(tmp_path / "silver").around(asked)
    assert [several(each) for each in asked] == [events_around(each, events) for each in asked]


def test_lines_of_pieces_joined_newest_first_are_not_in_the_order_of_their_file(tmp_path: Path) -> None:
    late, early = client(1, 110.0, Kind.COMMIT_SENT, 5), client(1, 10.0, Kind.COMMIT_SENT, 3)
    joined = [replace(late, byte_offset=0), replace(early, file=late.file, byte_offset=100)]
    write_silver(tmp_path, joined)
    of = {name: getattr(late, name) for name in ("group", "topic", "broker", "queue")}
    about = replace(finding(FindingKind.COMMIT_REGRESSION, joined[::-1]), **of)
    around = Silver(tmp_path / "silver").around([about])
    found = around(about)
    assert [event.offset for event in found] == [3, 5]
    assert around.turns == {late.file: [100]}
    assert Clocks(timedelta(seconds=1), around.turns).before(*found) is None
    assert Clocks(timedelta(seconds=1)).before(*found) is False
