"""Changes of fields as markup: name, old and new value each in its own direction, and on the screen in this order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

Change = Sequence[str]
"""A field's path, its old value and its new one."""

_ARROW = "\u00a0→\u00a0"
"""An arrow at which no line ends."""


def value_in_markup(value: str, changed: Sequence[Change]) -> Markup:
    """A value of a step in brief, `cell 0 -> 1`, which is one of the step's changes under a shorter name.

    >>> print(value_in_markup("cell 0 -> 1", [("consumer.cell", "0", "1")]).replace("\u00a0", " "))
    <bdi dir="ltr"><bdi>cell</bdi> <bdi>0</bdi> → <bdi>1</bdi></bdi>
    """
    for path, old, new in changed:
        name = value.removesuffix(f" {old} -> {new}")
        if name != value and path.endswith(name):
            return _change(name, old, _ARROW, new)
    return Markup("<bdi>{}</bdi>").format(value)


def brief_in_markup(text: str, steps: Sequence[Mapping[str, Any]]) -> Markup:
    """The text of a story in brief, with the same letters, where `steps` are told.

    >>> steps = [{"changed": [("consumer.cell", "0", "1")]}]
    >>> print(brief_in_markup("  1 hand  Writes <it> (cell 0 -> 1)", steps))
      1 <bdi>hand</bdi>  Writes &lt;it&gt; (<bdi dir="ltr"><bdi>cell</bdi> <bdi>0</bdi> -&gt; <bdi>1</bdi></bdi>)
    """
    values = {value for step in steps for change in step["changed"] for value in change[1:]}
    one = "|".join(map(re.escape, sorted(values, key=len, reverse=True))) or r"\S+"
    change = rf"(?P<name>[^\s(]\S*) (?P<old>{one}) -> (?P<new>{one})(?=[,)]|$)"
    made, end = Markup(""), 0
    for found in re.finditer(rf"^(?P<number> *\d+ )(?P<who>\S.*?)(?=  )|{change}", text, flags=re.MULTILINE):
        made += text[end : found.start()]
        if found["who"]:
            made += Markup("{}<bdi>{}</bdi>").format(found["number"], found["who"])
        else:
            made += _change(found["name"], found["old"], " -> ", found["new"])
        end = found.end()
    return made + text[end:]


def _change(name: str, old: str, arrow: str, new: str) -> Markup:
    markup = '<bdi dir="ltr"><bdi>{}</bdi> <bdi>{}</bdi>{}<bdi>{}</bdi></bdi>'
    return Markup(markup).format(name, old, arrow, new)
