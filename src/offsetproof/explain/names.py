"""A name and a sentence for each cause of a claim: those of the recorded story that has it, else of its actions.

Of a cause that no recorded story has, they are made of the actions that tell it from the other causes. The fewer causes
have an action, the more it tells; of two that tell as much a fault comes first, then what happens later. A name has as
few of these actions as make it differ from the names before it, in the order in which they happen. Its sentence has the
model's words for them; where none is a fault, which says enough, also for the next telling one. The same causes in the
same order always get the same names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from offsetproof.traces.recorded_stories import mechanisms

Actions = tuple[str, ...]
"""The actions of a cause, by first occurrence."""


@dataclass(frozen=True)
class CauseName:
    """What a cause is called, and what happens in it."""

    name: str
    sentence: str


_INITIAL = CauseName("initial-state", "It is broken before any step.")


def name_causes(
    causes: Sequence[Actions], words: Mapping[str, str] | None = None, faults: Collection[str] = ()
) -> list[CauseName]:
    """A name for each cause: unique but for causes of the same actions, which have one. `words` are about actions.

    >>> [each.name for each in name_causes([("climb", "kick"), ("climb", "turn_key"), ("climb", "turn_key", "run")])]
    ['kick', 'turn-key', 'run']
    """
    names_by_actions: dict[frozenset[str], CauseName] = {}
    taken: set[str] = set()
    for actions, telling in zip(causes, _telling_actions(causes, faults), strict=True):
        if not actions:
            names_by_actions[frozenset()] = _INITIAL
        elif frozenset(actions) not in names_by_actions:
            name, used = _first_free(actions, telling, taken)
            taken.add(name)
            chosen = telling[:used] if {*telling[:used]} & {*faults} else telling[: max(used, 2)]
            names_by_actions[frozenset(actions)] = CauseName(name, _sentence(_in_order(actions, chosen), words or {}))
    return [names_by_actions[frozenset(actions)] for actions in causes]


def with_story(name: CauseName, story: str | None) -> CauseName:
    """What a cause is called: the recorded story that has it, if there is one, and what happens in that."""
    if story is None:
        return name
    said = mechanisms().get(story)
    return CauseName(story, f"{said[:1].upper()}{said[1:].rstrip('.')}." if said else name.sentence)


def _telling_actions(causes: Sequence[Actions], faults: Collection[str]) -> list[Actions]:
    """Of each cause its actions that not all causes have, the most telling one first; all, if there are no others."""
    distinct = {frozenset(actions) for actions in causes}
    having = Counter(action for actions in distinct for action in actions)
    chosen = []
    for actions in causes:
        places = {action: i for i, action in enumerate(actions)}
        own = [action for action in actions if having[action] < len(distinct)] or actions
        weights = {action: (having[action], action not in faults, -places[action]) for action in own}
        chosen.append(tuple(sorted(own, key=weights.__getitem__)))
    return chosen


def _first_free(actions: Actions, telling: Actions, taken: Collection[str]) -> tuple[str, int]:
    """The first name that nobody has, and how many of the telling actions it is made of."""
    name = ""
    for used in range(1, len(telling) + 1):
        name = "-and-".join(action.replace("_", "-") for action in _in_order(actions, telling[:used]))
        if name not in taken:
            return name, used
    return next(f"{name}-{number}" for number in count(2) if f"{name}-{number}" not in taken), len(telling)


def _in_order(actions: Actions, chosen: Collection[str]) -> list[str]:
    return [action for action in actions if action in chosen]


def _sentence(actions: Sequence[str], words: Mapping[str, str]) -> str:
    parts = [(words.get(action) or action.replace("_", " ").capitalize()).rstrip(".") for action in actions]
    return "; then ".join([*parts[:1], *map(_within_sentence, parts[1:])]) + "."


def _within_sentence(text: str) -> str:
    """The text as it stands within a sentence: an ordinary first word begins small.

    >>> _within_sentence("The poll ends"), _within_sentence("FOUND: a message")
    ('the poll ends', 'FOUND: a message')
    """
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
