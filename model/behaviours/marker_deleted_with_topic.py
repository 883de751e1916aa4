"""In 5.5.0 the deletion of a topic removes the marker of a reset, where it finds an offset of the group."""

from __future__ import annotations

from typing import cast

from offsetproof.lang import Change, same
from offsetproof.model.behaviours.server_side_reset import MarkingBroker
from offsetproof.model.concurrent.rewinding import Rewinding
from offsetproof.model.releases import MARKER_DELETED_WITH_TOPIC


class DeletingMarker(Rewinding):
    """What goes with a topic."""

    @same(Rewinding.administrator_deletes_topic)
    def administrator_deletes_topic(self) -> None:
        """Deletes the topic, its groups' offsets, and the markers of those."""
        broker = cast(MarkingBroker, self.broker)
        if broker.has_row():
            broker.marker = None
        super().administrator_deletes_topic()


DELETES_MARKER = Change(MARKER_DELETED_WITH_TOPIC, steps=(DeletingMarker,))
"""What the broker is with it."""
