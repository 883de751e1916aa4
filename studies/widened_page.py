"""The page docs/studies/widened.md, made of its data and of the reasons for what is refuted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from studies.widened_reasons import EXCLUDED, ON_RECORD, Reason, reason_for
from studies.widened_worlds import HELD, REFUTED, SAME, TOO_LARGE, WITNESS, Record, Widening

_HEAD = """# What flips when one thing is raised by one

Written by `make widened`. A claim that holds does so in its scopes, and a bound may be all that keeps it. Here each
pair of a claim that HOLDS and its scope is asked again with one thing raised by one: each of the bounds, rules and
choices of its subject, and the budget of each kind of fault, also from none. Some of these worlds cannot be, and in
others the system is the same for all that the claim can see. The rest was decided, with at most so many states each.

| subject | pairs | raised | worlds that can be | the same system | decided | hold | refuted | too large | witness |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
"""

_KINDS = """
In the last column a witness that the claim needs was not reached. Each world that refutes its claim has a reason of one
of these kinds; `tests/quality/test_widened_page.py` asks that none is without one, that the cases which it names are on
record, and that claims say what they exclude.

- *on record*: a cause that has a case of its own, in the claim's table or in another's, with a story.
- *excluded*: the claim, or its case, is stated without it, in the words that are quoted.

`offsetproof check I1 --scope come-back --bound resets=1` asks one again, and `--bound kill=1` one with a fault.
`python -m studies.widened --again come-back` decides all worlds of that scope again, and writes this page.
"""


def page(records: Mapping[Widening, Record]) -> str:
    """The text of the page."""
    asked = {widening: record for widening, record in records.items() if record}
    open_ = [widening.subject.name for widening in records if widening not in asked]
    parts = [_HEAD.rstrip("\n"), *(_counts(widening, record) for widening, record in asked.items())]
    parts += [f"\nNot asked yet: {', '.join(open_)}."] if open_ else []
    parts += [_KINDS]
    for widening, record in asked.items():
        parts += _section(widening, record)
    return "\n".join(parts).rstrip("\n") + "\n"


def flips(record: Record) -> Iterator[tuple[str, str, str]]:
    """The claim, the scope and what was raised of each world in which a claim is refuted."""
    for name, row in record.items():
        for raised, found in row.items():
            if found.outcome == REFUTED:
                claim, scope = name.split()
                yield claim, scope, raised


def _counts(widening: Widening, record: Record) -> str:
    outcomes = Counter(found.outcome for row in record.values() for found in row.values())
    decided = outcomes.total() - outcomes[SAME]
    counts = [len(record), len(widening.raised), outcomes.total(), outcomes[SAME], decided]
    counts += [outcomes[each] for each in (HELD, REFUTED, TOO_LARGE, WITNESS)]
    return f"| {widening.subject.name} | {' | '.join(f'{count:,}' for count in counts)} |"


def _section(widening: Widening, record: Record) -> Iterator[str]:
    kinds = Counter(reason_for(widening.subject, claim, raised).kind for claim, _, raised in flips(record))
    yield f"## {widening.subject.name}\n"
    yield f"At most {widening.states:,} states. Refuted: {kinds[ON_RECORD]} on record, {kinds[EXCLUDED]} excluded.\n"
    yield from _by_raised(widening, record)
    yield "### Refuted\n"
    yield "A pair has the faults and steps of the smallest trace, or of one that was found within the limit.\n"
    yield "| raised | claim, scope (faults, steps) | why |\n|---|---|---|"
    yield from _refuted(widening, record)
    yield "\n### Too large\n"
    yield from _listed(widening, record, TOO_LARGE)
    yield "\n### A witness was not reached\n\nThe claim was not refuted there, but says too little.\n"
    yield from _listed(widening, record, WITNESS)
    yield ""


def _by_raised(widening: Widening, record: Record) -> Iterator[str]:
    """A table of what was raised, with the number of worlds that came out in each way."""
    outcomes = (REFUTED, HELD, TOO_LARGE, WITNESS)
    yield f"| raised | {' | '.join(outcomes)} |"
    yield "|---|" + "---:|" * len(outcomes)
    for raised in widening.raised:
        counts = Counter(row[raised].outcome for row in record.values() if raised in row)
        if any(counts[each] for each in outcomes):
            yield f"| {raised} | {' | '.join(str(counts[each] or '') for each in outcomes)} |"
    yield ""


def _refuted(widening: Widening, record: Record) -> Iterator[str]:
    """A line for each reason, with the worlds that it is given for."""
    by_reason: dict[str, dict[Reason, list[str]]] = defaultdict(lambda: defaultdict(list))
    for claim, scope, raised in flips(record):
        found = record[f"{claim} {scope}"][raised]
        shown = f"{claim} {scope} ({found.faults}, {found.steps})"
        by_reason[raised][reason_for(widening.subject, claim, raised)].append(shown)
    for raised in sorted(by_reason, key=widening.raised.index):
        for reason, worlds in by_reason[raised].items():
            by = ", ".join(reason.cases) or " or ".join(f'"{words}"' for words in reason.said)
            yield f"| {raised} | {'; '.join(worlds)} | *{reason.kind}*, {by}: {reason.words} |"


def _listed(widening: Widening, record: Record, outcome: str) -> Iterator[str]:
    """The pairs with this outcome, by what was raised."""
    for raised in widening.raised:
        there = [name for name, row in record.items() if raised in row and row[raised].outcome == outcome]
        if there:
            yield f"- {raised}: {', '.join(name.replace(' ', ' in ') for name in there)}"
