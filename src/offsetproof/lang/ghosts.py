"""Ghost fields are history for claims: nothing that really happens may depend on one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from offsetproof.ir.node import Node, variables
from offsetproof.ir.system import Instance, Variable
from offsetproof.lang.errors import DeclarationError


def refuse_read_ghosts(known: Iterable[Variable], instances: Iterable[Instance], places: Mapping[str, str]) -> None:
    """DeclarationError where a guard, a failure or the new value of a real field reads a ghost field.

    `places` says where each action is.
    """
    ghosts = {variable.name for variable in known if variable.ghost}
    for inst in instances:
        place = places[inst.label[0]]
        for failure in inst.failures:
            if read := _read([failure.condition], ghosts):
                raise DeclarationError(
                    f"{place}: {inst.name} may go wrong because of ghost field {read} ({failure.message}); "
                    "widen its domain, or keep it inside with smaller() and larger()"
                )
        real = [node for name, node in inst.updates.items() if name not in ghosts]
        if read := _read([*inst.guards, *real], ghosts):
            raise DeclarationError(
                f"{place}: {inst.name} lets ghost field {read} decide what really happens; ghosts are for "
                "claims only, declare it without ghost=True and ghost_ if the system knows it"
            )


def _read(nodes: Iterable[Node], ghosts: set[str]) -> str | None:
    """The first ghost field that any of these read."""
    return min(variables([*nodes]) & ghosts, default=None)
