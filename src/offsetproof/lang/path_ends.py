"""How the paths of one action end, and what their ends come to together: errors, and the values of variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from offsetproof.ir import build
from offsetproof.ir.node import Node
from offsetproof.ir.system import Failure
from offsetproof.lang.domain import Lowered
from offsetproof.lang.run import Path, PathTree


@dataclass(frozen=True)
class PathEnd:
    """How one path of an action ended: with values, disabled, cut, or with an exception.

    `values` has those of the fields that the path put anything into, by position; all others are as they were.
    """

    values: Mapping[int, Lowered] | None = None
    cut: bool = False
    error: str | None = None


def judge_domain(path: Path, value: Lowered) -> Lowered:
    """The value, inside its domain where that is certain on this path."""
    return replace(value, inside=build.TRUE) if path.certain(value.inside) else value


def failures_of(explored: PathTree[PathEnd]) -> list[Failure]:
    """The errors that paths end with, each with the condition of its paths."""
    messages = dict.fromkeys(end.error for _, end in explored.paths if end.error is not None)
    return [
        Failure(explored.fold(lambda end, m=message: build.truth(end.error == m), build.ite), message)  # type: ignore[misc]  # default argument binds the loop variable
        for message in messages
    ]


def is_inside(end: PathEnd, position: int) -> Node:
    """Whether a path leaves a field inside its domain."""
    value = end.values.get(position) if end.values else None
    return build.TRUE if value is None else value.inside


def merge_ends(explored: PathTree[PathEnd], position: int, before: Node) -> Node:
    """The value that a variable which some path puts something into has after an action."""

    def value(end: PathEnd) -> Node | None:
        if end.values is None:
            return None
        return end.values[position].node if position in end.values else before

    ends = {value(end) for _, end in explored.paths} - {None}
    merged = next(iter(ends)) if len(ends) == 1 else explored.fold_partial(value)
    assert merged is not None
    return merged
