"""Reading JSON strictly: every value knows where it was found, so every complaint names file, place and way out.

What no file of this program has is refused before anything is made of it: deep nesting, numbers beyond 64 bits, NUL,
and halves of surrogate pairs, which could be neither shown nor written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from offsetproof.lang.errors import UNWRITABLE
from offsetproof.reading.files import UnreadableFileError

NESTING_MAX = 64
"""How many lists and objects may stand within each other; the files of this program have seven."""

_NUMBER_MAX = 2**63
_DIGITS_MAX = 20


class UnreadableJsonError(UnreadableFileError):
    """A file whose JSON is not what it should be."""


Way = tuple["Way", str | int] | None
"""How one gets to a value: the way to what it is in, and its key or position there; None is the document."""


class JsonValue(NamedTuple):
    """A value of a JSON document, with the way to it; `again` says how to make a new one.

    A file has thousands of values: a tuple is made in half the time of a frozen dataclass, and `place` only where it
    is asked for.
    """

    file: str
    way: Way
    value: Any
    again: str = ""

    @property
    def place(self) -> str:
        """Where it stands, as `trace.steps[2].actor`; empty for the document."""
        return _place(self.way)

    def refuse(self, wrong: str) -> NoReturn:
        """Complains about this value."""
        raise UnreadableJsonError(self.file, self.place or "the document", wrong)

    def _expect(self, kind: type, what: str) -> Any:
        if not isinstance(self.value, kind) or (kind is int and isinstance(self.value, bool)):
            self.refuse(f"is {_shorten(self.value)}, but must be {what}")
        return self.value

    def entries(self) -> dict[str, JsonValue]:
        """The members of an object."""
        inside = self._expect(dict, "an object")
        return {key: self._within(key, value) for key, value in inside.items()}

    def item(self, key: str) -> JsonValue:
        """One member of an object, which must be there."""
        inside = self._expect(dict, "an object")
        if key not in inside:
            self.refuse(f"has no {key!r}{'; ' if self.again else ''}{self.again}")
        return self._within(key, inside[key])

    def items(self) -> list[JsonValue]:
        """The elements of a list."""
        inside = self._expect(list, "a list")
        return [self._within(i, value) for i, value in enumerate(inside)]

    def _within(self, key: str | int, value: Any) -> JsonValue:
        return JsonValue(self.file, (self.way, key), value, self.again)

    def text(self) -> str:
        """A text."""
        return str(self._expect(str, "a string"))

    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(item.text() for item in self.items())

    def number(self) -> int:
        """An integer, 0 or more."""
        value = int(self._expect(int, "an integer"))
        return value if value >= 0 else self.refuse(f"is {value}, but must be 0 or more")

    def seconds(self) -> float:
        """A time: a number, 0 or more, that need not be whole."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _NUMBER_MAX:
            self.refuse(f"is {_shorten(value)}, but must be a number of seconds, 0 or more")
        return float(value)

    def truth(self) -> bool:
        """A truth value."""
        return bool(self._expect(bool, "true or false"))

    @property
    def is_null(self) -> bool:
        """Is it null?"""
        return self.value is None


def parse(text: str, file: str, again: str = "") -> JsonValue:
    """The document in a text; UnreadableJsonError for what is not JSON, or is ambiguous (a key twice, NaN).

    `again` says how to make such a file, for one that lacks something.
    """

    def unique(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
        inside = dict(pairs)
        if len(inside) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise UnreadableJsonError(file, f"an object with the key {twice!r}", "has this key twice; keep one")
        return inside

    def no_constant(name: str) -> NoReturn:
        raise UnreadableJsonError(file, f"the value {name}", "is not JSON; write a number")

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=no_constant, parse_int=_number)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise UnreadableJsonError(file, place, f"is not JSON: {error.msg}") from None
    except RecursionError:
        raise UnreadableJsonError(file, "the document", _TOO_DEEP) from None
    _refuse_odd_values(file, value)
    return JsonValue(file, None, value, again)


_TOO_DEEP = f"is nested deeper than {NESTING_MAX} levels"


@dataclass(frozen=True)
class _Long:
    """A number with too many digits to be read."""

    digits: int


def _number(text: str) -> int | _Long:
    digits = len(text.lstrip("-"))
    return int(text) if digits <= _DIGITS_MAX else _Long(digits)


def _refuse_odd_values(file: str, document: Any) -> None:
    if _may_be_odd(document):
        _refuse_first_odd_value(file, document)


def _may_be_odd(document: Any) -> bool:
    """Is there anything that deserves a closer look? Files are large and nearly all are fine, so ways are not kept."""
    level = [document]
    for _ in range(NESTING_MAX):
        inside: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inside += value
                inside += value.values()
            elif isinstance(value, list):
                inside += value
            elif isinstance(value, str):
                if not value.isascii() or "\0" in value:
                    return True
            elif isinstance(value, _Long) or (isinstance(value, int) and _odd(value)):
                return True
        if not inside:
            return False
        level = inside
    return True


def _refuse_first_odd_value(file: str, document: Any) -> None:
    left: list[tuple[Way, Any, int]] = [(None, document, 0)]
    while left:
        way, value, depth = left.pop()
        if isinstance(value, dict | list):
            if depth == NESTING_MAX:
                raise UnreadableJsonError(file, "the document", _TOO_DEEP)
            inside = value.items() if isinstance(value, dict) else enumerate(value)
            for key, each in inside:
                left += [((way, key), key, depth), ((way, key), each, depth + 1)]
        elif odd := _odd(value):
            raise UnreadableJsonError(file, _place(way) or "the document", odd)


def _odd(value: Any) -> str | None:
    """What is wrong with a value, if anything is."""
    if isinstance(value, str):
        match = None if value.isascii() and "\0" not in value else UNWRITABLE.search(value)
        return f"is a string with {ascii(match[0])[1:-1]} in it, which nothing could show" if match else None
    if isinstance(value, _Long):
        return f"is a number of {value.digits} digits; 64 bits hold the numbers here"
    if isinstance(value, int) and not -_NUMBER_MAX <= value < _NUMBER_MAX:
        return f"is {value}; 64 bits hold the numbers here"
    return None


def _place(way: Way) -> str:
    parts = []
    while way is not None:
        way, key = way
        parts.append(key)
    place = ""
    for key in reversed(parts):
        place = f"{place}[{key}]" if isinstance(key, int) else _join_path(place, key)
    return place


def _join_path(place: str, key: str) -> str:
    simple = key.isidentifier()
    if not simple:
        return f"{place}[{key!r}]"
    return f"{place}.{key}" if place else key


def _shorten(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
