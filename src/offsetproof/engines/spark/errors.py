"""What can go wrong around Spark; each message says what to do."""

from __future__ import annotations


class CheckpointError(Exception):
    """A run's folder that cannot be read or written, or belongs to something else."""


class DamagedError(CheckpointError):
    """A file of a run that is not what was written: nothing may be concluded from it."""
