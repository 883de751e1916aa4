"""`make docs` builds the documentation strictly; what it builds is whole, and asks nothing of a network."""

from __future__ import annotations

import os
import posixpath
import re
import shlex
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tools.root_documents import PAGES

ROOT = Path(__file__).parents[2]
MKDOCS = Path(sys.executable).with_name("mkdocs")
INPUTS = ("mkdocs.yml", "docs", "tools", *PAGES)


def _command() -> list[str]:
    """What `make docs` runs, but for where the program lies."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (arguments,) = re.findall(r"(?m)^\t(?:\w+=\S+ )*\$\(BIN\)/mkdocs (.*)$", makefile)
    return [str(MKDOCS), *shlex.split(arguments)]


def _build(tree: Path, *more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run([*_command(), *more], cwd=tree, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    done = _build(ROOT, "--site-dir", str(folder))
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


_CODE = ("code", "pre", "script", "style")


class _Page(HTMLParser):
    """What a page loads, links to and can be linked to, the text of its paragraphs, and all text that is no code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.paragraphs: list[str] = []
        self.prose = ""
        self._in_paragraph = False
        self._code = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a":
            self.links += [values["href"]] if "href" in values else []
        elif values.get("rel") not in ("canonical", "next", "prev"):
            self.loads += [values[name] for name in ("src", "href", "srcset", "data", "poster") if name in values]
        self._code += tag in _CODE
        if tag == "p":
            self._in_paragraph = True
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_paragraph = self._in_paragraph and tag != "p"
        self._code -= tag in _CODE

    def handle_data(self, data: str) -> None:
        if self._in_paragraph:
            self.paragraphs[-1] += data
        if not self._code:
            self.prose += data


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, _Page]:
    return {path.relative_to(site).as_posix(): _Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_document_is_a_page(pages: dict[str, _Page]) -> None:
    docs = ROOT / "docs"
    documents = [path.relative_to(docs).as_posix() for path in docs.rglob("*.md")] + list(PAGES.values())
    assert {name.removesuffix(".md") + ".html" for name in documents} == set(pages) - {"404.html"}


def test_pages_load_nothing_from_elsewhere(site: Path, pages: dict[str, _Page]) -> None:
    loaded = {(name, address) for name, page in pages.items() for address in page.loads}
    assert len(loaded) > 100
    for name, address in loaded:
        parts = urlsplit(address)
        assert (parts.scheme, parts.netloc) == ("", ""), f"{name} loads {address}"
        assert name == "404.html" or (site / _target(name, parts.path)).exists(), f"{name} loads {address}"


def _target(page: str, path: str) -> str:
    """The file of the site that a path on a page leads to; the page itself where it is empty."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(path))) if path else page


def test_style_sheets_load_nothing_from_elsewhere(site: Path) -> None:
    sheets = list(site.rglob("*.css"))
    assert len(sheets) >= 3
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        assert re.findall(r"url\(\s*(?![\"']?(?:data:|#))[^)]*|@import[^;]*", text) == [], sheet.name


def test_scripts_have_no_reason_to_ask_a_network(site: Path) -> None:
    """Material's script fetches Mermaid, a repository's facts and a polyfill of old browsers, each where it has to."""
    addresses = {
        address
        for script in site.rglob("*.js")
        for address in re.findall(r"[\"'`](https?://[^\"'`]+)", script.read_text(encoding="utf-8"))
        if script.name != "search_index.js"
    }
    known = (
        "https://unpkg.com/mermaid@", "https://unpkg.com/resize-observer-polyfill",
        "https://api.github.com/", "https://${e}/api/v4/projects/",
    )  # fmt: skip
    assert [address for address in addresses if not address.startswith(known)] == []
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert 'class="mermaid"' not in text, path.name
        assert 'data-md-component="source"' not in text, path.name


def test_links_between_pages_lead_somewhere(site: Path, pages: dict[str, _Page]) -> None:
    links = {(name, link) for name, page in pages.items() if name != "404.html" for link in page.links}
    for name, link in links:
        parts = urlsplit(link)
        if parts.scheme:
            continue
        target = _target(name, parts.path)
        assert (site / target).exists(), f"{name} links to {link}"
        known = pages[target].ids if target in pages else set()
        assert not parts.fragment or unquote(parts.fragment) in known, f"{name} links to {link}"
    assert len(links) > 1000


def test_lists_and_tables_are_not_read_as_paragraphs(pages: dict[str, _Page]) -> None:
    """GitHub begins a list or a table below a line of text; the site's Markdown wants an empty line before it."""
    for name, page in pages.items():
        for text in page.paragraphs:
            assert not re.search(r"(?m)^(- |\d+\. |\|.*\|$|```)", text), f"{name}: {text[:200]}"


def test_no_mark_of_markdown_is_left_in_the_text(pages: dict[str, _Page]) -> None:
    for name, page in pages.items():
        left = re.findall(r".{0,40}(?:\\\s|`|\*\*|\]\().{0,40}", page.prose)
        assert left == [], name
    assert all(len(page.prose) > 500 for page in pages.values())


def test_search_knows_the_tutorial(site: Path) -> None:
    assert "tutorial.html" in (site / "search" / "search_index.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "said"),
    [("[gone](nowhere.md)", "nowhere.md"), ("[gone](glossary.md#nothing-of-that-name)", "nothing-of-that-name")],
)
@pytest.mark.slow
def test_broken_link_fails(tmp_path: Path, line: str, said: str) -> None:
    tree = _copy(tmp_path)
    page = tree / "docs" / "measurements.md"
    page.write_text(page.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")
    done = _build(tree)
    assert done.returncode == 1
    assert said in done.stderr


@pytest.mark.slow
def test_page_that_is_in_no_section_fails(tmp_path: Path) -> None:
    tree = _copy(tmp_path)
    (tree / "docs" / "forgotten.md").write_text("# Forgotten\n", encoding="utf-8")
    done = _build(tree)
    assert done.returncode == 1
    assert "forgotten.md" in done.stderr


def _copy(folder: Path) -> Path:
    """The site's sources, in a folder of their own."""
    for name in INPUTS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    return folder
