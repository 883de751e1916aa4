"""Tiny models whose answers were worked out by hand; every engine runs the same table, `TOYS`.

How to count: states are distinct, transitions are enabled (state, instance) pairs, an initial state has depth 0. For a
violated claim (or a witness that is reached) the counts cover the complete levels before the trace's end, and depth is
the trace's length. The counts are those without reductions; where slicing or the dead-object reset change them,
`reduced` has the other ones (1, 0, 0 where the claim follows from the domains alone: nothing is left to explore). Each
model's docstring does the sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from offsetproof.lang import (
    ANYTHING,
    Array,
    Bag,
    Component,
    Fifo,
    Index,
    Model,
    OffsetSet,
    Property,
    Scope,
    Setting,
    Step,
    Subject,
    action,
    always,
    array,
    at_rest,
    bag,
    bound,
    choose,
    each_step,
    every,
    fifo,
    flag,
    implies,
    integer,
    offset_set,
    one_of,
    optional,
    part,
    require,
    smaller,
    some,
    sometimes,
)
from offsetproof.verdict.result import Reason, Verdict


class Counter(Model):
    """Counts 0, 1, 2, 3 and then wraps: 4 states in a ring, 4 steps, the farthest at depth 3."""

    x: int = integer(0, 3)

    @action()
    def counter_rises(self) -> None:
        require(self.x < 3)
        self.x = self.x + 1

    @action()
    def counter_wraps(self) -> None:
        require(self.x == 3)
        self.x = 0

    @always()
    def stays_below_four(self) -> bool:
        return self.x < 4

    @always()
    def stays_below_two(self) -> bool:
        """Broken by x = 2 at depth 2; before that 0 and 1 with one step each."""
        return self.x < 2

    @each_step()
    def moves_by_one_or_wraps(before: Counter, after: Counter, step: Step) -> bool:  # type: ignore[misc]  # noqa: N805 - a claim is no method
        return after.x == (0 if step.action == "counter_wraps" else before.x + 1)

    @each_step()
    def never_falls(before: Counter, after: Counter, step: Step) -> bool:  # type: ignore[misc]  # noqa: N805, ARG002 - a claim is no method
        """Broken by the fourth step, 3 to 0; all 4 states lie before it, and all 4 steps leave from them."""
        return before.x <= after.x


class Stairs(Model):
    """Climbs 0, 2, 4, 6 and stops there: 4 states, 3 steps, stuck at depth 3."""

    x: int = integer(0, 6)

    @action()
    def climbs_two(self) -> None:
        require(self.x + 2 <= 6)
        self.x = self.x + 2

    @sometimes()
    def stands_on_three(self) -> bool:
        return self.x == 3

    @sometimes()
    def stands_on_top(self) -> bool:
        """Seen at depth 3; before that 3 states with one step each."""
        return self.x == 6

    @sometimes()
    def stands_at_the_start(self) -> bool:
        return self.x == 0


class Overflow(Model):
    """Counts without a guard: 0, 1, 2 and then out of the domain. 3 states, 2 steps (the failing one is none)."""

    x: int = integer(0, 2)

    @action()
    def counter_rises(self) -> None:
        self.x = self.x + 1

    @always()
    def never_negative(self) -> bool:
        return self.x >= 0

    @always()
    def stays_below_two(self) -> bool:
        """Broken at depth 2, and that stands although the model overflows one step later."""
        return self.x < 2


class Philosophers(Model):
    """Two philosophers, left fork first (1), then the right one (2, eating), then both down (0).

    With hands as (first, second): 00, 10, 01, 11, 20, 02 are reachable; in 20 both forks are taken, so 21 and 22 are
    not. Steps: two each from 00, 10 and 01, none from 11, one each from 20 and 02: 8. Depths 0, 1, 1, 2, 2, 2.
    """

    hands: Array[int] = array(Index("philosopher", 2), integer(0, 2))

    @action(p=Index("philosopher", 2), actor="philosopher[p]")
    def takes_left(self, p: int) -> None:
        require(self.hands[p] == 0, self.hands[1 - p] < 2)
        self.hands[p] = 1

    @action(p=Index("philosopher", 2), actor="philosopher[p]")
    def takes_right(self, p: int) -> None:
        require(self.hands[p] == 1, self.hands[1 - p] == 0)
        self.hands[p] = 2

    @action(p=Index("philosopher", 2), actor="philosopher[p]")
    def puts_both_down(self, p: int) -> None:
        require(self.hands[p] == 2)
        self.hands[p] = 0

    @always()
    def one_eats_at_a_time(self) -> bool:
        return not (self.hands[0] == 2 and self.hands[1] == 2)


class Jugs(Model):
    """Die Hard: jugs of 3 and 5 litres, four litres wanted in the big one.

    Reachable are all 16 states in which a jug is empty or full: (0, 0..5), (3, 0..5), (1..2, 0), (1..2, 5). Steps that
    change something: fill small 10 (all but 6 with small = 3), fill big 12 (all but 4 with big = 5), empty small 10,
    empty big 12, pour either way 7 (source not empty, target not full): 58. Levels: 00 | 30 05 | 35 03 32 | 33 02 |
    15 20 | 10 25 | 01 34 | 31 04, so depth 7. Four litres first at depth 6 (34); 12 states lie before it, and the last
    four (01 34 31 04) have 4 steps each: 58 - 16 = 42 before it.
    """

    small: int = integer(0, 3)
    big: int = integer(0, 5)

    @action()
    def fill_small(self) -> None:
        require(self.small < 3)
        self.small = 3

    @action()
    def fill_big(self) -> None:
        require(self.big < 5)
        self.big = 5

    @action()
    def empty_small(self) -> None:
        require(self.small > 0)
        self.small = 0

    @action()
    def empty_big(self) -> None:
        require(self.big > 0)
        self.big = 0

    @action()
    def pour_into_big(self) -> None:
        poured = smaller(self.small, 5 - self.big)
        require(poured > 0)
        self.small, self.big = self.small - poured, self.big + poured

    @action()
    def pour_into_small(self) -> None:
        poured = smaller(self.big, 3 - self.small)
        require(poured > 0)
        self.small, self.big = self.small + poured, self.big - poured

    @always()
    def never_four_litres(self) -> bool:
        return self.big != 4

    @always()
    def one_jug_is_empty_or_full(self) -> bool:
        return self.small == 0 or self.small == 3 or self.big == 0 or self.big == 5


class Bank(Enum):
    """The two banks of the river."""

    NEAR = 0
    FAR = 1


class Farmer(Model):
    """Farmer, wolf, goat and cabbage: 10 safe states in a graph of 10 crossings, each usable both ways: 20 steps.

    Two shortest solutions of 7 crossings (wolf or cabbage second); the canonical one takes the cabbage, the smaller
    name. Only the solution itself has depth 7, and one step back: 9 states and 19 steps before it.
    """

    farmer: Bank = one_of(Bank)
    wolf: Bank = one_of(Bank)
    goat: Bank = one_of(Bank)
    cabbage: Bank = one_of(Bank)

    def cross(self) -> None:
        self.farmer = choose(self.farmer == Bank.NEAR, Bank.FAR, Bank.NEAR)
        eats = (self.wolf == self.goat) | (self.goat == self.cabbage)
        require((self.goat == self.farmer) | (eats == False))  # noqa: E712 - `not` would split the run

    @action()
    def crosses_alone(self) -> None:
        self.cross()

    @action()
    def takes_cabbage(self) -> None:
        require(self.cabbage == self.farmer)
        self.cabbage = choose(self.farmer == Bank.NEAR, Bank.FAR, Bank.NEAR)
        self.cross()

    @action()
    def takes_goat(self) -> None:
        require(self.goat == self.farmer)
        self.goat = choose(self.farmer == Bank.NEAR, Bank.FAR, Bank.NEAR)
        self.cross()

    @action()
    def takes_wolf(self) -> None:
        require(self.wolf == self.farmer)
        self.wolf = choose(self.farmer == Bank.NEAR, Bank.FAR, Bank.NEAR)
        self.cross()

    @sometimes()
    def all_are_over(self) -> bool:
        return every(being == Bank.FAR for being in (self.farmer, self.wolf, self.goat, self.cabbage))

    @always()
    def nobody_is_eaten(self) -> bool:
        return (self.goat == self.farmer) | ((self.goat != self.wolf) & (self.goat != self.cabbage))


class Actors(Model):
    """Alice takes two steps, Bob takes two steps: a grid of 9 states and 12 steps, its far corner at depth 4.

    Six shortest traces to the corner. The smallest path of names (a, m, n, z) changes the actor twice; (a, z, m, n)
    and (m, n, a, z) change it once, and the first of these is the smaller.
    """

    alice: int = integer(0, 2)
    bob: int = integer(0, 2)

    @action(actor="alice")
    def a_first(self) -> None:
        require(self.alice == 0)
        self.alice = 1

    @action(actor="alice")
    def z_second(self) -> None:
        require(self.alice == 1)
        self.alice = 2

    @action(actor="bob")
    def m_first(self) -> None:
        require(self.bob == 0)
        self.bob = 1

    @action(actor="bob")
    def n_second(self) -> None:
        require(self.bob == 1)
        self.bob = 2

    @always()
    def never_both_done(self) -> bool:
        """8 states lie before the corner, with all 12 steps."""
        return not (self.alice == 2 and self.bob == 2)

    @always()
    def alice_stays_in_range(self) -> bool:
        """Reads only Alice, so that a slice has her 3 states and 2 steps, to depth 2."""
        return self.alice <= 2


PLACES = Index("place", "places")


class TokenRing(Model):
    """A token goes round a ring of flags; 131 bits are three words with the bit that every state has.

    As many states and steps as places; the last place is reached after places - 1 steps.
    """

    scopes = (Scope("wide", {"places": 130}),)
    token: Array[bool] = array(PLACES, flag())
    started: bool = flag()

    @action()
    def token_appears(self) -> None:
        require(not self.started)
        self.started = True
        self.token[0] = True

    @action(i=PLACES)
    def token_moves(self, i: int) -> None:
        require(self.token[i])
        self.token[i] = False
        self.token[(i + 1) % self.scope.places] = True

    @always()
    def there_is_a_token_once_started(self) -> bool:
        return implies(self.started, some(self.token))

    @sometimes()
    def token_reaches_the_last_place(self) -> bool:
        return self.token[self.scope.places - 1]


class WideSets(Model):
    """Two sets of 62 offsets, into which only 0 and 61 go: 2**4 = 16 states, 4 * 8 = 32 steps, depth 4."""

    first: OffsetSet = offset_set(62)
    second: OffsetSet = offset_set(62)

    @action(far=Index("far", 2))
    def adds_to_first(self, far: int) -> None:
        require(not self.first.has(61 * far))
        self.first = self.first.add(61 * far)

    @action(far=Index("far", 2))
    def adds_to_second(self, far: int) -> None:
        require(not self.second.has(61 * far))
        self.second = self.second.add(61 * far)

    @always()
    def holds_only_ends(self) -> bool:
        ends = OffsetSet(0, 61)
        return every(
            [
                self.first <= ends,
                self.second <= ends,
                (self.first | self.second).count() <= 2,
                self.first.highest(default=61) + self.second.lowest(default=0) <= 122,
            ]
        )

    @always()
    def second_is_lowest_never_highest(self) -> bool:
        """Broken at depth 1 by second = {61}; one state with its 4 steps before it."""
        return self.second.lowest(default=0) < 61


class Transfer(Model):
    """Two coins go from left to right one by one; one that travels is in neither place.

    (left, travelling, right): 200, 110, 101, 011, 002: a chain of 5 states and 4 steps.
    """

    left: int = integer(0, 2, 2)
    travelling: bool = flag()
    right: int = integer(0, 2)

    @action()
    def coin_leaves(self) -> None:
        require(not self.travelling, self.left > 0)
        self.left = self.left - 1
        self.travelling = True

    @action()
    def coin_arrives(self) -> None:
        require(self.travelling)
        self.travelling = False
        self.right = self.right + 1

    def rest(self) -> bool:
        return not self.travelling

    @at_rest()
    def no_coin_is_missing(self) -> bool:
        return self.left + self.right == 2

    @at_rest()
    def right_stays_empty(self) -> bool:
        """Broken by 101 at depth 2 (110 is not at rest); two states with one step each before it."""
        return self.right == 0

    @always()
    def no_coin_ever_travels(self) -> bool:
        """Broken by 110 at depth 1."""
        return self.left + self.right == 2


class Slips(Model):
    """Walks 0 to 6, but from 2 only a slip (two places at once, a fault) leads on; three slips are in the budget.

    The shortest way to 6 is three slips. With one slip it takes five steps: slip from 1 or from 2; the smaller name
    comes first where they differ. No way without. So the answer has 1 fault and 5 steps, and its counts are those of
    the search with at most one slip, as (place, slips): 00 | 10 21 | 20 31 | 41 | 51 | 61: 7 states before the end;
    steps 2 from 00 and 10, none from 21, one from each of 20, 31, 41, 51: 8.

    With the whole budget, slips s after place p: 00 10 20, 21 31 41 51 61, 42 52 62 (from 21 or 31, and 41 by a slip),
    63: 12 states. Steps: walks from 00 10, 31 41 51, 42 52: 7; slips from 00 10 20, 21 31 41, 42 (places up to 4): 7;
    53 is not there (32 would be needed): 14. Depths: 00 0; 10 21 1; 20 31 42 2; 41 52 63 3; 51 62 4; 61 5.
    """

    scopes = (Scope("slippery", {}, faults={"slip": 3}), Scope("dry", {}, faults={"slip": 0}))
    place: int = integer(0, 6)

    @action()
    def walks(self) -> None:
        require(self.place < 6, self.place != 2)
        self.place = self.place + 1

    @action(fault="slip")
    def slips(self) -> None:
        require(self.place <= 4)
        self.place = self.place + 2

    @always()
    def never_arrives(self) -> bool:
        return self.place < 6

    @always()
    def stays_on_the_way(self) -> bool:
        return self.place <= 6


class Bounded(Model):
    """Grows to 2, where only the scope's bound is in the way, and shrinks: 3 states, 2 + 2 steps, one cut."""

    x: int = integer(0, 2)

    @action()
    def grows(self) -> None:
        bound(self.x < 2)
        self.x = self.x + 1

    @action()
    def shrinks(self) -> None:
        require(self.x > 0)
        self.x = self.x - 1

    @always()
    def in_range(self) -> bool:
        return self.x <= 2


class OnlyGrows(Model):
    """As Bounded, without a way down: 3 states, 2 steps, one cut, and no deadlock, because the bound alone stops it."""

    x: int = integer(0, 2)

    @action()
    def grows(self) -> None:
        bound(self.x < 2)
        self.x = self.x + 1


class Descent(Model):
    """Starts anywhere from 0 to 3 and goes down, counting: x + y is the start. 4 + 3 + 2 + 1 = 10 states, depth 3.

    A step from every state with x > 0: 3 + 2 + 1 = 6.
    """

    x: int = integer(0, 3, ANYTHING)
    y: int = integer(0, 3)

    @action()
    def goes_down(self) -> None:
        require(self.x > 0)
        self.x, self.y = self.x - 1, self.y + 1

    @always()
    def sum_stays_small(self) -> bool:
        return self.x + self.y <= 3

    @always()
    def never_two_steps(self) -> bool:
        """Broken at depth 2, from the starts 2 and 3; the smaller is reported. 4 + 3 states, 3 + 2 steps before it."""
        return self.y < 2

    @always()
    def never_at_two(self) -> bool:
        """Broken by one of the initial states, not the first."""
        return self.x != 2


class Letter(Component):
    """What travels in a queue."""

    value: int = integer(0, 1)


class Queue(Model):
    """Letters 0 and 1 in a queue of two: 1 + 2 + 4 = 7 states.

    Sends: 2 from each of the 3 states with room: 6, and 2 cuts from each of the 4 full ones: 8. Receives: 6. Depth 2.
    """

    queue: Fifo[Letter] = fifo(Letter, 2)

    @action(v=Index("value", 2))
    def sender_sends(self, v: int) -> None:
        self.queue.push(value=v)

    @action()
    def receiver_receives(self) -> None:
        self.queue.remove(0)

    @always()
    def never_more_than_two(self) -> bool:
        return self.queue.count <= 2

    @sometimes()
    def one_before_zero(self) -> bool:
        """At depth 2; before that 3 states with 2 + 3 + 3 steps and no cut."""
        return (self.queue.count == 2) & (self.queue[0].value == 1) & (self.queue[1].value == 0)


class Relay(Model):
    """A queue of two into which the letter in hand goes: contents as in Queue (7), a hand of 0 or 1: 14 states.

    Flips: 14. Sends: one from each of 3 * 2 states with room: 6, cuts: 4 * 2 = 8. Receives put the oldest in the hand:
    6 * 2 = 12. All: 32. Deepest: hand 1 and queue [1, 0] takes flip, send, flip, send, flip: depth 5. (Receiving is no
    way round: the hand that it leaves is one that two flips give.)
    """

    hand: int = integer(0, 1)
    queue: Fifo[Letter] = fifo(Letter, 2)

    @action()
    def flips(self) -> None:
        self.hand = 1 - self.hand

    @action()
    def sends(self) -> None:
        self.queue.push(value=self.hand)

    @action()
    def receives(self) -> None:
        require(self.queue.count > 0)
        self.hand = self.queue[0].value
        self.queue.remove(0)

    @always()
    def unused_places_are_blank(self) -> bool:
        return implies(self.queue.count < 2, self.queue[1].value == 0)


class Pigeonholes(Model):
    """Puts the letter in hand into a bag that holds one of each kind, and takes it out: 2 hands * 4 bags = 8 states.

    Flips 8, puts 4, takes 4: 16 steps, 4 cuts. Levels as hand and bag: 0- | 1- 0a | 1a 1b | 0b 1ab | 0ab: depth 4.
    """

    hand: int = integer(0, 1)
    bag: Bag = bag({"kind": Index("kind", 2)})

    @action()
    def flips(self) -> None:
        self.hand = 1 - self.hand

    @action()
    def puts(self) -> None:
        self.bag.put(kind=self.hand)

    @action()
    def takes(self) -> None:
        self.bag.take(kind=self.hand)

    @always()
    def empty_means_neither(self) -> bool:
        return self.bag.empty == (negated(self.bag.has(kind=0)) & negated(self.bag.has(kind=1)))

    @always()
    def never_both(self) -> bool:
        """Broken at depth 3; before that 5 states with 2 steps each, and a cut in 0a and in 1b."""
        return not (self.bag.has(kind=0) and self.bag.has(kind=1))


def negated(condition: bool) -> bool:
    """The other truth value, as an expression."""
    return condition == False  # noqa: E712 - an expression, also of a symbolic value


class Worker(Component):
    """Picks 1 or 2 as its scratch value, works, ends. Nobody reads the scratch value of one that ended."""

    phase: int = integer(0, 2)
    scratch: int = integer(0, 2)

    def finished(self) -> bool:
        return self.phase == 2


class Scratch(Model):
    """(phase, scratch): 00, 11, 12, 21, 22: 5 states, 4 steps, depth 2. The reset makes one state of 21 and 22."""

    worker: Worker = part(Worker)

    @action(v=Index("value", 2))
    def worker_picks(self, v: int) -> None:
        require(self.worker.phase == 0)
        self.worker.phase = 1
        self.worker.scratch = v + 1

    @action()
    def worker_ends(self) -> None:
        require(self.worker.phase == 1, self.worker.scratch > 0)
        self.worker.phase = 2

    @always()
    def has_scratch_while_working(self) -> bool:
        return implies(self.worker.phase == 1, self.worker.scratch > 0)


class Holder(Model):
    """A lock held by nobody or by one of three: 4 states, 3 takes and 3 releases, depth 1."""

    holder: int | None = optional(integer(0, 2))

    @action(p=Index("process", 3), actor="process[p]")
    def takes(self, p: int) -> None:
        require(self.holder is None)
        self.holder = p

    @action(p=Index("process", 3), actor="process[p]")
    def lets_go(self, p: int) -> None:
        require(self.holder == p)
        self.holder = None

    @always()
    def two_never_holds(self) -> bool:
        """Broken at depth 1; one state with its 3 steps before it."""
        return self.holder is None or self.holder < 2


class Primed(Model):
    """Starts at 2 by `initially`, not at the field's own 0, and falls: 2, 1, 0: 3 states, 2 steps."""

    x: int = integer(0, 3)

    def initially(self) -> None:
        self.x = 2

    @action()
    def falls(self) -> None:
        require(self.x > 0)
        self.x = self.x - 1

    @always()
    def is_never_three(self) -> bool:
        return self.x != 3

    @always()
    def is_never_two(self) -> bool:
        """Broken by the initial state."""
        return self.x != 2


class Ordered(Model):
    """Starts with any a < b of 0 to 2, which is three ways, and halves b: 6 states, 4 steps, depth 2."""

    a: int = integer(0, 2, ANYTHING)
    b: int = integer(0, 2, ANYTHING)

    def initially(self) -> None:
        require(self.a < self.b)

    @action()
    def halves(self) -> None:
        require(self.b > 0)
        self.b = self.b // 2
        self.a = self.a % 2

    @always()
    def product_is_at_most_two(self) -> bool:
        return self.a * self.b <= 2 * (self.b // 2) + self.a

    @always()
    def stay_in_order(self) -> bool:
        """Broken by (0, 0) and (1, 1), one step from the smallest start and from the largest."""
        return self.a < self.b


class Mirrored(Model):
    """`b` starts as what `a` leaves of 2, whatever `a` is, and `lit` starts as anything: 6 ways. Then `a` falls.

    Of (a, b) are reached 02, 11, 20 | 01, 10 | 00, each with `lit` and without: 12 states; 11, 20 and 10 have a step
    each: 6 steps, depth 2.
    """

    a: int = integer(0, 2, ANYTHING)
    b: int = integer(0, 2)
    lit: bool = flag(ANYTHING)

    def initially(self) -> None:
        self.b = 2 - self.a

    @action()
    def falls(self) -> None:
        require(self.a > 0)
        self.a = self.a - 1

    @always()
    def sum_is_at_most_two_where_lit(self) -> bool:
        return not self.lit or self.a + self.b <= 2

    @always()
    def never_nothing_but_light(self) -> bool:
        """Broken by (0, 0, lit); before that 10 states, and all 6 steps."""
        return not (self.lit and self.a == 0 and self.b == 0)


class Wakes(Model):
    """Three workers wait, in any order, and any one of those who wait is woken: 8 sets, 3 steps from each."""

    waiting: OffsetSet = offset_set(3)

    @action(w=Index("worker", 3), actor="worker[w]")
    def waits(self, w: int) -> None:
        require(not self.waiting.has(w))
        self.waiting = self.waiting.add(w)

    @action(w=Index("worker", 3), among={"w": lambda model: model.waiting})
    def wakes(self, w: int) -> None:
        self.waiting = self.waiting.remove(w)

    @always()
    def numbers_add_up_to_two(self) -> bool:
        """Broken by {1, 2}; 4 sets of at most one worker before it, 3 steps from each."""
        return sum(w for w in self.waiting) <= 2

    @always()
    def nobody_waits_before_the_second(self) -> bool:
        return all(w > 0 for w in self.waiting) or self.waiting.count() > abs(self.waiting.highest(default=-1))


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
