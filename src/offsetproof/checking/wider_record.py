"""Writing down what was found in the wider worlds of a model of one's own, for `guard` to ask again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from offsetproof.checking.widening import Found, WiderWorld, WorldOutcome
from offsetproof.checking.wider import LETTERS, Cases, RecordedCase, digest_of, key_of_case

_WORLDS = Sequence[tuple[WiderWorld, Found]]


def cases_of(worlds: Iterable[tuple[WiderWorld, Found]], known: Cases) -> Cases:
    """What is to be recorded: only worlds that hold are asked again, and of others it is counted what they are.

    What is known of a world in the same setting stays where it is not decided now. Pairs are not recorded.
    """
    by_case: dict[str, list[tuple[WiderWorld, Found]]] = {}
    for world, found in worlds:
        if len(world.raised) > 1:
            continue
        by_case.setdefault(key_of_case(world.question.prop, world.question.setting), []).append((world, found))
    return {key: _case(those, known.get(key)) for key, those in by_case.items()}


def _case(worlds: _WORLDS, before: RecordedCase | None) -> RecordedCase:
    setting = digest_of(worlds[0][0].question.setting)
    counts = Counter(str(found.outcome) for _, found in worlds if found.outcome not in _UNASKED)
    held = {world.raised[0]: found.digest[:LETTERS] for world, found in worlds if found.outcome is WorldOutcome.HOLDS}
    if before is not None and before.setting == setting:
        undecided = {world.raised[0] for world, found in worlds if found.outcome in _UNDECIDED}
        held = {name: digest for name, digest in before.held.items() if name in undecided} | held
    return RecordedCase(setting, "", dict(counts), held)


_UNASKED = WorldOutcome.SAME, WorldOutcome.LEFT

_UNDECIDED = WorldOutcome.LEFT, WorldOutcome.TOO_LARGE, WorldOutcome.OPEN, WorldOutcome.WITNESS, WorldOutcome.ERROR
