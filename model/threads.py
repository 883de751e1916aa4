"""The threads of a client: the parameters of their steps, what their stalls are called, and how the rig runs them.

A step names its thread, `@RESET.step(at(...))`, and says no more where it is plain code that follows the step above it.
"""

from __future__ import annotations

from typing import Any

from offsetproof.lang.rigging import RigMoment, ThreadStep
from offsetproof.lang.step import Thread
from offsetproof.model.vocabulary import CONSUMERS, LIVES


def of_client(moment: RigMoment, **values: Any) -> dict[str, Any]:
    """What every step of a client's thread says: the client, and the arguments that name a life and a task."""
    named = {name: moment.arg(name) for name in ("life", "m") if name in moment.args}
    return {"client": moment.arg("c"), **named, **values}


RESET = Thread(
    "reset",
    {"c": CONSUMERS},
    late="the thread of a reset stalls",
    rig=ThreadStep("reset", lambda moment: (f"reset {moment.arg('c')}",), values=of_client),
)
"""The thread that runs MQClientInstance.resetOffset."""

REPAIR = Thread(
    "repair",
    {"c": CONSUMERS, "life": LIVES},
    late="the thread of a repair stalls",
    rig=ThreadStep(
        "repair", lambda moment: (f"repair {moment.arg('c')} {moment.arg('life')}",), "repair", values=of_client
    ),
)
"""The scheduled thread that repairs an illegal offset, for the life that has met it."""
