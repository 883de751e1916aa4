"""offsetproof: a stateful model checker for the way Apache RocketMQ moves consumer offsets.

    import offsetproof
    from offsetproof.lang import Model, action, always, flag, require

`offsetproof.check` decides claims; `offsetproof.lang` is what a model file imports; the command line is `offsetproof`.
docs/python.md has examples. What is named here is imported when it is used.
"""

from __future__ import annotations

from offsetproof.version import __version__ as __version__

TYPE_CHECKING = False  # the name is enough for type checkers, and `typing` takes longer to load than all else here

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from offsetproof.api.asking import Asked, Claims
    from offsetproof.api.results import Answer, CheckInterruptedError, Results
    from offsetproof.lang.errors import DeclarationError, RefusedError
    from offsetproof.lang.scope import Scope, UnknownNameError
    from offsetproof.lang.setting import Assumption, Fix, Listener, Release
    from offsetproof.lang.subject import NoSubjectError
    from offsetproof.traces.trace import Trace
    from offsetproof.verdict.prerequisite import PrerequisiteError
    from offsetproof.verdict.result import DisagreementError, Verdict

__all__ = [
    "Answer",
    "CheckInterruptedError",
    "DeclarationError",
    "DisagreementError",
    "NoSubjectError",
    "PrerequisiteError",
    "RefusedError",
    "Results",
    "Trace",
    "UnknownNameError",
    "Verdict",
    "__version__",
    "check",
]

_HOMES = {
    "Answer": "api.results",
    "CheckInterruptedError": "api.results",
    "DeclarationError": "lang.errors",
    "DisagreementError": "verdict.result",
    "NoSubjectError": "lang.subject",
    "PrerequisiteError": "verdict.prerequisite",
    "RefusedError": "lang.errors",
    "Results": "api.results",
    "Trace": "traces.trace",
    "UnknownNameError": "lang.scope",
    "Verdict": "verdict.result",
}


def check(
    subject: Asked = None,
    claims: Claims | Iterable[Claims] = (),
    *,
    scope: str | Scope | None = None,
    bounds: Mapping[str, int | str] | None = None,
    release: str | Release | Iterable[str | Release] = (),
    fixes: str | Fix | Iterable[str | Fix] = (),
    assumptions: str | Assumption | Iterable[str | Assumption] = (),
    listener: str | Listener | None = None,
    engine: str = "explicit",
    depth: int = 25,
    seed: int = 0,
    max_states: int | None = None,
    max_memory: int | None = None,
    timeout: float | None = None,
    workers: int = 1,
) -> Results:
    """Decides claims about a model, as `offsetproof check` does; the answers, in the order of the catalogue.

    `subject` is a model class, or a name as on the command line: `rocketmq` (also without any), `toys`, a Python file,
    a module. `claims` are ids, names or decorated functions, one or several; without them, all of the subject's. A
    decorated function need not be declared beside the model.

    `scope` is a scope of the model by name, `all`, or one of your own, which gets the model's defaults; without it each
    claim is asked in its own scopes. `bounds` change its bounds. `release`, `fixes`, `assumptions` and `listener` are
    names or the model's own objects, and mean what the options of the same names mean; without `release` the usual one
    of the model is asked, or each where it has none.

    `engine` is `explicit`, `smt` (which unrolls `depth` steps), `stateful` (whose random choices start from `seed`),
    `spark` or `all`. Each question may take `max_states` states, `max_memory` bytes (without it four fifths of what is
    free) and `timeout` seconds; one that meets a limit is UNKNOWN, with the reason. In another thread than the main one
    limits hold for the search, but not for the staging before it. With more `workers` than one, so many processes that
    are forked from this one decide the questions, each with its share of the memory; `explicit` alone can be so asked.

    Raises UnknownNameError for a claim, scope, bound, fix or engine that does not exist (with the nearest that does),
    NoSubjectError where there is no such file or model, DeclarationError and RefusedError for a model that is wrong or
    cannot be staged (with file and line), TypeError for an argument of another kind than it may be, ValueError for a
    limit that is too small, PrerequisiteError where the engine needs something that is not installed, DisagreementError
    where two runs that must agree do not, and on Ctrl-C CheckInterruptedError, which has the answers so far.
    """
    from offsetproof.api.arguments import Spent, Where
    from offsetproof.api.asking import asking_of

    world = Where.of(scope, bounds, release, fixes, assumptions, listener)
    spent = Spent(engine, depth, seed, max_states, max_memory, timeout, workers)
    return asking_of(subject, claims, world, spent).decide()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
