"""A name that is nothing where it stands, and something elsewhere: what it is, and which verb tells of it."""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.checking.catalogue import BUILT_INS, DEFAULT, SINGLES
from offsetproof.reports.listing import kinds_in
from offsetproof.traces.recorded_stories import recorded_stories


def elsewhere(name: str, kind: str, said: str) -> str:
    """What a name is among what came with the program, of this kind if it can be.

    Empty where it is nothing, or is `said` to be something.
    """
    meanings = {} if f"{name} is a" in said else dict(_meanings(name))
    return meanings.get(kind) or next(iter(meanings.values()), "")


def _meanings(name: str) -> Iterator[tuple[str, str]]:
    """Each kind of thing that has the name, with what is said of it."""
    if name in recorded_stories():
        yield "story", f"{name} is a recorded story: `offsetproof show {name}`"
    if name in BUILT_INS:
        yield "model", f"{name} is a model: `offsetproof list {name}`"
    subjects = [entry.subjects[0] for entry in SINGLES.values()]
    owner = next((subject.name for subject in subjects if subject.knows(name)), None)
    if owner is not None:
        yield "claim", f"{name} is a claim of {owner}: `offsetproof check {_model(owner)}{name}`"
    kinds = {subject.name: of[name] for subject in subjects if name in (of := kinds_in(subject))}
    for kind in dict.fromkeys(kinds.values()):
        owners = [owner for owner, each in kinds.items() if each == kind]
        article = "an" if kind[0] in "aeiou" else "a"
        shown = f"`offsetproof list {_model(owners[0])}{name}`"
        yield kind, f"{name} is {article} {kind} in {', '.join(owners)}: {shown}"


def _model(name: str) -> str:
    return "" if name == DEFAULT else f"{name} "
