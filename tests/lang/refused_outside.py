"""What changes outside of a model's fields, through whatever it is reached, and though it changes back."""

from __future__ import annotations

from lang.refusals import Row, Section, declared, in_action, in_model, in_parameter

FLIPS = """
TOTAL = [0]
def flips(items):
    items[0] = 1 - items[0]
    return items[0]
def ticks():
    LIST[0] = 1 - LIST[0]  # HERE
    return LIST[0]
"""

UNMARKED = FLIPS.replace("  # HERE", "")

IMPURE = """
class Odd(Enum):  # HERE
    ONE = 1
    def tick(self):
        LIST[0] = 1 - LIST[0]
        return LIST[0]
    @property
    def ticked(self): return self.tick()
"""

RECORD = (
    UNMARKED
    + """
@dataclass(frozen=True)
class Record:
    made: int = dataclass_field(default_factory=ticks)
    def tick(self): return ticks()
    @property
    def ticked(self): return ticks()
RECORD = Record(1)
"""
)

MAKERS = """
def one(): return 1
def make(given):
    def inner(f=given): return f()
    return inner
pure, odd = make(one), make(ticks)
"""

CLS = """
class Offending(Fields):
    total = 0
    @classmethod
    def counts(cls):
        cls.total += 1
        return cls.total
    @action()
    def act(self): self.x = self.counts()
"""

CHANGED = Section(
    "What is not a field and changes, or changes back",
    (
        Row(
            "list of the module that changes and changes back",
            in_action("self.x = flips(TOTAL)\nself.b = self.c or self.x == 1", UNMARKED),
            "TOTAL, a list",
            written="items[0] = 1 - items[0]",
        ),
        Row("class attribute through cls", declared(CLS), "a change of .total", "cls.total += 1"),
        Row(
            "attribute with a plain value",
            in_model("mood: str = 'idle'\n@action()\ndef act(self): self.mood = 'busy'  # HERE"),
            "which has a plain value and is no field",
        ),
        Row(
            "attribute of a member of an enum",
            in_parameter("v.seen = 1 - v.seen", "class Odd(Enum):\n    ONE = 1\nOdd.ONE.seen = 0"),
            "a member of an enum has a value and nothing else",
            written="v.seen = 1 - v.seen",
        ),
        Row(
            "bounds of the scope",
            in_action('self.scope.bounds["messages"] = 3'),
            "which is the language's own",
            written='self.scope.bounds["messages"] = 3',
        ),
        Row(
            "value that is more than a number",
            in_action("self.x = ODD.tick()  # HERE", "class Odd(int):\n    def tick(self): return 1\nODD = Odd(1)"),
            "ODD, a Odd",
        ),
        Row(
            "initially that flips",
            declared(f"{UNMARKED}class Offending(Fields):\n    def initially(self): self.x = flips(TOTAL)\n"),
            "TOTAL, a list",
            written="def initially(self): self.x = flips(TOTAL)",
        ),
    ),
)

REACHED = Section(
    "Code that changes it, wherever it is reached from",
    (
        Row("method of an enum", in_parameter("self.x = v.tick()", IMPURE), "a function of an enum"),
        Row("property of an enum", in_parameter("self.x = v.ticked", IMPURE), "a function of an enum"),
        Row(
            "function in the value of an enum",
            in_parameter("self.x = v.value[0]()", f"{FLIPS}class Odd(Enum):\n    ONE = (ticks,)\n"),
            "LIST, a list, which could change",
        ),
        Row(
            "method of a record by another name",
            in_action("r = RECORD  # HERE\nself.x = r.tick()", RECORD),
            "give the field a constant",
        ),
        Row(
            "property of a record",
            in_action("r = RECORD  # HERE\nself.x = r.ticked", RECORD),
            "give the field a constant",
        ),
        Row("factory of a record", in_action("self.x = Record().made  # HERE", RECORD), "give the field a constant"),
        Row(
            "function under a name of its own comprehension",
            in_action("self.x = [ticks() for ticks in (ticks,)][0]", FLIPS),
            "LIST, a list, which could change",
        ),
        Row(
            "function that shares its code with another",
            in_action("self.x = pure() + odd()", FLIPS + MAKERS),
            "LIST, a list, which could change",
        ),
        Row(
            "bound of a field that counts",
            declared(f"{FLIPS}class Offending(Fields):\n    z: int = integer(0, lambda scope: ticks())\n"),
            "LIST, a list, which could change",
        ),
    ),
)

SECTIONS = (CHANGED, REACHED)
