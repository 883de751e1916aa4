"""Telling a renamed action from another cause: the names differ, and nothing else does."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def renamed_actions(before: Sequence[str], now: Sequence[str], actions: Collection[str]) -> Mapping[str, str]:
    """Old names to new ones, where two causes differ in nothing else; empty where they are different causes.

    A name is taken for renamed only if the model no longer has it, and if its place in the cause has one that the old
    cause did not know.

    >>> renamed_actions(["reads", "writes"], ["reads", "stores"], {"reads", "stores"})
    {'writes': 'stores'}
    """
    if len(before) != len(now):
        return {}
    pairs = {old: new for old, new in zip(before, now, strict=True) if old != new}
    is_one_to_one = len(set(pairs.values())) == len(pairs)
    is_known = all(old not in actions and new in actions and new not in before for old, new in pairs.items())
    return pairs if is_one_to_one and is_known else {}
