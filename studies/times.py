"""The page docs/times.md: what each action of the RocketMQ model waits for, by RocketMQ's own timers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from offsetproof.lang import Wait
from offsetproof.lang.action import Action
from offsetproof.model.rocketmq import RocketMQ
from offsetproof.model.timing import LEFT_OUT, NO_WAIT, timing

TIMING = timing(lambda timer: timer.seconds)
PAGE = Path(__file__).parents[1] / "docs" / "times.md"

_HEAD = """# How long the steps of RocketMQ 4.9.4 take

Written by `make times` from `model/`: each step says what it waits for; `model/timing.py` has what is left out;
`tests/quality/test_times_page.py` asks that it is, and that every action is in it. From this comes the time of each
step of a story, and the smallest stall or delay that the story needs. Verdicts do not depend on it.

*at once* is plain code: whatever passes is a stall. *up to* and *after* say what is normal; what takes longer is told
as a stall or delay. *at least* is a timer that no step can overtake. A wait begins with the latest of the steps that
are named, of the same consumer, life, task or run.
"""


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    print(page())


def page() -> str:
    """The text of the page."""
    lines = [_HEAD]
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
    if name in NO_WAIT:
        yield f"no wait: {NO_WAIT[name]}"
    yield from (_wait_in_words(wait) for wait in TIMING.waits if name in wait.ends)


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


if __name__ == "__main__":
    main()
