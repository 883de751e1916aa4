"""What a listener's answers commit, and a group's first commits."""

from __future__ import annotations

from offsetproof.real.whole.listening import ListenerAnswer, ListenerBehaviour, Script
from studies.natural_timing.trying import Attempt, Scenario, Try
from studies.natural_timing.waiting import Waiting, until

_QUEUES = 16
_GROUPS = 5000


def _ack_at_failure(own: Try) -> Waiting[Attempt]:
    own.create()
    own.send("m0", "m1", "m2", "m3")
    consumer = own.consumer("first", batch=4)
    consumer.start(Script(messages={"m0": ListenerBehaviour(ack_index=2)}))
    yield from until(lambda: own.committed_offsets() == [4], 60, "the batch is committed")
    yield from until(lambda: len(consumer.finished_deliveries()) > 4, 60, "what is not acknowledged is delivered again")
    yield 5.0
    times = [sum(d.body == f"m{i}" for d in consumer.deliveries()) for i in range(4)]
    batches = len({d.batch for d in consumer.deliveries() if not d.retries})
    seen = f"{batches} batch; 4 committed; m0 to m3 delivered {', '.join(map(str, times))} times"
    return Attempt(times[2] == 1, seen)


def _rolled_back(own: Try) -> Waiting[Attempt]:
    own.create()
    own.send("m0", "m1", "m2")
    consumer = own.consumer("first", orderly=True)
    consumer.start(Script(ListenerBehaviour(ListenerAnswer.ROLLBACK)))
    yield from until(lambda: len(consumer.finished_deliveries()) >= 3, 60, "three messages are rolled back")
    yield 12.0
    (committed,) = own.committed_offsets()
    times = [sum(d.body == f"m{i}" for d in consumer.deliveries()) for i in range(3)]
    seen = f"{committed} committed; m0 to m2 delivered {', '.join(map(str, times))} times"
    return Attempt(bool(committed) and times == [1, 1, 1], seen)


def _first_commits(own: Try) -> Waiting[Attempt]:
    own.create(_QUEUES)
    for queue in range(_QUEUES):
        own.send(f"m{queue}", queue=queue)
    consumer = own.consumer("first")
    consumer.start(Script(ListenerBehaviour(seconds=1.0)))
    yield from until(lambda: len(consumer.finished_deliveries()) == _QUEUES, 30, "a message of each queue is finished")
    yield 0.2
    cells, before = consumer.cells(), sum(each is not None for each in own.committed_offsets())
    consumer.persist()
    yield 1.0
    missing = [queue for queue, each in enumerate(own.committed_offsets()) if each is None]
    seen = f"{len(cells)} commits at once, {before} rows before; {len(missing)} queues without an offset after"
    return Attempt(bool(missing) and len(cells) == _QUEUES, seen)


def _first_commits_together(own: Try) -> Waiting[Attempt]:
    own.create(2)
    groups = [f"{own.group}-{number}" for number in range(_GROUPS)]
    own.cluster.commit_together(groups, own.topic)
    yield 0.1
    rows = [own.cluster.committed_offsets(group, own.topic) for group in groups]
    missing = sum(None in row for row in rows)
    return Attempt(missing > 0, f"{missing} of {_GROUPS} groups have lost an offset that was committed")


ACK_AT_FAILURE = Scenario(
    "ack-at-failure",
    "A batch of four messages, of which the third fails; the listener says so by setAckIndex(2) and answers success.",
    "The batch is committed, and 5 s after the fourth message was delivered again the third was not.",
    _ack_at_failure,
    ("I4-ack-at-failure",),
)
ROLLED_BACK = Scenario(
    "rolled-back",
    "An orderly listener answers ROLLBACK to each of three messages, with autoCommit as it is by default.",
    "They are committed, and none is delivered again within 12 s.",
    _rolled_back,
    ("I4-orderly-rollback-skipped", "I14-taken-for-success"),
)
FIRST_COMMITS = Scenario(
    "first-commits",
    "A consumer of a new group finishes one message of each of 16 queues, and persists all its offsets.",
    "The broker has no offset of some queue after all 16 commits.",
    _first_commits,
    at_once=2,
)
FIRST_COMMITS_TOGETHER = Scenario(
    "first-commits-together",
    f"Two clients commit the first offsets of {_GROUPS} new groups one after the other, for a queue each and at the "
    "same moment.",
    "Of some group the broker has only one offset, although it has answered both commits with success.",
    _first_commits_together,
    ("I11-row-put-twice",),
    at_once=1,
)
