"""What has to be installed before a question can be asked."""

from __future__ import annotations


class PrerequisiteError(Exception):
    """Something that has to be installed or fetched first is missing; the message says what, and how to get it."""
