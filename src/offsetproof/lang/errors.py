"""What can be wrong with a model, and where: in its declarations, in the way it is written, or in what it computes."""

from __future__ import annotations

import inspect
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

from offsetproof.lang.source_paths import is_library, shown_place

_OWN = tuple(str(Path(__file__).resolve().parents[1] / name) for name in ("lang", "ir", "cli", "watch.py"))

UNWRITABLE = re.compile("[\0\ud800-\udfff]")
"""NUL, and halves of surrogate pairs: what could be neither shown nor written."""

_OF_DATACLASSES = "<string>"
"""Where Python says that the constructors of dataclasses are."""


class DeclarationError(Exception):
    """A model, scope, release or claim is declared in a way that cannot work; the message names thing and way out."""


def refuse_unwritable(place: str, *texts: object) -> None:
    """DeclarationError for NUL and halves of surrogate pairs: what is recorded with them could not be read again."""
    odd = next((str(text) for text in texts if UNWRITABLE.search(str(text))), None)
    if odd is not None:
        raise DeclarationError(f"{place}: {odd!r} has a character in it that no file could hold; leave it out")


@dataclass(eq=False)
class RefusedError(Exception):
    """Something that cannot be staged faithfully; says file and line, and what to write instead."""

    what: str
    instead: str
    place: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what} cannot be staged; {self.instead}"


class NoLengthError(RefusedError, TypeError):
    """A refusal of `len()`; also a TypeError, because Python asks for a length, too, before it makes a list."""


@dataclass(eq=False)
class ModelError(Exception):
    """An action that went wrong while it ran: a field left its domain, or the code raised an exception."""

    action: str
    reason: str

    def __str__(self) -> str:
        return f"{self.action}: {self.reason}"


class DisagreementError(Exception):
    """Two runs that must agree do not: an engine's answer and the reference semantics, or two engines."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what}. Most often a model keeps something outside of its fields (a global, a list); if this one does "
            "not, please report it"
        )


class EndlessError(BaseException):
    """Code of a model does not end; a timer raises it, and a refusal takes its place.

    Not an Exception, so that no model catches it.
    """


class OutOfDomainError(Exception):
    """A value that its field cannot hold; never saturated, wrapped or clipped. An action that has one goes wrong."""


@cache
def is_own(filename: str) -> bool:
    """Is it a file of the language itself, or of the program around it, and not of a model?"""
    resolved = str(Path(filename).resolve())
    return any(resolved.startswith(own) for own in _OWN)


def user_place() -> str:
    """`file:line` of the innermost running frame that belongs to a model, not to the language or to a library."""
    frame: FrameType | None = sys._getframe(1)
    frames = []
    while frame is not None:
        if not is_own(frame.f_code.co_filename) and frame.f_code.co_filename != _OF_DATACLASSES:
            frames.append((frame.f_code.co_filename, frame.f_lineno))
            if not is_library(frame.f_code.co_filename):
                return shown_place(*frames[-1])
        frame = frame.f_back
    return shown_place(*frames[0]) if frames else "unknown place"  # a model may be installed, too


def raised_place(error: BaseException, otherwise: str = "unknown place") -> str:
    """`file:line` of the innermost frame of an exception's traceback that belongs to a model, if there is one."""
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    places = [(file, line) for file, line in frames if not is_own(file)]
    nearest = [place for place in places if not is_library(place[0])] or places  # a model may be installed, too
    return shown_place(*nearest[-1]) if nearest else otherwise


def place_of(function: Callable[..., object]) -> str:
    """`file:line (name)` of a function of a model."""
    code = getattr(function, "__code__", None)
    name = getattr(function, "__qualname__", str(function))
    return f"{shown_place(code.co_filename, code.co_firstlineno)} ({name})" if code else name


def place_of_class(kind: type) -> str:
    """`file:line` of a class; its module where there is no source."""
    try:
        return shown_place(inspect.getsourcefile(kind) or kind.__module__, inspect.getsourcelines(kind)[1])
    except (OSError, TypeError):
        return f"{kind.__module__}.{kind.__name__}"


def refuse(what: str, instead: str) -> RefusedError:
    """A refusal at the model line that is running now."""
    return RefusedError(what, instead, user_place())


@dataclass(eq=False)
class ReplayError(Exception):
    """A trace that the reference semantics does not follow, or that does not show what it should.

    It is no evidence: of an engine's own trace a DisagreementError says so, of a recorded one the report.
    """

    step: int
    reason: str

    def __str__(self) -> str:
        return f"the trace does not replay at step {self.step}: {self.reason}"
