"""An interrupt that Python prints and forgets comes again, where it is meant."""

from __future__ import annotations

import subprocess
import sys

import pytest

FORGETS = """
import os, signal, time
from offsetproof.children.interrupts import raise_again_if_lost

def interrupt(number, frame):
    raise KeyboardInterrupt

class Forgetful:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGUSR1)

signal.signal(signal.SIGUSR1, interrupt)
raise_again_if_lost(interrupt, lambda: MEANT)
try:
    Forgetful()
    time.sleep(SECONDS)
    print("nothing came")
except KeyboardInterrupt:
    print("it came again")
"""


@pytest.mark.parametrize(("meant", "seconds", "comes"), [(True, 60, "it came again\n"), (False, 0.1, "nothing came\n")])
def test_interrupt_that_a_finalizer_forgets_comes_again(meant: bool, seconds: float, comes: str) -> None:
    code = FORGETS.replace("MEANT", str(meant)).replace("SECONDS", str(seconds))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == comes
    assert ("KeyboardInterrupt" in ran.stderr) is not meant


HALF_MADE = """
from offsetproof.children.interrupts import raise_again_if_lost

class HalfMade:
    def __del__(self):
        self.missing

raise_again_if_lost(lambda number, frame: None, lambda: MEANT)
HalfMade()
"""


@pytest.mark.parametrize("meant", [True, False])
def test_what_an_interrupt_leaves_half_made_goes_without_a_traceback(meant: bool) -> None:
    code = HALF_MADE.replace("MEANT", str(meant))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ("'HalfMade' object has no attribute 'missing'" in ran.stderr) is not meant
    assert ("Traceback" in ran.stderr) is not meant
