"""One question put to every engine and every foreign tool; what each said, as plain data."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.measure import TooLargeError, explore
from bench.subjects import Timed
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.smt.engine import Smt
from offsetproof.engines.stateful.engine import Stateful
from offsetproof.exports.exported import Exported
from offsetproof.exports.other_tool import ToolOutcome
from offsetproof.exports.promela.spin import SpinOptions, run_spin
from offsetproof.exports.stateright.cargo import run_stateright
from offsetproof.exports.tla.tlc import SHORT_RUN, run_tlc
from offsetproof.ir.kind import TooWideError
from offsetproof.programs import ProgramFailedError
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result
from studies.agreement_page import MOST, MOST_FOR_TLC
from studies.agreement_questions import Asked

SECONDS = 300.0
"""What one run of a foreign tool may take."""

Record = dict[str, Any]
Run = Callable[[Exported, str | None, Path], ToolOutcome]


@dataclass(frozen=True)
class Tool:
    """A foreign model checker: its name on the page, and how it is run on an export with one claim, or with none.

    It is not asked to see the whole of a system of more than `most` states: that would take it hours. Where it does not
    count all, it counts where the claim holds.
    """

    name: str
    run: Run
    most: int = MOST
    counts_all: bool = True

    def asked(self, question: Asked, explicit: Record) -> Record:
        """Its count of the whole system and its verdict; one run where the claim holds, for that has to see all.

        What ended without an answer has the reason as `failed`.
        """
        prop = question.question.prop
        violated, size = explicit["steps"] is not None, explicit["whole"]
        large = size is None or size["states"] > self.most
        if large and not violated:
            return {"left": f"over {self.most:,} states"}
        try:
            with tempfile.TemporaryDirectory() as folder:
                if question.whole_only:
                    return {"whole": self._record(question.export(), None, folder)}
                if not violated:
                    judged = self._record(question.export(), prop.id, folder)
                    return {"whole": judged, "judged": judged}
                whole = self._record(question.export(), None, folder) if self.counts_all and not large else None
                judged = self._record(question.export(explicit["faults"]), prop.id, folder)
                return {"whole": whole, "judged": judged}
        except (TooWideError, ProgramFailedError, TimeoutError) as error:
            return {"failed": str(error).splitlines()[0]}

    def _record(self, export: Exported, claim: str | None, folder: str) -> Record:
        outcome = self.run(export, claim, Path(folder))
        return {
            "states": outcome.states,
            "depth": outcome.depth,
            "violated": outcome.violated,
            "steps": outcome.length,
            "seconds": round(outcome.seconds, 1),
        }


def foreign(target: Path) -> tuple[Tool, ...]:
    """The foreign tools. Crates are built into the folder `target`, so that Stateright is compiled once."""

    def tlc(export: Exported, claim: str | None, folder: Path) -> ToolOutcome:
        claims = [claim] if claim else []
        return run_tlc(export, folder=folder, claims=claims, timeout=SECONDS, java=SHORT_RUN)

    def spin(export: Exported, claim: str | None, folder: Path) -> ToolOutcome:
        return run_spin(export, claim=claim, folder=folder, options=SpinOptions(seconds=SECONDS, megabytes=6_000))

    def rust(export: Exported, claim: str | None, folder: Path) -> ToolOutcome:
        return run_stateright(export, claim=claim, folder=folder, target=target, seconds=SECONDS)

    return Tool("TLC", tlc, most=MOST_FOR_TLC, counts_all=False), Tool("SPIN", spin), Tool("Stateright", rust)


def by_explicit(question: Asked) -> Record:
    """The explicit engine's verdict, and the size of the whole system."""
    result = Explicit().decide(question.question)
    system = question.export().system
    try:
        explored = explore(Timed(question.name, system, 0.0), MOST)
        whole = {"states": explored.states, "depth": explored.depth}
    except TooLargeError:
        whole = None
    return {**_verdict(result), "digest": system.digest, "whole": whole}


def by_stateful(question: Asked) -> Record:
    """What sampling with the default effort finds."""
    return _verdict(Stateful().decide(question.question))


def by_smt(questions: list[Asked], seconds: float) -> dict[str, Record]:
    """What bounded model checking finds about questions, all of one setting together, by their names."""
    limited = [replace(each.question, limits=Limits(seconds=seconds)) for each in questions]
    engine = Smt(limited, depth=200, query_seconds=seconds)
    return {each.name: _verdict(engine.decide(question)) for each, question in zip(questions, limited, strict=True)}


def time_to_find(question: Question) -> dict[str, Record]:
    """How long each engine takes from nothing to the violation of one claim, model staging and compiling included."""
    limited = replace(question, limits=Limits(seconds=600))
    engines = (Explicit(), Stateful(), Smt((limited,), depth=60, query_seconds=600))
    seconds_by_claim = {}
    for engine in engines:
        started = time.monotonic()
        seconds_by_claim[engine.name] = {
            **_verdict(engine.decide(limited)),
            "seconds": round(time.monotonic() - started, 1),
        }
    return seconds_by_claim


def _verdict(result: Result) -> Record:
    return {
        "verdict": str(result.verdict),
        "reason": str(result.reason) if result.reason else None,
        "method": result.method,
        "faults": result.replay.faults if result.replay else None,
        "steps": len(result.replay.labels) if result.replay else None,
        "states": result.counts.states,
        "depth": result.counts.depth,
        "within": result.within,
        "seconds": round(result.seconds, 1),
    }
