"""Staging: from a model's Python to a transition system, by running every path of every action once.

Each instance becomes a guard and simultaneous updates, if-then-else expressions over its paths. What the concrete run
would raise becomes a failure with its condition; what only a bound forbids becomes a cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from offsetproof.ir import build
from offsetproof.ir.node import Node, variables
from offsetproof.ir.system import Claim, Failure, Instance, Label, Lifetime, System, show_label
from offsetproof.lang.claim import ClaimKind, Property, Step
from offsetproof.lang.component import Component
from offsetproof.lang.damage import Amount
from offsetproof.lang.domain import Lowered
from offsetproof.lang.errors import DeclarationError, RefusedError, place_of, raised_place
from offsetproof.lang.lint import check_function, check_sources
from offsetproof.lang.model import Grown, Model
from offsetproof.lang.offsets import OffsetSet, SymSet, _set_node
from offsetproof.lang.run import Disabled, Explored, Impossible, Path, explore
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.setting import Setting
from offsetproof.lang.symbolic import SymBool, SymInt, node_of
from offsetproof.lang.tree import Leaf


@dataclass(frozen=True)
class _Ended:
    """How one path of an action ended: with values, disabled, cut, or with an exception."""

    values: tuple[Lowered, ...] | None = None
    cut: bool = False
    error: str | None = None


class Staged:
    """A model in one setting as a transition system; claims are staged on demand.

    Raises RefusedError for code that cannot be staged and DeclarationError for a ghost field that something real reads.
    """

    def __init__(self, model: type[Model], setting: Setting) -> None:
        self.model, self.setting = model, setting
        self._grown, self._after = Grown(model, setting), Grown(model, setting)
        kinds: dict[type, None] = dict.fromkeys(type(part) for part in self._grown.root.parts())
        for kind in kinds:
            check_sources(kind)
        self.variables = tuple(leaf.variable for leaf in self._grown.tree.leaves)
        self.paths = 0
        self.instances = tuple(
            inst
            for inst in map(self._instance, self._grown.instances)
            if any(g is not build.FALSE for g in inst.guards)
        )
        self._refuse_read_ghosts()

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The fields that the variables stand for, with their domains, in the same order."""
        return tuple(self._grown.tree.leaves)

    @cached_property
    def _nodes(self) -> list[Node]:
        return [variable.node for variable in self.variables]

    def system(self, properties: Sequence[Property]) -> System:
        """The system with the given claims on it, in their order."""
        claims = tuple(self._claim(prop) for prop in properties)
        return System(self.variables, self.instances, claims, self._lifetimes)

    @cached_property
    def _lifetimes(self) -> tuple[Lifetime, ...]:
        leaves = self._grown.tree.leaves
        return tuple(
            Lifetime(part._path, self._finished(part), tuple(leaves[at].path for at in part.positions()))
            for part in self._grown.root.parts()
            if type(part).finished is not Component.finished
        )

    def _finished(self, part: Component) -> Node:
        what = f"{type(part).__name__}.finished()"

        def judge() -> object:
            self._grown.tree.load_nodes(self._nodes)
            return part.finished()

        return self._explored(what, place_of(type(part).finished), judge, _truth_node)

    def amount(self, function: Amount) -> Node:
        """The number that a function of the model computes on every state (of an offset set: how many are in it)."""

        def judge() -> object:
            self._grown.tree.load_nodes(self._nodes)
            return function(self._grown.root)

        return self._explored("an amount", place_of(function), judge, _amount_node)

    @property
    def idle_actions(self) -> frozenset[str]:
        """Actions none of whose instances can ever be taken in this setting: their guards fold to false."""
        return frozenset(self.model.actions) - {inst.label[0] for inst in self.instances}

    def _instance(self, label: Label) -> Instance:
        action, _ = self._grown.instances[label]
        explored = explore(lambda path: self._run(label, path), f"{action.place} ({show_label(label)})")
        self.paths += len(explored.paths)
        failures = [*_raised(explored), *self._left_domains(explored)]
        going = explored.fold(lambda end: build.truth(end.values is not None), build.ite)
        failing = build.disjunction([failure.condition for failure in failures])
        updates = {}
        for at, variable in enumerate(self.variables):
            node = _merged(explored, at)
            if node is not None and node is not variable.node:
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

    def _run(self, label: Label, path: Path) -> _Ended:
        self._grown.tree.load_nodes(self._nodes)
        try:
            self._grown.take(label)
            values = None if path.cut else tuple(self._judged(path, v) for v in self._grown.tree.lowered())
        except Disabled:
            return _Ended()
        except (RefusedError, DeclarationError, UnknownNameError):
            raise
        except Exception as error:
            _refuse_symbolic(error)
            place = raised_place(error, self._grown.instances[label][0].place)
            return _Ended(cut=True) if path.cut else _Ended(error=f"{error} ({type(error).__name__}, {place})")
        return _Ended(cut=True) if values is None else _Ended(values=values)

    def _judged(self, path: Path, value: Lowered) -> Lowered:
        certain = value.inside is build.TRUE or path.certain(value.inside)
        return replace(value, inside=build.TRUE) if certain else value

    def _left_domains(self, explored: Explored[_Ended]) -> list[Failure]:
        failures = []
        for at, leaf in enumerate(self._grown.tree.leaves):
            if any(end.values is not None and end.values[at].inside is not build.TRUE for _, end in explored.paths):
                outside = explored.fold(
                    lambda end, at=at: build.FALSE if end.values is None else build.negate(end.values[at].inside),  # type: ignore[misc]  # default argument binds the loop variable
                    build.ite,
                )
                failures.append(Failure(outside, f"field {leaf.path} leaves its domain, {leaf.domain.describe()}"))
        return [failure for failure in failures if failure.condition is not build.FALSE]

    def _refuse_read_ghosts(self) -> None:
        ghosts = {variable.name for variable in self.variables if variable.ghost}
        for inst in self.instances:
            place = self._grown.instances[inst.label][0].place
            for failure in inst.failures:
                read = variables([failure.condition]) & ghosts
                if read:
                    raise DeclarationError(
                        f"{place}: {inst.name} may go wrong because of ghost field {min(read)} ({failure.message}); "
                        "widen its domain, or keep it inside with smaller() and larger()"
                    )
            real = [node for name, node in inst.updates.items() if name not in ghosts]
            read = variables([*inst.guards, *real]) & ghosts
            if read:
                raise DeclarationError(
                    f"{place}: {inst.name} lets ghost field {min(read)} decide what really happens; ghosts are for "
                    "claims only, declare it without ghost_ if the system knows it"
                )

    def _claim(self, prop: Property) -> Claim:
        if prop.kind is ClaimKind.NO_DEADLOCK:
            return Claim(prop.id, deadlock=True)
        check_function(prop.function)
        if prop.kind is ClaimKind.EACH_STEP:
            return Claim(prop.id, per_step=tuple(self.step_claim(prop, inst) for inst in self.instances))
        return Claim(prop.id, on_state=self._truth(prop, lambda: self._state_truth(prop)))

    def _state_truth(self, prop: Property) -> object:
        self._grown.tree.load_nodes(self._nodes)
        root = self._grown.root
        if prop.kind is ClaimKind.AT_REST and not root.rest():
            return True
        return prop.function(root)

    def step_claim(self, prop: Property, inst: Instance) -> Node:
        """When an instance, as it is or changed, does not break an `each_step` claim; over the state before it."""
        args = self._grown.instances[inst.label][1]

        def judge() -> object:
            self._grown.tree.load_nodes(self._nodes)
            self._after.tree.load_nodes([inst.updates.get(v.name, v.node) for v in self.variables])
            return prop.function(self._grown.root, self._after.root, Step(inst.label[0], args))

        return self._truth(prop, judge)

    def _truth(self, prop: Property, judge: Callable[[], object]) -> Node:
        return self._explored(f"claim {prop.id}", f"{prop.place} ({prop.name})", judge, _truth_node)

    def _explored(
        self, what: str, place: str, judge: Callable[[], object], node_of: Callable[[object, str, str], Node]
    ) -> Node:
        """The node of what a claim, `finished` or an amount computes; it must have a value on every state."""

        def run(_path: Path) -> Node | None:
            try:
                return node_of(judge(), what, place)
            except Impossible:
                return None
            except Disabled:
                raise DeclarationError(
                    f"{place}: {what} calls require or bound; they guard actions, a claim says implies(condition, ...)"
                ) from None
            except (RefusedError, DeclarationError, UnknownNameError):
                raise
            except Exception as error:
                _refuse_symbolic(error)
                wanted = "true or false" if node_of is _truth_node else "a number"
                raise DeclarationError(
                    f"{raised_place(error, place)}: {what} raises {type(error).__name__} on some states: {error}; "
                    f"make it {wanted} everywhere, for example with a default"
                ) from error

        return explore(run, place).fold_partial(lambda end: end) or build.TRUE


def _truth_node(value: object, what: str, place: str) -> Node:
    if isinstance(value, SymBool):
        return value.node
    if not isinstance(value, bool):
        raise DeclarationError(f"{place}: {what} gave something other than True or False; compare it with a value")
    return build.truth(value)


def _amount_node(value: object, what: str, place: str) -> Node:
    if isinstance(value, OffsetSet | SymSet):
        return build.count(_set_node(value))
    if not isinstance(value, int | SymInt):
        raise DeclarationError(f"{place}: {what} must be an offset set or a number")
    return build.as_int(node_of(value))


def _raised(explored: Explored[_Ended]) -> list[Failure]:
    messages = dict.fromkeys(end.error for _, end in explored.paths if end.error is not None)
    return [
        Failure(explored.fold(lambda end, m=message: build.truth(end.error == m), build.ite), message)  # type: ignore[misc]  # default argument binds the loop variable
        for message in messages
    ]


def _merged(explored: Explored[_Ended], at: int) -> Node | None:
    return explored.fold_partial(lambda end: None if end.values is None else end.values[at].node)


def _refuse_symbolic(error: Exception) -> None:
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
