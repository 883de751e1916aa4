"""The sound reductions that every engine and export applies alike, so that their counts are of the same system."""

from __future__ import annotations

from offsetproof.ir.constants import without_constants
from offsetproof.ir.dead import reset_dead
from offsetproof.ir.faults import CAP
from offsetproof.ir.node import Node
from offsetproof.ir.slicing import slice_of
from offsetproof.ir.system import State, System
from offsetproof.lang.reference import Reference
from offsetproof.verdict.question import Question


def reduce_system(
    system: System, question: Question, constants: dict[Node, Node] | None = None
) -> tuple[System, tuple[str, ...]]:
    """The system after the reductions that are on, and what each left out, in words.

    `constants` are its constant variables with their values, where somebody has found them.
    """
    notes = []
    if question.reductions.slicing:
        whole, system = system, slice_of(without_constants(system, constants))
        notes.append(
            f"slicing left out {len(whole.variables) - len(system.variables)} of {len(whole.variables)} variables, "
            f"{len(whole.instances) - len(system.instances)} of {len(whole.instances)} action instances"
        )
    if question.reductions.dead:
        reset = reset_dead(system)
        system = reset.system
        if reset.fields:
            notes.append(f"dead fields reset: {sum(map(len, reset.fields.values()))}, in {len(reset.fields)} objects")
    return system, tuple(notes)


def whole_state(reference: Reference, system: System, initial: State) -> State:
    """The initial state of the whole model that an initial state of its slice is a part of."""
    known = {v.name: value for v, value in zip(system.variables, initial, strict=True)}
    return reference.start_with({name: value for name, value in known.items() if name != CAP})
