"""What may not be done in a model: code that never runs, state outside of fields, exceptions, code without an end."""

from __future__ import annotations

from lang.refusals import CLAIM, Row, Section, declared, in_action, in_claim, in_model

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


NEVER_RUN = Section(
    "Code that would never run, or not when it seems to",
    (
        Row("yield in an action", in_action("self.x = 1\nyield  # HERE"), "yield"),
        Row("yield in a helper", in_action("all(gives())", "def gives():\n    yield True  # HERE"), "return a list"),
        Row(
            "async action",
            "class Offending(Fields):\n    @action()\n    async def act(self):  # HERE\n        self.x = 1\n\n" + CLAIM,
            "async",
        ),
        Row(
            "async claim",
            in_claim("return True").replace("def claim(model):", "async def claim(model):  # HERE"),
            "async",
        ),
        Row(
            "async comprehension",
            in_action("self.b = any([x async for x in self.few])  # HERE"),
            "async",
            instead="a comprehension without `async`",
        ),
        Row(
            "decorated inner function",
            in_action("@functools.cache\ndef f(): return 1  # HERE\nself.x = f()"),
            "decorated function",
        ),
        Row("class within a function", in_action("class A: pass  # HERE"), "define it at the top of the module"),
        Row("with", in_action("with self.life:  # HERE\n    self.x = 1"), "with"),
        Row("del", in_action("del self.x  # HERE"), "assign another value"),
        Row("import within a function", in_action("import random  # HERE"), "import at the top"),
    ),
)

HIDDEN = Section(
    "State that is not a field",
    (
        Row("global", in_action("global LIST  # HERE\nLIST = []"), "declare a field"),
        Row("nonlocal", in_action("n = 0\ndef f():\n    nonlocal n  # HERE\n    n = 1\nf()"), "declare a field"),
        Row("attribute of a class", in_action("Counter.count += 1  # HERE", _OUTER), "objects of class Counter"),
        Row(
            "attribute of a class by another name",
            in_action("k = Counter  # HERE\nk.count = 1", _OUTER),
            "objects of class Counter",
        ),
        Row("attribute of a function", in_action("helper.calls = 1  # HERE", _OUTER), "a change of .calls"),
        Row("attribute of a module", in_action("os.flag = 1  # HERE"), "the module os"),
        Row("list of the module", in_action("LIST.append(1)  # HERE"), "LIST, a list, which could change"),
        Row("item of a dict of the module", in_action('COUNTS["runs"] += 1  # HERE'), "write MappingProxyType({...})"),
        Row("list by another name", in_action("n = LIST  # HERE\nn += [1]"), "LIST, a list, which could change"),
        Row(
            "method of a list by another name",
            in_action("n = LIST  # HERE\nn.append(1)"),
            "LIST, a list, which could change",
        ),
        Row("list handed on", in_action("appends(TOTAL)  # HERE", _OUTER), "TOTAL, a list"),
        Row(
            "item of a list handed on",
            in_action("f(TOTAL)", _OUTER + "def f(items): items[0] = 1"),
            "TOTAL, a list",
            "def f(items): items[0] = 1",
        ),
        Row(
            "list within a tuple",
            in_action("n = NESTED[1]\nn[0] = 5", _OUTER),
            "an item of NESTED, a list",
            "NESTED[1][0] = 5",
        ),
        Row(
            "mutable default",
            in_action("f()", "def f(seen=[]):  # HERE\n    seen.append(1)"),
            "a default of f(), a list",
        ),
        Row(
            "mutable default changed by item",
            in_action("f()", "def f(seen=[0]):\n    seen[0] = 1"),
            "a default of f(), a list",
            "def f(seen=[0]): seen[0] = 1",
        ),
        Row(
            "list of a closure",
            in_action(
                "f()", "def make():\n    seen = []\n    def f(): seen.append(1)  # HERE\n    return f\nf = make()"
            ),
            "seen",
        ),
        Row("iterator of the module", in_action("self.x = max(ITERATOR)  # HERE", _OUTER), "ITERATOR, a list_iterator"),
        Row("object that can change", in_action("BOX.n = 1  # HERE", _OUTER), "BOX, a SimpleNamespace"),
        Row("object that can change, read", in_action("self.x = BOX.n  # HERE", _OUTER), "BOX, a SimpleNamespace"),
        Row("function with a cache", in_action("self.x = cached(1)  # HERE", _OUTER), "cached"),
        Row(
            "objects of an ordinary class", in_action("self.x = Counter().count  # HERE", _OUTER), "a frozen dataclass"
        ),
        Row("attribute that is not a field", in_action("self.z = 1  # HERE"), "a change of .z, which is not a field"),
        Row("what the language is made of", in_action("self._tree.values[0] = 1  # HERE"), "_tree"),
        Row("special attributes", in_action("self.__class__.seen = 1  # HERE"), "a change of .seen"),
    ),
)

OUTSIDE = Section(
    "What computes from more than its arguments",
    (
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
    ),
)

IDENTITY = Section(
    "Identity, types, the order of sets",
    (
        Row("is", in_action("require(self.b is True)  # HERE"), "write =="),
        Row("isinstance", in_action("require(isinstance(self.x, int))  # HERE"), "decide by a field or an enum"),
        Row("type()", in_action("require(type(self.x) == int)  # HERE"), "decide by a field or an enum"),
        Row("id()", in_action("require(id(self.x) > 0)  # HERE"), "decide by a field or an enum"),
        Row(
            "class pattern",
            in_action("match self.x:\n    case int():  # HERE\n        self.x = 0"),
            "decide by a field or an enum",
        ),
        Row(
            "singleton pattern",
            in_action("match self.b:\n    case True:  # HERE\n        self.b = False"),
            "write an if",
        ),
        Row(
            "mapping pattern", in_action("match TABLE:\n    case {'a': n}:  # HERE\n        self.x = n"), "write an if"
        ),
        Row("loop over a set", in_action("for n in {1, 2}:  # HERE\n    self.x = n"), "write a tuple, or an OffsetSet"),
        Row(
            "loop over a frozenset of the module",
            in_action("for n in F:  # HERE\n    self.x = n", "F = frozenset({1, 2})"),
            "whose order is not fixed",
        ),
        Row("list of a set", in_action("self.x = list(set((0, 1)))[0]  # HERE"), "write a tuple, or an OffsetSet"),
        Row(
            "frozenset handed on",
            in_action("self.x = f(F)  # HERE", "F = frozenset({1, 2})\ndef f(k): return max(k)"),
            "whose order is not fixed",
        ),
        Row(
            "frozenset of a class",
            declared(
                "class Offending(Fields):  # HERE\n    odd = frozenset({1, 2})\n    @action()\n    def act(self):\n"
                "        for n in self.odd:\n            self.x = n\n"
            ),
            "Offending.odd, a frozenset",
            "odd = frozenset({1, 2})",
        ),
        Row("set in a name", in_action("n = {1, 2}  # HERE\nself.b = 1 in n"), "write a tuple, or an OffsetSet"),
        Row("set comprehension", in_action("n = {i for i in LIST}  # HERE"), "or an OffsetSet"),
    ),
)

EXCEPTIONS = Section(
    "Exceptions",
    (
        Row(
            "bare except",
            in_action("try:\n    self.x = 1\nexcept:  # HERE\n    self.x = 0"),
            "catch the one exception that you mean",
        ),
        Row(
            "except Exception",
            in_action("try:\n    self.x = 1\nexcept (ValueError, Exception):  # HERE\n    self.x = 0"),
            "no error of the model's own",
        ),
        Row(
            "except TypeError",
            in_action("try:\n    self.x = 1\nexcept TypeError:  # HERE\n    self.x = 0"),
            "no error of the model's own",
        ),
        Row(
            "except BaseException by another name",
            in_action("try:\n    self.x = 1\nexcept E:  # HERE\n    self.x = 0", "E = BaseException"),
            "no error of the model's own",
        ),
        Row(
            "except an error of the language",
            in_action("try:\n    self.x = 1\nexcept RefusedError:  # HERE\n    self.x = 0"),
            "no error of the model's own",
        ),
        Row(
            "error that is kept",
            in_action("try:\n    self.x = 1\nexcept ValueError as error:  # HERE\n    self.b = error.args == ()"),
            "leave out `as`",
        ),
        Row(
            "return in finally",
            in_action("try:\n    require(self.b)\nfinally:\n    return  # HERE"),
            "leaving a finally clause",
        ),
        Row("raise SystemExit", in_action("raise SystemExit(0)  # HERE"), "SystemExit"),
        Row("sys.exit", in_action("sys.exit(0)  # HERE", "import sys"), "sys.exit()"),
        Row("raise KeyboardInterrupt", in_action("raise KeyboardInterrupt  # HERE"), "KeyboardInterrupt"),
    ),
)

AMOUNTS = Section(
    "What nothing could interrupt",
    (
        Row("range of very many", in_action("self.x = sum(range(10 ** 11)) % 4  # HERE"), "what the fields can hold"),
        Row(
            "range to a constant",
            in_action("for i in range(LAST):  # HERE\n    self.x = i", "LAST = 1 << 40"),
            "a range",
        ),
        Row("range with a step", in_action("for i in range(0, 10 ** 9, 2):  # HERE\n    self.x = i"), "a range"),
        Row("long text", in_action("self.b = len('x' * 10 ** 9) > 0  # HERE"), "a repetition of over"),
        Row("great power", in_action("self.x = 10 ** (10 ** 9)  # HERE"), "a power with an exponent"),
        Row("long list", in_action("self.b = len([0] * (3 * 10 ** 8)) > 0  # HERE"), "a repetition of over"),
    ),
)

ENDLESS = Section(
    "Code that does not end, or is too large",
    (
        Row(
            "loop without end that asks a field",
            in_action("while True:\n    self.x = 1  # HERE"),
            "has not ended after 200,000 steps",
        ),
        Row(
            "loop without end in a claim",
            in_claim("while model.x >= 0:  # HERE\n    n = 1\nreturn True"),
            "has not ended after 200,000 steps",
        ),
        Row(
            "loop that is too long",
            in_action("for i in range(10**6):\n    self.x = 1  # HERE"),
            "has not ended after 200,000 steps",
        ),
        Row(
            "recursion without end in a claim",
            in_claim("return f(0)", "def f(n): return f(n + 1)  # HERE"),
            "calls itself",
        ),
        Row(
            "recursion without end in rest",
            in_claim("return True", "def f(n): return f(n + 1)  # HERE", kind="at_rest").replace(
                "def rest(self): return True", "def rest(self): return f(0)"
            ),
            "calls itself without end",
        ),
        Row(
            "RecursionError that is raised",
            in_action("raise RecursionError  # HERE"),
            "RecursionError, which is no error",
        ),
        Row(
            "recursion without end", in_action("f(0)", "def f(n): return f(n + 1)  # HERE"), "calls itself without end"
        ),
        Row(
            "too many paths",
            in_action("for bit in self.many:\n    if bit:\n        self.x = 1"),
            "more than 4096 paths",
            "for bit in self.many: if bit: ...",
        ),
        Row("value of too many bits", in_action("self.b = self.far * self.far > 0  # HERE"), "needs 81 bits"),
    ),
)

CLAIMS = Section(
    "Claims, and where a model starts",
    (
        Row("claim that writes", in_claim("model.x = 0  # HERE\nreturn True"), "writing a field in claim claim"),
        Row(
            "claim that writes an item",
            in_claim("model.few[0] = True  # HERE\nreturn True"),
            "writing a field in claim",
        ),
        Row(
            "claim that calls what writes",
            in_claim("model.set_x()\nreturn True"),
            "writing a field in claim",
            "model.set_x()",
        ),
        Row("claim that sends", in_claim("model.q.push(value=1)  # HERE\nreturn True"), "in claim claim"),
        Row("claim with require", in_claim("require(model.b)  # HERE\nreturn True"), "say implies(condition, ...)"),
        Row("claim with bound", in_claim("bound(model.b)  # HERE\nreturn True"), "say implies(condition, ...)"),
        Row(
            "claim that changes the step",
            in_claim('step.args["v"] = 0  # HERE\nreturn True', kind="each_step", given="before, after, step"),
            "does not support item assignment",
            instead="a claim looks and changes nothing",
        ),
        Row(
            "claim that changes a list",
            in_claim("LIST.append(1)  # HERE\nreturn True"),
            "LIST, a list, which could change",
        ),
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
        Row(
            "claim that gives a number",
            in_claim("return 1 if model.b else 2"),
            "gave something other than True or False",
            "return 1 if model.b else 2",
        ),
        Row("claim that raises", in_claim("return model.s.lowest() >= 0  # HERE"), "with a default"),
        Row(
            "initially at random",
            in_model("def initially(self):\n    self.x = random.randint(0, 3)  # HERE"),
            "let a parameter of the action",
        ),
        Row("exit in a claim", in_claim("raise SystemExit(0)  # HERE"), "SystemExit"),
        Row("interrupt in a claim", in_claim("raise KeyboardInterrupt  # HERE"), "KeyboardInterrupt"),
        Row(
            "division by what may be 0 in a claim",
            in_claim("return model.x // model.y == 0  # HERE"),
            "claim claim raises ZeroDivisionError on some states",
        ),
        Row("exit in initially", in_model("def initially(self):\n    raise SystemExit(0)  # HERE"), "SystemExit"),
        Row(
            "initially that leaves no start",
            in_model("def initially(self):  # HERE\n    require(self.x > 0)"),
            "leaves no initial state",
            "def initially(self): require(self.x > 0)",
            instead="a condition that some start meets",
        ),
        Row(
            "initially that raises",
            in_model("def initially(self):\n    raise ValueError('no')  # HERE"),
            "initially() does not fit scope small (messages=2): no (ValueError)",
            instead="`require(...)` for what is not a start",
        ),
        Row(
            "initially that leaves a domain",
            in_model("def initially(self):\n    self.x = 9"),
            "field x: 9 is not in its domain, 0 to 3",
            "self.x = 9",
            instead="a value of the field's domain",
        ),
        Row(
            "initially without end",
            in_model("def initially(self):\n    while True: self.x = 1  # HERE"),
            "has not ended after 200,000 steps",
        ),
        Row(
            "recursion without end in initially",
            declared(
                "def f(n): return f(n + 1)  # HERE\nclass Offending(Fields):\n    def initially(self):\n        self.x = f(0)\n"
            ),
            "calls itself without end",
        ),
        Row(
            "initially with too many combinations",
            in_model(
                "u: int = integer(0, 999, ANYTHING)\nv: int = integer(0, 999, ANYTHING)\ndef initially(self):  # HERE\n    require(self.u < self.v)"
            ),
            "that is 1,000,000 combinations, and at most 65,536 are tried",
            "u, v: integer(0, 999, ANYTHING); require(self.u < self.v)",
            instead="smaller domains, or a first action that chooses",
        ),
        Row(
            "too many initial states",
            in_model("u: int = integer(0, 999, ANYTHING)\nv: int = integer(0, 999, ANYTHING)"),
            "Offending: there are 1,000,000 initial states, and a model has at most 131,072",
            "u, v: integer(0, 999, ANYTHING)",
            instead="smaller domains, or a first action that chooses",
        ),
    ),
)

SECTIONS = (NEVER_RUN, HIDDEN, OUTSIDE, IDENTITY, EXCEPTIONS, AMOUNTS, ENDLESS, CLAIMS)
