"""A hook of mkdocs: the documents beside docs/ are pages of the site, too, and links to them lead there.

README.md is the site's home. GitHub reads the files where they are, so nothing is copied: `mkdocs.yml` names this file.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]

PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "tests/README.md": "tests.md",
}
"""The documents outside docs/, and the page that each is."""

_LINK = re.compile(r"\[([^]\n]*)\]\((?!https?:|#)([^)\s#]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the documents to the files of the site."""
    for document, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / document)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """The page's text with each link from the repository's tree turned into one between pages of the site."""
    homes = {page: document for document, page in PAGES.items()}
    source = homes.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    return with_links_of_the_site(markdown, source)


def with_links_of_the_site(markdown: str, source: str) -> str:
    """The text of a document of the repository with its links as the site's pages have them.

    Where a link's text is a file's name, the site has what that document is called.

    >>> with_links_of_the_site("[a](docs/glossary.md#b), [c](ARCHITECTURE.md), [d](#e)", "README.md")
    '[a](glossary.md#b), [c](architecture.md), [d](#e)'
    >>> with_links_of_the_site("[a](../README.md), [glossary.md](glossary.md)", "docs/measurements.md")
    '[a](index.md), [Glossary](glossary.md)'
    >>> with_links_of_the_site("[a](../../README.md), [b](../glossary.md)", "docs/studies/real.md")
    '[a](../index.md), [b](../glossary.md)'
    """
    folder = posixpath.dirname(source)
    here = posixpath.dirname(_page_of(source))

    def of_the_site(link: re.Match[str]) -> str:
        text, target = link[1], posixpath.normpath(posixpath.join(folder, link[2]))
        page = posixpath.relpath(_page_of(target), here or ".")
        return f"[{_title(target) if text.endswith('.md') else text}]({page}"

    return _LINK.sub(of_the_site, markdown)


def _page_of(document: str) -> str:
    """The page of the site that a document of the repository is."""
    return PAGES.get(document, posixpath.relpath(document, "docs"))


def _title(document: str) -> str:
    """What a document is called: its first heading. A file that is not there keeps its name, for mkdocs to refuse."""
    path = ROOT / document
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") if path.is_file() else document
