"""Persisting: the timer writes the whole file again with the queues that are in the table, in one step.

Stands for LocalFileOffsetStore.persistAll. Its own steps, kills between them, and two threads that write at once are in
`model/files`.
"""

from __future__ import annotations

from offsetproof.lang import action, at, require
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.broadcasting.variants import FILE_LOSS
from offsetproof.model.vocabulary import CONSUMERS

PERSIST_ALL = at("LocalFileOffsetStore", "persistAll", "put")


class Persisting(BroadcastGroup):
    """What happens to the file."""

    @action(c=CONSUMERS, actor="consumer[c]", thread="persist timer", stands_for=[PERSIST_ALL])
    def consumer_persists_all(self, c: int) -> None:
        """Writes the whole file again, with the queues in the table and no others.

        It does so every five seconds; without a queue it returns at once.
        """
        require(self.consumer[c].alive, self.consumer[c].lists_a_queue())
        self.persist_all(c)

    @action(
        c=CONSUMERS, actor="consumer[c]", thread="application", fault=FILE_LOSS,
        stands_for=[at("LocalFileOffsetStore", "readLocalOffset", "readLocalOffsetBak")],
    )  # fmt: skip
    def file_is_lost(self, c: int) -> None:
        """Loses the file and its backup while it is down."""
        require(not self.consumer[c].alive, self.consumer[c].stored is not None)
        self.consumer[c].stored = None
