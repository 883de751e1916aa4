"""In 5.x a broker shuts the executor of commits down before it persists for the last time, and does not wait for it.

Stands for BrokerController.shutdownBasicService. What waits in the executor's queue by then is executed as before,
after the last persist as well.
"""

from __future__ import annotations

from typing import ClassVar

from offsetproof.lang import Change, at
from offsetproof.lang.action import Retold
from offsetproof.model.files.running import Running
from offsetproof.model.files.serving import Serving
from offsetproof.model.releases import EXECUTORS_STOP_FIRST


class StoppingFirst(Running, Serving):
    """What a broker's shutdown says: its executors have been shut down when it persists."""

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(
            Running.broker_exits,
            "Ends, with all that was only in memory; commits that its executor had in its queue are done by then.",
            places=(at("BrokerController", "shutdown", "BrokerOuterAPI.shutdown"),),
        ),
    )


STOPS_FIRST = Change(EXECUTORS_STOP_FIRST, steps=(StoppingFirst,))
"""What the end of a broker is with it."""
