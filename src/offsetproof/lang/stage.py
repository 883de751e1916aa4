"""Staging: from a model's Python to a transition system, by running every path of every action once.

Each instance becomes a guard and simultaneous updates, if-then-else expressions over its paths. What the concrete run
would raise becomes a failure with its condition; what only a bound forbids becomes a cut.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property, partial
from typing import TypeVar

from offsetproof.ir import build
from offsetproof.ir.constants import constants
from offsetproof.ir.kind import TooWideError
from offsetproof.ir.node import Node
from offsetproof.ir.rewrite import simplify
from offsetproof.ir.system import (
    Correlation,
    Failure,
    Instance,
    Label,
    Lifetime,
    StagedClaim,
    State,
    System,
    show_label,
)
from offsetproof.lang.again import FLOOR, Again
from offsetproof.lang.behaviours import refuse_other_behaviours
from offsetproof.lang.changes import model_in
from offsetproof.lang.claim import ClaimKind, Property, Step
from offsetproof.lang.component import Component, components_in, positions_in
from offsetproof.lang.damage import Amount
from offsetproof.lang.domain import Lowered
from offsetproof.lang.errors import DeclarationError, RefusedError, place_of, raised_place
from offsetproof.lang.ghosts import refuse_read_ghosts
from offsetproof.lang.judgement import (
    NOT_ASKED,
    Judgement,
    amount_node,
    claim_about_runs,
    claim_about_states,
    claim_about_steps,
    judgement_of_state,
    steps_spoken_of,
    truth_node,
    truth_of,
)
from offsetproof.lang.model import Model, ModelInstance
from offsetproof.lang.path_ends import PathEnd, failures_of, is_inside, judge_domain, merge_ends
from offsetproof.lang.reading import reading_of
from offsetproof.lang.run import Disabled, Impossible, Path, Paths, PathTree, Run, explore, running
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.setting import Behaviour, Setting, collect_behaviours
from offsetproof.lang.staged_before import StagedBefore
from offsetproof.lang.tree import Leaf, Unread
from offsetproof.raised import text_of

Outcome = TypeVar("Outcome")


class Staged:
    """A model in one setting as a transition system; claims are staged on demand.

    Raises RefusedError for code that cannot be staged and DeclarationError for a ghost field that something real reads.
    Without `asks_long` code is asked again for a share of the time alone (`Again`); `only` are the actions to stage,
    where it is not all, and `before` has instances that need not be staged again. `asked_for` are all behaviours that
    were asked for, `asked_by_code` those by more than classes.
    """

    def __init__(
        self,
        model: type[Model],
        setting: Setting,
        *,
        asks_long: bool = True,
        only: Collection[str] | None = None,
        before: StagedBefore | None = None,
    ) -> None:
        self.model, self.setting = model, setting
        self.asked_for: set[Behaviour] = set()
        self.asked_by_code: set[Behaviour] = set()
        with collect_behaviours(self.asked_for):
            self._stage(FLOOR if asks_long else 0.0, only, before)

    def _stage(self, floor: float, only: Collection[str] | None, before: StagedBefore | None) -> None:
        model, setting = self.model, self.setting
        here = model_in(setting, model)
        self._reading = reading_of(here)
        self._reading.know(setting.scope)
        self._reading.read(here.initially)
        self._grown, self._after = ModelInstance(model, setting), ModelInstance(model, setting)
        self.actions = here.actions
        self._again = Again(self._grown, self._after, floor=floor)
        self.variables = tuple(leaf.variable for leaf in self._grown.tree.leaves)
        self.ways: dict[tuple[str, Label | None], Paths] = {}
        self._spoken_of: dict[str, list[Node]] = {}
        self._claims: dict[Property, StagedClaim] = {}
        self._has_run_more = False  # than the instances, whatever of it has raised
        self._before = None if before is None else before.among(self._grown)
        labels = [label for label in self._grown.instances if only is None or label[0] in only]
        with collect_behaviours(self.asked_by_code):
            staged = [self._staged_instance(label) for label in labels]
        self.instances = tuple(inst for inst in staged if any(g is not build.FALSE for g in inst.guards))
        self._again.run_instances()
        self._reading.must_be_unchanged()
        refuse_other_behaviours(model, self.asked_for)
        refuse_read_ghosts(self.variables, self.instances, self._places)

    @cached_property
    def _places(self) -> dict[str, str]:
        """Where each action is, asked once."""
        return {name: action.place for name, action in self.actions.items()}

    @property
    def model_class(self) -> type[Model]:
        """The model with what the setting changes in it."""
        return self._grown.model

    @property
    def correlated(self) -> Correlation | None:
        """Which variables do not start independently of each other."""
        return self._grown.correlated

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that code of the model or of a claim names."""
        return frozenset(self._reading.attributes)

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The fields that the variables stand for, with their domains, in the same order."""
        return tuple(self._grown.tree.leaves)

    @cached_property
    def _nodes(self) -> list[Unread]:
        return [Unread(variable.node) for variable in self.variables]

    def system(self, properties: Sequence[Property]) -> System:
        """The system with the given claims on it, in their order; each is staged once, however often it is asked."""
        with collect_behaviours(self.asked_for), collect_behaviours(self.asked_by_code):
            claims, lifetimes = tuple(self._claim(prop) for prop in properties), self._lifetimes
        if self._has_run_more:
            self._reading.must_be_unchanged()
            self._has_run_more = False
        return System(self.variables, self.instances, claims, lifetimes, self._grown.correlated)

    @cached_property
    def _lifetimes(self) -> tuple[Lifetime, ...]:
        leaves = self._grown.tree.leaves
        return tuple(
            Lifetime(
                part._path,
                self._finished_condition(part),
                tuple(leaves[position].path for position in positions_in(part)),
            )
            for part in components_in(self._grown.root)
            if type(part).finished is not Component.finished
        )

    def _finished_condition(self, part: Component) -> Node:
        what = f"{type(part).__name__}.finished()"
        self._has_run_more = True
        self._reading.read(type(part).finished)

        def judge() -> object:
            self._grown.tree.load_nodes(self._nodes)
            return part.finished()

        place = place_of(type(part).finished)
        return self._node(what, place, lambda: truth_node(judge(), what, place))

    def amount(self, function: Amount) -> Node:
        """The number that a function of the model computes on every state (of an offset set: how many are in it)."""
        self._reading.read(function)

        def judge() -> object:
            self._grown.tree.load_nodes(self._nodes)
            return function(self._grown.root)

        place = place_of(function)
        with collect_behaviours(self.asked_for), collect_behaviours(self.asked_by_code):
            return self._node("an amount", place, lambda: amount_node(judge(), "an amount", place))

    @property
    def paths(self) -> int:
        """How many paths all instances have."""
        return sum(len(ways) for (claim, _), ways in self.ways.items() if not claim)

    @cached_property
    def constants(self) -> dict[Node, Node]:
        """The variables that no step can ever move, with their values."""
        return constants(System(self.variables, self.instances))

    @cached_property
    def impossible_actions(self) -> frozenset[str]:
        """Actions none of whose instances can ever be taken in this setting, because their guards fold to false."""
        possible = (
            inst.label[0]
            for inst in self.instances
            if any(guard is not build.FALSE for guard in simplify(inst.guards, self.constants))
        )
        return frozenset(self.actions).difference(possible)

    def _staged_instance(self, label: Label) -> Instance:
        """The instance: one that was staged before, or one that is staged now."""
        stage = partial(self._again.stage, show_label(label), partial(self._instance, label))
        if self._before is None:
            return stage()
        instance, self.ways["", label] = self._before.stage(label, lambda: (stage(), self.ways["", label]))
        return instance

    def _instance(self, label: Label) -> Instance:
        action, _ = self._grown.instances[label]
        explored = explore(lambda path: self._run(label, path), f"{self._places[action.name]} ({show_label(label)})")
        self.ways["", label] = explored.ways
        touched = sorted({position for _, end in explored.paths for position in end.values or ()})
        failures = [*failures_of(explored), *self._left_domains(explored, touched)]
        going = explored.fold(lambda end: build.truth(end.values is not None), build.ite)
        failing = build.disjunction([failure.condition for failure in failures])
        updates = {}
        for position in touched:
            variable = self.variables[position]
            node = merge_ends(explored, position, variable.node)
            if node is not variable.node:
                updates[variable.name] = node
        return Instance(
            label,
            build.both(going, build.negate(failing)),
            updates,
            explored.fold(lambda end: build.truth(end.cut), build.ite),
            tuple(failures),
            self._grown.actor(label),
            action.fault,
        )

    def _run(self, label: Label, path: Path) -> PathEnd:
        self._grown.tree.load_nodes(self._nodes)
        try:
            self._grown.take(label)
            values = None if path.cut else self._values_on(path)
        except Disabled:
            return PathEnd()
        except _NO_ERROR_OF_ITS_OWN:
            raise
        except (Exception, SystemExit) as error:
            _refuse_symbolic(error)
            place = raised_place(error, self._grown.instances[label][0].place)
            return (
                PathEnd(cut=True) if path.cut else PathEnd(error=f"{text_of(error)} ({type(error).__name__}, {place})")
            )
        return PathEnd(cut=True) if values is None else PathEnd(values=values)

    def _values_on(self, path: Path) -> dict[int, Lowered]:
        """What a path that has come to its end put into fields."""
        lowered = self._grown.tree.lower_changed(self._nodes)
        return {
            position: value if value.inside is build.TRUE else judge_domain(path, value)
            for position, value in lowered.items()
        }

    def _left_domains(self, explored: PathTree[PathEnd], touched: Sequence[int]) -> list[Failure]:
        failures = []
        for position in touched:
            insides = [is_inside(end, position) for _, end in explored.paths]
            if any(inside is not build.TRUE for inside in insides):
                leaf = self._grown.tree.leaves[position]
                outside = explored.fold(lambda end, at=position: build.negate(is_inside(end, at)), build.ite)  # type: ignore[misc]  # default argument binds the loop variable
                failures.append(Failure(outside, f"field {leaf.path} leaves its domain, {leaf.domain.describe()}"))
        return [failure for failure in failures if failure.condition is not build.FALSE]

    def _claim(self, prop: Property) -> StagedClaim:
        if prop not in self._claims:
            self._has_run_more = True
            self._claims[prop] = self._again.stage(f"claim {prop.id}", lambda: self._stage_claim(prop))
            if self._claims[prop].on_state is not None:
                self._again.run(self._again.states, partial(self._answer_on, prop), lambda _: f"claim {prop.id}")
        return self._claims[prop]

    def _stage_claim(self, prop: Property) -> StagedClaim:
        if prop.kind is ClaimKind.NO_DEADLOCK:
            return StagedClaim(prop.id, deadlock=True)
        self._reading.read(prop.function)
        if prop.kind is ClaimKind.AT_REST:
            self._reading.read(self._grown.model.rest)
        if prop.kind is ClaimKind.EACH_STEP:
            judged = [(inst, self._judge_step(prop, inst)) for inst in self.instances]
            self._spoken_of[prop.id] = steps_spoken_of(judged)
            return claim_about_steps(prop.id, judged)
        return self._state_claim(prop)

    def _state_claim(self, prop: Property) -> StagedClaim:
        """A claim about states, or what comes in the end of runs."""
        what, place = f"claim {prop.id}", f"{prop.place} ({prop.name})"

        def judge() -> Judgement:
            value = self._state_truth(prop)
            return judgement_of_state(prop, value, what, place)

        explored = self._explore(what, place, judge)
        self.ways[prop.id, None] = explored.ways
        if prop.kind.is_about_runs:
            return claim_about_runs(prop, explored, self._grown, self.instances)
        return claim_about_states(prop, explored)

    def _answer_on(self, prop: Property, state: State) -> str:
        """What a claim says of a state, by the model's own Python."""
        self._grown.tree.load(state)
        with running(Run(judging=f"claim {prop.id}")):
            try:
                return str(self._truth(prop))
            except Exception as error:
                return text_of(error)

    def _state_truth(self, prop: Property) -> object:
        self._grown.tree.load_nodes(self._nodes)
        return self._truth(prop)

    def _truth(self, prop: Property) -> object:
        root = self._grown.root
        if prop.kind is ClaimKind.AT_REST and not root.rest():
            return NOT_ASKED
        return prop.function(root)

    def step_claim(self, prop: Property, inst: Instance) -> Node:
        """When an instance, as it is or changed, does not break an `each_step` claim; over the state before it."""
        return truth_of(self._judge_step(prop, inst))

    def _judge_step(self, prop: Property, inst: Instance) -> PathTree[Judgement | None]:
        args = self._grown.instances[inst.label][1]
        what, place = f"claim {prop.id}", f"{prop.place} ({prop.name})"
        names = [variable.name for variable in self.variables]
        after = [
            Unread(inst.updates[name]) if name in inst.updates else node
            for name, node in zip(names, self._nodes, strict=True)
        ]

        def judge() -> Judgement:
            self._grown.tree.load_nodes(self._nodes)
            self._after.tree.load_nodes(after)
            value = prop.function(self._grown.root, self._after.root, Step(inst.label[0], args))
            return truth_node(value, what, place), value

        explored = self._explore(what, place, judge)
        self.ways[prop.id, inst.label] = explored.ways
        return explored

    def can_step(self, prop: Property) -> bool:
        """Can any step be taken of which an `each_step` claim that was staged does not just say True?"""
        return any(node is not build.FALSE for node in simplify(self._spoken_of.get(prop.id, ()), self.constants))

    def _node(self, what: str, place: str, judge: Callable[[], Node]) -> Node:
        """The node of what a step claim, `finished` or an amount computes."""
        staged = self._again.stage(what, lambda: self._explore(what, place, judge).fold_partial(lambda end: end))
        return staged or build.TRUE

    def _explore(self, what: str, place: str, judge: Callable[[], Outcome]) -> PathTree[Outcome | None]:
        """All paths of code that must have a value on every state; None for paths that no state takes."""

        def run(_path: Path) -> Outcome | None:
            try:
                return judge()
            except Impossible:
                return None
            except _NO_ERROR_OF_ITS_OWN:
                raise
            except (Exception, SystemExit) as error:
                _refuse_symbolic(error)
                way_out = "; give it a value everywhere, for example with a default"
                raise DeclarationError(
                    f"{raised_place(error, place)}: {what} raises {type(error).__name__} on some states: "
                    f"{text_of(error)}{'' if isinstance(error, _MISTAKES) else way_out}"
                ) from error

        return explore(run, place, what)


_NO_ERROR_OF_ITS_OWN = (RefusedError, DeclarationError, UnknownNameError, TooWideError, RecursionError)
"""What says that the model cannot be staged, and is not something that happens in it."""

_MISTAKES = (TypeError, AttributeError, NameError)
"""What no other value of a field would prevent."""


def _refuse_symbolic(error: BaseException) -> None:
    """A TypeError that a symbolic value caused is a refusal: a real value may well do it (but not None)."""
    if not isinstance(error, TypeError) or "Sym" not in str(error) or "NoneType" in str(error):
        return
    if str(error).startswith("unhashable type"):
        raise RefusedError(
            "a field's value as a member of a Python set or a key of a dict",
            "use OffsetSet, an array, or compare the values one by one",
            raised_place(error),
        ) from error
    raise RefusedError(
        f"an operation that symbolic values do not have ({error})",
        "use + and -, comparisons, &, |, choose, and the operations of OffsetSet",
        raised_place(error),
    ) from error
