"""Fairness: which threads of a model go on in the end, for claims about whole runs.

It is said of actors and threads where their actions are declared (`fair=`), never of a claim. Threads are weakly fair
where nothing else is said; faults, and what is `Outside`, are not fair: what may never happen, must not have to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from offsetproof.ir.build import FALSE, disjunction
from offsetproof.ir.faults import SPENT
from offsetproof.ir.in_the_end import FairThread
from offsetproof.ir.node import Node
from offsetproof.ir.rewrite import substitute
from offsetproof.ir.system import Instance, Label, State, show_label
from offsetproof.lang.action import Action
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.fairness import Fairness
from offsetproof.lang.model import ModelInstance


@dataclass(frozen=True)
class ThreadOfActor:
    """One thread of one actor of a setting, how fair runs are to it, and its steps.

    `of` says which it is, of those with this name: the parameters that its declaration has, or of a pool the step.
    """

    actor: str
    thread: str
    of: str
    fair: Fairness
    labels: tuple[Label, ...]

    @property
    def name(self) -> str:
        """The thread as people write it: `consumer[0], pull (c=0, pq_id=1)`."""
        return f"{self.actor}, {self.thread}" + (f" ({self.of})" if self.of else "")


def threads_of(grown: ModelInstance) -> tuple[ThreadOfActor, ...]:
    """The threads that runs are fair to, in the order of their first actions.

    DeclarationError where two actions of one thread say it differently.
    """
    labels: dict[tuple[str, str, str], list[Label]] = {}
    first: dict[tuple[str, str], Action] = {}
    for label, (action, _) in grown.instances.items():
        if action.fault is None:
            named = (grown.actor(label), action.thread)
            _refuse_two_kinds(first.setdefault(named, action), action)
            labels.setdefault((*named, _which(action, label)), []).append(label)
    return tuple(
        ThreadOfActor(actor, thread, of, first[actor, thread].fair, tuple(steps))
        for (actor, thread, of), steps in labels.items()
        if first[actor, thread].fair is not Fairness.NONE
    )


def _which(action: Action, label: Label) -> str:
    """Which of an actor's threads of one name takes an instance."""
    if action.fair is Fairness.EACH:
        return show_label(label)
    same = () if action.record is None else action.record.same
    return ", ".join(f"{name}={value}" for name, value in label[1] if name in same)


def _refuse_two_kinds(one: Action, other: Action) -> None:
    if one.fair is not other.fair:
        said = f"{other.name} is fair={other.fair!r} and {one.name} is fair={one.fair!r} ({one.place})"
        raise DeclarationError(
            f"{other.place}: {said}, but both are steps of thread {one.thread} of {one.actor}; "
            "say the same of both, or give one another thread="
        )


def fair_threads(grown: ModelInstance, instances: Sequence[Instance]) -> tuple[FairThread, ...]:
    """The same threads as engines know them, by the staged instances."""
    staged = {inst.label: inst for inst in instances}
    variables = {leaf.path: leaf.variable for leaf in grown.tree.leaves}
    full = {variables[path].node: variables[path].constant(value) for path, value in _budgets(grown).items()}
    return tuple(
        FairThread(
            each.name,
            each.fair is not Fairness.WEAK,
            frozenset(each.labels),
            disjunction([_node_of_blocked(staged[label], full) for label in each.labels if label in staged]),
        )
        for each in threads_of(grown)
    )


def _node_of_blocked(inst: Instance, full: dict[Node, Node]) -> Node:
    """Where the scope, or an error of the model, alone keeps an instance from being taken."""
    tried = disjunction([*inst.guards])
    with_budgets = substitute([tried], full)[0]
    spent = FALSE if with_budgets is tried else with_budgets
    return disjunction([inst.cut, spent, *(failure.condition for failure in inst.failures)])


def with_full_budgets(grown: ModelInstance, state: State) -> State:
    """The state as if no bound had been spent: the fields that count down from one are at it."""
    full = _budgets(grown)
    return tuple(full.get(leaf.path, value) for leaf, value in zip(grown.tree.leaves, state, strict=True))


def _budgets(grown: ModelInstance) -> dict[str, int]:
    """The fields that count down what the scope grants, with what they start at; not those of faults."""
    leaves = (leaf for leaf in grown.tree.leaves if leaf.budget and not leaf.path.startswith(SPENT))
    return {leaf.path: max(leaf.initial) for leaf in leaves}
