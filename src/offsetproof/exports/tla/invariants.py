"""Invariants: what must be true in every reachable state for the claims to hold, one operator each.

A claim about steps, and that the model cannot go wrong, is written per action, for all of its arguments; a condition
that is not a plain conjunction over the instances is written as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.exports.exported import MODEL_ERROR, Condition
from offsetproof.exports.tla.expressions import Writer
from offsetproof.exports.tla.layout import OPEN, Row, Text, comment, junction, stack_rows
from offsetproof.exports.tla.lets import with_lets
from offsetproof.exports.tla.operators import ActionOperator
from offsetproof.exports.tla.unify import Unifier
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.build import FALSE, TRUE, conjunction, disjunction, either, negate
from offsetproof.ir.node import Node
from offsetproof.ir.system import Instance

Part = tuple[Instance, Node, Node]
"""One conjunct of a condition: an instance, when it matters, and what must then be true."""


def definition(vocabulary: Vocabulary, condition: Condition) -> Iterator[str]:
    """A condition's operator, with its claim in plain words above it."""
    yield from comment(f"{condition.claim}: {condition.about}" if condition.about else condition.claim)
    if condition.steps_after:
        yield from comment("About steps, and stated of the state before: whatever can be taken there keeps it.")
    parts = _parts(vocabulary, condition)
    name = vocabulary.invariants[condition.claim]
    if condition.node is FALSE:
        yield from comment("TLC takes no invariant that is FALSE in itself, so this one looks at the state.")
        text = Text(f"{vocabulary.fixed['TypeOK']} /\\ FALSE")
    elif parts and conjunction([either(negate(when), then) for _, when, then in parts]) is condition.node:
        text = _by_action(vocabulary, parts)
    else:
        term = Unifier(vocabulary.families).term([condition.node])
        text = with_lets(vocabulary, [term], {}, lambda writer: writer.text(term))
    yield from stack_rows([Row("", Text(f"{name} ==")), Row("  ", text)]).lines()
    yield ""


def _parts(vocabulary: Vocabulary, condition: Condition) -> list[Part]:
    """What a condition about steps says of each instance."""
    system = vocabulary.export.system
    if condition.claim == MODEL_ERROR:
        failing = [(inst, disjunction([f.condition for f in inst.failures])) for inst in system.instances]
        return [(inst, TRUE, negate(node)) for inst, node in failing]
    per_step = next((claim.per_step for claim in system.claims if claim.name == condition.claim), ())
    return [(inst, inst.enabled, node) for inst, node in zip(system.instances, per_step, strict=bool(per_step))]


def _by_action(vocabulary: Vocabulary, parts: list[Part]) -> Text:
    """The parts that say something, one item per action."""
    grouped: dict[str, list[Part]] = {}
    for part in parts:
        if part[2] is not TRUE:
            grouped.setdefault(part[0].label[0], []).append(part)
    texts = [_of_action(vocabulary, group) for group in grouped.values()]
    return junction("/\\", texts) if texts else Text("TRUE")


def _of_action(vocabulary: Vocabulary, parts: list[Part]) -> Text:
    operator = ActionOperator(vocabulary, [inst for inst, _, _ in parts])
    when = operator.unifier.term([node for _, node, _ in parts])
    then = operator.unifier.term([node for _, _, node in parts])

    def body(writer: Writer) -> Text:
        kept, given = writer.text(then), writer.text(when)
        if all(node is TRUE for _, node, _ in parts):
            return kept
        rows = (Row("", given), Row("=> ", kept))
        return Text(f"{given.flat} => {kept.flat}", OPEN, rows)

    return operator.over("\\A", with_lets(vocabulary, [when, then], {}, body))
