"""Where declarations may stand and where not, as parts of a model's file; `test_standing` puts each kind in each place.

EXTRA is the declaration, NAME its name. A refusal names the line that ends with `# THERE`, or else with `# HERE`.
"""

from __future__ import annotations

from lang.refusals import Row, Section, declared, in_model

KINDS = {
    "action": "@action()  # HERE\ndef extra(self):\n    self.x = 1\n",
    "action with a sort": "@action(v=Index('v', 2), actor='a[v]')  # HERE\ndef extra(self, v):\n    self.x = v\n",
    "always": "@always  # HERE\ndef extra(model): return model.x <= 1\n",
    "always with an id": "@always(id='extra')  # HERE\ndef extra_one(model): return model.x <= 1\n",
    "each_step": "@each_step  # HERE\ndef extra(before, after, step): return after.x <= 1\n",
    "at_rest": "@at_rest  # HERE\ndef extra(model): return model.x <= 1\n",
    "sometimes": "@sometimes  # HERE\ndef extra(model): return model.x == 1\n",
    "table of cases": "@always(case('extra', HOLDS), case('E2', HOLDS))  # HERE\ndef is_small(model): return model.x <= 1\n",
}
"""Paths to declare, each with the line that a refusal names."""

IMPORTS = """\
import functools
from offsetproof.lang import *

"""

MODEL = f"""\
{IMPORTS}class Base(Model):
    x: int = integer(0, 1)

    def rest(self): return self.x == 1

    @action()
    def moves(self): self.x = 1 - self.x

"""

OFFENDING = "class Offending(Base):\n    pass\n"

ASKED = {
    "body of the model": "class Offending(Base):\n    EXTRA\n",
    "body of a base class of the model": "class Middle(Base):\n    EXTRA\n" + OFFENDING.replace("Base", "Middle"),
    "component that the model derives from": "class Mixin(Component):\n    EXTRA\nclass Offending(Mixin, Base):\n    pass\n",
    "condition in the body": "class Offending(Base):\n    if True:\n        EXTRA\n",
    "function that gives the model": "def make():\n    class Offending(Base):\n        EXTRA\n    return Offending\nMade = make()\n",
    "function whose value the body has": "def make():\n    EXTRA\n    return NAME\nclass Offending(Base):\n    own = make()\n",
    "top of the module, and an alias in the body": "EXTRA\nclass Offending(Base):\n    own = NAME\n",
    "class that a decorator derives": (
        "def adds(cls):\n    EXTRA\n    return type('Offending', (cls,), {'own': NAME})\n@adds\nclass Offending(Base):\n    pass\n"
    ),
    "two names": "class Offending(Base):\n    EXTRA\n    own = NAME\n",
}
"""Places where every declaration is asked."""

CLAIMS_ASKED = {
    "top of the module": "EXTRA\n" + OFFENDING,
    "function whose value the module has": "def make():\n    EXTRA\n    return NAME\nown = make()\n" + OFFENDING,
    "another name of the module": "EXTRA\nown = NAME\ndel NAME\n" + OFFENDING,
}
"""Places where claims are asked, and actions are not taken."""

REFUSED = {
    "component that is a part": "class Part(Component):\n    EXTRA\nclass Offending(Base):\n    p: Part = part(Part)\n",
    "base class of a component that is a part": (
        "class Old(Component):\n    EXTRA\nclass Part(Old):\n    pass\nclass Offending(Base):\n    p: Part = part(Part)\n"
    ),
    "component in an array": (
        "class Part(Component):\n    EXTRA\nclass Offending(Base):\n    p: Array[Part] = array(Index('p', 2), Part)\n"
    ),
    "component in a queue": (
        "class Part(Component):\n    y: int = integer(0, 1)\n    EXTRA\nclass Offending(Base):\n    p: Fifo[Part] = fifo(Part, 2)\n"
    ),
    "model that is a part": "class Part(Base):\n    EXTRA\nclass Offending(Base):\n    p: Part = part(Part)\n",
    "component that nothing has": "class Part(Component):\n    EXTRA\n" + OFFENDING,
    "plain class": "class Plain:\n    EXTRA\n" + OFFENDING,
    "plain class in the model": "class Offending(Base):\n    class Plain:\n        EXTRA\n",
    "component in the model": "class Offending(Base):\n    class Part(Component):\n        EXTRA\n",
    "model in the model": "class Offending(Base):\n    class Inner(Base):\n        EXTRA\n",
    "function whose value nothing has": "def make():\n    EXTRA\n    return NAME\nmake()\n" + OFFENDING,
    "list of the module": "EXTRA\nALL = [NAME]\ndel NAME\n" + OFFENDING,
    "tuple of the module": "EXTRA\nALL = (NAME,)\ndel NAME\n" + OFFENDING,
    "table of the module": "EXTRA\nALL = {'extra': NAME}\ndel NAME\n" + OFFENDING,
    "list of the model": "class Offending(Base):\n    EXTRA\n    ALL = [NAME]\n    del NAME\n",
    "attribute of a function": "EXTRA\ndef f(): pass\nf.own = NAME\ndel NAME\n" + OFFENDING,
    "partial": "EXTRA\nNAME = functools.partial(max, NAME)\n" + OFFENDING,
    "loop of the module": "for n in range(2):\n    EXTRA\n" + OFFENDING,
    "name that the module gives to something else": "EXTRA\nNAME = None\n" + OFFENDING,
    "name that the module gives to a function": "EXTRA\ndef NAME(model): return True\n" + OFFENDING,
    "name that the module deletes": "EXTRA\ndel NAME\n" + OFFENDING,
    "name that the body deletes": "class Offending(Base):\n    EXTRA\n    del NAME\n",
    "body changed behind its back": "class Offending(Base):\n    EXTRA\n    locals().update(NAME=None)\n",
    "body without its own names": "class Offending(Base):\n    EXTRA\n    locals().clear()\n",
    "class set by Python's own means": OFFENDING + "EXTRA\ntype.__setattr__(Offending, 'own', NAME)\ndel NAME\n",
    "model of the same name": "class Offending(Base):\n    EXTRA\nclass Offending(Base):\n    y: int = integer(0, 1)\n",
    "model that a decorator replaces": (
        "class Other(Base):\n    pass\n@lambda cls: Other\nclass Offending(Base):\n    EXTRA\n"
    ),
    "model in a plain class": "class Plain:\n    class Inner(Base):\n        EXTRA\n" + OFFENDING,
    "model that a function makes for a list": (
        "def make():\n    class Inner(Base):\n        EXTRA\n    return Inner\nALL = [make()]\n" + OFFENDING
    ),
    "deleted model": "class Old(Base):\n    EXTRA\ndel Old\n" + OFFENDING,
}
"""Places where nothing would ask for a declaration; it is refused at its own line."""

CHANGED = {
    "class that is set afterwards": OFFENDING + "EXTRA\nOffending.own = NAME  # THERE\n",
    "class that setattr changes": OFFENDING + "EXTRA\nsetattr(Offending, 'own', NAME)  # THERE\n",
    "class decorator": "EXTRA\ndef adds(cls):\n    cls.own = NAME  # THERE\n    return cls\n@adds\n" + OFFENDING,
    "class whose declaration is deleted": "class Offending(Base):\n    EXTRA\ndel Offending.NAME  # THERE\n",
    "class whose declaration is replaced": "class Offending(Base):\n    EXTRA\nOffending.NAME = None  # THERE\n",
    "class whose claims are emptied": "class Offending(Base):\n    EXTRA\nOffending.claims = ()  # THERE\n",
    "class whose actions are emptied": "class Offending(Base):\n    EXTRA\nOffending.actions = {}  # THERE\n",
    "body with claims of its own": "class Offending(Base):  # THERE\n    EXTRA\n    claims = ()\n",
    "metaclass": (
        "class Meta(type(Model)):\n    @classmethod\n    def __prepare__(cls, *given): return {}\n"
        "class Offending(Base, metaclass=Meta):  # THERE\n    EXTRA\n"
    ),
    "class that does not tell its base classes of others": (
        "class Quiet(Component):\n    def __init_subclass__(cls): pass  # THERE\nclass Offending(Quiet, Base):\n    EXTRA\n"
    ),
    "field of the same name": "class Offending(Base):\n    EXTRA\n    NAME: int = integer(0, 1)  # THERE\n",
}
"""Paths to change a class that are refused as such, at the line that does it."""

ABOVE = (
    "staticmethod",
    "classmethod",
    "property",
    "functools.cached_property",
    "functools.lru_cache",
    "functools.singledispatch",
    "functools.partial(functools.partial, max)",
    "lambda f: (f,)",
    "lambda f: None",
    "lambda f: lambda *given: f(*given)",
    "lambda f: functools.wraps(f)(lambda *given: f(*given))",
)
"""Decorators that make something else of what they get."""

MODULES = {
    "imported whole": ("import props\n" + OFFENDING, False),
    "imported whole by another name": ("import props as other\n" + OFFENDING, False),
    "imported by its name": ("from props import NAME\n" + OFFENDING, True),
    "imported by its name, as another": ("from props import NAME as other\n" + OFFENDING, True),
    "imported with all others": ("from props import *\n" + OFFENDING, True),
    "named through its module": ("import props\nown = props.NAME\n" + OFFENDING, True),
    "imported for a base class": ("from props import Mixin\nclass Offending(Mixin, Base):\n    pass\n", False),
    "imported for a part": ("from props import Mixin\nclass Offending(Base):\n    p: Mixin = part(Mixin)\n", False),
    "imported with a base class": ("from props import *\nclass Offending(Mixin, Base):\n    pass\n", True),
    "imported for a constant": ("from props import NUMBER\n" + OFFENDING, False),
    "imported within a function": ("def imports():\n    import props\nimports()\n" + OFFENDING, False),
    "imported, and its name deleted": ("import props\ndel props\n" + OFFENDING, False),
    "imported by a module between": ("from between import helps\n" + OFFENDING, False),
    "imported from a package": ("from package import helps\n" + OFFENDING, False),
    "imported by a call": ("import importlib\nimportlib.import_module('props')\n" + OFFENDING, False),
    "imported by calls of a module between": (
        "import importlib\nimportlib.import_module('calls')\n" + OFFENDING,
        False,
    ),
    "imported by a call and by its name": ("__import__('props')\nfrom props import NAME\n" + OFFENDING, True),
    "imported by its name, and by a module between": ("from between import helps, NAME\n" + OFFENDING, True),
    "imported and given to something else": ("from props import NAME\nNAME = None\nimport props\n" + OFFENDING, False),
}
"""Paths to import a module of claims, and whether its claim is asked then."""

STRAY = Section(
    "Declarations that stand where nothing would ask for them",
    (
        Row(
            "action of a part",
            declared(
                "class Desk(Component):\n    open: bool = flag()\n    @action()  # HERE\n    def opens(self): self.open = True\n"
                "class Offending(Fields):\n    desk: Desk = part(Desk)\n"
            ),
            "action Desk.opens stands in a part of a model",
            "class Desk(Component): ... @action() def opens(self): ...",
        ),
        Row(
            "claim of a part",
            declared(
                "class Desk(Component):\n    open: bool = flag()\n    @always  # HERE\n    def shut(self): return negation(self.open)\n"
                "class Offending(Fields):\n    desk: Desk = part(Desk)\n"
            ),
            "claim Desk.shut stands in a part of a model",
            "class Desk(Component): ... @always def shut(self): ...",
        ),
        Row(
            "start of a part",
            declared(
                "class Desk(Component):\n    open: bool = flag()\n    def initially(self): self.open = True  # HERE\n"
                "class Offending(Fields):\n    desk: Desk = part(Desk)\n"
            ),
            "method Desk.initially stands in a part of a model",
        ),
        Row(
            "action of a component that no model derives from",
            declared(
                "class Desk(Component):\n    @action()  # HERE\n    def opens(self): self.open = True\nclass Offending(Fields):\n    pass\n"
            ),
            "no base class of one",
            "class Desk(Component): ... @action() def opens(self): ...",
        ),
        Row(
            "model that another of its name replaces",
            declared(
                "class Offending(Fields):\n    @always  # HERE\n    def low(self): return self.x <= 2\nclass Offending(Fields):\n    pass\n"
            ),
            "give each model a name of its own",
            "class Offending(Fields): ... class Offending(Fields): ...",
        ),
        Row(
            "decorator above a claim",
            in_model("@staticmethod  # HERE\n@always\ndef low(self): return self.x <= 2"),
            "with @always above all other decorators",
        ),
        Row(
            "decorator below a claim",
            in_model("@always  # HERE\n@staticmethod\ndef low(self): return self.x <= 2"),
            "write @always directly above a def",
            "@always @staticmethod def low(self): ...",
        ),
        Row(
            "claim in a class that is no model",
            in_model("class Claims:\n    @always  # HERE\n    def low(self): return self.x <= 2"),
            "stands in no model",
            "class Claims: ... @always def low(self): ...",
        ),
        Row(
            "claims in a list",
            declared(
                "class Offending(Fields):\n    pass\ndef low(model): return model.x <= 2  # HERE\nCLAIMS = [always(low)]\n"
            ),
            "under a name of its own",
            "CLAIMS = [always(low)]",
        ),
        Row(
            "claims of a loop",
            declared(
                "class Offending(Fields):\n    pass\nfor n in range(2):\n    @always  # HERE\n    def low(model, n=n): return model.x <= n\n"
            ),
            "under a name of its own",
            "for n in range(2): ... @always def low(model, n=n): ...",
        ),
        Row(
            "claim whose name is given to something else",
            declared(
                "class Offending(Fields):\n    pass\n@always  # HERE\ndef low(model): return model.x <= 2\nlow = None\n"
            ),
            "under a name of its own",
            "@always def low(model): ... low = None",
        ),
        Row(
            "action beside the model",
            declared("class Offending(Fields):\n    pass\n@action()  # HERE\ndef act(model): model.x = 2\n"),
            "action act stands in no model",
            "@action() def act(model): ...",
        ),
        Row(
            "action that is set afterwards",
            declared(
                "class Offending(Fields):\n    pass\ndef act(model): model.x = 2\nOffending.act = action()(act)  # HERE\n"
            ),
            "declare it in the class body",
        ),
        Row(
            "claim that a class decorator sets",
            declared(
                "def adds(cls):\n    cls.low = always(lambda model: model.x <= 2)  # HERE\n    return cls\n"
                "@adds\nclass Offending(Fields):\n    pass\n"
            ),
            "declare it in the class body",
        ),
        Row(
            "metaclass",
            declared(
                "class Meta(type(Model)):\n    @classmethod\n    def __prepare__(cls, *given): return {}\n"
                "class Offending(Fields, metaclass=Meta):  # HERE\n    pass\n"
            ),
            "has the metaclass Meta",
        ),
        Row("subclass hook", in_model("def __init_subclass__(cls): pass  # HERE"), "the language's own"),
        Row(
            "claims of a model that are a constant",
            declared("class Offending(Fields):  # HERE\n    claims = ()\n"),
            "choose another",
            "claims = ()",
        ),
        Row(
            "witness over a claim",
            declared(
                "class Base(Fields):\n    @always\n    def low(self): return self.x <= 2\n"
                "class Offending(Base):\n    @sometimes  # HERE\n    def low(self): return self.x <= 2\n"
            ),
            "would hide a @always claim of Base",
            "@sometimes def low(self): ...",
        ),
        Row(
            "action that is marked twice",
            in_model("@action(actor='a')  # HERE\n@action()\ndef act(self): self.x = 2"),
            "action act stands in no model",
        ),
    ),
)

SECTIONS = (STRAY,)
