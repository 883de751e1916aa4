"""How a state is drawn: the one queue with its messages, the clients' cells, what is on its way, and the broker's row.

Stands for nothing in RocketMQ. Orderly and broadcasting clients have the same fields with some of their own; a field
that a model does not have is drawn as nothing. Left out: offsets of runs that only prepare a write (rebalance, info).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count, takewhile
from typing import Any

from offsetproof.lang import Mark, Picture, QueueRow, Scope

State = Mapping[str, Any]
_NOTHING: frozenset[int] = frozenset()


def queues(scope: Scope, state: State) -> tuple[QueueRow, ...]:
    """The group's one queue. A message that a landed reset asks for again is done when it has been done again."""
    clients = [f"consumer[{c}]" for c in _numbers(state, "consumer[{}].cell")]
    process_queues = [pq for client in clients for pq in _process_queues(state, client)]
    end, first = state["broker.max_offset"], state["broker.min_offset"]
    stored, asked = frozenset(range(first, end)), _asked_again(state, end)
    done = (state["ghost_done"] - asked) | (asked & state["ghost_redone"])
    marks = {
        Mark.PULLED: _NOTHING.union(*(_cached_offsets(state, pq) for pq in process_queues)) & stored,
        Mark.CONSUMING: _NOTHING.union(*(_consuming(state, pq) for pq in process_queues)) & stored,
        Mark.DONE: done & stored,
        Mark.PASSED: frozenset(range(_committed_offset(state, clients)))
        & stored
        & (_owed_offsets(scope, state) | asked) - done,
    }
    pointers = [*_of_broker(state), *(each for client in clients for each in _of_client(state, client, len(clients)))]
    return (QueueRow("queue", first, end, marks, tuple(pointers)),)


def _asked_again(state: State, end: int) -> frozenset[int]:
    """The offsets that a backward reset asks for once more, from its landing on."""
    is_asked = state["ghost_landed"] and state["ghost_direction"] == "BACKWARD"
    return frozenset(range(state["ghost_target"], end)) if is_asked else _NOTHING


def _owed_offsets(scope: Scope, state: State) -> frozenset[int]:
    """The offsets that the group must be given: from its start on, with its tags, none skipped by an administrator."""
    first = scope.bounds.get("unmatched_from", 0)
    other_tags = range(first, first + scope.bounds.get("unmatched", 0))
    skipped: frozenset[int] = state["ghost_skipped"]
    stored = range(state["ghost_owed_from"] or 0, state["broker.max_offset"])
    return frozenset(stored) - skipped - frozenset(other_tags)


def _committed_offset(state: State, clients: list[str]) -> int:
    """Where the group stands for whoever starts next: by the broker, or by the files of broadcasting clients."""
    stored = [state[f"{client}.stored"] for client in clients if f"{client}.stored" in state]
    values = [each or 0 for each in stored] if stored else [state["broker.committed"] or 0]
    return max(values)


def _cached_offsets(state: State, pq: str) -> frozenset[int]:
    taken = state.get(f"{pq}.consuming_msg_orderly_tree_map", _NOTHING)
    cached: frozenset[int] = state[f"{pq}.msg_tree_map"] | taken
    return cached


def _consuming(state: State, pq: str) -> frozenset[int]:
    """The offsets that a listener has at the moment."""
    if state.get(f"{pq}.request.at") == "LISTENING":
        taken: frozenset[int] = state[f"{pq}.request.taken"]
        return taken
    tasks = [(m, f"{pq}.task[{m}]") for m in _numbers(state, f"{pq}.task[{{}}].at")]
    listening = [(m, task) for m, task in tasks if state[f"{task}.at"] == "LISTENING"]
    return frozenset(m + i for m, task in listening for i in range(state[f"{task}.size"]))


def _of_broker(state: State) -> Iterator[tuple[str, int]]:
    if state["broker.committed"] is not None:
        yield "committed at the broker", state["broker.committed"]
    if state["broker.flushed"] is not None:
        yield "in the broker's file", state["broker.flushed"]
    if state["ghost_direction"] != "NONE":
        yield "target of the reset", state["ghost_target"]


def _of_client(state: State, client: str, clients: int) -> Iterator[tuple[str, int]]:
    """A client's cell, its file, what it has sent, and its next pulls; with its name among several."""
    whose = "the client" if clients == 1 else client
    if state[f"{client}.cell"] is not None:
        yield f"committed in {whose}: its cell", state[f"{client}.cell"]
    if state.get(f"{client}.stored") is not None:
        yield f"in the file of {whose}", state[f"{client}.stored"]
    for place in range(state.get(f"{client}.commits.count", 0)):
        sent = f"{client}.commits[{place}]"
        what = "reset's commit" if state[f"{sent}.origin"] == "RESET" else "commit"
        yield f"{what} of {whose}, on its way", state[f"{sent}.offset"]
    for n, pq in enumerate(_process_queues(state, client)):
        dropped = ", dropped" if state[f"{pq}.dropped"] else ""
        if state[f"{pq}.piggyback"] is not None:
            yield f"commit in the pull of {whose}, on its way", state[f"{pq}.piggyback"]
        if state[f"{pq}.pull_request"] != "NONE":
            yield f"pulled next by {whose} (ProcessQueue {n}{dropped})", state[f"{pq}.next_offset"]


def _process_queues(state: State, client: str) -> list[str]:
    return [f"{client}.process_queue[{n}]" for n in _numbers(state, f"{client}.process_queue[{{}}].pull_request")]


def _numbers(state: State, path: str) -> list[int]:
    """The numbers from 0 for which there is a field of this path."""
    return [*takewhile(lambda number: path.format(number) in state, count())]


WORDS = {
    "pq_id": "which of the client's ProcessQueues for the queue; each is made when the queue is taken.",
    "cell": "the client's offset of the queue in RemoteBrokerOffsetStore.offsetTable, an AtomicLong in memory.",
    "committed": "the broker's offset of the group for the queue, in ConsumerOffsetManager.",
    "the table": "the client's processQueueTable.",
    "pull_request": "the place of the ProcessQueue's PullRequest; without it nobody pulls for the queue.",
    "held poll": "a pull that the broker keeps because there is nothing new.",
    "piggyback": "the commit offset that a pull carries.",
    "landed": "a reset has landed when the broker has executed the reset's own write.",
    "task": "one ConsumeRequest: the messages that a listener is given at once.",
    "owed": "the stored messages that the group has to be given, from where ConsumeFromWhere starts it.",
}
"""What readers of a story may not know, in the words of docs/glossary.md."""

PICTURE = Picture(queues, WORDS)
"""For the concurrent, the orderly and the broadcasting model."""
