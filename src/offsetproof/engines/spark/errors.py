"""What can go wrong around Spark; each message says what to do."""

from __future__ import annotations


class CheckpointError(Exception):
    """A run's folder that cannot be read or written, or belongs to something else: code 150.

    Where a violation is known already, only the search for one with fewer faults is left open.
    """


class DamagedError(CheckpointError):
    """A file of a run that is not what was written: nothing may be concluded from it, so nothing excuses it."""
