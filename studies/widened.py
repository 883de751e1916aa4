"""Asks every claim that holds again, with one bound, rule or fault raised by one (`make widened`).

A claim that holds does so in its scopes, and a bound may be all that keeps it. Here each scope gets one message, reset,
kill, ... more at a time. What is refuted then has a reason (`widened_reasons.py`), and docs/widened.md tells both.
A world is decided only where what is raised changes the system that is explored for the claim. What is written down is
kept while that system is the same (its digest); where the limit is raised, what was too large is asked again. `--again`
decides everything; names of scopes have only those asked.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

from offsetproof.checking.engines import explicit_alone
from studies import DOCS
from studies.widened_page import page
from studies.widened_worlds import RAISED, SAME, Found, Pair, Record, decided, digest_of, pairs, read, write

PAGE = DOCS / "widened.md"


def found_in(scope: Sequence[Pair], known: Record) -> Iterator[tuple[Pair, str, Found]]:
    """What the claims of one scope are in its wider worlds; what is known of the same system is not decided again."""
    own = {pair.name: digest_of(pair.question, explicit_alone()) for pair in scope}
    for raised in RAISED:
        engines = explicit_alone()
        for pair in scope:
            question = pair.with_raised(raised)
            if question is None:
                continue
            digest, before = digest_of(question, engines), known.get(pair.name, {}).get(raised)
            if before is not None and before.digest == digest:
                yield pair, raised, before
            elif digest == own[pair.name]:
                yield pair, raised, Found(digest, SAME)
            else:
                yield pair, raised, decided(question, digest, engines)


def main() -> None:
    """Decides what is not known yet, and writes after each scope; then the page."""
    started, known, named = time.process_time(), read(), {*sys.argv[1:]} - {"--again"}
    asked = pairs()
    made: Record = {pair.name: known.get(pair.name, {}) for pair in asked}
    for scope in dict.fromkeys(pair.question.setting.scope.name for pair in asked):
        if named and scope not in named:
            continue
        there = [pair for pair in asked if pair.question.setting.scope.name == scope]
        found = list(found_in(there, {} if "--again" in sys.argv else known))
        made |= {pair.name: {raised: what for each, raised, what in found if each is pair} for pair in there}
        write(made)
        print(f"{scope}: {len(found)} worlds, {time.process_time() - started:.0f} s", flush=True)
    PAGE.write_text(page(made), encoding="utf-8")


if __name__ == "__main__":
    main()
