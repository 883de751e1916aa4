"""Asks every claim that holds again, with one bound, rule or fault raised by one (`make widened`).

A claim that holds does so in its scopes, and a bound may be all that keeps it. Here each scope gets one message, reset,
kill, ... more at a time. A world that is refuted has a reason (`widened_reasons.py`); docs/studies/widened.md has both.
A world is decided only where what is raised changes the system that is explored for the claim. What is written down is
kept while that system is the same (its digest); where the limit is raised, or with `--too-large`, what was too large is
asked again. `--again` decides everything; names of subjects and of scopes have only those asked. `--open` asks nothing:
it writes down what is to be asked.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterator, Sequence

from offsetproof.checking.engines import explicit_alone
from studies import wider
from studies.widened_worlds import (
    OPEN,
    OUTCOMES,
    SAME,
    TOO_LARGE,
    WIDENINGS,
    Found,
    Pair,
    Record,
    Widening,
    decided,
    digest_of,
)


def found_in(scope: Sequence[Pair], raised_names: Sequence[str], known: Record) -> Iterator[tuple[Pair, str, Found]]:
    """What the claims of one scope are in its wider worlds; what is known of the same system is not decided again."""
    own = {pair.name: digest_of(pair.question, explicit_alone()) for pair in scope}
    for raised in raised_names:
        engines = explicit_alone()
        for pair in scope:
            question = pair.with_raised(raised)
            if question is None:
                continue
            digest, before = digest_of(question, engines), known.get(pair.name, {}).get(raised)
            if before is not None and digest and before.digest == digest:
                yield pair, raised, before
            elif digest == own[pair.name]:
                yield pair, raised, Found(digest, SAME)
            else:
                yield pair, raised, decided(question, digest, engines)


def widen(widening: Widening, scopes: Collection[str], again: Collection[str] = ()) -> None:
    """Decides what is not known yet of a subject, or of some of its scopes, or was found to be one of the outcomes that
    are asked `again`; writes after each scope."""
    started, known = time.process_time(), widening.read()
    made: Record = {pair.name: known.get(pair.name, {}) for pair in widening.pairs}
    for scope in dict.fromkeys(pair.question.setting.scope.name for pair in widening.pairs):
        if scopes and scope not in scopes:
            continue
        there = [pair for pair in widening.pairs if pair.question.setting.scope.name == scope]
        kept = {
            name: {raised: what for raised, what in row.items() if what.outcome not in again}
            for name, row in known.items()
        }
        found = list(found_in(there, widening.raised, kept))
        made |= {pair.name: {raised: what for each, raised, what in found if each is pair} for pair in there}
        widening.write(made)
        spent = time.process_time() - started
        print(f"{widening.subject.name} {scope}: {len(found)} worlds, {spent:.0f} s", flush=True)


def leave_open(widening: Widening) -> None:
    """Writes down each world of which nothing is known as one that is to be asked, and forgets those that cannot be."""
    known = widening.read()
    made: Record = {}
    for pair in widening.pairs:
        before = known.get(pair.name, {})
        can_be = [raised for raised in widening.raised if pair.with_raised(raised)]
        made[pair.name] = {raised: before.get(raised, Found("", OPEN)) for raised in can_be}
    widening.write(made)


def main() -> None:
    """All subjects, or those that are named."""
    named = {*sys.argv[1:]} - {"--again", "--too-large", "--open"}
    again = OUTCOMES if "--again" in sys.argv else [TOO_LARGE] if "--too-large" in sys.argv else []
    subjects = named & {widening.subject.name for widening in WIDENINGS}
    for widening in WIDENINGS:
        if subjects and widening.subject.name not in subjects:
            continue
        if "--open" in sys.argv:
            leave_open(widening)
        else:
            widen(widening, named - subjects, again)
    wider.main()


if __name__ == "__main__":
    main()
