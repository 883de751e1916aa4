"""Claims about runs in TLA+: what comes in the end, of runs that are fair to the model's threads.

A weakly fair thread is WF of all of its steps together, a strongly fair one SF. TLA+ knows no step that changes
nothing: where a thread may take one again and again, it has to get on here, and need not in offsetproof.
"""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.exports.exported import Ending
from offsetproof.exports.tla.expressions import with_lets
from offsetproof.exports.tla.layout import Row, Text, comment, stack_rows
from offsetproof.exports.tla.operators import ActionOperator
from offsetproof.exports.tla.unify import Unifier
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.build import FALSE
from offsetproof.ir.in_the_end import FairThread
from offsetproof.ir.node import Node
from offsetproof.ir.system import Instance


def fair_specification(vocabulary: Vocabulary) -> Iterator[str]:
    """FairSpec: Spec, and that no thread waits for ever where it could go on."""
    yield from comment("The runs that are fair to each thread.")
    yield f"{vocabulary.fixed['FairSpec']} =="
    yield f"  /\\ {vocabulary.fixed['Spec']}"
    for thread in vocabulary.export.fair_threads:
        yield from _fair(vocabulary, thread)
    yield ""


def _fair(vocabulary: Vocabulary, thread: FairThread) -> Iterator[str]:
    taken: dict[str, list[Instance]] = {}
    for inst in vocabulary.export.system.instances:
        if inst.label in thread.labels and inst.enabled is not FALSE:
            taken.setdefault(inst.label[0], []).append(inst)
    operators = [ActionOperator(vocabulary, instances) for instances in taken.values()]
    steps = [operator.over("\\E", Text(operator.call)).flat for operator in operators]
    if steps:
        yield f"  /\\ {'SF' if thread.strong else 'WF'}_{vocabulary.fixed['vars']}("
        yield from (f"       \\/ {step}{')' if step is steps[-1] else ''}" for step in steps)


def ending_definition(vocabulary: Vocabulary, ending: Ending) -> Iterator[str]:
    """A claim's temporal formula, with the claim in plain words above it."""
    names = vocabulary.endings[ending.claim]
    yield from comment(f"{ending.claim}: {ending.about}" if ending.about else ending.claim)
    if ending.premise is not None:
        yield from _predicate(vocabulary, names.owes, ending.premise)
    yield from _predicate(vocabulary, names.comes, ending.comes)
    formula = f"<>{names.comes}" if ending.premise is None else f"{names.owes} ~> {names.comes}"
    yield f"{names.whole} == {formula}"
    yield ""


def _predicate(vocabulary: Vocabulary, name: str, node: Node) -> Iterator[str]:
    term = Unifier(vocabulary.families).term([node])
    text = with_lets(vocabulary, [term], {}, lambda writer: writer.text(term))
    yield from stack_rows([Row("", Text(f"{name} ==")), Row("  ", text)]).lines()
