"""RocketMQ's timers and timeouts as they are in 4.9.4, in seconds; a release that has others says so itself."""

from __future__ import annotations

from offsetproof.lang import Timer

RESET_SLEEP = Timer("reset's sleep", 10.0, "client", "MQClientInstance.resetOffset: TimeUnit.SECONDS.sleep(10)")
POLL_HOLD = Timer("poll's hold", 15.0, "client", "brokerSuspendMaxTimeMillis, which a pull takes along")
HOLD_CHECK = Timer("look at held polls", 5.0, "broker", "PullRequestHoldService looks every five seconds")
PULL_TIMEOUT = Timer("pull's timeout", 30.0, "client", "consumerTimeoutMillisWhenSuspend")
PULL_RETRY = Timer("pull's next try", 1.0, "client", "pullTimeDelayMillsWhenException")
PERSIST_FIRST = Timer("first persistAll", 10.0, "client", "MQClientInstance.startScheduledTask: after the start")
PERSIST_EVERY = Timer("persistAll", 5.0, "client", "persistConsumerOffsetInterval")
FLUSH_FIRST = Timer("first flush", 10.0, "broker", "BrokerController.initialize: the first flush after the start")
FLUSH_EVERY = Timer("flush", 5.0, "broker", "flushConsumerOffsetInterval")
COPY_EVERY = Timer("slave's copy", 10.0, "broker", "BrokerController.handleSlaveSynchronize: SlaveSynchronize.syncAll")
HEARTBEAT_EVERY = Timer("heartbeat", 30.0, "client", "MQClientInstance.startScheduledTask: heartbeatBrokerInterval")
REBALANCE_EVERY = Timer("rebalance", 20.0, "client", "RebalanceService.waitInterval; earlier when it is woken")
REBALANCE_AGAIN = Timer(
    "rebalance after one that was not balanced",
    20.0,
    "client",
    "RebalanceService.run: realWaitInterval; a paused consumer counts as not balanced",
)
REBALANCES_APART = Timer(
    "time between rebalances", 0.0, "client", "RebalanceService.minInterval, also where it is woken"
)
DISPATCH_DELAY = Timer(
    "first pull's delay", 0.0, "client", "RebalanceImpl.updateProcessQueueTableInRebalance: dispatchPullRequest"
)
REPAIR_DELAY = Timer("repair's delay", 10.0, "client", "PullCallback: an illegal offset is repaired after it")
QUERY_TIMEOUT = Timer("query's timeout", 5.0, "client", "RemoteBrokerOffsetStore.fetchConsumeOffsetFromBroker")
PULL_IDLE = Timer("idle pull", 120.0, "client", "ProcessQueue.PULL_MAX_IDLE_TIME: then a queue is taken for dead")
CONSUME_TIMEOUT = Timer("listener's timeout", 900.0, "client", "consumeTimeout: then the sweep sends a message back")
RETRY_HERE = Timer("local retry", 5.0, "client", "ConsumeMessageConcurrentlyService.submitConsumeRequestLater")
SEND_BACK_TIMEOUT = Timer("send-back's timeout", 5.0, "client", "DefaultMQPushConsumerImpl.sendMessageBack")
RETRY_DELAY = Timer(
    "first retry",
    10.0,
    "broker",
    "SendMessageProcessor.asyncConsumerSendMsgBack: delay level 3 for a message that comes back for the first time",
)
FLUSH_LOG = Timer(
    "flush of the commit log", 10.0, "broker", "flushCommitLogThoroughInterval; earlier once four pages are written"
)
TRY_LOCK = Timer("consume lock's wait", 1.0, "client", "RebalancePushImpl.removeUnnecessaryMessageQueue: tryLock")
LEASE = Timer("lease", 60.0, "broker", "RebalanceLockManager.REBALANCE_LOCK_MAX_LIVE_TIME")
BELIEF_LEFT = Timer(
    "belief left in an unlisted queue's lock",
    10.0,
    "client",
    "of 30 s: RebalanceImpl.lockAll asks every 20 s until then",
)
LEASE_LEFT = Timer(
    "lease left of an unlisted queue", 40.0, "client", "of 60 s: RebalanceImpl.lockAll asks every 20 s until then"
)
ON_ITS_WAY = Timer("request", 1.0, source="a request, either way: not a constant of RocketMQ, but generous")
