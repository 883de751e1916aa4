"""Expressions: the table of what each IR kind is in TLA+, the writer that goes through a term by it, and LETs.

Enum members and optionals stay the integers that they are in the IR, but by name: `TaskStep_CHECKED`, `None`,
`Some(n)`, `Value(o)`. A name says what an integer stands for where that is known from a variable; it never changes what
is computed. What an operator's body needs more than once gets a name in a LET and is written once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from offsetproof.exports.tla.families import Family, Flavour, Index, enumeration, index_text
from offsetproof.exports.tla.layout import (
    ATOM,
    RELATION,
    SETS,
    SUM,
    Row,
    Text,
    conditional,
    infix,
    junction,
    stack_rows,
    surround,
)
from offsetproof.exports.tla.terms import (
    Apply,
    Choice,
    Comparison,
    Constant,
    Except,
    Function,
    Number,
    Offsets,
    Place,
    Question,
    Read,
    Term,
    below,
)
from offsetproof.exports.tla.vocabulary import Vocabulary, Words
from offsetproof.ir.kind import Kind, Sort, complete

SIZE_MIN = 8
"""An expression with fewer nodes than this is repeated, unless it is known by a name."""

SHARED_NAMES = {Sort.BOOL: "condition", Sort.INT: "number", Sort.SET: "offsets"}
"""What shared expressions are called, with a number behind it."""


@dataclass
class Writer:
    """Writes terms. `named` are terms that a LET has given a name; `at` is the place that `@` stands for."""

    words: Words
    named: dict[Term, str] = field(default_factory=dict)
    at: tuple[Family, Place] | None = None
    _flavours: dict[Term, Flavour | None] = field(default_factory=dict)

    def text(self, term: Term, flavour: Flavour | None = None) -> Text:
        """A term as TLA+; `flavour` is what its integer stands for, where the place that it stands in tells."""
        if term in self.named:
            return Text(self.named[term])
        if isinstance(term, Apply):
            return TLA[term.kind](self, term, flavour)
        if isinstance(term, Choice):
            return conditional(
                _question_text(term.test), self.text(term.then, flavour), self.text(term.otherwise, flavour)
            )
        if isinstance(term, Except):
            return self._replacement(term)
        if isinstance(term, Function):
            return self._function(term)
        return self._leaf(term, flavour)

    def _leaf(self, term: Term, flavour: Flavour | None) -> Text:
        if isinstance(term, Read):
            return self._part(term.family, term.index)
        if isinstance(term, Offsets):
            return _offsets(term)
        assert isinstance(term, Constant)
        if term.number is None:
            return Text(self.words.cap)
        if term.sort is Sort.BOOL:
            return Text("TRUE" if term.number.offset else "FALSE")
        return self.words.constant(term.number, flavour)

    def _part(self, family: Family, place: Place) -> Text:
        """A family's part at a place, by `@` where that is a part of what EXCEPT replaces."""
        if self.at is not None and self.at[0] is family and place[: len(self.at[1])] == self.at[1]:
            return Text(f"@{_brackets(place[len(self.at[1]) :])}")
        return Text(family.name + _brackets(place))

    def _replacement(self, term: Except) -> Text:
        """A part with something in it replaced: EXCEPT, or its new value where that is all of it."""
        family, old = term.family, self._part(term.family, term.place)
        if not term.changes:
            return old
        if term.changes[0][0] == ():
            return self.text(term.changes[0][1], family.flavour)
        texts = [
            (f"!{_brackets(rest)} = ", replace(self, at=(family, (*term.place, *rest))).text(value, family.flavour))
            for rest, value in term.changes
        ]
        flat = f"[{old.flat} EXCEPT {', '.join(place + text.flat for place, text in texts)}]"
        rows = [Row(f"  {place}", text, ",") for place, text in texts]
        rows[-1] = Row(rows[-1].before, rows[-1].text, "]")
        return Text(flat, ATOM, (Row("", Text(f"[{old.flat} EXCEPT")), *rows))

    def _function(self, term: Function) -> Text:
        """A part as a function of its index."""
        family, place = term.family, term.place
        named = None if term.keys is None else self.words.keys(family.components[len(place)], term.keys)
        keys = named or f"DOMAIN {self._part(family, place).flat}"
        start, body = f"[{term.bound} \\in {keys} |->", self.text(term.body, family.flavour)
        return Text(f"{start} {body.flat}]", ATOM, (Row("", Text(start)), Row("  ", body, "]")))

    def flavour(self, term: Term) -> Flavour | None:
        """What a term's integer stands for, told from the variables that it may be the value of."""
        if term not in self._flavours:
            self._flavours[term] = self._flavour_of(term)
        return self._flavours[term]

    def _flavour_of(self, term: Term) -> Flavour | None:
        if isinstance(term, Read):
            return term.family.flavour
        if isinstance(term, Choice) or (isinstance(term, Apply) and term.kind is Kind.ITE):
            return next(filter(None, map(self.flavour, term.parts[-2:])), None)
        if isinstance(term, Apply) and self._takes_value(term):
            inner = self.flavour(term.args[0])
            return inner and inner.inner
        return None

    def _takes_value(self, term: Apply) -> bool:
        """Is the term an optional's value: the optional minus 1, where the inner values start at 0?"""
        flavour = self.flavour(term.args[0]) if term.kind is Kind.ADD and _is_constant(term.args[1], -1) else None
        return flavour is not None and flavour.optional and flavour.lo == 0

    def add(self, term: Apply, flavour: Flavour | None) -> Text:
        """A sum; of optionals it is the way into one or out of it."""
        left, right = term.args
        if self._takes_value(term):
            return surround(f"{self.words.value}(", self.text(left), ")")
        if flavour is not None and flavour.optional and flavour.lo == 0 and _is_constant(right, 1):
            return surround(f"{self.words.some}(", self.text(left, flavour.inner), ")")
        if isinstance(right, Constant) and right.number and right.number.parameter is None and right.number.offset < 0:
            return infix(self.text(left).within(SUM), "-", Text(str(-right.number.offset)), SUM)
        return infix(self.text(left).within(SUM), "+", self.text(right).within(ATOM), SUM)

    def pair(self, term: Apply) -> tuple[Text, Text]:
        """Two terms that are compared, each told what the other stands for."""
        left, right = term.args
        return self.text(left, self.flavour(right)), self.text(right, self.flavour(left))


def _question_text(question: Question) -> Text:
    """A question about parameters."""
    if isinstance(question, Comparison):
        return Text(f"{question.first} {question.sign} {question.second}", RELATION)
    return membership_text(question.parameters, question.values)


def membership_text(parameters: Sequence[str], values: Sequence[Index]) -> Text:
    """The question whether parameters have one of these values."""
    subject = parameters[0] if len(parameters) == 1 else f"<<{', '.join(parameters)}>>"
    if len(values) == 1:
        return Text(f"{subject} = {index_text(values[0])}", RELATION)
    if len(parameters) == 1:
        return Text(f"{subject} \\in {enumeration([value for (value,) in values])}", RELATION)
    return Text(f"{subject} \\in {{{', '.join(map(index_text, values))}}}", RELATION)


def _is_constant(term: Term, value: int) -> bool:
    return isinstance(term, Constant) and term.number == Number(value)


def _brackets(index: Place) -> str:
    return "".join(f'["{part}"]' if isinstance(part, str) else f"[{part.text}]" for part in index)


def _offsets(term: Offsets) -> Text:
    elements = [i for i in range(term.mask.bit_length()) if term.mask >> i & 1]
    if term.only is not None:
        return Text(f"{{{term.only.text}}}")
    if term.below is not None:
        limit = Number(term.below.offset - 1, term.below.parameter, term.below.sign)
        return Text(f"0..{limit.text if limit.is_simple else f'({limit.text})'}", SETS)
    whole = enumeration(elements)
    shown = Text(whole, SETS if ".." in whole else ATOM)
    return shown if term.but is None else infix(shown.within(ATOM), "\\", Text(f"{{{term.but.text}}}"), SETS)


Rule = Callable[[Writer, Apply, Flavour | None], Text]
"""How a kind is written: a term of it, and what its integer stands for, as far as its place tells."""


def _relation(sign: str, opposite: str) -> Rule:
    def rule(writer: Writer, term: Apply, _flavour: Flavour | None) -> Text:
        left, right = (text.within(SETS) for text in writer.pair(term))
        return infix(left, sign, right, RELATION, opposite)

    return rule


def _set_operator(sign: str) -> Rule:
    def rule(writer: Writer, term: Apply, _flavour: Flavour | None) -> Text:
        left, right = (writer.text(arg).within(ATOM) for arg in term.args)
        return infix(left, sign, right, SETS)

    return rule


def _junction(bullet: str) -> Rule:
    return lambda writer, term, flavour: junction(bullet, [writer.text(arg) for arg in term.args])


def _call(operator: Callable[[Words], str]) -> Rule:
    return lambda writer, term, flavour: surround(f"{operator(writer.words)}(", writer.text(term.args[0]), ")")


def _not(writer: Writer, term: Apply, _flavour: Flavour | None) -> Text:
    inner = writer.text(term.args[0])
    if inner.negated is not None:
        return inner.negated
    return replace(surround("~", inner.within(ATOM), ""), level=RELATION)


def _sub(writer: Writer, term: Apply, _flavour: Flavour | None) -> Text:
    left, right = (writer.text(arg) for arg in term.args)
    return infix(left.within(SUM), "-", right.within(ATOM), SUM)


def _mul(writer: Writer, term: Apply, _flavour: Flavour | None) -> Text:
    left, right = (writer.text(arg).within(ATOM) for arg in term.args)
    return infix(left, "*", right, SUM)


def _division_rule(sign: str, operator: Callable[[Words], str]) -> Rule:
    """By a positive constant TLA+ divides as the model does; else by an operator of the module."""

    def rule(writer: Writer, term: Apply, _flavour: Flavour | None) -> Text:
        left, right = (writer.text(arg) for arg in term.args)
        number = term.args[1].number if isinstance(term.args[1], Constant) else None
        if number is not None and number.parameter is None and number.offset > 0:
            return infix(left.within(ATOM), sign, right.within(ATOM), SUM)
        return surround(f"{operator(writer.words)}({left.flat}, ", right, ")")

    return rule


def _ite(writer: Writer, term: Apply, flavour: Flavour | None) -> Text:
    meant = flavour or writer.flavour(term)
    test, then, otherwise = term.args
    return conditional(writer.text(test), writer.text(then, meant), writer.text(otherwise, meant))


def _has(writer: Writer, term: Apply, _flavour: Flavour | None) -> Text:
    offsets, element = (writer.text(arg) for arg in term.args)
    return infix(element.within(SUM), "\\in", offsets.within(SETS), RELATION, "\\notin")


def _lowest(writer: Writer, term: Apply, _flavour: Flavour | None) -> Text:
    assert term.empty is not None
    size = Number(term.empty.offset + 1, term.empty.parameter, term.empty.sign)
    return surround(f"{writer.words.lowest}(", writer.text(term.args[0]), f", {size.text})")


TLA: dict[Kind, Rule] = complete(
    "the TLA+ export",
    {
        Kind.ADD: lambda writer, term, flavour: writer.add(term, flavour),
        Kind.SUB: _sub,
        Kind.MUL: _mul,
        Kind.DIV: _division_rule("\\div", lambda words: words.quotient),
        Kind.MOD: _division_rule("%", lambda words: words.remainder),
        Kind.EQ: _relation("=", "#"),
        Kind.LE: _relation("<=", ">"),
        Kind.NOT: _not,
        Kind.AND: _junction("/\\"),
        Kind.OR: _junction("\\/"),
        Kind.ITE: _ite,
        Kind.UNION: _set_operator("\\cup"),
        Kind.MEET: _set_operator("\\cap"),
        Kind.MINUS: _set_operator("\\"),
        Kind.SINGLE: lambda writer, term, flavour: surround("{", writer.text(term.args[0]), "}"),
        Kind.HAS: _has,
        Kind.LOWEST: _lowest,
        Kind.HIGHEST: _call(lambda words: words.highest),
        Kind.COUNT: _call(lambda words: "Cardinality"),
    },
)
"""What each kind is in TLA+. Sets are sets of integers, truth values TRUE and FALSE; all else is an integer."""


def with_lets(
    vocabulary: Vocabulary, roots: Sequence[Term], known: Mapping[Term, str], body: Callable[[Writer], Text]
) -> Text:
    """The body, which writes the roots, below definitions of what they share; `known` terms have names already."""
    writer = Writer(vocabulary.words)
    rows: list[Row] = []
    used: Counter[str] = Counter()
    for term in worth_names(tuple(roots), known):
        base = known.get(term, SHARED_NAMES[term.sort])
        used[base] += 1
        name = vocabulary.local(base if used[base] == 1 else f"{base}_{used[base]}", "let")
        rows.append(Row(f"{'    ' if rows else 'LET '}{name} == ", writer.text(term)))
        writer.named[term] = name
    inner = body(writer)
    return stack_rows([*rows, Row("IN  ", inner)]) if rows else inner


def worth_names(roots: tuple[Term, ...], known: Mapping[Term, str]) -> list[Apply]:
    """Terms that are used more than once and are long, or have names already; parts before wholes."""
    order = list(below(roots))
    uses: Counter[Term] = Counter(part for term in order for part in term.parts)
    uses.update(roots)
    size: dict[Term, int] = {}
    for term in order:
        size[term] = 1 + sum(size[part] for part in term.parts)
    return [
        term
        for term in order
        if isinstance(term, Apply) and uses[term] > 1 and (term in known or size[term] >= SIZE_MIN)
    ]
