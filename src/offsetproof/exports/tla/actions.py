"""Actions: one operator per action of the model, and Next, which says for which arguments.

An operator's body is anti-unified from the action's instances: guards as conjuncts, updates as primed variables, what
is not written as UNCHANGED. A step that would be an error of the model is not a step, as in every engine.
"""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.exports.tla.declarations import names_of_families
from offsetproof.exports.tla.expressions import Writer
from offsetproof.exports.tla.families import Family
from offsetproof.exports.tla.layout import OPEN, SETS, Row, Text, comment, fill_lines, stack_rows
from offsetproof.exports.tla.lets import with_lets
from offsetproof.exports.tla.operators import ActionOperator
from offsetproof.exports.tla.terms import Term
from offsetproof.exports.tla.updates import Updates, Writes
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.build import FALSE, TRUE
from offsetproof.ir.node import Node, variables
from offsetproof.ir.rewrite import substitute
from offsetproof.ir.system import Instance, System


def operators(vocabulary: Vocabulary) -> list[ActionOperator]:
    """One operator per action that can be taken, in the system's order."""
    taken: dict[str, list[Instance]] = {}
    for inst in vocabulary.export.system.instances:
        if inst.enabled is not FALSE:
            taken.setdefault(inst.label[0], []).append(inst)
    return [ActionOperator(vocabulary, instances) for instances in taken.values()]


def next_state(vocabulary: Vocabulary, actions: list[ActionOperator]) -> Iterator[str]:
    """Next and Spec."""
    name, variables_name = vocabulary.fixed["Next"], vocabulary.fixed["vars"]
    yield f"{name} ==" if actions else f"{name} == FALSE /\\ UNCHANGED {variables_name}"
    steps = [operator.over("\\E", Text(operator.call)).flat for operator in actions]
    yield from (f"  \\/ {step}" for step in steps)
    yield ""
    yield f"{vocabulary.fixed['Spec']} == {vocabulary.fixed['Init']} /\\ [][{name}]_{variables_name}"
    yield ""


def definition(operator: ActionOperator) -> Iterator[str]:
    """An action's operator, with what the action stands for above it."""
    yield from _about(operator)
    instances = operator.instances
    guard = operator.unifier.term([inst.enabled for inst in instances])
    finished = [_finished_conditions(operator.vocabulary.export.system, inst) for inst in instances]
    updates = _updates(operator, frozenset(node for nodes in finished for node in nodes))
    named = operator.unifier.mark_of_term(finished)

    def body(writer: Writer) -> Text:
        always = all(inst.enabled is TRUE for inst in instances)
        guards = [] if always else _conjuncts(writer.text(guard))
        return stack_rows([*guards, *_steps(operator.vocabulary, writer, updates)])

    whole = with_lets(operator.vocabulary, (guard, *updates.values()), named, body)
    yield from stack_rows([Row("", Text(f"{operator.call} ==")), Row("  ", whole)]).lines()
    yield ""


def _about(operator: ActionOperator) -> Iterator[str]:
    action = operator.action
    if action.about:
        yield from comment(action.about)
    fault = f"; a fault ({action.fault})" if action.fault else ""
    yield from comment(f"Taken by {action.actor} ({action.thread}){fault}.")
    if action.stands_for:
        yield from comment(f"Stands for {', '.join(map(str, action.stands_for))}.")


def _conjuncts(text: Text) -> list[Row]:
    """A condition as the first items of a conjunction list."""
    listed = text.rows and all(row.before == "/\\ " for row in text.rows)
    return list(text.rows) if listed else [Row("/\\ ", text)]


def _updates(operator: ActionOperator, named: frozenset[Node]) -> dict[Family, Term]:
    """Every family that some instance changes, with what it is after the step."""
    families = operator.vocabulary.families
    updates = Updates(operator.unifier, operator.vocabulary.bound, named)
    written: dict[Family, list[Writes]] = {}
    for row, inst in enumerate(operator.instances):
        for name, node in inst.updates.items():
            if node.leaf == name:
                continue
            family, index = families.of[name]
            writes = written.setdefault(family, [() for _ in operator.instances])
            writes[row] = (*writes[row], (index, node))
    return {family: updates.of(family, written[family]) for family in families.all if family in written}


def _steps(vocabulary: Vocabulary, writer: Writer, updates: dict[Family, Term]) -> Iterator[Row]:
    """The primed variables."""
    for family, term in updates.items():
        value = writer.text(term, family.flavour)
        text = value if value.level == OPEN else value.within(SETS)
        flat = f"{family.name}' = {text.flat}"
        yield Row("/\\ ", Text(flat, OPEN, (Row("", Text(f"{family.name}' =")), Row("  ", text))))
    left = names_of_families(vocabulary, [family for family in vocabulary.families.all if family not in updates])
    if not updates:
        yield Row("/\\ ", Text(f"UNCHANGED {vocabulary.fixed['vars']}"))
    elif left:
        yield Row("/\\ ", fill_lines("UNCHANGED <<", left, ">>"))


def _finished_conditions(system: System, inst: Instance) -> dict[Node, str]:
    """Conditions that an object is finished after the step, each with a name: the reset of dead fields repeats them."""
    after = {system.by_name[name].node: node for name, node in inst.updates.items()}
    renamed = {}
    for lifetime in system.lifetimes:
        if variables([lifetime.condition]) <= system.by_name.keys():
            part = lifetime.path.rpartition(".")[2].partition("[")[0]
            renamed[substitute([lifetime.condition], after)[0]] = f"{part}_finished" if part else "finished"
    return renamed
