"""TLC as a judge of assumptions: a module without a behaviour, of which it says whether all that is assumed is true."""

from __future__ import annotations

import subprocess
from pathlib import Path

from offsetproof.exports.tla.tlc import SHORT_RUN, find_jar, find_java


def told(module: str, folder: Path) -> str:
    """What TLC says about a module that has nothing but assumptions."""
    (folder / "Judge.tla").write_text(module, encoding="ascii")
    (folder / "Judge.cfg").write_text("", encoding="ascii")
    command = [find_java(), *SHORT_RUN, "-cp", str(find_jar()), "tlc2.TLC", "-metadir", str(folder), "Judge.tla"]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True).stdout
