"""The page docs/widened.md, made of its data and of the reasons for what is refuted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from studies.widened_reasons import Kind, Reason, reason_for
from studies.widened_worlds import FAULTS, HELD, RAISED, REFUTED, SAME, STATES, TOO_LARGE, WITNESS, Record, pairs

_HEAD = """# What flips when one thing is raised by one

Written by `make widened`. A claim that holds does so in its scopes, and a bound may be all that keeps it. Here each of
the {pairs} pairs of a claim that HOLDS and its scope is asked again with one thing raised by one: each of {bounds}
bounds, rules and choices, and the budget of each of {faults} kinds of fault, also from none. {refused:,} of these
{all:,} worlds cannot be, and in {same:,} more the system is the same for all that the claim can see. {decided:,} were
decided, with at most {states:,} states each: {held:,} hold, **{flips} are refuted**, {too_large:,} were too large, and
in {witness} a witness that the claim needs was not reached.

Each that is refuted has a reason, of one of these kinds; `tests/quality/test_widened_page.py` asks that none is without
one, that the cases which it names are on record, and that claims say what they exclude.

"""

_AGAIN = """
`offsetproof check --property I1 --scope come-back --bound resets=1` asks one again. A kind of fault that a scope does
not name can be raised in a scope of one's own only; `python -m studies.widened --again come-back` decides all worlds of
that scope again, and writes this page.
"""

_KINDS = {
    Kind.CASE: "a cause that has a case of its own, in the claim's table or in another's, with a story",
    Kind.EXCLUDED: "the claim, or its case, is stated without it, in the words that are quoted",
}


def page(record: Record) -> str:
    """The text of the page."""
    parts = [_head(record), *_kinds(record), _AGAIN, *_by_raised(record), "## What is refuted", ""]
    parts += ["A pair has the faults and steps of the smallest trace, or of one that was found within the limit.", ""]
    parts += ["| raised | claim, scope (faults, steps) | why |", "|---|---|---|"]
    parts += [*_refuted(record), "", "## What was too large", "", *_listed(record, TOO_LARGE), ""]
    parts += ["## Where a witness was not reached", "", "The claim was not refuted there, but says too little.", ""]
    parts += _listed(record, WITNESS)
    return "\n".join(parts) + "\n"


def flips(record: Record) -> Iterator[tuple[str, str, str]]:
    """The claim, the scope and what was raised of each world in which a claim is refuted."""
    for name, row in record.items():
        for raised, found in row.items():
            if found.outcome == REFUTED:
                claim, scope = name.split()
                yield claim, scope, raised


def _head(record: Record) -> str:
    outcomes = Counter(found.outcome for row in record.values() for found in row.values())
    decided = outcomes.total() - outcomes[SAME]
    refused = sum(pair.with_raised(raised) is None for pair in pairs() for raised in RAISED)
    every = len(record) * len(RAISED)
    return _HEAD.format(
        pairs=len(record),
        bounds=len(RAISED) - len(FAULTS),
        faults=len(FAULTS),
        refused=refused,
        all=every,
        same=outcomes[SAME],
        decided=decided,
        states=STATES,
        held=outcomes[HELD],
        flips=outcomes[REFUTED],
        too_large=outcomes[TOO_LARGE],
        witness=outcomes[WITNESS],
    ).rstrip("\n")


def _kinds(record: Record) -> Iterator[str]:
    counts = Counter(reason_for(flip[0], flip[2]).kind for flip in flips(record))
    yield ""
    for kind, what in _KINDS.items():
        yield f"- *{kind}* ({counts[kind]}): {what}."


def _by_raised(record: Record) -> Iterator[str]:
    """A table of what was raised, with the number of worlds that came out in each way."""
    outcomes = (REFUTED, HELD, TOO_LARGE, WITNESS)
    yield f"| raised | {' | '.join(outcomes)} |"
    yield "|---|" + "---:|" * len(outcomes)
    for raised in RAISED:
        counts = Counter(row[raised].outcome for row in record.values() if raised in row)
        if any(counts[each] for each in outcomes):
            yield f"| {raised} | {' | '.join(str(counts[each] or '') for each in outcomes)} |"
    yield ""


def _refuted(record: Record) -> Iterator[str]:
    """A line for each reason, with the worlds that it is given for."""
    by_reason: dict[str, dict[Reason, list[str]]] = defaultdict(lambda: defaultdict(list))
    for claim, scope, raised in flips(record):
        found = record[f"{claim} {scope}"][raised]
        shown = f"{claim} {scope} ({found.faults}, {found.steps})"
        by_reason[raised][reason_for(claim, raised)].append(shown)
    for raised in sorted(by_reason, key=RAISED.index):
        for reason, worlds in by_reason[raised].items():
            by = ", ".join(reason.cases) or " or ".join(f'"{words}"' for words in reason.said)
            yield f"| {raised} | {'; '.join(worlds)} | *{reason.kind}*, {by}: {reason.words} |"


def _listed(record: Record, outcome: str) -> Iterator[str]:
    """The pairs with this outcome, by what was raised."""
    for raised in RAISED:
        there = [name for name, row in record.items() if raised in row and row[raised].outcome == outcome]
        if there:
            yield f"- {raised}: {', '.join(name.replace(' ', ' in ') for name in there)}"
