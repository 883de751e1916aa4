"""What an exception says that somebody else's code has raised: it may fail at saying anything."""

from __future__ import annotations


def text_of(error: BaseException) -> str:
    """An exception's text; empty where it has none that can be had.

    >>> text_of(LookupError("nothing is there")), text_of(LookupError())
    ('nothing is there', '')
    """
    try:
        return str(error)
    except Exception:
        return ""


def in_words(error: BaseException) -> str:
    """An exception's class, and its text if it has one.

    >>> in_words(LookupError("nothing is there")), in_words(LookupError())
    ('LookupError: nothing is there', 'LookupError')
    """
    text = text_of(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
