"""What becomes of a claim where some actions alone happen, asked of the system, so that its model is staged once.

Like what is needed, it is an aid in the search for causes and no verdict of its own: nothing is replayed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from offsetproof.engines.explicit.search import Program, Search
from offsetproof.engines.preparing import reduce_system
from offsetproof.ir.build import FALSE
from offsetproof.ir.system import Instance, System
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict


def verdict_with_only(system: System, actions: Collection[str], question: Question) -> Verdict:
    """The verdict on the system's first claim, which is the question's; UNKNOWN where a limit or an error is met."""
    instances = tuple(inst if inst.label[0] in actions else _never(inst) for inst in system.instances)
    reduced, _ = reduce_system(replace(system, instances=instances), question)
    program = Program.of(reduced, [question.prop.kind])
    search = Search(program, reduced.initial, question.limits, question.progress)
    if search.run(0) is not None:
        return Verdict.REFUTED
    return Verdict.HOLDS if search.stopped is None and search.failure() is None else Verdict.UNKNOWN


def _never(inst: Instance) -> Instance:
    """The instance where it is not taken, nor cut, and does not fail."""
    return replace(inst, enabled=FALSE, cut=FALSE, failures=())
