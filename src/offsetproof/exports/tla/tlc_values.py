"""Values and states as TLC prints them: numbers, truth values, strings, sets, ranges, tuples, records and functions.

TLC breaks long values over lines wherever it likes, so they are read word by word, whatever stands between the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Value = int | bool | str | frozenset["Value"] | tuple["Value", ...] | Mapping["Value", "Value"]
"""A value: functions and records are mappings, tuples (and functions over 1..n, which TLC prints so) are tuples."""

_WORD = re.compile(r'<<|>>|\|->|:>|@@|\.\.|/\\|"[^"]*"|-?\d+|\w+|\S')


class UnreadableValueError(ValueError):
    """A text that is not what TLC prints for a value."""


def read_value(text: str) -> Value:
    """The one value that a text is; UnreadableValueError if it is none.

    >>> read_value("(0 :> TRUE @@ 1 :> {1, 2})")
    {0: True, 1: frozenset({1, 2})}
    """
    reader = _ValueReader(text)
    value = reader.value()
    reader.expect("")
    return value


def read_state(text: str) -> dict[str, Value]:
    r"""A state, variable by variable; a lone variable is printed without a bullet. Raises UnreadableValueError.

    >>> read_state("/\\ x = 2\n/\\ y = <<1, 0>>")
    {'x': 2, 'y': (1, 0)}
    """
    reader = _ValueReader(text)
    state: dict[str, Value] = {}
    while reader.next:
        reader.skip("/\\")
        name = reader.name()
        reader.expect("=")
        state[name] = reader.value()
    return state


class _ValueReader:
    """A text's words, and what they say from the next one on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._words: list[str] = _WORD.findall(text)
        self._at = 0

    @property
    def next(self) -> str:
        """The next word; empty at the end."""
        return self._words[self._at] if self._at < len(self._words) else ""

    def take(self) -> str:
        word = self.next
        self._at += 1
        return word

    def skip(self, word: str) -> bool:
        """Takes the word if it is the next one."""
        is_next = self.next == word
        self._at += is_next
        return is_next

    def expect(self, word: str) -> None:
        if self.next != word:
            raise UnreadableValueError(f"expected {word or 'the end'}, not {self.next or 'the end'}, in: {self.text}")
        self._at += 1

    def value(self) -> Value:
        word = self.take()
        if word in _OPENERS:
            return _OPENERS[word](self)
        if word in ("TRUE", "FALSE"):
            return word == "TRUE"
        if word.startswith('"') and len(word) > 1:
            return word[1:-1]
        number = self.matching(r"-?\d+", word)
        if self.skip(".."):
            return frozenset(range(int(number), int(self.matching(r"-?\d+", self.take())) + 1))
        return int(number)

    def name(self) -> str:
        """The name of a variable, or of a record's field."""
        return self.matching(r"[A-Za-z_]\w*", self.take())

    def matching(self, pattern: str, word: str) -> str:
        """The word, if it is of this form."""
        if not re.fullmatch(pattern, word):
            raise UnreadableValueError(f"not a value or a name: {word or 'the end'}, in: {self.text}")
        return word

    def values_up_to(self, closer: str) -> list[Value]:
        """Values with commas between them, up to the closing word."""
        values: list[Value] = []
        while not self.skip(closer):
            if values:
                self.expect(",")
            values.append(self.value())
        return values

    def record(self) -> Value:
        fields: dict[Value, Value] = {}
        while not self.skip("]"):
            if fields:
                self.expect(",")
            name = self.name()
            self.expect("|->")
            fields[name] = self.value()
        return fields

    def function(self) -> Value:
        entries: dict[Value, Value] = {}
        while not self.skip(")"):
            if entries:
                self.expect("@@")
            argument = self.value()
            self.expect(":>")
            entries[argument] = self.value()
        return entries


_OPENERS: dict[str, Callable[[_ValueReader], Value]] = {
    "{": lambda reader: frozenset(reader.values_up_to("}")),
    "<<": lambda reader: tuple(reader.values_up_to(">>")),
    "[": _ValueReader.record,
    "(": _ValueReader.function,
}
