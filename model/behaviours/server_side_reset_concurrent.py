"""A reset at the broker as a concurrent consumer has it: by time, with running infos, and with topics that are deleted.

What all push consumers have of it is in `server_side_reset`.
"""

from __future__ import annotations

from offsetproof.lang import Change, every, negation, require, same
from offsetproof.lang.rigging import RigChange
from offsetproof.model.behaviours.server_side_reset import (
    ANSWERS,
    HELD,
    LEFT_OUT,
    MARKED,
    MARKED_PARTS,
    MARKS,
    MarkedPulls,
    answer_pull,
    marking_broker,
    marks,
    signs_of_rest,
)
from offsetproof.model.concurrent.hanging import Hanging
from offsetproof.model.concurrent.inspecting import Inspecting
from offsetproof.model.concurrent.left_out import RESETS_AT_BROKER
from offsetproof.model.concurrent.other_resets import OtherResets
from offsetproof.model.concurrent.regrouping import Regrouping
from offsetproof.model.concurrent.rewinding import Rewinding
from offsetproof.model.concurrent.writing_rows import WritingRows
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.shared.pulling import Pulling
from offsetproof.model.shared.resetting import Resetting
from offsetproof.model.threads import BY_DECISION, PULLS, RESET_TOOL
from offsetproof.model.vocabulary import TARGETS, WANTED, Direction, InfoStep


class MarkedByTime(OtherResets):
    """What the tool and the broker do by time."""

    @RESET_TOOL.step(MARKS, any_time=BY_DECISION, rig=marks("x"), w=WANTED, x=TARGETS)
    def administrator_resets_by_time(self, w: int, x: int) -> None:
        """Marks the queue with what the search for the time of message w finds."""
        super().administrator_resets_by_time(w, x)


class MarkedInfos(Inspecting):
    """What running infos are answered while there is a marker."""

    def answer_info(self, c: int) -> None:
        """The marker, or else what is answered without one."""
        marker = marking_broker(self).marker
        if marker is None:
            super().answer_info(c)
            return
        info = self.consumer[c].info
        require(info.at == InfoStep.ASKED)
        info.start = marker
        info.at = InfoStep.ANSWERED


class MarkedTopics(Rewinding):
    """What becomes of a marker with its topic, and what a pull is told while there is none."""

    def may_lose_topic(self) -> bool:
        """Is the topic's deletion within what is modelled? Not between a marker and its target in the table."""
        return negation(self.is_resetting())

    def note_topic_lost(self) -> None:
        """History: the reset was about messages that are gone; its marker is not, and is of the next topic then."""
        self.ghost_landed, self.ghost_answered = False, False
        self.ghost_direction = Direction.NONE

    @same(Rewinding.poll_meets_no_topic)
    def poll_meets_no_topic(self, c: int, pq_id: int) -> None:
        """Is told that there is no such topic; tries again in a second."""
        require(negation(self.consumer[c].process_queue[pq_id].is_answered_with_target()))
        super().poll_meets_no_topic(c, pq_id)


class AnsweredPulls(Pulling):
    """What the broker answers a pull."""

    @PULLS.step(ANSWERS, waits=HELD, rig=RigChange("nothing"))
    def broker_answers_pull(self, c: int, pq_id: int) -> None:
        """Answers a pull by what is stored; there is no marker."""
        answer_pull(self, c, pq_id)


class MarkedRows(WritingRows, Regrouping):
    """What an administrator does to the row while there is a marker."""

    @same(WritingRows.administrator_updates_offset)
    def administrator_updates_offset(self, x: int) -> None:
        """Writes the broker's offset directly."""
        require(negation(self.broker.has_marker()))
        super().administrator_updates_offset(x)

    @same(Regrouping.administrator_deletes_group_with_offsets)
    def administrator_deletes_group_with_offsets(self) -> None:
        """Deletes the group, and its rows and markers with it."""
        super().administrator_deletes_group_with_offsets()
        marking_broker(self).marker = None


class MarkedRest(Hanging):
    """When all has come to rest."""

    def rest(self) -> bool:
        """At rest as else, and nothing of a reset is left."""
        return every([super().rest(), *signs_of_rest(self)])


_CLIENT_RESET = (
    Resetting.reset_suspends,
    Resetting.reset_drops_queue,
    Resetting.reset_clears_queue,
    Resetting.reset_wakes,
    Resetting.reset_updates_cell,
    Resetting.reset_persists,
    Resetting.reset_removes_offset,
    Resetting.reset_removes_queue,
    Resetting.reset_resumes,
    OtherResets.administrator_is_told_offline,
    OtherResets.administrator_resets_offline,
)

RESETS_BY_MARKER = Change(
    SERVER_SIDE_RESET,
    steps=(*MARKED, AnsweredPulls, MarkedPulls, MarkedByTime, MarkedInfos, MarkedTopics, MarkedRows, MarkedRest),
    parts=MARKED_PARTS,
    gone=_CLIENT_RESET,
    includes=(RESETS_AT_BROKER,),
    leaves_out=(
        *LEFT_OUT,
        "an administrator's update of the offset while there is a marker, which is ignored and answered with success; "
        "the deletion of a topic or a group between a marker and its target in the table",
    ),
)
"""What a concurrent consumer and its broker are with it."""
