"""Whoever wants to know what running code asks for, and is told of it meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Asked = TypeVar("Asked")


class Collector(Generic[Asked]):
    """Sets into which all is put that is asked for while they are collected into; inner ones do not hide outer ones."""

    def __init__(self) -> None:
        self._sets: list[set[Asked]] = []

    @contextmanager
    def collect(self, into: set[Asked]) -> Iterator[None]:
        """Adds whatever is noted meanwhile."""
        self._sets.append(into)
        try:
            yield
        finally:
            self._sets.pop()

    def note(self, asked: Asked) -> None:
        """Notes that something was asked for."""
        for each in self._sets:
            each.add(asked)
