"""The table in docs/studies/times.md: what each action of the RocketMQ model waits for, by RocketMQ's own timers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from offsetproof.lang import Wait
from offsetproof.lang.action import Action
from offsetproof.lang.step import any_time_in, waits_in
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.concurrent.timing import LEFT_OUT

WAITS = tuple(waits_in(RocketMQ.actions, lambda timer: timer.seconds))
ANY_TIME = any_time_in(RocketMQ.actions)


def times() -> str:
    """A table for each file of the model, and one of the timers that no action waits for."""
    lines: list[str] = []
    for file, actions in groupby(RocketMQ.actions.values(), key=lambda action: Path(action.file).name):
        lines += [f"## {file}", "", "| action | stands for | what it waits for |", "|---|---|---|"]
        lines += [*map(_row, actions), ""]
    lines += ["## Timers that no action waits for", "", "| timer | what stands for it |", "|---|---|"]
    lines += [f"| {timer} | {why} |" for timer, why in LEFT_OUT.items()]
    return "\n".join(lines) + "\n"


def _row(action: Action) -> str:
    places = ", ".join(dict.fromkeys(f"`{anchor.java_class}.{anchor.method}`" for anchor in action.stands_for))
    return f"| `{action.name}` | {places} | {'; '.join(_waits(action.name))} |"


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
