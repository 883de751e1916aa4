"""Claims: sentences about a model that should be true, each one function, judged in one or more cases.

@always
def at_most_one_live_queue(world: World) -> bool:
    ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import FunctionType, MappingProxyType
from typing import Any, ClassVar, overload

from offsetproof.lang.cases import HOLDS, REFUTED, Case, Expectation, Remedy, case
from offsetproof.lang.errors import DeclarationError, refuse_unwritable
from offsetproof.lang.registry import function_marked, note_claim
from offsetproof.lang.remedies import remedies_of
from offsetproof.lang.setting import Assumption, Behaviour, Fix, Listener, Setting
from offsetproof.lang.source_paths import shown_place
from offsetproof.lang.world import CHANGED


def with_hyphens(name: str) -> str:
    """A claim's name as people see it; who types underscores for its hyphens means the same.

    >>> with_hyphens("backward_reset_stays")
    'backward-reset-stays'
    """
    return name.replace("_", "-")


Judge = Callable[..., bool | tuple[bool, bool]]
"""A claim's function; that of a `leads_to` claim gives two truths."""


class ClaimKind(StrEnum):
    """What a claim's function is asked about."""

    ALWAYS = "always"
    EACH_STEP = "each_step"
    AT_REST = "at_rest"
    SOMETIMES = "sometimes"
    NO_DEADLOCK = "no_deadlock"
    EVENTUALLY = "eventually"
    LEADS_TO = "leads_to"

    @property
    def is_about_runs(self) -> bool:
        """Is it about what comes in the end of a run, which no state or step shows alone?"""
        return self in (ClaimKind.EVENTUALLY, ClaimKind.LEADS_TO)


@dataclass(frozen=True)
class Step:
    """The step that an `each_step` claim judges: which action, with which arguments (which no claim can change)."""

    action: str
    args: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "args", MappingProxyType(dict(self.args)))


def title_of(name: str, id: str) -> str:
    """A claim's case as people read it: by the claim's name, the case's alias beside it where it has one.

    >>> title_of("backward-reset-stays", "I5"), title_of("never_falls", "never_falls")
    ('backward-reset-stays (I5)', 'never_falls')
    """
    return name if name == id else f"{name} ({id})"


@dataclass(frozen=True, eq=False)
class Property:
    """A claim in one of its cases: what is decided, in each scope of the case.

    `name` is the claim's, in words with hyphens where it has a table of cases; `id` is the case's own short one.
    `remedies` are those of the case, with what the cases that it names have beside it.
    """

    declared_kind: ClassVar[str] = "claim"

    name: str
    kind: ClaimKind
    function: Callable[..., bool]
    case: Case
    file: str
    line: int
    remedies: tuple[Remedy, ...] = ()

    @property
    def id(self) -> str:
        """The short name, which no other case of any claim has."""
        return self.case.id

    @property
    def title(self) -> str:
        """What people read: the name, with the id beside it."""
        return title_of(self.name, self.id)

    @property
    def scopes(self) -> tuple[str, ...]:
        """Where to ask; empty for the model's first scope."""
        return self.case.scopes

    @property
    def needs(self) -> tuple[str, ...]:
        """The witnesses that must be reached for a HOLDS to mean something."""
        return self.case.needs

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The fixes that it is stated with."""
        return self.case.fixes

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What it is stated under."""
        return self.case.assumptions

    @property
    def listener(self) -> Listener | None:
        """The listener that it is stated for; None for the model's first."""
        return self.case.listener

    @property
    def place(self) -> str:
        """`file:line` of the function."""
        return shown_place(self.file, self.line)

    @property
    def sentence(self) -> str:
        """The claim in plain words: the first paragraph of its docstring."""
        text = (self.function.__doc__ or "").strip().split("\n\n")[0]
        return " ".join(text.split())

    @property
    def about(self) -> str:
        """The claim in plain words, and what is special about the case."""
        where = self.case.where
        return f"{self.sentence.removesuffix('.')}, {where}." if where else self.sentence

    def words_in(self, scope: str, listener: str | None) -> str:
        """What is special about the case, empty where that is not so: in another scope, or with another listener."""
        in_scope = not self.scopes or scope.removesuffix(CHANGED) in self.scopes
        return self.case.where if in_scope and self._has_listener(listener) else ""

    def about_in(self, scope: str, listener: str | None) -> str:
        """The claim in plain words, as it is asked in a scope and with a listener."""
        return self.about if self.words_in(scope, listener) else self.sentence

    def _has_listener(self, name: str | None) -> bool:
        return self.listener is None or self.listener.name == name

    @property
    def expectations(self) -> Mapping[str, Expectation]:
        """The verdicts that are stated, by release; that of all releases not named under the empty string."""
        stated = {} if self.case.expected is None else {"": self.case.expected}
        return {**stated, **self.case.elsewhere}

    def expects(self, setting: Setting) -> Expectation | None:
        """The expected verdict, if the claim states one: for its own scopes, fixes, assumptions and listener.

        What a small world shows, a violation or a witness, a large scope shows as well.
        """
        if setting.fixes != self.fixes or setting.assumptions != self.assumptions:
            return None
        if setting.listener != self.listener and (self.listener is not None or setting.other_listener):
            return None
        expected = self.case.expected_in(setting)
        if setting.scope.name in self.scopes or not self.scopes:
            return expected
        shown = HOLDS if self.kind is ClaimKind.SOMETIMES else REFUTED
        return expected if setting.scope.large and expected is shown else None

    def required(self, setting: Setting) -> Expectation:
        """The verdict that is as expected: the one that the claim states, or else that it holds."""
        return self.expects(setting) or HOLDS


@dataclass(frozen=True)
class Claim:
    """A claim with a table of cases."""

    declared_kind: ClassVar[str] = "claim"

    function: Callable[..., bool]
    cases: tuple[Property, ...]

    @property
    def kind(self) -> ClaimKind:
        """That of all its cases."""
        return self.cases[0].kind

    @property
    def place(self) -> str:
        """`file:line` of the function."""
        return self.cases[0].place


def properties_of(value: object) -> tuple[Property, ...]:
    """What is decided of a value that a module or a model declares; nothing where it is not a claim."""
    return value.cases if isinstance(value, Claim) else (value,) if isinstance(value, Property) else ()


class _Declare:
    """A decorator for claims of one kind: `@always`, `@always(expected=REFUTED)`, `@always(case(...), case(...))`."""

    def __init__(self, kind: ClaimKind) -> None:
        self.kind = kind

    @overload
    def __call__(self, function: Judge, /) -> Property: ...
    @overload
    def __call__(self, first: Case, /, *more: Case) -> Callable[[Judge], Claim]: ...
    @overload
    def __call__(
        self,
        /,
        *,
        id: str = "",
        expected: Expectation | Mapping[str, Expectation] | None = None,
        scopes: Iterable[str] = (),
        needs: Iterable[str] = (),
        assumptions: Iterable[Assumption] = (),
        fixes: Iterable[Fix | Behaviour] = (),
        listener: Listener | None = None,
    ) -> Callable[[Judge], Property]: ...
    def __call__(
        self, given: Judge | Case | None = None, /, *more: Case, **stated: Any
    ) -> Property | Callable[[Judge], Property | Claim]:
        if isinstance(given, Case):
            return lambda function: self._claim(function, (given, *more))
        return self._single(given) if given is not None else lambda function: self._single(function, **stated)

    def _claim(self, given: Judge, cases: tuple[Case, ...]) -> Claim:
        function = function_marked(f"@{self.kind}", given)
        name = with_hyphens(function.__name__)
        made = Claim(function, tuple(self._property(name, function, each, cases) for each in cases))
        note_claim(self.kind, function, (made, *made.cases))
        return made

    def _single(
        self,
        given: Judge,
        *,
        id: str = "",
        expected: Expectation | Mapping[str, Expectation] | None = None,
        scopes: Iterable[str] = (),
        **stated: Any,
    ) -> Property:
        function = function_marked(f"@{self.kind}", given)
        elsewhere = expected if isinstance(expected, Mapping) else {}
        everywhere = None if isinstance(expected, Mapping) else expected
        only = case(id or function.__name__, everywhere, *scopes, elsewhere=elsewhere, **stated)
        made = self._property(function.__name__, function, only)
        note_claim(self.kind, function, (made,))
        return made

    def _property(self, name: str, function: FunctionType, each: Case, cases: tuple[Case, ...] = ()) -> Property:
        code = function.__code__
        place = shown_place(code.co_filename, code.co_firstlineno)
        _refuse_odd(place, each)
        remedies = remedies_of(each, cases, f"{place}: case {each.id} of claim {name}")
        return Property(name, self.kind, function, each, code.co_filename, code.co_firstlineno, remedies)


def _refuse_odd(place: str, each: Case) -> None:
    """DeclarationError for an id that is not a string, or an expected verdict that is none."""
    if not isinstance(each.id, str):
        raise DeclarationError(f"{place}: a claim's id is a string, not {each.id!r}")
    refuse_unwritable(place, each.id)
    stated: list[object] = [each.expected, *each.elsewhere.values()]
    odd = next((verdict for verdict in stated if not isinstance(verdict, Expectation | None)), None)
    if odd is not None:
        raise DeclarationError(f"{place}: the claim expects {odd!r}; write HOLDS or REFUTED")


always = _Declare(ClaimKind.ALWAYS)
"""True in every reachable state. The function takes the model."""

each_step = _Declare(ClaimKind.EACH_STEP)
"""True of every step. The function takes the model before, the model after, and the `Step`."""

at_rest = _Declare(ClaimKind.AT_REST)
"""True in every reachable state in which the model's `rest` is true. The function takes the model."""

sometimes = _Declare(ClaimKind.SOMETIMES)
"""A witness: true in at least one reachable state. The function takes the model."""


eventually = _Declare(ClaimKind.EVENTUALLY)
"""True once in every fair run, sooner or later. The function takes the model."""

leads_to = _Declare(ClaimKind.LEADS_TO)
"""Whenever the first comes in a fair run, the second comes then or later. The function takes the model, and gives both
truths: `return self.waits, self.is_served`.
"""


def one_of_each(claims: Iterable[Property], setting: Setting) -> tuple[Property, ...]:
    """Cases of one claim are judged alike: one stands for all, which is stated for this setting if any is."""
    cases: dict[object, list[Property]] = {}
    for prop in claims:
        cases.setdefault(prop.function, []).append(prop)
    return tuple(max(those, key=lambda prop: prop.expects(setting) is not None) for those in cases.values())


def _anywhere(_model: object) -> bool:
    """From every reachable state some action can be taken (or would be, were it not for a bound of the scope)."""
    return True


NO_DEADLOCK = Property("no_deadlock", ClaimKind.NO_DEADLOCK, _anywhere, case("no_deadlock", None), __file__, 0)
"""The claim that no reachable state is without a step; off unless asked for."""


def _can_be_walked(_model: object) -> bool:
    """The model can go this way, from its beginning to the last step."""
    return True


WALK = Property("walk-by-hand", ClaimKind.SOMETIMES, _can_be_walked, case("walk-by-hand", None), __file__, 0)
"""What a trace shows that breaks and reaches nothing: only its whole length does. No engine is asked for it."""
