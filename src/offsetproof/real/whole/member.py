"""A member of a cluster: a JVM of its own with a folder of its own, which can be killed and started again."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from offsetproof.programs import ProgramFailedError
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.sidecar import Jvm

_MAIN = "offsetproof.whole.Member"
_HEAP = {"broker": "512m"}
_FLAGS = (
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",  # else a JVM that is killed leaves a file of figures behind
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
)
_JARS_OF_OTHERS = {
    "broker": (),
    "name server": ("rocketmq-broker-", "rocketmq-controller-"),
    "tools": ("rocketmq-broker-", "rocketmq-controller-", "rocketmq-namesrv-"),
    "consumer": ("rocketmq-broker-", "rocketmq-controller-", "rocketmq-namesrv-", "rocketmq-tools-"),
}
"""What each role has not in its class path: 5.x has its loggers write where the first of these jars says."""
_SERVER_LOGS = {
    "RocketmqBroker": "broker",
    "RocketmqCommon": "broker",
    "RocketmqRebalanceLock": "lock",
    "RocketmqStore": "store",
    "RocketmqStoreError": "storeerror",
    "RocketmqRemoting": "remoting",
    "RocketmqNamesrv": "namesrv",
}
"""The files that the release's own configuration of 4.9 gives its loggers."""


class Member:
    """One JVM of a cluster, in its folder: what it stores, and its logs in `logs`.

    It is not started yet. It may be started again once it has been stopped or killed, on the same folder.
    """

    def __init__(
        self, rig: CompiledRig, name: str, role: str, folder: Path, patience: float, zone: str | None = None
    ) -> None:
        """Its JVM's time zone is that of this machine, or `zone`, which is what Java calls it."""
        self.name, self.role, self.folder, self.zone = name, role, folder, zone
        self.logs = folder / "logs"
        self._rig, self._patience = rig, patience
        self._jvm: Jvm | None = None

    @property
    def is_running(self) -> bool:
        """Was it started, and not yet stopped or killed from here?"""
        return self._jvm is not None

    @property
    def process_id(self) -> int:
        """That of its JVM."""
        return self._running().process_id

    def start(self, **settings: Any) -> Any:
        """Starts its JVM in its role, and returns what that says first; ProgramFailedError where it does not start."""
        for folder in (self.logs, self.folder / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        files = _SERVER_LOGS if self.role in ("broker", "name server") else {}
        (self.folder / "logback.xml").write_text(_logback(self.logs, files), encoding="utf-8")
        called = f"{self.role} {self.name}" if self.name != self.role else f"the {self.role}"
        self._jvm = Jvm(called, self._command(), self.logs / "output.log", self._patience)
        try:
            return self._jvm.ask("start", role=self.role, folder=str(self.folder), name=self.name, **settings)
        except BaseException:
            self.kill()
            raise

    def _command(self) -> list[str]:
        properties = {
            "user.home": self.folder,
            "java.io.tmpdir": self.folder / "tmp",
            "rocketmq.client.logRoot": self.logs,
            "rocketmq.log.root": self.logs,
            "rocketmq.client.localOffsetStoreDir": self.folder / "offsets",
            "logback.configurationFile": self.folder / "logback.xml",
            **({"user.timezone": self.zone} if self.zone else {}),
        }
        flags = [f"-Xmx{_HEAP.get(self.role, '256m')}", *(f"-D{name}={value}" for name, value in properties.items())]
        return [self._rig.java, *_FLAGS, *flags, "-cp", self._class_path(), _MAIN]

    def _class_path(self) -> str:
        jars, others = self._rig.class_path.split(os.pathsep), _JARS_OF_OTHERS[self.role]
        return os.pathsep.join(jar for jar in jars if not Path(jar).name.startswith(others))

    def ask(self, op: str, **values: Any) -> Any:
        """One command and its answer; ProgramFailedError where it is gone, hangs or refuses."""
        return self._running().ask(op, **values)

    def _running(self) -> Jvm:
        if self._jvm is None:
            raise ProgramFailedError(f"{self.role} {self.name} is not running; start it first")
        return self._jvm

    def notes(self) -> list[list[Any]]:
        """What it has noted since it was started, if it was told to: microseconds since 1970, what, of what, and value.

        A broker: `stored` and `marked` rows of its table of offsets and of the resets that are not taken yet, and the
        requests that could change them. A consumer: the queues that it has `in table`, and those of them that it has
        `owned`, as it has not dropped them.
        """
        notes: list[list[Any]] = self.ask("notes", **{"from": 0})
        return notes

    def kill(self) -> None:
        """kill -9: nothing of it has a chance to end well. Nothing where it is not running."""
        if self._jvm is not None:
            with suppress(ProcessLookupError):
                os.kill(self._jvm.process_id, signal.SIGKILL)
            self._jvm.close()
            self._jvm = None

    def stop(self) -> None:
        """Has RocketMQ shut down gracefully, and ends the JVM."""
        try:
            self.ask("shutdown")
        finally:
            self.kill()

    def keep_logs(self, folder: Path) -> None:
        """Copies its logs, as they are now, but for empty ones."""
        if self.logs.is_dir():
            shutil.copytree(self.logs, folder / self.name, ignore=_empty_files, dirs_exist_ok=True)


def _empty_files(folder: str, names: list[str]) -> list[str]:
    sizes = {name: (Path(folder) / name).stat().st_size for name in names}
    return [name for name, size in sizes.items() if not size]


def _logback(logs: Path, files: Mapping[str, str]) -> str:
    """Where servers of 4.9 log, in the layout and the files of the release's own configuration; 5.x brings its own.

    What is not a server's goes to another file, beside that of the client, which has its own logging.
    """
    layout = "%d{yyy-MM-dd HH:mm:ss,GMT+8} %p %t - %m%n"
    appenders = "".join(
        f'<appender name="{file}" class="ch.qos.logback.core.FileAppender"><file>{logs}/{file}.log</file>'
        f"<encoder><pattern>{layout}</pattern></encoder></appender>"
        for file in dict.fromkeys([*files.values(), "other"])
    )
    loggers = "".join(
        f'<logger name="{name}" additivity="false" level="INFO"><appender-ref ref="{file}"/></logger>'
        for name, file in files.items()
    )
    rest = '<root level="INFO"><appender-ref ref="other"/></root>'
    return f"<configuration>{appenders}{loggers}{rest}</configuration>\n"
