"""The smt engine: all claims that were asked of one setting in one unrolling, each path replayed before it counts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

from offsetproof.engines.preparing import PreparingEngine, StagedModels, reduce_system, whole_state
from offsetproof.engines.smt.process import run_session
from offsetproof.engines.smt.session import Bounds
from offsetproof.engines.vacuity import claims_in_scope, premise_of, unspent_budgets, vacuity
from offsetproof.ir.build import TRUE
from offsetproof.ir.faults import with_fault_cap
from offsetproof.ir.system import StagedClaim, State, System, show_label
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.lang.stage import Staged
from offsetproof.traces.trace_order import canonical
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.progress import Unrolled
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Counts, DisagreementError, Reason, Result, Verdict

NAME = "smt"


class Premise(Enum):
    """What is known of a claim's premise: some state or step meets it, none ever does, or neither was shown."""

    MET = auto()
    NEVER = auto()
    OPEN = auto()


@dataclass
class _SettingGroup:
    """The questions about one setting, the system that holds all of their claims, and what has been told about them.

    `claims` are those of the system, with what never changes in its place. `premises` has, of each claim that says
    something in some states only, the number of the claim that seeks one.
    """

    questions: tuple[Question, ...]
    staged: Staged
    props: tuple[Property, ...]
    system: System
    reductions: tuple[str, ...]
    reference: Reference
    claims: tuple[StagedClaim, ...]
    premises: dict[Property, int]
    depth: int = -1
    failing: dict[str, Any] | None = None
    events: dict[int, dict[str, Any]] = field(default_factory=dict)
    unsure: set[int] = field(default_factory=set)
    finished: bool = False
    interrupted: bool = False
    ran: bool = False
    seconds: float = 0.0


class Smt(PreparingEngine["_SettingGroup"]):
    """The engine. `together` are all questions of a run: those about one setting are decided in one unrolling.

    `seconds` is what a setting may take where its questions have no limit of their own (None: no limit).
    """

    name = NAME

    def __init__(
        self,
        together: Sequence[Question] = (),
        *,
        depth: int = 25,
        query_seconds: float = 30.0,
        induction: int = 4,
        seconds: float | None = None,
        models: StagedModels | None = None,
    ) -> None:
        self.together, self.bounds, self.seconds = tuple(together), Bounds(depth, query_seconds, induction), seconds
        super().__init__(models)
        self._groups: dict[Any, _SettingGroup] = {}

    def prepare(self, question: Question, started: float) -> _SettingGroup:
        """All that were asked of the same setting are one group, and decided together."""
        del started
        key = (question.model, question.setting.key)
        group = self._groups.get(key)
        if group is None or question.prop not in [each.prop for each in group.questions]:
            group = self._groups[key] = self._group(question)
        return group

    def decide_prepared(self, prepared: _SettingGroup, question: Question) -> Result:
        if not prepared.ran:
            prepared.ran = True
            self._run(prepared, question)
        return self._result(prepared, question)

    def _group(self, question: Question) -> _SettingGroup:
        key = question.setting.key
        company = [
            q
            for q in self.together
            if q.model is question.model and q.setting.key == key and not q.prop.kind.is_about_runs
        ]
        questions = tuple(company) if question.prop in [q.prop for q in company] else (question,)
        props = tuple(dict.fromkeys(prop for q in questions for prop in (q.prop, *q.witnesses)))
        staged = self._models.of(question)
        system, reductions = reduce_system(staged.system(props), question)
        reference = Reference(question.model, question.setting)
        claims = claims_in_scope(staged, system)
        system, premises = _with_premises(with_fault_cap(system), props, claims)
        return _SettingGroup(questions, staged, props, system, reductions, reference, claims, premises)

    def _run(self, group: _SettingGroup, question: Question) -> None:
        started = time.monotonic()

        def tell(event: dict[str, Any]) -> None:
            if event["event"] == "depth":
                group.depth = event["depth"]
                left = len(group.system.claims) - len(group.events)
                question.progress(Unrolled(group.depth, left, time.monotonic() - started))
            elif event["event"] == "failing":
                group.failing = event
            elif event["event"] == "unsure":
                group.unsure.add(event["claim"])
            else:
                group.events[event["claim"]] = event

        sought = [prop.kind is ClaimKind.SOMETIMES for prop in group.props] + [True] * len(group.premises)
        limit = self.seconds if question.limits.seconds is None else question.limits.seconds
        try:
            group.finished = run_session(group.system, sought, self.bounds, limit, tell)
        except KeyboardInterrupt:
            group.interrupted = True
        group.seconds = time.monotonic() - started

    def _result(self, group: _SettingGroup, question: Question) -> Result:
        event = group.events.get(group.props.index(question.prop), {"event": "open", "why": "time"})
        witnesses = {w.id: self._is_found(group, w) for w in question.witnesses}
        shows, other = Verdict.REFUTED, Verdict.HOLDS
        if question.prop.kind is ClaimKind.SOMETIMES:
            shows, other = other, shows
        if event["event"] == "found":
            replay = self._replay(group, question.prop, event)
            return self._result_of(group, question, shows, replay=replay, method=self._method(group))
        premise = self._premise(group, question.prop)
        if event["event"] == "proved" and all(witnesses.values()) and premise is not Premise.OPEN:
            how = f"for every number of steps, by k-induction (k = {event['k']})"
            if event["how"] == "paths":
                how = (
                    f"every path, by bounded model checking to the longest simple path ({quantity(event['k'], 'step')})"
                )
            result = self._result_of(group, question, other, method=how, witnesses=witnesses)
            if other is Verdict.REFUTED:
                return result
            claim = group.claims[group.props.index(question.prop)]
            counts = replace(result.counts, judged=0 if premise is Premise.NEVER else None)
            vacuous = vacuity(question, group.staged, claim, counts)
            return replace(result, vacuous=vacuous, unspent=unspent_budgets(group.staged, group.system))
        reason = self._reason(group, event)
        detail = self._detail(group, question, reason)
        if event["event"] == "proved" and all(witnesses.values()) and reason is Reason.WITNESS:
            detail = "it is never broken, but no state or step was found that it says anything of"
        notes = self._counterexample(group, event)
        method = self._method(group)
        return self._result_of(
            group, question, Verdict.UNKNOWN, reason=reason, detail=detail, notes=notes, method=method,
            witnesses=witnesses,
        )  # fmt: skip

    def _result_of(self, group: _SettingGroup, question: Question, verdict: Verdict, **more: Any) -> Result:
        replay: Replay | None = more.get("replay")
        asked_to = self._asked_to(group, question)
        depth = len(replay.labels) if replay else max(asked_to, 0)
        return Result(
            prop=question.prop,
            setting=question.setting,
            engine=NAME,
            verdict=verdict,
            counts=Counts(len(group.system.initial), None, None, depth),
            seconds=group.seconds,
            exhaustive=replay is None and verdict is not Verdict.UNKNOWN,
            digest=group.system.digest,
            reductions=group.reductions,
            interrupted=group.interrupted,
            within=None if group.props.index(question.prop) in group.unsure or asked_to < 0 else asked_to,
            **more,
        )

    @staticmethod
    def _asked_to(group: _SettingGroup, question: Question) -> int:
        """The depth to which this claim was asked: less than its group's where Z3 gave up on it. -1 for none."""
        event = group.events.get(group.props.index(question.prop), {})
        return min(group.depth, int(event.get("depth", group.depth)))

    def _method(self, group: _SettingGroup) -> str:
        return f"bounded model checking to depth {max(group.depth, 0)}"

    @staticmethod
    def _premise(group: _SettingGroup, prop: Property) -> Premise:
        """What is known of the claim's premise; one that is always true is met, one that no step can have is not."""
        number = group.premises.get(prop)
        if number is None:
            claim = group.claims[group.props.index(prop)]
            return Premise.NEVER if _speaks_of_no_step(prop, claim) else Premise.MET
        event = group.events.get(number, {"event": "open"})["event"]
        return {"found": Premise.MET, "proved": Premise.NEVER}.get(event, Premise.OPEN)

    @staticmethod
    def _is_found(group: _SettingGroup, witness: Property) -> bool:
        return bool(group.events.get(group.props.index(witness), {"event": "open"})["event"] == "found")

    @staticmethod
    def _reason(group: _SettingGroup, event: dict[str, Any]) -> Reason:
        if group.interrupted:
            return Reason.INTERRUPTED
        if group.failing is not None:
            return Reason.OVERFLOW
        if event["event"] == "proved":
            return Reason.WITNESS
        return {"time": Reason.TIME, "solver": Reason.SOLVER, "depth": Reason.DEPTH}[event["why"]]

    def _detail(self, group: _SettingGroup, question: Question, reason: Reason) -> str:
        if reason is Reason.OVERFLOW and group.failing is not None:
            labels = [show_label(group.system.instances[i].label) for i in group.failing["instances"]]
            steps = " -> ".join(labels) or "the initial state"
            return f"the model can go wrong after {quantity(len(labels), 'step')}: {steps}"
        asked_to = self._asked_to(group, question)
        return (
            f"no violation within {quantity(asked_to, 'step')}" if asked_to >= 0 else "not even depth 0 was looked at"
        )

    @staticmethod
    def _counterexample(group: _SettingGroup, event: dict[str, Any]) -> tuple[str, ...]:
        """The path on which induction failed, in words."""
        induction = event.get("counterexample")
        if not induction:
            return ()
        first, initial = induction["states"][0], group.system.initial[0]
        differs = [
            f"{v.name}={value}"
            for v, value, start in zip(group.system.variables, first, initial, strict=True)
            if value != start
        ]
        steps = " -> ".join(show_label(group.system.instances[i].label) for i in induction["instances"])
        where = ", ".join(differs[:8]) + (", ..." if len(differs) > 8 else "")
        return (
            f"counterexample to induction of {quantity(len(induction['instances']), 'step')} "
            f"(perhaps from no reachable state): from {{{where or 'the initial state'}}}: {steps or 'at once'}",
        )

    def _replay(self, group: _SettingGroup, prop: Property, event: dict[str, Any]) -> Replay:
        initial: State = whole_state(group.reference, group.system, tuple(event["initial"]))
        labels = [group.system.instances[i].label for i in event["instances"]]
        try:
            return canonical(Replay(group.reference, prop, labels, initial))
        except ReplayError as error:
            raise DisagreementError(f"Z3's path and the model's own Python disagree on {prop.id}: {error}") from error


def _with_premises(
    system: System, props: Sequence[Property], claims_in_scope: Sequence[StagedClaim]
) -> tuple[System, dict[Property, int]]:
    """The system with a claim more for each premise that is not always true, which seeks a state where it is."""
    premises: dict[Property, int] = {}
    claims = list(system.claims)
    for prop, claim in zip(props, claims_in_scope, strict=True):
        premise = premise_of(claim, system)
        if prop.kind is not ClaimKind.SOMETIMES and premise is not TRUE:
            premises[prop] = len(claims)
            claims.append(StagedClaim(f"premise of {prop.id}", on_state=premise))
    return replace(system, claims=tuple(claims)), premises


def _speaks_of_no_step(prop: Property, claim: StagedClaim) -> bool:
    """Is it a claim about steps that none of those left could break? A slice may have left no step at all."""
    return prop.kind is ClaimKind.EACH_STEP and all(node is TRUE for node in claim.per_step)
