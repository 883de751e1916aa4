"""The broker's side of one queue: how many messages are stored, and the group's committed offset."""

from __future__ import annotations

from offsetproof.lang import Component, offset, optional


class Broker(Component):
    """One queue of one topic, and the group's row in the offset table.

    Stands for the consume queue's max offset and ConsumerOffsetManager.offsetTable. Left out: min offset and
    retention, the offset file and restarts, slaves, the registry of consumers (every consumer hears every reset).
    """

    max_offset: int = offset()
    committed: int | None = optional(offset())
