"""The whole rig on 4.9.4 and 5.3.3: what consumers of all kinds do there, kills, and JVMs that die or hang."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from offsetproof.programs import ProgramFailedError
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.jars import JarSet, read_lock
from offsetproof.real.whole.cluster import Cluster, Start, Subscription, running_cluster, whole_rig
from offsetproof.real.whole.listening import Delivery, ListenerAnswer, ListenerBehaviour, Script, deliveries_of
from offsetproof.real.whole.member import Member
from offsetproof.verdict.prerequisite import PrerequisiteError
from studies.natural_timing.waiting import until, wait

SECONDS = 60.0


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def whole(published: Callable[[str], JarSet]) -> CompiledRig:
    """What a cluster of 4.9.4 runs."""
    return whole_rig(published("4.9.4"))


@pytest.fixture(scope="module")
def cluster(whole: CompiledRig) -> Iterator[Cluster]:
    """A cluster for all tests that leave it as it is; each has a topic of its own."""
    with running_cluster(whole) as made:
        yield made


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_jvm_that_does_not_start_says_where_its_words_are(tmp_path: Path) -> None:
    rig = CompiledRig("4.9.4", tmp_path / "no.jar", str(tmp_path / "no.jar"), "java")
    member = Member(rig, "first", "consumer", tmp_path / "first", 30.0)
    with pytest.raises(ProgramFailedError) as refused:
        member.start()
    log = tmp_path / "first" / "logs" / "output.log"
    assert str(refused.value) == f"consumer first ended during `start`, with code 1; see {log}"
    assert "offsetproof.whole.Member" in log.read_text()
    with pytest.raises(ProgramFailedError, match="consumer first is not running; start it first"):
        member.ask("cells")


def test_empty_logs_are_not_kept(tmp_path: Path) -> None:
    member = Member(CompiledRig("4.9.4", tmp_path, "", "java"), "first", "consumer", tmp_path / "first", 1.0)
    member.keep_logs(tmp_path / "kept")
    member.logs.mkdir(parents=True)
    (member.logs / "empty.log").write_text("")
    (member.logs / "rocketmq_client.log").write_text("suspend this consumer\n")
    member.keep_logs(tmp_path / "kept")
    assert [path.name for path in (tmp_path / "kept" / "first").iterdir()] == ["rocketmq_client.log"]


def test_release_without_a_broker_cannot_run_a_cluster() -> None:
    with pytest.raises(PrerequisiteError) as refused:
        whole_rig(JarSet(read_lock("4.9.8"), Path("no/such/folder")))
    said = "no cluster of RocketMQ 4.9.8 can be started: Maven has no rocketmq-namesrv and no rocketmq-broker of it; "
    assert str(refused.value).startswith(said)


def test_deliveries_are_told_from_their_beginnings_and_ends() -> None:
    def note(what: str, at: int, body: str, batch: int, answer: str | None = None) -> dict[str, object]:
        return {
            "what": what,
            "at": at,
            "batch": batch,
            "body": body,
            "queue": 0,
            "offset": 3,
            "retries": 0,
            "answer": answer,
        }

    notes = [
        note("begins", 1000, "a", 1), note("begins", 1000, "b", 1), note("begins", 2000, "a", 2),
        note("ends", 2500, "a", 1, "SUCCESS"), note("ends", 2500, "b", 1, "SUCCESS"),
    ]  # fmt: skip
    assert deliveries_of(notes) == [
        Delivery("a", 0, 3, 0, 1, 1.0, 2.5, "SUCCESS"),
        Delivery("b", 0, 3, 0, 1, 1.0, 2.5, "SUCCESS"),
        Delivery("a", 0, 3, 0, 2, 2.0),
    ]


def test_script_is_told_to_a_listener_as_it_reads_it() -> None:
    script = Script(messages={"m1": ListenerBehaviour(ListenerAnswer.ROLLBACK, 1.5, ack_index=2, manual=True)})
    assert script.as_command() == {
        "otherwise": {"answer": "SUCCESS", "seconds": 0.0, "ackIndex": None, "throws": False, "manual": False},
        "messages": {
            "m1": {"answer": "ROLLBACK", "seconds": 1.5, "ackIndex": 2, "throws": False, "manual": True},
        },
    }


@pytest.mark.slow
def test_concurrent_consumer_is_given_a_batch_and_acknowledges_a_part(cluster: Cluster) -> None:
    cluster.create_topic("batch", group="batch")
    assert cluster.committed_offsets("batch", "batch") == [None]
    assert cluster.send("batch", ["m0", "m1", "m2"]) == [0, 1, 2]
    consumer = cluster.consumer("batch", Subscription("batch", "batch", batch=3))
    consumer.start(Script(messages={"m1": ListenerBehaviour(ack_index=1)}))
    wait(until(lambda: len(consumer.finished_deliveries()) == 4, SECONDS, "what is not acknowledged comes again"))
    first, again = consumer.finished_deliveries()[:3], consumer.finished_deliveries()[3]
    assert [(d.body, d.offset, d.batch, d.retries, d.answer) for d in first] == [
        (f"m{i}", i, 1, 0, "SUCCESS") for i in range(3)
    ]
    assert (again.body, again.retries) == ("m2", 1)
    assert consumer.cells() == {0: 3}
    consumer.persist()
    wait(until(lambda: cluster.committed_offsets("batch", "batch") == [3], SECONDS, "the commit is executed"))


@pytest.mark.slow
def test_orderly_consumer_that_suspends_is_given_the_same_again(cluster: Cluster) -> None:
    cluster.create_topic("order", group="order")
    cluster.send("order", ["m0", "m1"])
    consumer = cluster.consumer("order", Subscription("order", "order", orderly=True))
    consumer.start(Script(messages={"m0": ListenerBehaviour(ListenerAnswer.SUSPEND)}))
    wait(until(lambda: len(consumer.finished_deliveries()) >= 3, SECONDS, "three deliveries"))
    assert [d.body for d in consumer.finished_deliveries()][:3] == ["m0", "m0", "m0"]
    consumer.listen(Script())
    wait(until(lambda: consumer.finished_deliveries()[-1].body == "m1", SECONDS, "the next message"))
    consumer.stop()
    assert cluster.committed_offsets("order", "order") == [2]


@pytest.mark.slow
def test_broadcasting_consumer_keeps_its_offsets_in_its_folder_over_a_kill(cluster: Cluster) -> None:
    cluster.create_topic("news", group="news")
    consumer = cluster.consumer("news", Subscription("news", "news", broadcasting=True, start=Start.FIRST))
    consumer.start()
    cluster.send("news", ["m0", "m1"])
    wait(until(lambda: len(consumer.finished_deliveries()) == 2, SECONDS, "two deliveries"))
    consumer.persist()
    (file,) = consumer.offset_files
    assert '"queueId":0' in file.read_text()
    consumer.kill()
    cluster.send("news", ["m2"])
    consumer.start()
    wait(until(consumer.finished_deliveries, SECONDS, "a delivery after the kill"))
    assert [d.body for d in consumer.finished_deliveries()] == ["m2"]
    assert cluster.committed_offsets("news", "news") == [None]


@pytest.mark.slow
def test_consumer_that_is_killed_has_its_messages_delivered_to_another(cluster: Cluster) -> None:
    cluster.create_topic("kill", group="kill")
    cluster.send("kill", ["m0", "m1"])
    consumer = cluster.consumer("killed", Subscription("kill", "kill"))
    consumer.start(Script(ListenerBehaviour(seconds=600)))
    wait(until(lambda: len(consumer.deliveries()) == 2, SECONDS, "both are in the listener"))
    process = consumer.member.process_id
    consumer.kill()
    assert not is_alive(process)
    assert [d.ended for d in consumer.deliveries()] == [None, None]
    other = cluster.consumer("other", Subscription("kill", "kill"))
    other.start()
    wait(until(lambda: len(other.finished_deliveries()) == 2, SECONDS, "the other is given both"))


@pytest.mark.slow
def test_reset_is_that_of_the_tools_and_refused_as_there(cluster: Cluster) -> None:
    cluster.create_topic("reset", group="reset")
    with pytest.raises(ProgramFailedError, match="consumer group <reset> not exist"):
        cluster.reset("reset", "reset", 0)
    cluster.send("reset", ["m0", "m1"])
    consumer = cluster.consumer("reset", Subscription("reset", "reset"))
    consumer.start()
    wait(until(lambda: len(consumer.finished_deliveries()) == 2, SECONDS, "two deliveries"))
    consumer.persist()
    wait(until(lambda: cluster.committed_offsets("reset", "reset") == [2], SECONDS, "a commit"))
    assert cluster.reset("reset", "reset", time.time() - 3600) == {0: 0}
    wait(until(lambda: len(consumer.finished_deliveries()) == 4, SECONDS, "both come again after the reset"))


@pytest.mark.slow
def test_reset_of_a_client_of_another_release_is_seen_in_what_a_query_is_answered(
    published: Callable[[str], JarSet], whole: CompiledRig
) -> None:
    with running_cluster(whole_rig(published("5.3.3")), clients=whole) as cluster:
        assert cluster.release == "broker=5.3.3,client=4.9.4"
        cluster.create_topic("t", group="g")
        cluster.send("t", ["m0", "m1"])
        consumer = cluster.consumer("first", Subscription("t", "g"))
        cluster.watch("g", "t")
        consumer.start()
        wait(until(lambda: cluster.committed_offsets("g", "t") == [2], SECONDS, "a commit"))
        assert cluster.reset("g", "t", time.time() - 3600) == {0: 0}
        assert cluster.committed_offsets("g", "t") == [0]
        process = cluster.broker.process_id
        wait(until(lambda: len(consumer.finished_deliveries()) == 4, SECONDS, "both come again after the reset"))
        changes = cluster.end_watch("t")
        assert [offset for _, offset in changes][:1] == [None]
        assert {2, 0} <= {offset for _, offset in changes}
        assert [seconds for seconds, _ in changes] == sorted(seconds for seconds, _ in changes)
        cluster.restart_broker()
        assert cluster.broker.process_id != process
        assert not is_alive(process)
        assert cluster.min_offset("t") == 0


COMMITTED = re.compile(r'"offsetTable":\{(\s*"[^"]*":\{[^}]*\},?)*?\s*"t@g":\{[^}]*\b1:2\b')
"""The offset 2 of queue 1 in the table of what is committed: 5.x has one of what was pulled beside it."""


@pytest.mark.slow
@pytest.mark.parametrize("release", ["4.9.4", "5.3.3", "5.5.0"])
def test_broker_that_is_killed_comes_back_with_what_it_had_flushed(
    published: Callable[[str], JarSet], folders: Path, release: str
) -> None:
    logs = folders / "logs"
    with running_cluster(whole_rig(published(release)), logs=logs) as cluster:
        cluster.create_topic("t", queues=2, group="g")
        consumer = cluster.consumer("first", Subscription("t", "g", start=Start.FIRST))
        consumer.start()
        cluster.send("t", ["m0", "m1"], queue=1)
        wait(until(lambda: len(consumer.finished_deliveries()) == 2, SECONDS, "two deliveries"))
        wait(until(lambda: cluster.committed_offsets("g", "t")[1] == 2, SECONDS, "the timer commits"))
        file = cluster.broker.folder / "store" / "config" / "consumerOffset.json"
        wait(until(lambda: file.exists() and COMMITTED.search(file.read_text()), SECONDS, "the broker flushes"))
        consumer.kill()
        cluster.broker.kill()
        cluster.start_broker()
        assert cluster.committed_offsets("g", "t")[1] == 2
        assert cluster.min_offset("t", 1) == 0
        consumer.start()
        wait(until(lambda: cluster.send("t", ["m2"], queue=1) == [2], SECONDS, "the broker takes messages"))
        wait(until(consumer.finished_deliveries, SECONDS, "a delivery"))
        assert [d.body for d in consumer.finished_deliveries()] == ["m2"]
        processes = [member.process_id for member in cluster.members]
    assert not any(map(is_alive, processes))
    assert [*folders.glob("offsetproof-*")] == []
    assert "start OK" in (logs / "first" / "rocketmq_client.log").read_text()
    assert {path.name for path in logs.iterdir()} == {"name-server", "broker", "tools", "first"}


@pytest.mark.slow
def test_jvm_that_hangs_is_told_after_its_time_and_nothing_is_left_running(whole: CompiledRig, folders: Path) -> None:
    processes: list[int] = []

    def hang() -> None:
        with running_cluster(whole, patience=25) as cluster:
            processes.extend(member.process_id for member in cluster.members)
            cluster.create_topic("t", group="g")
            os.kill(cluster.broker.process_id, signal.SIGSTOP)
            time.sleep(1)  # not all of its threads stand at once
            cluster.committed_offsets("g", "t")

    begun = time.monotonic()
    with pytest.raises(ProgramFailedError) as refused:
        hang()
    assert 25 < time.monotonic() - begun < 90
    (kept,) = folders.glob("offsetproof-*")
    log = kept / "broker" / "logs" / "output.log"
    assert str(refused.value) == f"the broker has not answered `committed` in 25 s; see {log}"
    assert log.is_file()
    assert len(processes) == 3
    assert not any(map(is_alive, processes))


@pytest.mark.slow
def test_jvm_that_is_killed_from_outside_is_told_with_its_name(whole: CompiledRig, folders: Path) -> None:
    def send() -> None:
        with running_cluster(whole) as cluster:
            os.kill(cluster.tools.process_id, signal.SIGKILL)
            cluster.send("t", ["m0"])

    with pytest.raises(ProgramFailedError) as refused:
        send()
    (kept,) = folders.glob("offsetproof-*")
    said = str(refused.value)
    assert said.startswith("the tools ")
    assert said.endswith(f"with code -9; see {kept}/tools/logs/output.log")


@pytest.mark.slow
def test_jvms_end_with_the_program_that_started_them(whole: CompiledRig, tmp_path: Path) -> None:
    program = (
        "import pathlib, sys, time\n"
        "from offsetproof.real.compiling import CompiledRig\n"
        "from offsetproof.real.whole.cluster import running_cluster\n"
        f"jar = pathlib.Path({str(whole.jar)!r})\n"
        f"rig = CompiledRig({whole.release!r}, jar, {whole.class_path!r}, {whole.java!r})\n"
        "with running_cluster(rig) as cluster:\n"
        "    print(*(member.process_id for member in cluster.members), flush=True)\n"
        "    time.sleep(600)\n"
    )
    given = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=given) as going:
        assert going.stdout is not None
        processes = [int(word) for word in going.stdout.readline().split()]
        assert len(processes) == 3
        assert all(map(is_alive, processes))
        going.kill()
    wait(until(lambda: not any(map(is_alive, processes)), 10, "the JVMs end"))


@pytest.mark.slow
def test_member_that_is_started_with_nonsense_says_what_the_jvm_says(whole: CompiledRig, tmp_path: Path) -> None:
    member = Member(whole, "odd", "name server", tmp_path / "odd", 30.0)
    with pytest.raises(ProgramFailedError, match=r"name server odd refuses `start`: .*NumberFormatException"):
        member.start(port="no port")
    assert not member.is_running
    other = Member(replace(whole, java="java"), "other", "name server", tmp_path / "other", 30.0)
    port = other.start()
    with pytest.raises(ProgramFailedError, match=r"name server other refuses `fly`: .*no such command: fly"):
        other.ask("fly")
    other.stop()
    assert 1024 < port < 65536
