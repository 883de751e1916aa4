"""How long it takes to pull, consume and send back: the pull's way, the consume threads, the sweep, the repair."""

from __future__ import annotations

from offsetproof.lang import Seconds, Wait, plain_code
from offsetproof.model.timers import (
    CONSUME_TIMEOUT,
    HOLD_CHECK,
    ON_ITS_WAY,
    POLL_HOLD,
    PULL_RETRY,
    PULL_TIMEOUT,
    RETRY_DELAY,
    RETRY_HERE,
    SEND_BACK_TIMEOUT,
)

_TASK, _LIFE = ("c", "life", "m"), ("c", "life")

_SENT = ("consumer_pulls", "broker_receives_pull")


def pulling(seconds: Seconds) -> tuple[Wait, ...]:
    """From the token in the run queue to the callback, and the repair of an illegal offset."""
    request = seconds(ON_ITS_WAY)
    return (
        Wait(
            "the pull's next try", ("consumer_pulls",), (("pull_fails",),), _LIFE, seconds(PULL_RETRY), None,
            "DefaultMQPushConsumerImpl.PullCallback.onException: executePullRequestLater",
        ),
        Wait(
            "a pull is on its way", ("broker_receives_pull",), (("consumer_pulls",),), _LIFE, 0, request, "a request",
        ),
        Wait(
            "the broker holds a poll too long", ("poll_ends_without_news",), (_SENT,), _LIFE,
            seconds(POLL_HOLD), seconds(POLL_HOLD) + seconds(HOLD_CHECK) + request,
            "PullRequestHoldService: brokerSuspendMaxTimeMillis, looked at every 5 s; and the answer's way",
        ),
        Wait(
            "a stored message goes unnoticed", ("poll_finds_messages", "poll_matches_nothing"),
            (_SENT, ("producer_sends",)), _LIFE, 0, request,
            "PullRequestHoldService.notifyMessageArriving, and the answer's way",
        ),
        Wait(
            "the broker holds a poll too long", ("poll_is_illegal",), (_SENT,), _LIFE, 0,
            seconds(POLL_HOLD) + seconds(HOLD_CHECK) + request,
            "PullMessageProcessor: at once, or when the hold of one that was legal is over; and the answer's way",
        ),
        Wait(
            "a lost pull goes unnoticed", ("pull_fails",), (_SENT,), _LIFE, 0, seconds(PULL_TIMEOUT),
            "DefaultMQPushConsumerImpl.pullMessage: consumerTimeoutMillisWhenSuspend",
        ),
        *plain_code(
            "a pull callback stalls", _LIFE, ("poll_ends_without_news", "poll_matches_nothing"), "poll_corrects_offset"
        ),
        *plain_code(
            "a pull callback stalls", _LIFE, "poll_checks_dropped",
            ("poll_finds_messages", "poll_matches_nothing", "poll_ends_without_news", "poll_is_illegal"),
        ),
    )  # fmt: skip


_SEND_BACKS = ("task_sends_message_back", "task_fails_to_send_back", "task_sends_message_back_twice")
_FAILED = (("listener_fails", *_SEND_BACKS),)
_COPIES = ("task_sends_message_back", "task_sends_message_back_twice", "sweep_sends_message_back")
_SEND_BACK = "DefaultMQPushConsumerImpl.sendMessageBack"


def consuming(seconds: Seconds) -> tuple[Wait, ...]:
    """What the consume threads and the expiry sweep do with a task."""
    request = seconds(ON_ITS_WAY)
    asked = 2 * request
    return (
        *plain_code(
            "a consume thread stalls",
            _TASK,
            "listener_finishes",
            "task_removes_message",
            "task_checks_dropped",
            "task_fetches_cell",
            ("task_updates_cell", "task_updates_detached_cell"),
        ),
        Wait(
            "a message is on its way back", ("task_sends_message_back",), _FAILED, _TASK, 0, asked,
            f"{_SEND_BACK}: a request",
        ),
        Wait(
            "a message is on its way back", ("task_fails_to_send_back",), _FAILED, _TASK, 0,
            seconds(SEND_BACK_TIMEOUT) + asked,
            f"{_SEND_BACK}: a request that may time out, and the fallback",
        ),
        Wait(
            "a message is on its way back", ("task_sends_message_back_twice",), _FAILED, _TASK,
            seconds(SEND_BACK_TIMEOUT), seconds(SEND_BACK_TIMEOUT) + asked,
            f"{_SEND_BACK}: a request that times out, and the fallback",
        ),
        Wait("a consume thread stalls", ("task_removes_message",), _FAILED, _TASK, 0, request, "an answer"),
        Wait(
            "a local retry", ("task_starts",), (("task_fails_to_send_back",),), _TASK, seconds(RETRY_HERE), None,
            "ConsumeMessageConcurrentlyService.submitConsumeRequestLater",
        ),
        Wait(
            "the expiry sweep", ("sweep_sends_message_back",), (("task_starts",),), _TASK, seconds(CONSUME_TIMEOUT),
            None,
            "ProcessQueue.cleanExpiredMsg: consumeTimeout",
        ),
        Wait(
            "the expiry sweep stalls", ("sweep_removes_message",), (("sweep_sends_message_back",),), _LIFE, 0, request,
            "an answer",
        ),
        Wait(
            "a retry", ("retry_copy_is_consumed",), (_COPIES,), ("m",), seconds(RETRY_DELAY), None,
            "SendMessageProcessor.asyncConsumerSendMsgBack: delay level 3",
        ),
    )  # fmt: skip
