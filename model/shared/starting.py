"""Starting: where a new ProcessQueue of a queue begins, by what the broker has stored and by ConsumeFromWhere.

Stands for RebalancePushImpl.computePullFromWhereWithException and ConsumerManageProcessor.queryConsumerOffset.
The scope says which rule holds (`consume_from`; TIMESTAMP is a time before which `time_offset` messages were stored),
and whether the queue is a %RETRY% topic's (`retry_queue`). Where nothing is stored the broker answers 0 as long as the
queue is empty or its offset 0 is in memory; after that, or after retention, it says that it knows nothing. Left out:
TIMESTAMP's default, half an hour before the client's start, which moves with it.
"""

from __future__ import annotations

from offsetproof.lang import at, bound, choose, larger, require
from offsetproof.model.releases import END_WHEN_LATER
from offsetproof.model.shared.consumer import RebalanceRun
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import RETRY_FROM_FIRST
from offsetproof.model.vocabulary import ConsumeFrom, RebalanceStep

_STARTS = "RebalancePushImpl", "computePullFromWhereWithException"
FINDS_START = (at(*_STARTS, "maxOffset"), at(*_STARTS, "maxOffset", 2), at(*_STARTS, "searchOffset"))


class Starting(Group):
    """What a rebalance run asks the broker before it adds a queue, and what it makes of the answers."""

    def find_start(self, run: RebalanceRun) -> None:
        """The rule's answer for a run that has found no stored offset."""
        require(run.at == RebalanceStep.NOT_FOUND)
        bound(self.broker.max_offset >= self.scope.time_offset)
        self.note_first_start(self.meant_start(self.broker.max_offset))
        run.start = self.rule(self.broker.max_offset)
        run.at = RebalanceStep.START_KNOWN

    def rule(self, max_offset: int) -> int:
        """Where ConsumeFromWhere starts when nothing is stored.

        A search for a time later than the last message's gives the last message, or the end, as the release does.
        """
        if self.scope.retry_queue > 0:
            late = self.scope.consume_from == ConsumeFrom.TIMESTAMP and not self.setting.behaves(RETRY_FROM_FIRST)
            return max_offset if late else 0
        if self.scope.consume_from == ConsumeFrom.FIRST_OFFSET:
            return 0
        if self.scope.consume_from == ConsumeFrom.TIMESTAMP:
            last = choose(max_offset > 0, max_offset - 1, 0)
            beyond = max_offset if self.setting.behaves(END_WHEN_LATER) else last
            return choose(self.scope.time_offset < max_offset, self.scope.time_offset, beyond)
        return max_offset

    def meant_start(self, max_offset: int) -> int:
        """What the rule is documented to mean, which no later start may change.

        A queue that is added to the topic of an old group (`expansion`) is owed to it from the first message on, and so
        is the queue of its retry topic, which holds nothing but its own failed messages.
        """
        if self.scope.expansion > 0 or self.scope.retry_queue > 0:
            return self.broker.min_offset
        if self.scope.consume_from == ConsumeFrom.TIMESTAMP:
            return larger(self.scope.time_offset, self.broker.min_offset)
        return larger(self.rule(max_offset), self.broker.min_offset)
