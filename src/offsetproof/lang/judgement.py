"""What a claim or another function of a model gave on one path, as a node: its truth, its premise, an amount."""

from __future__ import annotations

from collections.abc import Sequence

from offsetproof.ir import build
from offsetproof.ir.in_the_end import InTheEnd
from offsetproof.ir.node import Node
from offsetproof.ir.system import Instance, StagedClaim
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.fair_threads import fair_threads
from offsetproof.lang.model import ModelInstance
from offsetproof.lang.run import PathTree
from offsetproof.lang.sorts import ValueSort, sort_of
from offsetproof.lang.symbolic import SymBool, SymImplication, node_of

Judgement = tuple[Node, object]
"""What a claim gave on a path: its truth as a node, and the value itself."""

NOT_ASKED = object()
"""In place of a claim's truth where it is about states at rest, and this is none."""


def truth_node(value: object, what: str, place: str) -> Node:
    """The truth; DeclarationError for what is neither true nor false."""
    if value is NOT_ASKED:
        return build.TRUE
    if isinstance(value, SymBool):
        return value.node
    if not isinstance(value, bool):
        raise DeclarationError(f"{place}: {what} gave something other than True or False; compare it with a value")
    return build.truth(value)


def judgement_of_state(prop: Property, value: object, what: str, place: str) -> Judgement:
    """What a claim about states gave; of a `leads_to` claim whether it comes, and whether it has to."""
    if prop.kind is not ClaimKind.LEADS_TO:
        return truth_node(value, what, place), value
    if not isinstance(value, tuple) or len(value) != 2:
        raise DeclarationError(
            f"{place}: {what} gave something other than two truths; write return self.asks, self.has"
        )
    after, comes = (truth_node(each, what, place) for each in value)
    return comes, after


def claim_about_states(prop: Property, explored: PathTree[Judgement | None]) -> StagedClaim:
    """A claim from what it says of states: its truth, and where it says something at all."""
    premise = premise_of(explored, quiet=true_means_vacuous(explored))
    is_sought = prop.kind is ClaimKind.SOMETIMES
    return StagedClaim(prop.id, truth_of(explored), premise=build.TRUE if is_sought else premise)


def claim_about_runs(
    prop: Property, explored: PathTree[Judgement | None], grown: ModelInstance, instances: Sequence[Instance]
) -> StagedClaim:
    """A claim about runs from what it says of states: what comes, and after what."""
    is_once = prop.kind is ClaimKind.EVENTUALLY
    after = None if is_once else explored.fold_partial(_after_node)
    in_the_end = InTheEnd(fair_threads(grown, instances), is_once)
    return StagedClaim(prop.id, truth_of(explored), premise=after or build.TRUE, in_the_end=in_the_end)


def _after_node(judged: Judgement | None) -> Node | None:
    node = None if judged is None else judged[1]
    assert node is None or isinstance(node, Node)
    return node


def truth_of(explored: PathTree[Judgement | None]) -> Node:
    """The truth of what was judged, over all paths."""
    return explored.fold_partial(lambda judged: None if judged is None else judged[0]) or build.TRUE


def premise_of(explored: PathTree[Judgement | None], *, quiet: bool) -> Node:
    """Where something is said at all, over all paths; `quiet` as in `true_means_vacuous`."""
    node = explored.fold_partial(lambda judged: None if judged is None else _premise_node(judged[1], quiet=quiet))
    return node or build.TRUE


def true_means_vacuous(*explored: PathTree[Judgement | None]) -> bool:
    """Does a claim's plain True stand for "nothing to say here", as in `if ...: return True`, not for its judgement?

    It is the judgement where the claim says False as plainly, as `all(...)` does, or says nothing else.
    """
    values = [judged[1] for each in explored for _, judged in each.paths if judged is not None]
    says_false = any(value is False for value in values)
    return not says_false and any(isinstance(value, SymBool) for value in values)


JudgedSteps = Sequence[tuple[Instance, PathTree[Judgement | None]]]
"""What a claim says of taking each instance, on every path."""


def steps_spoken_of(judged: JudgedSteps) -> list[Node]:
    """When each instance is taken and a claim does not just say True of it."""
    return [build.both(inst.enabled, premise_of(steps, quiet=True)) for inst, steps in judged]


def claim_about_steps(name: str, judged: JudgedSteps) -> StagedClaim:
    """A claim from what it says of taking each instance.

    Where it says something of some steps only, its premise is that one can be taken which it speaks of and which could
    break it.
    """
    per_step = tuple(truth_of(steps) for _, steps in judged)
    quiet = true_means_vacuous(*(steps for _, steps in judged))
    could_break = [
        (inst.enabled, premise_of(steps, quiet=quiet))
        for (inst, steps), truth in zip(judged, per_step, strict=True)
        if truth is not build.TRUE
    ]
    if all(premise is build.TRUE for _, premise in could_break):
        return StagedClaim(name, per_step=per_step)
    return StagedClaim(name, per_step=per_step, premise=build.disjunction([build.both(*each) for each in could_break]))


def _premise_node(value: object, *, quiet: bool) -> Node:
    """Where a claim says something, on one path: where its implication's condition is true.

    Nowhere if it was not asked, or if it is plainly true and `quiet` says what that means.
    """
    if isinstance(value, SymImplication):
        return value.premise
    return build.truth(value is not NOT_ASKED and not (quiet and value is True))


def amount_node(value: object, what: str, place: str) -> Node:
    """The number, of an offset set how many are in it; DeclarationError for anything else."""
    sort = sort_of(value)
    if sort is ValueSort.OFFSETS:
        return build.count(node_of(value))
    if sort is not ValueSort.NUMBER:
        raise DeclarationError(f"{place}: {what} must be an offset set or a number")
    return node_of(value)
