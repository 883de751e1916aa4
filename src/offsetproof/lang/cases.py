"""The cases of a claim: where one predicate is judged, under what, and with which verdict.

@always(
    case("I11", REFUTED, "first-commits", remedies=["I11-fixed"]),
    case("I11-fixed", HOLDS, "first-commits", fixes=[ROW_MADE_ATOMICALLY], where="with a row that is made atomically"),
)
def first_commits_of_two_queues_survive(group: Group) -> bool: ...
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from offsetproof.lang.setting import Assumption, Behaviour, Fix, Listener, Setting, fixes_in


class Expectation(StrEnum):
    """The verdict that is expected of a claim."""

    HOLDS = "HOLDS"
    REFUTED = "REFUTED"

    def unless(self, *behaviours: Behaviour) -> Unless:
        """This verdict, and the other one in releases that show any of these behaviours."""
        return Unless(self, behaviours)

    @property
    def other(self) -> Expectation:
        """The other verdict."""
        return Expectation.HOLDS if self is Expectation.REFUTED else Expectation.REFUTED


@dataclass(frozen=True)
class Unless:
    """A verdict that behaviours turn round; others turn it back."""

    verdict: Expectation
    behaviours: tuple[Behaviour, ...]
    turned_back_by: tuple[Behaviour, ...] = ()

    def unless(self, *behaviours: Behaviour) -> Unless:
        """The same, but the first verdict again in releases that show any of these behaviours as well."""
        return replace(self, turned_back_by=behaviours)


HOLDS, REFUTED = Expectation.HOLDS, Expectation.REFUTED
"""The verdicts that a case can expect: that nothing breaks the claim, or that something does."""


@dataclass(frozen=True)
class Remedy:
    """What makes a refuted case hold, in one of its scopes; beside the fixes and assumptions that the case has.

    `case` is the case of the same claim that states it, if one does. `scope` is empty where neither case names any.
    `release` names that in which it was decided, where that is not the usual one.
    """

    scope: str
    fixes: tuple[Fix, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    listener: Listener | None = None
    bounds: Mapping[str, int] = field(default_factory=dict)
    case: str = ""
    release: str = ""

    @property
    def world(self) -> str:
        """Where it was decided: `case I11-fixed, scope first-commits`, or `scope hand-over, messages=1`."""
        parts = (("case", self.case), ("scope", self.scope), ("release", self.release))
        named = [f"{what} {name}" for what, name in parts if name]
        return ", ".join([*named, *(f"{name}={value}" for name, value in self.bounds.items())])


def remedy(
    scope: str,
    *,
    fixes: Iterable[Fix | Behaviour] = (),
    assumptions: Iterable[Assumption] = (),
    listener: Listener | None = None,
    bounds: Mapping[str, int] | None = None,
    release: str = "",
) -> Remedy:
    """A remedy that no case of the claim states. A behaviour is the fix that adds it.

    `bounds` make the scope smaller where it would take too long; `release` is for what is a remedy since then alone.
    """
    return Remedy(scope, fixes_in(fixes), tuple(assumptions), listener, bounds or {}, release=release)


@dataclass(frozen=True)
class Case:
    """One case of a claim; see `case`."""

    id: str
    expected: Expectation | None
    scopes: tuple[str, ...]
    elsewhere: Mapping[str, Expectation]
    where: str
    why: str
    needs: tuple[str, ...]
    fixes: tuple[Fix, ...]
    assumptions: tuple[Assumption, ...]
    listener: Listener | None
    remedies: tuple[Remedy | str, ...]
    no_remedy: str
    symptom: str
    unless: tuple[Behaviour, ...] = ()
    turned_back_by: tuple[Behaviour, ...] = ()
    not_of: tuple[Behaviour, ...] = ()
    only_of: tuple[Behaviour, ...] = ()
    not_in: Mapping[str, tuple[Behaviour, ...]] = field(default_factory=dict)

    def speaks_of(self, setting: Setting) -> bool:
        """Does the case say anything of the releases of a setting, in its scope?"""
        silent = (*self.not_of, *self.not_in.get(setting.scope.name.rstrip("*"), ()))
        return all(map(setting.behaves, self.only_of)) and not any(map(setting.behaves, silent))

    def expected_in(self, setting: Setting) -> Expectation | None:
        """The verdict that is expected of the releases of a setting, or of a model without releases.

        None where the case says nothing of them, even if it is asked.
        """
        if not self.speaks_of(setting):
            return None
        stated = setting.stated(self.elsewhere, None)
        if stated is not None or self.expected is None:
            return stated
        turned = any(map(setting.behaves, self.unless)) and not any(map(setting.behaves, self.turned_back_by))
        return self.expected.other if turned else self.expected


def case(
    id: str,
    expected: Expectation | Unless | None,
    *scopes: str,
    elsewhere: Mapping[str, Expectation] | None = None,
    not_of: Iterable[Behaviour] = (),
    only_of: Iterable[Behaviour] = (),
    not_in: Mapping[str, Iterable[Behaviour]] | None = None,
    where: str = "",
    why: str = "",
    needs: Iterable[str] = (),
    fixes: Iterable[Fix | Behaviour] = (),
    assumptions: Iterable[Assumption] = (),
    listener: Listener | None = None,
    remedies: Iterable[Remedy | str] = (),
    no_remedy: str = "",
    symptom: str = "",
) -> Case:
    """A case: its short name, the verdict that every release is expected to give, and the scopes to ask in.

    `REFUTED.unless(BEHAVIOUR)` says that the other verdict is expected where a role's release has it, and
    `.unless(OTHER)` after that: not where it has the other one as well. So mixed clusters are spoken of, too.
    `elsewhere` has the verdict of releases by their names, whatever they have, and speaks for those that are based on
    them, but of no mixture that it does not name. Of releases
    that show a behaviour of `not_of`, or lack one of `only_of`, the case says nothing, and is asked only where it is
    named; `not_in` says that of one of its scopes. `where` says in half a sentence what is special, so that it can
    follow the claim's own; `why` what refutes it, or why it is believed. `needs` are witnesses that must be reached for
    a HOLDS to mean something. `fixes` (a behaviour is the fix that adds it), `assumptions` and `listener` (without one:
    the model's first) are part of the case. A refuted case has remedies, or says why there is none: a remedy is the id
    of a case of the same claim that holds with what this one has and more, or a `remedy` where no case says it.
    `symptom` is what an operator sees of it.
    """
    return Case(
        id=id,
        expected=expected.verdict if isinstance(expected, Unless) else expected,
        unless=expected.behaviours if isinstance(expected, Unless) else (),
        turned_back_by=expected.turned_back_by if isinstance(expected, Unless) else (),
        scopes=scopes,
        elsewhere=elsewhere or {},
        not_of=tuple(not_of),
        only_of=tuple(only_of),
        not_in={scope: tuple(behaviours) for scope, behaviours in (not_in or {}).items()},
        where=where,
        why=why,
        needs=tuple(needs),
        fixes=fixes_in(fixes),
        assumptions=tuple(assumptions),
        listener=listener,
        remedies=tuple(remedies),
        no_remedy=no_remedy,
        symptom=symptom,
    )
