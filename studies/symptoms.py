"""Writes docs/symptoms.md (`make symptoms`): from what an operator sees to the claim, its story and what repairs it.

Everything is said beside the claims, in `properties/`; the verdicts are those that each run of the checker is held to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from offsetproof.lang import Property, Subject
from offsetproof.properties.broadcasting.catalogue import BROADCASTING
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.properties.files.catalogue import OFFSET_FILES
from offsetproof.properties.orderly.catalogue import ORDERLY
from offsetproof.properties.queues.catalogue import QUEUES
from offsetproof.traces.store import recorded_stories, stories_about, stories_of
from studies.claims import repairs_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "symptoms.md"

_TITLES = {
    ROCKETMQ: "Concurrent consumers",
    ORDERLY: "Orderly consumers",
    BROADCASTING: "BROADCASTING mode",
    QUEUES: "Several queues and brokers",
    OFFSET_FILES: "The offset files",
}
SUBJECTS = tuple(_TITLES)

_HEAD = """# From what you see to what it is

Written by `make symptoms` from the claims in `properties/`. Find what you see; the claim says what should hold and does
not; `offsetproof show STORY` tells step by step how it comes about in RocketMQ 4.9.4, and `offsetproof check CLAIM`
finds the smallest story again. What repairs it makes the claim hold within the scope that is named: bounded, not proved
for every size. Where a case is named, it is the one that holds with it. `offsetproof list fixes` and `list assumptions`
say what each of them is.
"""


def page() -> str:
    """The text of the page: a part for each subject, each symptom once."""
    parts = [_HEAD.rstrip()]
    for subject in SUBJECTS:
        stories = stories_about(recorded_stories(), subject.name)
        shown = first_of_each_symptom(subject)
        parts.append(f"## {_TITLES[subject]}\n\n`offsetproof check {subject.name}` decides these claims.")
        parts += ["\n".join(_entry(prop, [*stories_of(stories, prop.id)])) for prop in shown]
    return "\n\n".join(parts) + "\n"


def first_of_each_symptom(subject: Subject) -> list[Property]:
    """The cases that say what is seen of them; where several say the same, the first."""
    by_symptom = {prop.case.symptom: prop for prop in reversed(subject.properties) if prop.case.symptom}
    return [*reversed(by_symptom.values())]


def _entry(prop: Property, stories: Sequence[str]) -> Iterator[str]:
    case = prop.case
    yield f"### {case.symptom[0].upper()}{case.symptom[1:]}"
    yield ""
    yield f"- claim: `{prop.name}`, case `{prop.id}`: {prop.about}"
    if case.why:
        yield f"- {case.expected}, because {case.why}."
    if stories:
        yield f"- story: {', '.join(f'`{story}`' for story in stories)}"
    yield f"- what repairs it: {repairs_of(prop)}"


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
