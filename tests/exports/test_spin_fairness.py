"""SPIN on claims about runs: the verdicts found by hand, those of the explicit engine, and runs that replay; a fault
in what the model says of fairness is noticed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from engines.test_lively import TABLE as BY_HAND
from systems.lively import Mailbox, Spins, Tries, channel, peterson, ring, table
from systems.random_runs import made

from offsetproof.checking.exporting import to_export
from offsetproof.checking.request import Request
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.preparing import whole_state
from offsetproof.exports.exported import Exported, export_system
from offsetproof.exports.promela import spin
from offsetproof.exports.promela.model import promela
from offsetproof.exports.promela.spin import SpinOptions, judge_runs
from offsetproof.lang import ANYTHING, Fairness, Index, Model, Setting, action, eventually, flag, integer, require
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.stage import Staged
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.prerequisite import NotStartedError
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

NONE, WEAK, STRONG = Fairness.NONE, Fairness.WEAK, Fairness.STRONG
HOLDS, REFUTED, UNKNOWN = Verdict.HOLDS, Verdict.REFUTED, Verdict.UNKNOWN
OPTIONS = SpinOptions(optimize=0, depth=100_000, seconds=300)
QUICK = (0, 1, 12, 15)


def exported(model: type[Model], claim: str) -> Exported:
    setting = Setting(model.scopes[0])
    prop = next(prop for prop in model.claims if prop.id == claim)
    return export_system(model.__name__, setting, model, Staged(model, setting).system((prop,)), (prop,))


def judged(model: type[Model], claim: str, folder: Path) -> Verdict:
    return judge_runs(exported(model, claim), claim=claim, folder=folder, options=OPTIONS).verdict


def run_of(export: Exported, output: str) -> Replay:
    """The run that SPIN found, as the reference semantics follows it."""
    labels = {inst.name: inst.label for inst in export.system.instances}
    lines = [line.strip() for line in output.splitlines()]
    told = [line for line in lines if line in labels or "START OF CYCLE" in line]
    cycle_at = next(i for i, line in enumerate(told) if line not in labels)
    steps = [labels[line] for line in told if line in labels]
    reference = Reference(export.model, export.setting)
    state = whole_state(reference, export.system, export.system.initial[0])
    return Replay(reference, export.claims[0], steps, state, cycle_at=cycle_at)


@pytest.mark.parametrize(
    ("model", "claim", "verdict"),
    [pytest.param(*each, marks=() if i in QUICK else pytest.mark.slow) for i, each in enumerate(BY_HAND)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_spin_gives_the_verdict_found_by_hand(model: type[Model], claim: str, verdict: Verdict, tmp_path: Path) -> None:
    export = exported(model, claim)
    outcome = judge_runs(export, claim=claim, folder=tmp_path, options=OPTIONS)
    assert outcome.verdict is verdict
    if verdict is REFUTED:
        assert run_of(export, outcome.output).truths[-1] == {claim: False}


SEEDS = [pytest.param(seed, marks=() if seed in (3, 5) else pytest.mark.slow) for seed in range(40)]


@pytest.mark.parametrize("seed", SEEDS)
def test_spin_and_the_explicit_engine_agree_on_random_models(seed: int, tmp_path: Path) -> None:
    drawn = made(seed)
    for prop in drawn.model.claims:
        result = Explicit().decide(Question(drawn.model, drawn.setting, prop))
        system = Staged(drawn.model, drawn.setting).system((prop,))
        export = export_system("drawn", drawn.setting, drawn.model, system, (prop,))
        outcome = judge_runs(export, claim=prop.id, folder=tmp_path, options=OPTIONS)
        assert outcome.verdict is result.verdict, (prop.id, drawn.source)


def without_thread(export: Exported, number: int) -> Exported:
    """The export with one fair thread less."""
    (claim,) = export.system.claims
    assert claim.in_the_end is not None
    threads = claim.in_the_end.threads
    fewer = replace(claim.in_the_end, threads=(*threads[:number], *threads[number + 1 :]))
    return replace(export, system=replace(export.system, claims=(replace(claim, in_the_end=fewer),)))


NEEDED = [
    (table(STRONG), "hungry_eats", 2),
    (peterson(WEAK), "who_wants_enters", 2),
    (channel(STRONG), "is_received", 2),
    (ring(WEAK), "token_comes_back", 3),
]
UNNEEDED = [(3, 0)]
"""Where the token is at the first process nothing is owed."""


@pytest.mark.parametrize(
    ("model", "claim", "number"),
    [
        pytest.param(model, claim, number, marks=() if model is NEEDED[2][0] else pytest.mark.slow)
        for i, (model, claim, count) in enumerate(NEEDED)
        for number in range(count)
        if (i, number) not in UNNEEDED
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_each_thread_that_a_claim_needs_is_waited_for(
    model: type[Model], claim: str, number: int, tmp_path: Path
) -> None:
    export = without_thread(exported(model, claim), number)
    assert judge_runs(export, claim=claim, folder=tmp_path, options=OPTIONS).verdict is REFUTED


FAULTS = {
    "nobody is waited for": (r"!WAITS_\d ->", "true ->", peterson(WEAK), "who_wants_enters", HOLDS),
    "a step ends no turn": (r"#define TOOK\(n\) due = .*", "#define TOOK(n) skip", Spins, "is_done", REFUTED),
    "a guess is never wrong": (r"&& !WRONG", "", table(STRONG), "hungry_eats", HOLDS),
    "nobody gives up": (r"-> gave_up_\d = 1; due = \d", "-> skip", table(STRONG), "somebody_eats", REFUTED),
    "all may be given up": (r"!WAITS_(\d) ->", r"!WAITS_\1 || READY_\1 ->", ring(WEAK), "token_comes_back", HOLDS),
    "a round may last for ever": ("over", "accept_over", ring(WEAK), "token_comes_back", HOLDS),
    "a bound ends a run": (r"#define HELD_(\d) .*", r"#define HELD_\1 false", Tries, "has_tried_twice", UNKNOWN),
    "no bound ends a run": (r"#ifdef BOUNDS_END_RUNS", "#ifdef NO_BOUND", Tries, "has_tried_twice", UNKNOWN),
    "whom a bound holds up is given up": (r"(#define CAN_\d) READY_\d\n#else", r"\1 false\n#else",
                                          Mailbox, "card_is_posted", HOLDS),
}  # fmt: skip


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=() if "bound ends" in fault else pytest.mark.slow) for fault in FAULTS]
)
def test_fault_in_the_fairness_of_a_model_is_noticed(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern, wrong, model, claim, verdict = FAULTS[fault]

    def faulty(export: Exported) -> dict[str, str]:
        ((file, text),) = promela(export).items()
        changed, count = re.subn(pattern, wrong, text)
        assert count > 0
        return {file: changed}

    monkeypatch.setattr(spin, "promela", faulty)
    assert judged(model, claim, tmp_path) is not verdict


class Somewhere(Model):
    """Begins at one of two places and stays there."""

    at: int = integer(0, 1, ANYTHING)

    @action(actor="nobody", fair=Fairness.NONE)
    def looks(self) -> None:
        pass

    @eventually
    def is_at_the_first(self) -> bool:
        """Refuted: from the second place nobody comes there."""
        return self.at == 0


def test_claim_is_asked_when_an_initial_state_was_chosen(tmp_path: Path) -> None:
    assert judged(Somewhere, "is_at_the_first", tmp_path) is REFUTED


class Crowd(Model):
    """A pool of very many threads."""

    done: bool = flag()

    @action(n=Index("n", 17), actor="crowd", fair=Fairness.EACH)
    def works(self, n: int) -> None:
        require(n < 17)
        self.done = True

    @eventually
    def is_done(self) -> bool:
        """Somebody works."""
        return self.done


def test_more_strongly_fair_threads_than_spin_can_guess_of_are_refused() -> None:
    with pytest.raises(NotStartedError, match=r"17 threads .* strongly fair.* 16 at most; .* export to TLA\+"):
        promela(exported(Crowd, "is_done"))


def hall(count: int) -> type[Model]:
    """So many weakly fair threads, and somebody unfair on whom all depends."""

    class Hall(Model):
        done: bool = flag()

        @action(n=Index("n", count), actor="worker[n]")
        def looks(self, n: int) -> None:
            require(not self.done, n < count)

        @action(actor="administrator", fair=NONE)
        def ends(self) -> None:
            self.done = True

        @eventually
        def is_done(self) -> bool:
            """The administrator ends it."""
            return self.done

    return Hall


def test_more_threads_than_a_byte_can_tell_apart_are_refused() -> None:
    (text,) = promela(exported(hall(255), "is_done")).values()
    assert "byte due = 255;" in text
    with pytest.raises(NotStartedError, match=r"256 threads .* are fair, .* 255 at most; .* export to TLA\+"):
        promela(exported(hall(256), "is_done"))


def test_claim_that_is_not_about_runs_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="who_wants_enters"):
        judge_runs(exported(peterson(NONE), "who_wants_enters"), claim="who_wants_entry", folder=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["I37", "I38", "I40", "I40-hang", "I40-swept"])
def test_claim_about_runs_of_rocketmq_is_judged_alike(claim: str, tmp_path: Path) -> None:
    request = Request(ROCKETMQ, (claim,), ("4.9.4",))
    outcome = judge_runs(to_export(request, about_runs=True), claim=claim, folder=tmp_path)
    assert str(outcome.verdict) == str(ROCKETMQ.find(claim).case.expected)
