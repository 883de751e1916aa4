"""Writes the tables of cases in the pages of the smaller subjects from their claims (`make readme`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from offsetproof.lang import ClaimKind, Property, Subject
from offsetproof.traces.recorded_stories import RecordedStories, recorded_stories
from studies import DOCS
from studies.claims import remedy_in_words
from studies.real import mark_of
from studies.subjects import SMALLER

PAGES: Mapping[Path, Subject] = {DOCS / f"{subject.name}.md": subject for subject in SMALLER}
"""The subject of each page."""

MARK = "<!-- cases -->\n"


def main() -> None:
    stories = recorded_stories()
    for page, subject in PAGES.items():
        page.write_text(with_table(page.read_text(encoding="utf-8"), subject, stories), encoding="utf-8")


def with_table(page: str, subject: Subject, stories: RecordedStories) -> str:
    """The page with the table as it is now, behind its mark; `stories` are all that are recorded."""
    return page.partition(MARK)[0] + MARK + "\n" + table(subject, stories.about(subject.name))


def table(subject: Subject, stories: RecordedStories) -> str:
    """A row for each case that is no witness, with those of the subject's stories that tell it."""
    rows = [_row(prop, stories) for prop in subject.properties if prop.kind is not ClaimKind.SOMETIMES]
    mark = " (✓: [reproduced on the real classes](real.md))" if any(map(mark_of, stories)) else ""
    head = [f"| case | verdict | where | story{mark} | what makes it hold |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def _row(prop: Property, stories: RecordedStories) -> str:
    repairs = "; ".join(dict.fromkeys(remedy_in_words(remedy) for remedy in prop.remedies)) or prop.case.no_remedy
    about = prop.case.where or prop.sentence.rstrip(".")
    own_stories = ", ".join(f"`{story}`{mark_of(story)}" for story in stories.of(prop.id))
    return f"| {prop.id} | {prop.case.expected} | {about} ({', '.join(prop.scopes)}) | {own_stories} | {repairs} |"


if __name__ == "__main__":
    main()
