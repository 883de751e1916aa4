"""Running the real program in its own process, and the small user models that it is run on."""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAM = Path(sys.executable).with_name("offsetproof")

_HEAD = "from offsetproof.lang import *\n\n"

COUNTER = (
    _HEAD
    + '''
class Counter(Model):
    """Counts from 0 to its top and stays there."""

    scopes = (Scope("small", {"top": 3}), Scope("huge", {"top": 5000}))
    fixes = (Fix("starts-over", "begins again at 0"),)
    assumptions = (Assumption("calm", "nothing disturbs the counter"),)
    listeners = (Listener("eager", "hears everything"),)
    left_out = ("overflow",)
    x: int = integer(0, lambda scope: scope.top + 1)

    @action()
    def rises(self) -> None:
        """One more."""
        require(self.x < self.scope.top)
        self.x = self.x + 1

    @always(expected=REFUTED)
    def stays_below_two(self) -> bool:
        """The counter never gets to two."""
        return self.x < 2

    @always(expected=HOLDS)
    def stays_below_three(self) -> bool:
        return self.x < 3

    @always(expected=REFUTED)
    def stays_in_range(self) -> bool:
        return self.x <= self.scope.top

    @each_step()
    def never_falls(before: Model, after: Model, step: Step) -> bool:
        return before.x <= after.x

    @sometimes()
    def reaches_three(self) -> bool:
        return self.x == 3

    @sometimes()
    def passes_the_top(self) -> bool:
        return self.x > self.scope.top
'''
)

LOCK = (
    _HEAD
    + '''
class Lock(Model):
    """A lock that two workers take without looking."""

    scopes = (Scope("two", {"workers": 2}),)
    releases = (Release("1.0"), Release("2.0"))
    roles = ("worker",)
    held: Array[bool] = array(Index("worker", "workers"), flag())

    @action(w=Index("worker", "workers"), actor="worker[w]", stands_for=[at("Lock", "take", line=12)])
    def worker_takes_lock(self, w: int) -> None:
        require(not self.held[w])
        self.held[w] = True

    @action(w=Index("worker", "workers"), actor="worker[w]", stands_for=[at("Lock", "release", line=20)])
    def worker_releases_lock(self, w: int) -> None:
        require(self.held[w])
        self.held[w] = False

    @always(id="L1", expected={"1.0": REFUTED})
    def one_holds_it(self) -> bool:
        """At most one worker holds the lock."""
        return not (self.held[0] and self.held[1])
'''
)

OVERFLOW = (
    _HEAD
    + '''
class Overflow(Model):
    """Counts past what its field holds."""

    x: int = integer(0, 2)

    @action()
    def rises(self) -> None:
        self.x = self.x + 1

    @always()
    def never_negative(self) -> bool:
        return self.x >= 0
'''
)

LONG = (
    _HEAD
    + '''
class Long(Model):
    """Six counters of 64 values: 2**36 states, more than anybody waits for."""

    x: Array[int] = array(Index("counter", 6), integer(0, 63))
    quick: bool = flag()

    @action(i=Index("counter", 6))
    def rises(self, i: int) -> None:
        require(self.x[i] < 63)
        self.x[i] = self.x[i] + 1

    @action()
    def flips(self) -> None:
        require(not self.quick)
        self.quick = True

    @sometimes()
    def is_flipped(self) -> bool:
        return self.quick

    @always()
    def not_all_at_the_end(self) -> bool:
        return some(self.x[i] < 63 for i in range(6))
'''
)

MODELS = {"counter": COUNTER, "lock": LOCK, "overflow": OVERFLOW, "long": LONG}


def line_of(model: str, text: str) -> int:
    """The number of the one line of a model's file that has this text."""
    found = [number for number, line in enumerate(MODELS[model].splitlines(), 1) if text in line]
    assert len(found) == 1, found
    return found[0]


@dataclass(frozen=True)
class Ran:
    """What a run of the program gave back."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line on stderr, which must be all that is there."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        return lines[0]


def environment(**more: str) -> dict[str, str]:
    """This process's environment without what changes the program's width."""
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "FORCE_COLOR")}
    return {**kept, "TERM": "xterm", **more}


@cache
def _server() -> subprocess.Popen[str]:
    """The process that runs are forked from; it ends with this one."""
    script = Path(__file__).with_name("server.py")
    server = subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), text=True
    )
    atexit.register(server.communicate)
    return server


CLOSED = Path("closed")
"""In place of a file: the stream is closed."""


def run(*args: str | Path, cwd: Path | None = None, out: Path | None = None, err: Path | None = None) -> Ran:
    """Runs the program to its end, in a process that was loaded before; `out` and `err` are other files for streams."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with TemporaryDirectory() as folder:
        own = Path(folder, "out"), Path(folder, "err")
        files = [None if given is CLOSED else str(given or usual) for given, usual in zip((out, err), own, strict=True)]
        asked = {
            "args": [*map(str, args)], "cwd": str(cwd or Path.cwd()), "env": environment(),
            "out": files[0], "err": files[1],
        }  # fmt: skip
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        assert code != -signal.SIGALRM, (
            f"{args} took longer than a run from `server.py` may; use `run_anew` with `seconds`"
        )
        return Ran(code, *(file.read_text(encoding="utf-8") if file.exists() else "" for file in own))


def run_anew(*args: str | Path, cwd: Path | None = None, seconds: float = 120, **more: str) -> Ran:
    """Runs the program as a user does, with more in its environment; not to have ended after so long is an error."""
    command = [str(PROGRAM), *map(str, args)]
    done = subprocess.run(command, cwd=cwd, env=environment(**more), capture_output=True, text=True, timeout=seconds)
    return Ran(done.returncode, done.stdout, done.stderr)


def in_terminal(*args: str | Path, columns: int, cwd: Path | None = None) -> tuple[int, str]:
    """Runs the program with a terminal of so many columns as stdout; its exit code and the text that it got."""
    code, got = _in_terminal(*args, columns=columns, cwd=cwd)
    return code, re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", got)


def seen_in_terminal(*args: str | Path, cwd: Path) -> str:
    """What a terminal gets from the program, sequences included."""
    return _in_terminal(*args, columns=80, cwd=cwd)[1]


def _in_terminal(*args: str | Path, columns: int, cwd: Path | None) -> tuple[int, str]:
    master, slave = terminal(columns)
    with subprocess.Popen([str(PROGRAM), *map(str, args)], stdout=slave, stderr=slave, cwd=cwd, env=environment()) as p:
        os.close(slave)
        got = b"".join(iter(lambda: read_terminal(master), b""))
    os.close(master)
    return p.returncode, got.decode().replace("\r\n", "\n")


def terminal(columns: int) -> tuple[int, int]:
    """Both ends of a pseudo-terminal of this width."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return master, slave


def read_terminal(master: int) -> bytes:
    """What there is to read; nothing once the other end is closed (Linux calls that an error)."""
    try:
        return os.read(master, 65536)
    except OSError:
        return b""


def searching(*args: str | Path, cwd: Path) -> subprocess.Popen[str]:
    """The program, once it says on its stderr, a terminal, that it searches for the last of its two answers.

    Its stdout is a pipe.
    """
    master, slave = terminal(80)
    process = subprocess.Popen(
        [str(PROGRAM), *map(str, args)], cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=slave, text=True
    )
    os.close(slave)
    said = b""
    while b"1 of 2: layer" not in said and (more := read_terminal(master)):
        said += more

    def read_the_rest() -> None:
        while read_terminal(master):
            pass
        os.close(master)

    threading.Thread(target=read_the_rest, daemon=True).start()
    return process


def write_models(folder: Path, models: Mapping[str, str] = MODELS) -> Path:
    """Writes model files into a folder."""
    for name, text in models.items():
        (folder / f"{name}.py").write_text(text)
    return folder
