"""Stopping: a client is killed or shut down, and loads its file when it starts again.

Stands for DefaultMQPushConsumerImpl.start and shutdown with LocalFileOffsetStore.load. Left out: a load that fails, and
what else `model/files` has of the file.
"""

from __future__ import annotations

from offsetproof.lang import Fairness, action, at, require
from offsetproof.model.local.persisting import PERSIST_ALL
from offsetproof.model.local.store import LocalGroup
from offsetproof.model.shared.stopping import Stopping
from offsetproof.model.vocabulary import CONSUMERS, StopStep


class StoppingWithFile(Stopping, LocalGroup):
    """What a start and a shutdown do with the file."""

    @action(
        c=CONSUMERS, actor="consumer[c]", thread="application", fair=Fairness.NONE,
        stands_for=[
            at("DefaultMQPushConsumerImpl", "start", "load"),
            at("LocalFileOffsetStore", "load", "putAll").or_at("load", "put"),
        ],
    )  # fmt: skip
    def consumer_starts(self, c: int) -> None:
        """Starts again, and loads its file."""
        super().consumer_starts(c)
        self.consumer[c].cell = self.consumer[c].stored
        self.consumer[c].ghost_loaded = self.consumer[c].stored

    @action(
        c=CONSUMERS, actor="consumer[c]", thread="application", fair=Fairness.NONE,
        stands_for=[at("DefaultMQPushConsumerImpl", "shutdown", "persistConsumerOffset"), PERSIST_ALL],
    )  # fmt: skip
    def shutdown_persists(self, c: int) -> None:
        """Writes the file once more, if there is a queue in the table."""
        consumer = self.consumer[c]
        require(consumer.stop == StopStep.SERVICE_STOPPED)
        self.persist_all(c)
        consumer.stop = StopStep.PERSISTED
