"""What the tables of refusals have in actions, as snippets: it is refused in any program, at any place of it."""

from __future__ import annotations

import re

from lang.refusals import HEADER
from lang.refused import ROWS
from lang.refused_remembering import REMEMBERING
from programs.offences import Offence

_NAMES = {"x": "n0", "y": "n1", "b": "f0", "c": "f0", "s": "s0", "o": "o0", "e": "e0", "few": "flags"}
"""The fields of the tables' model, and those of the same sort that a program has."""
_OTHERWISE = r"\.(many|far|other|moves|set_x|_tree)\b|Fields|Offending|messages"
"""What there is in the tables' model alone."""
_IMPORTS, _, _HELPERS = HEADER.partition("class Colour")
_CONSTANTS = _HELPERS[_HELPERS.index("class Shape") : _HELPERS.index("class Letter")]
_ACTION = re.compile(
    r"(?s)(?P<before>.*)class Offending\(Fields\):\n    @action\((v=(?P<sort>Odd))?\)\n"
    r"    def act\(self(, v)?\):\n(?P<body>        .*?)\n\n@always\ndef true.*"
)


def _snippet(title: str, text: str) -> Offence | None:
    """The action of a table's row, where it can stand in another model."""
    found = _ACTION.fullmatch(text)
    if found is None or re.search(_OTHERWISE, text.partition("class Offending(Fields)")[0] + found["body"]):
        return None
    body = re.sub(r"  # HERE$", "", re.sub(r"(?m)^        ", "", found["body"]), flags=re.MULTILINE)
    body = re.sub(r"\bself\.(\w+)", lambda field: f"self.{_NAMES.get(field[1], field[1])}", body)
    before = _IMPORTS + _CONSTANTS + found["before"].replace("  # HERE", "")
    return Offence(title, body, before, parameter=found["sort"] or "")


_TEXTS = {row.title: row.text for row in ROWS} | {f"remembering: {way.title}": way.text for way in REMEMBERING}
REFUSED = tuple(found for title, text in _TEXTS.items() if (found := _snippet(title, text)))
"""All of them."""
