"""What should not stand in a model, or might not: snippets that are put into programs which are right otherwise.

`refused` are those that have no faithful meaning, wherever they stand. Of the others nothing is asked but what is asked
of every program: it is refused, or everybody agrees on it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Offence:
    """One snippet: lines for an action, what it needs at the top of the module, in the model, and of fields.

    `action` stands where the whole head of an action is what is odd; `claim` is the body of a claim, of one about steps
    if it says `before`.
    """

    title: str
    body: str = ""
    before: str = ""
    members: str = ""
    claim: str = ""
    parameter: str = ""
    refused: bool = True


TICK = """
COUNTS = {"n": 0}
TOTAL = [0]
def tick():
    COUNTS["n"] = (COUNTS["n"] + 1) % 3
    return COUNTS["n"]
def flips(items):
    items[0] = 1 - items[0]
    return items[0]
"""

_IMPURE_ENUM = """
SEEN = [0]
class Odd(Enum):
    ONE = 1
    TWO = 2
    def tick(self):
        SEEN[0] = (SEEN[0] + 1) % 3
        return SEEN[0]
    @property
    def ticked(self):
        SEEN[0] = (SEEN[0] + 1) % 3
        return SEEN[0]
"""

_RECORDS = """
SEEN = [0]
def ticks():
    SEEN[0] = (SEEN[0] + 1) % 3
    return SEEN[0]
class Base:
    def inherited(self):
        SEEN[0] = (SEEN[0] + 1) % 3
        return SEEN[0]
@dataclass(frozen=True)
class Record(Base):
    size: int = 0
    made: int = dataclass_field(default_factory=ticks)
    @property
    def ticked(self):
        SEEN[0] = (SEEN[0] + 1) % 3
        return SEEN[0]
    def tick(self):
        SEEN[0] = (SEEN[0] + 1) % 3
        return SEEN[0]
RECORD = Record(1, 1)
"""

_MIXED = """
SEEN = [0]
class Mixin:
    def mixed(self):
        SEEN[0] = (SEEN[0] + 1) % 3
        return SEEN[0]
"""

_ATTRIBUTES = """
class Odd(Enum):
    ONE = 1
    TWO = 2
Odd.total = 0
def bumps(kind):
    kind.total = (kind.total + 1) % 3
    return kind.total
def holds(): return 1
holds.total = 0
"""

OFFENCES = (
    # Things that do not run, or not when they seem to.
    Offence("yield", "self.n0 = 1\nyield"),
    Offence("yield in a helper", "self.f0 = all(gives(self))", "def gives(m):\n    yield m.f0\n"),
    Offence("async helper", "later(self)", "async def later(m):\n    m.n0 = 1\n"),
    Offence("with", "with self.life:\n    self.n0 = 1"),
    Offence("del", "n = 1\ndel n"),
    Offence("import", "import math\nself.n0 = math.gcd(2, 4)"),
    Offence("class within", "class A:\n    n = 1\nself.n0 = A.n"),
    Offence("walrus in a default", "def f(n=(k := 1)): return n\nself.n0 = f()", refused=False),
    # State outside of fields.
    Offence("global", "global GLOBAL\nGLOBAL = (GLOBAL + 1) % 3\nself.n0 = GLOBAL", "GLOBAL = 0\n"),
    Offence("nonlocal", "n = 0\ndef f():\n    nonlocal n\n    n = 1\nf()\nself.n0 = n"),
    Offence("counter in a dict", "self.n0 = tick()", TICK),
    Offence("list flipped by a helper", "self.n0 = flips(TOTAL)", TICK),
    Offence("list flipped twice", "self.n0 = flips(TOTAL)\nself.f0 = flips(TOTAL) == 1", TICK, refused=False),
    Offence(
        "list filled by a helper",
        "fills(FILLED)\nself.n0 = len(FILLED) % 3",
        "FILLED = []\ndef fills(k):\n    k += [1]\n",
    ),
    Offence(
        "list changed through a loop",
        "for k in NESTED:\n    k[0] = (k[0] + 1) % 3\n    self.n0 = k[0]",
        "NESTED = ([0],)\n",
    ),
    Offence(
        "number that becomes a truth value",
        "puts(KEPT)\nself.f0 = KEPT[0] == 1",
        "KEPT = [1]\ndef puts(k): k[0] = True\n",
    ),
    Offence(
        "mutable default", "self.n0 = f()", "def f(seen=[0]):\n    seen[0] = (seen[0] + 1) % 3\n    return seen[0]\n"
    ),
    Offence(
        "mutable default that flips",
        "self.n0 = f()",
        "def f(seen=[0]):\n    seen[0] = 1 - seen[0]\n    return seen[0]\n",
    ),
    Offence(
        "closure that counts",
        "self.n0 = COUNTER()",
        "def make():\n    n = [0]\n    def f():\n        n[0] = 1 - n[0]\n        return n[0]\n    return f\nCOUNTER = make()\n",
    ),
    Offence(
        "method of a list in a closure",
        "self.n0 = COUNTER()",
        "def make():\n    n = []\n    def f():\n        n.append(1)\n        return len(n) % 3\n    return f\nCOUNTER = make()\n",
    ),
    Offence(
        "set of the module that flips",
        "PYSET.symmetric_difference_update((1,))\nself.f0 = 1 in PYSET",
        "PYSET = set()\n",
    ),
    Offence(
        "class attribute by cls",
        "self.n0 = self.counted()",
        members="""
total = 0
@classmethod
def counted(cls):
    cls.total = (cls.total + 1) % 3
    return cls.total
""",
    ),
    Offence("attribute of an enum", "self.n0 = bumps(Odd)", _ATTRIBUTES),
    Offence("attribute of a member", "v.total = (v.total + 1) % 3\nself.n0 = v.total", _ATTRIBUTES, parameter="Odd"),
    Offence(
        "attribute of a member that is a field",
        "v.n0 = 1 - v.n0\nself.n0 = v.n0",
        "class Odd(Enum):\n    ONE = 1\nOdd.ONE.n0 = 0\n",
        parameter="Odd",
    ),
    Offence("attribute of a function", "self.n0 = bumps(holds)", _ATTRIBUTES),
    Offence(
        "scope that is changed",
        'self.scope.bounds["size"] = 3 - self.scope.bounds["size"]\nself.n0 = self.scope.size - 1',
    ),
    Offence("faults that are changed", 'self.scope.faults["slip"] += 1\nself.n0 = 0'),
    Offence("mixin that counts", "self.n0 = self.mixed()", _MIXED),
    Offence("enum's method that counts", "self.n0 = Odd.ONE.tick()", _IMPURE_ENUM),
    Offence("parameter's method that counts", "self.n0 = v.tick()", _IMPURE_ENUM, parameter="Odd"),
    Offence("parameter's property that counts", "self.n0 = v.ticked", _IMPURE_ENUM, parameter="Odd"),
    Offence(
        "function in an enum's value",
        "self.n0 = v.value[0]()",
        TICK + "class Odd(Enum):\n    ONE = (tick,)\n",
        parameter="Odd",
    ),
    Offence("record's method that counts", "self.n0 = RECORD.tick()", _RECORDS),
    Offence("record's method by another name", "r = RECORD\nself.n0 = r.tick()", _RECORDS),
    Offence("record's property that counts", "r = RECORD\nself.n0 = r.ticked", _RECORDS),
    Offence("record's inherited method", "self.n0 = Record(0, 1).inherited()", _RECORDS),
    Offence("record's factory", "self.n0 = Record(0).made", _RECORDS),
    Offence("function under its own name", "self.n0 = [tick() for tick in (tick,)][0]", TICK),
    Offence("function through a dict", 'self.n0 = {"a": tick}["a"]()', TICK),
    Offence("function through a tuple of the module", "self.n0 = OPS[0]()", TICK + "OPS = (tick,)\n"),
    Offence("lambda of the module", "self.n0 = GIVES()", TICK + "GIVES = lambda: tick()\n"),
    Offence("function handed to reduce", "self.n0 = functools.reduce(lambda a, b: tick(), (1, 2, 3))", TICK),
    Offence("key function that counts", "self.n0 = max((0, 1, 2), key=lambda n: tick() * n)", TICK),
    Offence("iterator of the module", "self.n0 = sum(ITERATOR) % 3", "ITERATOR = iter([1, 2])\n"),
    Offence("generator of the module", "self.n0 = sum(GENERATOR) % 3", "GENERATOR = (n for n in (1, 1))\n"),
    Offence("list under two names", "a = [1]\nb = a\nb.append(2)\nself.n0 = len(a)", refused=False),
    Offence("partial", "self.n0 = PART() % 3", "PART = functools.partial(int, 4)\n"),
    Offence("cache", "self.n0 = cached(1)", "@functools.lru_cache\ndef cached(n): return n\n"),
    # What computes from more than its arguments.
    Offence("random", "self.n0 = random.randint(0, 2)"),
    Offence("random in a comprehension", "self.n0 = [random.randint(0, 2) for _ in range(2)][0]"),
    Offence("random in a lambda", "pick = lambda: random.choice((0, 1))\nself.n0 = pick()"),
    Offence("print", "print(self.n0)"),
    Offence("hash", "self.n0 = hash(self.n0) % 3"),
    Offence("hash of a text", 'self.n0 = hash("abc") % 3'),
    Offence("id", "self.f0 = id(self) % 32 == 0"),
    Offence(
        "bound of a field that counts",
        "self.n0 = 1",
        TICK,
        members="odd: int = integer(0, lambda scope: 1 + tick())\n",
    ),
    Offence(
        "start of a field that counts",
        "self.n0 = self.odd % 3",
        TICK,
        members="odd: int = integer(0, 3, lambda scope: tick())\n",
    ),
    Offence(
        "size of a sort that counts",
        "self.n0 = len(self.odd) % 3",
        TICK,
        members='odd: Array[bool] = array(Index("odd", lambda scope: 1 + tick()), flag())\n',
    ),
    Offence(
        "capacity that counts",
        "self.odd.push(value=1)",
        TICK,
        members="odd: Fifo[Letter] = fifo(Letter, lambda scope: 1 + tick())\n",
    ),
    # Identity, types, texts, order.
    Offence("is", "self.f0 = self.f0 is True"),
    Offence("is not", "self.f0 = self.n0 is not self.n1"),
    Offence("isinstance", "self.f0 = isinstance(self.n0, int)"),
    Offence("type", "self.f0 = type(self.n0) == int"),
    Offence("class pattern", "match self.n0:\n    case int():\n        self.n0 = 0"),
    Offence("f-string", 'self.f0 = f"{self.n0}" == "1"'),
    Offence("percent", 'self.f0 = "%s" % self.n0 == "1"'),
    Offence("percent r", 'self.f0 = "%r" % self.n0 == "1"'),
    Offence("percent of a list", 'self.f0 = "%s" % [self.n0] == "[1]"'),
    Offence("percent d", 'self.f0 = "%d" % self.n0 == "1"'),
    Offence("format", 'self.f0 = "{}".format(self.n0) == "1"'),
    Offence("format r", 'self.f0 = "{!r}".format(self.n0) == "1"'),
    Offence("format of a list", 'self.f0 = "{}".format([self.n0]) == "[1]"'),
    Offence("format of a field's attribute", 'self.f0 = "{0.n0!r}".format(self) == "1"'),
    Offence(
        "text in a message that is read",
        'try:\n    raise ValueError(f"{self.n0!r}")\nexcept ValueError as error:\n    self.f0 = error.args[0] == "1"',
    ),
    Offence("str", 'self.f0 = str(self.e0) == "Colour.RED"'),
    Offence("loop over a set", "for n in {0, 1}:\n    self.n0 = n"),
    Offence("loop over a named set", "k = set((0, 1))\nfor n in k:\n    self.n0 = n"),
    Offence("list of a set", "self.n0 = list(set((0, 1)))[0]"),
    Offence("list of a frozenset of the module", "self.n0 = tuple(FROZEN)[0]", "FROZEN = frozenset((0, 1))\n"),
    Offence("numbered set", "for _, n in enumerate(set((0, 1))):\n    self.n0 = n"),
    Offence("popped set", "k = set((0, 1))\nself.n0 = k.pop()"),
    Offence(
        "set handed on",
        "self.n0 = last(FROZEN)",
        "FROZEN = frozenset((0, 1))\ndef last(k):\n    n = 0\n    for n in k:\n        pass\n    return n\n",
    ),
    Offence("set of members", "self.e0 = [k for k in set((Colour.RED, Colour.BLUE))][0]"),
    Offence("unpacked set", "a, b = set((0, 1))\nself.n0 = a"),
    Offence("starred set", "self.n0 = [*set((0, 1))][0]"),
    Offence("sorted set", "self.n0 = sorted(set((0, 1)))[0]", refused=False),
    Offence("member of a set", "self.f0 = self.n0 in {0, 1}"),
    Offence("keys of a dict", "self.n0 = {0: 1, 1: 2, 2: 0}[self.n0]"),
    # Exceptions.
    Offence("bare except", "try:\n    self.n0 = 1\nexcept:\n    self.n0 = 0"),
    Offence("except Exception", "try:\n    self.n0 = 1\nexcept Exception:\n    self.n0 = 0"),
    Offence(
        "except RefusedError",
        "try:\n    self.f0 = self.n0 < 1.5\nexcept RefusedError:\n    self.f0 = True",
        "try:\n    from offsetproof.lang import RefusedError\nexcept ImportError:\n    pass\n",
    ),
    Offence("return in finally", "try:\n    require(self.f0)\nfinally:\n    return"),
    Offence("raise SystemExit", "raise SystemExit(0)"),
    Offence(
        "text read from an exception",
        'try:\n    raise ValueError("1")\nexcept ValueError as error:\n    self.f0 = error.args == ("1",)',
        refused=False,
    ),
    # Values of fields.
    Offence("int", "self.n0 = int(self.n0)"),
    Offence("range of a field", "for _ in range(self.n0):\n    self.f0 = True"),
    Offence("list index", "self.n0 = [0, 1, 2][self.n0]"),
    Offence("slice", "self.f0 = [0, 1, 2][self.n0:] == []"),
    Offence("fraction", "self.f0 = self.n0 < 1.5"),
    Offence("fraction on the left", "self.f0 = 1.5 > self.n0"),
    Offence("true division", "self.f0 = self.n0 / 2 == 1"),
    Offence("power", "self.n0 = self.n0 ** 2 % 3"),
    Offence("shift", "self.n0 = (self.n0 << 1) % 3"),
    Offence("bits", "self.n0 = self.n0 & 1"),
    Offence("~", "self.f0 = ~self.f0 == -1"),
    Offence("xor of truth values", "self.f0 = self.f0 ^ True"),
    Offence("node", "self.f0 = self.n0.node == 1"),
    Offence("node in a branch", "if self.n0 == 2:\n    k = self.n0.node\n    self.f0 = True"),
    Offence("value_sort", "k = self.n0.value_sort\nself.f0 = True"),
    Offence("premise", "k = implies(self.f0, self.n0 == 1).premise\nself.f0 = True"),
    Offence("private method of a set", "self.n0 = self.s0._end(0, 1)"),
    Offence("numerator", "self.n0 = self.n0.numerator"),
    Offence("mask", "self.f0 = self.s0.mask == 1"),
    Offence("value of a member", "self.n0 = self.e0.value"),
    Offence("name of a member", 'self.f0 = self.e0.name == "RED"'),
    Offence("truth value that counts", "self.n0 = sum([self.f0, self.f0])"),
    Offence("truth value plus number", "self.n0 = (self.n0 + self.f0) % 3"),
    Offence("truth value times number", "self.n0 = self.f0 * self.n0"),
    Offence("truth value compared", "self.f0 = self.f0 == 1"),
    Offence("truth value ordered", "self.f0 = self.f0 < True"),
    Offence("number compared with a member", "self.f0 = self.n0 == Colour.RED"),
    Offence("member compared with a number", "self.f0 = self.e0 == 0"),
    Offence("members of two enums", "self.f0 = self.e0 == Shape.ROUND", "class Shape(Enum):\n    ROUND = 0\n"),
    Offence("parameter compared with a number", "self.f0 = v == 0", parameter="Colour", refused=False),
    Offence("order of members", "self.f0 = self.e0 < Colour.BLUE"),
    Offence("mixed choice", "self.n0 = choose(self.f0, self.f0, 2)"),
    Offence("mixed choice in a branch", "if self.n0 == 1:\n    self.n0 = choose(self.f0, True, 2)"),
    Offence("mixed conditional expression", "self.n0 = (self.f0 if self.n0 == 1 else 2)", refused=False),
    Offence("and of a number", "self.n0 = self.f0 and self.n0", refused=False),
    Offence("or of a number", "self.n0 = self.n0 or 1", refused=False),
    Offence("choice by a number", "self.n0 = choose(self.n0, 1, 2)"),
    Offence("smaller of truth values", "self.f0 = smaller(self.f0, True)"),
    Offence("min of truth values", "self.f0 = min(self.f0, True)"),
    Offence("every of numbers", "self.f0 = every([self.n0, 1])"),
    Offence("array index by a truth value", "self.n0 = self.cells[self.f0]"),
    Offence("None in a sum", "self.n0 = self.o0 + 1", refused=False),
    Offence("None compared", "self.f0 = self.o0 < 2", refused=False),
    Offence("None in a choice", "self.n0 = choose(self.f0, self.o0, 1)", refused=False),
    # Arrays, components, queues, bags.
    Offence("truth of an array", "self.f0 = bool(self.cells)"),
    Offence("array compared with a list", "self.f0 = self.cells == [0, 0]"),
    Offence("truth of a component", "require(self.life)"),
    Offence("component compared with None", "self.f0 = self.life == None"),
    Offence("component in a list", "self.f0 = self.life in [1, 2]"),
    Offence("len of a queue", "self.n0 = len(self.q)"),
    Offence("loop over a bag", "self.f0 = all(k for k in self.g)"),
    Offence("component that is replaced", "self.life = self.life"),
    Offence("items of an array replaced", "self.cells = [0, 0]"),
    Offence("blank place of a queue", "self.q[1].value = 1", refused=False),
    Offence("element kept while it is removed", "k = self.q[0]\nself.q.remove(0)\nself.n0 = k.value", refused=False),
    # Enums whose members mean more than themselves.
    Offence(
        "enum with its own truth",
        "if self.odd:\n    self.n0 = 1",
        """
class Odd(Enum):
    NO = 0
    YES = 1
    def __bool__(self):
        return self.value == 1
""",
        members="odd: Odd = one_of(Odd)\n",
    ),
    Offence(
        "enum with its own equality",
        "self.f0 = self.odd == Odd.YES",
        """
class Odd(Enum):
    NO = 0
    YES = 1
    def __eq__(self, other):
        return True
    def __hash__(self):
        return 1
""",
        members="odd: Odd = one_of(Odd)\n",
    ),
    Offence(
        "enum of fractions",
        "if self.odd:\n    self.n0 = 1",
        "class Odd(float, Enum):\n    NO = 0.0\n    YES = 1.0\n",
        members="odd: Odd = one_of(Odd)\n",
    ),
    Offence(
        "enum of tuples",
        "if self.odd:\n    self.n0 = 1",
        "class Odd(tuple, Enum):\n    NO = ()\n    YES = (1,)\n",
        members="odd: Odd = one_of(Odd)\n",
    ),
    # Loops without an end.
    Offence("endless recursion", "f(0)", "def f(n): return f(n + 1)\n"),
    # Claims.
    Offence("claim that writes", claim="model.n0 = 0\nreturn True"),
    Offence(
        "claim that writes through a method",
        claim="model.moves()\nreturn True",
        members="def moves(self):\n    self.n0 = 1\n",
    ),
    Offence("claim with require", claim="require(model.f0)\nreturn True"),
    Offence("claim with bound", claim="bound(model.f0)\nreturn True"),
    Offence("claim that counts", claim="return tick() < 2", before=TICK),
    Offence("claim that flips", claim="return flips(TOTAL) < 2", before=TICK),
    Offence("claim that gives a number", claim="return model.n0"),
    Offence("claim that gives a set", claim="return model.s0 & OffsetSet(0)"),
    Offence("claim that changes the step", claim='step.args["v"] = 0\nreturn True'),
    Offence("claim that joins the step", claim='n = step.args\nn |= {"v": 0}\nreturn True'),
    Offence("claim by identity", claim="return before is not after"),
    Offence("claim with a walrus", claim="return (n := model.n0) < 3 and n >= 0", refused=False),
    Offence("claim that is a generator", claim="yield model.f0"),
    # Where a model starts.
    Offence("bound in initially", members="def initially(self):\n    bound(False)\n    self.n0 = 1\n"),
    Offence("counter in initially", before=TICK, members="def initially(self):\n    self.n0 = tick()\n"),
    Offence(
        "initially by a list that flips", before=TICK, members="def initially(self):\n    self.n0 = flips(TOTAL)\n"
    ),
    # Decorated actions.
    Offence(
        "decorator above an action",
        before="""
def guarded(f):
    @functools.wraps(f)
    def inner(self):
        require(self.n0 == 1)
        f(self)
    return inner
""",
        members="@guarded\n@action()\ndef decorated(self):\n    self.n0 = 2\n",
    ),
    Offence(
        "decorator below an action",
        before="""
def guarded(f):
    def inner(self):
        require(self.n0 == 1)
        f(self)
    return inner
""",
        members="@action()\n@guarded\ndef decorated(self):\n    self.n0 = 2\n",
        refused=False,
    ),
    Offence(
        "among that counts",
        before=TICK,
        members='@action(w=Index("w", 2), among={"w": lambda model: OffsetSet(tick())})\ndef woken(self, w):\n    self.n0 = w\n',
    ),
    Offence(
        "rest that counts",
        before=TICK,
        members="def rest(self):\n    return tick() == 1\n@at_rest\ndef calm(self):\n    return self.n0 < 2\n",
    ),
    Offence(
        "finished that counts",
        before=TICK
        + "class Ends(Component):\n    n: int = integer(0, 1)\n    def finished(self):\n        return flips(TOTAL) == 1\n",
        members="ends: Ends = part(Ends)\n",
    ),
)
"""All of them."""
