"""Which releases `check` asks: the usual one where none is named; of several each has a column."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.program import run

LAMP = '''
from offsetproof.lang import *


class Lamp(Model):
    """A lamp."""

    roles = ("lamp",)
    releases = (Release("1.0"), Release("2.0"))
    usual_release = releases[0]
    lit: bool = flag()

    @action()
    def lights(self) -> None:
        self.lit = True

    @always(case("L1", REFUTED, why="it lights", no_remedy="a lamp lights"))
    def stays_dark(self) -> bool:
        """It is dark."""
        return not self.lit
'''


@pytest.mark.parametrize(("words", "releases"), [
    ((), ["1.0"]), (("L1",), ["1.0"]), (("--property=stays-dark",), ["1.0"]),
    (("--release=2.0",), ["2.0"]), (("L1", "--release=all"), ["1.0", "2.0"]),
])  # fmt: skip
def test_usual_release_is_asked_where_none_is_named_and_each_has_a_column(
    tmp_path: Path, words: tuple[str, ...], releases: list[str]
) -> None:
    (tmp_path / "lamp.py").write_text(LAMP, encoding="utf-8")
    ran = run("check", "lamp.py", *words, cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Lamp {', '.join(releases)}: {len(releases)} REFUTED; all as expected\n")
    assert ("asked of 1.0 only; `--release all` asks of 2.0 as well" in ran.out) == (releases == ["1.0"])
    row = next(line for line in ran.out.splitlines() if line.startswith(" stays"))
    assert row.split()[:3] == ["stays-dark", "(L1)", "default"]
    assert row.count("REFUTED") == len(releases)
