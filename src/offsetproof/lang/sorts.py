"""Which values may meet: one table of sorts for real and symbolic values, so that both kinds of run refuse alike.

Python lets a truth value pass for an integer, and gives False where things of two kinds are compared. A staged run
could not follow it there, and a model rarely means it. So operations on fields take values of one sort, and say so.
(Operators on two real values are Python's own and cannot be watched; staging meets them with symbolic values, so a
model that mixes there is refused before anything is decided about it.)
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from offsetproof.lang.errors import refuse


class ValueSort(Enum):
    """What a value is, whether it is real or symbolic."""

    TRUTH = "a truth value"
    NUMBER = "a number"
    OFFSETS = "an offset set"
    MEMBER = "an enum member"
    NOTHING = "None"
    OTHER = "something else"


def sort_of(value: object) -> ValueSort:
    """The sort of a value; symbolic values and offset sets say it themselves, as `value_sort`.

    >>> sort_of(True), sort_of(1)
    (<ValueSort.TRUTH: 'a truth value'>, <ValueSort.NUMBER: 'a number'>)
    """
    return _sort_of_kind(type(value))  # type: ignore[arg-type]  # mypy takes a type for one without a hash


@cache
def _sort_of_kind(kind: type) -> ValueSort:
    own = getattr(kind, "value_sort", None)
    if isinstance(own, ValueSort):
        return own
    if issubclass(kind, bool):
        return ValueSort.TRUTH
    if issubclass(kind, Enum):
        return ValueSort.MEMBER
    if issubclass(kind, int):
        return ValueSort.NUMBER
    return ValueSort.NOTHING if kind is type(None) else ValueSort.OTHER


def members_of(value: object) -> tuple[Enum, ...]:
    """The members of the enum that a value is one of; empty for other sorts."""
    if isinstance(value, Enum):
        return tuple(type(value))
    return getattr(value, "members", ()) if sort_of(value) is ValueSort.MEMBER else ()


def describe_value(value: object) -> str:
    """What a value is, in words."""
    sort = sort_of(value)
    if sort is ValueSort.MEMBER:
        return f"a member of {type(members_of(value)[0]).__name__}"
    return f"a {type(value).__name__}" if sort is ValueSort.OTHER else sort.value


_WAY_OUT = {
    ValueSort.TRUTH: "compare it with a value, as in x > 0",
    ValueSort.NUMBER: "write choose(x, 1, 0) for a truth value that is to count",
}


def must_be(sort: ValueSort, what: str, *values: object) -> None:
    """RefusedError unless all values have this sort; `what` is the operation that takes them.

    TypeError for None, as Python says of its own operators: an optional may be None without a fault in the code's form.
    """
    for value in values:
        if value is None:
            raise TypeError(f"{what} of None")
        if sort_of(value) is not sort:
            way_out = _WAY_OUT.get(sort, f"give it {sort.value}")
            raise refuse(f"{what} with {describe_value(value)} where {sort.value} is needed", way_out)


def must_match(what: str, a: object, b: object) -> None:
    """RefusedError unless two values have one sort that fields can have (and, if they are enum members, one enum).

    TypeError where one of them is None.
    """
    if a is None or b is None:
        raise TypeError(f"{what} of None")
    same = sort_of(a) is sort_of(b) and members_of(a) == members_of(b)
    if not same or sort_of(a) is ValueSort.OTHER:
        raise refuse(f"{what} of {describe_value(a)} and {describe_value(b)}", "use two values of one sort")


def may_be_equal(a: object, b: object) -> bool:
    """Is it worth comparing them? Not if just one is None; RefusedError where they have two sorts otherwise."""
    if a is None or b is None:
        return a is b
    must_match("a comparison", a, b)
    return True
