"""The operators that say what happens and what should: one per action of the model, Next, and one per claim.

An action's operator has its parameters: its body is anti-unified from the action's instances, guards as conjuncts,
updates as primed variables, what is not written as UNCHANGED. A step that would be an error of the model is not a step,
as in every engine.

A claim's operator is an invariant: what must be true in every reachable state for the claim to hold. A claim about
steps, and that the model cannot go wrong, is written per action, for all of its arguments; a condition that is not a
plain conjunction over the instances is written as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from offsetproof.exports.exported import MODEL_ERROR, Condition
from offsetproof.exports.tla.declarations import names_of_families
from offsetproof.exports.tla.expressions import Writer, with_lets
from offsetproof.exports.tla.families import Family, enumeration, index_text
from offsetproof.exports.tla.layout import JUNCTION, OPEN, SETS, Row, Text, comment, fill_lines, junction, stack_rows
from offsetproof.exports.tla.parameters import Parameter, Parameters
from offsetproof.exports.tla.terms import Term
from offsetproof.exports.tla.unify import Unifier
from offsetproof.exports.tla.updates import Updates, Writes
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.build import FALSE, TRUE, conjunction, disjunction, either, negate
from offsetproof.ir.node import Node, variables
from offsetproof.ir.rewrite import substitute
from offsetproof.ir.system import Instance, System
from offsetproof.lang.scope import Index, SortOfParameter

Part = tuple[Instance, Node, Node]
"""One conjunct of a condition: an instance, when it matters, and what must then be true."""


class ActionOperator:
    """Some instances of one action, with their parameters and a unifier over them."""

    def __init__(self, vocabulary: Vocabulary, instances: Sequence[Instance]) -> None:
        self.vocabulary, self.instances = vocabulary, tuple(instances)
        self.action = vocabulary.export.actions[self.instances[0].label[0]]
        self.parameters = tuple(
            Parameter(
                vocabulary.local(name),
                sort.name if isinstance(sort, Index) else sort.__name__,
                tuple(_code(sort, inst.label[1][i][1]) for inst in self.instances),
            )
            for i, (name, sort) in enumerate(self.action.sorts)
        )
        self.unifier = Unifier(vocabulary.families, Parameters(self.parameters), len(self.instances))

    @property
    def call(self) -> str:
        """The action's name with its parameters: `ConsumerPulls(c, pq_id)`."""
        name = self.vocabulary.actions[self.action.name]
        return f"{name}({', '.join(p.name for p in self.parameters)})" if self.parameters else name

    @property
    def some_step(self) -> str:
        """That one of the instances is taken."""
        return self.over("\\E", Text(self.call)).flat

    def over(self, quantifier: str, body: Text) -> Text:
        """The body of some (`\\E`) or of all (`\\A`) of the instances."""
        for bounds in reversed(self._ranges() if self.parameters else []):
            start = f"{quantifier} {bounds} :"
            body = Text(f"{start} {body.flat}", OPEN, (Row("", Text(start)), Row("  ", body)))
        return body

    def _ranges(self) -> list[str]:
        """What the parameters range over, quantifier by quantifier: their sorts, as far as they take every value."""
        names = [parameter.name for parameter in self.parameters]
        columns = [sorted(set(parameter.values)) for parameter in self.parameters]
        taken = list(zip(*(parameter.values for parameter in self.parameters), strict=True))
        sets = []
        for (_, sort), column in zip(self.action.sorts, columns, strict=True):
            name, values = self.vocabulary.sort_set(sort)
            sets.append(name if column == values else enumeration(column))
        if set(taken) == set(product(*columns)):
            return [", ".join(f"{name} \\in {values}" for name, values in zip(names, sets, strict=True))]
        if len(names) == 2 and set(taken) == {(a, b) for a, b in product(*columns) if a != b}:
            rest = f"({sets[1]})" if ".." in sets[1] else sets[1]
            return [f"{names[0]} \\in {sets[0]}", f"{names[1]} \\in {rest} \\ {{{names[0]}}}"]
        return [f"<<{', '.join(names)}>> \\in {{{', '.join(map(index_text, taken))}}}"]


def _code(sort: SortOfParameter, value: int | str) -> int:
    """An argument in a label as the integer that stands for it."""
    if isinstance(sort, Index):
        assert isinstance(value, int)
        return value
    return [member.name for member in sort].index(str(value))


def action_operators(vocabulary: Vocabulary, instances: Iterable[Instance]) -> list[ActionOperator]:
    """One operator per action of which an instance can be taken, in their order."""
    taken: dict[str, list[Instance]] = {}
    for inst in instances:
        if inst.enabled is not FALSE:
            taken.setdefault(inst.label[0], []).append(inst)
    return [ActionOperator(vocabulary, instances) for instances in taken.values()]


def next_state(vocabulary: Vocabulary, actions: list[ActionOperator]) -> Iterator[str]:
    """Next and Spec."""
    name, variables_name = vocabulary.fixed["Next"], vocabulary.fixed["vars"]
    yield f"{name} ==" if actions else f"{name} == FALSE /\\ UNCHANGED {variables_name}"
    yield from (f"  \\/ {operator.some_step}" for operator in actions)
    yield ""
    yield f"{vocabulary.fixed['Spec']} == {vocabulary.fixed['Init']} /\\ [][{name}]_{variables_name}"
    yield ""


def action_definition(operator: ActionOperator) -> Iterator[str]:
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
    yield from definition(operator.call, whole)
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


def invariant_definition(vocabulary: Vocabulary, condition: Condition) -> Iterator[str]:
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
        text = _invariant_by_action(vocabulary, parts)
    else:
        text = predicate(vocabulary, condition.node)
    yield from definition(name, text)
    yield ""


def predicate(vocabulary: Vocabulary, node: Node) -> Text:
    """A condition as it stands."""
    term = Unifier(vocabulary.families).term([node])
    return with_lets(vocabulary, [term], {}, lambda writer: writer.text(term))


def definition(name: str, body: Text) -> Iterator[str]:
    """The lines that define a name."""
    yield from stack_rows([Row("", Text(f"{name} ==")), Row("  ", body)]).lines()


def _parts(vocabulary: Vocabulary, condition: Condition) -> list[Part]:
    """What a condition about steps says of each instance."""
    system = vocabulary.export.system
    if condition.claim == MODEL_ERROR:
        failing = [(inst, disjunction([f.condition for f in inst.failures])) for inst in system.instances]
        return [(inst, TRUE, negate(node)) for inst, node in failing]
    per_step = next((claim.per_step for claim in system.claims if claim.name == condition.claim), ())
    return [(inst, inst.enabled, node) for inst, node in zip(system.instances, per_step, strict=bool(per_step))]


def _invariant_by_action(vocabulary: Vocabulary, parts: list[Part]) -> Text:
    """The parts that say something, one item per action."""
    grouped: dict[str, list[Part]] = {}
    for part in parts:
        if part[2] is not TRUE:
            grouped.setdefault(part[0].label[0], []).append(part)
    texts = [_invariant_of_action(vocabulary, group) for group in grouped.values()]
    return junction("/\\", texts) if texts else Text("TRUE")


def _invariant_of_action(vocabulary: Vocabulary, parts: list[Part]) -> Text:
    operator = ActionOperator(vocabulary, [inst for inst, _, _ in parts])
    when = operator.unifier.term([node for _, node, _ in parts])
    then = operator.unifier.term([node for _, _, node in parts])

    def body(writer: Writer) -> Text:
        kept, given = writer.text(then), writer.text(when).within(JUNCTION)  # IF and \E would reach over the `=>`
        if all(node is TRUE for _, node, _ in parts):
            return kept
        rows = (Row("", given), Row("=> ", kept))
        return Text(f"{given.flat} => {kept.flat}", OPEN, rows)

    return operator.over("\\A", with_lets(vocabulary, [when, then], {}, body))
