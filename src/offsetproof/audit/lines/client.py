"""What Java clients log of offsets, owners and locks, from 3.2.6 to 5.5.0."""

from __future__ import annotations

from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.lines.templates import FROM_4, RELEASES_3, RELEASES_4, RELEASES_5
from offsetproof.audit.lines.templates import Template as Line

_IMPL, _PUSH, _CONSUMER = "RebalanceImpl", "RebalancePushImpl", "DefaultMQPushConsumerImpl"
_ORDERLY, _CONCURRENT = "ConsumeMessageOrderlyService", "ConsumeMessageConcurrentlyService"
_STORE, _REMOTING = "RemoteBrokerOffsetStore", "ClientRemotingProcessor"
_LOCAL = "LocalFileOffsetStore"

BEFORE_5 = RELEASES_3 + RELEASES_4

COMMITS = (
    Line(
        "[persistAll] Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}",
        Kind.COMMIT_SENT,
        "group client mq offset",
        releases=FROM_4,
        detail="persistAll",
    ),
    Line(
        "[persist] Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}",
        Kind.COMMIT_SENT,
        "group client mq offset",
        releases=FROM_4,
        detail="persist",
    ),
    Line(
        "Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}",
        Kind.COMMIT_SENT,
        "group client mq offset",
        releases=RELEASES_3,
        written_by=f"{_STORE}.persistAll",
    ),
    Line(
        "updateConsumeOffsetToBroker exception, {}",
        Kind.COMMIT_FAILED,
        "mq",
        written_by=f"{_STORE}.persistAll",
        with_exception=True,
    ),
    Line(
        "fetchConsumeOffsetFromBroker exception, {}",
        Kind.QUERY_FAILED,
        "mq",
        written_by=f"{_STORE}.readOffset",
        with_exception=True,
    ),
    Line("remove unused mq, {}, {}", Kind.CELL_REMOVED, "mq group", detail="unused"),
    Line(
        "remove unnecessary messageQueue offset. group={}, mq={}, offsetTableSize={}",
        Kind.CELL_REMOVED,
        "group mq _",
        releases=FROM_4,
        detail="unnecessary",
    ),
    Line(
        "remove unnecessary messageQueue offset. mq={}, offsetTableSize={}",
        Kind.CELL_REMOVED,
        "mq _",
        releases=RELEASES_3,
        detail="unnecessary",
        written_by=f"{_STORE}.removeOffset",
    ),
    Line("load consumer's offset, {} {} {}", Kind.LOCAL_LOADED, "group mq offset"),
    Line(
        "persistAll consumer offset Exception, {}",
        Kind.FILE_NOT_WRITTEN,
        "detail",
        releases=BEFORE_5,
        written_by=f"{_LOCAL}.persistAll",
    ),
)

REBALANCES = (
    Line("doRebalance, {}, add a new mq, {}", Kind.QUEUE_ADDED, "group mq"),
    Line(
        "doRebalance, {}, add a new pull request {}",
        Kind.START,
        "_ pull",
        releases=BEFORE_5,
        written_by=f"{_PUSH}.dispatchPullRequest",
    ),
    Line(
        "doRebalance, {}, add a new mq failed, {}, because lock failed",
        Kind.QUEUE_NOT_ADDED,
        "group mq",
        detail="lock",
    ),
    Line(
        "doRebalance, {}, compute offset failed, {}",
        Kind.QUEUE_NOT_ADDED,
        "group mq",
        releases=FROM_4,
        detail="offset",
    ),
    Line(
        "doRebalance, {}, mq already exists, {}",
        Kind.QUEUE_NOT_ADDED,
        "group mq",
        detail="exists",
        written_by=f"{_IMPL}.updateProcessQueueTableInRebalance",
    ),
    Line(
        "doRebalance, {}, add new mq failed, {}",
        Kind.QUEUE_NOT_ADDED,
        "group mq",
        detail="offset",
        written_by=f"{_IMPL}.updateProcessQueueTableInRebalance",
    ),
    Line("doRebalance, {}, remove unnecessary mq, {}", Kind.QUEUE_REMOVED, "group mq", detail="unnecessary"),
    Line(
        "doRebalance, {}, truncateMessageQueueNotMyTopic remove unnecessary mq, {}",
        Kind.QUEUE_REMOVED,
        "group mq",
        detail="unsubscribed",
    ),
    Line(
        "[BUG]doRebalance, {}, remove unnecessary mq, {}, because pull is pause, so try to fixed it",
        Kind.QUEUE_REMOVED,
        "group mq",
        releases=BEFORE_5,
        detail="pull-paused",
    ),
    Line(
        "[BUG]doRebalance, {}, try remove unnecessary mq, {}, because pull is pause, so try to fixed it",
        Kind.QUEUE_REMOVED,
        "group mq",
        releases=RELEASES_5,
        detail="pull-paused",
        instead_of="[BUG]doRebalance, {}, remove unnecessary mq, {}, because pull is pause, so try to fixed it",
    ),
    Line(
        "Fix Offset, {}, remove unnecessary mq, {} Droped: {}",
        Kind.QUEUE_REMOVED,
        "group mq _",
        detail="illegal-offset",
    ),
    *(
        Line(
            prefix + "rebalanced result changed. allocateMessageQueueStrategyName={}, group={}, topic={}, clientId={}, "
            "mqAllSize={}, cidAllSize={}, rebalanceResultSize={}, rebalanceResultSet={}",
            Kind.ALLOCATED,
            "_ group topic client _ _ _ queues",
            releases=releases,
            written_by=f"{_IMPL}.rebalanceByTopic",
        )
        for prefix, releases in (("", RELEASES_4), ("client ", RELEASES_5))
    ),
    Line(
        "receive broker's notification[{}], the consumer group: {} changed, rebalance immediately",
        Kind.MEMBERS_CHANGED,
        "detail group",
        written_by=f"{_REMOTING}.notifyConsumerIdsChanged",
    ),
    Line(
        "doRebalance, {} {}, get consumer id list failed",
        Kind.MEMBERS_UNKNOWN,
        "group topic",
        detail="failed",
        written_by=f"{_IMPL}.rebalanceByTopic",
    ),
    Line(
        "[BUG] ConsumerGroup: {} The consumerId: {} not in cidAll: {}",
        Kind.MEMBERS_UNKNOWN,
        "group client _",
        detail="not-a-member",
    ),
)

PULLS = (
    Line("the pull request offset illegal, {} {}", Kind.PULL_ILLEGAL, "pull result"),
    Line("fix the pull request offset, {}", Kind.PULL_FIXED, "pull"),
    Line(
        "the first time to pull message, so fix offset from broker. pullRequest: {} NewOffset: {} brokerBusy: {}",
        Kind.START,
        "first offset _",
        detail="orderly",
    ),
    Line(
        "[NOTIFYME]the first time to pull message, but pull request offset larger than broker consume offset. "
        "pullRequest: {} NewOffset: {}",
        None,
        "first offset",
        written_by=f"{_CONSUMER}.pullMessage",
    ),
    Line("pull message later because not locked in broker, {}", None, "_"),
    Line("Failed to compute pull offset, pullResult: {}", None, "_", releases=RELEASES_5),
    Line(
        "Failed to compute pull offset, pullResult: {}",
        None,
        "_",
        releases=RELEASES_4,
        written_by=f"{_CONSUMER}.pullMessage",
    ),
)

CONSUMING = (
    Line(
        "processQueue is dropped without process consume result. messageQueue={}, msgs={}",
        Kind.RESULT_DISCARDED,
        "mq _",
    ),
    Line(
        "consumeMessage, the message queue not be able to consume, because it's dropped. {}",
        None,
        "mq",
        written_by=f"{_ORDERLY}.ConsumeRequest.run",
    ),
    Line("send expire msg back. topic={}, msgId={}, storeHost={}, queueId={}, queueOffset={}", None, "_ _ _ _ _"),
    Line("BROADCASTING, the message consume failed, drop it, {}", None, "_"),
    Line("consumeMessage Orderly return not OK, Group: {} Msgs: {} MQ: {}", None, "_ _ _"),
    Line(
        "sendMessageBack Exception, {}",
        Kind.SEND_BACK_FAILED,
        "group",
        releases=BEFORE_5,
        written_by=f"{_CONSUMER}.sendMessageBack",
    ),
    Line(
        "Failed to send message back, consumerGroup={}, brokerName={}, mq={}, message={}",
        Kind.SEND_BACK_FAILED,
        "group _ mq _",
        releases=RELEASES_5,
        written_by=f"{_CONSUMER}.sendMessageBack",
    ),
    Line(
        "sendMessageBack exception, group: {} msg: {}",
        Kind.SEND_BACK_FAILED,
        "group _",
        written_by=f"{_CONCURRENT}.sendMessageBack",
    ),
)

LOCKS = (
    *(
        Line(
            f"{start} {{}}, {{}} {{}}",
            kind,
            f"={word} group mq",
            releases=releases,
            instead_of=instead_of,
        )
        for start, releases, instead_of in (
            ("the message queue lock", BEFORE_5, ""),
            ("message queue lock", RELEASES_5, "the message queue lock {}, {} {}"),
        )
        for word, kind in (("OK", Kind.LOCKED), ("Failed", Kind.LOCK_REFUSED))
    ),
    Line("the message queue locked OK, Group: {} {}", Kind.LOCKED, "group mq"),
    Line(
        "the message queue locked Failed, Group: {} {}",
        Kind.LOCK_REFUSED,
        "group mq",
        written_by=f"{_IMPL}.lockAll",
    ),
    Line("the message queue unlock OK, Group: {} {}", Kind.UNLOCKED, "group mq"),
    Line("unlock messageQueue. group:{}, clientId:{}, mq:{}", Kind.UNLOCKED, "group client mq", releases=RELEASES_5),
    Line(
        "unlock messageQueue. group:{}, clientId:{}, mq:{}",
        Kind.UNLOCKED,
        "group client mq",
        releases=BEFORE_5,
        written_by=f"{_IMPL}.unlock",
    ),
    Line("[{}]unlockDelay, begin {} ", None, "_ mq", releases=BEFORE_5),
    Line("[{}]unlockDelay, execute at once {}", None, "_ mq", releases=BEFORE_5),
    Line(
        "[WRONG]mq is consuming, so can not unlock it, {}. maybe hanged for a while, {}",
        None,
        "mq _",
        releases=BEFORE_5,
    ),
    Line(
        "the message queue not locked, so consume later, {}",
        Kind.LOCK_LOST_WHILE_CONSUMING,
        "mq",
        detail="not-locked",
        written_by=f"{_ORDERLY}.ConsumeRequest.run",
    ),
    Line(
        "the message queue lock expired, so consume later, {}",
        Kind.LOCK_LOST_WHILE_CONSUMING,
        "mq",
        detail="expired",
        written_by=f"{_ORDERLY}.ConsumeRequest.run",
    ),
)

LIFE = (
    Line(
        "invoke reset offset operation from broker. brokerAddr={}, topic={}, group={}, timestamp={}",
        Kind.COMMANDED,
        "_ topic group detail",
        written_by=f"{_REMOTING}.resetOffset",
    ),
    Line("suspend this consumer, {}", Kind.SUSPENDED, "group"),
    Line("resume this consumer, {}", Kind.RESUMED, "group"),
    Line(
        "the consumer [{}] start beginning. messageModel={}, isUnitMode={}",
        None,
        "group _ _",
        written_by=f"{_CONSUMER}.start",
    ),
    Line("the consumer [{}] start OK.", Kind.CONSUMER_STARTED, "group", written_by=f"{_CONSUMER}.start"),
    Line("the consumer [{}] shutdown OK", Kind.CONSUMER_STOPPED, "group", written_by=f"{_CONSUMER}.shutdown"),
)

CLIENT_LINES = COMMITS + REBALANCES + PULLS + CONSUMING + LOCKS + LIFE
