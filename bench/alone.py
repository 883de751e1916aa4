"""One search in a process of its own, to be timed beside other tools: `python -m bench.alone SYSTEM THREADS`.

Threads 0 are one thread that decides the question by stubborn sets, finding relations included.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace

from bench.measure import compiled
from bench.subjects import COMPARED
from offsetproof.compiled.native import OPTIMISE_AFTER
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.search import Search
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Reductions


def main(name: str, threads: int) -> None:
    """Prints states, the seconds of the search and the bytes that a state took."""
    print(json.dumps(_search(name, threads) if threads else _decide_by_stubborn_sets(name)))


def _search(name: str, threads: int) -> dict[str, float]:
    program, _ = compiled(COMPARED[name](), OPTIMISE_AFTER)
    begun = time.perf_counter()
    search = Search(program, program.system.initial, Limits(threads=threads), lambda layer: None)
    search.run(None)
    seconds = time.perf_counter() - begun
    return {"states": search.count, "seconds": seconds, "bytes": search.peak_bytes / search.count}


def _decide_by_stubborn_sets(name: str) -> dict[str, float]:
    question = COMPARED[name]().question
    assert question is not None
    begun = time.perf_counter()
    counts = Explicit().decide(replace(question, reductions=Reductions(stubborn=True))).counts
    seconds = time.perf_counter() - begun
    return {"states": counts.states or 0, "seconds": seconds, "bytes": counts.bytes_per_state or 0.0}


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
