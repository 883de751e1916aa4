"""TLC's text traces, read back into states and steps of the exported system, so that the reference can replay them.

TLC names the action of a step but not its arguments; they are found by trying the action's instances on the two states.
What the exported system left out of the whole model starts with its own initial value, as it does for the engines.

TLC breaks long values over lines wherever it likes, so they are read word by word, whatever stands between the words:
numbers, truth values, strings, sets, ranges, tuples, records and functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from offsetproof.exports.exported import Exported
from offsetproof.exports.other_tool import ToolOutcome
from offsetproof.exports.tla.families import Index
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.faults import CAP
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import evaluate
from offsetproof.ir.system import Instance, Label, State
from offsetproof.lang.reference import Reference

Value = int | bool | str | frozenset["Value"] | tuple["Value", ...] | Mapping["Value", "Value"]
"""A value: functions and records are mappings, tuples (and functions over 1..n, which TLC prints so) are tuples."""

_WORD = re.compile(r'<<|>>|\|->|:>|@@|\.\.|/\\|"[^"]*"|-?\d+|\w+|\S')


_STEP = re.compile(r"^State \d+: <(\w+)[^\n]*>\n(.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
_AT_ONCE = re.compile(r"is violated by the initial state:\n(.*?)(?:\n\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class TlcTrace:
    """A trace in the project's own terms: the whole model's initial state, and the instances taken from there.

    `states` are those that TLC printed, as states of the exported system; a claim about steps has one label more than
    steps between them, for TLC stops before the step that breaks it.
    """

    initial: State
    labels: tuple[Label, ...]
    states: tuple[State, ...]


def read_trace(export: Exported, outcome: ToolOutcome) -> TlcTrace:
    """The trace in an outcome of TLC that says which condition is violated.

    Raises ValueError where the text is not a trace of the export: it has no states, or steps that the system has not.
    """
    vocabulary = Vocabulary(export)
    operators, texts = _printed_states(outcome.output)
    states = tuple(state_of(vocabulary, read_state(text)) for text in texts)
    if not states:
        raise ValueError("TLC printed no trace")
    if states[0] not in export.system.initial:
        raise ValueError(f"{states[0]} is not an initial state")
    actions = {operator: action for action, operator in vocabulary.actions.items()}
    pairs = zip(operators[1:], states, states[1:], strict=False)
    labels = [_step(export, actions.get(operator), before, after) for operator, before, after in pairs]
    index = next((i for i, claim in enumerate(export.system.claims) if claim.name == outcome.violated), None)
    if index is not None and export.system.claims[index].per_step:
        labels.append(_breaking_label(export, index, states[-1]))
    return TlcTrace(_whole(export, states[0]), tuple(labels), states)


def _printed_states(output: str) -> tuple[list[str], list[str]]:
    """The operator that led to each state that TLC printed (for the first `Initial`), and the states' texts."""
    at_once = _AT_ONCE.search(output)
    if at_once:
        return ["Initial"], [at_once[1]]
    steps = _STEP.findall(output)
    return [operator for operator, _ in steps], [text for _, text in steps]


def state_of(vocabulary: Vocabulary, values: Mapping[str, Value]) -> State:
    """What TLC printed for each TLA+ variable as a state of the exported system."""
    numbers = []
    for variable in vocabulary.export.system.variables:
        if variable.name == CAP:
            numbers.append(variable.initial[0])
            continue
        family, index = vocabulary.families.of[variable.name]
        number = _number(_at(values.get(family.name), index), variable.sort)
        if number is None:
            raise ValueError(f"TLC printed no {variable.sort} for {variable.name}")
        numbers.append(number)
    return tuple(numbers)


def _at(value: Value | None, index: Index) -> Value | None:
    """The value of one leaf, if there is one; a function over 1..n comes as a tuple."""
    for part in index:
        if isinstance(value, tuple):
            value = dict(enumerate(value, 1))
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _number(value: Value | None, sort: Sort) -> int | None:
    """A value as the integer that the IR has for it; None for a value of another sort."""
    if sort is Sort.SET and isinstance(value, frozenset):
        elements = [element for element in value if type(element) is int and element >= 0]
        return sum(1 << element for element in elements) if len(elements) == len(value) else None
    if sort is Sort.BOOL and isinstance(value, bool):
        return int(value)
    return value if sort is Sort.INT and type(value) is int else None


def _step(export: Exported, action: str | None, before: State, after: State) -> Label:
    """The instance that leads from one state to the next: of the action that TLC names, where it names one."""
    system = export.system
    values = dict(zip((v.name for v in system.variables), before, strict=True))
    for inst in system.instances:
        if action in (None, inst.label[0]) and _state_after(inst, values) == after:
            return inst.label
    raise ValueError(f"no instance of {action or 'any action'} leads from {before} to {after}")


def _state_after(inst: Instance, values: Mapping[str, int]) -> State | None:
    enabled, *written = evaluate([inst.enabled, *inst.updates.values()], values)
    return tuple({**values, **dict(zip(inst.updates, written, strict=True))}.values()) if enabled else None


def _breaking_label(export: Exported, claim: int, state: State) -> Label:
    """The first instance that can be taken from a state and breaks a claim about steps."""
    system = export.system
    values = dict(zip((v.name for v in system.variables), state, strict=True))
    for inst, kept in zip(system.instances, system.claims[claim].per_step, strict=True):
        if evaluate([inst.enabled, kept], values) == [1, 0]:
            return inst.label
    raise ValueError(f"no step from the last state breaks {system.claims[claim].name}")


def _whole(export: Exported, first: State) -> State:
    """The initial state of the whole model of which the exported system's is a part."""
    known = dict(zip((v.name for v in export.system.variables), first, strict=True))
    return Reference(export.model, export.setting).start_with(known)


def read_value(text: str) -> Value:
    """The one value that a text is; ValueError if it is none.

    >>> read_value("(0 :> TRUE @@ 1 :> {1, 2})")
    {0: True, 1: frozenset({1, 2})}
    """
    reader = _ValueReader(text)
    value = reader.value()
    reader.expect("")
    return value


def read_state(text: str) -> dict[str, Value]:
    r"""A state, variable by variable; a lone variable is printed without a bullet. Raises ValueError.

    >>> read_state("/\\ x = 2\n/\\ y = <<1, 0>>")
    {'x': 2, 'y': (1, 0)}
    """
    reader = _ValueReader(text)
    state: dict[str, Value] = {}
    while reader.next:
        reader.skip("/\\")
        name = reader.name()
        reader.expect("=")
        state[name] = reader.value()
    return state


class _ValueReader:
    """A text's words, and what they say from the next one on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._words: list[str] = _WORD.findall(text)
        self._at = 0

    @property
    def next(self) -> str:
        """The next word; empty at the end."""
        return self._words[self._at] if self._at < len(self._words) else ""

    def take(self) -> str:
        word = self.next
        self._at += 1
        return word

    def skip(self, word: str) -> bool:
        """Takes the word if it is the next one."""
        is_next = self.next == word
        self._at += is_next
        return is_next

    def expect(self, word: str) -> None:
        if self.next != word:
            raise ValueError(f"expected {word or 'the end'}, not {self.next or 'the end'}, in: {self.text}")
        self._at += 1

    def value(self) -> Value:
        word = self.take()
        if word in _OPENERS:
            return _OPENERS[word](self)
        if word in ("TRUE", "FALSE"):
            return word == "TRUE"
        if word.startswith('"') and len(word) > 1:
            return word[1:-1]
        number = self.matching(r"-?\d+", word)
        if self.skip(".."):
            return frozenset(range(int(number), int(self.matching(r"-?\d+", self.take())) + 1))
        return int(number)

    def name(self) -> str:
        """The name of a variable, or of a record's field."""
        return self.matching(r"[A-Za-z_]\w*", self.take())

    def matching(self, pattern: str, word: str) -> str:
        """The word, if it is of this form."""
        if not re.fullmatch(pattern, word):
            raise ValueError(f"not a value or a name: {word or 'the end'}, in: {self.text}")
        return word

    def values_up_to(self, closer: str) -> list[Value]:
        """Values with commas between them, up to the closing word."""
        values: list[Value] = []
        while not self.skip(closer):
            if values:
                self.expect(",")
            values.append(self.value())
        return values

    def record(self) -> Value:
        fields: dict[Value, Value] = {}
        while not self.skip("]"):
            if fields:
                self.expect(",")
            name = self.name()
            self.expect("|->")
            fields[name] = self.value()
        return fields

    def function(self) -> Value:
        entries: dict[Value, Value] = {}
        while not self.skip(")"):
            if entries:
                self.expect("@@")
            argument = self.value()
            self.expect(":>")
            entries[argument] = self.value()
        return entries


_OPENERS: dict[str, Callable[[_ValueReader], Value]] = {
    "{": lambda reader: frozenset(reader.values_up_to("}")),
    "<<": lambda reader: tuple(reader.values_up_to(">>")),
    "[": _ValueReader.record,
    "(": _ValueReader.function,
}
