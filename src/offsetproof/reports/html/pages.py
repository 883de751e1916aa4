"""Files for a browser: a template with its style, its program and its data in one page."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from msgspec import to_builtins

from offsetproof.escaping import visible
from offsetproof.reading.typed_json import JsonObject
from offsetproof.reports.html.data import ComparePageJson, IndexPageJson, StoryPageJson


def story_page(data: StoryPageJson, *, alone: bool = False) -> str:
    """The page of a story, from its data; `alone`: without links to the other pages of a report."""
    from offsetproof.reports.html.directions import brief_in_markup, value_in_markup  # as jinja2 is, below

    shown = visible_data(to_builtins(data))
    told_steps = [(number, step) for number, step in enumerate(shown["steps"], 1) if step["told"]]
    in_brief = [(number, step, [value_in_markup(value, step["changed"]) for value in step["values"]])
                for number, step in told_steps]  # fmt: skip
    brief_text = brief_in_markup(shown["brief"], [step for _, step in told_steps])
    faults = sum(shown["actions"][step["action"]]["fault"] is not None for step in shown["steps"])
    return _page("story", shown, in_brief=in_brief, brief_text=brief_text, faults=faults, alone=alone)


def index_page(data: IndexPageJson) -> str:
    """The page that leads to the others."""
    return _page("index", visible_data(to_builtins(data)))


def compare_page(data: ComparePageJson) -> str:
    """The page that shows two stories."""
    return _page("compare", visible_data(to_builtins(data)))


def explorer_page(data: Mapping[str, Any]) -> str:
    """The page on which a model is walked by hand; unlike the others it asks the server that it comes from."""
    return _page("explore", visible_data(to_builtins(data)), asks="connect-src 'self'; img-src data:; ")


def audit_page(data: JsonObject) -> str:
    """The page of an audit of logs."""
    return _page("audit", visible_data(to_builtins(data)))


def visible_data(data: Any) -> Any:
    """The data with every text such that nothing in it is hidden, or turns the direction of what follows."""
    if isinstance(data, str):
        return visible(data)
    if isinstance(data, Mapping):
        return {visible(key): visible_data(value) for key, value in data.items()}
    return [*map(visible_data, data)] if isinstance(data, list | tuple) else data


_PROGRAMS = {
    "story": ("drawing.js", "watched.js", "story.js"),
    "index": ("drawing.js", "seen.js", "index.js"),
}
"""The programs of a page that has more than what all share and its own."""


def _page(name: str, shown: Mapping[str, Any], *, asks: str = "", **more: Any) -> str:
    from markupsafe import Markup  # as jinja2 is, below

    style, program = _own("style.css"), "".join(map(_own, _PROGRAMS.get(name, ("drawing.js", f"{name}.js"))))
    text: str = _template(name).render(
        data=shown,
        style=Markup(style),
        program=Markup(program),
        block=Markup(data_block(shown)),
        policy=_policy(style, program, asks),
        **more,
    )
    return text


@cache
def _template(name: str) -> Any:
    """A template, compiled: that takes many times as long as to fill it in, and a report has hundreds of pages."""
    from jinja2 import Environment, StrictUndefined  # only loaded where pages are written

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(_own(f"{name}.html"))


def data_block(data: Any) -> str:
    """JSON that can stand within a script element, whatever its texts say.

    >>> data_block("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _policy(style: str, program: str, asks: str) -> str:
    """What a browser lets the page do: run its own program and style, show other pages of the report, and `asks`."""
    return (
        f"default-src 'none'; {asks}script-src 'sha256-{_digest(program)}'; style-src 'sha256-{_digest(style)}'; "
        "frame-src 'self' file:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


@cache
def _own(name: str) -> str:
    return (files("offsetproof.reports.html") / name).read_text(encoding="utf-8")
