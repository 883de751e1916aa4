"""What varies between runs of one model: releases per role, fixes, assumptions and listeners, all as data.

Models ask for behaviours (`self.setting.behaves(...)`), never for version strings. A fix replaces behaviour; an
assumption is a real mechanism that rules something out, and says what.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TypeVar

from offsetproof.lang.scope import Scope


@dataclass(frozen=True)
class Behaviour:
    """One named way in which releases differ. `source` is the commit, pull request or class that shows it.

    Taken alone it is a fix: where a case or a remedy names its fixes, a behaviour may be among them.

    `brings` names actions that do under this behaviour what others do without it: a story that the behaviour breaks off
    may go on with them.
    """

    name: str
    role: str
    about: str
    source: str = ""
    brings: tuple[str, ...] = ()

    @property
    def fix(self) -> Fix:
        """The fix that adds this behaviour and nothing else, under the same name.

        >>> Behaviour("keeps-higher", role="broker", about="a lower commit is ignored").fix.name
        'keeps-higher'
        """
        return Fix(self.name, self.about, adds=frozenset({self}), source=self.source)


@dataclass(frozen=True)
class Release:
    """The behaviours of one release, for each role (`client`, `broker`)."""

    name: str
    behaviours: frozenset[Behaviour] = frozenset()

    def role(self, role: str) -> frozenset[Behaviour]:
        """The behaviours of this release in one role."""
        return frozenset(b for b in self.behaviours if b.role == role)


@dataclass(frozen=True)
class Fix:
    """A proposed or later change: it adds behaviours and takes others away."""

    name: str
    about: str
    adds: frozenset[Behaviour] = frozenset()
    removes: frozenset[Behaviour] = frozenset()
    source: str = ""


def fixes_in(changes: Iterable[Fix | Behaviour]) -> tuple[Fix, ...]:
    """The fixes, a behaviour being the one that adds it."""
    return tuple(change.fix if isinstance(change, Behaviour) else change for change in changes)


Declared = TypeVar("Declared")


def declared_in(module: ModuleType, kind: type[Declared]) -> tuple[Declared, ...]:
    """All values of a kind that a module declares, in its order, so that no list of them has to repeat their names."""
    return tuple(dict.fromkeys(value for value in vars(module).values() if isinstance(value, kind)))


@dataclass(frozen=True)
class Assumption:
    """A mechanism that is taken for granted; the model asks for it by this object."""

    name: str
    about: str


@dataclass(frozen=True)
class Listener:
    """How the application's message listener behaves."""

    name: str
    about: str


@dataclass(frozen=True)
class Setting:
    """One concrete world: a scope, a release per role, and what was added to it by name.

    `releases` maps a role to its release; a model that has none leaves it empty. `other_listener` says that the
    listener is not the one that claims without a listener are stated for.
    """

    scope: Scope
    releases: Mapping[str, Release] = field(default_factory=dict)
    fixes: tuple[Fix, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    listener: Listener | None = None
    other_listener: bool = False

    def behaves(self, behaviour: Behaviour) -> bool:
        """Does the role of this behaviour show it, fixes included?"""
        release = self.releases.get(behaviour.role)
        shown = release is not None and behaviour in release.role(behaviour.role)
        for fix in self.fixes:
            shown = (shown or behaviour in fix.adds) and behaviour not in fix.removes
        return shown

    def assumes(self, assumption: Assumption) -> bool:
        """Was this assumption named?"""
        return assumption in self.assumptions

    @property
    def key(self) -> tuple[object, ...]:
        """What tells this setting from others, hashable."""
        scope = (tuple(self.scope.bounds.items()), tuple(self.scope.faults.items()))
        return (
            scope,
            tuple(sorted((role, r.name) for role, r in self.releases.items())),
            self.fixes,
            self.assumptions,
            self.listener,
        )

    @property
    def release(self) -> str | None:
        """The release as users write it: `4.9.4`, or `broker=5.3.3,client=4.9.4`; None where there is none."""
        names = {role: release.name for role, release in sorted(self.releases.items())}
        if not names:
            return None
        distinct = set(names.values())
        return distinct.pop() if len(distinct) == 1 else ",".join(f"{role}={name}" for role, name in names.items())
