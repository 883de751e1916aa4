"""From files to findings where collecting has mixed them up: pids that are alike, copies, hosts without a name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from audit.steps import read_silver

from offsetproof.audit.auditing import Asked, audit_here
from offsetproof.audit.gold.finding import Certainty, FindingKind

CERTAIN, POSSIBLE = Certainty.CERTAIN, Certainty.POSSIBLE
MQ = "MessageQueue [topic=orders, brokerName=broker-a, queueId=0]"


def found(tmp_path: Path, *paths: Path) -> list[tuple[FindingKind, Certainty]]:
    """What an audit of these files finds."""
    asked = Asked(tuple(map(str, paths)), zones={"": "UTC"}, searches=False)
    findings = [each.finding for each in audit_here(asked, tmp_path / "tables").audit.found]
    return sorted((each.kind, each.certainty) for each in findings)


def write(file: Path, lines: Sequence[str]) -> Path:
    """A log with these lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def client_5(begin: int, end: int, client: str, pid: int = 1) -> list[str]:
    """What a client of 5.x logs that has the queue in these seconds of a minute, and commits every 5 s."""
    head = f"INFO  [{pid}] [main] [RemotingUtil#?:?] - "
    added = f"2026-11-28 10:00:{begin:02}.000 {head}doRebalance, billing, add a new mq, {MQ}"
    return [added, *(f"2026-11-28 10:00:{at:02}.100 {head}{commit(client, at)}" for at in range(begin + 5, end, 5))]


def client_4(begin: int, end: int, client: str) -> list[str]:
    """The same of a client of 4.x."""
    head = "INFO RocketmqClient - "
    added = f"2026-11-28 10:00:{begin:02},000 {head}doRebalance, billing, add a new mq, {MQ}"
    return [added, *(f"2026-11-28 10:00:{at:02},100 {head}{commit(client, at)}" for at in range(begin + 5, end, 5))]


def commit(client: str, offset: int) -> str:
    """A commit line without its head."""
    return f"[persistAll] Group: billing ClientId: {client} updateConsumeOffsetToBroker {MQ} {offset}"


def test_two_containers_whose_processes_have_one_pid_are_two_owners(tmp_path: Path) -> None:
    one = write(tmp_path / "app1" / "rocketmq_client.log", client_5(0, 60, "10.0.0.1@1#7"))
    two = write(tmp_path / "app2" / "rocketmq_client.log", client_5(22, 60, "10.0.0.2@1#8"))
    assert (FindingKind.TWO_OWNERS, CERTAIN) in found(tmp_path, one, two)


def test_two_containers_with_one_pid_and_one_client_id_are_two_processes(tmp_path: Path) -> None:
    one = write(tmp_path / "app1" / "rocketmq_client.log", client_5(0, 60, "worker"))
    two = write(tmp_path / "app2" / "rocketmq_client.log", client_5(22, 60, "worker"))
    assert (FindingKind.CLIENT_ID_TWICE, CERTAIN) in found(tmp_path, one, two)


def test_pieces_that_were_put_together_newest_first_show_no_offset_that_fell(tmp_path: Path) -> None:
    lines = client_4(0, 60, "10.0.0.1@1")
    newer = [f"2026-11-28 10:02:{at:02},100 INFO RocketmqClient - {commit('10.0.0.1@1', 60 + at)}" for at in range(60)]
    assert found(tmp_path, write(tmp_path / "app1" / "all.log", [*newer, *lines])) == []


def test_log_that_was_put_behind_itself_shows_nothing(tmp_path: Path) -> None:
    lines = client_4(0, 60, "10.0.0.1@1")
    more = [f"2026-11-28 10:02:{at:02},100 INFO RocketmqClient - {commit('10.0.0.1@1', 60 + at)}" for at in range(60)]
    assert found(tmp_path, write(tmp_path / "app1" / "all.log", [*lines, *more, *lines, *more])) == []


@pytest.mark.parametrize("other", ["app1/app.log", "app1-saved/rocketmq_client.log"])
def test_log_that_was_collected_twice_is_one_process(tmp_path: Path, other: str) -> None:
    lines = client_4(0, 60, "10.0.0.1@1")
    copy = write(tmp_path / other, ["2026-11-28 09:59:59,000 INFO Main - hello", *lines])
    assert found(tmp_path, write(tmp_path / "app1" / "rocketmq_client.log", lines), copy) == []


def test_logs_beside_what_they_were_put_together_to_are_one_process(tmp_path: Path) -> None:
    lines = client_4(0, 60, "10.0.0.1@1")
    old = write(tmp_path / "app1" / "rocketmq_client.log.1", lines[:7])
    new = write(tmp_path / "app1" / "rocketmq_client.log", lines[7:])
    assert found(tmp_path, old, new, write(tmp_path / "app1" / "all.log", lines)) == []


def test_other_owner_is_found_beside_a_copy(tmp_path: Path) -> None:
    lines = client_4(0, 60, "10.0.0.1@1")
    one, copy = write(tmp_path / "app1" / "a.log", lines), write(tmp_path / "app1" / "b.log", ["hello", *lines])
    two = write(tmp_path / "app2" / "a.log", client_4(22, 60, "10.0.0.2@1"))
    assert found(tmp_path, one, copy, two).count((FindingKind.TWO_OWNERS, CERTAIN)) == 1


def test_line_of_a_broker_that_was_collected_twice_counts_once(tmp_path: Path) -> None:
    said = (
        "2026-11-28 18:00:00 WARN Thread_4 - [NOTIFYME]update consumer offset less than store. clientHost=10.0.0.1:33, "
        "key=orders@billing, queueId=0, requestOffset=5, storeOffset=9"
    )
    one = write(tmp_path / "broker-a" / "broker.log", [said])
    two = write(tmp_path / "broker-a" / "all.log", ["2026-11-28 17:00:00 INFO main - hello", said])
    asked = Asked((str(one), str(two)), searches=False)
    (each,) = audit_here(asked, tmp_path / "tables").audit.found
    assert each.finding.says == "the committed offset went back from 9 to 5"


def reset_at_broker(name: str) -> list[str]:
    """What a broker of 5.x logs that is reset, and has the lower offset of the owner later."""
    queue = f'{{"brokerName":"{name}","queueId":0,"topic":"orders"}}'
    return [
        "2026-11-28 18:00:00 INFO Thread_4 - Reset offset, topic=orders, group=billing, "
        f'queues={{"offsetTable":{{{queue}:4}}}}',
        "2026-11-28 18:00:09 WARN Thread_4 - [NOTIFYME]update consumer offset less than store. clientHost=10.0.0.1:33, "
        "key=orders@billing, queueId=0, requestOffset=4, storeOffset=9",
    ]


def test_lines_of_a_broker_belong_to_the_queue_that_its_own_log_names(tmp_path: Path) -> None:
    one, two = (write(tmp_path / f"10.0.0.{n}" / "broker.log", reset_at_broker(f"broker-{n}")) for n in (5, 6))
    alone = found(tmp_path / "alone", one)
    assert found(tmp_path, one, two) == [*alone, *alone]


def test_queues_of_two_brokers_without_a_name_are_two(tmp_path: Path) -> None:
    one, two = (write(tmp_path / f"10.0.0.{n}" / "broker.log", reset_at_broker("b")[1:]) for n in (5, 6))
    asked = Asked((str(one), str(two)), searches=False)
    says = [each.finding.says for each in audit_here(asked, tmp_path / "tables").audit.found]
    assert says == ["the committed offset went back from 9 to 4"] * 2


def offset_file(file: Path, queues: int, at: int) -> Path:
    """A broker's offset file with so many queues of a topic, of this time."""
    rows = ",".join(f"{queue}:{at}" for queue in range(queues))
    many = ",".join(f'"idle-{number}@billing":{{0:1}}' for number in range(400))
    write(file, [f'{{"offsetTable":{{{many},"orders@billing":{{{rows}}}}}}}'])
    os.utime(file, (1_795_860_000 + at, 1_795_860_000 + at))
    return file


LOST = (FindingKind.FILE_LOST_QUEUE, CERTAIN)


def test_backup_that_was_copied_last_is_older_all_the_same(tmp_path: Path) -> None:
    newer = offset_file(tmp_path / "broker-a" / "consumerOffset.json", 2, 0)
    older = offset_file(tmp_path / "broker-a" / "consumerOffset.json.bak", 1, 9)
    assert found(tmp_path, newer, older) == []
    newer = offset_file(tmp_path / "broker-b" / "consumerOffset.json", 1, 0)
    older = offset_file(tmp_path / "broker-b" / "consumerOffset.json.bak", 2, 9)
    assert found(tmp_path / "b", newer, older) == [LOST]


def test_snapshot_is_of_the_time_in_its_name(tmp_path: Path) -> None:
    newer = offset_file(tmp_path / "broker-a" / "consumerOffset.json.2024-06-02T08:00:00Z", 2, 0)
    older = offset_file(tmp_path / "broker-a" / "consumerOffset.json.2024-06-01T08:00:00Z", 1, 9)
    assert found(tmp_path, newer, older) == []


def test_offset_file_that_is_audited_again_is_compared_with_what_it_was(tmp_path: Path) -> None:
    file = offset_file(tmp_path / "broker-a" / "consumerOffset.json", 2, 0)
    assert found(tmp_path, file) == []
    offset_file(file, 2, 50)
    assert found(tmp_path, file) == []
    offset_file(file, 1, 100)
    asked = Asked((str(file),), searches=False)
    (each,) = audit_here(asked, tmp_path / "tables").audit.found
    assert (each.finding.kind, each.finding.certainty) == LOST
    assert each.finding.evidence[0].text == "orders@billing 1:50"


def test_offset_files_of_one_host_in_two_folders_may_be_those_of_two_brokers(tmp_path: Path) -> None:
    one = offset_file(tmp_path / "a" / "consumerOffset.json", 2, 0)
    two = offset_file(tmp_path / "b" / "consumerOffset.json", 1, 9)
    asked = Asked((f"h={one}", f"h={two}"), searches=False)
    (each,) = audit_here(asked, tmp_path / "tables").audit.found
    assert (each.finding.kind, each.finding.certainty) == (FindingKind.FILE_LOST_QUEUE, POSSIBLE)
    assert each.finding.decided_by == "whether both files are of one broker"


def test_logs_named_by_address_are_those_of_two_processes(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "rocketmq_client.log.10.0.0.1", client_4(0, 60, "10.0.0.1@1"))
    write(tmp_path / "logs" / "rocketmq_client.log.10.0.0.2", client_4(22, 60, "10.0.0.2@1"))
    assert (FindingKind.TWO_OWNERS, CERTAIN) in found(tmp_path, tmp_path / "logs")


def syslog(file: Path, lines: Sequence[tuple[str, str]], written: datetime) -> Path:
    """A log whose stamps have no year, and that was written to until then."""
    write(file, [f"{stamp} app INFO {message}" for stamp, message in lines])
    os.utime(file, (written.timestamp(), written.timestamp()))
    return file


@pytest.mark.parametrize("hour", [0, 30])
def test_stamps_without_a_year_go_on_into_the_next_one(tmp_path: Path, hour: int) -> None:
    """Zones of the east are in the new year while it is the old one in UTC."""
    written = datetime(2025, 12, 31, 23, 0, 40, tzinfo=UTC) + timedelta(hours=hour)
    added = f"doRebalance, billing, add a new mq, {MQ}"
    first = [("Dec 31 23:59:50", added), ("Dec 31 23:59:55", commit("a", 5))]
    first += [(f"Jan  1 00:00:{at:02}", commit("a", at)) for at in (5, 10)]
    second = [("Jan  1 00:00:20", added), *((f"Jan  1 00:00:{at:02}", commit("b", at)) for at in (25, 30))]
    one = syslog(tmp_path / "app1" / "app.log", first, written)
    two = syslog(tmp_path / "app2" / "app.log", second, written)
    asked = Asked((str(one), str(two)), zones={"": "Europe/Berlin"}, searches=False)
    done = audit_here(asked, tmp_path / "tables")
    assert done.audit.found == ()
    times = sorted(datetime.fromtimestamp(each.time_from / 1e6, UTC) for each in read_silver(tmp_path / "tables"))
    assert (times[0], times[-1]) == (
        datetime(2025, 12, 31, 22, 59, 50, tzinfo=UTC),
        datetime(2025, 12, 31, 23, 0, 30, tzinfo=UTC),
    )
