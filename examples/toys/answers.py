"""What every engine must say of the toys, worked out by hand: the table `TOYS`, a row per question.

How to count: states are distinct, transitions are enabled (state, instance) pairs, an initial state has depth 0. For a
violated claim (or a witness that is reached) the counts cover the complete levels before the trace's end, and depth is
the trace's length. The counts are those without reductions; where slicing or the dead-object reset change them,
`reduced` has the other ones (1, 0, 0 where the claim follows from the domains alone: nothing is left to explore). Each
model's docstring does the sums.
"""

from __future__ import annotations

from dataclasses import dataclass

from offsetproof.examples.toys.actors import Actors
from offsetproof.examples.toys.bounded import Bounded
from offsetproof.examples.toys.counter import Counter
from offsetproof.examples.toys.descent import Descent
from offsetproof.examples.toys.farmer import Farmer
from offsetproof.examples.toys.holder import Holder
from offsetproof.examples.toys.jugs import Jugs
from offsetproof.examples.toys.letters import Queue
from offsetproof.examples.toys.mirrored import Mirrored
from offsetproof.examples.toys.only_grows import OnlyGrows
from offsetproof.examples.toys.ordered import Ordered
from offsetproof.examples.toys.overflow import Overflow
from offsetproof.examples.toys.philosophers import Philosophers
from offsetproof.examples.toys.pigeonholes import Pigeonholes
from offsetproof.examples.toys.primed import Primed
from offsetproof.examples.toys.relay import Relay
from offsetproof.examples.toys.scratch import Scratch
from offsetproof.examples.toys.slips import Slips
from offsetproof.examples.toys.stairs import Stairs
from offsetproof.examples.toys.token_ring import TokenRing
from offsetproof.examples.toys.transfer import Transfer
from offsetproof.examples.toys.wakes import Wakes
from offsetproof.examples.toys.wide_sets import WideSets
from offsetproof.lang import Model, Property, Setting, Subject
from offsetproof.verdict.result import Reason, Verdict


@dataclass(frozen=True)
class Toy:
    """One question about a toy and its answer.

    `trace` is the whole canonical trace where the model says which it must be, `start` the initial state it starts in.
    """

    model: type[Model]
    claim: str
    verdict: Verdict
    states: int
    transitions: int
    depth: int
    length: int | None = None
    cuts: int = 0
    faults: int = 0
    initial: int = 1
    reason: Reason | None = None
    trace: tuple[str, ...] | None = None
    start: tuple[int, ...] | None = None
    reduced: tuple[int, int, int] | None = None
    scope: str = ""

    @property
    def name(self) -> str:
        """How the toy is called in reports."""
        return "-".join(part for part in (self.model.__name__, self.claim, self.scope) if part)

    @property
    def prop(self) -> Property:
        """The claim that is asked about."""
        return Subject(self.model.__name__, self.model, self.model.claims).find(self.claim)

    @property
    def setting(self) -> Setting:
        """The world that it is asked in: the named scope, else the model's first."""
        return Setting(next(s for s in self.model.scopes if self.scope in ("", s.name)))


_HOLDS, _REFUTED, _UNKNOWN = Verdict.HOLDS, Verdict.REFUTED, Verdict.UNKNOWN

_DIE_HARD = ("fill_big", "pour_into_small", "empty_small", "pour_into_small", "fill_big", "pour_into_small")
_CROSSINGS = ("takes_goat", "crosses_alone", "takes_cabbage", "takes_goat", "takes_wolf", "crosses_alone", "takes_goat")
_ONE_SLIP = ("walks", "slips", "walks", "walks", "walks")

TOYS: tuple[Toy, ...] = (
    Toy(Counter, "stays_below_four", _HOLDS, 4, 4, 3, reduced=(1, 0, 0)),
    Toy(Counter, "stays_below_two", _REFUTED, 2, 2, 2, length=2, trace=("counter_rises", "counter_rises")),
    Toy(Counter, "moves_by_one_or_wraps", _HOLDS, 4, 4, 3, reduced=(1, 0, 0)),
    Toy(Counter, "never_falls", _REFUTED, 4, 4, 4, length=4),
    Toy(Counter, "no_deadlock", _HOLDS, 4, 4, 3),
    Toy(Stairs, "stands_on_three", _REFUTED, 4, 3, 3),
    Toy(Stairs, "stands_on_top", _HOLDS, 3, 3, 3, length=3),
    Toy(Stairs, "stands_at_the_start", _HOLDS, 0, 0, 0, length=0),
    Toy(Stairs, "no_deadlock", _REFUTED, 3, 3, 3, length=3),
    Toy(Overflow, "never_negative", _UNKNOWN, 3, 2, 2, reason=Reason.OVERFLOW),
    Toy(Overflow, "stays_below_two", _REFUTED, 2, 2, 2, length=2),
    Toy(Overflow, "no_deadlock", _UNKNOWN, 3, 2, 2, reason=Reason.OVERFLOW),
    Toy(Philosophers, "no_deadlock", _REFUTED, 3, 6, 2, length=2, trace=("takes_left(p=0)", "takes_left(p=1)")),
    Toy(Philosophers, "one_eats_at_a_time", _HOLDS, 6, 8, 2),
    Toy(Jugs, "never_four_litres", _REFUTED, 12, 42, 6, length=6, trace=_DIE_HARD),
    Toy(Jugs, "one_jug_is_empty_or_full", _HOLDS, 16, 58, 7),
    Toy(Farmer, "all_are_over", _HOLDS, 9, 19, 7, length=7, trace=_CROSSINGS),
    Toy(Farmer, "nobody_is_eaten", _HOLDS, 10, 20, 7),
    Toy(Actors, "never_both_done", _REFUTED, 8, 12, 4, length=4, trace=("a_first", "z_second", "m_first", "n_second")),
    Toy(Actors, "alice_stays_in_range", _HOLDS, 9, 12, 4, reduced=(1, 0, 0)),
    Toy(TokenRing, "there_is_a_token_once_started", _HOLDS, 131, 131, 130),
    Toy(TokenRing, "token_reaches_the_last_place", _HOLDS, 130, 130, 130, length=130),
    Toy(WideSets, "holds_only_ends", _HOLDS, 16, 32, 4),
    Toy(
        WideSets,
        "second_is_lowest_never_highest",
        _REFUTED,
        1,
        4,
        1,
        length=1,
        trace=("adds_to_second(far=1)",),
        reduced=(1, 2, 1),
    ),
    Toy(Transfer, "no_coin_is_missing", _HOLDS, 5, 4, 4),
    Toy(Transfer, "right_stays_empty", _REFUTED, 2, 2, 2, length=2),
    Toy(Transfer, "no_coin_ever_travels", _REFUTED, 1, 1, 1, length=1),
    Toy(Slips, "never_arrives", _REFUTED, 7, 8, 5, length=5, faults=1, trace=_ONE_SLIP, scope="slippery"),
    Toy(Slips, "never_arrives", _HOLDS, 3, 2, 2, scope="dry"),
    Toy(Slips, "stays_on_the_way", _HOLDS, 12, 14, 5, scope="slippery", reduced=(1, 0, 0)),
    Toy(Slips, "no_deadlock", _REFUTED, 7, 8, 5, length=5, faults=1, trace=_ONE_SLIP, scope="slippery"),
    Toy(Slips, "no_deadlock", _REFUTED, 2, 2, 2, length=2, scope="dry"),
    Toy(Bounded, "in_range", _HOLDS, 3, 4, 2, cuts=1, reduced=(1, 0, 0)),
    Toy(OnlyGrows, "no_deadlock", _HOLDS, 3, 2, 2, cuts=1),
    Toy(Descent, "sum_stays_small", _HOLDS, 10, 6, 3, initial=4),
    Toy(Descent, "never_two_steps", _REFUTED, 7, 5, 2, length=2, initial=4, start=(2, 0)),
    Toy(Descent, "never_at_two", _REFUTED, 0, 0, 0, length=0, initial=4, start=(2, 0)),
    Toy(Queue, "never_more_than_two", _HOLDS, 7, 12, 2, cuts=8, reduced=(1, 0, 0)),
    Toy(Queue, "one_before_zero", _HOLDS, 3, 8, 2, length=2, trace=("sender_sends(v=1)", "sender_sends(v=0)")),
    Toy(Relay, "unused_places_are_blank", _HOLDS, 14, 32, 5, cuts=8),
    Toy(Pigeonholes, "empty_means_neither", _HOLDS, 8, 16, 4, cuts=4, reduced=(1, 0, 0)),
    Toy(Pigeonholes, "never_both", _REFUTED, 5, 10, 3, length=3, cuts=2, trace=("puts", "flips", "puts")),
    Toy(Scratch, "has_scratch_while_working", _HOLDS, 5, 4, 2, reduced=(4, 4, 2)),
    Toy(Primed, "is_never_three", _HOLDS, 3, 2, 2),
    Toy(Primed, "is_never_two", _REFUTED, 0, 0, 0, length=0, start=(2,)),
    Toy(Ordered, "product_is_at_most_two", _HOLDS, 6, 4, 2, initial=3),
    Toy(Ordered, "stay_in_order", _REFUTED, 3, 3, 1, length=1, initial=3, start=(0, 1)),
    Toy(Mirrored, "sum_is_at_most_two_where_lit", _HOLDS, 12, 6, 2, initial=6),
    Toy(Mirrored, "never_nothing_but_light", _REFUTED, 10, 6, 2, length=2, initial=6, start=(2, 0, 1)),
    Toy(Wakes, "numbers_add_up_to_two", _REFUTED, 4, 12, 2, length=2, trace=("waits(w=1)", "waits(w=2)")),
    Toy(Wakes, "nobody_waits_before_the_second", _REFUTED, 4, 12, 2, length=2, trace=("waits(w=0)", "waits(w=2)")),
    Toy(Holder, "two_never_holds", _REFUTED, 1, 3, 1, length=1, trace=("takes(p=2)",)),
)
