"""How many steps of the models were compared with the classes of each release (`make compared`; an hour).

Of each release random walks of all components compare 200,000 steps, and runs that Hypothesis draws 5,000. The model of
concurrent consumers walks what the others have not: a component that differs, or that the rig does not have, ends
sooner. Names of releases, and of subjects, compare only those again; it writes data, of which docs/studies/real.md has
tables.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from offsetproof.checking.catalogue import DEFAULT, SINGLES
from offsetproof.conformance.drawn import compare_drawn
from offsetproof.conformance.on_release import lines_of, rig_of, running
from offsetproof.conformance.walks import Conformed, conform_settings, schedule_of, settings_to_conform
from offsetproof.lang.setting import Release, Setting
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.real.conform import Conformance, Conformer
from offsetproof.real.replay import Replayer, without_numbers
from offsetproof.real.sidecar import Gates, Sidecar
from offsetproof.verdict.phrases import quantity
from studies import RECORDS
from studies.other_releases import WHY as WHY_OTHERS
from studies.verdicts import RELEASES

DATA = RECORDS / "compared.json"
WALKED, DRAWN = 200_000, 5_000
"""Steps of each release, by walks and by Hypothesis."""
SHARES = {
    "orderly": 50_000,
    "several-queues": 15_000,
    "broadcasting": 20_000,
    "offset-files": 15_000,
    "replicas": 10_000,
}
DRAWN_COMPONENTS = {
    "rocketmq": ("calm-reset", "come-back", "batch"),
    "orderly": ("orderly", "orderly-reset"),
    "several-queues": ("two-brokers",),
    "broadcasting": ("broadcast-reset",),
    "offset-files": ("client-kills",),
    "replicas": ("return",),
}
SEED = 32
WHY = WHY_OTHERS
"""What became of a disagreement after an action, in a field, or (None) in where its thread is."""
_ROUNDS_MAX = 5


def main(*names: str) -> None:
    """Compares all releases and subjects, or those that are named, and writes the data after each subject."""
    releases = [release for release in RELEASES if release.name in names]
    subjects = {name for name in (*SHARES, DEFAULT) if name in names}
    for release in releases or RELEASES:
        _of_release(release, subjects or {*SHARES, DEFAULT})


def _of_release(release: Release, subjects: Set[str]) -> None:
    row: dict[str, Any] = {"walks": {}, "drawn": {}}
    if not subjects >= {*SHARES, DEFAULT}:
        row = read().get(release.name, row)
    left = WALKED
    for name in (*SHARES, DEFAULT):
        if name in subjects and (settings := _settings(_subject(name), release)):
            row["walks"][name] = _walked(_subject(name), release, settings, SHARES.get(name, left))
            _write(release, row)
        left -= row["walks"].get(name, {}).get("steps", 0)
    drawn = {name: scopes for name, scopes in DRAWN_COMPONENTS.items() if row["walks"].get(name, {}).get("steps")}
    with running(rig_of(release.jars), Gates.WOVEN) as sidecar:
        components = sum(map(len, drawn.values()))
        for name in [name for name in drawn if name in subjects]:
            row["drawn"][name] = _drawn(sidecar, _subject(name), release, drawn[name], -(-DRAWN // components))
            _write(release, row)


def _write(release: Release, row: Mapping[str, Any]) -> None:
    found = {**read(), release.name: row}
    in_order = {each.name: found[each.name] for each in RELEASES if each.name in found}
    DATA.write_text(json.dumps(in_order, indent=1) + "\n", encoding="utf-8")


def read() -> dict[str, Any]:
    """What was compared, by release."""
    found: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    return found


def _subject(name: str) -> Subject:
    return SINGLES[name].subjects[0]


def _settings(subject: Subject, release: Release, scope: str | None = None) -> list[Setting]:
    """The settings of one release, of those that have the same jars; none where the model does not have it."""
    if release not in subject.model.releases:
        return []
    settings = settings_to_conform(subject, scope, release=release.jars)
    return [setting for setting in settings if setting.release == release.name]


def _walked(subject: Subject, release: Release, settings: list[Setting], steps: int) -> dict[str, Any]:
    """All components walked, and those that can go on walked again, until so many steps are compared."""
    begun, left = time.monotonic(), settings
    done: list[Conformed] = []
    for number in range(_ROUNDS_MAX):
        missing = steps - sum(each.result.steps for each in done)
        if missing < 1 or not left:
            break
        rig, seed = rig_of(release.jars), SEED + 1_000 * number
        now = [*conform_settings(rig, subject, left, steps=missing, seed=seed, gates=Gates.WOVEN, tell=_tell)]
        left = [
            setting for setting, each in zip(left, now, strict=True) if not (each.not_held or each.result.disagreements)
        ]
        done += now
    return {
        "seed": SEED,
        "components": len(settings),
        "seconds": round(time.monotonic() - begun),
        **_sums(each.result for each in done),
        "not_held": _counted(each.not_held for each in done if each.not_held),
        "lacking": _counted(f"{action}: {why}" for each in done for action, why in each.lacking.items()),
        "disagreements": _disagreements((each.component, each.result) for each in done),
    }


def _drawn(sidecar: Sidecar, subject: Subject, release: Release, scopes: Iterable[str], steps: int) -> dict[str, Any]:
    begun = time.monotonic()
    done = {scope: _drawn_in(sidecar, subject, release, scope, steps) for scope in scopes}
    return {
        "seed": SEED,
        "components": [*done],
        "seconds": round(time.monotonic() - begun),
        **_sums(done.values()),
        "disagreements": _disagreements(done.items()),
    }


def _drawn_in(sidecar: Sidecar, subject: Subject, release: Release, scope: str, steps: int) -> Conformance:
    staged = Staged(subject.model, _settings(subject, release, scope)[0])
    schedule, _ = schedule_of(subject, staged, release.jars).in_release(lines_of(subject, release.jars))
    _tell(f"{subject.name} {scope}, drawn by Hypothesis")
    return compare_drawn(Conformer(staged, Replayer(sidecar, schedule), SEED), steps, SEED)


def _sums(results: Iterable[Conformance]) -> dict[str, int]:
    kept = [*results]
    return {
        "steps": sum(each.steps for each in kept),
        "walks": sum(each.walks for each in kept),
        "silent": sum(each.silent for each in kept),
        "actions": len(set().union(*(each.taken for each in kept))),
    }


def _counted(reasons: Iterable[str]) -> dict[str, int]:
    return dict(Counter(reasons))


def _disagreements(results: Iterable[tuple[str, Conformance]]) -> list[dict[str, Any]]:
    return [
        {
            "component": component,
            "action": found.steps[-1][0] if found.steps else None,
            "field": None if found.is_elsewhere else found.field,
            "told": str(found),
        }
        for component, result in results
        for found in result.disagreements
    ]


def counts() -> str:
    """A line for each release: the steps that were compared, and how many components differ."""
    found = read()
    names = [DEFAULT, *SHARES]
    head = ["release", *names, "walked", "silent", "drawn by Hypothesis", "components", "differ", "not in the rig"]
    lines = [f"| {' | '.join(head)} |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(_counts_of(name, row, names))} |" for name, row in found.items())])


def _counts_of(release: str, row: Mapping[str, Any], names: Iterable[str]) -> Iterator[str]:
    walks = row["walks"].values()
    yield release
    for name in names:
        yield f"{row['walks'][name]['steps']:,}" if name in row["walks"] else ""
    for each, kind in ((row["walks"], "steps"), (row["walks"], "silent"), (row["drawn"], "steps")):
        yield f"{sum(part[kind] for part in each.values()):,}"
    yield str(sum(part["components"] for part in walks))
    yield str(sum(len(part["disagreements"]) for part in (*walks, *row["drawn"].values())))
    yield str(sum(sum(part["not_held"].values()) for part in walks))


def differing() -> str:
    """A line for each way to differ, and for each reason for which components are not in the rig."""
    where: dict[tuple[str, str], list[str]] = {}
    for release, row in read().items():
        for subject, part in [*row["walks"].items(), *row["drawn"].items()]:
            for found in part["disagreements"]:
                field = found["field"] and without_numbers(found["field"])
                place = f"`{found['action']}`" + (f", `{field}`" if field else "")
                named = f"{release} {subject}: {found['component']}"
                where.setdefault((place, WHY[found["action"], field]), []).append(named)
            for why, count in part.get("not_held", {}).items():
                named = f"{release} {subject}: {quantity(count, 'component')}"
                where.setdefault(("not in the rig", why), []).append(named)
    lines = ["| after, in the field | what became of it | where |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {place} | {why} | {'; '.join(named)} |" for (place, why), named in where.items())])


def _tell(said: object) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {said}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
