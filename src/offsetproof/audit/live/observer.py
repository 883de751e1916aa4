"""One JVM with the client classes of a release, which asks a group's brokers and says what they answer.

Each method is one request to one server (of `Answers` the number is counted). What each does there, in 4.9.4, 4.9.8,
5.3.3 and 5.5.0, was read in the broker's and the client's sources; the table is in docs/watch.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from offsetproof.real.compiling import SOURCES, CompiledRig, compile_rig
from offsetproof.real.jars import JarSet
from offsetproof.real.jdk import QUICK_START
from offsetproof.real.sidecar import Jvm, folder_of_jvm

_MAIN = "offsetproof.live.Observer"
_FLAGS = (QUICK_START, "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx256m")
_REQUEST_MILLIS = 3000
_PATIENCE = 30.0
NO_ANSWER = -1
NOT_ONLINE = 206
"""What a broker says of a group without members: ResponseCode.CONSUMER_NOT_ONLINE."""


class AnswerError(Exception):
    """A server refuses a request, or does not answer (`code` is NO_ANSWER then)."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code, self.why = code, why


@dataclass(frozen=True)
class Member:
    """A client that a broker has as a member of the group, with its channel's address."""

    client: str
    address: str
    language: str
    version: str


@dataclass(frozen=True)
class Members:
    """What a broker knows of the group: its clients, their message model, the expression of each topic."""

    clients: tuple[Member, ...] = ()
    model: str = ""
    expressions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StoredOffset:
    """The group's offset of a queue and the queue's end, as a broker tells them; without an offset it says 0."""

    topic: str
    queue: int
    offset: int
    end: int


class Observer:
    """The JVM that asks. `observing` makes one that runs."""

    def __init__(self, rig: CompiledRig, folder: Path, name_server: str) -> None:
        command = [rig.java, *_FLAGS, *_log_flags(folder), "-cp", rig.class_path, _MAIN]
        self.release = rig.release
        self.requests = 0
        self._jvm = Jvm("the observer", command, folder / "observer.log", _PATIENCE)
        try:
            self._jvm.ask("start", nameServer=name_server, millis=_REQUEST_MILLIS)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the JVM."""
        self._jvm.close()

    def brokers(self, topic: str) -> dict[str, dict[int, str]]:
        """The addresses of the brokers that have a topic, by name and number (0 is the master): the name server's."""
        route = self._ask("route", topic=topic)
        return {name: {int(number): each for number, each in found.items()} for name, found in route.items()}

    def version(self, address: str) -> str:
        """The broker's release, as `5.3.3`."""
        return release_of(str(self._ask("version", address=address)))

    def resets_at_broker(self, address: str) -> bool:
        """Is useServerSideResetOffset set? A broker of 4.9 does not know it."""
        return bool(self._ask("settings", address=address) == "true")

    def offsets(self, address: str, group: str, topic: str | None) -> list[StoredOffset]:
        """The group's offsets at a broker, of one topic or of all of which it has any."""
        return [StoredOffset(*row) for row in self._ask("offsets", address=address, group=group, topic=topic)]

    def members(self, address: str, group: str) -> Members:
        """The group's members at a broker; none where it is not online."""
        try:
            answer = self._ask("members", address=address, group=group)
        except AnswerError as error:
            if error.code == NOT_ONLINE:
                return Members()
            raise
        clients = tuple(sorted((Member(*each) for each in answer["clients"]), key=lambda each: str(each)))
        return Members(clients, answer["model"], answer["topics"])

    def cells(self, address: str, group: str, topic: str) -> dict[str, dict[tuple[str, int], int]]:
        """Each client's own offset by broker and queue: the broker asks its clients, each with one request."""
        answer = self._ask("cells", address=address, group=group, topic=topic)
        return {client: {(name, queue): offset for name, queue, offset in rows} for client, rows in answer.items()}

    def has_row(self, address: str, group: str, topic: str, queue: int) -> bool:
        """Has the group an offset of a queue? 4.9 may say so (0) though it has none."""
        return int(self._ask("row", address=address, group=group, topic=topic, queue=queue)) >= 0

    def messages_given(self, address: str, group: str, topic: str) -> int:
        """How many messages of a topic the broker gave the group in the last minute; AnswerError where none ever."""
        return int(self._ask("given", address=address, group=group, topic=topic))

    def _ask(self, op: str, **values: Any) -> Any:
        self.requests += 1
        answer = self._jvm.ask(op, **values)
        if isinstance(answer, dict) and answer.keys() == {"code", "why"}:
            raise AnswerError(answer["code"], answer["why"] or "")
        return answer


def release_of(description: str) -> str:
    """The release that RocketMQ's own description of a version means.

    >>> release_of("V5_3_3")
    '5.3.3'
    >>> release_of("V4_9_4_SNAPSHOT")
    '4.9.4-SNAPSHOT'
    """
    numbers, _, rest = description.removeprefix("V").partition("_SNAPSHOT")
    snapshot = "-SNAPSHOT" if description.endswith("_SNAPSHOT") else rest
    return numbers.replace("_", ".") + snapshot


def is_of_5(release: str) -> bool:
    """Is it of the line 5.x?"""
    return release.startswith("5.")


def _log_flags(folder: Path) -> list[str]:
    return [
        f"-Duser.home={folder}",
        f"-Drocketmq.client.logRoot={folder}",
        f"-Drocketmq.log.root={folder}",
        "-Drocketmq.client.logLevel=WARN",
        "-Drocketmq.log.level=WARN",
    ]


def observer_rig(jars: JarSet) -> CompiledRig:
    """What the JVM runs, compiled against a release's jars if the cache does not have it."""
    return compile_rig(jars, folder=SOURCES / "live")


@contextmanager
def observing(rig: CompiledRig, name_server: str) -> Iterator[Observer]:
    """An observer that runs. Its folder is kept where its JVM dies or hangs (ProgramFailedError)."""
    with folder_of_jvm() as folder:
        observer = Observer(rig, folder, name_server)
        try:
            yield observer
        finally:
            observer.close()


class Clock:
    """The time, as a watch sees it."""

    def now(self) -> int:
        """Microseconds since 1970 UTC."""
        return time.time_ns() // 1000

    def sleep(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)


CLOCK = Clock()
"""This machine's."""
