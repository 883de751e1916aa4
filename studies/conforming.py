"""What conformance sees: wrong models, and another release, beside the real classes (`make conformance`; ten minutes).

It writes data, of which docs/studies/real.md has tables. The wrong models are drawn from all mutants of the actions
that the model's own walk takes; the model itself walks as far with the same seed, and must agree. On another
release the model walks as it has that release: the differences are what it does not have yet.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from offsetproof.checking.catalogue import SINGLES
from offsetproof.conformance.on_release import rig_of, running
from offsetproof.conformance.other_release import Differences, differences, without_twins
from offsetproof.conformance.walks import settings_to_conform
from offsetproof.conformance.wrong_models import WrongModel, WrongModels, walk_wrong_models
from offsetproof.ir.system import show_label
from offsetproof.real.sidecar import Gates
from offsetproof.verdict.phrases import quantity
from studies import ROOT
from studies.other_releases import DATA as OTHER

RELEASE = "4.9.4"
WRONG = ROOT / "studies" / "data" / "wrong_models.json"
COMPONENTS = (
    ("rocketmq", "calm-reset"),
    ("rocketmq", "hand-over"),
    ("rocketmq", "batch"),
    ("rocketmq", "crash"),
    ("orderly", "orderly-reset"),
    ("orderly", "orderly-shutdown"),
)
COUNT, STEPS, SEED = 12, 1_000, 1


OTHER_RELEASES = ("4.9.8", "5.3.3", "5.5.0")
OTHER_COMPONENTS = {
    "rocketmq": (
        "calm-reset", "hand-over", "batch", "crash", "unsubscribe", "shutdown", "fine-reset", "running-info",
        "retention", "new-group", "timestamp", "broker-restart", "resume", "send-back", "lost-pull-request",
        "cold-start", "offline-reset",
    ),
    "orderly": ("orderly", "orderly-reset", "orderly-shutdown", "orderly-hand-over", "orderly-lease", "dead-letters"),
}  # fmt: skip
OTHER_STEPS = 300


def main(*parts: str) -> None:
    """Walks everything, or the parts that are named, and writes the data."""
    if not parts or "wrong" in parts:
        WRONG.write_text(json.dumps([*wrong_models()], indent=1) + "\n", encoding="utf-8")
    if not parts or "other" in parts:
        data = {release: other_release(release) for release in OTHER_RELEASES}
        OTHER.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def other_release(release: str) -> dict[str, Any]:
    """Each way in which a release differs, with the number of components that show it."""
    walked: list[Differences] = []
    with running(rig_of(release), Gates.WOVEN) as sidecar:
        for name, scopes in OTHER_COMPONENTS.items():
            subject = SINGLES[name].subjects[0]
            for scope in scopes:
                setting = settings_to_conform(subject, scope, release=release)[0]
                walked.append(differences(sidecar, release, subject, setting, steps=OTHER_STEPS, seed=SEED))
    return {
        "components": len(walked),
        "agree": sum(not each.found for each in walked),
        "steps": OTHER_STEPS,
        "found": [{**asdict(each), "components": count} for each, count in without_twins(walked)],
    }


def wrong_models() -> Iterator[dict[str, Any]]:
    """What became of the wrong models of each component, as the data has it."""
    with running(rig_of(RELEASE), Gates.WOVEN) as sidecar:
        for name, scope in COMPONENTS:
            subject = SINGLES[name].subjects[0]
            setting = settings_to_conform(subject, scope)[0]
            walked = walk_wrong_models(sidecar, RELEASE, subject, setting, count=COUNT, steps=STEPS, seed=SEED)
            yield _component(name, walked)


def _component(subject: str, walked: WrongModels) -> dict[str, Any]:
    own = walked.own
    return {
        "subject": subject,
        "component": walked.component,
        "own": {"steps": own.steps, "disagreements": [str(found) for found in own.disagreements]},
        "models": [_row(each) for each in walked.models],
    }


def _row(each: WrongModel) -> dict[str, Any]:
    row: dict[str, Any] = {"change": str(each.mutant), "steps": each.steps}
    if each.caught is None:
        return {**row, "survival": each.survival, "told": each.detail}
    caught = each.caught
    return {
        **row,
        "story": len(caught.steps),
        "at": show_label(caught.steps[-1]),
        "field": caught.field,
        "own": each.own and str(each.own),
    }


def wrong_models_counted() -> str:
    """How many of the wrong models were caught, and why the others were not."""
    components = _components()
    rows = [row for each in components for row in each["models"]]
    caught = sum("at" in row for row in rows)
    return (
        f"{caught} of {len(rows)} were caught; for each component {COUNT} wrong models walk {STEPS:,} steps each.\n\n"
        f"{_counts(components)}"
    )


def survivors() -> str:
    """Each wrong model that was not caught, by the reason, and the first of each component that was."""
    rows = [(each["component"], row) for each in _components() for row in each["models"]]
    by_reason: dict[str, list[str]] = {}
    for component, row in rows:
        if "at" not in row:
            by_reason.setdefault(row["survival"], []).append(f"{component.partition(',')[0]}, {_change(row)}")
    lines = ["| why it survives | component, and change |", "|---|---|"]
    lines += [f"| {why} | {'; '.join(changes)} |" for why, changes in by_reason.items()]
    first = {component: row for component, row in reversed(rows) if "at" in row}
    return "\n".join([*lines, "", *_HEAD, *(_outcome(component, row) for component, row in reversed(first.items()))])


def rows() -> str:
    """What became of each wrong model."""
    return "\n".join([*_HEAD, *(_outcome(each["component"], row) for each in _components() for row in each["models"])])


def _components() -> list[Mapping[str, Any]]:
    components: list[Mapping[str, Any]] = json.loads(WRONG.read_text(encoding="utf-8"))
    return components


def _counts(components: list[Mapping[str, Any]]) -> str:
    reasons = sorted({row["survival"] for each in components for row in each["models"] if "at" not in row})
    head = ["component", "the model itself", "wrong models", "caught", *reasons]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for each in components:
        why = Counter(row.get("survival") for row in each["models"])
        own = f"{each['own']['steps']:,} steps, {len(each['own']['disagreements']) or 'no'} disagreement"
        cells = [each["component"], own, len(each["models"]), why[None], *(why[reason] or "" for reason in reasons)]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


_HEAD = ("| component | change | caught after | by | differs in, or why it survives |", "|---|---|---|---|---|")


def _outcome(component: str, row: Mapping[str, Any]) -> str:
    if "at" not in row:
        detail = f": {row['told']}" if row["told"] else ""
        return f"| {component} | {_change(row)} | not caught |  | {row['survival']}{detail} |"
    differs = f"`{row['field']}`" if row["field"] else "no field: the thread is elsewhere"
    return f"| {component} | {_change(row)} | {quantity(row['steps'], 'step')} | `{row['at']}` | {differs} |"


def _change(row: Mapping[str, Any]) -> str:
    action, _, what = row["change"].partition(": ")
    return f"`{action}`: {what}".replace("|", "\\|")


if __name__ == "__main__":
    main(*sys.argv[1:])
