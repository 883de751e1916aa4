"""The releases that the models know, each on the one before, their roles, and the behaviours that tell them apart.

A behaviour is a way in which a release differs from those before it, and so a fix of the releases that lack it: the
step that it changes asks `self.setting.behaves(...)`, the claims that it repairs name it. What no release has, what
is proposed and remedies, stands in the `variants` of each model.
"""

from __future__ import annotations

from offsetproof.lang import Behaviour, Release, TimerChange
from offsetproof.model.timers import (
    BELIEF_LEFT,
    COPY_EVERY,
    DISPATCH_DELAY,
    LEASE_LEFT,
    REBALANCE_AGAIN,
    REBALANCES_APART,
    REPAIR_DELAY,
    TRY_LOCK,
)

CLIENT_AND_BROKER = ("broker", "client")
"""Each of them may be of a release of its own: `--release client=4.9.8,broker=4.9.4`.

So may the administrator's tool (mqadmin, DefaultMQAdminExt), which is of its broker's release where none is named.
"""

_BY_OWNER = ("owner", ("broker", "client"))
"""Whoever has the offset file: rocketmq-common is in the jars of both."""
_OF_BROKER_FILES = ("owner", ("broker", ""))
"""Of a client's offset file it says nothing."""

LOCKED_WHEN_ADDED = Behaviour(
    "locked-when-added",
    role="client",
    about="a ProcessQueue is marked as locked when a rebalance makes it",
    source="apache/rocketmq eeecef3506, released in 4.9.5",
)
MERGES_INTO_FILE = Behaviour(
    "merges-into-file",
    role="client",
    about="persistAll adds to what the file holds; a queue that is given up is persisted and then forgotten",
    source="apache/rocketmq 99bb415db4, released in 4.9.8, and d38558800c, released in 5.2.0",
)
ONLY_CODE_22 = Behaviour(
    "only-code-22",
    role="client",
    about="only the code QUERY_NOT_FOUND is read as `no offset stored`; other errors skip the queue this round",
    source="apache/rocketmq 13ffac8926, released in 5.0.0",
)
ROW_DELETED_WITH_TOPIC = Behaviour(
    "row-deleted-with-topic",
    role="broker",
    about="the deletion of a topic removes the offsets of its groups",
    source="apache/rocketmq cad0cfcece (cleanOffsetByTopic), released in 5.0.0",
)
STRING2FILE_SYNCHRONIZED = Behaviour(
    "string2file-synchronized",
    role="broker",
    about="one thread of a process at a time is in string2File (rocketmq-common, which is counted to the broker)",
    source="apache/rocketmq a961a9b37b, released in 5.1.0",
    whose=_BY_OWNER,
)
SKIPS_ABSENT = Behaviour(
    "skips-absent",
    role="client",
    about="a failed message that has left the cache is not sent back",
    source="apache/rocketmq c217d8bb80, released in 5.1.0",
    brings=("task_skips_absent_message",),
)
ZERO_ONLY_IF_STORED = Behaviour(
    "zero-only-if-stored",
    role="broker",
    about="a query without stored offset is answered with 0 only if message 0 is stored, and in memory",
    source="apache/rocketmq 3949f6938e, released in 5.1.0",
)
OVERWRITES_IN_PLACE = Behaviour(
    "overwrites-in-place",
    role="broker",
    about="string2File copies the main file to the backup and then writes over the main file; there is no .tmp file",
    source="apache/rocketmq a961a9b37b, released in 5.1.0",
    whose=_BY_OWNER,
)
FIRST_OF_EQUAL_TIMES = Behaviour(
    "first-of-equal-times",
    role="broker",
    about="a search by time finds the first of several messages that were stored at the same time",
    source="apache/rocketmq PR #6429, released in 5.1.1",
)
END_WHEN_LATER = Behaviour(
    "end-when-later",
    role="broker",
    about="a search for a time later than the last message's gives the end, and not the last message",
    source="apache/rocketmq 1818c2d507 (PR #6429), released in 5.1.1",
)
FREEZES_CELL = Behaviour(
    "freezes-cell",
    role="client",
    about="the cell that a repair of an illegal offset has written takes no other value until it is removed",
    source="apache/rocketmq a376fbcdb8 (ControllableOffset), released in 5.2.0",
)
UNLOCKED_AT_ONCE = Behaviour(
    "unlocked-at-once",
    role="client",
    about="a queue that is given up is unlocked at once, also where messages of it are cached",
    source="apache/rocketmq 59e8f9b66e, released in 5.2.0",
)
COMMITS_BEFORE_HOLDING = Behaviour(
    "commits-before-holding",
    role="broker",
    about="the commit that a pull carries is executed before the pull is held",
    source="apache/rocketmq 9f8e85bb76, released in 5.1.0",
)
REFUSES_UNKNOWN = Behaviour(
    "refuses-unknown",
    role="broker",
    about="a commit for a topic that is not there is refused; nobody hears of it where it is one-way",
    source="apache/rocketmq b39f65ec08, released in 5.3.0",
)
SERVER_SIDE_RESET = Behaviour(
    "server-side-reset",
    role="broker",
    about="a reset marks the queue at the broker, and the next pull is answered with the target",
    source="apache/rocketmq d663bcf6aa, released in 5.1.0; the default (useServerSideResetOffset) since 5.2.0",
    brings=("broker_writes_target", "broker_answers_pull", "poll_takes_marker", "poll_hears_of_reset"),
)
MARKER_DELETED_WITH_TOPIC = Behaviour(
    "marker-deleted-with-topic",
    role="broker",
    about="the deletion of a topic removes the marker of a reset, where it finds an offset",
    source="apache/rocketmq d0e31a2b34 (PR #9703, cleanOffsetByTopic), in 5.5.0",
)
LOADS_MAPPING_BEFORE = Behaviour(
    "loads-mapping-before",
    role="broker",
    about="a broker loads topicQueueMapping.json before its offsets, and not those where that has failed",
    source="BrokerController.initializeMetadata, since 5.0.0",
    whose=_OF_BROKER_FILES,
)
EXECUTORS_STOP_FIRST = Behaviour(
    "executors-stop-first",
    role="broker",
    about="a broker shuts its executor of commits down before it persists for the last time, and does not wait for it",
    source="BrokerController.shutdownBasicService, in 5.x",
    whose=_OF_BROKER_FILES,
)
THROWS_BEFORE_PERSIST = Behaviour(
    "throws-before-persist",
    role="broker",
    about="the shutdown of a broker that could not load its files ends with an exception before it persists offsets",
    source="ScheduleMessageService.configFilePath, which asks for the store, in ConfigManager.persist of 5.3.3",
    whose=_OF_BROKER_FILES,
)
MOVES_MAIN_TO_BACKUP = Behaviour(
    "moves-main-to-backup",
    role="broker",
    about="ConfigManager.persist renames the main file to the backup, and forces a new main file to the disk; its load "
    "deletes a main file that it cannot read",
    source="apache/rocketmq 0e72809335 (PR #9705), in 5.5.0",
    brings=("writer_moves_main", "writer_forces_main"),
    whose=_OF_BROKER_FILES,
)
DROPPED_NOT_RENEWED = Behaviour(
    "dropped-not-renewed",
    role="client",
    about="neither lockAll nor a shutdown's unlockAll asks for a ProcessQueue that is dropped",
    source="apache/rocketmq 9d8f4c2cc0 (RebalanceImpl.buildProcessQueueTableByBrokerName), released in 5.0.0",
)
PULL_NEEDS_START = Behaviour(
    "pull-needs-start",
    role="client",
    about="a pull that gets no answer to where it starts is tried again, and not sent with -1",
    source="apache/rocketmq b6ff649291, released in 5.0.0",
    brings=("pull_waits_for_start",),
)
KEEPS_CELL_WHILE_LISTENING = Behaviour(
    "keeps-cell-while-listening",
    role="client",
    about="the cell of a queue that is given up is removed only under its consume lock, after it was persisted again",
    source="apache/rocketmq 59e8f9b66e (RebalancePushImpl.tryRemoveOrderMessageQueue), released in 5.2.0",
    brings=(
        *("rebalance_persists_again", "reset_persists_again", "reset_cannot_unlock_queue"),
        *("repair_persists_once_more", "repair_unlocks_queue", "repair_cannot_unlock_queue"),
    ),
)
FORCES_UNLOCK = Behaviour(
    "forces-unlock",
    role="client",
    about="a dropped queue that is given up 20 s after its last lock is unlocked although its listener runs",
    source="apache/rocketmq 59e8f9b66e (RebalancePushImpl.tryRemoveOrderMessageQueue), released in 5.2.0",
    brings=("rebalance_forces_unlock", "reset_forces_unlock", "repair_forces_unlock"),
)
TWO_PHASE_REMOVAL = Behaviour(
    "two-phase-removal",
    role="client",
    about="a rebalance drops all queues that it gives up, and then removes them one by one",
    source="apache/rocketmq 9d8f4c2cc0 (RebalanceImpl.updateProcessQueueTableInRebalance), released in 5.0.0",
)
REPLIES_BY_CALLBACK_THREADS = Behaviour(
    "replies-by-callback-threads",
    role="client",
    about="the answer to a request that a thread waits for needs a thread of the pull callbacks, or it times out",
    source="apache/rocketmq 84156084a4 (NettyRemotingAbstract.invokeSyncImpl), released in 5.2.0",
    brings=("rebalance_query_times_out",),
)
NO_BROADCAST_LOCKS = Behaviour(
    "no-broadcast-locks",
    role="client",
    about="a rebalance of a broadcasting consumer locks no queue, whatever its listener",
    source="apache/rocketmq 2956f6d46b, released in 5.3.2",
)
COPIES_VERSION = Behaviour(
    "copies-version",
    role="broker",
    about="a slave's offset table takes the version of its master's with each copy",
    source="apache/rocketmq cad0cfcece (SlaveSynchronize.syncConsumerOffset), released in 5.0.0",
)
COMMITS_TO_ANY_BROKER = Behaviour(
    "commits-to-any-broker",
    role="client",
    about="a client that knows no master sends its commits to a slave at once, and does not refresh its route before",
    source="apache/rocketmq 87d9614d34 (RemoteBrokerOffsetStore.updateConsumeOffsetToBroker), released in 5.0.0",
)
SLAVE_REFUSES_PULLS = Behaviour(
    "slave-refuses-pulls",
    role="broker",
    about="a slave refuses pulls, unless slaveReadEnable is true; before, it answers with messages either way",
    source="apache/rocketmq cad0cfcece (PullMessageProcessor.rejectRequest), released in 5.0.0",
)
TAKES_SLAVES_TABLE = Behaviour(
    "takes-slaves-table",
    role="broker",
    about="a master that starts takes its slave's rows, unless its own version is higher (enableSlaveActingMaster)",
    source="apache/rocketmq 467b382777 (BrokerPreOnlineService.syncMetadataReverse), released in 5.0.0",
    brings=("master_takes_slaves_table", "master_goes_online"),
)

NOW_IS_A_TIME = Behaviour(
    "now-is-a-time",
    role="tool",
    else_role="broker",
    about="`now` is the time of the tool's clock, and not -1, which is the end",
    source="apache/rocketmq d663bcf6aa (ResetOffsetByTimeCommand), released in 5.1.0",
)

ONE_QUEUE_RESET = Behaviour(
    "one-queue-reset",
    role="tool",
    else_role="broker",
    about="the tool has a reset of one queue: it writes the offset at the broker, and then asks that for the reset",
    source="apache/rocketmq fb9e3f05bb (resetOffsetByQueueId), released in 5.0.0; mqadmin has it (-b -q) since 5.1.0",
)

NUMERIC_TIME_WORKS = Behaviour(
    "numeric-time-works",
    role="tool",
    else_role="broker",
    about="resetOffsetByTimeOld takes a time in milliseconds; before, it asks no broker",
    source="apache/rocketmq fdd77d1a0b (ResetOffsetByTimeOldCommand, issue #5562), released in 5.1.0",
)
CLUSTER_MEANS_CPLUS = Behaviour(
    "cluster-means-cplus",
    role="tool",
    else_role="broker",
    about="the tool takes `-c CLUSTER` for clients in C++: commands are in a form that Java clients cannot read",
    source="ResetOffsetByTimeCommand.buildCommandlineOptions, which has the option twice, in 5.x",
)
ERROR_COUNTS_AS_SUCCESS = Behaviour(
    "error-counts-as-success",
    role="tool",
    else_role="broker",
    about="resetOffsetNewConcurrent counts a broker that refuses (SYSTEM_ERROR) among those that have reset",
    source="DefaultMQAdminExtImpl.resetOffsetNewConcurrent, in 5.x",
)

DISPATCHES_LATER = TimerChange(
    "dispatches-later", DISPATCH_DELAY, 0.5, source="apache/rocketmq 9d8f4c2cc0, released in 5.0.0"
)
FORGETS_DROPPED_LOCK = TimerChange(
    "forgets-dropped-lock", BELIEF_LEFT, 0.0, source="apache/rocketmq 9d8f4c2cc0, released in 5.0.0"
)
FORGETS_DROPPED_LEASE = TimerChange(
    "forgets-dropped-lease", LEASE_LEFT, 0.0, source="apache/rocketmq 9d8f4c2cc0, released in 5.0.0"
)
SLAVE_COPIES_EACH_MINUTE = TimerChange(
    "slave-copies-each-minute", COPY_EVERY, 60.0, source="apache/rocketmq a9ab25439c, released in 5.0.0"
)
REPAIRS_AT_ONCE = TimerChange(
    "repairs-at-once", REPAIR_DELAY, 0.0, source="apache/rocketmq a376fbcdb8, released in 5.2.0"
)
REBALANCES_UNTIL_BALANCED = TimerChange(
    "rebalances-until-balanced", REBALANCE_AGAIN, 1.0, source="apache/rocketmq 59e8f9b66e, released in 5.2.0"
)
REBALANCES_A_SECOND_APART = TimerChange(
    "rebalances-a-second-apart", REBALANCES_APART, 1.0, source="apache/rocketmq 59e8f9b66e, released in 5.2.0"
)
WAITS_LESS_FOR_LOCK = TimerChange(
    "waits-less-for-lock", TRY_LOCK, 0.5, source="apache/rocketmq 59e8f9b66e, released in 5.2.0"
)

_OF_4 = (
    "LMQ, whose offsets are in a table of its own (LmqConsumerOffsetManager): no claim says what a restart, a kill or "
    "a reset leaves of them",
    "brokers whose roles DLedger changes: what is said of a fail-over is not said of theirs",
)
_OF_5 = (
    "POP, of Java clients with clientRebalance=false and of all clients of gRPC: the broker keeps their progress, in "
    "checkpoints, and no claim says whether their messages are lost or repeated, or whether their reset stays",
    "the proxy, which is the group's member for its clients, and has broadcast offsets of its own "
    "(BroadcastOffsetManager): no claim about a client is one about a client behind it",
    "static topics (TopicQueueMapping): no claim about a queue of one broker is one about a queue that moves between "
    "brokers",
    "offset tables in RocksDB (configManagerVersion v1 and v2): no claim says what a restart, a kill or a reset leaves "
    "of them; v2 of 5.3.3 never writes the value of a reset (pull request 9309)",
    "brokers whose roles a controller changes, or in a BrokerContainer: what is said of a fail-over is not said of "
    "theirs",
)

R_4_9_4 = Release("4.9.4", leaves_out=_OF_4)
"""The base: it has none of the behaviours."""

R_4_9_8 = Release("4.9.8", frozenset({LOCKED_WHEN_ADDED, MERGES_INTO_FILE}), based_on=R_4_9_4)
"""Its broker's side of this path is that of 4.9.4."""

R_5_3_3_CLIENT_RESET = Release(
    "5.3.3-client-reset",
    frozenset(
        {
            ONLY_CODE_22,
            ROW_DELETED_WITH_TOPIC,
            ZERO_ONLY_IF_STORED,
            SKIPS_ABSENT,
            STRING2FILE_SYNCHRONIZED,
            OVERWRITES_IN_PLACE,
            FIRST_OF_EQUAL_TIMES,
            END_WHEN_LATER,
            FREEZES_CELL,
            DROPPED_NOT_RENEWED,
            PULL_NEEDS_START,
            TWO_PHASE_REMOVAL,
            REPLIES_BY_CALLBACK_THREADS,
            UNLOCKED_AT_ONCE,
            KEEPS_CELL_WHILE_LISTENING,
            FORCES_UNLOCK,
            COMMITS_BEFORE_HOLDING,
            REFUSES_UNKNOWN,
            LOADS_MAPPING_BEFORE,
            EXECUTORS_STOP_FIRST,
            THROWS_BEFORE_PERSIST,
            NO_BROADCAST_LOCKS,
            COPIES_VERSION,
            COMMITS_TO_ANY_BROKER,
            SLAVE_REFUSES_PULLS,
            TAKES_SLAVES_TABLE,
            NOW_IS_A_TIME,
            ONE_QUEUE_RESET,
            NUMERIC_TIME_WORKS,
            CLUSTER_MEANS_CPLUS,
            ERROR_COUNTS_AS_SUCCESS,
        }
    ),
    based_on=R_4_9_8,
    timers=(
        DISPATCHES_LATER,
        FORGETS_DROPPED_LOCK,
        FORGETS_DROPPED_LEASE,
        SLAVE_COPIES_EACH_MINUTE,
        REPAIRS_AT_ONCE,
        REBALANCES_UNTIL_BALANCED,
        REBALANCES_A_SECOND_APART,
        WAITS_LESS_FOR_LOCK,
    ),
    published_as="5.3.3",
    leaves_out=_OF_5,
)
"""With useServerSideResetOffset=false: resets happen at the client, as before."""

R_5_3_3 = Release("5.3.3", frozenset({SERVER_SIDE_RESET}), based_on=R_5_3_3_CLIENT_RESET)

R_5_5_0 = Release(
    "5.5.0",
    frozenset({MARKER_DELETED_WITH_TOPIC, MOVES_MAIN_TO_BACKUP}),
    based_on=R_5_3_3,
    loses=frozenset({THROWS_BEFORE_PERSIST}),
)
"""The newest of which client, broker, tools and name server are published."""

RELEASES = (R_4_9_4, R_4_9_8, R_5_3_3_CLIENT_RESET, R_5_3_3, R_5_5_0)
"""The oldest first."""

USUAL = R_4_9_4
"""The release that is asked where none is named."""
