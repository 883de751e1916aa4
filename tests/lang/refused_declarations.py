"""What may not be declared: names that are taken, what Python would drop in silence, domains and scopes."""

from __future__ import annotations

from lang.refusals import Row, Section, declared, in_claim, in_model

NAMES = Section(
    "Names that are taken",
    (
        *(
            Row(
                f"action called {name}",
                in_model(f"@action()\ndef {name}(self): self.x = 1  # HERE")
                .replace("    @action()\n", "    @action()  # HERE\n")
                .replace("self.x = 1  # HERE", "self.x = 1"),
                f"{name}",
                f"@action() def {name}(self): ...",
            )
            for name in ("releases", "reset", "scope", "setting", "claims", "actions", "rest", "initially", "listeners")
        ),
        *(
            Row(f"field called {name}", in_model(f"{name}: int = integer(0, 1)  # HERE"), "choose another")
            for name in (
                "scopes",
                "claims",
                "actions",
                "anchored",
                "anchor_lines",
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
            in_model("@always\ndef rest(self): return True"),
            "choose another name",
            "@always def rest(self): ...",
        ),
        Row("plain method called scope", in_model("def scope(self): return 1  # HERE"), "choose another"),
        Row("special method", in_model("def __eq__(self, other): return True  # HERE"), "the language's own"),
        Row("constructor", in_model("def __init__(self): self.n = 0  # HERE"), "use initially()"),
    ),
)

SILENT = Section(
    "Declarations that Python would resolve in silence",
    (
        Row(
            "two actions of one name",
            in_model("@action()\ndef act(self): self.x = 1\n@action()\ndef act(self): self.x = 2  # HERE"),
            "declared twice",
        ),
        Row("two fields of one name", in_model("z: int = integer(0, 1)\nz: bool = flag()  # HERE"), "declared twice"),
        Row(
            "claim and action of one name",
            in_model("@always\ndef act(self): return True\n@action()\ndef act(self): self.x = 2  # HERE"),
            "declared twice",
        ),
        Row(
            "two claims of one name in the module",
            declared(
                "class Offending(Fields):\n    @action()\n    def act(self): self.x = 1\n@always\ndef true(model): return model.x <= 2\n"
            ),
            "stands in no model and in no module that is asked",
            "@always def true(model): ...",
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
            in_model("@always\ndef x(self): return True"),
            "would hide a field of Fields",
            "@always def x(self): ...",
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
            "class Offending(A, B): ...",
        ),
        Row("one field under two names", in_model("v = w = integer(0, 1)  # HERE"), "one and the same field"),
        Row("action without parentheses", in_model("@action  # HERE\ndef act(self): self.x = 1"), "write @action()"),
        Row(
            "id that is the name of another claim",
            in_model(
                "@always(id='first')\ndef second(self): return self.x <= 3\n@always(id='second')  # HERE\ndef third(self): return self.x <= 2"
            ),
            "rename one",
        ),
        Row(
            "claim that needs what is not a witness",
            in_model(
                "@always\ndef low(self): return self.x <= 3\n@always(needs=['low'])  # HERE\ndef lower(self): return self.x <= 2"
            ),
            "mark it @sometimes",
        ),
        Row(
            "remedy that is not a case of the claim",
            in_model(
                "@always(case('low', REFUTED, remedies=['still-low']), case('kept-low', HOLDS))  # HERE\ndef stays_low(self): return self.x <= 2"
            ),
            "name one that holds (kept-low)",
        ),
        Row(
            "remedy that a case of the claim states",
            declared(
                "KEPT = Fix('kept', 'x stays low')\n"
                "class Offending(Fields):\n"
                "    @always(  # HERE\n"
                "        case('low', REFUTED, remedies=[remedy('small', fixes=[KEPT])]),\n"
                "        case('kept-low', HOLDS, fixes=[KEPT]),\n"
                "    )\n"
                "    def stays_low(self): return self.x <= 2\n"
            ),
            'remedies=["kept-low"]',
            "case('low', REFUTED, remedies=[remedy('small', fixes=[KEPT])]), case('kept-low', HOLDS, fixes=[KEPT])",
        ),
        Row(
            "claim at rest without rest()",
            in_model("@at_rest  # HERE\ndef low(self): return self.x <= 3"),
            "define rest(self) -> bool",
        ),
        Row(
            "decorator above an action",
            declared(
                "def guarded(f):\n    @functools.wraps(f)\n    def inner(self): require(self.b)\n    return inner\n"
                "class Offending(Fields):\n    @guarded  # HERE\n    @action()\n    def act(self): self.x = 1\n"
            ),
            "with @action(...) above all other decorators",
        ),
        Row(
            "base class that is not a component",
            declared("class Mixin:\n    def f(self): return 1\nclass Offending(Mixin, Fields):  # HERE\n    pass\n"),
            "derive Mixin from Component",
        ),
        Row("bound in initially", in_model("def initially(self): bound(False)  # HERE"), "say require()"),
        Row(
            "elements for a parameter that is not there",
            in_model("@action(w=WORKERS, among={'v': lambda model: model.s})  # HERE\ndef act(self, w): self.x = 1"),
            "among has 'v'",
            instead='`among={"w": ...}`',
        ),
        Row(
            "elements of a number",
            in_model("@action(w=WORKERS, among={'w': lambda model: model.x})  # HERE\ndef act(self, w): self.x = 1"),
            "among of act is a number, not an offset set",
            instead='`among={"w": lambda model: model.s}`',
        ),
        Row(
            "elements that ask for a parameter",
            in_model("@action(w=WORKERS, among={'w': lambda model, w: model.s})  # HERE\ndef act(self, w): self.x = 1"),
            "takes the model alone",
        ),
        Row(
            "elements that are written",
            declared(
                "def f(model):\n    model.x = 1  # HERE\n    return model.s\nclass Offending(Fields):\n    @action(w=WORKERS, among={'w': f})\n    def act(self, w): self.x = 1\n"
            ),
            "writing a field in among of act",
        ),
        Row("action without self", in_model("@action()  # HERE\ndef act(): pass"), "write def act(self)"),
        Row(
            "action of parameters without self",
            in_model("@action(w=WORKERS)  # HERE\ndef act(w): pass"),
            "write def act(self, w)",
        ),
        Row(
            "parameter without a sort",
            in_model("@action()  # HERE\ndef act(self, w): self.x = 1"),
            "name each parameter once",
            "@action() def act(self, w): ...",
        ),
    ),
)

DOMAINS = Section(
    "Domains, scopes and bounds",
    (
        Row(
            "start outside of the domain",
            in_model("z: int = integer(0, 3, 9)  # HERE"),
            "9 is not in its domain, 0 to 3",
            instead="`integer(0, 3, 2)`",
        ),
        Row(
            "start of another sort",
            in_model("z: bool = flag(1)  # HERE"),
            "is not in its domain",
            instead="`flag(True)`",
        ),
        Row("domain without values", in_model("z: int = integer(3, 0)  # HERE"), "swap lo and hi"),
        Row("domain of too many bits", in_model("z: int = integer(0, 1 << 63)  # HERE"), "needs over 62 bits"),
        Row(
            "too many values to start with",
            in_model("z: int = integer(0, 10**9, ANYTHING)  # HERE"),
            "at most 131,072 initial states",
        ),
        Row(
            "bound that the scope does not have",
            in_model("z: int = integer(0, 'mesages')  # HERE"),
            "did you mean messages?",
        ),
        Row(
            "bound that is not a number",
            in_model("z: int = integer(0, lambda scope: (scope.messages,))  # HERE"),
            "is not a whole number",
        ),
        Row(
            "bound that is a fraction",
            in_model("z: int = integer(0, lambda scope: scope.messages / 2)  # HERE"),
            "write //",
        ),
        Row(
            "optional of a flag",
            in_model("z: bool | None = optional(flag())  # HERE"),
            "holds integers or enum members",
        ),
        Row(
            "optional whose field says where it starts",
            in_model("z: int | None = optional(integer(0, 3, 2))  # HERE"),
            "optional(field, initial)",
            instead="`optional(integer(0, 3), 2)`",
        ),
        Row(
            "enum that is a Flag",
            declared("class F(Flag):  # HERE\n    A = 1\n    B = 2\nclass Offending(Fields):\n    z: F = one_of(F)\n"),
            "objects of class F",
        ),
        Row("queue of what is not a component", in_model("z = fifo(int, 2)  # HERE"), "takes a class of components"),
        Row("bag of what is not a sort", in_model("z = bag({'v': 3})  # HERE"), "not a table of"),
        Row("one of no enum", in_model("z = one_of((1, 2))  # HERE"), "is not an enum"),
        Row(
            "among a name",
            in_model("@action(w=WORKERS, among={'w': 's'})  # HERE\ndef act(self, w): self.x = 1"),
            "write lambda model",
        ),
        Row(
            "enum with its own truth",
            declared(
                "class Odd(Enum):  # HERE\n    A = 0\n    def __bool__(self): return False\n"
                "class Offending(Fields):\n    z: Odd = one_of(Odd)\n"
            ),
            "Odd.__bool__",
        ),
        Row(
            "array over an enum",
            in_model("z = array(Colour, flag())  # HERE"),
            "ranges over an index sort",
            instead='`array(Index("colour", 2), flag())`',
        ),
        Row(
            "array of what is not a field",
            in_model("z = array(WORKERS, int)  # HERE"),
            "neither a class of components nor a field",
        ),
        Row(
            "field without a domain",
            declared("class Offending(Fields):  # HERE\n    z: int\n"),
            "has no domain",
            "z: int",
        ),
        Row(
            "scope whose name is a number",
            in_model('scopes = (Scope(3, {"n": 2}),)  # HERE'),
            "Scope(3, ...): a scope's name is a string; write Scope('small', ...)",
            instead='`Scope("small", {"n": 2})`',
        ),
        Row(
            "negative bound",
            in_model('scopes = (Scope("s", {"n": -2}),)  # HERE'),
            "n=-2 is not a number from 0",
            instead='`Scope("s", {"n": 2})`',
        ),
        Row(
            "bound that is a truth value",
            in_model('scopes = (Scope("s", {"n": True}),)  # HERE'),
            "n=True is not a number",
            instead='`Scope("s", {"n": 1})`',
        ),
        Row(
            "bound with the scope's own name",
            in_model('scopes = (Scope("s", {"name": 2}),)  # HERE'),
            "cannot be called 'name'",
        ),
        Row(
            "bound that the model does not have",
            declared(
                "class Offending(Fields):  # HERE\n"
                '    bounds = {"cups": Default(1, "how many there are")}\n'
                '    scopes = (Scope("s", {"cusp": 2}),)\n'
            ),
            "no bound named 'cusp'; did you mean cups?",
            instead='`Scope("s", {"cups": 2})`',
        ),
        Row(
            "default that the bound may not be",
            declared(
                "class Offending(Fields):  # HERE\n"
                '    bounds = {"cups": Default(0, "how many there are", range(1, 5))}\n'
                '    scopes = (Scope("s"),)\n'
            ),
            "bound cups is a number from 1 to 4, not 0",
            instead="`Default(1, ...)`",
        ),
        Row(
            "default that is not below another bound",
            declared(
                "class Offending(Fields):  # HERE\n"
                '    bounds = {"cups": Default(1, "how many"), "cup": Default(1, "which one", below="cups")}\n'
                '    scopes = (Scope("s"),)\n'
            ),
            "bound cup=1 is not below cups=1",
            instead='`Default(0, "which one", below="cups")`',
        ),
        Row(
            "bound below one that is none",
            declared(
                "class Offending(Fields):  # HERE\n"
                '    bounds = {"cups": Default(1, "how many"), "cup": Default(0, "which one", below="mugs")}\n'
                '    scopes = (Scope("s"),)\n'
            ),
            "no bound of scope s named 'mugs'; did you mean cups?",
            instead='`Default(0, "which one", below="cups")`',
        ),
        Row(
            "fault that is none",
            in_model("@action(fault=3)  # HERE\ndef breaks(self) -> None: ..."),
            "fault=3 is not a fault",
            instead='`fault=Fault("loss", "what is lost")`',
        ),
        Row(
            "two faults of one name",
            in_model(
                '@action(fault=Fault("slip", "a foot slips"))\ndef slips(self) -> None: ...\n@action(fault=Fault("slip", "a pen slips"))  # HERE\ndef writes(self) -> None: ...'
            ),
            "fault 'slip' is 'a pen slips' here and 'a foot slips' elsewhere",
            "declare it once",
        ),
        Row(
            "bound and fault of one name",
            in_model('scopes = (Scope("s", {"n": 2}, {"n": 1}),)  # HERE'),
            "is a bound and a fault",
        ),
        Row(
            "claim that expects a word",
            in_claim("return True").replace("@always", '@always(expected="HOLD")'),
            "the claim expects 'HOLD'",
            '@always(expected="HOLD")',
        ),
        Row(
            "no claim",
            "class Offending(Fields):  # HERE\n    @action()\n    def act(self): self.x = 1\n",
            "Offending claims nothing",
            "class Offending(Model): ...",
        ),
        Row(
            "no scope",
            declared("class Offending(Fields):  # HERE\n    scopes = ()\n"),
            "at least one scope",
            "scopes = ()",
        ),
        Row(
            "two scopes of one name",
            declared(
                'class Offending(Fields):  # HERE\n    scopes = (Scope("s", {"messages": 1}), Scope("s", {"messages": 2}))\n'
            ),
            "has 's' twice",
            'scopes = (Scope("s", {...}), Scope("s", {...}))',
        ),
        Row(
            "scopes that are none",
            declared('class Offending(Fields):  # HERE\n    scopes = ("s",)\n'),
            "must be a tuple of Scope",
            'scopes = ("s",)',
        ),
    ),
)

SECTIONS = (NAMES, SILENT, DOMAINS)
