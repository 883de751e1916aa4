"""What a model may not contain: how an offending model is written down, and what is said of it.

The line that is at fault is marked `# HERE`; the message names it. A row is the text of a model's file, or a part that
a template completes. The rows themselves are in the files `refused_*.py`.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.lang import DeclarationError, RefusedError, UnknownNameError
from offsetproof.lang.stage import Staged

HEADER = """\
import itertools, functools, os, random, time
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from enum import Enum, Flag
from types import SimpleNamespace
from offsetproof.lang import *

class Colour(Enum):
    RED = 0
    BLUE = 1

class Shape(Enum):
    ROUND = 0
    SQUARE = 1

LIST, TABLE, COUNTS = [0, 1], {"a": 1}, {"runs": 0}
WORKERS = Index("worker", 2)

class Letter(Component):
    value: int = integer(0, 1)

class Life(Component):
    phase: int = integer(0, 2)

class Fields(Model):
    scopes = (Scope("small", {"messages": 2}),)
    x: int = integer(0, 3)
    y: int = integer(0, 3)
    far: int = integer(0, 1 << 40)
    b: bool = flag()
    c: bool = flag()
    s: OffsetSet = offset_set(3)
    o: int | None = optional(integer(0, 1))
    e: Colour = one_of(Colour)
    many: Array[bool] = array(Index("bit", 13), flag())
    few: Array[bool] = array(Index("few", 2), flag())
    q: Fifo[Letter] = fifo(Letter, 2)
    g: Bag = bag({"kind": Index("kind", 2)})
    life: Life = part(Life)
    other: Letter = part(Letter)

    def moves(self): self.x = 1

    def set_x(self): self.x = 1

"""
"""What the rows start with: a model with a field of each sort."""


def in_action(body: str, before: str = "") -> str:
    """A model whose one action has this body; `before` stands at the top of the module."""
    head = "class Offending(Fields):\n    @action()\n    def act(self):\n"
    return f"{dedent(before)}\n{head}{indent(dedent(body).strip(chr(10)), ' ' * 8)}\n\n{CLAIM}"


def in_parameter(body: str, before: str) -> str:
    """The same, where the action has a parameter `v` over the enum `Odd`."""
    return in_action(body, before).replace("@action()", "@action(v=Odd)").replace("def act(self)", "def act(self, v)")


CLAIM = "@always\ndef true(model): return model.x <= 3\n"


def in_claim(body: str, before: str = "", kind: str = "always", given: str = "model") -> str:
    """A model with a claim with this body."""
    head = "class Offending(Fields):\n    @action()\n    def act(self):\n        self.x = 1\n"
    head += "\n    def rest(self): return True\n"
    return f"{dedent(before)}\n{head}\n@{kind}\ndef claim({given}):\n{indent(dedent(body).strip(chr(10)), ' ' * 4)}\n"


def declared(text: str) -> str:
    """A module as it stands, with a claim."""
    return dedent(text).strip("\n") + "\n\n" + CLAIM


def in_model(body: str) -> str:
    """A module of one model with this body, and a claim."""
    return declared("class Offending(Fields):\n" + indent(body, "    ") + "\n")


@dataclass(frozen=True)
class Row:
    """One offence: the text of a model after `HEADER`, and what of the message a test holds on to.

    `written` is what a reader has to see of it, where that is not the marked line; `instead` what to write instead,
    where the message does not say it.
    """

    title: str
    text: str
    says: str
    written: str = ""
    instead: str = ""

    @property
    def source(self) -> str:
        """The whole model file."""
        return HEADER + self.text

    @property
    def line(self) -> int | None:
        """The line that is at fault, if one is marked."""
        lines = enumerate(self.source.splitlines(), 1)
        return next((n for n, line in lines if line.rstrip().endswith("# HERE")), None)

    @property
    def shown(self) -> str:
        """What was written, as short as it can be told."""
        if self.written or self.line is None:
            return self.written
        return self.source.splitlines()[self.line - 1].partition("  #")[0].strip()


@dataclass(frozen=True)
class Section:
    """Rows that a reader would look for in one place."""

    title: str
    rows: tuple[Row, ...]


Refusal = RefusedError | DeclarationError | UnknownNameError


@contextmanager
def written(source: str) -> Iterator[Path]:
    """A model file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "offending.py"
        path.write_text(source)
        try:
            yield path
        finally:
            sys.modules.pop("offsetproof_subject_offending", None)


def refusal_of(row: Row) -> Refusal | None:
    """What is said of the row's model; None if nothing is."""
    with written(row.source) as path:
        try:
            subject = load_subject(str(path))
            for question in questions_of(Request(subject)):
                Staged(question.model, question.setting).system((question.prop, *question.witnesses))
        except (RefusedError, DeclarationError, UnknownNameError) as error:
            return error
    return None


def without_place(message: str) -> str:
    """What is said, the same wherever the model lies."""
    return re.sub(r"(?:/\S*/)?offending\.py:\d+", "FILE:LINE", message)
