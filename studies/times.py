"""The tables in docs/studies/times.md: what each action of the RocketMQ model waits for, by RocketMQ's own timers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from offsetproof.lang import Wait
from offsetproof.lang.action import Action
from offsetproof.lang.step import any_time_in, waits_in
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.concurrent.timing import LEFT_OUT

WAITS = tuple(waits_in(RocketMQ.actions, lambda timer: timer.seconds))
ANY_TIME = any_time_in(RocketMQ.actions)


def waits() -> str:
    """A line for each length and source of a wait, with the actions that end it."""
    by_wait: dict[str, list[str]] = {}
    for wait in WAITS:
        by_wait.setdefault(f"| {_how_long(wait)} | {wait.source} |", []).extend(wait.ends)
    lines = ["| wait | source | actions that end it |", "|---|---|---|"]
    return "\n".join([*lines, *(f"{wait} {_names(actions)} |" for wait, actions in by_wait.items())])


def any_time() -> str:
    """A line for each reason why actions wait for nothing, with the actions."""
    by_reason: dict[str, list[str]] = {}
    for name, why in ANY_TIME.items():
        by_reason.setdefault(why, []).append(name)
    lines = ["| why | actions |", "|---|---|"]
    return "\n".join([*lines, *(f"| {why} | {_names(actions)} |" for why, actions in by_reason.items())])


def left_out() -> str:
    """The timers that no action waits for."""
    lines = ["| timer | what stands for it |", "|---|---|"]
    return "\n".join([*lines, *(f"| {timer} | {why} |" for timer, why in LEFT_OUT.items())])


def rows() -> str:
    """A line for each action, in the order of the model's files."""
    lines = ["| file | action | stands for | what it waits for |", "|---|---|---|---|"]
    return "\n".join([*lines, *map(_row, RocketMQ.actions.values())])


def _names(actions: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(actions))


def _row(action: Action) -> str:
    places = ", ".join(dict.fromkeys(f"`{anchor.java_class}.{anchor.method}`" for anchor in action.stands_for))
    return f"| {Path(action.file).name} | `{action.name}` | {places} | {'; '.join(_waits(action.name))} |"


def _waits(name: str) -> Iterator[str]:
    if name in ANY_TIME:
        yield f"no wait: {ANY_TIME[name]}"
    yield from (_wait_in_words(wait) for wait in WAITS if name in wait.ends)


def _wait_in_words(wait: Wait) -> str:
    latest = " and ".join(" or ".join(f"`{name}`" for name in group) for group in wait.begins)
    if wait.most == 0 and len(wait.begins[0]) > 2:
        latest = f"the last step of its thread since `{wait.begins[0][0]}`"
    only = "".join(f", where {name} = {value}" for name, value in wait.only)
    return f"{_how_long(wait)} after {latest}{only} ({wait.source})"


def _how_long(wait: Wait) -> str:
    if wait.most is None:
        return f"at least {wait.least:g} s"
    if wait.most == 0:
        return "at once"
    if wait.least == wait.most:
        return f"{wait.least:g} s"
    return f"up to {wait.most:g} s" if wait.least == 0 else f"{wait.least:g} s to {wait.most:g} s"
