"""Writes docs/symptoms.md (`make symptoms`): from what an operator sees to the claim, its story and what repairs it.

Everything is said beside the claims, in `properties/`; the verdicts are those that each run of the checker is held to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from offsetproof.lang import Property, Subject
from offsetproof.traces.recorded_stories import recorded_stories
from studies.claims import repairs_of
from studies.subjects import ABOUT_ROCKETMQ

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "symptoms.md"

_TITLES = {
    "rocketmq": "Concurrent consumers",
    "orderly": "Orderly consumers",
    "several-queues": "Several queues and brokers",
    "broadcasting": "BROADCASTING mode",
    "offset-files": "The offset files",
}

_HEAD = """# From what you see to what it is

Written by `make symptoms` from the claims in `properties/`. Find what you see; the claim says what should hold and does
not; `offsetproof show STORY` tells step by step how it comes about in RocketMQ 4.9.4, and what is named at
the head of its part, with the claim behind it, finds the smallest story again. What repairs it makes the claim hold
within the scope that is named: bounded, not proved for every size. Where a case is named, it is the one that holds with
it. `offsetproof list fixes` and `list assumptions` say what each of them is.
"""


def page() -> str:
    """The text of the page: a part for each subject, a heading for each symptom."""
    parts, recorded = [_HEAD.rstrip()], recorded_stories()
    for subject in ABOUT_ROCKETMQ:
        stories = recorded.about(subject.name)
        parts.append(f"## {_TITLES[subject.name]}\n\n`offsetproof check {subject.name}` decides these claims.")
        for symptom, cases in _by_symptom(subject).items():
            parts.append(f"### {symptom[0].upper()}{symptom[1:]}")
            parts += ["\n".join(_entry(prop, [*stories.of(prop.id)])) for prop in cases]
    return "\n\n".join(parts) + "\n"


def _by_symptom(subject: Subject) -> dict[str, list[Property]]:
    """The cases by what is seen of them, in the order of reports."""
    cases: dict[str, list[Property]] = {}
    for prop in subject.properties:
        if prop.case.symptom:
            cases.setdefault(prop.case.symptom, []).append(prop)
    return cases


def _entry(prop: Property, stories: Sequence[str]) -> Iterator[str]:
    yield f"- claim: `{prop.name}`, case `{prop.id}`: {prop.about}"
    if prop.case.why:
        yield f"- {prop.case.expected}, because {prop.case.why}."
    if stories:
        yield f"- story: {', '.join(f'`{story}`' for story in stories)}"
    yield f"- what repairs it: {repairs_of(prop)}"


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
