"""A cluster of one release on this machine: a name server, a broker, the tools' side, and consumers.

A JVM each, so that a kill -9 is a crash and each has log files of its own. All ports are free ones, all folders
temporary; a client is told loopback addresses only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from offsetproof.real.compiling import SOURCES, CompiledRig, compile_rig
from offsetproof.real.jars import JarSet
from offsetproof.real.sidecar import folder_of_jvm
from offsetproof.real.whole.listening import Delivery, Script, deliveries_of
from offsetproof.real.whole.member import Member
from offsetproof.verdict.prerequisite import PrerequisiteError

PATIENCE = 60.0
"""How many seconds one command may take; the longest is a broker's graceful end, with some ten seconds."""

_BROKER, _SLAVE, _TOOLS, _CONSUMER = "broker", "slave", "tools", "consumer"


class Start(StrEnum):
    """Where a group starts that has no offset: ConsumeFromWhere."""

    LAST = "CONSUME_FROM_LAST_OFFSET"
    FIRST = "CONSUME_FROM_FIRST_OFFSET"


@dataclass(frozen=True)
class Subscription:
    """What a consumer consumes, and how: one topic as a member of a group.

    `batch` is consumeMessageBatchMaxSize; `await_seconds` how long a shutdown waits for listeners.
    """

    topic: str
    group: str
    orderly: bool = False
    broadcasting: bool = False
    start: Start = Start.LAST
    batch: int = 1
    await_seconds: float = 0.0

    def as_command(self) -> dict[str, Any]:
        """The settings as the JVM reads them."""
        return {
            "topic": self.topic,
            "group": self.group,
            "orderly": self.orderly,
            "model": "BROADCASTING" if self.broadcasting else "CLUSTERING",
            "from": str(self.start),
            "batch": self.batch,
            "awaitMillis": round(self.await_seconds * 1000),
        }


class Consumer:
    """A push consumer in a JVM of its own. Started again after its end, it has the same client id and folder."""

    def __init__(
        self, member: Member, name_server: str, subscription: Subscription, instance: str, *, noted: bool = False
    ) -> None:
        self.member, self.subscription, self.instance = member, subscription, instance
        self._name_server, self._noted = name_server, noted
        self._notes: list[Mapping[str, Any]] = []
        self._read = 0

    def start(self, script: Script = Script()) -> None:
        """Starts it, with a listener that does what the script says."""
        self._read = 0
        self.member.start(
            nameServer=self._name_server,
            instance=self.instance,
            noted=self._noted,
            script=script.as_command(),
            **self.subscription.as_command(),
        )

    def listen(self, script: Script) -> None:
        """Has its listener do something else from the next batch on."""
        self.member.ask("listen", script=script.as_command())

    def deliveries(self) -> list[Delivery]:
        """All that its listener was given since the process was started, as far as it was asked while that lived."""
        if self.member.is_running:
            new = self.member.ask("deliveries", **{"from": self._read})
            self._notes = [*self._notes[: self._read], *new]
            self._read = len(self._notes)
        return deliveries_of(self._notes)

    def finished_deliveries(self) -> list[Delivery]:
        """Those of them with which its listener has come to an end."""
        return [delivery for delivery in self.deliveries() if delivery.ended is not None]

    def cells(self) -> dict[int, int]:
        """The client's own offset of each queue that it has one of."""
        return {int(queue): offset for queue, offset in self.member.ask("cells").items()}

    def is_paused(self) -> bool:
        """Is it suspended, as it is while a reset that clients do is under way?"""
        paused: bool = self.member.ask("paused")
        return paused

    def persist(self) -> None:
        """Has it do now what its timer does every five seconds (persistAll)."""
        self.member.ask("persist")

    def stop(self) -> None:
        """DefaultMQPushConsumer.shutdown, and then the end of its JVM."""
        self.member.stop()

    def shut_down(self) -> None:
        """DefaultMQPushConsumer.shutdown; its JVM stays, with whatever its listeners still do."""
        self.member.ask("shutdown")

    def kill(self) -> None:
        """kill -9."""
        self.member.kill()

    @property
    def offset_files(self) -> list[Path]:
        """The files in which a broadcasting consumer keeps its offsets; the one before each is its .bak."""
        return sorted(self.member.folder.glob("offsets/**/offsets.json"))


class Cluster:
    """A name server, a broker, the tools and consumers, in one folder. `running_cluster` makes one that is started."""

    def __init__(
        self,
        rig: CompiledRig,
        folder: Path,
        patience: float = PATIENCE,
        *,
        slave_acts: bool = False,
        clients_reset: bool = False,
        noted: bool = False,
        clients: CompiledRig | None = None,
    ) -> None:
        """With `slave_acts` a slave acts as master while the broker is away (enableSlaveActingMaster).

        With `clients_reset` 5.x resets offsets as 4.9 does (useServerSideResetOffset is false). With `noted` brokers
        and consumers write down what changes in their tables (`notes`). Consumers are of the release of `clients`,
        where that is given.
        """
        self._rig, self._folder, self._patience, self._slave_acts = rig, folder, patience, slave_acts
        self._clients_reset, self._noted = clients_reset, noted
        self._clients = clients or rig
        self._members: dict[str, Member] = {}
        self._queues: dict[str, int] = {}
        self._broker_port: int | None = None
        self.name_server = ""

    def start(self) -> None:
        """Starts name server, broker and tools; ProgramFailedError where one of them does not."""
        self.name_server = f"127.0.0.1:{self._member('name-server', 'name server').start()}"
        self.start_broker()
        self._member(_TOOLS, _TOOLS).start(nameServer=self.name_server)

    def _member(self, name: str, role: str, zone: str | None = None) -> Member:
        rig = self._clients if role == _CONSUMER else self._rig
        member = Member(rig, name, role, self._folder / name, self._patience, zone)
        self._members[name] = member
        return member

    @property
    def release(self) -> str:
        """The release whose classes run, as users write it."""
        return release_of(self._rig, self._clients)

    @property
    def members(self) -> Sequence[Member]:
        """All JVMs that there were, in the order in which they were first started."""
        return [*self._members.values()]

    @property
    def broker(self) -> Member:
        """The broker's JVM."""
        return self._members[_BROKER]

    @property
    def tools(self) -> Member:
        """The JVM that sends messages and administrates."""
        return self._members[_TOOLS]

    def start_broker(self) -> None:
        """Starts the broker; after its end, on the same folder and port."""
        member = self._members.get(_BROKER) or self._member(_BROKER, _BROKER)
        self._broker_port = member.start(
            nameServer=self.name_server,
            port=self._broker_port,
            acting=self._slave_acts,
            clientsReset=self._clients_reset,
            noted=self._noted,
        )

    def restart_broker(self) -> None:
        """BrokerController.shutdown, the end of its JVM, and another one in its place."""
        self.broker.stop()
        self.start_broker()

    def start_slave(self) -> Member:
        """Starts a slave of the broker, which copies offsets when it is told to (`copy`), and not by its timer."""
        member = self._members.get(_SLAVE) or self._member(_SLAVE, _BROKER)
        member.start(nameServer=self.name_server, slave=True, master=_BROKER, acting=self._slave_acts)
        return member

    @property
    def _broker_address(self) -> str:
        return f"127.0.0.1:{self._broker_port}"

    def create_topic(self, topic: str, *, queues: int = 1, group: str) -> None:
        """Creates a topic, and the retry topic of a group, which a client would else find only after 30 s."""
        for name, count in ((topic, queues), (f"%RETRY%{group}", 1)):
            self.tools.ask("topic", topic=name, queues=count, broker=self._broker_address)
        self._queues[topic] = queues

    def send(self, topic: str, bodies: Sequence[str], *, queue: int = 0) -> list[int]:
        """Sends messages to a queue, one after the other; their offsets."""
        sent: list[int] = self.tools.ask("send", topic=topic, broker=_BROKER, queue=queue, bodies=list(bodies))
        return sent

    def committed_offsets(self, group: str, topic: str, *, at: Member | None = None) -> list[int | None]:
        """What the broker, or another, has committed for a group, by queue of a topic that was created here."""
        broker = at or self.broker
        found: list[int | None] = broker.ask("committed", group=group, topic=topic, queues=self._queues[topic])
        return found

    def watch(self, group: str, topic: str) -> None:
        """Has the broker look, twice a millisecond, what it would answer to a query for the offset of queue 0."""
        self.broker.ask("watch", group=group, topic=topic)

    def end_watch(self, topic: str) -> list[tuple[float, int | None]]:
        """Ends that; each change, with the seconds since the look began."""
        changes = self.broker.ask("watched", topic=topic)
        return [(micros / 1e6, None if offset < 0 else offset) for micros, offset in changes]

    def commit_together(self, groups: Sequence[str], topic: str) -> None:
        """Has two clients commit offset 1 of the topic's queues 0 and 1 for each group, at the same moment."""
        self.tools.ask("commit", groups=list(groups), topic=topic, broker=_BROKER, address=self._broker_address)

    def min_offset(self, topic: str, queue: int = 0) -> int:
        """The lowest offset that the broker still has a message of."""
        offset: int = self.broker.ask("min", topic=topic, queue=queue)
        return offset

    def max_offset(self, topic: str, queue: int = 0) -> int:
        """The offset that the queue's next message will have."""
        offset: int = self.broker.ask("max", topic=topic, queue=queue)
        return offset

    def expire(self) -> None:
        """Has the broker delete, within some ten seconds, all files of its commit log (16 MiB each) but the last.

        It takes files for expired as soon as they are full from now on, until it is started again.
        """
        self.broker.ask("expire")

    def reset(self, group: str, topic: str, to_time: float) -> dict[int, int]:
        """What `mqadmin resetOffsetByTime --force` does, to a time in seconds since 1970; the target of each queue.

        The tool's class is asked (DefaultMQAdminExt.resetOffsetByTimestamp). ProgramFailedError has its refusal.
        """
        targets = self.tools.ask("reset", group=group, topic=topic, timestamp=round(to_time * 1000))
        return {int(queue): offset for queue, offset in targets.items()}

    def progress(self, group: str) -> str:
        """What `mqadmin consumerProgress -g GROUP` prints."""
        printed: str = self.tools.ask("progress", group=group)
        return printed

    def consumer(
        self, name: str, subscription: Subscription, *, instance: str | None = None, zone: str | None = None
    ) -> Consumer:
        """A consumer that is not running yet; its name is that of its folder, its logs and, if not given, its instance.

        The client id is of the instance. `zone` is its JVM's time zone, if not this machine's.
        """
        member = self._member(name, _CONSUMER, zone)
        return Consumer(member, self.name_server, subscription, instance or name, noted=self._noted)

    def kill(self) -> None:
        """kill -9 for every JVM."""
        for member in reversed(self.members):
            member.kill()

    def keep_logs(self, folder: Path) -> None:
        """Copies the logs of all members, each into a folder by its name."""
        folder.mkdir(parents=True, exist_ok=True)
        for member in self.members:
            member.keep_logs(folder)


def release_of(rig: CompiledRig, clients: CompiledRig | None) -> str:
    """The release of a cluster as users write it: `5.3.3`, or `broker=5.3.3,client=4.9.4`."""
    if clients is None or clients.release == rig.release:
        return rig.release
    return f"broker={rig.release},client={clients.release}"


def whole_rig(jars: JarSet) -> CompiledRig:
    """What the JVMs of a cluster run, compiled against a release's jars if the cache does not have it.

    PrerequisiteError where the release was published without what a cluster needs.
    """
    lacking = [coordinates.split(":")[1] for coordinates in jars.lock.lacking]
    if lacking:
        raise PrerequisiteError(
            f"no cluster of RocketMQ {jars.release} can be started: Maven has no {' and no '.join(lacking)} of it; "
            "name another release with --release"
        )
    return compile_rig(jars, folder=SOURCES / "whole")


@contextmanager
def running_cluster(
    rig: CompiledRig,
    *,
    logs: Path | None = None,
    patience: float = PATIENCE,
    slave_acts: bool = False,
    clients_reset: bool = False,
    noted: bool = False,
    clients: CompiledRig | None = None,
) -> Iterator[Cluster]:
    """A cluster, which is gone afterwards with all that it has written, but for its `logs` if they are wanted.

    Where a JVM dies or does not answer, ProgramFailedError says which, and the cluster's folder is kept for its logs.
    """
    with folder_of_jvm() as folder:
        cluster = Cluster(
            rig, folder, patience, slave_acts=slave_acts, clients_reset=clients_reset, noted=noted, clients=clients
        )
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.kill()
            if logs is not None:
                cluster.keep_logs(logs)
