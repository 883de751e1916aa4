"""docs/language.md: its pieces of code are a model that gives the answers printed there, and no word is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli.program import run

from offsetproof import lang

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
LESSON = PAGE.read_text(encoding="utf-8").partition("\n## Reference\n")[0]
INTERNAL = {
    "Anchor", "BoundSort", "ClaimKind", "DeclarationError", "Expectation", "ModelError", "Property", "RefusedError",
    "Seconds", "Setting", "UnknownNameError",
}  # fmt: skip
"""What the language exports for type annotations and error handling; a model can be written without it."""


def blocks(kind: str) -> list[str]:
    """The page's pieces of one kind, in order."""
    pieces = re.findall(r"(?ms)^```(\w*)\n(.*?)^```$", LESSON)
    return [text for told, text in pieces if told == kind]


def test_pieces_of_code_are_a_model_with_the_printed_answers(tmp_path: Path) -> None:
    (tmp_path / "letters.py").write_text("\n".join(blocks("python")))
    ran = run("check", "letters.py", "--scope=all", "--no-progress", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    (printed,) = blocks("")
    assert printed == ran.out
    assert re.search("HOLDS.*REFUTED.*reached", printed)


@pytest.mark.parametrize("name", sorted(set(lang.__all__) - INTERNAL))
def test_page_has_every_word_of_the_language(name: str) -> None:
    assert re.search(rf"\b{name}\b", LESSON)
