"""Persisting: the timer writes the whole file again with the queues that are in the table, in one step.

Stands for LocalFileOffsetStore.persistAll. Its own steps, kills between them, and two threads that write at once are in
`model/files`.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import at, require
from offsetproof.lang.rigging import RigChange
from offsetproof.model.local.store import LocalGroup
from offsetproof.model.local.variants import FILE_LOSS
from offsetproof.model.threads import APPLICATION, BY_FAULT, FIRST_PERSIST_ROUND, PERSIST, PERSIST_ROUND, of_client

PERSIST_ALL = at("LocalFileOffsetStore", "persistAll", "put")


class Persisting(LocalGroup):
    """What happens to the file."""

    @PERSIST.step(PERSIST_ALL, waits=(PERSIST_ROUND, FIRST_PERSIST_ROUND), rig=replace(PERSIST.rig, whole=True))
    def consumer_persists_all(self, c: int) -> None:
        """Writes the whole file again, with the queues in the table and no others.

        It does so every five seconds; without a queue it returns at once.
        """
        require(self.consumer[c].alive, self.consumer[c].lists_a_queue())
        self.persist_all(c)

    @APPLICATION.step(
        at("LocalFileOffsetStore", "readLocalOffset", "readLocalOffsetBak"),
        any_time=BY_FAULT,
        rig=RigChange("lose_file", of_client),
        fault=FILE_LOSS,
    )
    def file_is_lost(self, c: int) -> None:
        """Loses the file and its backup while it is down."""
        require(not self.consumer[c].alive, self.consumer[c].stored is not None)
        self.consumer[c].stored = None
