"""A whole broker and its slave: what a fail-over loses, who serves consumers, what the old master brings back."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from offsetproof.real.jars import JarSet
from offsetproof.real.whole.cluster import Cluster, Consumer, Start, Subscription, running_cluster, whole_rig
from offsetproof.real.whole.member import Member
from studies.natural_timing.waiting import until, wait

SECONDS = 60.0
TOPIC = GROUP = "orders"


def consumer_of(cluster: Cluster, name: str) -> Consumer:
    return cluster.consumer(name, Subscription(TOPIC, GROUP, start=Start.FIRST))


def commits(cluster: Cluster, consumer: Consumer, offset: int) -> None:
    """Sends what is missing to the offset, and has the master know it."""
    cluster.send(TOPIC, [f"m{number}" for number in range(cluster.committed_offsets(GROUP, TOPIC)[0] or 0, offset)])
    wait(until(lambda: consumer.cells() == {0: offset}, SECONDS, "all is consumed"))
    consumer.persist()
    wait(until(lambda: cluster.committed_offsets(GROUP, TOPIC) == [offset], SECONDS, "the master has the commit"))


def copy(cluster: Cluster, slave: Member, offset: int) -> None:
    """The slave copies until it has the offset: it knows its master when it has registered after that."""

    def copied() -> bool:
        slave.ask("copy")
        return cluster.committed_offsets(GROUP, TOPIC, at=slave) == [offset]

    wait(until(copied, SECONDS, "the slave has copied"))


@pytest.mark.slow
@pytest.mark.parametrize(("release", "serves"), [("4.9.4", True), ("5.3.3", False)])
def test_fail_over_loses_what_was_not_copied_and_the_old_master_brings_its_own_back(
    published: Callable[[str], JarSet], release: str, *, serves: bool
) -> None:
    with running_cluster(whole_rig(published(release))) as cluster:
        slave = cluster.start_slave()
        cluster.create_topic(TOPIC, group=GROUP)
        consumer = consumer_of(cluster, "first")
        consumer.start()
        commits(cluster, consumer, 3)
        copy(cluster, slave, 3)
        cluster.broker.ask("flush")
        commits(cluster, consumer, 5)
        wait(until(lambda: slave.ask("max", topic=TOPIC, queue=0) == 5, SECONDS, "the slave has all messages"))
        cluster.broker.kill()
        consumer.kill()
        assert cluster.committed_offsets(GROUP, TOPIC, at=slave) == [3], "two commits are not there (I19)"

        second = consumer_of(cluster, "second")
        second.start()
        wait(until(lambda: second.cells().get(0), SECONDS, "the slave has answered"))
        if serves:
            wait(until(lambda: second.cells() == {0: 5}, SECONDS, "the slave serves pulls"))
            assert {each.offset for each in second.finished_deliveries()} == {3, 4}
            second.persist()
            wait(until(lambda: cluster.committed_offsets(GROUP, TOPIC, at=slave) == [5], SECONDS, "the slave commits"))
        else:
            time.sleep(5)
            assert second.finished_deliveries() == []
            assert second.cells() == {0: 3}
        second.kill()

        cluster.start_broker()
        (back,) = cluster.committed_offsets(GROUP, TOPIC)
        assert back in (3, 5), "what the master had flushed last: its timer may have been quick"
        copy(cluster, slave, back)


@pytest.mark.slow
@pytest.mark.parametrize("slave_acts", [False, True])
def test_restart_in_order_loses_commits_only_where_the_slave_acts_as_master(
    published: Callable[[str], JarSet], *, slave_acts: bool
) -> None:
    with running_cluster(whole_rig(published("5.3.3")), slave_acts=slave_acts) as cluster:
        slave = cluster.start_slave()
        cluster.create_topic(TOPIC, group=GROUP)
        consumer = consumer_of(cluster, "first")
        consumer.start()
        commits(cluster, consumer, 3)
        copy(cluster, slave, 3)
        commits(cluster, consumer, 5)
        consumer.kill()
        cluster.broker.stop()
        cluster.start_broker()
        back = [3] if slave_acts else [5]
        wait(until(lambda: cluster.committed_offsets(GROUP, TOPIC) == back, SECONDS, "the master has its table"))
        time.sleep(5)
        assert cluster.committed_offsets(GROUP, TOPIC) == back
