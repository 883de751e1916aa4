"""What a consumer's listener does, and what it has done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class ListenerAnswer(StrEnum):
    """What a listener returns: a concurrent one the first two, an orderly one SUCCESS and the last three."""

    SUCCESS = "SUCCESS"
    RECONSUME_LATER = "RECONSUME_LATER"
    SUSPEND = "SUSPEND_CURRENT_QUEUE_A_MOMENT"
    COMMIT = "COMMIT"
    ROLLBACK = "ROLLBACK"


@dataclass(frozen=True)
class ListenerBehaviour:
    """What is done with a batch: works for that many `seconds`, whoever interrupts it, then `throws` or answers.

    `ack_index` is given to ConsumeConcurrentlyContext.setAckIndex; `manual` turns off ConsumeOrderlyContext's
    autoCommit.
    """

    answer: ListenerAnswer = ListenerAnswer.SUCCESS
    seconds: float = 0.0
    ack_index: int | None = None
    throws: bool = False
    manual: bool = False


@dataclass(frozen=True)
class Script:
    """What a listener does: `otherwise`, but for batches with one of the `messages`, of which the first decides."""

    otherwise: ListenerBehaviour = ListenerBehaviour()
    messages: Mapping[str, ListenerBehaviour] = field(default_factory=dict)

    def as_command(self) -> dict[str, Any]:
        """The script as the JVM reads it."""
        return {
            "otherwise": _as_command(self.otherwise),
            "messages": {body: _as_command(behaviour) for body, behaviour in self.messages.items()},
        }


def _as_command(behaviour: ListenerBehaviour) -> dict[str, Any]:
    values = asdict(behaviour)
    return {"ackIndex": values.pop("ack_index"), **values}


@dataclass(frozen=True)
class Delivery:
    """A message that a listener was given: when it began and ended (seconds since 1970), and what it answered.

    `ended` is None while it works, and where its process was killed meanwhile. `batch` numbers the listener's calls.
    """

    body: str
    queue: int
    offset: int
    retries: int
    batch: int
    began: float
    ended: float | None = None
    answer: str | None = None


def deliveries_of(notes: Iterable[Mapping[str, Any]]) -> list[Delivery]:
    """The deliveries that a consumer has written down, in the order in which they began.

    >>> note = {"body": "m0", "queue": 0, "offset": 0, "retries": 0, "batch": 1}
    >>> begins, ends = {"what": "begins", "at": 1500}, {"what": "ends", "at": 2500, "answer": "SUCCESS"}
    >>> [found] = deliveries_of([{**begins, **note}, {**ends, **note}])
    >>> found.began, found.ended, found.answer
    (1.5, 2.5, 'SUCCESS')
    """
    found: dict[tuple[int, str], dict[str, Any]] = {}
    for note in notes:
        key = int(note["batch"]), str(note["body"])
        if note["what"] == "begins":
            same = {name: note[name] for name in ("body", "queue", "offset", "retries", "batch")}
            found[key] = {**same, "began": note["at"] / 1000}
        else:
            found[key] |= {"ended": note["at"] / 1000, "answer": note["answer"]}
    return [Delivery(**values) for values in found.values()]
