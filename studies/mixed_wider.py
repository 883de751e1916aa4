"""Asks what holds in a mixed cluster again, where the broker answers a query with one more error.

That is what clients of two releases read otherwise: one of 4.9.x takes the error for a group without an offset.
`python -m studies.mixed_wider` asks a client that is older than its broker, and one that is newer. A world that is
refuted is asked of the client's release and of the broker's alone, too: does the error need the mixture?
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.releases import parse_release
from offsetproof.checking.request import Request, questions_of
from offsetproof.lang import HOLDS
from offsetproof.lang.scope import UnknownNameError
from offsetproof.model.variants import BROKER_ERROR
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from studies import RECORDS
from studies.mixed import claims_in_pairs
from studies.rows import Row, read_rows, write_rows
from studies.widened_worlds import REFUTED, Pair, decided, digest_of

DATA = RECORDS / "mixed-wider.json"

PAIRS = "broker=5.3.3,client=4.9.4", "broker=4.9.4,client=5.3.3"

LIMITS = Limits(states=1_500_000)


def wider_worlds() -> Iterator[tuple[Question, Question]]:
    """What holds in a pair, and the question in the world with one error more."""
    for question in (each for those in claims_in_pairs() for each in those):
        if question.setting.release in PAIRS and question.prop.expects(question.setting) is HOLDS:
            wider = Pair(question).with_raised(BROKER_ERROR.name)
            if wider is not None:
                yield question, replace(wider, limits=LIMITS)


def rows_of(worlds: Iterable[tuple[Question, Question]]) -> Iterator[Row]:
    """A row for each world whose system is another one than without the error."""
    for question, wider in worlds:
        engines = explicit_alone()
        digest = digest_of(wider, engines)
        if digest == digest_of(question, engines):
            continue
        found = decided(wider, digest, engines)
        row: Row = {
            "claim": question.prop.id,
            "scope": question.setting.scope.name,
            "pair": question.setting.release,
            "outcome": found.outcome,
        }
        if found.outcome == REFUTED:
            row |= {"steps": found.steps} | {role: _alone(wider, role) for role in ("client", "broker")}
        yield row


def _alone(wider: Question, role: str) -> str:
    """The outcome in the same world where both are of the release that this role has; `not asked` where none is."""
    release = parse_release(str(wider.setting.release), ROCKETMQ)[role].name
    scope = wider.setting.scope
    asked = Request(ROCKETMQ, (wider.prop.id,), (release,), scope=scope.name.rstrip("*"), limits=LIMITS)
    try:
        (question,) = questions_of(asked)
    except UnknownNameError:
        return "not asked"
    engines = explicit_alone()
    question = replace(question, setting=replace(question.setting, scope=scope))
    return decided(question, digest_of(question, engines), engines).outcome


def recorded() -> list[Row]:
    """What is written down."""
    return read_rows(DATA)


def table() -> str:
    """What the error refutes, for docs/releases.md; then how many worlds were asked."""
    lines = [
        "| case | scope | pair | steps | client's release alone | broker's release alone |",
        "|---|---|---|---:|---|---|",
    ]
    for row in recorded():
        if row["outcome"] == REFUTED:
            case = f"[{row['claim']}](concurrent.md#{ROCKETMQ.find(row['claim']).name})"
            alone = f"{row['client']} | {row['broker']}"
            lines.append(f"| {case} | {row['scope']} | {_in_words(row['pair'])} | {row['steps']} | {alone} |")
    return "\n".join([*lines, "", _counts()])


def _in_words(pair: str) -> str:
    releases = parse_release(pair, ROCKETMQ)
    return f"client {releases['client'].name} with broker {releases['broker'].name}"


def _counts() -> str:
    outcomes = Counter(row["outcome"] for row in recorded())
    each = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    return f"{outcomes.total()} worlds in the pairs {' and '.join(map(_in_words, PAIRS))}: {each}."


def main() -> None:
    """Asks all, and writes as it goes."""
    found: list[Row] = []
    for row in rows_of(wider_worlds()):
        found.append(row)
        print(*row.values(), file=sys.stderr, flush=True)
        write_rows(DATA, found)


if __name__ == "__main__":
    main()
