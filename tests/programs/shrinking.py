"""A failing program, made smaller: whatever can be taken out while it still fails is taken out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator


def shrunk(source: str, still_fails: Callable[[str], bool], attempts: int = 150) -> str:
    """The text without the definitions and statements that the failure does not need; at most that many are tried."""
    tries = iter(range(attempts))
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(source):
            if next(tries, None) is None:
                return source
            if still_fails(smaller):
                source, progress = smaller, True
                break
    return source


def _smaller(source: str) -> Iterator[str]:
    """The text with one statement less, the largest first."""
    places = [(id_, i) for id_, body in enumerate(_bodies(ast.parse(source))) for i in range(len(body))]
    sizes = {place: len(ast.dump(_bodies(ast.parse(source))[place[0]][place[1]])) for place in places}
    for number, at in sorted(places, key=lambda place: -sizes[place]):
        tree = ast.parse(source)
        body = _bodies(tree)[number]
        del body[at]
        if not body:
            body.append(ast.Pass())
        yield ast.unparse(tree) + "\n"


def _bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    """All lists of statements that are not imports alone."""
    nodes = (node for node in ast.walk(tree) if hasattr(node, "body") and isinstance(node.body, list))
    return [part for node in nodes for part in (node.body, getattr(node, "orelse", [])) if part]
