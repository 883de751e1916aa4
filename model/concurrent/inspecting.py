"""Inspecting: an operator asks a consumer for its running info, and that writes the cell of a queue which has none.

Stands for DefaultMQPushConsumerImpl.consumerRunningInfo, which reads each queue's offset with MEMORY_FIRST_THEN_STORE:
where the offset table has no cell, RemoteBrokerOffsetStore.readOffset asks the broker and writes the answer plainly,
whatever has happened since. Whoever looks at a client's page in a dashboard, or asks `mqadmin consumerStatus`, starts
such a run. Left out: a queue that left the table after the run took its iterator; two runs at a time in one client.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import at, require
from offsetproof.lang.record import Pause
from offsetproof.lang.step import in_rig
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import BY_DECISION, INFO, INFO_ANSWER, INFO_QUERIES, values_at_answer
from offsetproof.model.timers import ON_ITS_WAY
from offsetproof.model.variants import BROKER_ERROR, INFO_READS_ONLY, OVERTAKE, QUERIES_IN_ORDER
from offsetproof.model.vocabulary import InfoStep

_READ = [
    at("DefaultMQPushConsumerImpl", "consumerRunningInfo", "readOffset"),
    at("RemoteBrokerOffsetStore", "readOffset", "fetchConsumeOffsetFromBroker"),
]
_ASKS_BROKER = _READ[1]
_ASKED = Pause(
    "a running info's query is on its way", ("running_info_finds_no_cell",), most=ON_ITS_WAY, source="a request"
)
_ANSWERED = Pause(
    "a running info's answer is on its way",
    (
        (
            "broker_answers_running_info",
            "broker_answers_running_info_before_commits",
            "broker_answers_running_info_with_error",
        ),
    ),
    most=ON_ITS_WAY,
    source="an answer",
)
_WITH_ERROR = replace(INFO_ANSWER, values=lambda moment: values_at_answer(moment, with_error=True))
_ANSWERS = [at("ConsumerManageProcessor", "queryConsumerOffset", "queryOffset")]


class Inspecting(Group):
    """What a running info does to the one queue."""

    @INFO.step(*_READ, any_time=BY_DECISION, rig=in_rig(_ASKS_BROKER))
    def running_info_finds_no_cell(self, c: int) -> None:
        """Is asked for its running info, finds no cell, asks the broker.

        With a cell nothing is asked, and nothing is written.
        """
        consumer = self.consumer[c]
        require(self.running_infos_left > 0, consumer.alive, consumer.info.at == InfoStep.IDLE)
        require(consumer.process_queue_table is not None, consumer.cell is None)
        self.running_infos_left = self.running_infos_left - 1
        consumer.info.at = InfoStep.ASKED

    @INFO_QUERIES.step(*_ANSWERS, waits=_ASKED)
    def broker_answers_running_info(self, c: int) -> None:
        """Answers a running info's query after the client's older commits."""
        require(self.consumer[c].commits.count == 0)
        self.answer_info(c)

    @INFO_QUERIES.step(*_ANSWERS, waits=_ASKED, fault=OVERTAKE)
    def broker_answers_running_info_before_commits(self, c: int) -> None:
        """Answers a running info's query before the client's older commits."""
        require(self.consumer[c].commits.count > 0, not self.setting.assumes(QUERIES_IN_ORDER))
        self.answer_info(c)

    def answer_info(self, c: int) -> None:
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

    @INFO_QUERIES.step(*_ANSWERS, waits=_ASKED, rig=_WITH_ERROR, fault=BROKER_ERROR)
    def broker_answers_running_info_with_error(self, c: int) -> None:
        """Answers a running info's query with an error: nothing is written."""
        require(self.consumer[c].info.at == InfoStep.ASKED)
        self.consumer[c].info.reset()

    @INFO.step(at("RemoteBrokerOffsetStore", "readOffset", "updateOffset"), waits=_ANSWERED)
    def running_info_stores_answer(self, c: int) -> None:
        """Writes the answer into the cell, whatever stands there by now."""
        consumer = self.consumer[c]
        require(consumer.info.at == InfoStep.ANSWERED)
        if not self.setting.behaves(INFO_READS_ONLY):
            consumer.write_cell(consumer.info.start)
        consumer.info.reset()
