"""A name and a sentence for each cause of a claim: those of the recorded story that has it, else of its actions.

The name of a cause that no recorded story has is made of the cause alone, so it is the same whatever else was asked,
and found: the action that tells most of it, and a mark of all of its actions. The fewer recorded causes of the claim
have an action, the more it tells; of two that tell as much a fault comes first, then what the model declares later. Its
sentence has the model's words for that action; where it is no fault, which says enough, also for the next telling one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from offsetproof.lang.changes import with_all_changes
from offsetproof.lang.model import Model
from offsetproof.traces.recorded_stories import mechanisms, recorded_stories, story_of_cause

Actions = tuple[str, ...]
"""The actions of a cause, by first occurrence."""

_MARK_LENGTH = 4
"""Hexadecimal digits: with the action before it, enough for the tens of causes that a claim has."""


@dataclass(frozen=True)
class CauseName:
    """What a cause is called, and what happens in it."""

    name: str
    sentence: str


@dataclass(frozen=True)
class Claimed:
    """Whose causes are named: a claim by its name, the subject that has it, and the release that is asked of.

    `declared` are all actions of the model, in its order.
    """

    subject: str | None
    claim: str
    release: str | None = None
    declared: tuple[str, ...] = ()


def claimed_by(subject: str | None, model: type[Model], claim: str, release: str | None) -> Claimed:
    """Whose causes are named, from the model as it is written."""
    return Claimed(subject, claim, release, tuple(with_all_changes(model).actions))


_INITIAL = CauseName("initial-state", "It is broken before any step.")


def name_cause(
    claimed: Claimed, actions: Actions, words: Mapping[str, str] | None = None, faults: Collection[str] = ()
) -> CauseName:
    """What a cause is called. `words` are about actions, `faults` those that are some.

    >>> name_cause(Claimed(None, "nobody-gets-in"), ("climb", "kick_door"), {"kick_door": "Kicks."}, {"kick_door"})
    CauseName(name='kick-door-ac2f', sentence='Kicks.')
    """
    if not actions:
        return _INITIAL
    story = story_of_cause(claimed.subject, claimed.claim, actions, claimed.release)
    if story is not None and story in mechanisms():
        said = mechanisms()[story]
        return CauseName(story, f"{said[:1].upper()}{said[1:].rstrip('.')}.")
    having = _recorded_causes_with(claimed.subject, claimed.claim)
    places = {action: place for place, action in enumerate(claimed.declared)}
    telling = sorted(
        {*actions}, key=lambda action: (having[action], action not in faults, -places.get(action, 0), action)
    )
    chosen = telling[:1] if telling[0] in faults else telling[:2]
    sentence = _sentence([action for action in actions if action in chosen], words or {})
    return CauseName(story or f"{telling[0].replace('_', '-')}-{_mark(actions)}", sentence)


@cache  # the stories came with the program
def _recorded_causes_with(subject: str | None, claim: str) -> Counter[str]:
    """In how many recorded causes of a claim each action is."""
    stories = recorded_stories().about(subject).of(claim) if subject else {}
    return Counter(action for cause in {frozenset(each.cause) for each in stories.values()} for action in cause)


def _mark(actions: Iterable[str]) -> str:
    return sha256("\n".join(sorted({*actions})).encode()).hexdigest()[:_MARK_LENGTH]


def _sentence(actions: Sequence[str], words: Mapping[str, str]) -> str:
    parts = [(words.get(action) or action.replace("_", " ").capitalize()).rstrip(".") for action in actions]
    return "; then ".join([*parts[:1], *map(_within_sentence, parts[1:])]) + "."


def _within_sentence(text: str) -> str:
    """The text as it stands within a sentence: an ordinary first word begins small.

    >>> _within_sentence("The poll ends"), _within_sentence("FOUND: a message")
    ('the poll ends', 'FOUND: a message')
    """
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
