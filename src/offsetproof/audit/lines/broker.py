"""What brokers log of offsets, members and locks, in broker.log and lock.log, from 3.2.6 to 5.5.0."""

from __future__ import annotations

from functools import partial

from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.lines.templates import FROM_4, RELEASES_3, RELEASES_4, RELEASES_5, Role, Template

_BEFORE_5 = RELEASES_3 + RELEASES_4
_OFFSETS, _PULL, _ADMIN = "ConsumerOffsetManager", "PullMessageProcessor", "AdminBrokerProcessor"
_LOCK, _CONFIG, _GROUP = "RebalanceLockManager", "ConfigManager", "ConsumerGroupInfo"

Line = partial(Template, role=Role.BROKER)

OFFSETS = (
    Line(
        "[NOTIFYME]update consumer offset less than store. clientHost={}, key={}, queueId={}, requestOffset={}, "
        "storeOffset={}",
        Kind.COMMIT_BELOW_STORE,
        "detail key queue offset other",
    ),
    Line(
        "Update consumer offset is rejected because of previous offset-reset. Group={}, Topic={}, QueueId={}, "
        "Offset={}",
        Kind.COMMIT_REFUSED,
        "group topic queue offset",
        releases=RELEASES_5,
    ),
    Line("clean group offset {}", Kind.GROUP_CLEANED, "key", releases=_BEFORE_5),
    Line(
        "Clean group's offset, {}, {}",
        Kind.GROUP_CLEANED,
        "key _",
        releases=RELEASES_5,
        written_by=f"{_OFFSETS}.cleanOffset",
    ),
    Line(
        "Consumer offset manager clean group offset, groupName={}, offsetTable={}, resetOffsetTable={}, "
        "pullOffsetTable={}",
        Kind.GROUP_CLEANED,
        "group _ _ _",
        releases=RELEASES_5,
        instead_of="clean group offset {}",
    ),
    Line(
        "Clean topic's offset, {}, {}",
        Kind.TOPIC_CLEANED,
        "key _",
        releases=RELEASES_5,
        written_by=f"{_OFFSETS}.cleanOffsetByTopic",
    ),
    Line("remove topic offset, {}", Kind.TOPIC_CLEANED, "key", written_by=f"{_OFFSETS}.scanUnsubscribedTopic"),
    Line("Update slave consumer offset from master, {}", Kind.SLAVE_SYNCED, "detail"),
    Line("SyncConsumerOffset Exception, {}", None, "_"),
    Line(
        "{}'s consumerOffset data version is larger than master broker, {}'s consumerOffset will be used.",
        Kind.SLAVE_SYNCED,
        "_ detail",
        releases=RELEASES_5,
        written_by="BrokerPreOnlineService.syncMetadataReverse",
    ),
)

RESETS = (
    Line(
        "[reset-offset] reset offset started by {}. topic={}, group={}, timestamp={}, isForce={}",
        Kind.RESET_STARTED,
        "_ topic group detail2",
        written_by=f"{_ADMIN}.resetOffset",
    ),
    *(
        Line(
            "[reset-offset] reset offset success. topic={}, group={}, clientId={}",
            Kind.RESET_SENT,
            "topic group client",
            releases=releases,
            written_by=written_by,
        )
        for releases, written_by in (((*_BEFORE_5, "5.3.3"), ""), (("5.5.0",), "Broker2Client.resetOffset"))
    ),
    Line(
        "Reset offset, topic={}, group={}, queues={}",
        Kind.RESET_MARKED,
        "topic group marks",
        releases=RELEASES_5,
    ),
    Line(
        "The queue under pulling was previously reset to start from {}",
        Kind.MARKER_TAKEN,
        "offset",
        releases=RELEASES_5,
    ),
)

PULLS = (
    Line(
        "the request offset: {} over flow badly, broker max offset: {}, consumer: {}",
        Kind.PULL_BEYOND_END,
        "offset other detail",
        releases=_BEFORE_5,
        written_by=f"{_PULL}.processRequest",
    ),
    Line(
        "the request offset: {} over flow badly, fix to {}, broker max offset: {}, consumer: {}",
        Kind.PULL_BEYOND_END,
        "offset _ other detail",
        releases=RELEASES_5,
        written_by=f"{_PULL}.processRequest",
    ),
    Line(
        "the request offset too small. group={}, topic={}, requestOffset={}, brokerMinOffset={}, clientIp={}",
        Kind.PULL_BELOW_BEGIN,
        "group topic offset other detail",
        written_by=f"{_PULL}.processRequest",
    ),
    *(
        Line(
            f"the broker {word} no queue data, fix the request offset {{}} to {{}}, Topic: {{}} QueueId: {{}} "
            "Consumer Group: {}",
            Kind.PULL_BEYOND_END,
            "offset other topic queue group",
            releases=releases,
            written_by=f"{_PULL}.processRequest",
        )
        for word, releases in (("store", _BEFORE_5), ("stores", RELEASES_5))
    ),
    *(
        Line(text, Kind.PULL_MOVED, places, releases=releases, detail=detail, written_by=writer)
        for text, places, detail in (
            (
                "PULL_OFFSET_MOVED:correction offset. topic={}, groupId={}, requestOffset={}, newOffset={}, "
                "suggestBrokerId={}",
                "topic group offset other _",
                "correction",
            ),
            (
                "PULL_OFFSET_MOVED:none correction. topic={}, groupId={}, requestOffset={}, suggestBrokerId={}",
                "topic group offset _",
                "none",
            ),
        )
        for releases, writer in (
            (_BEFORE_5, f"{_PULL}.processRequest"),
            (RELEASES_5, "DefaultPullMessageResultHandler.handle"),
        )
    ),
)

_TRIED = "message queue not locked, I got it. Group: {} NewClientId: {} {}"
_EXPIRED = "message queue lock expired, I got it. Group: {} OldClientId: {} NewClientId: {} {}"
_OTHER = "message queue locked by other client. Group: {} OtherClientId: {} NewClientId: {} {}"

LOCKS = (
    *(
        Line(f"{method}, {text}", kind, places, releases=_BEFORE_5, detail=detail, written_by=f"{_LOCK}.{method}")
        for method in ("tryLock", "tryLockBatch")
        for text, kind, places, detail in (
            (_TRIED, Kind.LOCKED, "group client mq", None),
            (_EXPIRED, Kind.LOCKED, "group _ client mq", "expired"),
            (_OTHER, Kind.LOCK_REFUSED, "group detail client mq", None),
        )
    ),
    Line(
        "unlockBatch, Group: {} {} {}",
        Kind.UNLOCKED,
        "group mq client",
        releases=_BEFORE_5,
        written_by=f"{_LOCK}.unlockBatch",
    ),
    *(
        Line(
            f"{_LOCK}#{method}: {text}",
            kind,
            places,
            releases=RELEASES_5,
            detail=detail,
            written_by=f"{_LOCK}.{method}",
        )
        for method, text, kind, places, detail in (
            (
                "tryLock",
                "lock a message queue which has not been locked yet, group={}, clientId={}, mq={}",
                Kind.LOCKED,
                "group client mq",
                None,
            ),
            (
                "tryLockBatch",
                "lock a message which has not been locked yet, group={}, clientId={}, mq={}",
                Kind.LOCKED,
                "group client mq",
                None,
            ),
            *(
                (
                    method,
                    "try to lock a expired message queue, group={}, mq={}, old client id={}, new client id={}",
                    Kind.LOCKED,
                    "group mq _ client",
                    "expired",
                )
                for method in ("tryLock", "tryLockBatch")
            ),
            *(
                (
                    method,
                    "message queue has been locked by other client, group={}, mq={}, locked client id={}, "
                    "current client id={}",
                    Kind.LOCK_REFUSED,
                    "group mq detail client",
                    None,
                )
                for method in ("tryLock", "tryLockBatch")
            ),
            ("unlockBatch", "unlock mq, group={}, clientId={}, mqs={}", Kind.UNLOCKED, "group client mq", None),
        )
    ),
)

MEMBERS = (
    Line(
        "new consumer connected, group: {} {} {} channel: {}",
        Kind.MEMBER_SEEN,
        "group _ _ channel",
        written_by=f"{_GROUP}.updateChannel",
    ),
    Line(
        "unregister a consumer[{}] from consumerGroupInfo {}",
        Kind.MEMBER_GONE,
        "group channel",
        written_by=f"{_GROUP}.unregisterChannel",
    ),
    Line(
        "NETTY EVENT: remove not active channel[{}] from ConsumerGroupInfo groupChannelTable, consumer group: {}",
        Kind.MEMBER_GONE,
        "channel group",
        written_by=f"{_GROUP}.doChannelCloseEvent",
    ),
)

FILES = (
    Line("load {} OK", Kind.FILE_LOADED, "detail", releases=FROM_4),
    Line(
        "load {} failed, and try to load backup file",
        Kind.FILE_FELL_BACK,
        "detail",
        written_by=f"{_CONFIG}.load",
    ),
    Line("persist file {} exception", Kind.FILE_NOT_WRITTEN, "detail", releases=(*_BEFORE_5, "5.3.3")),
    Line("Failed to persist", Kind.FILE_NOT_WRITTEN, "", releases=("5.5.0",)),
)

IN_BROKER_LOG = OFFSETS + RESETS + PULLS + MEMBERS + FILES
"""What broker.log has, and not lock.log, whatever the files are called."""

EVERY_MINUTE = (
    b"register broker[",
    b"Registering current broker to name server",
    b"dispatch behind commit log",
    b"Dispatch task fall behind commit log",
    b"Slave fall behind master",
)
"""With what messages begin that a broker writes again and again, 4.x and 5.x, though nothing happens.

BrokerOuterAPI.registerBrokerAll, BrokerController.initializeBrokerScheduledTasks and printMasterAndSlaveDiff.
"""

BROKER_LINES = OFFSETS + RESETS + PULLS + LOCKS + MEMBERS + FILES
