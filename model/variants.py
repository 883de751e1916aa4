"""What varies in several models: proposed behaviours and remedies, assumptions, listeners and kinds of fault.

What releases have is in `releases.py`; what one model alone knows, in the `variants.py` of its folder. A behaviour is a
way in which the program can be different, and so a fix of the releases that lack it: the step that it changes asks
`self.setting.behaves(...)`, or a file in `behaviours/` has the step; the claims that hold with it name it. Assumptions
are asked for by `self.setting.assumes(...)`. An action names its fault (`fault=`), and a scope gives the budget.
"""

from __future__ import annotations

from offsetproof.lang import Assumption, Behaviour, Fault, Listener
from offsetproof.model.timers import HOLD_CHECK, ON_ITS_WAY, POLL_HOLD

POLL_CHECKS_DROPPED = Behaviour(
    "poll-checks-dropped",
    role="client",
    about="the pull callback ignores a response for a dropped ProcessQueue",
    source="apache/rocketmq PR #10087, proposed",
    brings=("poll_checks_dropped",),
)

ROW_MADE_ATOMICALLY = Behaviour(
    "row-made-atomically",
    role="broker",
    about="the first commit of a group makes its row with computeIfAbsent",
    source="apache/rocketmq PR #10701 and PR #10992, proposed",
)
NO_ZERO_ANSWER = Behaviour(
    "no-zero-answer",
    role="broker",
    about="a query without stored offset is always answered QUERY_NOT_FOUND",
    source="what apache/rocketmq #1135 and its kin ask for; setZeroIfNotFound=false since 5.0.0",
    brings=("rebalance_finds_start",),
)
START_STORED = Behaviour(
    "start-stored",
    role="client",
    about="a start that the broker did not know, or answered with 0, is committed before the first pull",
    source="a remedy for the window before a new group's first commit",
)
MONOTONE_COMMITS = Behaviour(
    "monotone-commits",
    role="broker",
    about="a commit below the stored offset is ignored unless a reset or an administrator sent it",
    source="a remedy for last-writer-wins",
)

UPDATE_CHECKS_DROPPED = Behaviour(
    "update-checks-dropped",
    role="client",
    about="a task or callback looks at `dropped` again, and writes the cell in the same step",
    source="a remedy for the gap between check C and updateOffset: re-check under the offset store's lock",
)
REBALANCE_SYNCHRONIZED = Behaviour(
    "rebalance-synchronized",
    role="client",
    about="one run of rebalance at a time in a consumer: resume waits for the one under way",
    source="a remedy for overlapping runs, as PR #2640 was for overlapping resets",
)
INFO_READS_ONLY = Behaviour(
    "info-reads-only",
    role="client",
    about="a running info reads the offset table and the broker, and writes neither",
    source="a remedy for consumerRunningInfo, whose readOffset(MEMORY_FIRST_THEN_STORE) writes the cell",
)
RESET_WRITES_ALWAYS = Behaviour(
    "reset-writes-always",
    role="client",
    about="a reset writes its target also for a queue that has left the table meanwhile",
    source="a remedy for a reset that nobody writes",
)

RESET_DROPS_AGAIN = Behaviour(
    "reset-drops-again",
    role="client",
    about="a reset marks dropped whatever ProcessQueue its second loop takes out of the table",
    source="a remedy for the orphan of a rebalance that overlaps a reset",
)
MARKER_PULL_COMMITS_NOTHING = Behaviour(
    "marker-pull-commits-nothing",
    role="broker",
    about="the pull that takes the marker of a reset commits nothing",
    source="a remedy for the reset at the broker: DefaultPullMessageResultHandler commits after the marker is taken",
)
MARKER_KEPT_UNTIL_PULLED = Behaviour(
    "marker-kept-until-pulled",
    role="broker",
    about="the marker of a reset goes with a pull from its target; any pull before that is answered with the target, "
    "and none of them commits anything",
    source="a remedy for the reset at the broker: queryThenEraseResetOffset takes the marker whatever a pull asks for",
)
RESET_WRITTEN_THROUGH = Behaviour(
    "reset-written-through",
    role="broker",
    about="a reset at the broker is in the offset file, with its marker, when it is answered and when it is taken",
    source="a remedy for the reset at the broker: ConsumerOffsetManager.resetOffsetTable is in memory alone",
)
RESETS_NUMBERED = Behaviour(
    "resets-numbered",
    role="broker",
    about="resets of a queue have numbers: a ProcessQueue, a cell and a commit have the number of the answer that they "
    "come from, neither broker nor cell takes what has an earlier one, and a pull that has is answered with the offset",
    source="a remedy for the reset at the broker, as epochs are elsewhere: a commit does not say before which reset it "
    "was made",
    also=("client",),
)
PULL_REQUEST_KEPT = Behaviour(
    "pull-request-kept",
    role="client",
    about="PullMessageService puts a request back whose pull threw an exception",
    source="a remedy for pulling that stops until the queue has expired",
)
RETRY_FROM_FIRST = Behaviour(
    "retry-from-first",
    role="client",
    about="a retry topic's queue without stored offset starts at 0 whatever ConsumeFromWhere says",
    source="a remedy for CONSUME_FROM_TIMESTAMP, which starts retry topics at the max offset",
)

_LAST_PULL_SECONDS = POLL_HOLD.seconds + HOLD_CHECK.seconds + ON_ITS_WAY.seconds
"""After so long nothing is left of a pull that a consumer sent before it went down: on its way, held, looked at."""

_WAIT_BEFORE_RESET = (
    f"reset {ON_ITS_WAY.seconds:g} s after the last consumer has gone, or later: a request needs no more"
)

COMMITS_IN_ORDER = Assumption(
    "commits-in-order", "the broker executes one client's one-way commits in the order in which they were sent"
)
QUERIES_IN_ORDER = Assumption(
    "queries-in-order", "the broker executes an offset query after the commits that the same client sent before it"
)
PULLS_TIMELY = Assumption("pulls-timely", "a pull reaches the broker before a reset's sleep of 10 s is over")
NO_STALLED_TASK = Assumption(
    "no-stalled-task", "no consume thread stalls before updateOffset for longer than a reset's sleep of 10 s"
)
NO_STALLED_CALLBACK = Assumption(
    "no-stalled-callback", "no pull callback stalls before updateOffset for longer than a reset's sleep of 10 s"
)
NO_STALLED_REBALANCE = Assumption(
    "no-stalled-rebalance", "no rebalance run goes on for longer than a reset's sleep of 10 s"
)

STARTS_COMPLETE = Assumption(
    "starts-complete", "no consumer is killed between the answer to its offset query and what it makes of it"
)
OFFSET_ZERO_COLD = Assumption(
    "offset-zero-cold", "a group without offset starts on a queue that is empty, or whose offset 0 has left the memory"
)
SHUTDOWN_WAITS = Assumption(
    "shutdown-waits", "a graceful shutdown waits for the running listeners (awaitTerminationMillisWhenShutdown)"
)
EVERY_BROKER_ANSWERS = Assumption("every-broker-answers", "no broker answers a request with an error")
PERSIST_IN_ONE = Assumption(
    "persist-in-one",
    "nothing comes between the steps of persistAll: taking the queues, reading a cell, sending or removing",
)
COMMITS_TIMELY = Assumption(
    "commits-timely",
    "a consumer's one-way commits have arrived before an administrator's tool writes the offset itself",
    today=_WAIT_BEFORE_RESET,
)
LAST_PULLS_TIMELY = Assumption(
    "last-pulls-timely",
    "the last pulls of a consumer that went down have arrived before an administrator's tool writes the offset itself",
    today=_WAIT_BEFORE_RESET,
)
LAST_REQUESTS_ARRIVED = Assumption(
    "last-requests-arrived",
    "a consumer that was killed is started again only once everything that it had sent has arrived",
    today=f"start a consumer that was killed again after {_LAST_PULL_SECONDS:g} s",
)
GROUP_STAYS_DOWN = Assumption(
    "group-stays-down",
    "no consumer of a group starts while a tool resets it because none was online",
    today="let no consumer start before the tool has ended",
)
RESET_WHILE_DOWN = Assumption(
    "reset-while-down",
    "a reset at the broker comes only while no consumer of the group runs, and after all that they sent has ended: no "
    "commit of theirs is on its way, and no pull on its way or held",
    today="stop all consumers of the group; wait until `mqadmin consumerConnection -g GROUP` shows none, and "
    f"{_LAST_PULL_SECONDS:g} s more for what they sent: {ON_ITS_WAY.seconds:g} s for the way, and "
    f"{POLL_HOLD.seconds:g} to {POLL_HOLD.seconds + HOLD_CHECK.seconds:g} s for a pull that is held; reset; start the "
    "consumers when the tool has its answer",
)
DELETED_WHILE_DOWN = Assumption(
    "deleted-while-down",
    "a topic is deleted only while no consumer of its group runs, and everything that they sent has arrived",
    today=f"stop all consumers of the group, and delete the topic {_LAST_PULL_SECONDS:g} s later",
)
GROUP_DELETED_WHILE_DOWN = Assumption(
    "group-deleted-while-down",
    "a group is deleted only while none of its consumers runs, and everything that they sent has been executed",
    today=f"stop all consumers of the group, and delete it {_LAST_PULL_SECONDS:g} s later",
)
OFFSETS_REMOVED = Assumption(
    "offsets-removed",
    "a group is deleted together with its offsets (`mqadmin deleteSubGroup -r true`)",
    today="name `-r true`",
)
RESET_TO_NOW = Assumption(
    "reset-to-now",
    "the administrator resets to `now` (`mqadmin resetOffsetByTime -s now`)",
    today="name `-s now`",
)
RESET_BY_OLD_COMMAND = Assumption(
    "reset-by-old-command",
    "the administrator resets with `mqadmin resetOffsetByTimeOld`, and a time in milliseconds",
    today="use that command",
)
RESET_WITH_CLUSTER = Assumption(
    "reset-with-cluster",
    "the administrator names the cluster (`mqadmin resetOffsetByTime -c CLUSTER`)",
    today="name `-c CLUSTER`",
)
RESET_CONCURRENTLY = Assumption(
    "reset-concurrently", "the administrator's program resets with resetOffsetNewConcurrent, and a broker may refuse"
)
SWEEP_COMES = Assumption(
    "sweep-comes",
    "the expiry sweep comes round: no message that was given to a listener stays first in a cache for longer than "
    "twice consumeTimeout, 15 to 30 minutes",
)
HANGING_RESTARTED = Assumption(
    "hanging-restarted",
    "a consumer in which a listener never returns is restarted, or shut down",
    today="restart a consumer whose committed offset stands still",
)
FLUSHED_FIRST = Assumption("flushed-first", "a message is on the broker's disk before its offset is told to a consumer")
NOTHING_LOST = Assumption("nothing-lost", "a one-way request that a client or a broker sends arrives")

CORRECT = Listener("correct", "returns CONSUME_SUCCESS for every message, after any time")
RECONSUME_LATER = Listener(
    "reconsume-later", "may fail at a message, and then returns RECONSUME_LATER or null, or throws"
)
ACK_AT_FAILURE = Listener("ack-at-failure", "may fail at message i, and then calls setAckIndex(i) and returns SUCCESS")
ACK_BEFORE_FAILURE = Listener(
    "ack-before-failure", "may fail at message i, and then calls setAckIndex(i - 1) and returns SUCCESS"
)
ACK_FIRST = Listener("ack-first", "may fail at message i, and then calls setAckIndex(0) and returns SUCCESS")
ACK_NONE = Listener("ack-none", "may fail at message i, and then calls setAckIndex(-1) and returns SUCCESS")
ACK_BELOW_MINUS_ONE = Listener(
    "ack-below-minus-one", "may fail at message i, and then calls setAckIndex(-2) and returns SUCCESS"
)

OVERTAKE = Fault(
    "overtake",
    "the broker executes a client's request before an older one of the same client",
    source="ConsumerManageProcessor runs on consumerManageThreadPoolNums threads, which are 32",
)
LATE_PULL = Fault(
    "late_pull",
    "a pull is on its way to the broker for over 10 s",
    source="consumerTimeoutMillisWhenSuspend: a client waits 30 s for a pull",
)
STALL = Fault("stall", "a thread of a client stands where it is for over 10 s", source="nothing limits its plain code")
KILL = Fault("kill", "a consumer's process is killed", source="the operating system")
BROKER_KILL = Fault("broker_kill", "the broker's process is killed and started again", source="ConfigManager.load")
BROKER_LOSES_TAIL = Fault(
    "broker_loses_tail",
    "the broker's machine goes down, and with it messages that were not flushed",
    source="flushDiskType is ASYNC_FLUSH, and a message may be pulled before it is flushed",
)
BROKER_ERROR = Fault("broker_error", "a broker answers a request with an error", source="any response code but SUCCESS")
SEND_BACK = Fault(
    "send_back",
    "a message cannot be sent back, or is sent back twice",
    source="DefaultMQPushConsumerImpl.sendMessageBack, and its fallback",
)
PULL_REQUEST_LOSS = Fault(
    "pull_request_loss", "an exception takes a PullRequest away", source="PullMessageService.run catches it"
)
HANG = Fault("hang", "a listener never returns", source="the application: consumeMessage has no time limit")
LOSS = Fault(
    "loss",
    "a one-way request, or a pull or its answer, is lost",
    source="NettyRemotingAbstract.invokeOnewayImpl, whose exceptions the callers swallow",
)
