"""What is made for a page of results names whatever stands out in its data, and its rows have every record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import pytest

from offsetproof.conformance.reproduced import found_by_story
from offsetproof.lang import ClaimKind
from offsetproof.lang.step import any_time_in
from offsetproof.model.concurrent.rocketmq import RocketMQ
from studies import RECORDS, callers, natural
from studies.fixes_page import assumptions, effects, fixes
from studies.other_releases import WHY
from studies.pages import PARTS, ROWS
from studies.subjects import ABOUT_ROCKETMQ
from studies.times import WAITS
from studies.widened_page import flips
from studies.widened_reasons import reason_for
from studies.widened_worlds import WIDENINGS

DATA = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in RECORDS.glob("*.json")}
CELLS = [(name, column) for name, record in DATA["fixes"]["claims"].items() for column in record["cells"]]
WRONG_MODELS = [row for each in DATA["wrong_models"] for row in each["models"]]
DIFFERENCES = [row for each in DATA["other_releases"].values() for row in each["found"]]
PLACES = callers.read()["places"]
TRIES = {name: tally for tallies in natural.read().values() for name, tally in tallies.items()}
WIDENED = [(widening, widening.read()) for widening in WIDENINGS]
COUNTED = {
    "agreement": len(DATA["agreement"]["questions"]),
    "callers": len(PLACES),
    "fixes": len(DATA["fixes"]["claims"]) + len(CELLS),
    "larger": len(DATA["larger"]["rows"]),
    "natural": sum(len(tally["tries"]) for tallies in natural.read().values() for tally in tallies.values()),
    "real": len(found_by_story()) + len(WRONG_MODELS) + len(DIFFERENCES),
    "refusals": len(DATA["refusals"]["models"]) + len(DATA["refusals"]["commands"]),
    "times": len(RocketMQ.actions),
    "widened": sum(len(row) for _, record in WIDENED for row in (record or {}).values()),
}
"""The rows that each page's data give."""


@pytest.mark.parametrize("name", ROWS)
def test_rows_have_every_record(name: str) -> None:
    tables = ROWS[name]().split("\n\n")
    assert sum(len(table.splitlines()) - 2 for table in tables) >= COUNTED[name]


def _made(page: str, part: str = "") -> str:
    return "\n".join(each.make() for each in PARTS if each.page.stem == page and part in each.name)


def _standing_out() -> Iterator[tuple[str, str, Sequence[str]]]:
    """The page, what is made for it, and the pieces of text that have to be in there."""
    found = found_by_story().values()
    apart = [f"`{row.story}`" for row in found if not row.is_reproduced or row.silent]
    yield "real", _made("real", "exceptions"), apart
    yield "real", _made("real", "exceptions"), [row.reason for row in found if row.reason]
    left = [row["change"].partition(": ") for row in WRONG_MODELS if "at" not in row]
    yield "real", _made("real", "survivors"), [f"`{action}`: {what}" for action, _, what in left]
    why = [f"| {WHY[row['action'], row['field']]} |" for row in DIFFERENCES]
    yield "real", _made("real", "other-releases"), why + [f"`{row['action']}`" for row in DIFFERENCES]
    for each in ABOUT_ROCKETMQ:
        page = "concurrent" if each.name == "rocketmq" else each.name
        told = [f"`{row.story}`{' ✓' * row.is_reproduced}" for row in found if row.subject == each.name]
        yield page, _made(page, "cases"), told
        yield page, _made(page, "symptoms"), [f"[{prop.id}](#" for prop in each.properties if prop.case.symptom]
        stated = [prop for prop in each.properties if prop.kind is not ClaimKind.SOMETIMES]
        yield page, _made(page, "cases"), [f"| {prop.id} |" for prop in stated]
        yield page, _made(page, "claims"), [f"[{prop.name}](#{prop.name})" for prop in stated]
    turned = {verdict: [*effects(DATA["fixes"]["claims"], verdict)] for verdict in ("HOLDS", "REFUTED")}
    rows = dict(re.findall(r"(?m)^\| ([\w-]+) \| (.*)$", fixes(DATA["fixes"]) + "\n" + assumptions(DATA["fixes"])))
    for verdict, cells in turned.items():
        for column in {column for _, column in cells}:
            told = rows[column].split(" | ")[1 if verdict == "HOLDS" else 2].removesuffix(" |").split("; ")
            yield "fixes", "\n".join(told), [n.replace(" ", ", ") for n, c in cells if c == column]
    written = [row for row in PLACES if "left out" in row and callers.may_write(row)]
    yield "callers", _made("callers", "writing"), [f"{row['line']} `{row['touches']}`" for row in written]
    for widening, record in WIDENED:
        refuted = {reason_for(widening.subject, claim, raised).words for claim, _, raised in flips(record or {})}
        yield "widened", _made("widened", "refuted"), [f": {words} |" for words in refuted]
    yield "larger", _made("larger", "worlds"), [row[0] for row in DATA["larger"]["rows"]]
    yield "times", _made("times", "waits"), [f"`{name}`" for wait in WAITS for name in wait.ends]
    yield "times", _made("times", "any-time"), [text for pair in any_time_in(RocketMQ.actions).items() for text in pair]
    stories = [f"`{story}`" for each in natural.SCENARIOS for story in each.stories]
    yield "natural", _made("natural", "counts"), stories
    yield "natural", _made("natural", "counts"), [f"{tally['happened']} of {tally['told']}" for tally in TRIES.values()]
    yield "agreement", _made("agreement", "exceptions"), [name.split()[1] for name in DATA["agreement"].get("open", [])]


STANDING_OUT = [*_standing_out()]


@pytest.mark.parametrize(
    ("page", "made", "named"), STANDING_OUT, ids=[f"{page}-{at}" for at, (page, *_) in enumerate(STANDING_OUT)]
)
def test_whatever_stands_out_is_named(page: str, made: str, named: Sequence[str]) -> None:
    assert [text for text in named if text not in made] == [], page


def test_much_stands_out() -> None:
    assert sum(len(named) for _, _, named in STANDING_OUT) > 1000
