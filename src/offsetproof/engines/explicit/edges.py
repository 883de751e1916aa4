"""The steps between the states that a finished search found, as arrays: the steps from state i lead to
`targets[starts[i]:starts[i + 1]]`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.engines.explicit.search import Search

Numbers = npt.NDArray[np.int64]


def steps_between(search: Search) -> tuple[Numbers, npt.NDArray[np.int32], Numbers]:
    """All steps between the states of a finished search, and each state's flags."""
    starts = np.zeros(search.count + 1, np.int64)
    flags = np.zeros(search.count, np.int64)
    targets = []
    expander = Expander(search.layout, search.native)
    positions, done = np.empty(len(expander.out), np.int64), 0
    for start in range(0, search.count, CHUNK):
        end = min(start + CHUNK, search.count)
        front = search.states[start:end]
        k = expander.expand(front)
        search.visited.places_of(expander.out, k, positions)
        targets.append(positions[:k].astype(np.int32))
        starts[start + 1 : end + 1] = expander.ends[: end - start] + done
        flags[start:end] = expander.flags[: end - start]
        flags[start:end] |= expander.judge(front)
        done += k
    return starts, np.concatenate(targets), flags
