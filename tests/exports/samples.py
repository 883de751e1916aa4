"""What the tests of the exports export: toys, models with awkward texts, and sampled expressions with their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ir.expressions import VARIABLES, Maker

from offsetproof.examples.toys import TOYS, Toy
from offsetproof.exports.exported import Exported, export_system
from offsetproof.ir import build
from offsetproof.ir.kind import LEAVES, Kind, Sort
from offsetproof.ir.node import Node, evaluate, intern
from offsetproof.ir.system import Variable
from offsetproof.lang import Model, Scope, action, always, array, flag, integer
from offsetproof.lang.scope import Index
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged

ROUNDS = 1536
"""How many states `at_round` gives: all of the variables of `ir.expressions`."""

WIDTHS = (1, 2, 3, 5, 8, 16, 31)
WIDE = tuple(Variable(f"w{width}", Sort.SET, 0, (1 << width) - 1, (0,)) for width in WIDTHS)
FAR = Variable("far", Sort.INT, -3, 40, (0,))
NAMES = {v.name: v.name for v in (*VARIABLES, *WIDE, FAR)}
MASK = (1 << 24) - 1


def exported_toy(toy: Toy, fault_cap: int | None = None) -> Exported:
    """A toy with all claims that the table asks about it in its scope, unreduced."""
    claims = tuple(dict.fromkeys(t.prop for t in TOYS if (t.model, t.scope) == (toy.model, toy.scope)))
    system = Staged(toy.model, toy.setting).system(claims)
    return export_system(toy.model.__name__, toy.setting, toy.model, system, claims, fault_cap=fault_cap)


def exported_model(model: type[Model]) -> Exported:
    """A model with all of its claims in its first scope, unreduced."""
    setting = Setting(model.scopes[0])
    system = Staged(model, setting).system(model.claims)
    return export_system(model.__name__, setting, model, system, model.claims)


def one_of_each() -> list[Node]:
    """For each kind with arguments a node of it."""
    p, q, i, j, s, t = (variable.node for variable in VARIABLES)
    shapes = {Kind.NOT: (p,), Kind.AND: (p, q), Kind.OR: (p, q), Kind.ITE: (p, i, j), Kind.EQ: (i, j)}
    shapes |= dict.fromkeys((Kind.ADD, Kind.SUB, Kind.MUL, Kind.DIV, Kind.MOD, Kind.LE), (i, j))
    shapes |= dict.fromkeys((Kind.UNION, Kind.MEET, Kind.MINUS), (s, t))
    shapes |= dict.fromkeys((Kind.LOWEST, Kind.HIGHEST, Kind.COUNT), (s,))
    shapes |= {Kind.SINGLE: (i,), Kind.HAS: (s, i)}
    assert shapes.keys() == set(Kind) - LEAVES
    return [intern(kind, args) for kind, args in shapes.items()]


def sampled(seed: int = 1, count: int = 250) -> list[Node]:
    """Random expressions over the small variables, and each kind that treats sets as masks over the wide ones."""
    random = Random(seed)
    drawn = [Maker(random).of(random.choice(list(Sort)), random.choice([1, 2, 3, 3, 4])).node for _ in range(count)]
    sets = [variable.node for variable in WIDE]
    ends = [made(a) for made in (build.lowest, build.highest, build.count) for a in sets]
    members = [build.has(a, i) for a in sets for i in (FAR.node, VARIABLES[2].node, VARIABLES[3].node)]
    pairs = [made(a, b) for made in (build.union, build.meet, build.minus, build.eq) for a in sets for b in sets[-2:]]
    return [*drawn, *ends, *members, *pairs]


def at_round(number: int) -> dict[str, int]:
    """The state of one round: each state of the small variables, and the wide ones spread over their masks."""
    spread = number * 1398101
    small = {"p": number % 2, "q": number // 2 % 2, "i": number // 4 % 3, "j": number // 12 % 4 - 1}
    sets = {"s": number // 48 % 8, "t": number // 384 % 4}
    return small | sets | {v.name: spread & v.hi for v in WIDE} | {"far": number % 44 - 3}


def sums(nodes: Sequence[Node], rounds: Sequence[Mapping[str, int]]) -> list[int]:
    """For each node a number that depends on its value in every round, and on the order."""
    found = [0] * len(nodes)
    for values in rounds:
        for at, value in enumerate(evaluate(nodes, values)):
            found[at] = (found[at] * 31 + value) & MASK
    return found


class Quoting(Model):
    """Two */ ends and a \\ in what people write."""

    ghost_seen: bool = flag()
    x: int = integer(0, 1)

    @action()
    def ticks(self) -> None:
        """Ends here */ assert(false) /* or not \\ *) or here"""
        self.x = 1 - self.x
        self.ghost_seen = True

    @always(id='says "100%" \\n */')
    def stays(self) -> bool:
        return self.x <= 1


class Awkward(Model):
    """Fields with names that other languages have other plans for. Six bits change, each on its own: 64 states."""

    scopes = (Scope("default", {"size": 3}),)
    active: bool = flag()
    chan: int = integer(-1, 0, 0)
    run: int = integer(300, 301, 300)
    linux: int = integer(0, 3)
    held_0: int = integer(0, 1)
    system: int = integer(0, 1)
    State: int = integer(0, 1)
    si_int: int = integer(-40000, 40000, 0)
    do = array(Index("place", "size"), flag())
    do_0: bool = flag()

    @action()
    def atomic(self) -> None:
        self.active = True

    @action()
    def skip(self) -> None:
        self.chan = -1

    @action(i=Index("place", "size"))
    def printf(self, i: int) -> None:
        self.do[i] = True

    @action()
    def assert_(self) -> None:
        self.run, self.linux, self.system, self.State, self.si_int = 301, 3, 1, 1, -40000

    @always(id="goto")
    def small(self) -> bool:
        return self.si_int >= -1
