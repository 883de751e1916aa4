"""One search in a process of its own, to be timed beside other tools: `python -m bench.alone SYSTEM THREADS`."""

from __future__ import annotations

import json
import sys
import time

from bench.measure import compiled
from bench.subjects import COMPARED
from offsetproof.compiled.native import OPTIMISE_AFTER
from offsetproof.engines.explicit.search import Search
from offsetproof.verdict.limits import Limits


def main(name: str, threads: int) -> None:
    program, _ = compiled(COMPARED[name](), OPTIMISE_AFTER)
    begun = time.perf_counter()
    search = Search(program, program.system.initial, Limits(threads=threads), lambda layer: None)
    search.run(None)
    seconds = time.perf_counter() - begun
    told = {"states": search.count, "seconds": seconds, "bytes": search.peak_bytes / search.count}
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
