"""From an alarm to evidence: the canonical trace, followed by the model's own Python; or a model error in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from offsetproof.engines.explicit.explorer import Exploration
from offsetproof.engines.explicit.search import Alarm
from offsetproof.engines.explicit.shortest import BareTrace, shortest
from offsetproof.engines.reducing import whole_state
from offsetproof.ir.system import Label, State, show_label
from offsetproof.lang.claim import Property
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Reference, Replay, ReplayError
from offsetproof.verdict.deadline import Deadline
from offsetproof.verdict.result import DisagreementError

_TOLD_MAX = 40
"""So many steps are told in one line; of more only the beginning and the end."""


@dataclass(frozen=True)
class Tracing:
    """What traces the alarms of one question. Each method raises TimeIsUpError when the deadline is over."""

    reference: Reference
    deadline: Deadline

    def replay(self, search: Exploration, alarm: Alarm, prop: Property) -> Replay:
        """The canonical trace to an alarm of the first claim, replayed; DisagreementError where it does not replay."""
        path = shortest(search, alarm, 0, self.deadline.check)
        try:
            return Replay(self.reference, prop, path.labels, self._start(search, path), on_the_way=self.deadline.check)
        except ReplayError as error:
            what = f"the compiled model and its own Python disagree on {prop.id}: {error}"
            raise DisagreementError(what) from error

    def error(self, search: Exploration, failure: Alarm) -> str:
        """A model error in words: what was done, which field or line, after which steps."""
        path = shortest(search, failure, None, self.deadline.check)
        state = self._start(search, path)
        for label in path.labels:
            self.deadline.check()
            after = self.reference.take(state, label)
            if isinstance(after, NotTaken):
                raise DisagreementError(f"{show_label(label)} is {after} in the model's own Python")
            state = after
        for label in self.reference.labels:
            try:
                self.reference.take(state, label)
            except ModelError as error:
                return f"{error}; after {len(path.labels)} steps: {_steps_in_words(path.labels) or 'the initial state'}"
        return f"after {_steps_in_words(path.labels)}"

    def _start(self, search: Exploration, path: BareTrace) -> State:
        return whole_state(self.reference, search.system, path.initial)


def _steps_in_words(labels: Sequence[Label]) -> str:
    names = list(map(show_label, labels))
    if len(names) > _TOLD_MAX:
        half = _TOLD_MAX // 2
        names = [*names[:half], f"({len(names) - 2 * half} more)", *names[-half:]]
    return " -> ".join(names)
