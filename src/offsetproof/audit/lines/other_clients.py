"""What clients in Go, C++ and Rust log of offsets, owners and locks.

Go: apache/rocketmq-client-go, master of 2026, package consumer, and internal/client.go; by logrus, or whatever logger
the application sets. C++: apache/rocketmq-client-cpp, master (1.x and 2.x); its re_dev branch (3.x) and Rust
(mxsm/rocketmq-rust, main) write most of Java's messages, and here are those that differ.
"""

from __future__ import annotations

from functools import partial

from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.lines.templates import Role, Template

_OWN: tuple[str, ...] = ()
"""No release of RocketMQ has these messages."""

_Go = partial(Template, role=Role.GO, releases=_OWN, has_fields=True)
_Cpp = partial(Template, role=Role.CPP, releases=_OWN)
_Rust = partial(Template, role=Role.RUST, releases=_OWN)

_GROUP, _MQ = "group=consumerGroup", "mq=MessageQueue"
_STORE, _CONSUMER, _PUSH, _CLIENT = "offset_store.go", "consumer.go", "push_consumer.go", "client.go"

GO_LINES = (
    _Go(
        "update offset to broker success",
        Kind.COMMIT_SENT,
        f"{_GROUP} {_MQ} offset=offset",
        written_by=f"{_STORE}.persist",
    ),
    _Go(
        "update offset to broker error",
        Kind.COMMIT_FAILED,
        f"{_GROUP} {_MQ} detail=underlayError",
        written_by=f"{_STORE}.persist",
    ),
    _Go("delete mq from offset table", Kind.CELL_REMOVED, f"{_GROUP} {_MQ}", written_by=f"{_STORE}.remove"),
    _Go(
        "fetch offset of mq from broker error",
        Kind.QUERY_FAILED,
        f"{_GROUP} {_MQ}",
        written_by=f"{_STORE}.readWithException",
    ),
    _Go(
        # No start: a pull consumer asks before each pull, an orderly one again at its first, and -1 says that it will
        # begin elsewhere. So the same offset three times in a row would be a queue that starts again and again.
        "fetch offset of mq from broker success",
        Kind.OFFSET_QUERIED,
        f"{_GROUP} {_MQ} offset=offset",
        written_by=f"{_STORE}.readWithException",
    ),
    _Go(
        "updateProcessQueueTable do defaultConsumer, add a new mq",
        Kind.QUEUE_ADDED,
        f"{_GROUP} {_MQ}",
        written_by=f"{_CONSUMER}.updateProcessQueueTable",
    ),
    _Go(
        "do defaultConsumer, add a new mq failed, because lock failed",
        Kind.QUEUE_NOT_ADDED,
        f"{_GROUP} {_MQ}",
        detail="lock",
        written_by=f"{_CONSUMER}.updateProcessQueueTable",
    ),
    _Go(
        "do defaultConsumer, add a new mq failed",
        Kind.QUEUE_NOT_ADDED,
        f"{_GROUP} {_MQ}",
        detail="offset",
        written_by=f"{_CONSUMER}.updateProcessQueueTable",
    ),
    *(
        _Go(
            f"remove unnecessary mq {why}",
            Kind.QUEUE_REMOVED,
            f"{_GROUP} {_MQ}",
            detail=detail,
            written_by=f"{_CONSUMER}.{method}",
        )
        for why, detail, method in (
            ("when updateProcessQueueTable", "unnecessary", "updateProcessQueueTable"),
            ("because pull was expired, prepare to fix it", "pull-paused", "updateProcessQueueTable"),
            ("because unsubscribed", "unsubscribed", "truncateMessageQueueNotMyTopic"),
        )
    ),
    _Go(
        "MessageQueue do balance done",
        Kind.ALLOCATED,
        f"{_GROUP} topic=topic client=clientID queues=rebalanceResultSet",
        written_by=f"{_CONSUMER}.doBalance",
    ),
    _Go(
        "do balance in group failed, get consumer id list failed",
        Kind.MEMBERS_UNKNOWN,
        f"{_GROUP} topic=topic",
        detail="failed",
        written_by=f"{_CONSUMER}.doBalance",
    ),
    _Go(
        "receive broker's notification to consumer group",
        Kind.MEMBERS_CHANGED,
        _GROUP,
        written_by=f"{_CLIENT}.GetOrNewRocketMQClient",
    ),
    _Go(
        "receive reset consumer offset request...",
        Kind.COMMANDED,
        f"topic=topic {_GROUP} detail=timestamp",
        written_by=f"{_CLIENT}.GetOrNewRocketMQClient",
    ),
    _Go("lock MessageQueue", Kind.LOCKED, f"{_GROUP} {_MQ} lockOK:true", written_by=f"{_CONSUMER}.lock"),
    _Go("lock MessageQueue", Kind.LOCK_REFUSED, f"{_GROUP} {_MQ} lockOK:false", written_by=f"{_CONSUMER}.lockAll"),
    _Go("unlock MessageQueue", Kind.UNLOCKED, f"{_GROUP} client=clientID {_MQ}", written_by=f"{_CONSUMER}.unlock"),
    Template("suspend consumer: {}", Kind.SUSPENDED, "group", Role.GO, _OWN, written_by=f"{_PUSH}.suspend"),
    Template("resume consumer: {}", Kind.RESUMED, "group", Role.GO, _OWN, written_by=f"{_PUSH}.resume"),
)

CPP_LINES = (
    _Cpp(
        "oneway updateConsumeOffsetToBroker of mq:{}, its offset is:{}",
        Kind.COMMIT_SENT,
        "mq offset",
        written_by="RemoteBrokerOffsetStore.updateConsumeOffsetToBroker",
    ),
    _Cpp(
        "updateConsumeOffsetToBroker {} ,offset:[{}] error",
        Kind.COMMIT_FAILED,
        "mq offset",
        written_by="RemoteBrokerOffsetStore.persist",
    ),
    _Cpp(
        "Add mq:{}, request initial offset:{}",
        Kind.QUEUE_ADDED,
        "mq _",
        written_by="RebalancePush.updateRequestTableInRebalance",
    ),
    _Cpp(
        "Start to pull {}, offset:{}, GroupName {}",
        Kind.START,
        "mq offset group",
        written_by="RebalancePush.updateRequestTableInRebalance",
    ),
    _Cpp(
        "Failed to add pull request for {} due to failure of querying consume offset, request initial offset:{}",
        Kind.QUEUE_NOT_ADDED,
        "mq _",
        detail="offset",
        written_by="RebalancePush.updateRequestTableInRebalance",
    ),
    _Cpp(
        "Drop mq:{},because not responsive",
        Kind.QUEUE_REMOVED,
        "mq",
        detail="unnecessary",
        written_by="RebalancePush.updateRequestTableInRebalance",
    ),
    _Cpp(
        "Drop mq:{} according Pull timeout.",
        Kind.QUEUE_REMOVED,
        "mq",
        detail="pull-paused",
        written_by="RebalancePush.updateRequestTableInRebalance",
    ),
    _Cpp(
        "Allocation result for [Consumer Group: {}, Topic: {}, Current Consumer ID: {}] is changed.",
        Kind.ALLOCATED,
        "group topic client",
        written_by="Rebalance.doRebalance",
    ),
    _Cpp(
        "[ERROR] Get empty consumer IDs. Consumer Group: {}, Topic: {}",
        Kind.MEMBERS_UNKNOWN,
        "group topic",
        detail="failed",
        written_by="Rebalance.doRebalance",
    ),
    *(
        _Cpp(f"{what} of mq:{{}}", kind, "mq", written_by=f"Rebalance.{method}")
        for what, kind, method in (
            ("lock success", Kind.LOCKED, "lock"),
            ("lockBatchMQ success", Kind.LOCKED, "lockAll"),
            ("lock fails", Kind.LOCK_REFUSED, "lock"),
            ("lockBatchMQ fails", Kind.LOCK_REFUSED, "lockAll"),
            ("unlock success", Kind.UNLOCKED, "unlock"),
            ("unlockBatchMQ success", Kind.UNLOCKED, "unlockAll"),
        )
    ),
    _Cpp(
        "Fix Offset, {}, remove unnecessary mq, {} Dropped: {}",
        Kind.QUEUE_REMOVED,
        "group mq _",
        detail="illegal-offset",
        written_by="RebalanceImpl.removeProcessQueue",
    ),
)

RUST_LINES = (
    _Rust("doRebalance, {}, add a new mq, {}", Kind.QUEUE_ADDED, "debug name", written_by="RebalanceImpl"),
    _Rust(
        "doRebalance, {}, remove unnecessary mq, {}",
        Kind.QUEUE_REMOVED,
        "debug name",
        detail="unnecessary",
        written_by="RebalanceImpl",
    ),
    _Rust(
        "doRebalance, {}, truncateMessageQueueNotMyTopic remove unnecessary mq, {}",
        Kind.QUEUE_REMOVED,
        "debug name",
        detail="unsubscribed",
        written_by="RebalanceImpl",
    ),
    *(
        _Rust(
            f"doRebalance, {{}}, {what}, {{}}",
            Kind.QUEUE_NOT_ADDED,
            "debug mq",
            detail="lock",
            written_by="RebalanceImpl",
        )
        for what in ("lock mq failed before adding", "skip adding mq because lock failed")
    ),
    _Rust(
        "doRebalance, {}, {}, get consumer id list failed.",
        Kind.MEMBERS_UNKNOWN,
        "debug topic",
        detail="failed",
        written_by="RebalanceImpl",
    ),
    *(
        _Rust("message queue lock {}, {} {}", kind, f"={word} debug mq", written_by="RebalanceImpl.lockWith")
        for word, kind in (("true", Kind.LOCKED), ("false", Kind.LOCK_REFUSED))
    ),
    *(
        _Rust(f"the message queue {what}, Group: {{}} {{}}", kind, "debug mq", written_by="RebalanceImpl")
        for what, kind in (
            ("locked OK", Kind.LOCKED),
            ("locked Failed", Kind.LOCK_REFUSED),
            ("unlock OK", Kind.UNLOCKED),
        )
    ),
    _Rust(
        "updateConsumeOffsetToBroker exception, {},{}",
        Kind.COMMIT_FAILED,
        "mq detail",
        written_by="RemoteBrokerOffsetStore",
    ),
    _Rust(
        "Suspend the consumer, instanceName={}, group={}",
        Kind.SUSPENDED,
        "_ group",
        written_by="DefaultMQPushConsumerImpl.suspend",
    ),
    _Rust(
        "Resume the consumer, instanceName={}, group={}",
        Kind.RESUMED,
        "_ group",
        written_by="DefaultMQPushConsumerImpl.resume",
    ),
    _Rust(
        "the consumer [{}] start OK, message_model={}, isUnitMode={}",
        Kind.CONSUMER_STARTED,
        "group _ _",
        written_by="DefaultMQPushConsumerImpl.start",
    ),
)

OTHER_CLIENT_LINES = GO_LINES + CPP_LINES + RUST_LINES
