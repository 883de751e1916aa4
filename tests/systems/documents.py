"""Real documents of each verb that writes JSON, from its own report on objects that are made here.

They have what a run of the program seldom has: causes that a patch leaves, tries that could not tell, rows that died.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from audit.audits import audit_page_json, small_audit
from audit.live_group import watches_json
from explain.test_removers import Vault
from explain.test_repairs import VAULT

from offsetproof.audit.reports.audit import audit_json
from offsetproof.checking.answers import answers
from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.comparing import compare_sides
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.mutating import Mutated, judge_mutants, made_for
from offsetproof.checking.replaying import Replayed
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.sides import Side
from offsetproof.checking.simulation import simulate_settings
from offsetproof.checking.subject import load_subject
from offsetproof.checking.widening import found_in_wider, wider_worlds
from offsetproof.conformance.drift import CauseFate, Drift
from offsetproof.conformance.on_release import Prepared, ReplayOnRelease
from offsetproof.conformance.walks import Conformed
from offsetproof.doctor import Examined, doctor_json
from offsetproof.engines.stateful.engine import Effort
from offsetproof.explain.causes import explanations_of
from offsetproof.explain.repairs import smallest_repairs
from offsetproof.explain.repairs_report import repairs_json
from offsetproof.explain.report import explain_json
from offsetproof.guard.baseline import Finding, Key, RecheckPolicy
from offsetproof.guard.comparison import ComparedQuestion, Guard
from offsetproof.guard.deciding import comparisons_of, findings_without_question
from offsetproof.guard.judge_report import judge_json
from offsetproof.guard.judging import JudgedCause, Judgement
from offsetproof.guard.report import guard_json
from offsetproof.lang import Subject
from offsetproof.lang.anchor import at
from offsetproof.lang.cases import Expectation
from offsetproof.lang.setting import Setting
from offsetproof.reading.typed_json import write_json
from offsetproof.real.conform import Conformance, Disagreement
from offsetproof.real.fetching import Fetched
from offsetproof.real.jars import JarSet, read_lock
from offsetproof.real.method_digests import AnchoredMethod
from offsetproof.real.own_classes import OwnClasses
from offsetproof.real.replay import OutcomeKind, ReplayOutcome
from offsetproof.real.sidecar import Gates
from offsetproof.reports.comparison import comparison_json
from offsetproof.reports.conformance import conformance_json
from offsetproof.reports.fetched import fetched_json
from offsetproof.reports.listing_json import listing_json
from offsetproof.reports.mutation import mutation_json
from offsetproof.reports.on_release import replays_json
from offsetproof.reports.recorded import stories_json
from offsetproof.reports.shown import shown_json
from offsetproof.reports.simulation import simulation_json
from offsetproof.reports.symptom import symptom_json
from offsetproof.reports.widening import Widened, widening_json
from offsetproof.sweep.grid import Grid
from offsetproof.sweep.report import sweep_json
from offsetproof.sweep.rows import DIED
from offsetproof.sweep.run import Swept
from offsetproof.symptoms.answering import look_up
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.prerequisite import JDK, MAVEN

RELEASE = "4.9.4"
STORY = "I11-row-put-twice"
SWEEP = Path(__file__).parents[2] / "studies" / "data" / "sweep.json"

_OWN = cast(
    "OwnClasses",
    SimpleNamespace(
        paths=("patched",),
        others=(),
        lines=lambda table: table,
        changed_beginnings=lambda method: (),
        changed_lines=lambda method: (),
    ),
)


def _guarded(findings: Mapping[Key, Finding], states: int | None = None) -> list[ComparedQuestion]:
    subject = load_subject("toys:Counter")
    asked = questions_of(Request(subject, limits=Limits(states=states)))
    found = comparisons_of(subject, explicit_alone(), asked, findings, RecheckPolicy(turn=3), 1, lambda *_: None)
    return [*found, *findings_without_question(asked, findings)]


def _changed(findings: Mapping[Key, Finding]) -> dict[Key, Finding]:
    """A baseline in which a claim held that does not, with a claim more and another less."""
    first, second, *others = findings.values()
    lost = replace(second, asked=replace(second.asked, claim="of_old"))
    held = replace(first, verdict=Expectation.HOLDS, faults=None, steps=None, cause=(), digest="")
    return {each.key: each for each in (held, lost, *others)}


def _replayed(outcome: ReplayOutcome, own: OwnClasses | None = None, name: str = STORY) -> ReplayOnRelease:
    subject = SINGLES["rocketmq"].subjects[0]
    assert subject.rigging is not None
    prepared = Prepared(name, recorded_stories()[name].story, subject, subject.rigging, cast("Any", None))
    return ReplayOnRelease(prepared, RELEASE, Gates.WOVEN, outcome, 2.25, own)


_REPRODUCED = ReplayOutcome(OutcomeKind.REPRODUCED, 9, (2,))
_DIVERGED = ReplayOutcome(
    OutcomeKind.DIVERGED, 7, (2,), 7, "consumer[0].commits", frozenset({1}), [], "left something else",
    end=("broker.committed", None, 0),
)  # fmt: skip
_NOT_FORCED = ReplayOutcome(OutcomeKind.NOT_FORCEABLE, 0, reason="there is no such place")


def _guard() -> list[str]:
    subject, new = load_subject("toys:Counter"), _guarded({})
    known = {each.key: each.found for each in new}
    whole = Guard(subject, (*_guarded(_changed(known)), *new), True, RecheckPolicy(turn=3))
    part = Guard(subject, (*_guarded(known, states=1), *_guarded(known)), False)
    return [guard_json(whole), guard_json(part)]


def judged_cause(fate: CauseFate, name: str = STORY, *, happens_with_fixes: bool = True) -> JudgedCause:
    """A story that the release does, with what became of it on patched classes."""
    outcomes = {CauseFate.REMOVED: _DIVERGED, CauseFate.LEFT: _REPRODUCED, CauseFate.UNKNOWN: _NOT_FORCED}
    why = "nobody knows" if fate is CauseFate.UNKNOWN else ""
    replays = _replayed(_REPRODUCED, name=name), _replayed(outcomes[fate], _OWN, name)
    return JudgedCause(*replays, fate, why, happens_with_fixes)


def compared_claims() -> tuple[ComparedQuestion, ...]:
    """Claims of a toy that changed in each way."""
    known = {each.key: each.found for each in _guarded({})}
    return (*_guarded(_changed(known)), *_guarded({}, states=1))


def drift() -> Drift:
    """How patched classes differ that nothing has run."""
    method = AnchoredMethod("ConsumerOffsetManager", "commitOffset")
    gone = (at("MixAll", "string2File", "delete"), "MixAll.string2File has no delete")
    new = at("ProcessQueue", "removeMessage")
    return Drift(SINGLES["rocketmq"].subjects[0], RELEASE, _OWN, (method,), (gone,), (new,), (method,), (method,))


def differing_component() -> Conformed:
    """A component in which classes do something else than the model."""
    labels = (("broker_starts", ()), ("consumer_pulls", (("c", 0),)))
    differs = Disagreement(labels, "broker.committed", None, 0, "left something else")
    before = Disagreement((), "consumer[0].commits", [1], "nothing", "the rig does not start where the model does")
    result = Conformance(steps=60, walks=2, silent=3, disagreements=[differs, before])
    lacking = {"consumer_pulls": "there is no such line"}
    return Conformed("rocketmq", "calm-reset", RELEASE, result, 1.5, ("poll-checks-dropped",), _OWN, "", lacking)


def _judge() -> list[str]:
    causes = (
        judged_cause(CauseFate.REMOVED),
        judged_cause(CauseFate.LEFT, happens_with_fixes=False),
        judged_cause(CauseFate.UNKNOWN, "I18-orphan"),
    )
    fixes, held, claims = ("poll-checks-dropped",), (differing_component(),), compared_claims()
    unproven = Judgement("stays", RELEASE, drift(), causes, held, fixes, claims, expected=(STORY,))
    proven = Judgement("stays", RELEASE, replace(drift(), changed=(), missing=(), beside=()), (), (replace(
        differing_component(), result=Conformance(steps=60), lacking={}),), fixes, claims)  # fmt: skip
    return [judge_json(each) for each in (unproven, proven, Judgement("stays", RELEASE, drift(), ()))]


def _replay() -> list[str]:
    forced = [_replayed(_DIVERGED, _OWN), _replayed(_REPRODUCED), _replayed(_NOT_FORCED)]
    return [replays_json(forced), replays_json([])]


def _explain() -> list[str]:
    subject = Subject("vault", Vault, Vault.claims)
    asked = [Request(subject, limits=limits) for limits in (Limits(), Limits(states=1))]
    return [explain_json(subject.name, [*explanations_of(request, 9)]) for request in asked]


def _repairs() -> list[str]:
    asked = [questions_of(Request(VAULT, ("V",), limits=limits)) for limits in (Limits(), Limits(states=4))]
    return [repairs_json(VAULT.name, smallest_repairs(questions, 3)) for questions in asked]


def _list() -> list[str]:
    subjects = (SINGLES["offset-files"].subjects[0], load_subject("toys:Counter"))
    return [listing_json(each.name, [each]) for each in subjects]


def _family() -> list[str]:
    return [listing_json("toys", [load_subject(f"toys:{name}") for name in ("Counter", "Holder")])]


def _trace() -> list[str]:
    stories = recorded_stories()
    reordered = [trace for trace in stories.values() if trace.timing and trace.timing.order]
    told = [stories[STORY], min(reordered, key=lambda trace: trace.length)]
    replays = [Replayed(True), Replayed(None, "the trace is of a model that it does not name")]
    return [shown_json(trace, replay) for trace, replay in zip(told, replays, strict=True)]


def _mutate() -> list[str]:
    subject = load_subject("toys:Counter")
    made, small = (made_for(Request(subject, limits=Limits(states=states))) for states in (None, 1))
    return [
        mutation_json(Mutated(subject, made, tuple(judge_mutants(made, made.mutations)))),
        mutation_json(Mutated(subject, small, ())),
    ]


def _simulate() -> list[str]:
    subject = load_subject("toys:Counter")
    efforts = (Effort(walk_steps=500, examples=1, example_steps=5), Effort(walk_steps=0, examples=0))
    return [simulation_json(subject.name, [*simulate_settings(Request(subject), effort)]) for effort in efforts]


def _sweep() -> list[str]:
    row = json.loads(SWEEP.read_text(encoding="utf-8"))["rows"][0]
    empty = dict.fromkeys(("expected", "states", "transitions", "depth", "faults", "steps"))
    died = {**row, **empty, "verdict": "UNKNOWN", "reason": DIED, "detail": "its process ended", "died": True}
    return [sweep_json(Swept(Grid("some", "rocketmq", (), Limits()), (row, died)))]


def _rocketmq() -> list[str]:
    jars = JarSet(read_lock(RELEASE), Path("jars"))
    return [fetched_json([Fetched(jars, None), Fetched(jars, 2.5)])]


def _show() -> list[str]:
    return [stories_json("rocketmq", recorded_stories())]


def _compare() -> list[str]:
    """Two workers and three; and where nothing was explored to its end."""
    subject = load_subject("offsetproof.examples.lost_update")
    two, three = (Side(scope.name, subject, Setting(scope)) for scope in subject.model.scopes)
    limited = compare_sides((two, two), limits=Limits(states=2))
    return [comparison_json(each) for each in (compare_sides((two, three)), limited)]


def _widen() -> list[str]:
    """Each world of a toy that holds; and none, of one that does not."""
    subject = load_subject("offsetproof.examples.lost_update")
    worlds = [*wider_worlds(questions_of(Request(subject, limits=Limits(states=20))))]
    found = found_in_wider(worlds, 1, lambda _question, _what, _done: None)
    asked = [*zip(worlds, found, strict=True)]
    odd = [*answers(subject, explicit_alone(), [world.question for world in worlds])]
    return [
        widening_json(Widened("toy", None, asked, ())),
        widening_json(Widened("toy", "toy.py", (), odd, left=3)),
    ]


DOCUMENTS: Mapping[str, Callable[[], list[str]]] = {
    "audit": lambda: [audit_json(small_audit())],
    "audit-page": lambda: [write_json(audit_page_json())],
    "watch": watches_json,
    "doctor": lambda: [doctor_json([Examined(JDK, found="/bin/javac"), Examined(MAVEN, lacks="there is none")])],
    "conform": lambda: [
        conformance_json([differing_component(), replace(differing_component(), own=None, not_held="there is no step")])
    ],
    "compare": _compare,
    "explain": _explain,
    "family": _family,
    "repairs": _repairs,
    "guard": _guard,
    "judge": _judge,
    "list": _list,
    "mutate": _mutate,
    "replay": _replay,
    "rocketmq": _rocketmq,
    "show": _show,
    "simulate": _simulate,
    "sweep": _sweep,
    "symptom": lambda: [symptom_json(look_up(text)) for text in ("auto commit", "suspend this consumer, g", "POP")],
    "trace": _trace,
    "widen": _widen,
}
"""What makes a verb's documents, by the name of the schema."""
