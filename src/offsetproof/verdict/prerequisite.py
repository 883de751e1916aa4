"""Why a question cannot be asked at all: something is missing, or it is beyond what the program does."""

from __future__ import annotations


class PrerequisiteError(Exception):
    """Something that has to be installed or fetched first is missing; the message says what, and how to get it."""


class NotStartedError(Exception):
    """What is asked is refused before the start, as it is too large or cannot be done on the real classes: code 152."""
