"""docs/python.md: its pieces of code are one program, which prints what stands below them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import offsetproof

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
LESSON = PAGE.read_text(encoding="utf-8").partition("\n## Reference\n")[0]
BLOCKS = re.findall(r"(?ms)^```(\w*)\n(.*?)^```$", LESSON)
PIECES = [(kind, text) for kind, text in BLOCKS if kind in ("python", "")]


def test_every_piece_of_code_prints_what_stands_below_it(tmp_path: Path) -> None:
    assert [kind for kind, _ in PIECES] == ["python", ""] * (len(PIECES) // 2)
    code = [f"{text}\nprint('--')\n" for kind, text in PIECES if kind == "python"]
    (tmp_path / "parking.py").write_text("".join(code), encoding="utf-8")
    done = subprocess.run([sys.executable, "parking.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split("--\n")[:-1] == [text for kind, text in PIECES if kind == ""]


def test_page_has_every_word_that_the_package_offers() -> None:
    shown = {"Answer", "Results", "Trace", "Verdict", "__version__"}
    offered = {*offsetproof.__all__} - shown
    assert {name for name in offered if not re.search(rf"\b{name}\b", LESSON)} == set()
