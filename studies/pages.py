"""Every part of a page that is generated, with the page that has it and what it is made of.

A page is prose in Markdown. A part stands between two markers in it (`marked.py`), and is made of data that are kept,
of the claims, or of the program, within seconds: `make pages` writes all of them, and `python -m studies --check` says
which are not what they would be now.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from offsetproof.audit.silver.columns import FILES, MALFORMED, SILVER, UNKNOWN
from studies import (
    DOCS,
    RECORDS,
    ROOT,
    agreement_page,
    audit_found,
    audit_speed,
    audit_tables,
    beside,
    callers,
    callers_later,
    claims,
    compared,
    conforming,
    fixes_page,
    flips_page,
    house,
    larger,
    mixed_page,
    mixed_tools,
    mixed_wider,
    natural_page,
    other_releases,
    questions_page,
    real,
    refusals,
    releases,
    reported,
    resets_page,
    scale,
    speed,
    spot_page,
    sweep,
    times,
    tlc_page,
    watch_page,
    widened_page,
)
from studies.marked import part_of, write_part
from studies.subjects import ABOUT_ROCKETMQ
from tools import python_reference, reference, schemas_page, verbs_page


@dataclass(frozen=True)
class Part:
    """A generated part of a page."""

    page: Path
    name: str
    make: Callable[[], str]

    @property
    def place(self) -> str:
        """The page and the part, for people."""
        return f"{self.page.relative_to(ROOT).as_posix()}: {self.name}"

    def is_old(self) -> bool:
        """Is it another text than would be made now?"""
        return part_of(self.page.read_text(encoding="utf-8"), self.name) != self.make().strip()

    def write(self) -> bool:
        """Writes it; was it old?"""
        return write_part(self.page, self.name, self.make())


def parts() -> Iterator[Part]:
    """All of them, page by page."""
    yield Part(ROOT / "README.md", "replayed", real.in_readme)
    yield Part(ROOT / "README.md", "refuted", releases.in_readme)
    for subject in ABOUT_ROCKETMQ:
        page = claims.page_of(subject)
        yield Part(page, "symptoms", partial(claims.symptoms, subject))
        yield Part(page, "claims", partial(claims.index, subject))
        yield Part(page, "cases", partial(claims.cases, subject))
    for name, made in {**REFERENCES, **MEASUREMENTS, **RESULTS}.items():
        for part, make in made.items():
            yield Part(DOCS / f"{name}.md", part, make)


Making = Mapping[str, Callable[[], str]]

REFERENCES: Mapping[str, Making] = {
    "language": {"reference": reference.reference},
    "python": {"reference": python_reference.reference},
    "verbs": {"verbs": verbs_page.verbs},
    "formats": {
        "json": schemas_page.documents,
        "silver": partial(audit_tables.columns_table, SILVER),
        "files": partial(audit_tables.columns_table, FILES),
        "unknown": partial(audit_tables.columns_table, UNKNOWN),
        "malformed": partial(audit_tables.columns_table, MALFORMED),
    },
    "watch": {"ways": watch_page.ways},
}


def _of(data: str, make: Callable[[Any], str]) -> Callable[[], str]:
    """What is made of a file of data."""
    return lambda: make(json.loads((RECORDS / f"{data}.json").read_text(encoding="utf-8")))


MEASUREMENTS: Mapping[str, Making] = {
    "measurements": {
        "speed": speed.explored,
        "beside": beside.beside,
        "compiling": speed.compiling,
        "savings": speed.savings,
        "spark": scale.measured,
        "spark-cost": scale.cost,
        "tlc-by-hand": _of("tlc", tlc_page.by_hand),
        "tlc-profile": _of("tlc", tlc_page.profile),
        "tlc-others": _of("tlc", tlc_page.others),
        "spot-defects": _of("spot", spot_page.defects),
        "spot-cost": _of("spot", spot_page.costs),
        "audit-ways": audit_speed.ways,
        "audit-findings": audit_speed.to_findings,
        "audit-growth": audit_speed.growth,
        "sweep": sweep.swept,
        "house": house.sizes,
    }
}


RESULTS: Mapping[str, Making] = {
    "releases": {
        "totals": releases.totals,
        "mixed-pairs": mixed_page.pairs,
        "mixed-differing": mixed_page.differing,
        "mixed-wider": mixed_wider.table,
        "mixed-tools": mixed_tools.table,
        "differing": releases.differing,
        "flipped": flips_page.flipped,
        "kept": flips_page.kept,
        "matrix": releases.matrix,
        "behaviours": releases.behaviours,
    },
    "audit": {"found-totals": audit_found.totals, "found": audit_found.table, "found-quiet": audit_found.quiet},
    "questions": {"answers": questions_page.answers},
    "reported": {"counts": reported.counts, "with-case": reported.with_case, "without-case": reported.without_case},
    "studies/fixes": {
        "counts": _of("fixes", fixes_page.counts),
        "fixes": _of("fixes", fixes_page.fixes),
        "assumptions": _of("fixes", fixes_page.assumptions),
        "undecided": _of("fixes", fixes_page.undecided),
        "typical": _of("fixes", fixes_page.typical),
        "together": _of("fixes", fixes_page.together),
    },
    "studies/resets": {
        "mechanisms": _of("resets", resets_page.mechanism_table),
        "causes": _of("resets", resets_page.cause_table),
        "unsettled": _of("resets", resets_page.unsettled),
        "found": _of("resets", resets_page.found),
        "causes-at-broker": _of("resets-at-broker", resets_page.cause_table_at_broker),
        "repairs": _of("resets-at-broker", resets_page.repair_table),
        "parts-of-repairs": _of("resets-at-broker", resets_page.parts_table),
    },
    "studies/widened": {
        "counts": widened_page.counts,
        "refuted": widened_page.refuted,
        "undecided": widened_page.undecided,
    },
    "studies/agreement": {
        "machine": _of("agreement", agreement_page.machine),
        "tools": _of("agreement", agreement_page.tools),
        "subjects": _of("agreement", agreement_page.subjects),
        "exceptions": _of("agreement", agreement_page.exceptions),
        "typical": _of("agreement", agreement_page.typical),
        "finding": _of("agreement", agreement_page.finding),
        "walking": _of("agreement", agreement_page.walking),
        "mistranslations": _of("agreement", agreement_page.mistranslations),
    },
    "studies/larger": {"counts": _of("larger", larger.counts), "worlds": _of("larger", larger.worlds)},
    "studies/real": {
        "counts": real.counts,
        "exceptions": real.exceptions,
        "compared": compared.counts,
        "compared-differing": compared.differing,
        "wrong-models": conforming.wrong_models_counted,
        "survivors": conforming.survivors,
        "other-releases": other_releases.other_releases,
    },
    "studies/natural": {
        "counts": _of("natural", natural_page.counts),
        "machine": _of("natural", natural_page.machine),
        "scenarios": _of("natural", natural_page.scenarios),
    },
    "studies/callers": {
        "counts": callers.counts,
        "reasons": callers.reasons,
        "writing": callers.writing,
        "stores": callers.stores,
        "work": callers_later.work,
        "newest": callers_later.newest,
    },
    "studies/times": {"waits": times.waits, "any-time": times.any_time, "left-out": times.left_out},
    "studies/refusals": {"models": refusals.models, "commands": refusals.commands},
}

PARTS = tuple(parts())

ROWS: Making = {
    "agreement": _of("agreement", agreement_page.rows),
    "callers": callers.rows,
    "fixes": _of("fixes", fixes_page.rows),
    "larger": _of("larger", larger.rows),
    "natural": _of("natural", natural_page.rows),
    "real": lambda: "\n\n".join([real.rows(), conforming.rows(), other_releases.rows()]),
    "refusals": refusals.rows,
    "times": times.rows,
    "widened": widened_page.rows,
}
"""The whole tables of which pages in docs/studies have totals and what stands out, by page."""
