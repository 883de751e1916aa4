"""The timelines of all queues, from the events of the silver table."""

from __future__ import annotations

from offsetproof.audit.around import Silver, in_order
from offsetproof.audit.explain.explaining import clients_of
from offsetproof.audit.explain.matching import Client, place_of
from offsetproof.audit.reports.queue_pictures import QueueKey, QueuePicture, pictures_of


def timelines_of(silver: Silver) -> dict[QueueKey, QueuePicture]:
    """The picture of each queue: who had it when, commits, resets and falls."""
    events = sorted((event for event in silver.events() if event.group is not None), key=in_order)
    clients = clients_of(events)
    return pictures_of((event, _name_of(clients[place_of(event)])) for event in events)


def _name_of(client: Client | None) -> str | None:
    """A client as people know it."""
    return client and client[0]
