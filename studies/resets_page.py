"""The tables in docs/studies/resets.md, made of what `explain I5` found and of the recorded stories."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from offsetproof.explain.repairs_report import numbers_from_one
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.traces.recorded_stories import mechanisms, recorded_stories
from offsetproof.verdict.result import Verdict
from studies.resets import stall

Record = dict[str, Any]

STORIES = Path(__file__).parents[1] / "traces" / "recorded"

MECHANISMS = mechanisms()
"""What happens in recorded stories, in the order of the page; some are of other claims, or of other releases."""


def found(record: Record) -> str:
    """How many causes there are, and what ended the search for more."""
    return "\n".join([f"It found {count_in_words(record)}.", "", *(f"- {line}" for line in record["ends"])])


def mechanism_table(record: Record) -> str:
    """A line for each mechanism, with its recorded story."""
    causes: list[Record] = record["causes"]
    return "\n".join(_mechanisms({story: cause for cause in causes for story in _stories(cause)}))


def cause_table(record: Record) -> str:
    """A line for each cause."""
    return "\n".join(_all(record["causes"]))


def unsettled(record: Record) -> str:
    """Where a remover was shown to take away the steps of a cause, and not that nothing else is left of it."""
    return "\n".join(
        f"- {number}, {cause['name']}, in scope {scope} with `{name}`: {verdict}"
        for number, cause in enumerate(record["causes"], 1)
        for scope, name, verdict in cause["unsettled"]
    )


def cause_table_at_broker(record: Record) -> str:
    """A line for each cause where the broker resets that has an action which none before it has."""
    new = [*_with_a_new_action(record["causes"])]
    without_fault = sum(not cause["faults"] for cause in record["causes"])
    lead = (
        f"`explain` found {count_in_words(record)}, {without_fault} of them without a fault. {_real_counts(record)} "
        "Each of these has an action that none before it has; ✓ is where it happens on the classes."
    )
    return "\n".join([lead, "", *_on_classes(record, new)])


def _with_a_new_action(causes: Sequence[Record]) -> Iterator[int]:
    """The places of the causes that have an action which none before them has."""
    known: set[str] = set()
    for number, cause in enumerate(causes):
        if not known.issuperset(cause["actions"]):
            yield number
        known.update(cause["actions"])


def _on_classes(record: Record, numbers: Sequence[int]) -> Iterator[str]:
    releases = [*record["real"]]
    yield f"| | name | steps | faults | stall | effect | what removes it | scopes | {' | '.join(releases)} |"
    yield "|---:|---|---:|---:|---|---|---|---|" + "---|" * len(releases)
    for number in numbers:
        cause = record["causes"][number]
        marks = " | ".join(_mark(record["real"][release][number]) for release in releases)
        scopes = ", ".join(cause["scopes"])
        yield f"| {number + 1} | {cause['name']} | {_figures(cause)} | {_removers(cause)} | {scopes} | {marks} |"


def _mark(outcome: Record) -> str:
    return "✓" if outcome["outcome"] == "reproduced" else "with a fix"


def _real_counts(record: Record) -> str:
    """On how many of them the classes of each release do what the model does, and why not on the others."""
    reproduced = {
        release: sum(each["outcome"] == "reproduced" for each in outcomes)
        for release, outcomes in record["real"].items()
    }
    counts = ", and ".join(f"{count} on those of {release}" for release, count in reproduced.items())
    return (
        f"On unmodified classes they happen step by step: {counts}. Each other one was found with fixes that take away "
        "those before it, and its story has a step that only a fixed class does."
    )


def repair_table(record: Record) -> str:
    """A line for each set of fixes and assumptions that no search has refuted."""
    repairs = record["repairs"]
    sets = f"{repairs['tried']:,} sets of at most {repairs['size']} were tried, {repairs['searched']} of them searched."
    return "\n".join([sets, "", *_repairs(repairs["repairs"])])


def _repairs(repairs: Sequence[Record]) -> Iterator[str]:
    yield "| repair | holds in | says nothing in | not known in |"
    yield "|---|---|---|---|"
    for repair in repairs:
        names = [
            *(f"fix `{name}`" for name in repair["fixes"]),
            *(f"assuming `{name}`" for name in repair["assumptions"]),
        ]
        vacuous = [each["scope"]["name"] for each in repair["scopes"] if each["vacuous"]]
        left = [each for each in repair["scopes"] if not each["vacuous"]]
        held = [each["scope"]["name"] for each in left if each["verdict"] == "HOLDS"]
        open_in = [f"{each['scope']['name']} ({each['reason']})" for each in left if each["verdict"] != "HOLDS"]
        held += [_narrowed(each) for each in repair["narrowed"] if each["verdict"] == "HOLDS"]
        yield f"| {', '.join(names)} | {' | '.join(', '.join(those) or '-' for those in (held, vacuous, open_in))} |"


def _narrowed(result: Record) -> str:
    """A scope in smaller bounds, and how large it was."""
    scope, states = result["scope"], result["states"]
    bounds = ", ".join(f"{name}={scope[name]}" for name in ("process_queues", "view_changes"))
    return f"{scope['name'].rstrip('*')} with {bounds} ({states:,} states)"


def parts_table(record: Record) -> str:
    """A line for each fix and assumption that may remove a cause which the search over sets met, and those causes."""
    repairs = record["repairs"]
    numbers = {cause["name"]: number for number, cause in enumerate(repairs["causes"], 1)}
    named = "; ".join(f"{number} {name}" for name, number in numbers.items())
    rows = [
        f"| `{part['name']}` | {part['whose']} | "
        f"{' | '.join(_numbers(part[kind], numbers) for kind in ('removes', 'leaves', 'unknown'))} |"
        for part in repairs["alone"]
    ]
    today = [f"- `{part['name']}`: {part['today']}." for part in repairs["alone"] if part["today"]]
    head = ("| fix or assumption | whose | removes | leaves | not known |", "|---|---|---|---|---|")
    return "\n".join([*head, *rows, "", f"The causes: {named}.", "", *today])


def _numbers(names: Sequence[str], numbers: Mapping[str, int]) -> str:
    return numbers_from_one(sorted(numbers[name] - 1 for name in names)) or "-"


def count_in_words(record: Record) -> str:
    """How many causes there are, or that there are at least so many."""
    return f"{'' if record['whole'] else 'at least '}{len(record['causes'])} causes"


def _stories(cause: Record) -> Iterator[str]:
    """The recorded stories that are of this cause: their actions are the same."""
    for story in MECHANISMS:
        recorded = json.loads((STORIES / f"{story}.json").read_text(encoding="utf-8"))
        if set(recorded["trace"]["cause"]) == set(cause["actions"]):
            yield story


def _mechanisms(causes: Mapping[str, Record]) -> Iterator[str]:
    yield "| trace | cause | steps | faults | stall | effect | what removes it |"
    yield "|---|---|---:|---:|---|---|---|"
    for story, cause in ((story, causes[story]) for story in MECHANISMS if story in causes):
        yield f"| `{story}` | {MECHANISMS[story]} | {_figures(_of_story(story))} | {_removers(cause)} |"


def _of_story(story: str) -> Record:
    """The figures of a recorded story: `explain` may tell its cause in more steps, where it has taken others away."""
    trace = recorded_stories()[story]
    effect = trace.effect.kind if trace.effect else ""
    return {"steps": trace.length, "faults": trace.faults, "stall": stall(trace), "effect": effect}


def _all(causes: Sequence[Record]) -> Iterator[str]:
    yield "| | name, or the story that is recorded | steps | faults | stall | effect | what removes it | scopes |"
    yield "|---:|---|---:|---:|---|---|---|---|"
    for number, cause in enumerate(causes, 1):
        name = f"`{cause['name']}`" if cause["name"] in recorded_stories() else cause["name"]
        yield f"| {number} | {name} | {_figures(cause)} | {_removers(cause)} | {', '.join(cause['scopes'])} |"


def _figures(cause: Record) -> str:
    return " | ".join(str(cause[key]) for key in ("steps", "faults", "stall", "effect"))


def _removers(cause: Record) -> str:
    fixes = {fix.name for fix in RocketMQ.fixes}
    parts = [f"{'fix' if name in fixes else 'assuming'} `{name}`" for name in cause["removed_by"]]
    unknown = [f"not known of `{name}`" for _, name, verdict in cause["unsettled"] if verdict == str(Verdict.UNKNOWN)]
    return ", ".join(parts or unknown) or "nothing that was asked alone"
