"""Since 5.0.0 one more file comes before the offsets: topicQueueMapping.json.

Stands for BrokerController.initializeMetadata, which loads nothing more once a file and its backup cannot be read.
"""

from __future__ import annotations

from typing import ClassVar

from offsetproof.lang import Change
from offsetproof.lang.action import Retold
from offsetproof.model.files.running import Running
from offsetproof.model.releases import LOADS_MAPPING_BEFORE


class LoadingMapping(Running):
    """Which file may fail."""

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(
            Running.broker_starts_without_topics,
            "Cannot load topics.json or topicQueueMapping.json, so loads nothing else, and shuts down.",
        ),
    )


LOADS_MAPPING = Change(LOADS_MAPPING_BEFORE, steps=(LoadingMapping,))
"""What the start of a broker is with it."""
