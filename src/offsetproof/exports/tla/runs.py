"""Claims about runs in TLA+: what comes in the end, of runs that are fair to the model's threads.

A weakly fair thread is WF of all of its steps together, a strongly fair one SF. TLA+ knows no step that changes
nothing: where a thread may take one again and again, it has to get on here, and need not in offsetproof.
"""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.exports.exported import Ending
from offsetproof.exports.tla.layout import comment
from offsetproof.exports.tla.operators import action_operators, definition, predicate
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.in_the_end import FairThread


def fair_specification(vocabulary: Vocabulary) -> Iterator[str]:
    """FairSpec: Spec, and that no thread waits for ever where it could go on."""
    yield from comment("The runs that are fair to each thread.")
    yield f"{vocabulary.fixed['FairSpec']} =="
    yield f"  /\\ {vocabulary.fixed['Spec']}"
    for thread in vocabulary.export.fair_threads:
        yield from _fair(vocabulary, thread)
    yield ""


def _fair(vocabulary: Vocabulary, thread: FairThread) -> Iterator[str]:
    own = [inst for inst in vocabulary.export.system.instances if inst.label in thread.labels]
    steps = [operator.some_step for operator in action_operators(vocabulary, own)]
    if steps:
        yield f"  /\\ {'SF' if thread.strong else 'WF'}_{vocabulary.fixed['vars']}("
        yield from (f"       \\/ {step}{')' if step is steps[-1] else ''}" for step in steps)


def ending_definition(vocabulary: Vocabulary, ending: Ending) -> Iterator[str]:
    """A claim's temporal formula, with the claim in plain words above it."""
    names = vocabulary.endings[ending.claim]
    yield from comment(f"{ending.claim}: {ending.about}" if ending.about else ending.claim)
    if ending.premise is not None:
        yield from definition(names.owes, predicate(vocabulary, ending.premise))
    yield from definition(names.comes, predicate(vocabulary, ending.comes))
    formula = f"<>{names.comes}" if ending.premise is None else f"{names.owes} ~> {names.comes}"
    yield f"{names.whole} == {formula}"
    yield ""
