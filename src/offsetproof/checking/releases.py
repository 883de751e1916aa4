"""Releases as users write them: one for all roles, one for each role, or all that the model has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from offsetproof.lang.behaviours import optional_roles
from offsetproof.lang.model import Model, usual_releases
from offsetproof.lang.scope import UnknownNameError, one_named
from offsetproof.lang.setting import Fix, Release
from offsetproof.lang.subject import Subject

ALL_RELEASES = "all"
"""As the release to ask of: each one that the model has."""


def release_named(name: str, subject: Subject) -> Release:
    """A release of the subject; where it has another configuration of that alone, the refusal says which."""
    named = {release.name: release for release in subject.model.releases}
    if name and name not in named:
        _refuse_other_configuration(name, subject, named)
    return one_named("release", name, named)


def _refuse_other_configuration(name: str, subject: Subject, named: Mapping[str, Release]) -> None:
    """UnknownNameError where the subject leaves out a default, or a configuration that it has no need of."""
    configured = [release.name for release in named.values() if release.published_as == name]
    if configured:
        what = f"{subject.name} leaves out what {name} does by default; it has {' and '.join(configured)}, which is"
        raise UnknownNameError("release", "", [], f"{what} {name} in another configuration")
    bases = {base.name: base for release in named.values() for base in release.lineage}
    if name in bases and bases[name].published_as in named:
        of = bases[name].published_as
        why = f"it is {of} in another configuration, which changes nothing in this model; ask {of}"
        raise UnknownNameError("release", "", [], f"{subject.name} has no {name} of its own: {why}")


def parse_release(text: str, subject: Subject) -> dict[str, Release]:
    """`4.9.4` for all roles, or `client=4.9.8,broker=4.9.4` for each; a role that need not be named may be.

    Raises UnknownNameError for an unknown release or role, and when a role has none, or two.
    """
    return as_they_differ(named_releases(text, subject), subject.model)


def named_releases(text: str, subject: Subject) -> dict[str, Release]:
    """The same with each role that is named, also one that has the release which it has anyway."""
    model = subject.model
    optional = optional_roles(model)
    if "=" not in text:
        if "," in text:
            raise UnknownNameError("release", "", [], f"{text} are several releases; name each by itself, or `all`")
        return dict.fromkeys(model.roles, release_named(text, subject))
    roles: dict[str, Release] = {}
    for pair in text.split(","):
        role, _, name = pair.partition("=")
        one_named("role", role, dict.fromkeys((*model.roles, *optional), role))
        if role in roles:
            raise UnknownNameError("release", "", [], f"{text} names two releases for role {role}; leave one out")
        roles[role] = release_named(name, subject)
    missing = [role for role in model.roles if role not in roles]
    if missing:
        message = f"{text} names no release for role {missing[0]}; add {missing[0]}=..."
        raise UnknownNameError("release", "", [], message)
    return {role: roles[role] for role in sorted(roles)}


def right_for_named(fixes: Sequence[Fix], releases: Mapping[str, Release], model: type[Model]) -> list[Fix]:
    """A case's fixes but those of a role that need not be named, and is, with a release that does not have them."""
    named = {role: of for role, of in releases.items() if role in optional_roles(model)}
    return [fix for fix in fixes if all(named[each.role].shows(each) for each in fix.adds if each.role in named)]


def as_they_differ(releases: Mapping[str, Release], model: type[Model]) -> dict[str, Release]:
    """The releases without a role that need not be named, and has that of the role which it follows."""
    followed = optional_roles(model)
    return {role: of for role, of in releases.items() if role not in followed or of is not releases[followed[role]]}


def release_names(model: type[Model], texts: Iterable[str]) -> list[str]:
    """The releases that are named, as users write them; `all` is each of the model, and without any it is the usual."""
    every = [release.name for release in model.releases]
    usual = [release.name for release in usual_releases(model)]
    wanted = [name for text in texts for name in (every if text == ALL_RELEASES else [text])]
    return list(dict.fromkeys(wanted or usual))
