"""Writes every recorded trace again, in its scope as it is now (`make record`): after a change that is meant.

Names write those alone: `python -m studies.recorded I4-ack-first`.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from systems.recordings import FILES, subject_of

from offsetproof.checking.answers import answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import question_of
from offsetproof.lang.world import ClaimInWorld
from offsetproof.traces.store import read_record_file, write_record
from offsetproof.traces.trace import Trace


def main(*names: str) -> None:
    engines = explicit_alone()
    for file in [file for file in FILES if not names or file.stem in names]:
        trace = read_record_file(file).trace
        subject = subject_of(trace)
        (answer,) = answers(subject, engines, [question_of(subject, _world_now(trace))])
        if answer.trace is None:
            sys.exit(f"{file.name}: the claim is no longer refuted in this setting; remove the file or fix the model")
        file.write_text(write_record(answer.trace), encoding="utf-8")


def _world_now(trace: Trace) -> ClaimInWorld:
    """What the trace is about, with the bounds that its scope has now; where they were others the scope has a star."""
    world = trace.world.claim(trace.property.id)
    return replace(world, scope=world.scope.rstrip("*"), bounds={})


if __name__ == "__main__":
    main(*sys.argv[1:])
