"""Paths to keep something outside of the fields: each is refused because it is not on the list of known parts.

A snippet is what `act` does, and what stands at the top of the module; or a whole module, where `act` is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from lang.refusals import declared, in_action, in_parameter

SEEN = """
SEEN = [0]
def tick(*_):
    SEEN[0] = 1 - SEEN[0]
    return SEEN[0]
"""
TICKS = "    def {}(self, *_):\n        SEEN[0] = 1 - SEEN[0]\n        return SEEN[0]\n"


@dataclass(frozen=True)
class Remembering:
    """One way: `act` is the body of an action, or `module` a whole model; with `sort`, the action has a parameter."""

    title: str
    act: str = ""
    before: str = ""
    members: str = ""
    sort: bool = False

    @property
    def text(self) -> str:
        """The text of the model after the header of `refusals`."""
        if self.members:
            act = f"\n    @action()\n    def act(self): {self.act}\n" if self.act else ""
            return declared(f"{self.before}\nclass Offending(Fields):\n{self.members}{act}")
        return (in_parameter if self.sort else in_action)(self.act, self.before)


def _in_class(base: str, title: str, new: str, name: str = "tick") -> Remembering:
    return Remembering(title, "self.x = K.tick()", f"{SEEN}class Odd({base}):\n{TICKS.format(name)}K = Odd({new})")


_BASES = {"list": "[1]", "dict": "a=1", "tuple": "(1,)", "str": "'a'", "int": "1", "frozenset": ""}
_NAMED = "from typing import NamedTuple\nclass P(NamedTuple):\n    a: int = 0\n"
_FROZEN = "@dataclass(frozen=True)\nclass R:\n    a: int\n"
_PROXY = "from types import MappingProxyType\n"

CLASSES = (
    Remembering(
        "private class attribute by a classmethod",
        "self.x = self.counted()",
        members="    _n = 0\n    @classmethod\n    def counted(cls):\n        cls._n += 1\n        return cls._n % 2\n",
    ),
    Remembering(
        "field replaced through cls",
        "self.y = self.counted()",
        members="    @classmethod\n    def counted(cls):\n        cls.x = 1\n        return 1\n",
    ),
    Remembering("private list of the model", "self._k[0] = 1", members="    _k = [0]\n"),
    Remembering(
        "cached property", "self.x = self.k[0]", members="    @functools.cached_property\n    def k(self): return [0]\n"
    ),
    Remembering(
        "cached property that nothing asks",
        "self.x = 1",
        members="    @functools.cached_property\n    def k(self): return [0]\n",
    ),
    Remembering("descriptor", "self.x = self.k", SEEN + "class D:\n" + TICKS.format("__get__"), "    k = D()\n"),
    Remembering("partialmethod", "self.x = self.k()", SEEN, "    k = functools.partialmethod(tick, 1)\n"),
    Remembering(
        "singledispatchmethod",
        "self.x = self.k(1)",
        members="    @functools.singledispatchmethod\n    def k(self, n): return 1\n",
    ),
    Remembering(
        "object that can be called",
        "self.x = self.k()",
        SEEN + "class C:\n" + TICKS.format("__call__"),
        "    k = C()\n",
    ),
    Remembering(
        "property with a setter",
        "self.k = 1",
        SEEN,
        "    @property\n    def k(self): return 1\n    @k.setter\n    def k(self, n): tick()\n",
    ),
    Remembering("__class_getitem__", "self.x = Offending[1]", SEEN, "    __class_getitem__ = classmethod(tick)\n"),
    Remembering("lambda of the class", "self.x = self.k()", SEEN, "    k = lambda self: tick()\n"),
    Remembering(
        "__repr__ in a message", "assert self.b, f'{self!r}'", SEEN, "    def __repr__(self): return str(tick())\n"
    ),
    Remembering(
        "metaclass",
        "self.x = Offending.k",
        "class Meta(type(Component)):\n    k = 1\nclass Fields(Fields, metaclass=Meta): pass\n",
        "    z: int = integer(0, 1)\n",
    ),
    Remembering(
        "component in the model",
        "self.x = self.deep.tick()",
        "class Deep(Component):\n    _k = [0]\n    def tick(self): return self._k[0]\n",
        "    deep: Deep = part(Deep)\n",
    ),
)
MEMBERS = (
    Remembering(
        "private attribute of a member",
        "v._n = 1 - v._n\nself.x = v._n",
        "class Odd(Enum):\n    ONE = 1\nOdd.ONE._n = 0",
        sort=True,
    ),
    Remembering("new attribute of a member", "v.x = 1", "class Odd(Enum):\n    ONE = 1\n", sort=True),
    Remembering(
        "method of an enum",
        "self.x = v.tick()",
        SEEN + "class Odd(Enum):\n    ONE = 1\n" + TICKS.format("tick"),
        sort=True,
    ),
    Remembering("enum of lists", "v.value.append(1)", "class Odd(Enum):\n    ONE = []\n", sort=True),
    Remembering(
        "enum with a mixin",
        "self.x = v.tick()",
        SEEN + "class Mix:\n" + TICKS.format("tick") + "class Odd(Mix, Enum):\n    ONE = 1\n",
        sort=True,
    ),
    Remembering(
        "enum's own lookup",
        "self.x = Odd(2).value",
        "class Odd(Enum):\n    ONE = 1\n    @classmethod\n    def _missing_(cls, v): return cls.ONE\n",
    ),
    Remembering(
        "enum's own metaclass",
        "self.x = len(Odd)",
        "from enum import EnumMeta\nclass M(EnumMeta):\n    def __len__(cls): return 1\nclass Odd(Enum, metaclass=M):\n    ONE = 1",
    ),
    Remembering(
        "list beside the members",
        "self.x = Odd.seen[0]",
        "import enum\nclass Odd(Enum):\n    ONE = 1\n    seen = enum.nonmember([0])",
    ),
)
SUBCLASSES = (
    *(
        _in_class(base, f"{what} of a subclass of {base}", new, name)
        for base, new in _BASES.items()
        for what, name in (("method", "tick"), ("operator", "__eq__"))
    ),
    Remembering(
        "subclass of a list that the action makes",
        "self.x = Odd().tick()",
        SEEN + "class Odd(list):\n" + TICKS.format("tick"),
    ),
    Remembering(
        "subclass of a NamedTuple",
        "self.x = K.tick()",
        SEEN + _NAMED + "class Q(P):\n" + TICKS.format("tick") + "K = Q(1)",
    ),
    Remembering("operator of a NamedTuple", "self.b = K == 1", SEEN + _NAMED + TICKS.format("__eq__") + "K = P(1)"),
    Remembering("private list of a NamedTuple", "self.x = P._seen[0]", _NAMED + "P._seen = [0]"),
    Remembering("dict that Python keeps of a NamedTuple", "P._field_defaults['a'] = 1", _NAMED),
    Remembering(
        "module of its own class",
        "self.x = M.tick",
        "import types\nclass Odd(types.ModuleType):\n    tick = 1\nM = Odd('M')",
    ),
    Remembering(
        "proxy of a dict that makes values",
        "self.x = K[1]",
        f"{_PROXY}from collections import defaultdict\nK = MappingProxyType(defaultdict(lambda: 1))",
    ),
    Remembering(
        "proxy of a subclass of dict",
        "self.x = K[1]",
        f"{_PROXY}class D(dict):\n    def __missing__(self, k): return 1\nK = MappingProxyType(D())",
    ),
    Remembering("proxy of lists", "K[1].append(1)", f"{_PROXY}K = MappingProxyType({{1: []}})"),
)
RECORDS = (
    Remembering("private list of an exception", "Mine._seen.append(1)", "class Mine(Exception):\n    _seen = []"),
    Remembering("exception that counts", "raise Mine", SEEN + "class Mine(Exception):\n" + TICKS.format("__init__")),
    Remembering(
        "exception whose base counts",
        "raise Mine",
        SEEN + "class B(Exception):\n" + TICKS.format("__init__") + "class Mine(B): pass",
    ),
    Remembering("attribute of an exception", "Mine.x = 1", "class Mine(Exception): pass"),
    Remembering("private list of a record", "K._seen.append(1)", _FROZEN + "    _seen = []\nK = R(1)"),
    Remembering("list in a record", "K.a.append(1)", _FROZEN + "K = R([])"),
    Remembering(
        "attribute beside a record's fields", "self.x = K.y[0]", _FROZEN + "K = R(1)\nobject.__setattr__(K, 'y', [1])"
    ),
    Remembering("__getattr__ of a record", "self.x = K.y", SEEN + _FROZEN + TICKS.format("__getattr__") + "K = R(1)"),
    Remembering(
        "descriptor of a record",
        "self.x = K.k",
        SEEN + "class D:\n" + TICKS.format("__get__") + _FROZEN + "    k = D()\nK = R(1)",
    ),
    Remembering(
        "base class of a record",
        "self.x = K.tick()",
        SEEN + "class B:\n" + TICKS.format("tick") + _FROZEN.replace("R:", "R(B):") + "K = R(1)",
    ),
    Remembering(
        "metaclass of a record",
        "R(1)",
        "class M(type):\n    def __call__(cls, *a): return 1\n" + _FROZEN.replace("R:", "R(metaclass=M):"),
    ),
    *(
        Remembering(f"{operator} of a record, {title}", act, f"{SEEN}{before}{_FROZEN}    {operator} = {new}\nK = R(1)")
        for operator, act in (("__eq__", "self.b = K == 1"), ("__lt__", "self.b = K < 1"))
        for title, before, new in (
            ("a partial", "", "functools.partial(tick)"),
            ("an object that can be called", "class C:\n" + TICKS.format("__call__"), "C()"),
            ("a descriptor", "class D:\n    def __get__(self, *_): return tick\n", "D()"),
            ("a method of Python", "", "random.Random(0).choice"),
            ("without a source", "", "0\n    exec('def __eq__(*_): return tick()\\ndef __lt__(*_): return tick()')"),
        )
    ),
    Remembering(
        "record without a source",
        "self.b = K == 1",
        f"{SEEN}exec({_FROZEN + '    def __eq__(*_): return tick()'!r})\nK = R(1)",
    ),
    Remembering(
        "constructor of a NamedTuple", "self.x = P(1)", SEEN + _NAMED + "P.__new__ = functools.partial(tick)\n"
    ),
    Remembering(
        "constructor of an enum",
        "self.x = Odd(1)",
        SEEN + "class Odd(Enum):\n    ONE = 1\nOdd.__new__ = functools.partial(tick)",
    ),
    Remembering("record that can change", "self.x = K.a", "@dataclass\nclass R:\n    a: int\nK = R(1)"),
)
FUNCTIONS = (
    Remembering("attribute of a function in a tuple", "f = FS[0]\nf.n += 1", "def f(): pass\nf.n = 0\nFS = (f,)"),
    Remembering("attribute like a field of a function in a tuple", "f = FS[0]\nf.x = 1", "def f(): pass\nFS = (f,)"),
    Remembering("annotation of an inner function", "def g(n: tick()): return 1\nself.x = g(1)", SEEN),
    Remembering(
        "default of an object", "self.x = f()", "class C:\n    n = 0\ndef f(c=C()):\n    c.n += 1\n    return c.n % 2"
    ),
    Remembering("default by keyword", "self.x = f()", "def f(*, c=[]):\n    c.append(1)\n    return len(c) % 2"),
    Remembering(
        "closure", "self.x = f()", "def make():\n    n = [0]\n    return lambda: n.append(1) or len(n) % 2\nf = make()"
    ),
    Remembering(
        "wrapped function",
        "self.x = f()",
        f"{SEEN}def odd(g):\n    @functools.wraps(g)\n    def inner(): return tick()\n    return inner\n@odd\ndef f(): return 1",
    ),
    Remembering(
        "what a function wraps", "self.x = f.__wrapped__()", f"{SEEN}@functools.wraps(tick)\ndef f(): return 1"
    ),
    Remembering(
        "other code under a function's name",
        "self.x = f()",
        f"{SEEN}def f(): return 1\nf.__code__ = (lambda: tick()).__code__",
    ),
    Remembering("function without a source", "self.x = f()", SEEN + "exec('def f(): return tick()')"),
    Remembering("cache", "self.x = f(1)", "@functools.lru_cache\ndef f(n): return n"),
    Remembering("partial", "self.x = F()", f"{SEEN}F = functools.partial(tick, 1)"),
    Remembering("method of a list", "F(1)", "F = LIST.append"),
    Remembering(
        "method of a class that counts",
        "self.x = K()",
        "class C:\n    n = 0\n    @classmethod\n    def tick(cls): return cls.n\nK = C.tick",
    ),
)
OBJECTS = (
    Remembering(
        "module's own __getattr__",
        "self.x = M.tick",
        "import types\nM = types.ModuleType('M')\nM.__getattr__ = lambda n: 1",
    ),
    Remembering("frame of a generator", "self.x = (i for i in (1,)).gi_frame.f_globals['LIST'][0]"),
    Remembering("globals of a function", "self.x = f.__globals__['n']", "def f(): pass"),
    Remembering("module through sys", "self.x = sys.modules['x'].n", "import sys"),
    Remembering("field's declaration", "Fields.x.y = 1"),
    Remembering("parts of an array", "self.few._items[0] = 1"),
    Remembering("tree of the model", "self._tree.values[0] = 1"),
    Remembering("bounds of the model", "self.bounds['x'] = 1"),
    Remembering("actions of the model", "self.actions.clear()"),
    Remembering("releases of the setting", "self.setting.releases['x'] = 1"),
    Remembering("size of a sort", "WORKERS.size = 3"),
    Remembering("cases of a claim", "C.cases", "@always\ndef C(m): return True"),
    *(
        Remembering(title, "self.x = K[0]", before)
        for title, before in (
            ("deque", "from collections import deque\nK = deque((0, 1))"),
            ("array of numbers", "from array import array as numbers\nK = numbers('i', [1])"),
            ("bytearray", "K = bytearray(1)"),
            ("memoryview", "K = memoryview(bytearray(1))"),
            ("iterator", "K = itertools.repeat(1, 2)"),
            ("view of a dict", "K = {1: 2}.keys()"),
            ("ordinary object in a tuple", "class C: pass\nK = (C(),)"),
            ("ordinary class in a tuple", "class C: pass\nK = (C,)"),
            ("context variable", "import contextvars\nK = contextvars.ContextVar('k', default=0)"),
            ("weak reference", "import weakref\nK = weakref.ref(Fields)"),
        )
    ),
)
STATED = (
    *(
        Remembering(f"list in {new.partition('(')[0]}", "K.about.append(1)", f"K = {new}")
        for new in (
            "Fault('k', [])",
            "Assumption('k', [])",
            "Listener('k', [])",
            "Behaviour('k', role='r', about=[])",
            "Fix('k', [])",
            "Scope('k', {}, about=[])",
        )
    ),
    Remembering("list in a Release", "K.published_as.append(1)", "K = Release('k', published_as=[])"),
    Remembering("list in a Timer", "K.source.append(1)", "K = Timer('k', 1.0, source=[])"),
    Remembering("size of an Index that counts", "self.x = K.size(1)", f"{SEEN}K = Index('k', tick)"),
    Remembering(
        "attribute beside a Fault's fields", "self.x = K.y[0]", "K = Fault('k')\nobject.__setattr__(K, 'y', [1])"
    ),
)
DECLARED = (
    Remembering(
        "size of a sort that counts",
        "self.few[0] = True",
        SEEN,
        "    z: Array[bool] = array(Index('k', tick), flag())\n",
    ),
    Remembering("start of a field that counts", "self.x = 1", SEEN, "    z: int = integer(0, 3, tick)\n"),
    Remembering(
        "among that counts",
        "",
        SEEN,
        "    @action(k=WORKERS, among={'k': lambda m: OffsetSet(tick())})\n    def act(self, k): self.x = 1\n",
    ),
)

REMEMBERING = (*CLASSES, *MEMBERS, *SUBCLASSES, *RECORDS, *FUNCTIONS, *OBJECTS, *STATED, *DECLARED)
"""All of them."""
