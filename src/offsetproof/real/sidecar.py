"""The sidecar: one JVM with the classes of one release, which does what it is told, a JSON object per line.

Its answers come on stdout; whatever else it prints goes to a file beside its other logs. It listens on loopback for its
own debugger, which is how it holds threads at lines. It ends with its input, so it never outlives this process.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any, Self

from msgspec import UNSET

from offsetproof.programs import ProgramFailedError
from offsetproof.reading.files import UnreadableFileError
from offsetproof.reading.typed_json import JsonObject, Names, Unset, read_json
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.jdk import QUICK_START
from offsetproof.watch import interrupts_later

_MAIN = "offsetproof.Sidecar"
_START_SECONDS = 30.0
_FLAGS = (QUICK_START, "-XX:+UseSerialGC", "-Xmx512m", "--add-opens=java.base/java.nio=ALL-UNNAMED")


class Gates(StrEnum):
    """How threads are held at lines.

    DEBUGGER: breakpoints of the JVM's own debugger, on classes as they were published. WOVEN: calls that are woven into
    the classes when they are loaded, a hundred times as fast.
    """

    DEBUGGER = "debugger"
    WOVEN = "woven"


def _gate_flags(rig: CompiledRig, gates: Gates) -> list[str]:
    if gates is Gates.WOVEN:
        return [f"-javaagent:{rig.jar}"]
    return ["-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0"]


def _log_flags(folder: Path, level: str) -> list[str]:
    """RocketMQ's own logs go into the folder, from this level on."""
    return [
        f"-Drocketmq.client.logRoot={folder}",
        f"-Drocketmq.client.logLevel={level}",
        f"-Drocketmq.log.root={folder}",
        f"-Duser.home={folder}",
    ]


@contextmanager
def folder_of_jvm() -> Iterator[Path]:
    """A folder for JVMs, removed when they are gone; kept where one failed (ProgramFailedError): its log says why."""
    folder = Path(mkdtemp(prefix="offsetproof-"))
    try:
        yield folder
    except ProgramFailedError:
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder)


class CommandRefusedError(ProgramFailedError):
    """The JVM lives, and answers a command with an error: `why` is what it says, without the stack.

    Whoever knows what the answer means goes on: the release does not have it, the class cannot be made.
    """

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.why = why


class _Answer(JsonObject):
    """The answer to a command: what it asked for, or why not."""

    id: int
    ok: Any = None
    error: str | Unset = UNSET
    stack: Names = ()


class Jvm:
    """A running JVM that answers commands. A context manager: it is closed."""

    def __init__(self, name: str, command: Sequence[str], log: Path, patience: float) -> None:
        """Starts it; what it prints beside its answers is added to `log`.

        `name` is how errors call it, `patience` how long one answer may take, in seconds.
        """
        self.patience = patience
        self._name = name
        self._log = log
        self._number = 0
        self._rest = b""
        with self._log.open("ab") as output, interrupts_later():
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, start_new_session=True, bufsize=0,
            )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._commands, self._answers = self._process.stdin.fileno(), self._process.stdout.fileno()
        for pipe in (self._commands, self._answers):
            os.set_blocking(pipe, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._answers, selectors.EVENT_READ)
        self._room = selectors.DefaultSelector()
        self._room.register(self._commands, selectors.EVENT_WRITE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self.close()

    @property
    def process_id(self) -> int:
        """The JVM's, for a test that kills it."""
        return self._process.pid

    def ask(self, op: str, **values: Any) -> Any:
        """One command and its answer. ProgramFailedError where there is none in time, or it is an error."""
        self.send(op, **values)
        return self.answer(op)

    def send(self, op: str, **values: Any) -> None:
        """A command whose answer is fetched later, by `answer`, and before the next command."""
        if self._process.returncode is not None:
            raise ProgramFailedError(self._end(f"was gone before `{op}`"))
        self._number += 1
        until = time.monotonic() + self.patience
        command = json.dumps({"id": self._number, "op": op, **values})
        try:
            self._put(command.encode() + b"\n", until, op)
        except OSError:
            raise ProgramFailedError(self._end(f"was gone before `{op}`")) from None

    def answer(self, op: str) -> Any:
        """The answer to the command that was sent."""
        until = time.monotonic() + self.patience
        try:
            answer = read_json(self._line(until, op), _Answer, self._name, f"see {self._log}")
        except UnreadableFileError as error:
            raise ProgramFailedError(f"{error}, in its answer to `{op}`") from None
        if answer.error is not UNSET:
            at = f", at {' < '.join(answer.stack)}" if answer.stack else ""
            raise CommandRefusedError(f"{self._name} refuses `{op}`: {answer.error}{at}", answer.error)
        return answer.ok

    def _put(self, command: bytes, until: float, op: str) -> None:
        """Writes a command as fast as it is read, which a JVM that hangs never does."""
        while command:
            self._wait(self._room, until, op)
            command = command[os.write(self._commands, command) :]

    def _wait(self, selector: selectors.BaseSelector, until: float, op: str) -> None:
        left = until - time.monotonic()
        if left <= 0 or not selector.select(left):
            self.close()
            raise ProgramFailedError(f"{self._name} has not answered `{op}` in {self.patience:g} s; see {self._log}")

    def _line(self, until: float, op: str = "start") -> str:
        while b"\n" not in self._rest:
            self._wait(self._selector, until, op)
            chunk = os.read(self._answers, 1 << 16)
            if not chunk:
                raise ProgramFailedError(self._end(f"ended during `{op}`"))
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    def _end(self, what: str) -> str:
        code = self._process.wait(5)
        return f"{self._name} {what}, with code {code}; see {self._log}"

    def close(self) -> None:
        """Ends the JVM: it halts when its input ends, and is killed if it does not."""
        self._selector.close()
        self._room.close()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(OSError):
                stream.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Sidecar(Jvm):
    """A JVM with a release's jars and the compiled rig on its class path."""

    def __init__(
        self, rig: CompiledRig, folder: Path, gates: Gates, patience: float = 30.0, level: str = "WARN"
    ) -> None:
        """Starts it; `folder` is for its logs, `patience` how long one answer may take, in seconds.

        `level` is that of RocketMQ's own log, `client_log`.
        """
        self.folder = folder
        self.client_log = folder / "rocketmq_client.log"
        command = [
            rig.java,
            *_FLAGS,
            *_gate_flags(rig, gates),
            *_log_flags(folder, level),
            "-cp",
            rig.class_path,
            _MAIN,
        ]
        super().__init__("the sidecar", command, folder / "sidecar.log", patience)
        try:
            self._wait_for_start(gates)
        except BaseException:
            self.close()
            raise
        self.patience = patience

    def _wait_for_start(self, gates: Gates) -> None:
        """A JVM takes its time to start, however long a command may take."""
        self.patience = max(self.patience, _START_SECONDS)
        if gates is Gates.DEBUGGER:
            self._attach()
        else:
            self.ask("close")

    def _attach(self) -> None:
        """Has the JVM become its own debugger, on the port that it says it listens on."""
        listening = re.search(r"address: (\d+)", self._line(time.monotonic() + self.patience))
        if listening is None:
            raise ProgramFailedError(f"the JVM does not say where its debugger listens; see {self._log}")
        self.ask("attach", port=int(listening[1]))
