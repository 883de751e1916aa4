"""What later releases add to the list of callers: the work of adding a release (docs/studies/callers.md).

`python -m studies.callers_later` finds the places in the published jar of each (`make callers`), and writes how many
there are and which nobody has said anything of; what methods do and where anchors are, `make anchors` has written.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from offsetproof.model.lines import anchor_of
from offsetproof.real.jars import releases
from studies import RECORDS
from studies.callers import may_write
from studies.rows import Row, read_rows, write_rows
from tools.anchored_places import name_of_call
from tools.anchors import FOLDER, METHODS, anchors_in
from tools.callers import Place, derive, key_of, read

DATA = RECORDS / "callers-later.json"

_CLIENT = "org.apache.rocketmq.client."


def rows_of(found: Mapping[str, Iterable[Place]]) -> Iterator[Row]:
    """A row per release, the oldest first: what its places are, beside those of the release before and of 4.9.4."""
    said = {key_of(row): row for row in read()["places"]}
    before: set[Any] = set()
    for release, places in found.items():
        anchored, keys = _anchored_in(release), {place.key for place in places}
        words = Counter(_word(place, anchored, said) for place in places)
        unsaid = [place for place in places if _word(place, anchored, said) == _UNSAID]
        yield {
            "release": release,
            "places": len(keys),
            "new": len(keys - before),
            "gone": len(before - keys),
            **{word: words[word] for word in (_ANCHORED, _AS_BEFORE, _UNSAID)},
            "writing": [_in_words(place) for place in unsaid if may_write({"touches": place.touches})],
        }
        before = keys


_ANCHORED, _AS_BEFORE, _UNSAID = "anchored", "as in the list", "without a word"


def _word(place: Place, anchored: set[tuple[str, int | None, str]], said: Mapping[Any, Any]) -> str:
    if (place.java_class, place.line, name_of_call(place.touches)) in anchored:
        return _ANCHORED
    return _AS_BEFORE if place.key in said else _UNSAID


def _anchored_in(release: str) -> set[tuple[str, int | None, str]]:
    """The classes, lines and calls in the client that the steps of a release have anchors on."""
    rows = {(row["class"], row["method"], row["call"], row["nth"]): row for row in _lines(release)}
    keys = ((each.java_class, each.method, each.call, each.nth) for each in anchors_in(release))
    there = (rows[key] for key in keys if rows[key]["line"] is not None and rows[key]["jar"] == "rocketmq-client")
    moved = ((row, row.get("moved_to", row)["call"]) for row in there)
    return {(row["in"].removeprefix(_CLIENT), row["line"], name_of_call(call)) for row, call in moved}


def _in_words(place: Place) -> list[str]:
    return [f"{place.java_class.rpartition('.')[2]}.{place.method}", f"{place.line} `{place.touches}`"]


@cache
def _lines(release: str) -> list[Row]:
    table: dict[str, Any] = json.loads((FOLDER / f"{release}.json").read_text(encoding="utf-8"))
    return list(table["anchors"])


@cache
def _digests(release: str) -> dict[str, str]:
    """What each method that an anchor names does, where the release is published with it."""
    table: dict[str, Any] = json.loads((METHODS / f"{release}.json").read_text(encoding="utf-8"))
    return {name: digest for name, digest in table["methods"].items() if digest is not None}


def changed_methods(release: str) -> list[str]:
    """The methods that anchors name, and that do something else than in the last release before that has them."""
    earlier = releases()[: releases().index(release)]
    known = dict(pair for each in earlier for pair in _digests(each).items())
    return sorted(name for name, digest in _digests(release).items() if known.get(name) != digest)


def without_place(release: str) -> list[bool]:
    """The anchors that have no line in the jars of a release: is each one of a step that the release has?"""
    own = anchors_in(release)
    return [anchor_of(row) in own for row in _lines(release) if row["line"] is None]


def work() -> str:
    """A column per release: its places, what nobody has said anything of, and what has changed under the anchors."""
    later = read_rows(DATA)[1:]
    lines = [f"| | {' | '.join(row['release'] for row in later)} |", "|---|" + "---:|" * len(later)]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in _work(later))])


def _work(later: Sequence[Row]) -> Iterator[list[str]]:
    yield ["places", *(str(row["places"]) for row in later)]
    yield ["new, gone", *(f"{row['new']}, {row['gone']}" for row in later)]
    for word in (_ANCHORED, _AS_BEFORE, _UNSAID):
        yield [word, *(str(row[word]) for row in later)]
    yield ["of these may write", *(str(len(row["writing"])) for row in later)]
    named = [row["release"] for row in later]
    methods = (f"{len(changed_methods(each))} of {len(_digests(each))}" for each in named)
    yield ["methods that do something else", *methods]
    lacking = map(without_place, named)
    yield ["anchors without a place, needed", *(f"{len(those)}, {sum(those)}" for those in lacking)]


def newest() -> str:
    """Of the newest release: which methods do something else, and what may write and has no word."""
    row = read_rows(DATA)[-1]
    release = row["release"]
    methods = ", ".join(f"`{name}`" for name in changed_methods(release))
    by_method: dict[str, list[str]] = {}
    for method, touch in row["writing"]:
        by_method.setdefault(method, []).append(touch)
    lines = [f"Under anchors, these do something else in {release} than before: {methods}.", ""]
    lines += [
        f"What may write in {release}, and has no word:",
        "",
        "| method | line and what is touched |",
        "|---|---|",
    ]
    return "\n".join([*lines, *(f"| `{method}` | {', '.join(touches)} |" for method, touches in by_method.items())])


def main() -> None:
    write_rows(DATA, rows_of({release: derive(release) for release in releases()}))


if __name__ == "__main__":
    main()
