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


OFFENCES = (
    # Things that do not run, or not when they seem to.
    Offence("walrus in a default", "def f(n=(k := 1)): return n\nself.n0 = f()", refused=False),
    # State outside of fields.
    Offence("list flipped twice", "self.n0 = flips(TOTAL)\nself.f0 = flips(TOTAL) == 1", TICK, refused=False),
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
    Offence("list under two names", "a = [1]\nb = a\nb.append(2)\nself.n0 = len(a)", refused=False),
    # What computes from more than its arguments.
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
    Offence("sorted set", "self.n0 = sorted(set((0, 1)))[0]", refused=False),
    # Exceptions.
    Offence(
        "text read from an exception",
        'try:\n    raise ValueError("1")\nexcept ValueError as error:\n    self.f0 = error.args == ("1",)',
        refused=False,
    ),
    # Values of fields.
    Offence("parameter compared with a number", "self.f0 = v == 0", parameter="Colour", refused=False),
    Offence("mixed conditional expression", "self.n0 = (self.f0 if self.n0 == 1 else 2)", refused=False),
    Offence("and of a number", "self.n0 = self.f0 and self.n0", refused=False),
    Offence("or of a number", "self.n0 = self.n0 or 1", refused=False),
    Offence("array index by a truth value", "self.n0 = self.cells[self.f0]"),
    Offence("None in a sum", "self.n0 = self.o0 + 1", refused=False),
    Offence("None compared", "self.f0 = self.o0 < 2", refused=False),
    Offence("None in a choice", "self.n0 = choose(self.f0, self.o0, 1)", refused=False),
    # Arrays, components, queues, bags.
    Offence("truth of an array", "self.f0 = bool(self.cells)"),
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
