"""Anti-unification: from one expression per action instance to one term with the action's parameters in it.

The instances of an action are its rows. Where all rows agree in shape, indices and constants that follow a parameter
become it; where they differ in shape, a `Choice` asks which row it is. So every row gets back exactly what it had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from offsetproof.exports.tla.families import Families, Flavour
from offsetproof.exports.tla.parameters import Parameter, Parameters, Rows, only
from offsetproof.exports.tla.terms import Apply, Choice, Constant, Read, Term, below
from offsetproof.ir.build import conjunction, disjunction
from offsetproof.ir.faults import CAP
from offsetproof.ir.kind import LEAVES, Kind, Sort
from offsetproof.ir.node import Node

JUNCTIONS = {Kind.AND: conjunction, Kind.OR: disjunction}
"""The kinds that take any number of terms, with what joins nodes to one."""


class Unifier:
    """Makes terms for the rows of one action. Without parameters there is one row, and terms say what nodes say.

    Where the action's parameters and a bound one are at hand, there is a row for each pair (`within`).
    """

    def __init__(
        self,
        families: Families,
        parameters: Parameters = Parameters(),
        rows: int = 1,
        outer: tuple[Unifier, Sequence[int]] | None = None,
    ) -> None:
        self.families, self.parameters = families, parameters
        self.all: Rows = tuple(range(rows))
        self._outer = outer
        self._done: dict[tuple[tuple[Node, ...], Rows, Flavour | None], Term] = {}

    def within(self, bound: Parameter, origins: Sequence[int]) -> Unifier:
        """Terms with one more parameter: of its rows, row i is row `origins[i]` of these, with a value of `bound`."""
        return Unifier(self.families, self.parameters.within(bound, origins), len(origins), (self, origins))

    def term(self, nodes: Sequence[Node], rows: Rows | None = None, flavour: Flavour | None = None) -> Term:
        """The term that is nodes[i] in row rows[i]; `flavour` is what its integer stands for, if the place tells."""
        rows = self.all if rows is None else rows
        key = (tuple(nodes), rows, flavour)
        if key not in self._done:
            self._done[key] = self._outer_term(key[0], rows, flavour) or self._make_term(key[0], rows, flavour)
        return self._done[key]

    def _outer_term(self, nodes: tuple[Node, ...], rows: Rows, flavour: Flavour | None) -> Term | None:
        """The outer term of nodes that do not depend on the bound parameter."""
        if self._outer is None:
            return None
        outer, origins = self._outer
        unbound: dict[int, Node] = {}
        if any(unbound.setdefault(origins[row], node) is not node for node, row in zip(nodes, rows, strict=True)):
            return None
        return outer.term(list(unbound.values()), tuple(unbound), flavour)

    def mark_of_term(self, marks: Sequence[Mapping[Node, str]]) -> dict[Term, str]:
        """The terms made so far that stand for a marked node in every one of their rows, by the mark."""
        mark_of_term: dict[Term, str] = {}
        for (nodes, rows, _), term in self._done.items():
            names = {marks[row].get(node, "") for node, row in zip(nodes, rows, strict=True)}
            if len(names) == 1 and names != {""}:
                mark_of_term[term] = names.pop()
        return mark_of_term

    def _make_term(self, nodes: tuple[Node, ...], rows: Rows, flavour: Flavour | None) -> Term:
        kinds = {node.kind for node in nodes}
        for kind in JUNCTIONS:
            if kind in kinds and not kinds & (JUNCTIONS.keys() - {kind}):
                made = self._junction(kind, nodes, rows)
                if made is not None:
                    return made
        classes = classes_of(
            rows, lambda positions: self._alike(only(nodes, positions), only(rows, positions), flavour)
        )
        if len(classes) > 1:
            return self._split(classes, nodes, rows, flavour)
        return self._leaf(nodes, rows, flavour) or self._apply_kind(nodes, rows, flavour)

    def _alike(self, nodes: Sequence[Node], rows: Rows, flavour: Flavour | None) -> bool:
        """Can the nodes be one term, their arguments aside?"""
        if len({(node.kind, node.sort) for node in nodes}) > 1:
            return False
        if nodes[0].kind in LEAVES:
            return self._leaf(nodes, rows, flavour) is not None
        return nodes[0].kind is not Kind.LOWEST or self.parameters.number([n.hi for n in nodes], rows) is not None

    def _leaf(self, nodes: Sequence[Node], rows: Rows, flavour: Flavour | None) -> Term | None:
        """The term of constants or of variables of one family; None for anything else."""
        kind, sort = nodes[0].kind, nodes[0].sort
        if kind is Kind.VAR:
            return self._read([node.name for node in nodes], rows)
        if kind is not Kind.CONST:
            return None
        values = [node.value for node in nodes]
        if sort is Sort.SET:
            return self.parameters.offsets(values, rows)
        number = self.parameters.number(values, rows, flavour)
        return None if number is None or (number.parameter and sort is Sort.BOOL) else Constant(number, sort)

    def _read(self, names: Sequence[str], rows: Rows) -> Term | None:
        if CAP in names:
            return Constant(None, Sort.INT) if set(names) == {CAP} else None
        places = [self.families.of[name] for name in names]
        family = places[0][0]
        if any(other is not family for other, _ in places):
            return None
        place = self.parameters.place(family, [index for _, index in places], rows)
        return None if place is None else Read(family, place)

    def _apply_kind(self, nodes: Sequence[Node], rows: Rows, flavour: Flavour | None) -> Term:
        """The nodes' kind on the terms of their arguments; where these ask twice, the question comes first."""
        columns = list(zip(*(node.args for node in nodes), strict=True))
        meant = self._meanings(nodes[0], flavour)
        args = tuple(self.term(column, rows, inner) for column, inner in zip(columns, meant, strict=True))
        choices = [term for term in below(args) if isinstance(term, Choice)]
        if len(choices) > 1:
            inside = [i for i, row in enumerate(rows) if self.parameters.passes(choices[0].test, row)]
            outside = [i for i in range(len(rows)) if i not in inside]
            if inside and outside:
                return self._split([inside, outside], nodes, rows, flavour)
        empty = self.parameters.number([n.hi for n in nodes], rows) if nodes[0].kind is Kind.LOWEST else None
        return Apply(nodes[0].kind, args, nodes[0].sort, empty)

    def _meanings(self, node: Node, flavour: Flavour | None) -> list[Flavour | None]:
        """What the arguments of a node stand for, as far as the node or its other arguments tell."""
        if node.kind is Kind.ITE:
            return [None, flavour, flavour]
        if node.kind in (Kind.EQ, Kind.LE):
            return [self._told_by(arg) for arg in reversed(node.args)]
        return [None for _ in node.args]

    def _told_by(self, node: Node) -> Flavour | None:
        while node.kind is Kind.ITE:
            node = node.args[1]
        return self.families.of[node.name][0].flavour if node.kind is Kind.VAR and node.name != CAP else None

    def _junction(self, kind: Kind, nodes: Sequence[Node], rows: Rows) -> Term | None:
        """A conjunction or disjunction: what the rows share at both ends stays, what is between is a choice."""
        chains = [chain(kind, node) for node in nodes]
        if len({len(parts) for parts in chains}) == 1:
            whole = [self._join_chains(kind, parts, rows) for parts in (chains, self._reorder(chains, rows))]
            return min(whole, key=questions)
        shortest = min(map(len, chains))
        head = self._shared_terms(chains, rows, range(shortest))
        tail = self._shared_terms(chains, rows, range(-1, len(head) - shortest - 1, -1))[::-1]
        if not head and not tail:
            return None
        between = [JUNCTIONS[kind](parts[len(head) : len(parts) - len(tail)]) for parts in chains]
        return Apply(kind, (*head, self.term(between, rows), *tail), Sort.BOOL)

    def _join_chains(self, kind: Kind, chains: Sequence[Sequence[Node]], rows: Rows) -> Term:
        return Apply(kind, tuple(self.term(column, rows) for column in zip(*chains, strict=True)), Sort.BOOL)

    def _reorder(self, chains: Sequence[list[Node]], rows: Rows) -> list[list[Node]]:
        """The chains with each row's parts put where the first row has a part like it; the others fill the gaps."""
        ordered = [chains[0]]
        for row, parts in zip(rows[1:], chains[1:], strict=True):
            left, reordered = list(parts), []
            for model in chains[0]:
                like = next((p for p in left if not questions(self.term([model, p], (rows[0], row)))), None)
                reordered.append(like)
                if like is not None:
                    left.remove(like)
            ordered.append([part or left.pop(0) for part in reordered])
        return ordered

    def _shared_terms(self, chains: Sequence[list[Node]], rows: Rows, places: Iterable[int]) -> list[Term]:
        """The terms of these places, up to the first that needs a choice."""
        shared: list[Term] = []
        for i in places:
            term = self.term([parts[i] for parts in chains], rows)
            if questions(term):
                break
            shared.append(term)
        return shared

    def _split(self, classes: list[list[int]], nodes: Sequence[Node], rows: Rows, flavour: Flavour | None) -> Term:
        return self.choice(
            classes, rows, lambda positions: self.term(only(nodes, positions), only(rows, positions), flavour)
        )

    def choice(self, classes: Sequence[list[int]], rows: Rows, make: Callable[[Sequence[int]], Term]) -> Term:
        """A chain of choices between classes of places in `rows`, the largest class last."""
        ordered = sorted(classes, key=len)
        rest = list(ordered.pop())
        result = make(rest)
        for chosen in reversed(ordered):
            test = self.parameters.test(only(rows, chosen), only(rows, rest))
            result = Choice(test, make(chosen), result)
            rest += chosen
        return result


def chain(kind: Kind, node: Node) -> list[Node]:
    """The members of nested nodes of one kind, in order, each once."""
    links, stack = [], [node]
    while stack:
        top = stack.pop()
        if top.kind is kind:
            stack.extend(reversed(top.args))
        else:
            links.append(top)
    return list(dict.fromkeys(links))


def questions(term: Term) -> int:
    """How many questions a term asks."""
    return sum(isinstance(part, Choice) for part in below((term,)))


def classes_of(rows: Rows, fits: Callable[[Sequence[int]], bool]) -> list[list[int]]:
    """The places of `rows` in as many classes as it takes for each class to fit."""
    if fits(range(len(rows))):
        return [list(range(len(rows)))]
    classes: list[list[int]] = []
    for i in range(len(rows)):
        home = next((members for members in classes if fits([*members, i])), None)
        if home is None:
            classes.append([i])
        else:
            home.append(i)
    return classes
