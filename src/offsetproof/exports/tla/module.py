"""The TLA+ export: a system as a module that people can read, and a configuration for TLC.

One variable per family of leaves, one operator per action with the action's parameters, one invariant per claim. What
offsetproof calls a cut is a guard here, and a step on which the model would go wrong is none.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator

from offsetproof.exports.exported import Exported
from offsetproof.exports.tla import declarations
from offsetproof.exports.tla.layout import WIDTH
from offsetproof.exports.tla.operators import action_definition, action_operators, invariant_definition, next_state
from offsetproof.exports.tla.runs import ending_definition, fair_specification
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.faults import CAP
from offsetproof.ir.kind import Kind
from offsetproof.lang.scope import UnknownNameError


def tla(export: Exported, claims: Collection[str] | None = None) -> dict[str, str]:
    """The export's files: name to text, the module and TLC's configuration.

    `claims` are the ids of the conditions and of the claims about runs that TLC shall check beside the types of the
    variables; None means all. Raises UnknownNameError for an id that the export does not have.
    """
    vocabulary = Vocabulary(export)
    known = vocabulary.invariants | {id: names.whole for id, names in vocabulary.endings.items()}
    for id in claims or ():
        if id not in known:
            raise UnknownNameError("condition", id, known)
    chosen = [id for id in known if claims is None or id in claims]
    return {
        f"{vocabulary.module}.tla": _text(_module(vocabulary)),
        f"{vocabulary.module}.cfg": _text(_configuration(vocabulary, chosen)),
    }


def _module(vocabulary: Vocabulary) -> Iterator[str]:
    title = f" MODULE {vocabulary.module} "
    yield title.center(78, "-")
    yield from _header(vocabulary)
    yield "EXTENDS Integers, FiniteSets" if Kind.COUNT in vocabulary.kinds else "EXTENDS Integers"
    yield ""
    yield from declarations.own_operators(vocabulary)
    yield from declarations.sorts(vocabulary)
    yield from declarations.constants(vocabulary)
    yield from declarations.variables(vocabulary)
    yield from declarations.type_invariant(vocabulary)
    yield from declarations.initial(vocabulary)
    operators = action_operators(vocabulary, vocabulary.export.system.instances)
    for operator in operators:
        yield from action_definition(operator)
    yield from next_state(vocabulary, operators)
    for condition in vocabulary.export.conditions:
        yield from invariant_definition(vocabulary, condition)
    if vocabulary.endings:
        yield from fair_specification(vocabulary)
    for ending in vocabulary.export.endings:
        yield from ending_definition(vocabulary, ending)
    yield "=" * 78


def _header(vocabulary: Vocabulary) -> Iterator[str]:
    export = vocabulary.export
    setting = export.setting
    named = {
        "Subject": export.subject,
        "Scope": f"{setting.scope.name} ({setting.scope.describe() or 'no bounds'})",
        "Release": setting.release or "",
        "Fixes": ", ".join(fix.name for fix in setting.fixes),
        "Assumes": ", ".join(assumption.name for assumption in setting.assumptions),
        "Listener": setting.listener_name or "",
        "Reduced": "; ".join(export.reductions),
    }
    yield "(*"
    yield "Written by offsetproof from the transition system that its engines explore."
    yield ""
    for key, value in named.items():
        yield from textwrap.wrap(_plain(value), WIDTH, initial_indent=f"{key + ':':10}", subsequent_indent=" " * 10)
    yield ""
    yield "Run it with TLC, from tla2tools.jar:"
    yield f"  java -cp tla2tools.jar tlc2.TLC -deadlock -config {vocabulary.module}.cfg {vocabulary.module}.tla"
    yield "-deadlock keeps TLC from reporting states without a step: a scope that is used up is not an error."
    yield ""
    yield "Bounds of the scope are guards: where only a bound is in the way of a step (a cut; offsetproof"
    yield "prints how many there are with its verdict), the step is not there. Nor is one on which the model"
    yield "would leave a domain."
    if any(condition.steps_after for condition in export.conditions):
        yield "An invariant about steps is violated one step before the step that breaks the claim."
    if export.endings:
        yield "A run that only a bound or a spent budget of the scope stops counts as any other here: where"
        yield "offsetproof says UNKNOWN for that, TLC has a counterexample. So it may where a thread waits now for"
        yield "a bound and now for its turn. A step that changes nothing is none."
    yield "*)"


def _configuration(vocabulary: Vocabulary, claims: list[str]) -> Iterator[str]:
    properties = [names.whole for id, names in vocabulary.endings.items() if id in claims]
    yield f"SPECIFICATION {vocabulary.fixed['FairSpec' if properties else 'Spec']}"
    if vocabulary.capped:
        (most,) = vocabulary.export.system.by_name[CAP].initial
        yield f"CONSTANT {vocabulary.fixed['MaxFaults']} = {most}"
    yield "INVARIANTS"
    yield f"  {vocabulary.fixed['TypeOK']}"
    yield from (f"  {name}" for id, name in vocabulary.invariants.items() if id in claims)
    if properties:
        yield "PROPERTIES"
        yield from (f"  {name}" for name in properties)


def _plain(text: str) -> str:
    """A text that cannot end the comment that it stands in."""
    return text.replace("(*", "( *").replace("*)", "* )")


def _text(lines: Iterator[str]) -> str:
    """Lines as a file; TLC's parser takes nothing but ASCII."""
    return "".join(f"{line.rstrip()}\n" for line in lines).encode("ascii", "replace").decode()
