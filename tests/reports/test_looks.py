"""What pages look like, loosely: their light and dark places are where they were when somebody last looked at them.

A look is a page's screenshot in 24 by 32 shades of grey. Where a page is meant to look otherwise, look at it, and write
the looks anew: `OFFSETPROOF_LOOKS=write pytest tests/reports/test_looks.py`.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.program import run
from explore.test_explorer_page import of_rocketmq, served
from explore.test_walking import walker_of
from PIL import Image
from playwright.sync_api import Browser
from reports.browser import DESKTOP, PHONE, browsers, visited
from reports.stories_told import ENDLESS, SYMPTOMS, block_of

from offsetproof.reports.html.pages import index_page
from offsetproof.verdict.exits import Exit

LOOKS = Path(__file__).with_name("looks.json")
GRID = (24, 32)
FAR = 1.5
"""By how many of 255 shades a place may differ in the mean: tiles that are gone do 1.8, a panel 2.6, a font 2.4."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers() as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a model that is the tests' own: a sentence about RocketMQ that is said anew changes no look."""
    folder = tmp_path_factory.mktemp("looks")
    (folder / "channel.py").write_text(ENDLESS, encoding="utf-8")
    assert run("check", "channel.py", "--html=report", "--quiet", cwd=folder).code == Exit.LIVENESS
    index = folder / "report" / "index.html"
    data = {**block_of(index.read_text(encoding="utf-8")), "symptoms": SYMPTOMS}
    index.write_text(index_page(data), encoding="utf-8")
    return folder / "report"


@pytest.fixture(scope="module")
def explorer() -> Iterator[str]:
    with served(walker_of("Slips"), of_rocketmq) as address:
        yield address


def look(browser: Browser, address: str, size: tuple[int, int], scheme: str) -> list[int]:
    """The shades of a page as it opens."""
    allowed = address.partition("?")[0] if address.startswith("http") else "file:"
    with visited(browser, address, allowed, size, color_scheme=scheme) as page:
        page.page.wait_for_timeout(500)
        shot = Image.open(io.BytesIO(page.page.screenshot())).convert("L").resize(GRID, Image.Resampling.BOX)
    return list(shot.tobytes())


def distance(one: list[int], other: list[int]) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", ["is_received-default", "index", "explorer"])
def test_page_looks_as_it_did(
    browser: Browser, report: Path, explorer: str, name: str, size: tuple[int, int], scheme: str
) -> None:
    address = explorer if name == "explorer" else (report / f"{name}.html").as_uri() + "#step=3" * (name != "index")
    key, shades = f"{name} {size[0]} {scheme}", look(browser, address, size, scheme)
    known = json.loads(LOOKS.read_text(encoding="utf-8"))
    if os.environ.get("OFFSETPROOF_LOOKS") == "write":
        LOOKS.write_text(json.dumps(known | {key: shades}) + "\n", encoding="utf-8")
        known[key] = shades
    assert distance(shades, known[key]) < FAR


def test_looks_tell_pages_sizes_and_schemes_apart() -> None:
    known = json.loads(LOOKS.read_text(encoding="utf-8"))
    assert len(known) == 12
    near = [(a, b) for a in known for b in known if a < b and distance(known[a], known[b]) < FAR]
    assert near == []
