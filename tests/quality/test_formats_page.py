"""docs/formats.md names every form, and its chart is what the program draws."""

from __future__ import annotations

import re
from pathlib import Path

from cli.program import run

from offsetproof.cli.formats import FORMATS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
CLAIM = "writes_come_in_the_order_of_grants"


def test_every_form_is_on_the_page() -> None:
    shown = re.findall(r"(?m)^\| `(\w+)` \|", PAGE.split("\n## ")[1])
    assert shown == [
        "text", "json", "itf", "graphml", "dot", "mermaid", "junit4", "junit5", "pytest", "html",
    ]  # fmt: skip
    assert set(FORMATS["show"]) == set(shown)


def test_chart_is_what_the_program_draws(tmp_path: Path) -> None:
    model = str(ROOT / "examples" / "lease.py")
    run("check", model, f"--property={CLAIM}", "--scope=two-clients", f"--out-dir={tmp_path}", "--quiet")
    shown = run("show", str(tmp_path / f"{CLAIM}-two-clients.json"), f"--subject={model}", "--format=mermaid")
    assert shown.code == 0
    assert f"```mermaid\n{shown.out}```" in PAGE
