"""RocketMQ 4.9.4's timers and timeouts, in seconds, by the names that they have there."""

from __future__ import annotations

RESET_SLEEP = 10.0
"""MQClientInstance.resetOffset: TimeUnit.SECONDS.sleep(10)."""

POLL_HOLD, HOLD_CHECK = 15.0, 5.0
"""PullRequest: brokerSuspendMaxTimeMillis; PullRequestHoldService looks every five seconds."""

PULL_TIMEOUT, PULL_RETRY = 30.0, 1.0
"""consumerTimeoutMillisWhenSuspend; pullTimeDelayMillsWhenException."""

PERSIST_FIRST, PERSIST_EVERY = 10.0, 5.0
"""MQClientInstance.startScheduledTask: the first round after the start; persistConsumerOffsetInterval."""

FLUSH_FIRST, FLUSH_EVERY = 10.0, 5.0
"""BrokerController.initialize: the first flush after the start; flushConsumerOffsetInterval."""

REBALANCE_EVERY = 20.0
"""RebalanceService.waitInterval; a run may come earlier, when it is woken."""

ON_ITS_WAY = 1.0
"""A request between client and broker, either way: no constant of RocketMQ's, but generous."""

ASKED = 2 * ON_ITS_WAY
"""A request and its answer."""

REPAIR_DELAY = 10.0
"""DefaultMQPushConsumerImpl.PullCallback: an illegal offset is repaired so long after."""

PULL_IDLE = 120.0
"""ProcessQueue.PULL_MAX_IDLE_TIME: after so long without a pull a queue is taken for dead."""

CONSUME_TIMEOUT = 900.0
"""consumeTimeout: a message that is so long in the listener is sent back by the sweep."""

RETRY_HERE = 5.0
"""ConsumeMessageConcurrentlyService.submitConsumeRequestLater: what could not be sent back is tried again."""

SEND_BACK_TIMEOUT = 5.0
"""DefaultMQPushConsumerImpl.sendMessageBack: how long the request may take."""

RETRY_DELAY = 10.0
"""SendMessageProcessor.asyncConsumerSendMsgBack: delay level 3 for a message that comes back for the first time."""
