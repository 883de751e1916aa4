"""Relations that were found before, kept in a file for each system and its goals: Z3 takes seconds to find them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version

from offsetproof.cache import cache_folder, read_kept, write_kept
from offsetproof.engines.explicit.machine_code import source_digest
from offsetproof.engines.explicit.relations import Conditions, Relations, relate
from offsetproof.ir.node import Node
from offsetproof.ir.system import StagedClaim, System
from offsetproof.version import __version__

RELATING_SECONDS = 120.0
"""What finding the relations of a system may take."""

_SOURCES = (
    "compiled.instructions", "compiled.lower", "engines.explicit.pairs_seen", "engines.explicit.relations", "ir.build",
    "ir.clauses", "ir.kind", "ir.rewrite", "solving.bitvectors", "solving.satisfying",
)  # fmt: skip
"""The modules of which a change may make other relations."""


def relations_of(
    system: System, goals: Sequence[Node], seconds: float | None, on_the_way: Callable[[], None]
) -> Relations:
    """The relations of a system and its goals, found within so many seconds, or before.

    What had less time than usual, and is not complete for that, is not kept.
    """
    made_of = _made_of(system, goals)
    file = cache_folder("relations") / hashlib.sha256(made_of).hexdigest()[:32]
    try:
        kept = read_kept(file, made_of)
    except OSError:
        kept = None
    if kept is not None:
        return _from_json(system, goals, kept)
    allowed = RELATING_SECONDS if seconds is None else min(seconds, RELATING_SECONDS)
    relations = relate(system, goals, allowed, on_the_way)
    if not relations.open or allowed == RELATING_SECONDS:
        try:
            write_kept(file, made_of, _to_json(relations))
        except OSError:
            return relations  # whoever cannot keep machine code has been told so
    return relations


def _made_of(system: System, goals: Sequence[Node]) -> bytes:
    asked = replace(system, claims=tuple(StagedClaim("goal", on_state=goal) for goal in goals))
    names = tuple(variable.name for variable in system.variables)
    labels = tuple(inst.label for inst in system.instances)
    sources = [source_digest(f"offsetproof.{name}") for name in _SOURCES]
    return repr((asked.digest, names, labels, __version__, version("z3-solver"), sources)).encode()


def _to_json(relations: Relations) -> bytes:
    masks = [[f"{mask:x}" for mask in masks] for masks in (relations.enabling, relations.clashing)]
    return json.dumps([relations.goals, *masks, relations.open]).encode()


def _from_json(system: System, goals: Sequence[Node], kept: bytes) -> Relations:
    met, enabling, clashing, open = json.loads(kept)
    left = tuple(tuple(map(tuple, goal)) for goal in met)
    enabling, clashing = (tuple(int(mask, 16) for mask in masks) for masks in (enabling, clashing))
    return Relations(Conditions.of(system, goals), left, enabling, clashing, open)
