"""Inspecting: an operator asks a consumer for its running info, and that writes the cell of a queue which has none.

Stands for DefaultMQPushConsumerImpl.consumerRunningInfo, which reads each queue's offset with MEMORY_FIRST_THEN_STORE:
where the offset table has no cell, RemoteBrokerOffsetStore.readOffset asks the broker and writes the answer plainly,
whatever has happened since. Whoever looks at a client's page in a dashboard, or asks `mqadmin consumerStatus`, starts
such a run. Left out: a queue that left the table after the run took its iterator; two runs at a time in one client.
"""

from __future__ import annotations

from offsetproof.lang import action, at, require
from offsetproof.model.group import Group
from offsetproof.model.variants import BROKER_ERROR, INFO_READS_ONLY, OVERTAKE, QUERIES_IN_ORDER
from offsetproof.model.vocabulary import CONSUMERS, InfoStep

_READ = [
    at("DefaultMQPushConsumerImpl", "consumerRunningInfo", "readOffset"),
    at("RemoteBrokerOffsetStore", "readOffset", "fetchConsumeOffsetFromBroker"),
]
_ANSWERS = [at("ConsumerManageProcessor", "queryConsumerOffset", "queryOffset")]


class Inspecting(Group):
    """What a running info does to the one queue."""

    @action(c=CONSUMERS, actor="consumer[c]", thread="running info", stands_for=_READ)
    def running_info_finds_no_cell(self, c: int) -> None:
        """Is asked for its running info, finds no cell, asks the broker.

        With a cell nothing is asked, and nothing is written.
        """
        consumer = self.consumer[c]
        require(self.running_infos_left > 0, consumer.alive, consumer.info.at == InfoStep.IDLE)
        require(consumer.process_queue_table is not None, consumer.cell is None)
        self.running_infos_left = self.running_infos_left - 1
        consumer.info.at = InfoStep.ASKED

    @action(c=CONSUMERS, actor="broker", thread="consumer manage", stands_for=_ANSWERS)
    def broker_answers_running_info(self, c: int) -> None:
        """Answers a running info's query after the client's older commits."""
        require(self.consumer[c].commits.count == 0)
        self._answer_info(c)

    @action(c=CONSUMERS, actor="broker", thread="consumer manage", fault=OVERTAKE, stands_for=_ANSWERS)
    def broker_answers_running_info_before_commits(self, c: int) -> None:
        """Answers a running info's query before the client's older commits."""
        require(self.consumer[c].commits.count > 0, not self.setting.assumes(QUERIES_IN_ORDER))
        self._answer_info(c)

    def _answer_info(self, c: int) -> None:
        """The stored offset, or the 0 that stands for none; else there is nothing to write, and the read is over."""
        info = self.consumer[c].info
        require(info.at == InfoStep.ASKED)
        committed = self.broker.committed
        if committed is not None:
            info.start = committed
            info.at = InfoStep.ANSWERED
        elif self.broker.answers_zero():
            info.at = InfoStep.ANSWERED
        else:
            info.reset()

    @action(c=CONSUMERS, actor="broker", thread="consumer manage", fault=BROKER_ERROR, stands_for=_ANSWERS)
    def broker_answers_running_info_with_error(self, c: int) -> None:
        """Answers a running info's query with an error: nothing is written."""
        require(self.consumer[c].info.at == InfoStep.ASKED)
        self.consumer[c].info.reset()

    @action(
        c=CONSUMERS, actor="consumer[c]", thread="running info",
        stands_for=[at("RemoteBrokerOffsetStore", "readOffset", "updateOffset")],
    )  # fmt: skip
    def running_info_stores_answer(self, c: int) -> None:
        """Writes the answer into the cell, whatever stands there by now."""
        consumer = self.consumer[c]
        require(consumer.info.at == InfoStep.ANSWERED)
        if not self.setting.behaves(INFO_READS_ONLY):
            consumer.cell = consumer.info.start
        consumer.info.reset()
