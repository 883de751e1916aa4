"""Watching real clusters: what is found with which poll, that nothing is written, and a broker that dies meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from offsetproof.audit.gold.finding import Finding
from offsetproof.audit.live.conditions import Direction
from offsetproof.audit.live.following import Fate
from offsetproof.audit.live.journal import Journal
from offsetproof.audit.live.observer import Clock, observer_rig, observing
from offsetproof.audit.live.watching import Wanted, Watch
from offsetproof.real.jars import JarSet
from offsetproof.real.whole.cluster import Cluster, Consumer, Subscription, running_cluster, whole_rig
from studies.natural_timing.waiting import until, wait

RELEASES = ("4.9.4", "5.3.3", "5.5.0")
GROUP, TOPIC = "shop", "orders"
BEHIND = 150
"""Messages of each queue: more than come anew while something is decided."""


@dataclass
class ActingClock(Clock):
    """The time; when a wait is over, what is due before the next poll is done, by the number of the poll."""

    acts: dict[int, Callable[[], object]] = field(default_factory=dict)
    polls: int = 1

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
        self.acts.pop(self.polls, lambda: None)()
        self.polls += 1


@dataclass
class Heard:
    """What was said, each with the number of its poll."""

    clock: ActingClock
    findings: list[tuple[int, Finding]] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)

    def finding(self, finding: Finding) -> None:
        self.findings.append((self.clock.polls, finding))

    def note(self, text: str) -> None:
        self.notes.append((self.clock.polls, text))

    def status(self, text: str) -> None:
        pass


@pytest.fixture(scope="module", params=RELEASES)
def jars(request: pytest.FixtureRequest, published: Callable[[str], JarSet]) -> JarSet:
    """The jars of a release."""
    return published(request.param)


@pytest.fixture(scope="module")
def cluster(jars: JarSet) -> Iterator[Cluster]:
    """A cluster of the release."""
    with running_cluster(whole_rig(jars)) as made:
        yield made


@pytest.fixture
def consumer(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[Consumer]:
    """A consumer of a topic and a group of their own, with two queues, who has consumed all that there is."""
    topic = request.node.originalname.replace("_", "-")
    cluster.create_topic(topic, queues=2, group=f"{topic}-group")
    made = cluster.consumer(f"{topic}-first", Subscription(topic, f"{topic}-group"))
    made.start()
    for queue in (0, 1):
        for number in range(0, BEHIND, 50):
            cluster.send(topic, [f"m{number + each}" for each in range(50)], queue=queue)
    wait(until(lambda: cluster.committed_offsets(f"{topic}-group", topic) == [BEHIND, BEHIND], 60.0, "all committed"))
    yield made
    made.kill()


def watched(
    cluster: Cluster, jars: JarSet, consumer: Consumer, polls: int, acts: dict[int, Callable[[], object]],
    before_reset: Direction | None = None,
) -> tuple[Watch, Heard]:  # fmt: skip
    """The watch of a consumer's group, a second from poll to poll."""
    clock = ActingClock(acts)
    heard = Heard(clock)
    wanted = Wanted(cluster.name_server, consumer.subscription.group, None, polls - 0.5, 1.0, before_reset)
    with observing(observer_rig(jars), cluster.name_server) as observer, Journal(None, clock.now()) as journal:
        watch = Watch(observer, journal, wanted, heard, clock)
        watch.run()
    return watch, heard


def test_old_commit_is_possible_with_the_next_poll_and_certain_within_a_minute(
    cluster: Cluster, jars: JarSet, consumer: Consumer
) -> None:
    """Another client commits 1; the consumer's next persistAll brings its offset back, and nothing is delivered."""
    group, topic = consumer.subscription.group, consumer.subscription.topic
    watch, heard = watched(cluster, jars, consumer, 90, {25: lambda: cluster.commit_together([group], topic)})
    kinds = [(str(each.kind), str(each.certainty), each.queue) for each in watch.findings]
    assert kinds == [("commit-regression", "certain", 0), ("commit-regression", "certain", 1)]
    first = [polls for polls, each in heard.findings if str(each.certainty) == "possible"]
    assert first == [26, 26]
    delivered = len(consumer.deliveries())
    assert delivered == 2 * BEHIND
    assert watch.poller.requests < 3.5 * watch.poller.polls


def test_reset_of_a_stopped_group_is_safe_after_its_polls_have_ended_and_stays(
    cluster: Cluster, jars: JarSet, consumer: Consumer
) -> None:
    """A broker of 5.x resets; of 4.9 the tool writes the offsets itself, as mqadmin does where nobody is online."""
    group, topic = consumer.subscription.group, consumer.subscription.topic
    resets: Callable[[], object] = (
        (lambda: cluster.reset(group, topic, 0))
        if jars.release.startswith("5")
        else (lambda: cluster.commit_together([group], topic))
    )
    acts: dict[int, Callable[[], object]] = {5: consumer.stop, 35: resets, 40: consumer.start}
    watch, heard = watched(cluster, jars, consumer, 160, acts, Direction.BACKWARD)
    notes = [text for _, text in heard.notes]
    case = "I5-while-down" if jars.release.startswith("5") else "I5-offline-quiet"
    assert notes[0] == "a backward reset is not safe: stop all consumers of the group"
    assert f"a backward reset is safe now ({case} holds in {jars.release})" in notes
    assert watch.following is not None
    assert [each.fate for each in watch.following.landed.values()] == [Fate.STAYED, Fate.STAYED]
    assert watch.findings == []
    assert len(consumer.deliveries()) >= 2 * (BEHIND - 1)


def test_reset_of_one_queue_is_undone_by_the_consumer_that_has_it(
    cluster: Cluster, jars: JarSet, consumer: Consumer
) -> None:
    group, topic = consumer.subscription.group, consumer.subscription.topic
    acts: dict[int, Callable[[], object]] = {25: lambda: cluster.commit_together([group], topic)}
    watch, heard = watched(cluster, jars, consumer, 110, acts, Direction.ONE_QUEUE)
    assert watch.following is not None
    landed = [*watch.following.landed.values()]
    assert [each.fate for each in landed] == [Fate.UNDONE, Fate.UNDONE]
    assert all(name.startswith("I29-") for each in landed for name in each.undone_by)
    assert landed[0].undone_by
    assert {str(each.kind) for each in watch.findings} == {"reset-overridden"}
    assert (25, "a one-queue reset is not safe: stop all consumers of the group") not in heard.notes[1:]


def test_second_process_of_one_id_is_found_with_the_next_poll(
    cluster: Cluster, jars: JarSet, consumer: Consumer
) -> None:
    second = cluster.consumer(consumer.member.name, consumer.subscription)
    try:
        watch, heard = watched(cluster, jars, consumer, 45, {5: second.start})
    finally:
        second.kill()
    assert [(str(each.kind), str(each.certainty)) for each in watch.findings] == [("client-id-twice", "possible")]
    assert [polls for polls, _ in heard.findings] == [6]


def test_watching_writes_nothing_at_the_broker(cluster: Cluster, jars: JarSet, consumer: Consumer) -> None:
    """A group that is down, so that nobody else writes: the broker's own files are the same before and after."""

    def files() -> dict[str, str]:
        cluster.broker.ask("flush")
        folder: Path = cluster.broker.folder / "store" / "config"
        there = sorted(folder.glob("*.json"))
        return {each.name: each.read_text() for each in there if each.name != "delayOffset.json"}

    consumer.stop()
    before = files()
    watch, _ = watched(cluster, jars, consumer, 20, {})
    assert watch.poller.rows
    assert files() == before
    assert "consumerOffset.json" in before


def test_broker_that_dies_is_told_and_watched_on_when_it_returns(
    cluster: Cluster, jars: JarSet, consumer: Consumer
) -> None:
    acts: dict[int, Callable[[], object]] = {5: cluster.broker.kill, 12: cluster.start_broker}
    watch, heard = watched(cluster, jars, consumer, 30, acts)
    silent, back = heard.notes
    assert (silent[0], silent[1].startswith("broker broker does not answer (")) == (6, True)
    where = "resets-at-broker" if jars.release.startswith("5") else "resets-at-clients"
    assert back[1] == f"broker broker answers again ({jars.release} {where})"
    assert back[0] >= 13
    assert all(each.answers for each in watch.poller.brokers.values())


def test_broker_that_returns_without_its_offsets_has_lost_them(
    cluster: Cluster, jars: JarSet, consumer: Consumer
) -> None:
    """A group that is down, so that nobody commits them again; asked without a topic the broker tells of none."""

    def lose() -> None:
        for file in (cluster.broker.folder / "store" / "config").glob("consumerOffset.json*"):
            file.unlink()
        cluster.start_broker()

    consumer.stop()
    watch, _ = watched(cluster, jars, consumer, 40, {5: cluster.broker.kill, 8: lose})
    assert [(str(each.kind), str(each.certainty), each.queue) for each in watch.findings] == [
        ("file-lost-queue", "certain", 0),
        ("file-lost-queue", "certain", 1),
    ]


pytestmark = [pytest.mark.slow, pytest.mark.alone]
