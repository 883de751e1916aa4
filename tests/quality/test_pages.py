"""Every generated part of a page is what would be made of its data now; nothing else stands between markers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from studies.marked import NoPartError, markers, part_of, with_part
from studies.pages import PARTS, ROWS, Part

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.place)
def test_part_is_what_would_be_made_now(part: Part) -> None:
    assert part_of(part.page.read_text(encoding="utf-8"), part.name) == part.make().strip(), "run `make pages`"


def test_every_part_between_markers_is_made_by_somebody() -> None:
    marked = [(page, name) for page in PAGES for name in re.findall(r"<!-- begin: (\S+) ", page.read_text("utf-8"))]
    assert sorted(marked) == sorted((part.page, part.name) for part in PARTS)
    assert len(marked) > 30


def test_pages_of_docs_are_few_and_short() -> None:
    """Records of decisions are apart."""
    pages, results = ([*(ROOT / "docs" / folder).glob("*.md")] for folder in ("", "studies"))
    assert len(pages) <= 21
    assert sum(page.stat().st_size for page in pages) <= 562_000
    assert sum(page.stat().st_size for page in results) <= 160_000
    assert {page.name: size for page in results if (size := page.stat().st_size) > 31_000} == {}


def test_pages_whose_rows_can_be_printed_say_how() -> None:
    named = {
        (page.stem, name)
        for page in PAGES
        for name in re.findall(r"python -m studies --rows ([a-z-]+)", page.read_text("utf-8"))
    }
    assert {name for _, name in named} == {*ROWS}
    assert {(name, name) for name in ROWS} <= named


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_tables(name: str) -> None:
    for table in ROWS[name]().split("\n\n"):
        rows = table.splitlines()
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
        assert len(rows) > 2


def test_check_names_a_part_that_is_old(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{markers('sizes')}\n\nProse.\n", encoding="utf-8")
    part = Part(page, "sizes", lambda: "| 1 |\n")
    assert part.is_old()
    assert part.write()
    assert not part.is_old()
    assert not part.write()
    begin, end = markers("sizes").splitlines()
    assert page.read_text(encoding="utf-8") == f"# A page\n\n{begin}\n\n| 1 |\n\n{end}\n\nProse.\n"


def test_page_without_a_part_or_with_two_is_refused() -> None:
    with pytest.raises(NoPartError, match="the page has 0 parts 'sizes'"):
        part_of("# A page\n", "sizes")
    with pytest.raises(NoPartError, match="the page has 2 parts 'sizes'"):
        with_part(f"{markers('sizes')}\n{markers('sizes')}\n", "sizes", "| 1 |")


@pytest.mark.slow
def test_command_finds_nothing_old() -> None:
    done = subprocess.run([sys.executable, "-m", "studies", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
