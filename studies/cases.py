"""Writes the tables of cases in the pages of the smaller subjects from their claims (`make readme`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from offsetproof.lang import ClaimKind, Property, Remedy, Subject
from offsetproof.properties.broadcasting.catalogue import BROADCASTING
from offsetproof.properties.files.catalogue import OFFSET_FILES
from offsetproof.properties.orderly.catalogue import ORDERLY
from offsetproof.properties.queues.catalogue import QUEUES
from offsetproof.traces.store import recorded_stories, stories_about, stories_of
from offsetproof.traces.trace import Trace
from studies import DOCS

PAGES: Mapping[Path, Subject] = {
    DOCS / f"{subject.name}.md": subject for subject in (ORDERLY, BROADCASTING, QUEUES, OFFSET_FILES)
}
"""The subject of each page."""

MARK = "<!-- cases -->\n"


def main() -> None:
    for page, subject in PAGES.items():
        page.write_text(with_table(page.read_text(encoding="utf-8"), subject), encoding="utf-8")


def with_table(page: str, subject: Subject) -> str:
    """The page with the table as it is now, behind its mark."""
    return page.partition(MARK)[0] + MARK + "\n" + table(subject)


def table(subject: Subject) -> str:
    """A row for each case that is no witness."""
    stories = stories_about(recorded_stories(), subject.name)
    rows = [_row(prop, stories) for prop in subject.properties if prop.kind is not ClaimKind.SOMETIMES]
    head = ["| case | verdict | where | story | what makes it hold |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def _row(prop: Property, stories: Mapping[str, Trace]) -> str:
    repairs = "; ".join(dict.fromkeys(_repair(remedy) for remedy in prop.remedies)) or prop.case.no_remedy
    about = prop.case.where or prop.sentence.rstrip(".")
    told = ", ".join(f"`{story}`" for story in stories_of(stories, prop.id))
    return f"| {prop.id} | {prop.case.expected} | {about} ({', '.join(prop.scopes)}) | {told} | {repairs} |"


def _repair(remedy: Remedy) -> str:
    fixes = " and ".join(f"`{fix.name}`" for fix in remedy.fixes)
    given = " and ".join(f"`{assumption.name}`" for assumption in remedy.assumptions)
    listener = f"listener `{remedy.listener.name}`" if remedy.listener else ""
    parts = [f"fix {fixes}" if fixes else "", f"given {given}" if given else "", listener]
    return ", ".join(filter(None, parts))


if __name__ == "__main__":
    main()
