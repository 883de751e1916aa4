"""The program: signals and streams first, then the verb that is asked for, and an exit code in every case.

What takes time is imported once signals are taken care of: nobody who presses Ctrl-C sees a traceback. (Until then,
for some hundredths of a second, the interpreter itself is starting, and what a signal does is its business.)
"""

from __future__ import annotations

import gc
import os
import sys

from offsetproof.cli import signals

COLLECT_AFTER = (20_000, 20, 50)
"""When Python looks for garbage in cycles: staged expressions are many objects that live long, and make hardly any."""

COMPLETE = "_OFFSETPROOF_COMPLETE"
"""The variable by which a shell asks for words that could be typed."""


def run() -> None:
    """Runs the program; the process ends with the contract's exit code, or that of a signal, whenever it came."""
    signals.install()
    gc.set_threshold(*COLLECT_AFTER)
    from offsetproof.cli.streams import claim

    claim()
    try:
        code = _code(sys.argv[1:])
    except BaseException:  # an installation that is damaged: a verb's own errors have their codes
        sys.excepthook(*sys.exc_info())
        code = 255
    signals.end(code if signals.STOP.code is None else signals.STOP.code)


def _code(args: list[str]) -> int:
    """Runs one verb; what is printed beside its report (help, the version) is put on stdout when it has ended."""
    from contextlib import redirect_stdout
    from io import StringIO

    from offsetproof.cli.streams import put, warn

    said = StringIO()
    with redirect_stdout(said):
        code = _version_or_verb(args)
    why = put(said.getvalue())
    if why is None:
        return code
    from offsetproof.verdict.exits import Exit

    warn(f"offsetproof: cannot write to stdout: {why}")
    return Exit.UNREADABLE


def _version_or_verb(args: list[str]) -> int:
    if args == ["--version"]:  # the option parser knows it, too, but its libraries take longer to load than all else
        from offsetproof.version import __version__

        print(f"offsetproof {__version__}")
        return 0
    if COMPLETE in os.environ:
        from offsetproof.cli.completion import complete

        return complete()
    from offsetproof.cli.verbs import run_verb

    return run_verb(args)
