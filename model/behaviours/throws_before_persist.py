"""In 5.3.3 a broker that cannot load its files ends with an exception, before it persists its offsets.

Stands for BrokerController.shutdownBasicService, which persists ScheduleMessageService first: its configFilePath asks
for the store, which such a broker has not made yet, and ConfigManager.persist asks for the path outside of its `try`.
In 5.5.0 it asks within that. Where it is the offsets that cannot be read, `running` asks for the behaviour.
"""

from __future__ import annotations

from typing import Any, ClassVar

from offsetproof.lang import Change, at
from offsetproof.lang.action import Retold
from offsetproof.lang.rigging import RigChange, RigMoment
from offsetproof.model.behaviours.loads_mapping_before import LoadingMapping
from offsetproof.model.files.running import Running
from offsetproof.model.files.threads import PROCESS, of_process
from offsetproof.model.files.variants import OTHER_FILE
from offsetproof.model.files.vocabulary import Owner
from offsetproof.model.releases import THROWS_BEFORE_PERSIST
from offsetproof.model.threads import BY_DECISION


def _throwing(moment: RigMoment) -> dict[str, Any]:
    """A start that fails, with its end."""
    return {**of_process(moment), "throws": True}


class ThrowingShutdown(LoadingMapping):
    """How a broker ends that could not load: nothing is written."""

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(
            Running.broker_starts_without_topics,
            "Cannot load topics.json or topicQueueMapping.json, and ends with an exception.",
        ),
    )

    @PROCESS.step(
        at("BrokerController", "initialize", "load").or_at("initializeMetadata", "load"),
        at("ScheduleMessageService", "configFilePath", "getMessageStoreConfig"),
        any_time=BY_DECISION,
        rig=RigChange("start_without_topics", _throwing),
        fault=OTHER_FILE,
    )
    def broker_starts_without_topics(self, p: int) -> None:
        """Cannot load topics.json, and ends with an exception: nothing is persisted."""
        self.require_start(p, Owner.BROKER)


THROWS = Change(THROWS_BEFORE_PERSIST, steps=(ThrowingShutdown,))
"""What a start that fails is with it."""
