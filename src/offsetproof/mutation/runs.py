"""A claim about whole runs on a changed system: can a fair run owe for ever what is claimed? No verdict, as for others.

What the scope keeps a changed step from is another thing than of the step itself, so fair threads are made anew.
"""

from __future__ import annotations

import time

from offsetproof.engines.explicit.explorer import InThisProcess
from offsetproof.engines.explicit.in_the_end import RunDecision
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.ir.system import System
from offsetproof.lang.stage import Staged
from offsetproof.mutation.layers import Seen, seen_so_far
from offsetproof.verdict.question import Question


def seen_of_runs(question: Question, staged: Staged, system: System) -> Seen:
    """What is known of a system once all of it was searched: its depth is the length of a lasso, where there is one."""
    decision = RunDecision(PreparedQuestion(question, InThisProcess(), staged, system, (), time.monotonic()))
    search = decision.search()
    is_whole = search.stopped is None and search.failed_depth is None
    lasso = decision.lasso_of(search) if is_whole else None
    depth = len(search.levels) - 1 if lasso is None else len(lasso.labels)
    return seen_so_far(search, depth, lasso is not None)
