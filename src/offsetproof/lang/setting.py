"""What varies between runs of one model: releases per role, fixes, assumptions and listeners, all as data.

Models ask for behaviours (`self.setting.behaves(...)`), never for version strings. A fix replaces behaviour; an
assumption is a real mechanism that rules something out, and says what.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from itertools import product
from types import MappingProxyType, ModuleType
from typing import TypeVar

from offsetproof.lang.collecting import Collector
from offsetproof.lang.scope import Scope
from offsetproof.lang.timing import Timer, TimerChange


@dataclass(frozen=True)
class Behaviour:
    """One named way in which releases differ. `source` is the commit, pull request or class that shows it.

    Taken alone it is a fix: where a case or a remedy names its fixes, a behaviour may be among them.

    `whose` says whose release decides, where a bound of the scope says it: the bound's name, and a role for each of its
    values from 0 on. Where that is "" nobody has the behaviour, fix or not.

    `brings` names actions that do under this behaviour what others do without it: a story that the behaviour breaks off
    may go on with them.

    `else_role` makes `role` one that settings need not name: where they do not, it is of that role's release.

    `also` names other roles whose programs a patch would have to change; their releases decide nothing.
    """

    name: str
    role: str
    about: str
    source: str = ""
    brings: tuple[str, ...] = ()
    whose: tuple[str, tuple[str, ...]] | None = None
    else_role: str = ""
    also: tuple[str, ...] = ()

    def role_in(self, scope: Scope) -> str:
        """Whose release decides in a scope; "" where nobody has it.

        >>> Behaviour("locks", role="shop", about="", whose=("door", ("shop", ""))).role_in(Scope("s", {"door": 0}))
        'shop'
        """
        bound, roles = self.whose or ("", ())
        bounds = vars(scope)["bounds"]  # asking for a behaviour is no question to the scope
        return roles[bounds[bound]] if bound in bounds else self.role

    @property
    def fix(self) -> Fix:
        """The fix that adds this behaviour and nothing else, under the same name.

        >>> Behaviour("keeps-higher", role="broker", about="a lower commit is ignored").fix.name
        'keeps-higher'
        """
        return Fix(self.name, self.about, adds=frozenset({self}), source=self.source)


Stated = TypeVar("Stated")


@dataclass(frozen=True)
class Release:
    """One release: what it does, and what differs from the release that it is based on.

    `behaviours` are those that it adds, and `loses` those of its base that it no longer has; each belongs to a role
    (`client`, `broker`). `timers` are those that it has otherwise. `published_as` is the release of which it
    is another configuration, where it is one. `leaves_out` is what it has and no model of it, in half a sentence each.

    >>> old = Release("1.0")
    >>> Release("2.0", based_on=old).stated({"1.0": "as in 1.0"}, "as everywhere")
    'as in 1.0'
    """

    name: str
    behaviours: frozenset[Behaviour] = frozenset()
    based_on: Release | None = None
    loses: frozenset[Behaviour] = frozenset()
    timers: tuple[TimerChange, ...] = ()
    published_as: str = ""
    leaves_out: tuple[str, ...] = ()

    @property
    def jars(self) -> str:
        """The name under which its classes are published."""
        return self.published_as or self.name

    @property
    def lineage(self) -> tuple[Release, ...]:
        """This release, its base, the base of that...: whoever is first to say something is right."""
        return (self, *(self.based_on.lineage if self.based_on else ()))

    def stated(self, by_release: Mapping[str, Stated], otherwise: Stated) -> Stated:
        """What a table says of this release, or else of the nearest that it is based on."""
        return next((by_release[each.name] for each in self.lineage if each.name in by_release), otherwise)

    def shows(self, behaviour: Behaviour) -> bool:
        """Does this release have a behaviour?"""
        mine = (behaviour in each.behaviours for each in self.lineage if behaviour in each.behaviours | each.loses)
        return next(mine, False)

    def seconds(self, timer: Timer) -> float:
        """How long a timer takes in this release."""
        return next((each.seconds for each in self.timer_changes if each.timer == timer), timer.seconds)

    @property
    def timer_changes(self) -> tuple[TimerChange, ...]:
        """The timers that take another time in this release than in the first of its lineage."""
        last = {each.timer: each for base in reversed(self.lineage) for each in base.timers}
        return tuple(each for each in last.values() if each.seconds != each.timer.seconds)


@dataclass(frozen=True)
class Fix:
    """A proposed or later change: it adds behaviours."""

    name: str
    about: str
    adds: frozenset[Behaviour] = frozenset()
    source: str = ""


def fixes_in(changes: Iterable[Fix | Behaviour]) -> tuple[Fix, ...]:
    """The fixes, a behaviour being the one that adds it."""
    return tuple(change.fix if isinstance(change, Behaviour) else change for change in changes)


Declared = TypeVar("Declared")


def declared_in(module: ModuleType, kind: type[Declared]) -> tuple[Declared, ...]:
    """All values of a kind that a module declares, in its order, so that no list of them has to repeat their names."""
    return tuple(dict.fromkeys(value for value in vars(module).values() if isinstance(value, kind)))


_behaviours = Collector[Behaviour]()

collect_behaviours = _behaviours.collect
"""Adds the behaviours that any setting is asked for meanwhile, and `BY_OTHER_MEANS` where it is asked for more."""

BY_OTHER_MEANS = Behaviour("", "", "releases are told from each other by something else than a behaviour")
"""Collected where a setting is asked for its release, or for what only its release decides."""


def _note_other_question() -> None:
    _behaviours.note(BY_OTHER_MEANS)


@dataclass(frozen=True)
class Assumption:
    """A mechanism that is taken for granted; the model asks for it by this object.

    `today` says what an operator does to make it so; empty where nobody can.
    """

    name: str
    about: str
    today: str = ""


_assumptions = Collector[Assumption]()

collect_assumptions = _assumptions.collect
"""Adds the assumptions that any setting is asked for meanwhile."""


@dataclass(frozen=True)
class Listener:
    """How the application's message listener behaves."""

    name: str
    about: str


@dataclass(frozen=True)
class Setting:
    """One concrete world: a scope, a release per role, and what was added to it by name.

    `releases` maps a role to its release; a model that has none leaves it empty. A role that need not be named is in it
    only where its release is another than it has without that. `other_listener` says that the
    listener is not the one that claims without a listener are stated for.
    """

    scope: Scope
    releases: Mapping[str, Release] = field(default_factory=dict)
    fixes: tuple[Fix, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    listener: Listener | None = None
    other_listener: bool = False

    def __eq__(self, other: object) -> bool:
        _note_other_question()
        return isinstance(other, Setting) and self._values() == other._values()

    def __repr__(self) -> str:
        _note_other_question()
        return f"Setting{self._values()!r}"

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, each.name) for each in fields(self))

    @property
    def listener_name(self) -> str | None:
        """The listener's name; None for a model that has none."""
        return self.listener.name if self.listener else None

    def behaves(self, behaviour: Behaviour) -> bool:
        """Does the role of this behaviour show it, fixes included?"""
        _behaviours.note(behaviour)
        return shows(self, behaviour)

    @property
    def behaviours(self) -> frozenset[Behaviour]:
        """All behaviours that it shows, fixes included."""
        _note_other_question()
        known = {each for r in self.releases.values() for release in r.lineage for each in release.behaviours}
        known |= {each for fix in self.fixes for each in fix.adds}
        return frozenset(each for each in known if self.behaves(each))

    def assumes(self, assumption: Assumption) -> bool:
        """Was this assumption named?"""
        _assumptions.note(assumption)
        return assumption in self.assumptions

    def seconds(self, timer: Timer) -> float:
        """How long a timer takes in the release of its role."""
        _note_other_question()
        release = self.releases.get(timer.role)
        return timer.seconds if release is None else release.seconds(timer)

    def stated(self, by_release: Mapping[str, Stated], otherwise: Stated) -> Stated:
        """What a table says of the releases as users write them, or of the one release and those it is based on."""
        _note_other_question()
        distinct = {release.name: release for release in self.releases.values()}
        if self.release in by_release or len(distinct) != 1:
            return by_release.get(self.release or "", otherwise)
        (release,) = distinct.values()
        return release.stated(by_release, otherwise)

    @property
    def key(self) -> tuple[object, ...]:
        """What tells this setting from others, hashable: all that a model can read of it."""
        _note_other_question()
        return (
            self.scope.key,
            tuple(sorted((role, r.name) for role, r in self.releases.items())),
            self.fixes,
            self.assumptions,
            self.listener,
            self.other_listener,
        )

    @property
    def release(self) -> str | None:
        """The release as users write it: `4.9.4`, or `broker=5.3.3,client=4.9.4`; None where there is none."""
        _note_other_question()
        return _as_written(self.releases) if self.releases else None


def shows(setting: Setting, behaviour: Behaviour) -> bool:
    """The same as `behaves`, but it does not count as asked for: no model may call it."""
    role = behaviour.role_in(setting.scope)
    release = setting.releases.get(role) or setting.releases.get(behaviour.else_role)
    shown = release is not None and release.shows(behaviour)
    return shown or (role != "" and any(behaviour in fix.adds for fix in setting.fixes))


def mixtures(
    roles: Iterable[str], releases: Iterable[Release], optional: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """All ways to give each role a release, as users write them; an `optional` one has its role's unless named.

    >>> mixtures(("shop",), (Release("1"), Release("2")), {"clerk": "shop"})
    ['1', 'clerk=2,shop=1', 'clerk=1,shop=2', '2']
    """
    releases = tuple(releases)
    ways = [dict(pairs) for pairs in product(*([(role, each) for each in releases] for role in (*roles, *optional)))]
    named = [{role: of for role, of in way.items() if of is not way.get(optional.get(role, ""))} for way in ways]
    return [_as_written(way) for way in named if way]


def _as_written(releases: Mapping[str, Release]) -> str:
    names = {role: release.name for role, release in sorted(releases.items())}
    distinct = set(names.values())
    return distinct.pop() if len(distinct) == 1 else ",".join(f"{role}={name}" for role, name in names.items())
