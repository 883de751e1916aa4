"""How a state is drawn: every queue with its messages, the clients' cells and what they have sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count, takewhile
from typing import Any

from offsetproof.lang import Mark, Picture, QueueRow, Scope
from offsetproof.model.shared.picture import WORDS

State = Mapping[str, Any]


def queues(scope: Scope, state: State) -> tuple[QueueRow, ...]:
    """All queues, whose messages are stored from the beginning."""
    return tuple(_row(scope, state, q) for q in _numbers(state, "queue[{}].committed"))


def _row(scope: Scope, state: State, q: int) -> QueueRow:
    queue, end = f"queue[{q}]", scope.bounds["messages"]
    done: frozenset[int] = state[f"{queue}.ghost_done"]
    answered = state[f"{queue}.ghost_answered"]
    if answered and state[f"{queue}.ghost_landed"] == answered and state[f"{queue}.ghost_direction"] == "BACKWARD":
        done -= frozenset(range(state[f"{queue}.ghost_target"], end)) - state[f"{queue}.ghost_redone"]
    passed = frozenset(range(min(end, state[f"{queue}.committed"]))) - done
    return QueueRow(queue, 0, end, {Mark.DONE: done, Mark.PASSED: passed}, tuple(_pointers(state, q)))


def _pointers(state: State, q: int) -> Iterator[tuple[str, int]]:
    yield "committed at the broker", state[f"queue[{q}].committed"]
    if state[f"queue[{q}].ghost_answered"]:
        yield "target of the reset", state[f"queue[{q}].ghost_target"]
    for c in _numbers(state, f"client[{{}}].share[{q}].cell"):
        client, share = f"client[{c}]", f"client[{c}].share[{q}]"
        if state[f"{share}.cell"] is not None:
            yield f"committed in {client}: its cell", state[f"{share}.cell"]
        if state[f"{share}.writing"] is not None:
            yield f"about to be written by a task of {client}", state[f"{share}.writing"]
        for place in range(state[f"{share}.commits.count"]):
            sent = f"{share}.commits[{place}]"
            what = "reset's commit" if state[f"{sent}.ghost_reset"] else "commit"
            yield f"{what} of {client}, on its way", state[f"{sent}.offset"]
        if q in state[f"{client}.process_queue_table"]:
            yield f"consumed next by {client}", state[f"{share}.position"]


def _numbers(state: State, path: str) -> list[int]:
    """The numbers from 0 for which there is a field of this path."""
    return [*takewhile(lambda number: path.format(number) in state, count())]


PICTURE = Picture(queues, WORDS)
"""For the model of several queues."""
