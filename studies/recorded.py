"""Writes every recorded trace again, in its own setting (`make record`): after a change of the model that is meant."""

from __future__ import annotations

import sys

from systems.recordings import FILES, question_of

from offsetproof.checking.answers import answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.traces.store import write_record


def main() -> None:
    engines = explicit_alone()
    for file in FILES:
        (answer,) = answers(ROCKETMQ, engines, [question_of(file)])
        if answer.trace is None:
            sys.exit(f"{file.name}: the claim is no longer refuted in this setting; remove the file or fix the model")
        file.write_text(write_record(answer.trace), encoding="utf-8")


if __name__ == "__main__":
    main()
