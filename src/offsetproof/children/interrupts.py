"""An interrupt that arrives where nobody hears of it comes again.

A signal's handler may run within a finalizer, or in a call back from compiled code; Python prints and forgets what is
raised there. `cli.signals` loads this before everything else, so it imports next to nothing.
"""

from __future__ import annotations

import signal
import sys

TYPE_CHECKING = False
"""As type checkers know it; `typing` takes longer to import than all that is here."""

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    Handler = Callable[[int, FrameType | None], None]

SECONDS_TO_RAISE_AGAIN = 0.01


def raise_again_if_lost(handler: Handler, is_meant: Callable[[], bool]) -> None:
    """From now on `handler` is called a moment after a KeyboardInterrupt that nobody heard of, where `is_meant()`.

    Other errors that nobody can hear of are printed only until then: an interrupt in a constructor leaves an object
    half made, and its finalizer fails.
    """

    def on_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
        if not is_meant():
            sys.__unraisablehook__(unraisable)
        elif issubclass(unraisable.exc_type, KeyboardInterrupt):
            call_in_a_while(SECONDS_TO_RAISE_AGAIN, handler)

    sys.unraisablehook = on_unraisable


def call_in_a_while(seconds: float, handler: Handler) -> None:
    """Has a handler called by SIGALRM; the one before it, if it is still to come, is not called any more."""
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
