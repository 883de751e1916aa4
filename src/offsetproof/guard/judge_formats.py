"""What judging a patch found, at the patch's own lines: GitHub's annotations, and SARIF.

An error is what got worse, or is left although it was to be removed (where nothing is expected, all was); what got
better is a notice, and what is not known a warning. So an error or a warning is there where the code is not 0. Sources
are looked for below the working folder; where there are none, the text has class and line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offsetproof.conformance.drift import CauseFate, Drift
from offsetproof.guard.judge_report import conformance_in_words, summary, why
from offsetproof.guard.judging import JudgedCause, Judgement
from offsetproof.real.method_digests import AnchoredMethod
from offsetproof.real.program import JavaLine
from offsetproof.reports import sarif
from offsetproof.reports.markdown import annotation
from offsetproof.verdict.phrases import quantity

_ROOTS = ("src/main/java", "*/src/main/java", "*/*/src/main/java", ".")
"""Where Maven, Gradle and a bare folder have sources."""

_PATCH = "patch"
"""The rule of what is said of the patch, and not of one of its causes."""


@dataclass(frozen=True)
class _Remark:
    """Something to be told at the patch: whether it is worse, better or not known, under which rule."""

    level: str
    rule: str
    text: str


def judge_github(judged: Judgement) -> str:
    """One workflow command per remark at the first changed line, and the summary where there is no remark."""
    place = next(iter(places_of(judged.drift)), None)
    remarks = [each for each in _remarks(judged) if each.level != _NONE]
    where = _where(judged.drift)
    lines = [
        annotation(each.level, f"offsetproof: {each.rule}", f"{each.text}{where}", place=place) for each in remarks
    ]
    return "\n".join(lines or [annotation("notice", "offsetproof judge", summary(judged), place=place)]) + "\n"


def judge_sarif(judged: Judgement) -> str:
    """A result per cause, and per remark about the patch, at all changed lines; without a source in their methods."""
    where = _where(judged.drift)
    locations = [sarif.location(file, line) for file, line in places_of(judged.drift)]
    locations += [_location_in(method, line) for line, method in judged.drift.lines if where]
    rules = {
        each.name: {"id": each.name, "shortDescription": {"text": each.sentence or each.name}} for each in judged.causes
    }
    about = {
        "id": _PATCH,
        "shortDescription": {"text": "The patch breaks no claim, and is the fix that it is said to be."},
    }
    results: list[dict[str, Any]] = []
    for each in _remarks(judged):
        kind, level = _SARIF[each.level]
        result = sarif.finding(each.rule, kind, level, f"{each.text}{where}", None)
        results.append({**result, "locations": locations})
    return sarif.document(f"judge/{judged.claim}", [*rules.values(), about], results)


def _where(drift: Drift) -> str:
    """The first changed line as class and line, where none of them has a source."""
    return f" (at {drift.lines[0][0]})" if drift.lines and not places_of(drift) else ""


def _location_in(method: AnchoredMethod, line: JavaLine) -> dict[str, Any]:
    """A method, as code scanning names it, and the line in it."""
    named = {
        "name": method.method, "fullyQualifiedName": f"{line.java_class}.{method.method}", "kind": "function"
    }  # fmt: skip
    return {"logicalLocations": [named], "message": {"text": str(line)}}


_NONE = "none"
_SARIF = {
    "error": ("fail", "error"),
    "warning": ("fail", "warning"),
    "notice": ("pass", "none"),
    _NONE: ("open", "none"),
}
"""Kind and level of a result; what is left, and was not to be removed, is no failure."""


def places_of(drift: Drift, root: Path | None = None) -> list[tuple[str, int]]:
    """The changed lines that have a source below a folder (without one, the working folder), the nearest first."""
    found = [(source_of(place, root or Path.cwd()), place.line) for place, _ in drift.lines]
    return [(file, line) for file, line in found if file]


def source_of(place: JavaLine, root: Path) -> str:
    """The source file of a class below a folder, as that folder names it; empty where there is none."""
    own = place.java_class.partition("$")[0].replace(".", "/") + ".java"
    files = (file for start in _ROOTS for file in sorted(root.glob(f"{start}/{own}")))
    return next((file.relative_to(root).as_posix() for file in files), "")


def _remarks(judged: Judgement) -> Iterator[_Remark]:
    for cause in judged.causes:
        yield _Remark(_level_of(cause, judged), cause.name, ": ".join(filter(None, (str(cause.cause), _about(cause)))))
    for each in judged.broken:
        yield _Remark("error", _PATCH, f"breaks {each.title}")
    for each in judged.repaired:
        yield _Remark("notice", _PATCH, f"repairs {each.title}")
    for held in judged.differing if judged.fixes else ():
        said = " and ".join(judged.fixes)
        yield _Remark("error", _PATCH, f"is not {said}, in {held.component}: {conformance_in_words(held)}")
    if judged.why_unproven:
        yield _Remark("warning", _PATCH, f"what else it breaks is not known: {judged.why_unproven}")
    elif judged.undecided:
        titles = ", ".join(dict.fromkeys(each.title for each in judged.undecided))
        yield _Remark("warning", _PATCH, f"whether it breaks these is not decided: {titles}")
    if not judged.expected:
        yield from _where_nothing_is_expected(judged)


def _where_nothing_is_expected(judged: Judgement) -> Iterator[_Remark]:
    """Why the code is not 0 where every cause counts: a line for all that are left, and not one for each."""
    way_out = "`--expect removed=STORY,STORY` names those that the patch is to remove"
    for fate, level in ((CauseFate.LEFT, "error"), (CauseFate.UNKNOWN, "warning")):
        names = [each.name for each in judged.causes_that_are(fate)]
        if names:
            all_of_them = quantity(len(judged.causes), "recorded cause")
            yield _Remark(level, _PATCH, f"{len(names)} of {all_of_them} {fate}: {', '.join(names)}; {way_out}")
    if judged.fixes:
        return
    if judged.differing:
        parts = quantity(len(judged.differing), "component")
        text = f"the classes do something else than the model of {judged.release} in {parts}; `--fix` says what"
        yield _Remark("error", _PATCH, f"{text} they are, {way_out}")
    if open_ones := [each.component for each in judged.conformed if not (each.agrees or each.result.disagreements)]:
        yield _Remark("warning", _PATCH, f"conformance has not passed in {'; '.join(open_ones)}")


def _level_of(cause: JudgedCause, judged: Judgement) -> str:
    if cause.cause is CauseFate.REMOVED:
        return "notice"
    if cause.name not in judged.expected:
        return _NONE
    return "error" if cause.cause is CauseFate.LEFT else "warning"


def _about(cause: JudgedCause) -> str:
    """Its sentence; of one that is not known also why."""
    unknown = why(cause) if cause.cause is CauseFate.UNKNOWN else ()
    return "; ".join(filter(None, (cause.sentence, *unknown)))
