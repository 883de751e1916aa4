"""All claims of one system watched at once, layer by layer: when each is broken first, and how much there is to see.

No verdicts: nothing is replayed, and the caller decides when it has seen enough. That is what mutation needs, whose
systems have no Python to replay on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.ir.build import negate
from offsetproof.ir.node import Node
from offsetproof.ir.system import System
from offsetproof.lang.claim import ClaimKind
from offsetproof.verdict.question import Limits
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
    layout = Layout(system)
    alarms = [alarm_node(system, i, kind) for i, kind in enumerate(kinds)]
    program = Program(system, layout, Native(lower(system, layout, alarms)))
    search = Search(program, system.initial, limits, progress)
    depth = 0
    for depth in search.layers():
        yield _seen_so_far(search, depth)
    if search.stopped is not None:
        yield _seen_so_far(search, depth)


def alarm_node(system: System, i: int, kind: ClaimKind) -> Node | None:
    """What a claim about states reports: where it is false, or, for a witness, where it is true."""
    node = system.claims[i].on_state
    return node if node is None or kind is ClaimKind.SOMETIMES else negate(node)


def _seen_so_far(search: Search, depth: int) -> Seen:
    snapshot = search.snapshot
    return Seen(
        depth,
        tuple(bool(search.seen_claims >> i & 1) for i in range(len(search.system.claims))),
        search.first_failed is not None,
        snapshot.states,
        snapshot.transitions,
        frozenset(inst.label[0] for inst, n in zip(search.system.instances, snapshot.fired, strict=False) if n),
        search.stopped is None and search.levels[-1] == search.count,
        search.stopped,
    )
