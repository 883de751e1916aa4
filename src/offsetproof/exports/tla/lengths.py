"""How long a term is, in words, and which parameters it speaks of: what decides between forms that say the same."""

from __future__ import annotations

from collections.abc import Iterator

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


def words_in(root: Term) -> int:
    """How many names, numbers and signs a term has when nothing in it is given a name."""
    known: dict[Term, int] = {}
    for term in below((root,)):
        own = _own_words(term)
        known[term] = own + sum(known[part] for part in term.parts)
    return known[root]


def _own_words(term: Term) -> int:
    """The words of a term beside those of its parts."""
    if isinstance(term, Apply):
        return max(1, len(term.args) - 1)
    if isinstance(term, Choice):
        question = term.test
        return 3 + (3 if isinstance(question, Comparison) else 2 + len(question.values) * len(question.parameters))
    if isinstance(term, Function):
        return 3 if term.keys is not None else 4 + _words_of(term.place)
    if isinstance(term, Except):
        own = 1 + _words_of(term.place)
        if any(place for place, _ in term.changes):
            return own + 1 + sum(2 + _words_of(place) for place, _ in term.changes)
        return 0 if term.changes else own
    if isinstance(term, Read):
        return 1 + _words_of(term.index)
    return 1


def _words_of(place: Place) -> int:
    return sum(1 if isinstance(part, str) or part.is_simple else 3 for part in place)


def parameters_in(root: Term) -> set[str]:
    """The names of the parameters that a term speaks of, what is bound in it included."""
    return {name for term in below((root,)) for name in _named(term)}


def asked_in(question: Question) -> tuple[str, ...]:
    """The names of the parameters that a question is about."""
    if isinstance(question, Comparison):
        return question.first, question.second
    return question.parameters


def _named(term: Term) -> Iterator[str]:
    """The names in a term beside those in its parts."""
    if isinstance(term, Choice):
        yield from asked_in(term.test)
    for part in _numbers(term):
        if isinstance(part, Number) and part.parameter is not None:
            yield part.parameter


def _numbers(term: Term) -> Iterator[Number | str | None]:
    if isinstance(term, Read):
        yield from term.index
    if isinstance(term, Constant):
        yield term.number
    if isinstance(term, Offsets):
        yield from (term.only, term.but, term.below)
    if isinstance(term, Apply):
        yield term.empty
    if isinstance(term, Function):
        yield from term.place
    if isinstance(term, Except):
        yield from term.place
        yield from (part for place, _ in term.changes for part in place)
