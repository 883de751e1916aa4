"""The tables in docs/studies/widened.md, made of the data and of the reasons for what is refuted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from studies.widened_reasons import EXCLUDED, ON_RECORD, Reason, reason_for
from studies.widened_worlds import (
    BOUND,
    HELD,
    HELD_REDUCED,
    OPEN,
    REFUTED,
    SAME,
    TOO_LARGE,
    WIDENINGS,
    WITNESS,
    Found,
    Record,
    Widening,
)


def flips(record: Record) -> Iterator[tuple[str, str, str]]:
    """The claim, the scope and what was raised of each world in which a claim is refuted."""
    for name, row in record.items():
        for raised, found in row.items():
            if found.outcome == REFUTED:
                claim, scope = name.split()
                yield claim, scope, raised


def counts() -> str:
    """A line for each subject, with how its worlds came out."""
    head = ["subject", "at most, states", "pairs", "raised", "worlds that can be", "the same system", "decided", "hold"]
    head += ["by stubborn sets", "refuted", ON_RECORD, EXCLUDED, "too large", "witness", "a bound", "not asked yet"]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join([*lines, *(_counts(widening, widening.read()) for widening in WIDENINGS)])


def refuted() -> str:
    """A table for each subject: a line for each reason, with what was raised and the claims that it is given for."""
    return "\n".join(line for widening in WIDENINGS for line in _refuted(widening, widening.read()))


FEW = 10
"""What was raised in fewer worlds is told together."""


def undecided() -> str:
    """How many worlds were too large, did not reach a witness, or were kept by a bound, by what was raised."""
    rows = [row for widening in WIDENINGS for row in widening.read().values()]
    return "\n".join(f"- *{outcome}*: {_by_raised(rows, outcome)}." for outcome in (TOO_LARGE, WITNESS, BOUND))


def rows() -> str:
    """A line for each world of each subject."""
    lines = ["| subject | claim | scope | raised | outcome | faults, steps | why |", "|---|---|---|---|---|---|---|"]
    return "\n".join([*lines, *(line for widening in WIDENINGS for line in _worlds(widening, widening.read()))])


def _counts(widening: Widening, record: Record) -> str:
    outcomes = Counter(found.outcome for row in record.values() for found in row.values())
    kinds = Counter(reason_for(widening.subject, claim, raised).kind for claim, _, raised in flips(record))
    counted = [widening.states, len(record), len(widening.raised), outcomes.total(), outcomes[SAME]]
    counted += [
        outcomes.total() - outcomes[SAME] - outcomes[OPEN],
        outcomes[HELD] + outcomes[HELD_REDUCED],
        outcomes[HELD_REDUCED],
        outcomes[REFUTED],
        kinds[ON_RECORD],
        kinds[EXCLUDED],
    ]
    counted += [outcomes[TOO_LARGE], outcomes[WITNESS], outcomes[BOUND], outcomes[OPEN]]
    return f"| {widening.subject.name} | {' | '.join(f'{count:,}' for count in counted)} |"


def _refuted(widening: Widening, record: Record) -> Iterator[str]:
    by_reason: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for claim, _, raised in flips(record):
        why = _why(reason_for(widening.subject, claim, raised))
        by_reason[why][raised][claim.partition("-")[0]] += 1
    yield f"### {widening.subject.name}\n\n| raised: claims (worlds) | why |\n|---|---|"
    for why, raised_for in by_reason.items():
        yield f"| {_raised(raised_for)} | {why} |"
    yield ""


def _raised(worlds: dict[str, Counter[str]]) -> str:
    """What was raised, with its claims and how many worlds each; told together where these are the same."""
    together: dict[str, list[str]] = defaultdict(list)
    for raised, claims in worlds.items():
        together[", ".join(f"{claim} ({count})" for claim, count in claims.items())].append(raised)
    return "; ".join(f"{', '.join(raised)}: {claims}" for claims, raised in together.items())


def _why(reason: Reason) -> str:
    by = ", ".join(reason.cases) or " or ".join(f'"{words}"' for words in reason.said)
    return f"{by}: {reason.words}"


def _by_raised(rows: list[dict[str, Found]], outcome: str) -> str:
    counted = Counter(raised for row in rows for raised, found in row.items() if found.outcome == outcome).most_common()
    often = [(raised, count) for raised, count in counted if count >= FEW]
    few = sum(count for _, count in counted) - sum(count for _, count in often)
    return ", ".join(f"{raised} {count}" for raised, count in [*often, *([("the rest", few)] if few else [])])


def _worlds(widening: Widening, record: Record) -> Iterator[str]:
    for name, row in record.items():
        claim, scope = name.split()
        for raised, found in row.items():
            size = f"({found.faults}, {found.steps})" if found.outcome == REFUTED else ""
            why = _why(reason_for(widening.subject, claim, raised)) if found.outcome == REFUTED else ""
            yield f"| {widening.subject.name} | {claim} | {scope} | {raised} | {found.outcome} | {size} | {why} |"
