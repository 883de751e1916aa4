"""What the model of concurrent consumption leaves out, by theme; each component's docstring says it in place."""

from __future__ import annotations

WOKEN_BEFORE_COMMIT = "a woken poll that is answered before its own commit is executed"

RESETS_AT_BROKER = (
    "resets at the broker, without a command to clients (server-side, useServerSideResetOffset: default since 5.2.0), "
    "and a reset of one queue (resetOffsetByQueueId), which tools since 5.x send: what a broker of 4.9.4 makes of it "
    "is in the model `several-queues`"
)

LEFT_OUT = (
    "other queues but for what one queue can feel of a neighbour: the group's row, persistAll, the reset tool's loop, "
    "the strategies' shares",
    "the offsets of the %RETRY% queue beside those of this one (it is a queue like this one), delay levels; a reset of "
    "a topic leaves the group's retry topic alone, so messages under retry come again whatever it does",
    "clients in other languages (the Go client, the C++ client, the Rust client, those for .NET and Python), which "
    "have code of their own: claims are about the Java client",
    "pull consumers (DefaultMQPullConsumer) and lite pull consumers, which write offsets of their own, as a group's "
    "members or for an application: also MQHelper.resetOffsetByTimestamp; a consumer that resets its own offsets "
    "(resetOffsetByTimeStamp of its implementation), without a broker's command",
    "slaves and their synchronisation, which are in the model `replicas` (a reset's target may be any, so also one "
    "that a slave has computed), a slave that is made master by a command or a controller",
    RESETS_AT_BROKER,
    "how the offset file is written and loaded, and its backup, which are in the model `offset-files`",
    "locks and orderly consumption, which are in the model `orderly`; broadcasting, which is in `broadcasting`; POP "
    "consumers, whose acknowledgements the broker keeps",
    "registration and heartbeats: a broker may hear of a member, or lose it, at any time",
    "what resetOffsetNewConcurrent of 5.x makes of several brokers, and that it writes the offset at a broker that "
    "knows no member while others send commands; mqadmin's reset of one queue to 0, which does nothing",
    "refusals of the reset tool, which change nothing: of a group that never committed on some queue, of one of which "
    "no consumer is online (206, CONSUMER_NOT_ONLINE: mqadmin then writes the offset itself, which is in the model; a "
    "dashboard may not)",
    "a pull thread stalled between reading the cell and sending it (as a pull that is long on its way)",
    "a pull thread blocked for over two minutes, whose live queues a rebalance then takes for unpulled; an Error in "
    "it, which ends the thread (an Exception only takes the PullRequest away)",
    "a pull that the broker refuses before it looks at the commit (permission, a group with consumeEnable=false, "
    "subscription not the latest), but for one of a topic that is not there or of a group that has no member",
    WOKEN_BEFORE_COMMIT,
    "queries for offsets and reset commands that a restart of the broker in order breaks: those are asked after it, "
    "and these arrive",
    "that a broker since 5.3.0 refuses commits of a group that was deleted until a heartbeat or pull has made it again",
    "shutdownNow's interrupt of a listener, after which removeMessage commits nothing",
    "a max offset that falls at a fail-over; a consume queue whose file is missing in the middle (OFFSET_FOUND_NULL), "
    "whose polls go on at the next file",
)
