"""A process that has loaded the program, and forks itself for every run that is asked for: loading takes a second.

It reads one request per line from stdin (arguments, folder, environment, files for stdout and stderr, null for one that
is closed) and writes the exit code. It ends when stdin does. Run as a script, by `cli.program`.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from typing import Any

MOST_SECONDS = 120


def _load() -> None:
    """Imports what most runs need, and decides a first claim, so that what is compiled once is there."""
    import typer._adapters  # noqa: F401 - typer imports it, and pydantic with it, when it reads the first argument

    import offsetproof.engines.whole_files
    import offsetproof.properties.files.catalogue
    import offsetproof.properties.orderly.catalogue  # noqa: F401 - here and above: only loaded
    from offsetproof.checking.request import Request, questions_of
    from offsetproof.cli.verbs import VERBS, program
    from offsetproof.engines.explicit.engine import Explicit
    from offsetproof.properties.catalogue import ROCKETMQ

    assert len(program([]).registered_commands) == len(VERBS)
    (question,) = questions_of(Request(ROCKETMQ, ("I13",)))
    Explicit().decide(question)
    gc.collect()
    gc.freeze()  # a collection in a forked process would touch, and so copy, all that was loaded here


def _become(asked: dict[str, Any]) -> None:
    """Runs the program in this process, which ends with its code."""
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    for number, name in ((0, os.devnull), (1, asked["out"]), (2, asked["err"])):
        if name is None:
            os.close(number)
            continue
        file = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = open(0), _stream(1, asked["out"]), _stream(2, asked["err"])  # noqa: SIM115 - for the process's life
    sys.argv = ["offsetproof", *asked["args"]]
    from offsetproof.cli.main import run

    run()


def _stream(descriptor: int, name: str | None) -> Any:
    """What Python makes of a stream: None where it is closed."""
    return None if name is None else open(descriptor, "w", closefd=False)


def _forked(asked: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code: object = 255
    try:
        signal.alarm(MOST_SECONDS)
        _become(asked)
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        os._exit(code if isinstance(code, int) else 1)


def main() -> None:
    sys.path.pop(0)
    _load()
    for line in sys.stdin:
        sys.stdout.write(f"{_forked(json.loads(line))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
