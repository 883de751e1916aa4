"""Hanging: a listener that never returns, which pins the committed offset at its message.

Stands for a listener in a deadlock, an endless loop or a call without a timeout, on a thread of
ConsumeMessageConcurrentlyService. removeMessage gives the lowest cached offset, so whatever is consumed behind that
message, nothing is committed past it. Two things lift that: the expiry sweep (failing.py), which looks at the first
cached message only and only if it has a start time, and a restart. In 4.9.4 the sweep's timer outlives every exception
(cleanExpireMsg is called within a catch of Throwable); it may still stand in sendMessageBack, or fail there. Left out:
a pool whose threads hang all, in which the next messages are never started, and have no start time for the sweep.
"""

from __future__ import annotations

from offsetproof.lang import at, every, negation, require
from offsetproof.lang.rigging import RigChange
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import CONSUME, of_client
from offsetproof.model.variants import HANG, HANGING_RESTARTED, SWEEP_COMES
from offsetproof.model.vocabulary import TaskStep


class Hanging(Group):
    """A listener that does not come back, and what being at rest means where that is taken care of."""

    @CONSUME.step(
        at("ConsumeMessageConcurrentlyService.ConsumeRequest", "run", "consumeMessage"),
        any_time="a fault, which may happen at any time; from then on it takes for ever",
        rig=RigChange("nothing", of_client),
        fault=HANG,
    )
    def listener_hangs(self, c: int, pq_id: int, m: int) -> None:
        """Hangs for good: its messages stay cached, with their start time."""
        task = self.consumer[c].process_queue[pq_id].task[m]
        require(task.at == TaskStep.LISTENING)
        size = task.size
        task.end()
        task.size, task.at = size, TaskStep.THROWN

    def rest(self) -> bool:
        """At rest as else; assumptions say that the sweep has come round, or that who hangs has been restarted."""
        conditions = [super().rest()]
        for consumer in self.consumer:
            for pq_id, pq in enumerate(consumer.process_queue):
                if self.setting.assumes(SWEEP_COMES):
                    conditions.append(negation(every([consumer.has_listed(pq_id), pq.keeps_first_started()])))
                if self.setting.assumes(HANGING_RESTARTED):
                    conditions += [task.at != TaskStep.THROWN for task in pq.task]
        return every(conditions) if len(conditions) > 1 else super().rest()
