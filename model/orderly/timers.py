"""Timers of orderly consumption as they are in 4.9.4, in seconds."""

from __future__ import annotations

from offsetproof.lang import Timer

LOCK_EVERY = Timer("lockAll", 20.0, "client", "ProcessQueue.REBALANCE_LOCK_INTERVAL; 1 s after the start at first")
LOCK_BELIEVED = Timer("belief in a lock", 30.0, "client", "ProcessQueue.REBALANCE_LOCK_MAX_LIVE_TIME")
UNLOCK_DELAY = Timer("delayed unlock", 20.0, "client", "RebalancePushImpl.UNLOCK_DELAY_TIME_MILLS")
LOCK_AGAIN = Timer(
    "request's lock", 0.01, "client", "ConsumeMessageOrderlyService.tryLockLaterAndReconsume: 10 or 100 ms"
)
SUBMIT_AGAIN = Timer(
    "resubmission",
    0.01,
    "client",
    "ConsumeMessageOrderlyService.submitConsumeRequestLater: 10 ms to 30 s, 1 s by default",
)
CONTINUOUSLY = Timer("longest run", 60.0, "client", "ConsumeMessageOrderlyService.MAX_TIME_CONSUME_CONTINUOUSLY")
