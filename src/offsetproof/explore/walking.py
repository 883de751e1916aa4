"""A model walked by hand, by the reference semantics: where a walk leads, what can be done there, what that breaks.

A walker keeps nothing of who walks: it is asked with a whole walk, by the names of its steps. So going back,
branching and jumping along a recorded trace are walks like any other, and several people can use one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import takewhile
from math import prod

from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.ir.faults import SPENT
from offsetproof.ir.system import Label, State, show_label
from offsetproof.lang.claim import WALK, ClaimKind, Property, one_of_each
from offsetproof.lang.errors import DeclarationError, ModelError, RefusedError
from offsetproof.lang.picture import QueueRow
from offsetproof.lang.reference import NotTaken, Reference, Replay
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.traces.reads import budget_fields
from offsetproof.traces.trace import Trace, Value, plain, trace_of

BEGINNINGS_MAX = 100
"""So many beginnings are listed, the first ones."""

_BEGINNINGS_COUNTED = 1 << 17
"""Where fields that start with anything have more combinations than this, a walk begins in the first state alone."""

_STATES_KEPT = 100_000
"""Of how many states the truths are kept."""

Truths = Mapping[str, bool | None]
"""Each claim's truth by its id."""

STEPS_MAX = 2_000
"""The longest walk that is followed."""


class CannotBeDoneError(Exception):
    """What somebody who walks asks for cannot be done; says why. Who asked is told, and the walk stays as it was."""


@dataclass(frozen=True)
class Walk:
    """Where a walk begins, by its place among the beginnings, and the names of its steps: `consumer_pulls(c=0)`."""

    steps: tuple[str, ...] = ()
    begins: int = 0

    def up_to(self, number: int) -> Walk:
        """Its first steps, so many."""
        return Walk(self.steps[:number], self.begins)

    def count_shared(self, other: Walk) -> int:
        """How many first steps it shares with another walk."""
        pairs = zip(self.steps, other.steps, strict=False) if self.begins == other.begins else ()
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


@dataclass(frozen=True)
class Choice:
    """A step: one that can be taken or has been.

    `shows` are the claims that it breaks, and the witnesses that it reaches, which were not so before. `error` says how
    the model goes wrong in it, if it does; then it cannot be taken.
    """

    name: str
    actor: str
    thread: str
    words: str
    fault: str | None
    shows: tuple[Property, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Moment:
    """A state on a walk. `changed` has the fields that the last step changed, `cut` what a bound of the scope forbids.

    `truths` has each claim's truth by its id: of a claim about steps that of the last one. It is None where the claim's
    own code goes wrong, as that of one that is made for other scopes. `faults_left` says how often each fault that the
    scope has may still happen. `queues_before` is the picture before the last step.
    """

    values: Mapping[str, Value]
    changed: Mapping[str, tuple[Value, Value]]
    truths: Mapping[str, bool | None]
    choices: tuple[Choice, ...]
    cut: tuple[str, ...]
    queues: tuple[QueueRow, ...] | None
    queues_before: tuple[QueueRow, ...] | None
    faults_left: Mapping[str, int]


class Walker:
    """A model in one setting, with the claims that are watched (all of the subject's where none is named).

    Raises RefusedError and DeclarationError for a model that `check` refuses, too: nothing but staging looks for loops
    without end and for what a model may not do. A claim of a user's that is refused is not watched, and `unwatched` has
    the ids of such claims, by why.
    """

    def __init__(self, subject: Subject, setting: Setting, claims: Sequence[Property] = ()) -> None:
        self.subject, self.setting = subject, setting
        self.staged = Staged(subject.model, setting)
        self.unwatched: dict[str, list[str]] = {}
        self.claims = tuple(filter(self._may_be_asked, one_of_each(claims or subject.properties, setting)))
        self._reference = Reference(subject.model, setting)
        self._labels = {show_label(label): label for label in self._reference.labels}
        self._budgets = budget_fields(setting)
        self._truths: dict[State, dict[str, bool | None]] = {}
        self._followed: tuple[Walk, list[State]] = (Walk(), [self._reference.first()])

    def _may_be_asked(self, prop: Property) -> bool:
        """Does a user's claim mean what it says? (The program's own are staged by its tests.)"""
        if prop.kind.is_about_runs:
            self.unwatched.setdefault("a walk has an end, and what is said is about whole runs", []).append(prop.id)
            return False
        if self.subject.name in BUILT_INS:
            return True
        try:
            self.staged.system((prop,))
        except (RefusedError, DeclarationError) as error:
            self.unwatched.setdefault(str(error), []).append(prop.id)
            return False
        return True

    def unwatched_in_words(self) -> list[str]:
        """A sentence per reason for which claims are not watched."""
        return [
            f"{', '.join(ids)} {'is' if len(ids) == 1 else 'are'} not watched: {why}"
            for why, ids in self.unwatched.items()
        ]

    @cached_property
    def beginnings(self) -> list[State]:
        """The states that a walk can begin in, ascending; the first alone where there may be too many to list."""
        sizes = [len(leaf.initial) for leaf in self._reference.grown.tree.leaves]
        return self._reference.initial() if prod(sizes) <= _BEGINNINGS_COUNTED else [self._reference.first()]

    def beginnings_in_words(self) -> list[str]:
        """The first beginnings by what tells them apart; one that is alone is `the beginning`."""
        shown = [self._values(state) for state in self.beginnings[:BEGINNINGS_MAX]]
        if len(shown) == 1:
            return ["the beginning"]
        differ = [path for path in shown[0] if len({str(values[path]) for values in shown}) > 1]
        return [", ".join(f"{path}={values[path]}" for path in differ) for values in shown]

    def follow(self, walk: Walk) -> list[State]:
        """The states of a walk, its beginning first; CannotBeDoneError where the model cannot go that way."""
        if len(walk.steps) > STEPS_MAX:
            raise CannotBeDoneError(f"a walk has up to {STEPS_MAX} steps, this one has {len(walk.steps)}")
        states = self._known_states(walk)
        for number in range(len(states), len(walk.steps) + 1):
            states.append(self._after(states[-1], walk.steps[number - 1], number))
        self._followed = walk, states
        return states

    def moment(self, walk: Walk) -> Moment:
        """What there is to see at the end of a walk."""
        states = self.follow(walk)
        state, former = states[-1], states[max(0, len(states) - 2)]
        values, before = self._values(state), self._values(former)
        choices, cut = self._choices(state)
        return Moment(
            values,
            {path: (before[path], value) for path, value in values.items() if not _same(before[path], value)},
            self._truths_at(states, walk, len(walk.steps)),
            choices,
            cut,
            self._queues(values),
            self._queues(before),
            self._faults_left(state),
        )

    def breaks(self, state: State) -> tuple[Property, ...]:
        """The claims about states that are false in one."""
        truths = self._truths_in(state)
        return tuple(prop for prop in self.claims if prop.kind is not ClaimKind.SOMETIMES and truths[prop.id] is False)

    def steps_along(self, walk: Walk) -> list[Choice]:
        """The steps of a walk, each with the claims that it broke, and the witnesses that it reached."""
        states = self.follow(walk)
        truths = [self._truths_at(states, walk, number) for number in range(len(states))]
        return [
            self._choice(self._labels[name], self._newly_shown(truths[number], truths[number + 1]))
            for number, name in enumerate(walk.steps)
        ]

    def trace(self, walk: Walk) -> Trace:
        """The walk as a trace that `show` reads: of a claim that is broken at its end and not before, else of a witness
        that is reached so, else of nothing but that the model can go this way.

        Beside that it judges the claims that are broken, and the witnesses that are reached, anywhere on the way.
        """
        states = self.follow(walk)
        truths = [self._truths_at(states, walk, number) for number in range(len(states))]
        sound = [prop for prop in self.claims if all(each[prop.id] is not None for each in truths)]
        shown = [prop for prop in sound if _is_shown_last(prop, truths)]
        claim = next((prop for prop in shown if prop.kind is not ClaimKind.SOMETIMES), shown[0] if shown else WALK)
        labels = [self._labels[name] for name in walk.steps]
        also = [prop for prop in sound if prop is not claim and any(shows(prop, each) for each in truths)]
        replay = Replay(self._reference, claim, labels, states[0], also)
        return trace_of(replay, subject=self.subject.name, staged=self.staged)

    def walk_of(self, trace: Trace) -> Walk:
        """The walk that a trace is, in the order in which it is told; CannotBeDoneError where it cannot begin here."""
        names = {(action, frozenset(args)): name for name, (action, args) in self._labels.items()}
        steps = [names.get((each.action, frozenset(each.args.items())), each.name) for each in trace.story.steps]
        for place, state in enumerate(self.beginnings):
            if all(_same(value, trace.initial.get(path)) for path, value in self._values(state).items()):
                return Walk(tuple(steps), place)
        raise CannotBeDoneError("the trace begins in a state that cannot be chosen here")

    def _known_states(self, walk: Walk) -> list[State]:
        """The states of a walk as far as the walk before went the same way."""
        other, states = self._followed
        if walk.begins != other.begins:
            beginnings = self.beginnings
            if walk.begins not in range(len(beginnings)):
                raise CannotBeDoneError(f"there is no beginning {walk.begins}; there are {len(beginnings)}, from 0")
            return [beginnings[walk.begins]]
        return states[: walk.count_shared(other) + 1]

    def _after(self, state: State, name: str, number: int) -> State:
        label = self._labels.get(name)
        if label is None:
            raise CannotBeDoneError(f"step {number}: the model has no action {name} in this scope")
        try:
            after = self._reference.take(state, label)
        except ModelError as error:
            raise CannotBeDoneError(f"step {number}: {error}") from error
        if isinstance(after, NotTaken):
            raise CannotBeDoneError(f"step {number}: {name} is {after}")
        return after

    def _choices(self, state: State) -> tuple[tuple[Choice, ...], tuple[str, ...]]:
        choices, cut = [], []
        for name, label in self._labels.items():
            try:
                after = self._reference.take(state, label)
            except ModelError as error:
                choices.append(self._choice(label, (), str(error)))
                continue
            if after is NotTaken.CUT:
                cut.append(name)
            elif not isinstance(after, NotTaken):
                truths = self._truths_in(after) | self._truths_of_step(state, label, after)
                choices.append(self._choice(label, self._newly_shown(self._truths_in(state), truths)))
        return tuple(choices), tuple(cut)

    def _choice(self, label: Label, shows: tuple[Property, ...], error: str = "") -> Choice:
        action = self._reference.grown.instances[label][0]
        actor = action.actor_of(label[1])
        return Choice(show_label(label), actor, action.thread, action.about, action.fault, shows, error)

    def _newly_shown(self, before: Truths, after: Truths) -> tuple[Property, ...]:
        """What is shown after a step that was not shown before it; a claim about steps, if this one breaks it."""
        return tuple(
            prop
            for prop in self.claims
            if shows(prop, after) and (prop.kind is ClaimKind.EACH_STEP or not shows(prop, before))
        )

    def _truths_at(self, states: Sequence[State], walk: Walk, number: int) -> dict[str, bool | None]:
        truths = self._truths_in(states[number])
        if number:
            label = self._labels[walk.steps[number - 1]]
            truths |= self._truths_of_step(states[number - 1], label, states[number])
        return truths

    def _truths_in(self, state: State) -> dict[str, bool | None]:
        """The truth of each claim about states; one about steps is true where no step has been taken."""
        if len(self._truths) >= _STATES_KEPT:
            self._truths.clear()
        if state not in self._truths:
            self._truths[state] = {
                prop.id: prop.kind is ClaimKind.EACH_STEP or _or_none(partial(self._reference.judge, prop, state))
                for prop in self.claims
            }
        return dict(self._truths[state])

    def _truths_of_step(self, before: State, label: Label, after: State) -> dict[str, bool | None]:
        judge = self._reference.judge_step
        steps = (prop for prop in self.claims if prop.kind is ClaimKind.EACH_STEP)
        return {prop.id: _or_none(partial(judge, prop, before, label, after)) for prop in steps}

    def _values(self, state: State) -> dict[str, Value]:
        shown = self._reference.show(state)
        return {path: plain(value) for path, value in shown.items() if path not in self._budgets}

    def _queues(self, values: Mapping[str, Value]) -> tuple[QueueRow, ...] | None:
        picture = self.subject.picture
        return tuple(picture.queues(self.setting.scope, values)) if picture else None

    def _faults_left(self, state: State) -> dict[str, int]:
        shown = self._reference.show(state)
        return {kind: budget - int(shown[f"{SPENT}{kind}]"]) for kind, budget in self.setting.scope.faults.items()}


def _or_none(judge: Callable[[], bool]) -> bool | None:
    """What a claim says; None where its code goes wrong, whatever it raises."""
    try:
        return judge()
    except Exception:  # a claim may be made for other scopes, and look for what is not there in this one
        return None


def shows(prop: Property, truths: Truths) -> bool:
    """Does a state or step with these truths show the claim: broken, or as a witness reached?"""
    return truths[prop.id] is (prop.kind is ClaimKind.SOMETIMES)


def _is_shown_last(prop: Property, truths: Sequence[Truths]) -> bool:
    """Is a claim shown at the end, and nowhere before?"""
    return shows(prop, truths[-1]) and not any(shows(prop, each) for each in truths[:-1])


def _same(a: object, b: object) -> bool:
    return type(a) is type(b) and a == b
