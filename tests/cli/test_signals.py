"""A signal at any moment ends the program with 128 and its number, with what there is of a report, and no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from cli.program import MODELS, PROGRAM, environment, run
from systems.samples import one_in

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
IDS = [number.name for number in SIGNALS]
SECONDS = 120


def start(command: Sequence[str | Path], folder: Path, **more: object) -> subprocess.Popen[str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen([*map(str, command)], cwd=folder, env=environment(), text=True, **pipes)  # type: ignore[call-overload]  # a dict of pipes


def loading(args: Sequence[str], folder: Path) -> list[str]:
    """The lines in which the interpreter tells what it has imported, from the moment on when signals are taken care of.

    They are the same in each run, so that a signal can be sent at a moment that does not depend on the machine.
    """
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "offsetproof", *args],
        cwd=folder, env=environment(), capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    lines = [line.split("|")[-1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    return lines[lines.index("offsetproof.cli.streams") :]


def killed_while_loading(
    args: Sequence[str], folder: Path, module: str, number: signal.Signals
) -> tuple[int, str, str]:
    """Code, stdout and stderr of a run that is sent a signal once it has imported a module."""
    with start([sys.executable, "-X", "importtime", "-m", "offsetproof", *args], folder) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if line.split("|")[-1].strip() == module:
                break
        process.send_signal(number)
        out, rest = process.communicate(timeout=SECONDS)
    return process.returncode, out, "".join(said) + rest


def spread(lines: Sequence[str], count: int) -> list[str]:
    """So many of the lines, from the first to the last."""
    return [lines[i * (len(lines) - 1) // (count - 1)] for i in range(count)]


def kill_while_loading(folder: Path, count: int) -> None:
    args = ["check", "counter.py", "--property=stays_below_two"]
    for i, module in enumerate(spread(loading(args, folder), count)):
        number = SIGNALS[i % 3]
        code, out, err = killed_while_loading(args, folder, module, number)
        assert code == 128 + number, (module, number, err[-2000:])
        assert "Traceback" not in err
        assert out == "" or out.startswith("Counter: "), module


def test_signal_while_modules_are_loaded_ends_the_program_at_once(models: Path) -> None:
    kill_while_loading(models, 3)


@pytest.mark.slow
def test_signal_at_any_of_forty_moments_while_modules_are_loaded_ends_the_program_at_once(models: Path) -> None:
    kill_while_loading(models, 40)


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ("check", "counter.py", "--format=json"),
        ("guard", "counter.py", "--update", "--format=json", "--baseline=new.json"),
        ("check", "counter.py", "--engine=smt", "--format=json"),
    ],
    ids=lambda args: f"{args[0]}-{args[2]}",
)
def test_signal_at_any_time_of_a_run_gives_its_code_and_a_whole_report_or_none(
    models: Path, args: tuple[str, ...]
) -> None:
    """Where the run is over before the signal comes, the verdict's own code is right.

    Times count from the moment on when the program takes care of signals: before that, Python answers, and how long
    that lasts depends on what else the machine does.
    """
    with start([PROGRAM, *args], models) as whole:
        until(lambda: takes_care_of_signals(whole.pid), whole)
        began = time.monotonic()
        whole.communicate(timeout=SECONDS)
    lasted = time.monotonic() - began
    (models / "new.json").unlink(missing_ok=True)
    for i in range(24):
        number, again = SIGNALS[i % 3], models / "new.json"
        with start([PROGRAM, *args], models) as process:
            until(lambda: takes_care_of_signals(process.pid), process)
            time.sleep(lasted * i / 24)
            process.send_signal(number)
            out, err = process.communicate(timeout=SECONDS)
        assert process.returncode in (128 + number, whole.returncode), err
        assert "Traceback" not in err
        assert out == "" or json.loads(out)["subject"] == "Counter"
        assert not again.exists() or json.loads(again.read_text())["subject"] == "Counter"
        again.unlink(missing_ok=True)
        assert sorted(path.stem for path in models.iterdir() if path.is_file()) == sorted(MODELS)


def takes_care_of_signals(pid: int) -> bool:
    """Has the program its handlers? Python's own is for SIGINT alone, and a user may have SIGHUP ignored."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    caught, ignored = (int(status.partition(f"{name}:")[2].split()[0], 16) for name in ("SigCgt", "SigIgn"))
    return all(
        mask >> (number - 1) & 1 for number, mask in ((signal.SIGTERM, caught), (signal.SIGHUP, caught | ignored))
    )


SENDS = "import os, signal\ndef send(number): os.kill(os.getpid(), number)\n"


LAMP = """
from offsetproof.lang import *

class Lamp(Model):
    on: int = integer(0, 2)

    @action()
    def lights(self) -> None:
        self.on = 1

    @always
    def fine(self) -> bool:
        return self.on < 2
"""


def model_that(does: str) -> str:
    """A model that does something when it is imported; its one claim holds."""
    return f"{SENDS}{LAMP}\n{does}\n"


@pytest.mark.parametrize("number", one_in(3, SIGNALS), ids=IDS)
@pytest.mark.parametrize("verb", one_in(4, ["check", "list", "guard", "graph"]))
def test_signal_while_a_model_is_imported_ends_the_program_at_once(
    tmp_path: Path, number: signal.Signals, verb: str
) -> None:
    (tmp_path / "lamp.py").write_text(model_that(f"send({int(number)})\nwhile True: pass"))
    with start([PROGRAM, verb, "lamp.py"], tmp_path) as process:
        assert process.communicate(timeout=SECONDS) == ("", "")
    assert process.returncode == 128 + number


ASKED_MEANWHILE = """
import sys
class Finder:
    def find_spec(name, path=None, target=None):
        if name == "llvmlite.binding.ffi":
            open("asked", "w").close()
            send({number})
sys.meta_path.insert(0, Finder)
"""
"""Sends a signal while an engine's library is loaded."""


@pytest.mark.parametrize("number", one_in(3, SIGNALS), ids=IDS)
def test_signal_while_the_engine_is_loaded_waits_for_its_library(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "lamp.py").write_text(model_that(ASKED_MEANWHILE.format(number=int(number))))
    with start([PROGRAM, "guard", "lamp.py", "--update"], tmp_path) as process:
        out, err = process.communicate(timeout=SECONDS)
    assert (tmp_path / "asked").exists()
    assert (process.returncode, err) == (128 + number, "")
    assert out.startswith("Lamp: 0 questions, 0 decided")
    assert not (tmp_path / "lamp.baseline.json").exists()


WATCH = """
import sys, threading, time
def watch(numbers):
    main = threading.main_thread().ident
    while "_write_through" not in names(sys._current_frames()[main]):
        time.sleep(0.01)
    for number in numbers:
        signal.pthread_kill(main, number)
        time.sleep(0.2)
    open("sent", "w").close()

def names(frame):
    return [] if frame is None else [frame.f_code.co_name, *names(frame.f_back)]

threading.Thread(target=watch, args=[{numbers}], daemon=True).start()
"""
"""Sends signals one after another once the report is being written to a pipe."""


def test_signal_while_the_report_waits_for_its_reader_lets_it_be_written_whole(tmp_path: Path) -> None:
    reader = full_pipe(tmp_path / "report")
    (tmp_path / "lamp.py").write_text(model_that(WATCH.replace("{numbers}", f"[{int(signal.SIGTERM)}]")))
    with start([PROGRAM, "check", "lamp.py", "--no-progress", "--format=json", "--output=report"], tmp_path) as process:
        until(lambda: (tmp_path / "sent").exists(), process)
        with os.fdopen(reader, encoding="utf-8") as pipe:
            told = json.loads(pipe.read())
        assert process.communicate(timeout=SECONDS) == ("", "")
    assert process.returncode == 143
    assert len(told["results"]) == 1


def full_pipe(path: Path) -> int:
    """A pipe that is full of blanks, so that whoever writes to it waits; the end from which it is read."""
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    with suppress(BlockingIOError):
        while True:
            os.write(writer, b" " * 512)
    os.close(writer)
    os.set_blocking(reader, True)
    return reader


@pytest.mark.parametrize("second", one_in(3, SIGNALS), ids=IDS)
def test_second_signal_ends_the_program_at_once(tmp_path: Path, second: signal.Signals) -> None:
    reader = full_pipe(tmp_path / "report")
    numbers = f"[{int(signal.SIGINT)}, {int(second)}]"
    (tmp_path / "lamp.py").write_text(model_that(WATCH.replace("{numbers}", numbers)))
    with start([PROGRAM, "check", "lamp.py", "--no-progress", "--output=report"], tmp_path) as process:
        assert process.communicate(timeout=SECONDS) == ("", "")
    os.close(reader)
    assert process.returncode == 128 + second


def until(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Waits; the test fails if the process ends first."""
    last = time.monotonic() + SECONDS
    while not what():
        assert time.monotonic() < last
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def test_hangup_that_the_user_ignores_stays_ignored(tmp_path: Path) -> None:
    (tmp_path / "lamp.py").write_text(model_that(f"send({int(signal.SIGHUP)})"))
    with start([PROGRAM, "check", "lamp.py"], tmp_path, preexec_fn=ignore_hangup) as process:
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("Lamp: 1 HOLDS")


def ignore_hangup() -> None:
    """What `nohup` does before it runs a program."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


@pytest.mark.parametrize("raises", one_in(2, ["KeyboardInterrupt", "SystemExit(0)", "RecursionError", "GeneratorExit"]))
def test_interrupt_that_a_model_raises_itself_is_its_error(tmp_path: Path, raises: str) -> None:
    (tmp_path / "lamp.py").write_text(f"\nraise {raises}\n")
    with start([PROGRAM, "check", "lamp.py"], tmp_path) as process:
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (120, "")
    assert err.startswith(f"offsetproof: lamp.py:2: {raises.partition('(')[0]} while it was imported")


def test_interrupt_that_a_model_raises_while_a_story_is_told_leaves_no_question_out_with_code_0(tmp_path: Path) -> None:
    """What `settled` of a Damage computes is asked for after the verdict, which is as expected here."""
    claims = "".join(
        f"\n    @always(expected=REFUTED)\n    def {name}(self) -> bool:\n        return self.on < 1\n" for name in "ab"
    )
    raising = "\ndef settled(scope):\n    raise KeyboardInterrupt\nHARM = Damage(lambda lamp: 0, settled=settled)\n"
    (tmp_path / "lamp.py").write_text(LAMP.partition("    @always")[0] + claims + raising)
    ran = run("check", "lamp.py", "--engine=stateful", cwd=tmp_path)
    assert ran.code == 75
    assert ran.out.startswith("Lamp: 1 REFUTED; all as expected so far\n")
    assert "the report has 1 of 2 questions; KeyboardInterrupt was raised, and no signal has come" in ran.complaint


@pytest.mark.slow
def test_solver_ends_with_the_program_however_that_ends(models: Path) -> None:
    args = ("check", "long.py", "--engine=smt", "--depth=400", "--property=not_all_at_the_end")
    with start([PROGRAM, *args], models) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        until(lambda: bool(children.read_text().split()), process)
        [child] = children.read_text().split()
        process.kill()
        process.communicate()
    last = time.monotonic() + SECONDS
    while Path("/proc", child).exists():
        assert time.monotonic() < last
        time.sleep(0.1)


def test_processes_that_decide_are_heard_to_end_where_the_parent_ignores_sigchld(tmp_path: Path) -> None:
    starting = "import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv({0!r}, [{0!r}, *{1!r}])"
    for workers in ("1", "2"):
        args = ["check", "toys:Counter", "--no-progress", "--allow-vacuous", f"--workers={workers}"]
        with start([sys.executable, "-c", starting.format(str(PROGRAM), args)], tmp_path) as process:
            out, err = process.communicate(timeout=SECONDS)
        assert (process.returncode, err) == (0, "")
        assert out.startswith("Counter: 1 HOLDS, 1 VACUOUS, 2 REFUTED; all as expected\n")


def test_thread_that_a_model_has_started_does_not_keep_the_program(tmp_path: Path) -> None:
    waits = "import threading\nthreading.Thread(target=threading.Event().wait).start()\n"
    (tmp_path / "model.py").write_text(waits + MODELS["counter"])
    with start([PROGRAM, "check", "model.py", "--no-progress"], tmp_path) as process:
        out, _ = process.communicate(timeout=SECONDS)
    (tmp_path / "plain.py").write_text(MODELS["counter"])
    plain = run("check", "plain.py", cwd=tmp_path)
    assert (process.returncode, out.partition("\n")[0]) == (plain.code, plain.out.partition("\n")[0])
