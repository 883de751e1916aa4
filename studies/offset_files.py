"""Writes the table of cases in docs/offset-files.md from the claims about offset files."""

from __future__ import annotations

from offsetproof.lang import ClaimKind, Property, Remedy
from offsetproof.properties.files.catalogue import PROPERTIES
from studies import DOCS

PAGE, MARK = DOCS / "offset-files.md", "<!-- cases -->\n"


def main() -> None:
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_table(page: str) -> str:
    """The page with the table as it is now, behind its mark."""
    return page.partition(MARK)[0] + MARK + "\n" + table()


def table() -> str:
    """A row for each case that is no witness."""
    rows = [_row(prop) for prop in PROPERTIES if prop.kind is not ClaimKind.SOMETIMES]
    return "\n".join(["| case | verdict | where | what makes it hold |", "|---|---|---|---|", *rows]) + "\n"


def _row(prop: Property) -> str:
    repairs = dict.fromkeys(_repair(remedy) for remedy in prop.remedies)
    about = prop.case.where or prop.sentence.rstrip(".")
    return f"| {prop.id} | {prop.case.expected} | {about} ({', '.join(prop.scopes)}) | {'; '.join(repairs)} |"


def _repair(remedy: Remedy) -> str:
    fixes = " and ".join(f"`{fix.name}`" for fix in remedy.fixes)
    given = " and ".join(f"`{assumption.name}`" for assumption in remedy.assumptions)
    return ", ".join([*([f"fix {fixes}"] if fixes else []), *([f"given {given}"] if given else [])])


if __name__ == "__main__":
    main()
