"""What a model may not contain: a table of offending models, each with what is said of it.

The line that is at fault is marked `# HERE`; the message names it. A row is the text of a model's file, or a part that
a template completes. `docs/refusals.md` is written from this table.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

from offsetproof.check.request import Request, questions
from offsetproof.check.subject import load_subject
from offsetproof.lang import DeclarationError, RefusedError, UnknownNameError
from offsetproof.lang.stage import Staged

HEADER = """\
import itertools, functools, os, random, time
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from enum import Enum, Flag
from types import SimpleNamespace
from offsetproof.lang import *

class Colour(Enum):
    RED = 0
    BLUE = 1

class Shape(Enum):
    ROUND = 0
    SQUARE = 1

LIST, TABLE, COUNTS = [0, 1], {"a": 1}, {"runs": 0}
WORKERS = Index("worker", 2)

class Letter(Component):
    value: int = integer(0, 1)

class Life(Component):
    phase: int = integer(0, 2)

class Fields(Model):
    scopes = (Scope("small", {"messages": 2}),)
    x: int = integer(0, 3)
    y: int = integer(0, 3)
    far: int = integer(0, 1 << 40)
    b: bool = flag()
    c: bool = flag()
    s: OffsetSet = offset_set(3)
    o: int | None = optional(integer(0, 1))
    e: Colour = one_of(Colour)
    many: Array[bool] = array(Index("bit", 13), flag())
    few: Array[bool] = array(Index("few", 2), flag())
    q: Fifo[Letter] = fifo(Letter, 2)
    g: Bag = bag({"kind": Index("kind", 2)})
    life: Life = part(Life)
    other: Letter = part(Letter)

    def moves(self): self.x = 1

    def set_x(self): self.x = 1

"""
"""What the rows start with: a model with a field of each sort."""


def in_action(body: str, before: str = "") -> str:
    """A model whose one action has this body; `before` stands at the top of the module."""
    head = "class Offending(Fields):\n    @action()\n    def act(self):\n"
    return f"{dedent(before)}\n{head}{indent(dedent(body).strip(chr(10)), ' ' * 8)}\n\n{_CLAIM}"


def in_parameter(body: str, before: str) -> str:
    """The same, where the action has a parameter `v` over the enum `Odd`."""
    return in_action(body, before).replace("@action()", "@action(v=Odd)").replace("def act(self)", "def act(self, v)")


_CLAIM = "@always\ndef true(model): return model.x <= 3\n"


def in_claim(body: str, before: str = "", kind: str = "always", given: str = "model") -> str:
    """A model with a claim with this body."""
    head = "class Offending(Fields):\n    @action()\n    def act(self):\n        self.x = 1\n\n    def rest(self): return True\n"
    return f"{dedent(before)}\n{head}\n@{kind}\ndef claim({given}):\n{indent(dedent(body).strip(chr(10)), ' ' * 4)}\n"


def declared(text: str) -> str:
    """A module as it stands, with a claim."""
    return dedent(text).strip("\n") + "\n\n" + _CLAIM


@dataclass(frozen=True)
class Row:
    """One offence: the text of a model after `HEADER`, and what of the message a test holds on to."""

    title: str
    text: str
    says: str

    @property
    def source(self) -> str:
        """The whole model file."""
        return HEADER + self.text

    @property
    def line(self) -> int | None:
        """The line that is at fault, if one is marked."""
        lines = enumerate(self.source.splitlines(), 1)
        return next((n for n, line in lines if line.rstrip().endswith("# HERE")), None)


Refusal = RefusedError | DeclarationError | UnknownNameError


@contextmanager
def written(source: str) -> Iterator[Path]:
    """A model file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "offending.py"
        path.write_text(source)
        try:
            yield path
        finally:
            sys.modules.pop("offsetproof_subject_offending", None)


def refusal_of(row: Row) -> Refusal | None:
    """What is said of the row's model; None if nothing is."""
    with written(row.source) as path:
        try:
            subject = load_subject(str(path))
            for question in questions(Request(subject)):
                Staged(question.model, question.setting).system((question.prop, *question.witnesses))
        except (RefusedError, DeclarationError, UnknownNameError) as error:
            return error
    return None


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
class Odd(Enum):
    ONE = 1
    def tick(self):
        LIST[0] = 1 - LIST[0]
        return LIST[0]
    @property
    def ticked(self): return self.tick()
"""

RECORD = (
    FLIPS
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

_OUTER = """
class Counter:
    count = 0

def helper(): return 1

def appends(items): items.append(1)

@functools.lru_cache
def cached(n): return n

TOTAL = [0]
NESTED = ((0,), [1])
BOX = SimpleNamespace(n=0)
ITERATOR = iter([1, 2])
"""

ROWS = (
    # What would never run, or not when it seems to.
    Row("yield in an action", in_action("self.x = 1\nyield  # HERE"), "yield"),
    Row("yield in a helper", in_action("all(gives())", "def gives():\n    yield True  # HERE"), "return a list"),
    Row(
        "async action",
        "class Offending(Fields):\n    @action()\n    async def act(self):  # HERE\n        self.x = 1\n\n" + _CLAIM,
        "async",
    ),
    Row(
        "async claim",
        in_claim("return True").replace("def claim(model):", "async def claim(model):  # HERE"),
        "async",
    ),
    Row("async comprehension", in_action("self.b = any([x async for x in self.few])  # HERE"), "async"),
    Row(
        "decorated inner function",
        in_action("@functools.cache\ndef f(): return 1  # HERE\nself.x = f()"),
        "decorated function",
    ),
    Row("class within a function", in_action("class A: pass  # HERE"), "define it at the top of the module"),
    Row("with", in_action("with self.life:  # HERE\n    self.x = 1"), "with"),
    Row("del", in_action("del self.x  # HERE"), "assign another value"),
    Row("import within a function", in_action("import random  # HERE"), "import at the top"),
    # State that is no field.
    Row("global", in_action("global LIST  # HERE\nLIST = []"), "declare a field"),
    Row("nonlocal", in_action("n = 0\ndef f():\n    nonlocal n  # HERE\n    n = 1\nf()"), "declare a field"),
    Row("attribute of a class", in_action("Counter.count += 1  # HERE", _OUTER), "a change of Counter"),
    Row(
        "attribute of a class by another name",
        in_action("k = Counter  # HERE\nk.count = 1", _OUTER),
        "objects of class Counter",
    ),
    Row("attribute of a function", in_action("helper.calls = 1  # HERE", _OUTER), "a change of helper"),
    Row("attribute of a module", in_action("os.flag = 1  # HERE"), "a change of os"),
    Row("list of the module", in_action("LIST.append(1)  # HERE"), "a change of LIST"),
    Row("item of a dict of the module", in_action('COUNTS["runs"] += 1  # HERE'), "a change of COUNTS"),
    Row("list by another name", in_action("n = LIST\nn += [1]  # HERE"), "a change of n"),
    Row(
        "method of a list by another name", in_action("n = LIST\nn.append(1)  # HERE"), "was not made in this function"
    ),
    Row(
        "list handed on",
        in_action("appends(TOTAL)", _OUTER.replace("items.append(1)", "items.append(1)  # HERE")),
        ".append",
    ),
    Row(
        "item of a list handed on",
        in_action("f(TOTAL)", _OUTER + "def f(items): items[0] = 1"),
        "code that changes TOTAL",
    ),
    Row("list within a tuple", in_action("n = NESTED[1]\nn[0] = 5", _OUTER), "code that changes"),
    Row("mutable default", in_action("f()", "def f(seen=[]):\n    seen.append(1)  # HERE"), ".append"),
    Row(
        "mutable default changed by item",
        in_action("f()", "def f(seen=[0]):\n    seen[0] = 1"),
        "code that changes a default of f()",
    ),
    Row(
        "list of a closure",
        in_action("f()", "def make():\n    seen = []\n    def f(): seen.append(1)  # HERE\n    return f\nf = make()"),
        "seen",
    ),
    Row("iterator of the module", in_action("self.x = max(ITERATOR)  # HERE", _OUTER), "ITERATOR, a list_iterator"),
    Row("object that can change", in_action("BOX.n = 1  # HERE", _OUTER), "a change of BOX"),
    Row("object that can change, read", in_action("self.x = BOX.n  # HERE", _OUTER), "BOX, a SimpleNamespace"),
    Row("function with a cache", in_action("self.x = cached(1)  # HERE", _OUTER), "cached"),
    Row("objects of an ordinary class", in_action("self.x = Counter().count  # HERE", _OUTER), "a frozen dataclass"),
    Row("attribute that is no field", in_action("self.z = 1  # HERE"), "has no field z"),
    Row(
        "list of the module that changes and changes back",
        in_action("self.x = flips(TOTAL)\nself.b = self.c or self.x == 1", UNMARKED),
        "code that changes TOTAL",
    ),
    Row(
        "class attribute through cls",
        declared(
            "class Offending(Fields):\n    total = 0\n    @classmethod\n    def counts(cls):\n        cls.total += 1\n        return cls.total\n    @action()\n    def act(self): self.x = self.counts()\n"
        ),
        "code that changes the class Offending",
    ),
    Row(
        "attribute of a member of an enum",
        in_parameter("v.seen = 1 - v.seen", "class Odd(Enum):\n    ONE = 1\nOdd.ONE.seen = 0"),
        "code that changes Odd.ONE",
    ),
    Row("method of an enum", in_parameter("self.x = v.tick()", IMPURE), "a change of LIST"),
    Row("property of an enum", in_parameter("self.x = v.ticked", IMPURE), "a change of LIST"),
    Row(
        "function in the value of an enum",
        in_parameter("self.x = v.value[0]()", f"{FLIPS}class Odd(Enum):\n    ONE = (ticks,)\n"),
        "a change of LIST",
    ),
    Row("method of a record by another name", in_action("r = RECORD\nself.x = r.tick()", RECORD), "a change of LIST"),
    Row("property of a record", in_action("r = RECORD\nself.x = r.ticked", RECORD), "a change of LIST"),
    Row("factory of a record", in_action("self.x = Record().made", RECORD), "a change of LIST"),
    Row(
        "function under a name of its own comprehension",
        in_action("self.x = [ticks() for ticks in (ticks,)][0]", FLIPS),
        "a change of LIST",
    ),
    Row(
        "function that shares its code with another",
        in_action(
            "self.x = pure() + odd()",
            FLIPS
            + "def one(): return 1\ndef make(given):\n    def inner(f=given): return f()\n    return inner\npure, odd = make(one), make(ticks)\n",
        ),
        "a change of LIST",
    ),
    Row(
        "bounds of the scope",
        in_action('self.scope.bounds["messages"] = 3'),
        "code that changes the bounds of scope small",
    ),
    Row(
        "bound of a field that counts",
        declared(f"{FLIPS}class Offending(Fields):\n    z: int = integer(0, lambda scope: ticks())\n"),
        "a change of LIST",
    ),
    Row(
        "initially that flips",
        declared(f"{UNMARKED}class Offending(Fields):\n    def initially(self): self.x = flips(TOTAL)\n"),
        "code that changes TOTAL",
    ),
    Row("what the language is made of", in_action("self._tree.values[0] = 1  # HERE"), "_tree"),
    Row("special attributes", in_action("self.__class__.seen = 1  # HERE"), "__class__"),
    # What computes from more than its arguments.
    Row("random", in_action("self.x = random.randint(0, 3)  # HERE"), "let a parameter of the action"),
    Row(
        "random imported by name",
        in_action("self.x = choice([1, 2])  # HERE", "from random import choice"),
        "let a parameter",
    ),
    Row("time", in_action("self.x = int(time.time())  # HERE"), "model time as a field"),
    Row("os", in_action("self.x = len(os.environ)  # HERE"), "os.environ"),
    Row("print", in_action("print(self.x)  # HERE"), "print()"),
    Row("print by another name", in_action("p(self.x)  # HERE", "p = print"), "only reads and writes its fields"),
    Row("open", in_action('open("f")  # HERE'), "open()"),
    Row("input", in_action("self.x = int(input())  # HERE"), "input()"),
    Row("exec", in_action('exec("self.x = 1")  # HERE'), "exec()"),
    Row("getattr", in_action('self.x = getattr(self, "y")  # HERE'), "write the field's name"),
    Row("setattr", in_action('setattr(self, "x", 1)  # HERE'), "write the field's name"),
    Row("hash", in_action("self.x = hash(3)  # HERE"), "compare values"),
    Row("next", in_action("self.x = next(i for i in LIST)  # HERE"), "a comprehension"),
    Row("name that nothing defines", in_action("self.x = lowest_of(self.s)  # HERE"), "nothing defines"),
    Row("declaring within an action", in_action("flag()  # HERE"), "which declares"),
    # Identity, types, order of sets.
    Row("is", in_action("require(self.b is True)  # HERE"), "write =="),
    Row("isinstance", in_action("require(isinstance(self.x, int))  # HERE"), "decide by a field or an enum"),
    Row("type()", in_action("require(type(self.x) == int)  # HERE"), "decide by a field or an enum"),
    Row("id()", in_action("require(id(self.x) > 0)  # HERE"), "decide by a field or an enum"),
    Row(
        "class pattern",
        in_action("match self.x:\n    case int():  # HERE\n        self.x = 0"),
        "decide by a field or an enum",
    ),
    Row("singleton pattern", in_action("match self.b:\n    case True:  # HERE\n        self.b = False"), "write an if"),
    Row("mapping pattern", in_action("match TABLE:\n    case {'a': n}:  # HERE\n        self.x = n"), "write an if"),
    Row("loop over a set", in_action("for n in {1, 2}:  # HERE\n    self.x = n"), "whose order is not fixed"),
    Row(
        "loop over a frozenset of the module",
        in_action("for n in F:  # HERE\n    self.x = n", "F = frozenset({1, 2})"),
        "whose order is not fixed",
    ),
    Row("list of a set", in_action("self.x = list(set((0, 1)))[0]  # HERE"), "where its order may matter"),
    Row(
        "frozenset handed on",
        in_action("self.x = f(F)  # HERE", "F = frozenset({1, 2})\ndef f(k): return max(k)"),
        "where its order may matter",
    ),
    Row(
        "frozenset of a class",
        declared(
            "class Offending(Fields):\n    odd = frozenset({1, 2})\n    @action()\n    def act(self):\n        for n in self.odd:  # HERE\n            self.x = n\n"
        ),
        "a Python set, whose order is not fixed",
    ),
    Row("set in a name", in_action("n = {1, 2}  # HERE\nself.b = 1 in n"), "write a tuple, or an OffsetSet"),
    Row("set comprehension", in_action("n = {i for i in LIST}  # HERE"), "or an OffsetSet"),
    # Exceptions.
    Row(
        "bare except",
        in_action("try:\n    self.x = 1\nexcept:  # HERE\n    self.x = 0"),
        "catch the one exception that you mean",
    ),
    Row(
        "except Exception",
        in_action("try:\n    self.x = 1\nexcept (ValueError, Exception):  # HERE\n    self.x = 0"),
        "catch the one exception",
    ),
    Row(
        "except TypeError",
        in_action("try:\n    self.x = 1\nexcept TypeError:  # HERE\n    self.x = 0"),
        "catch the one exception",
    ),
    Row(
        "except BaseException by another name",
        in_action("try:\n    self.x = 1\nexcept E:  # HERE\n    self.x = 0", "E = BaseException"),
        "catch the one exception",
    ),
    Row(
        "except an error of the language",
        in_action("try:\n    self.x = 1\nexcept RefusedError:  # HERE\n    self.x = 0"),
        "catch the one exception",
    ),
    Row(
        "return in finally",
        in_action("try:\n    require(self.b)\nfinally:\n    return  # HERE"),
        "leaving a finally clause",
    ),
    Row("raise SystemExit", in_action("raise SystemExit(0)  # HERE"), "SystemExit"),
    Row("sys.exit", in_action("sys.exit(0)  # HERE", "import sys"), "exit() of sys"),
    Row("raise KeyboardInterrupt", in_action("raise KeyboardInterrupt  # HERE"), "KeyboardInterrupt"),
    # Values of fields.
    Row("int() of a field", in_action("self.x = int(self.x)  # HERE"), "compare it, or index an array with it"),
    Row("loop over range of a field", in_action("for _ in range(self.x):  # HERE\n    self.b = True"), "compare it"),
    Row("index of a list", in_action("self.x = [0, 1, 2, 3][self.x]  # HERE"), "compare it, or index an array with it"),
    Row(
        "key of a dict",
        in_action("self.x = {Colour.RED: 0, Colour.BLUE: 1}[self.e]  # HERE"),
        "compare the values one by one",
    ),
    Row("member of a set", in_action("self.b = self.x in {1, 2}  # HERE"), "compare the values one by one"),
    Row("f-string", in_action('self.b = f"{self.x}" == "1"  # HERE'), "leave texts to the trace"),
    Row("text by %", in_action('self.b = "%r" % self.x == "1"  # HERE'), "leave texts to the trace"),
    Row("text by % with a name", in_action('t = "%r"\nself.b = t % self.x == "1"  # HERE'), "leave texts to the trace"),
    Row("text by format", in_action('self.b = "{!r}".format(self.x) == "1"  # HERE'), "leave texts to the trace"),
    Row("text of an array", in_action('t = "%r"\nself.b = t % self.few == ""  # HERE'), "leave texts to the trace"),
    Row("node of a field", in_action("self.b = self.x.node == 1  # HERE"), "which is the language's own"),
    Row("str()", in_action('self.b = str(self.e) == "Colour.RED"  # HERE'), "may be made of texts"),
    Row(
        "text of a field in a message",
        in_action('if self.b:\n    raise ValueError(f"bad {self.x}")  # HERE'),
        "leave texts to the trace",
    ),
    Row("float()", in_action("self.b = float(self.x) > 0.5  # HERE"), "whole numbers"),
    Row("fraction", in_action("require(self.x < 1.5)  # HERE"), "a float"),
    Row("division with a fraction", in_action("self.x = self.x / 2  # HERE"), "write //"),
    Row("power", in_action("self.x = self.x ** 2  # HERE"), "numbers have +, -, *"),
    Row("bits of a number", in_action("self.x = self.x & 1  # HERE"), "numbers have +, -, *"),
    Row("shift", in_action("self.x = 1 << self.x  # HERE"), "numbers have +, -, *"),
    Row("~ of a truth value", in_action("self.b = ~self.b  # HERE"), "write negation(x)"),
    Row("len of a set", in_action("self.x = len(self.s)  # HERE"), "write .count()"),
    Row("offset set of a field", in_action("self.s = OffsetSet(self.x)  # HERE"), "write OffsetSet().add(value)"),
    Row("mask of a field", in_action("self.s = OffsetSet.of_mask(self.x)  # HERE"), "keep the set itself"),
    Row("^ of sets", in_action("self.s = self.s ^ OffsetSet(1)  # HERE"), "sets have |, & and -"),
    Row("order of members", in_action("require(self.e < Colour.BLUE)  # HERE"), "this operation on an enum member"),
    Row("value of a member", in_action("self.x = self.e.value  # HERE"), "use the operations of its type"),
    Row("list times a field", in_action("self.b = [0] * self.x == []  # HERE"), "a list"),
    # Sorts that do not meet.
    Row(
        "choose of a truth value and a number",
        in_action("self.x = choose(self.b, self.c, 2)  # HERE"),
        "a truth value and a number",
    ),
    Row(
        "choose of a member and a number",
        in_action("self.x = choose(self.b, self.e, 2)  # HERE"),
        "a member of Colour and a number",
    ),
    Row(
        "choose of two enums",
        in_action("self.e = choose(self.b, self.e, Shape.ROUND)  # HERE"),
        "a member of Colour and a member of Shape",
    ),
    Row("choose by a number", in_action("self.x = choose(self.x, 1, 2)  # HERE"), "a truth value is needed"),
    Row("choose by a real number", in_action("self.x = choose(1, 1, 2)  # HERE"), "a truth value is needed"),
    Row("smaller of a truth value", in_action("self.x = smaller(self.b, 1)  # HERE"), "a number is needed"),
    Row("larger of real truth values", in_action("self.x = larger(True, 1)  # HERE"), "a number is needed"),
    Row("sum with a truth value", in_action("self.x = self.x + self.b  # HERE"), "a number and a truth value"),
    Row("sum of truth values", in_action("self.x = sum(self.few)  # HERE"), "truth value"),
    Row("minus a truth value", in_action("self.x = -self.b  # HERE"), "write choose(x, 1, 0)"),
    Row("truth value compared with a number", in_action("require(self.b == 1)  # HERE"), "a truth value and a number"),
    Row("truth value ordered", in_action("require(self.b < self.c)  # HERE"), "this operation on a truth value"),
    Row(
        "number compared with a member",
        in_action("require(self.x == Colour.RED)  # HERE"),
        "a number and a member of Colour",
    ),
    Row(
        "members of two enums compared",
        in_action("require(self.e != Shape.ROUND)  # HERE"),
        "a member of Colour and a member of Shape",
    ),
    Row("& of a truth value and a number", in_action("require(self.b & self.x)  # HERE"), "a truth value and a number"),
    Row("every of numbers", in_action("require(every([self.x]))  # HERE"), "a truth value is needed"),
    Row(
        "among another sort", in_action("require(among(self.x, Colour.RED))  # HERE"), "a number and a member of Colour"
    ),
    Row("array index that is a truth value", in_action("self.few[self.b] = True  # HERE"), "an array's index"),
    Row("set with a truth value", in_action("self.s = self.s.add(self.b)  # HERE"), "a number is needed"),
    # Arrays, components, queues, bags.
    Row("truth of an array", in_action("require(self.few)  # HERE"), "any() or all()"),
    Row("arrays of two sorts", in_action("require(self.few == self.many)  # HERE"), "compare arrays of one sort"),
    Row("truth of a component", in_action("require(self.life)  # HERE"), "ask one of its fields"),
    Row(
        "components of two classes",
        in_action("require(self.life == self.other)  # HERE"),
        "compare components of one class",
    ),
    Row(
        "component compared with None",
        in_action("require(self.life == None)  # noqa: E711  # HERE"),
        "compare components of one class",
    ),
    Row("len of a queue", in_action("require(len(self.q) > 0)  # HERE"), "write .count"),
    Row("len of a bag", in_action("require(len(self.g) > 0)  # HERE"), "write .has(...) or .empty"),
    Row("loop over a bag", in_action("require(all(n for n in self.g))  # HERE"), "ask .has(...)"),
    Row("assignment to a component", in_action("self.life = self.life  # HERE"), "assign to its fields instead"),
    Row("push of other fields", in_action("self.q.push(other=1)  # HERE"), "exactly the fields value"),
    # Code that does not end, or is too large.
    Row(
        "loop without end that asks a field",
        in_action("while True:\n    self.x = 1  # HERE"),
        "has not ended after 200,000 steps",
    ),
    Row("recursion without end", in_action("f(0)", "def f(n): return f(n + 1)  # HERE"), "calls itself without end"),
    Row("too many paths", in_action("for bit in self.many:\n    if bit:\n        self.x = 1"), "more than 4096 paths"),
    Row("value of too many bits", in_action("self.b = self.far * self.far > 0  # HERE"), "needs 81 bits"),
    # Claims.
    Row("claim that writes", in_claim("model.x = 0  # HERE\nreturn True"), "writing a field in claim claim"),
    Row("claim that writes an item", in_claim("model.few[0] = True  # HERE\nreturn True"), "writing a field in claim"),
    Row("claim that calls what writes", in_claim("model.set_x()\nreturn True"), "writing a field in claim"),
    Row("claim that sends", in_claim("model.q.push(value=1)  # HERE\nreturn True"), "in claim claim"),
    Row("claim with require", in_claim("require(model.b)  # HERE\nreturn True"), "say implies(condition, ...)"),
    Row("claim with bound", in_claim("bound(model.b)  # HERE\nreturn True"), "say implies(condition, ...)"),
    Row(
        "claim that changes the step",
        in_claim('step.args["v"] = 0  # HERE\nreturn True', kind="each_step", given="before, after, step"),
        "does not support item assignment",
    ),
    Row("claim that changes a list", in_claim("LIST.append(1)  # HERE\nreturn True"), "a change of LIST"),
    Row(
        "step claim that writes",
        in_claim("after.x = 0  # HERE\nreturn True", kind="each_step", given="before, after, step"),
        "writing a field",
    ),
    Row(
        "rest that writes",
        in_claim("return True", kind="at_rest").replace(
            "def rest(self): return True", "def rest(self):\n        self.x = 0  # HERE\n        return True"
        ),
        "writing a field",
    ),
    Row(
        "finished that writes",
        declared(
            "class Ends(Component):\n    n: int = integer(0, 1)\n    def finished(self):\n        self.n = 0  # HERE\n        return True\nclass Offending(Fields):\n    ends: Ends = part(Ends)\n"
        ),
        "writing a field",
    ),
    Row("claim that gives a number", in_claim("return 1 if model.b else 2"), "gave something other than True or False"),
    Row("claim that raises", in_claim("return model.s.lowest() >= 0  # HERE"), "with a default"),
    Row(
        "initially at random",
        declared("class Offending(Fields):\n    def initially(self):\n        self.x = random.randint(0, 3)  # HERE\n"),
        "let a parameter of the action",
    ),
    Row(
        "bound in initially",
        declared("class Offending(Fields):\n    def initially(self): bound(False)  # HERE\n"),
        "say require()",
    ),
    # Names.
    *(
        Row(
            f"action called {name}",
            declared(f"class Offending(Fields):\n    @action()\n    def {name}(self): self.x = 1  # HERE\n")
            .replace("    @action()\n", "    @action()  # HERE\n")
            .replace("self.x = 1  # HERE", "self.x = 1"),
            f"{name}",
        )
        for name in ("releases", "reset", "scope", "setting", "claims", "actions", "rest", "initially", "listeners")
    ),
    *(
        Row(
            f"field called {name}",
            declared(f"class Offending(Fields):\n    {name}: int = integer(0, 1)  # HERE\n"),
            "choose another",
        )
        for name in (
            "scopes",
            "claims",
            "actions",
            "anchored",
            "finished",
            "initially",
            "setting",
            "scope",
            "fixes",
            "roles",
            "assumptions",
            "number_of",
            "_tree",
            "_members",
        )
    ),
    Row(
        "claim called rest",
        declared("class Offending(Fields):\n    @always\n    def rest(self): return True\n"),
        "choose another name",
    ),
    Row(
        "plain method called scope",
        declared("class Offending(Fields):\n    def scope(self): return 1  # HERE\n"),
        "choose another",
    ),
    Row(
        "special method",
        declared("class Offending(Fields):\n    def __eq__(self, other): return True  # HERE\n"),
        "the language's own",
    ),
    Row(
        "constructor",
        declared("class Offending(Fields):\n    def __init__(self): self.n = 0  # HERE\n"),
        "use initially()",
    ),
    # Declarations that Python resolves in silence.
    Row(
        "two actions of one name",
        declared(
            "class Offending(Fields):\n    @action()\n    def act(self): self.x = 1\n    @action()\n    def act(self): self.x = 2  # HERE\n"
        ),
        "declared twice",
    ),
    Row(
        "two fields of one name",
        declared("class Offending(Fields):\n    z: int = integer(0, 1)\n    z: bool = flag()  # HERE\n"),
        "declared twice",
    ),
    Row(
        "claim and action of one name",
        declared(
            "class Offending(Fields):\n    @always\n    def act(self): return True\n    @action()\n    def act(self): self.x = 2  # HERE\n"
        ),
        "declared twice",
    ),
    Row(
        "two claims of one name in the module",
        declared(
            "class Offending(Fields):\n    @action()\n    def act(self): self.x = 1\n@always\ndef true(model): return model.x <= 2\n"
        ),
        "declared twice",
    ),
    Row(
        "plain method over an action",
        declared(
            "class Base(Fields):\n    @action()\n    def act(self): self.x = 1\nclass Offending(Base):\n    def act(self): self.x = 2  # HERE\n"
        ),
        "would hide an action of Base",
    ),
    Row(
        "field over an action",
        declared(
            "class Base(Fields):\n    @action()\n    def act(self): self.x = 1\nclass Offending(Base):\n    act: bool = flag()  # HERE\n"
        ),
        "would hide an action",
    ),
    Row(
        "claim over a field",
        declared("class Offending(Fields):\n    @always\n    def x(self): return True\n"),
        "would hide a field of Fields",
    ),
    Row(
        "field over a claim",
        declared(
            "class Base(Fields):\n    @always\n    def small(self): return self.x < 9\nclass Offending(Base):\n    small: bool = flag()  # HERE\n"
        ),
        "would hide a claim",
    ),
    Row(
        "two bases with one name",
        declared(
            "class A(Fields):\n    @action()\n    def act(self): self.x = 1\nclass B(Fields):\n    @action()\n    def act(self): self.x = 2\nclass Offending(A, B):  # HERE\n    pass\n"
        ),
        "from A and from B",
    ),
    Row(
        "one field under two names",
        declared("class Offending(Fields):\n    v = w = integer(0, 1)  # HERE\n"),
        "one and the same field",
    ),
    Row(
        "action without parentheses",
        declared("class Offending(Fields):\n    @action  # HERE\n    def act(self): self.x = 1\n"),
        "write @action()",
    ),
    Row(
        "decorator above an action",
        declared(
            "def guarded(f):\n    @functools.wraps(f)\n    def inner(self): require(self.b)\n    return inner\nclass Offending(Fields):\n    @guarded  # HERE\n    @action()\n    def act(self): self.x = 1\n"
        ),
        "put @action() first",
    ),
    Row(
        "base class that is no component",
        declared("class Mixin:\n    def f(self): return 1\nclass Offending(Mixin, Fields):  # HERE\n    pass\n"),
        "derive Mixin from Component",
    ),
    Row(
        "parameter without a sort",
        declared("class Offending(Fields):\n    @action()  # HERE\n    def act(self, w): self.x = 1\n"),
        "name each parameter once",
    ),
    # Domains, scopes, bounds.
    Row(
        "start outside of the domain",
        declared("class Offending(Fields):\n    z: int = integer(0, 3, 9)  # HERE\n"),
        "9 is not in its domain, 0 to 3",
    ),
    Row(
        "start of another sort",
        declared("class Offending(Fields):\n    z: bool = flag(1)  # HERE\n"),
        "is not in its domain",
    ),
    Row(
        "domain without values",
        declared("class Offending(Fields):\n    z: int = integer(3, 0)  # HERE\n"),
        "swap its bounds",
    ),
    Row(
        "domain of too many bits",
        declared("class Offending(Fields):\n    z: int = integer(0, 1 << 63)  # HERE\n"),
        "needs over 62 bits",
    ),
    Row(
        "too many values to start with",
        declared("class Offending(Fields):\n    z: int = integer(0, 10**9, ANYTHING)  # HERE\n"),
        "at most 131,072 initial states",
    ),
    Row(
        "bound that the scope does not have",
        declared("class Offending(Fields):\n    z: int = integer(0, 'mesages')  # HERE\n"),
        "did you mean messages?",
    ),
    Row(
        "bound that is no number",
        declared("class Offending(Fields):\n    z: int = integer(0, lambda scope: (scope.messages,))  # HERE\n"),
        "is not a whole number",
    ),
    Row(
        "bound that is a fraction",
        declared("class Offending(Fields):\n    z: int = integer(0, lambda scope: scope.messages / 2)  # HERE\n"),
        "write //",
    ),
    Row(
        "optional of a flag",
        declared("class Offending(Fields):\n    z: bool | None = optional(flag())  # HERE\n"),
        "holds integers or enum members",
    ),
    Row(
        "optional whose field says where it starts",
        declared("class Offending(Fields):\n    z: int | None = optional(integer(0, 3, 2))  # HERE\n"),
        "optional(field, initial)",
    ),
    Row(
        "enum that is a Flag",
        declared("class F(Flag):\n    A = 1\n    B = 2\nclass Offending(Fields):\n    z: F = one_of(F)  # HERE\n"),
        "is a Flag",
    ),
    Row(
        "enum with its own truth",
        declared(
            "class Odd(Enum):\n    A = 0\n    def __bool__(self): return False\nclass Offending(Fields):\n    z: Odd = one_of(Odd)  # HERE\n"
        ),
        "has its own __bool__",
    ),
    Row(
        "array over an enum",
        declared("class Offending(Fields):\n    z = array(Colour, flag())  # HERE\n"),
        "ranges over an index sort",
    ),
    Row(
        "array of what is no field",
        declared("class Offending(Fields):\n    z = array(WORKERS, int)  # HERE\n"),
        "neither a class of components nor a field",
    ),
    Row("field without a domain", declared("class Offending(Fields):  # HERE\n    z: int\n"), "has no domain"),
    Row(
        "negative bound",
        declared('class Offending(Fields):\n    scopes = (Scope("s", {"n": -2}),)  # HERE\n'),
        "n=-2 is not a number from 0",
    ),
    Row(
        "bound that is a truth value",
        declared('class Offending(Fields):\n    scopes = (Scope("s", {"n": True}),)  # HERE\n'),
        "n=True is not a number",
    ),
    Row(
        "bound with the scope's own name",
        declared('class Offending(Fields):\n    scopes = (Scope("s", {"name": 2}),)  # HERE\n'),
        "cannot be called 'name'",
    ),
    Row(
        "bound and fault of one name",
        declared('class Offending(Fields):\n    scopes = (Scope("s", {"n": 2}, {"n": 1}),)  # HERE\n'),
        "is a bound and a fault",
    ),
    Row("no scope", declared("class Offending(Fields):  # HERE\n    scopes = ()\n"), "at least one scope"),
    Row(
        "two scopes of one name",
        declared(
            'class Offending(Fields):  # HERE\n    scopes = (Scope("s", {"messages": 1}), Scope("s", {"messages": 2}))\n'
        ),
        "has 's' twice",
    ),
    Row(
        "scopes that are none",
        declared('class Offending(Fields):  # HERE\n    scopes = ("s",)\n'),
        "must be a tuple of Scope",
    ),
)
"""Every refusal that a model's text can meet, in the order of the page."""
