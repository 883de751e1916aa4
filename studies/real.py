"""Replays every recorded story on the classes of its release, (`make real`; two minutes).

What is found is kept beside the recorded traces, as the program says it of each counterexample that it finds.
"""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.conformance.on_release import ReplayOnRelease, of_release, prepare, replay_on, rig_of
from offsetproof.conformance.reproduced import FILE, Found, digest_of, found_by_story
from offsetproof.model.releases import USUAL
from offsetproof.reading.typed_json import write_json
from offsetproof.real.jars import releases
from offsetproof.real.replay import OutcomeKind
from offsetproof.real.sidecar import Gates
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.trace import Trace
from studies import ROOT
from studies.natural import read

DATA = ROOT / "traces" / FILE


def main() -> None:
    """Replays all stories, and writes what became of them."""
    rows = [*replayed(Gates.DEBUGGER)]
    DATA.write_text(write_json({"stories": rows}, indent=1), encoding="utf-8")


def replayed(gates: Gates) -> Iterator[Found]:
    """What becomes of every recorded story of a subject with a rigging, by release, in the order of their names."""
    for release in releases():
        stories = of_release(recorded_stories(), [release])
        prepared = [prepare(name, trace) for name, trace in stories.items()]
        for each in replay_on(rig_of(release), prepared, gates):
            yield _row(each, stories[each.name])


def _row(each: ReplayOnRelease, trace: Trace) -> Found:
    outcome, subject = each.outcome, each.prepared.subject
    return Found(
        story=each.name,
        subject=subject.name,
        claim=trace.property.id,
        release=each.release,
        digest=digest_of(subject, trace),
        outcome=outcome.kind.value,
        length=trace.length,
        silent=outcome.silent,
        step=outcome.step,
        field=outcome.field,
        reason=outcome.reason or None,
    )


_HEAD = ("| story | release | steps | silent | outcome | where, and why |", "|---|---|---|---|---|---|")


def exceptions() -> str:
    """The stories that were not reproduced, and why; and those of which the classes pass a step on the way."""
    rows = found_by_story().values()
    lines = [*_HEAD, *(_row_of(row) for row in rows if not row.is_reproduced)]
    silent = [f"`{row.story}` ({_silent(row)})" for row in rows if row.is_reproduced and row.silent]
    return "\n".join([*lines, "", f"Reproduced with silent steps: {', '.join(silent)}."])


def rows() -> str:
    """What became of each story."""
    return "\n".join([*_HEAD, *map(_row_of, found_by_story().values())])


def counts() -> str:
    """How much was reproduced, by subject and together, and what was not."""
    rows = found_by_story()
    lines = [
        "| subject | stories | reproduced | not forceable | diverged | steps | silent |",
        "|---|---|---|---|---|---|---|",
    ]
    subjects = [*dict.fromkeys(row.subject for row in rows.values())]
    groups = [(name, [row for row in rows.values() if row.subject == name]) for name in subjects]
    groups += [("all", [*rows.values()])] if len(groups) > 1 else []
    for name, own in groups:
        counted = [sum(row.outcome == verdict for row in own) for verdict in _VERDICTS]
        sizes = (
            sum(row.length for row in own if row.is_reproduced),
            sum(len(row.silent) for row in own if row.is_reproduced),
        )
        lines.append(f"| {' | '.join(map(str, (name, len(own), *counted, *sizes)))} |")
    return "\n".join(lines)


_VERDICTS = (OutcomeKind.REPRODUCED, OutcomeKind.NOT_FORCEABLE, OutcomeKind.DIVERGED)


def _row_of(row: Found) -> str:
    where = "" if row.step is None else f"step {row.step}: "
    why = f"{where}{row.reason}" if row.reason else ""
    return f"| `{row.story}` | {row.release} | {row.length} | {_silent(row)} | {row.outcome} | {why} |"


def _silent(row: Found) -> str:
    return ", ".join(map(str, row.silent))


def in_readme() -> str:
    """How many stories happened on the real classes, and how often one did by itself."""
    usual, rows = USUAL.name, [*found_by_story().values()]
    late = read()[usual]["late-poll"]
    all_of_them, first, later = (
        f"{sum(row.is_reproduced for row in own)} of {len(own)}"
        for own in (rows, [r for r in rows if r.release == usual], [r for r in rows if r.release != usual])
    )
    return (
        f"{all_of_them} recorded stories happen on the classes of their release, step by step: {first} on those of\n"
        f"{usual}, {later} on later ones ([which do not, and why](docs/studies/real.md)). With nothing held that of "
        f"the\nlate poll happened by itself in {late['happened']} of {late['told']} resets ([docs/studies/natural.md]"
        "(docs/studies/natural.md))."
    )


def mark_of(story: str) -> str:
    """What tables have behind a story's name: a mark where it was reproduced on the real classes."""
    row = found_by_story().get(story)
    return " ✓" if row is not None and row.is_reproduced else ""


if __name__ == "__main__":
    main()
