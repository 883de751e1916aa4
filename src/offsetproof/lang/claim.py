"""Claims: sentences about a model that should be true, each one function.

@always(id="I8", expected={"4.9.4": REFUTED}, scopes=["two-consumers"])
def at_most_one_live_life(world: World) -> bool:
    ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, overload

from offsetproof.lang.errors import DeclarationError, refuse_unwritable
from offsetproof.lang.places import shown_place
from offsetproof.lang.setting import Assumption, Fix, Listener, Setting


class ClaimKind(StrEnum):
    """What a claim's function is asked about."""

    ALWAYS = "always"
    EACH_STEP = "each_step"
    AT_REST = "at_rest"
    SOMETIMES = "sometimes"
    NO_DEADLOCK = "no_deadlock"


class Expectation(StrEnum):
    """The verdict that a release is expected to give."""

    HOLDS = "HOLDS"
    REFUTED = "REFUTED"


HOLDS, REFUTED = Expectation.HOLDS, Expectation.REFUTED


@dataclass(frozen=True)
class Step:
    """The step that an `each_step` claim judges: which action, with which arguments (which no claim can change)."""

    action: str
    args: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "args", MappingProxyType(dict(self.args)))


@dataclass(frozen=True, eq=False)
class Property:
    """A claim with its id, what is expected of it, and where to decide it.

    `expected` maps a release (or None for a model without releases) to a verdict. `needs` are the ids of witnesses
    that must be reached for a HOLDS to mean something. `assumptions`, `fixes` and `listener` are part of the claim: it
    is stated under them (without a listener: for the model's first).
    """

    declared_kind: ClassVar[str] = "claim"

    id: str
    name: str
    kind: ClaimKind
    function: Callable[..., bool]
    expected: Mapping[str | None, Expectation]
    scopes: tuple[str, ...]
    needs: tuple[str, ...]
    assumptions: tuple[Assumption, ...]
    fixes: tuple[Fix, ...]
    file: str
    line: int
    listener: Listener | None = None

    @property
    def place(self) -> str:
        """`file:line` of the function."""
        return shown_place(self.file, self.line)

    @property
    def about(self) -> str:
        """The claim in plain words: the first paragraph of its docstring."""
        text = (self.function.__doc__ or "").strip().split("\n\n")[0]
        return " ".join(text.split())

    def expects(self, setting: Setting) -> Expectation | None:
        """The expected verdict, if the claim states one: for its own scopes, fixes, assumptions and listener.

        What a small world shows, a violation or a witness, a large scope shows as well.
        """
        if setting.fixes != self.fixes or setting.assumptions != self.assumptions:
            return None
        if setting.listener != self.listener and (self.listener is not None or setting.other_listener):
            return None
        expected = self.expected.get(setting.release)
        if setting.scope.name in self.scopes or not self.scopes:
            return expected
        shown = HOLDS if self.kind is ClaimKind.SOMETIMES else REFUTED
        return expected if setting.scope.large and expected is shown else None

    def required(self, setting: Setting) -> Expectation:
        """The verdict that is as expected: the one that the claim states, or else that it holds."""
        return self.expects(setting) or HOLDS


Judge = Callable[..., bool]


class _Declare:
    """A decorator for claims of one kind, with or without arguments: `@always`, `@always(id="I1", ...)`."""

    def __init__(self, kind: ClaimKind) -> None:
        self.kind = kind

    @overload
    def __call__(self, function: Judge, /) -> Property: ...
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
        fixes: Iterable[Fix] = (),
        listener: Listener | None = None,
    ) -> Callable[[Judge], Property]: ...
    def __call__(self, function: Judge | None = None, /, **stated: Any) -> Property | Callable[[Judge], Property]:
        if function is not None:
            return self._property(function)
        return lambda function: self._property(function, **stated)

    def _property(
        self,
        function: Judge,
        *,
        id: str = "",
        expected: Expectation | Mapping[str, Expectation] | None = None,
        scopes: Iterable[str] = (),
        needs: Iterable[str] = (),
        assumptions: Iterable[Assumption] = (),
        fixes: Iterable[Fix] = (),
        listener: Listener | None = None,
    ) -> Property:
        code = function.__code__
        table: dict[str | None, Expectation] = {}
        if isinstance(expected, Mapping):
            table.update(expected.items())
        elif expected is not None:
            table[None] = expected
        _refuse_odd(shown_place(code.co_filename, code.co_firstlineno), id, table)
        return Property(
            id or function.__name__,
            function.__name__,
            self.kind,
            function,
            table,
            tuple(scopes),
            tuple(needs),
            tuple(assumptions),
            tuple(fixes),
            code.co_filename,
            code.co_firstlineno,
            listener,
        )


def _refuse_odd(place: str, id: object, expected: Mapping[str | None, object]) -> None:
    """DeclarationError for an id that is no text, or an expected verdict that is none."""
    if not isinstance(id, str):
        raise DeclarationError(f"{place}: a claim's id is a text, not {id!r}")
    refuse_unwritable(place, id)
    odd = next((verdict for verdict in expected.values() if not isinstance(verdict, Expectation)), None)
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


def _anywhere(_model: object) -> bool:
    """From every reachable state some action can be taken (or would be, were it not for a bound of the scope)."""
    return True


NO_DEADLOCK = Property("no_deadlock", "no_deadlock", ClaimKind.NO_DEADLOCK, _anywhere, {}, (), (), (), (), __file__, 0)
"""The claim that no reachable state is without a step; off unless asked for."""
