"""Reading an exported module: one definition at a time."""

from __future__ import annotations

import re


def operator(text: str, name: str) -> str:
    """The definition of one operator, as it stands in a module."""
    found = re.search(rf"^{re.escape(name)}(\([^)]*\))? ==.*?(?=\n\n)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"{name} is not defined in:\n{text}"
    return found[0]
