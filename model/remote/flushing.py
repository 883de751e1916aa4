"""Flushing: the offset table is written to a file every five seconds, and read again at a restart.

Stands for ConfigManager.persist and load. Left out: how the offset file is written (`files/` has that), the 10 s before
the first flush, slaves.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import at, require, some
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigChange
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.pulling import RESTARTS
from offsetproof.model.threads import BROKER, BY_FAULT, FLUSH, STORE
from offsetproof.model.timers import FLUSH_EVERY, FLUSH_FIRST
from offsetproof.model.variants import BROKER_KILL

_FLUSH = Pause(
    "the flush timer", ("broker_flushes",), FLUSH_EVERY, any_longer=True,
    source="BrokerController.initialize: flushConsumerOffsetInterval",
)  # fmt: skip
_FIRST_FLUSH = Pause(
    "the flush timer", ("broker_is_killed",), FLUSH_FIRST, any_longer=True,
    source="BrokerController.initialize: the first flush after a start",
)  # fmt: skip
_FIRST_FLUSH_AFTER_LOSS = replace(_FIRST_FLUSH, after=("broker_loses_tail",))
_FIRST_FLUSH_AFTER_RESTART = replace(_FIRST_FLUSH, after=(RESTARTS,))


class Flushing(Group):
    """What happens to the broker's memory and file."""

    @FLUSH.step(
        at("ConfigManager", "persist", "string2File").or_at("persist", "RandomAccessFile.write"),
        waits=(_FLUSH, _FIRST_FLUSH, _FIRST_FLUSH_AFTER_LOSS, _FIRST_FLUSH_AFTER_RESTART),
    )
    def broker_flushes(self) -> None:
        """Writes the offset table to the offset file.

        It does so every five seconds.
        """
        broker = self.broker
        require(some([broker.flushed != broker.committed, broker.neighbour_flushed != broker.neighbour_committed]))
        broker.flush()

    @BROKER.step(at("ConfigManager", "load", "decode"), any_time=BY_FAULT, fault=BROKER_KILL)
    def broker_is_killed(self) -> None:
        """Is killed and restarted: its offset table is what the file holds."""
        self.broker.restart()

    @STORE.step(
        at("DefaultMessageStore", "checkInDiskByConsumeOffset", "checkInDiskByCommitOffset").or_at(
            "checkInMemByConsumeOffset", "checkInMemByCommitOffset"
        ),
        any_time="the commit log may outgrow the memory at any time",
        rig=RigChange("cool"),
    )
    def first_message_turns_cold(self) -> None:
        """Has so much commit log by now that offset 0 is only on disk."""
        require(self.scope.cold > 0, not self.broker.cold, self.broker.max_offset > 0)
        self.broker.cold = True
