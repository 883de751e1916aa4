"""What the broker logs of offsets, where several steps may: the templates of its messages."""

from __future__ import annotations

BELOW_STORE = (
    "[NOTIFYME]update consumer offset less than store. clientHost={}, key={}, queueId={}, requestOffset={}, "
    "storeOffset={}"
)
"""ConsumerOffsetManager.commitOffset, where the offset in the table was higher; other commits leave no line."""

REFUSED = (
    "Update consumer offset is rejected because of previous offset-reset. Group={}, Topic={}, QueueId={}, Offset={}"
)
"""ConsumerManageProcessor.updateConsumerOffset, where the queue has a marker."""

RESET_LISTED = "Reset offset, topic={}, group={}, queues={}"
"""AdminBrokerProcessor.resetOffsetInner, after all queues are marked and their targets written."""

MARKER_TAKEN = "The queue under pulling was previously reset to start from {}"
"""PullMessageProcessor.processRequest, where the pull takes a marker."""
