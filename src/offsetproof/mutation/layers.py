"""All claims of one system watched at once, layer by layer: when each is broken first, and how much there is to see.

No verdicts: mutants have no Python to replay on, and the caller decides when it has seen enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from offsetproof.engines.explicit.search import Program, Search
from offsetproof.ir.system import System
from offsetproof.lang.claim import ClaimKind
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.result import Reason


@dataclass(frozen=True)
class Seen:
    """What is known after a layer: which claims have raised an alarm (a witness: was reached), and totals.

    `finished` says that there is no further layer, `stopped` which limit was met instead; `failed` that some state goes
    wrong. `fired` are the actions taken so far.
    """

    depth: int
    alarms: tuple[bool, ...]
    failed: bool
    states: int
    transitions: int
    fired: frozenset[str]
    finished: bool
    stopped: Reason | None


def layers(
    system: System,
    kinds: Sequence[ClaimKind],
    limits: Limits,
    progress: Callable[[object], None],
) -> Iterator[Seen]:
    """Explores a system, its claims being of these kinds; one `Seen` per layer, the last is final."""
    search = Search(Program.of(system, kinds), system.initial, limits, progress)
    depth = 0
    for depth in search.layers():
        yield seen_so_far(search, depth)
    if search.stopped is not None:
        yield seen_so_far(search, depth)


def seen_so_far(search: Search, depth: int, is_broken: bool | None = None) -> Seen:
    """What a search knows; `is_broken` where its states alone do not say it of the first claim."""
    snapshot = search.snapshot
    alarms = [bool(search.seen_claims >> i & 1) for i in range(len(search.system.claims))]
    return Seen(
        depth,
        tuple(alarms if is_broken is None else (is_broken, *alarms[1:])),
        search.failed_depth is not None,
        snapshot.states,
        snapshot.transitions,
        frozenset(inst.label[0] for inst, n in zip(search.system.instances, snapshot.fired, strict=False) if n),
        search.stopped is None and search.levels[-1] == search.count,
        search.stopped,
    )
