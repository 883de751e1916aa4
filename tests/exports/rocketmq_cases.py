"""Claims of a built-in model in scopes of 10^3 to 10^6 states, and what other tools must say about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from exports.yardsticks import explored

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import question_of
from offsetproof.engines.preparing import reduce_system
from offsetproof.exports.exported import Exported, export_system
from offsetproof.exports.other_tool import ToolOutcome
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.properties.broadcasting.catalogue import BROADCASTING
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.properties.files.catalogue import OFFSET_FILES
from offsetproof.properties.orderly.catalogue import ORDERLY
from offsetproof.properties.queues.catalogue import QUEUES
from offsetproof.properties.replicas.catalogue import REPLICAS
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Result

ENGINES = explicit_alone()
PLAIN = Reductions(slicing=False, dead=False)


@dataclass(frozen=True)
class Case:
    """One claim in one scope with other bounds, decided by the explicit engine and exported for another tool."""

    scope: str
    claim: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    reductions: Reductions = Reductions()
    subject: Subject = ROCKETMQ

    @property
    def name(self) -> str:
        """How the case is called in reports."""
        bounds = [f"{name}={value}" for name, value in self.bounds.items()]
        plain = ["unreduced"] if self.reductions == PLAIN else []
        return "-".join([self.claim, self.scope, *bounds, *plain])

    @cached_property
    def question(self) -> Question:
        """The claim without the witnesses that it needs, so that the slice is its own."""
        asked = ClaimInWorld(self.claim, None, self.scope, bounds=self.bounds)
        return replace(question_of(self.subject, asked, reductions=self.reductions), witnesses=())

    @cached_property
    def result(self) -> Result:
        """What the explicit engine says."""
        return ENGINES.only.decide(self.question)

    @cached_property
    def export(self) -> Exported:
        """The exported system, with as many faults as the smallest trace has: other tools minimise steps alone."""
        question = self.question
        system, notes = reduce_system(ENGINES.models.of(question).system((question.prop,)), question)
        own = (question.prop,)
        return export_system(
            self.subject.name, question.setting, question.model, system, own, reductions=notes, fault_cap=self.faults
        )

    @cached_property
    def space(self) -> tuple[int, int]:
        """Distinct states and depth of the exported system as a whole."""
        states, depth = explored(self.export.system)
        assert 1_000 <= states <= 1_000_000, f"{self.name} has {states:,} states; choose other bounds for it"
        return states, depth

    @property
    def length(self) -> int | None:
        """The steps of the smallest trace, if there is one."""
        return None if self.result.replay is None else len(self.result.replay.labels)

    @property
    def faults(self) -> int | None:
        """The faults in it."""
        return None if self.result.replay is None else self.result.replay.faults

    @property
    def answer(self) -> tuple[object, ...]:
        """What `answer_of` another tool's outcome must be."""
        return (self.claim, self.length) if self.length is not None else (None, None)


def answer_of(outcome: ToolOutcome) -> tuple[object, ...]:
    """Which claim a tool found violated, and after how many steps."""
    return outcome.violated, outcome.length


REACHED = Case("come-back", "W-ghost-cell", {"messages": 1, "commits_in_flight": 1})
BREAKS = Case("reset", "I5", {"process_queues": 1})
BREAKS_BY_FAULT = Case("reset", "I7", {"process_queues": 1})
HOLDS = Case("come-back", "I1", {"messages": 1})

SMALL = (
    REACHED,
    BREAKS,
    Case("come-back", "I17", {"messages": 1}),
    BREAKS_BY_FAULT,
    Case("recreated", "I4-recreated", {"messages": 1}),
    Case("come-back", "W-late-poll", {"messages": 1}),
    HOLDS,
    Case("tail-lost", "I4-tail-lost", {"messages": 1}),
    Case("hand-over", "I8", {"messages": 1, "view_changes": 1}),
    Case("come-back", "W-overtaken", {"view_changes": 1}),
    Case("hand-over", "I1", {"messages": 1, "view_changes": 1}),
    Case("calm-reset", "I17"),
    Case("moving-reset", "I18", {"view_changes": 0}),
    Case("calm-reset", "W-redone"),
    Case("calm-reset", "I5-forward-calm"),
    Case("calm-reset", "I5"),
)
"""9,000 to 125,000 states each, the smaller ones first."""

LARGE = (
    Case("hand-over", "I1", {"messages": 1, "commits_in_flight": 1}),
    Case("reset-two", "I1", {"view_changes": 0}),
    Case("reset", "I7"),
    Case("moving-reset", "I1-group", {"process_queues": 2, "view_changes": 1}),
    Case("moving-reset", "I7", {"process_queues": 2, "view_changes": 1}),
    Case("hand-over", "I8", {"messages": 1}),
    Case("moving-reset", "I18", {"process_queues": 2}),
    Case("moving-reset", "I6", {"process_queues": 2}),
    Case("reset", "I5-forward"),
    Case("calm-reset", "I17", {}, PLAIN),
    Case("moving-reset", "I7", {"process_queues": 2, "view_changes": 0}, PLAIN),
)
"""250,000 states to a million each."""

IN_ORDER = (
    Case("orderly", "I20-orderly", subject=ORDERLY),
    Case("orderly-come-back", "I9-locked-come-back", {"messages": 1}, subject=ORDERLY),
    Case("orderly-reset", "I1-orderly-reset", {"messages": 1}, subject=ORDERLY),
)
"""Of orderly consumption: a claim that holds, and two that break; 2,000 to 70,000 states each."""

TO_ALL = (
    Case("broadcast-kills", "I15-broadcast", subject=BROADCASTING),
    Case("broadcast-two-queues", "I4-broadcast-restart", subject=BROADCASTING),
    Case("broadcast-orderly", "I23-broadcast-orderly-both", subject=BROADCASTING),
)
"""Of broadcasting: claims that hold, and one that breaks with a fault; 2,000 to 7,000 states each."""

OF_QUEUES = (
    Case("one-broker", "I6", subject=QUEUES),
    Case("twice-empty", "I6-twice-apart", {"consumers": 2, "brokers": 1}, subject=QUEUES),
    Case("twice-empty", "I6-twice", subject=QUEUES),
    Case("persist-moving", "I26-looks-again", subject=QUEUES),
)
"""Of several queues: a claim that holds, one given an assumption, one refuted, and one of persistAll's rounds."""

OF_FILES = (
    Case("broker-stop", "I12-stop", {"messages": 3}, subject=OFFSET_FILES),
    Case("broker-kills", "I12", {"messages": 2, "kill": 2}, subject=OFFSET_FILES),
    Case("client-stop", "I12-two-threads", {"messages": 1}, subject=OFFSET_FILES),
    Case("broker-refused", "I12-empty-refused", subject=OFFSET_FILES),
)
"""Of the offset files: claims that hold, one that two threads break, and one that a fault breaks."""

OF_REPLICAS = (
    Case("acting-stop", "I19-restart-acting-versions", subject=REPLICAS),
    Case("acting-stop", "I19-restart-acting", subject=REPLICAS),
)
"""Of a pair of brokers: claims about steps whose premise is a choice, one that holds and one refuted."""

SMALLER_MODELS = (*IN_ORDER, *TO_ALL, *OF_QUEUES, *OF_FILES, *OF_REPLICAS)
QUICK_SMALLER = (TO_ALL[0], IN_ORDER[0])
"""One of each model, of those that take a few seconds."""
