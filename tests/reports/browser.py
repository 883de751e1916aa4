"""A real browser that opens pages from the file system, and remembers what it complains about."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

DESKTOP, PHONE, WIDE = (1360, 900), (390, 800), (1920, 1080)

LATE = """
const later = () => new Promise((done) => setTimeout(done, 100));
const add = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (type, does, ...how) {
  const comesLater = ["toggle", "hashchange", "message"].includes(type);
  add.call(this, type, comesLater ? (event) => later().then(() => does.call(this, event)) : does, ...how);
};
const write = navigator.clipboard?.writeText.bind(navigator.clipboard);
if (write) navigator.clipboard.writeText = (text) => later().then(() => write(text));
"""
"""Makes what a browser does later 0.1 s late: a test that does not wait for it fails always, not once in a while."""


@dataclass
class Opened:
    """A page that is open, and what went wrong there: errors, what the console was told, requests beyond files."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    @property
    def step(self) -> int:
        """The number of the step that is chosen."""
        row = self.page.locator("#steps li.chosen")
        assert row.count() == 1
        return int(str(row.get_attribute("data-step")))

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that a selector finds."""
        return self.page.locator(selector).all_inner_texts()


@contextmanager
def browsers() -> Iterator[Browser]:
    """Debian's Chromium; a test that needs it is never skipped."""
    path = shutil.which("chromium")
    assert path is not None, "the tests need chromium; on Debian or Ubuntu: apt-get install chromium"
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@contextmanager
def opened(
    browser: Browser, file: Path, address: str = "", size: tuple[int, int] = DESKTOP, **how: Any
) -> Iterator[Opened]:
    """A file's page in a window of its own; at its end nothing must have gone wrong in it."""
    with visited(browser, file.as_uri() + address, "file:", size, **how) as found:
        yield found


@contextmanager
def visited(
    browser: Browser, address: str, allowed: str, size: tuple[int, int] = DESKTOP, **how: Any
) -> Iterator[Opened]:
    """The same of any address; what it loads must begin with `allowed`."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **how)
    context.add_init_script(f"{{{LATE}}}")
    page = context.new_page()
    found = Opened(page)
    page.on("console", lambda message: found.complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.on(
        "request", lambda asked: asked.url.startswith((allowed, "data:", "blob:")) or found.complaints.append(asked.url)
    )
    page.goto(address)
    yield found
    context.close()
    assert not found.complaints, found.complaints
