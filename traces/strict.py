"""Reading JSON strictly: every value knows where it was found, so every complaint names file, place and way out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn


@dataclass(eq=False)
class UnreadableTraceError(Exception):
    """A file that is no recorded trace: which one, where in it, and what is wrong there."""

    file: str
    place: str
    wrong: str

    def __str__(self) -> str:
        return f"{self.file}: {self.place}: {self.wrong}"


@dataclass(frozen=True)
class Found:
    """A value of a JSON document, with the way to it (`trace.steps[2].actor`); `again` says how to make a new one."""

    file: str
    place: str
    value: Any
    again: str = "record the trace again"

    def refuse(self, wrong: str) -> NoReturn:
        """Complains about this value."""
        raise UnreadableTraceError(self.file, self.place or "the document", wrong)

    def _expect(self, kind: type, what: str) -> Any:
        if not isinstance(self.value, kind) or (kind is int and isinstance(self.value, bool)):
            self.refuse(f"is {_shortened(self.value)}, but must be {what}")
        return self.value

    def entries(self) -> dict[str, Found]:
        """The members of an object."""
        inside = self._expect(dict, "an object")
        return {key: self._within(_joined(self.place, key), value) for key, value in inside.items()}

    def item(self, key: str) -> Found:
        """One member of an object, which must be there."""
        inside = self._expect(dict, "an object")
        if key not in inside:
            self.refuse(f"has no {key!r}; {self.again}")
        return self._within(_joined(self.place, key), inside[key])

    def items(self) -> list[Found]:
        """The elements of a list."""
        inside = self._expect(list, "a list")
        return [self._within(f"{self.place}[{i}]", value) for i, value in enumerate(inside)]

    def _within(self, place: str, value: Any) -> Found:
        return Found(self.file, place, value, self.again)

    def text(self) -> str:
        """A text."""
        return str(self._expect(str, "a text"))

    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(item.text() for item in self.items())

    def number(self) -> int:
        """An integer, 0 or more."""
        value = int(self._expect(int, "an integer"))
        return value if value >= 0 else self.refuse(f"is {value}, but must be 0 or more")

    def truth(self) -> bool:
        """A truth value."""
        return bool(self._expect(bool, "true or false"))

    @property
    def is_null(self) -> bool:
        """Is it null?"""
        return self.value is None


def parse(text: str, file: str) -> Found:
    """The document in a text; UnreadableTraceError for what is not JSON, or is ambiguous (a key twice, NaN)."""

    def unique(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
        inside = dict(pairs)
        if len(inside) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise UnreadableTraceError(file, f"an object with the key {twice!r}", "has this key twice; keep one")
        return inside

    def no_constant(name: str) -> NoReturn:
        raise UnreadableTraceError(file, f"the value {name}", "is no JSON; write a number")

    try:
        return Found(file, "", json.loads(text, object_pairs_hook=unique, parse_constant=no_constant))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise UnreadableTraceError(file, place, f"is no JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise UnreadableTraceError(file, "the document", f"cannot be read: {error}") from None


def _joined(place: str, key: str) -> str:
    simple = key.isidentifier()
    if not simple:
        return f"{place}[{key!r}]"
    return f"{place}.{key}" if place else key


def _shortened(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
