"""A trace that has been replayed, in each form for programs."""

from __future__ import annotations

from offsetproof.checking.replaying import Replayed
from offsetproof.lang.stage import Staged
from offsetproof.reading.typed_json import write_json
from offsetproof.traces.acting import takers
from offsetproof.traces.brief import Outline, outline_of
from offsetproof.traces.dot import to_dot
from offsetproof.traces.graph import to_graphml
from offsetproof.traces.itf import itf_text
from offsetproof.traces.mermaid import to_mermaid
from offsetproof.traces.store import ReplayedJson, record
from offsetproof.traces.trace import Trace


def shown_json(trace: Trace, outcome: Replayed) -> str:
    """The trace as it is recorded, with what its replay came to."""
    return write_json(record(trace, ReplayedJson(agrees=outcome.agrees, reason=outcome.reason or None)))


def shown_mermaid(trace: Trace, outcome: Replayed) -> str:
    """A chart; with arrows to who takes up what was done, where the model could be asked."""
    replay = outcome.replay
    if replay is None:
        return to_mermaid(trace)
    return to_mermaid(trace, takers(replay, Staged(replay.reference.model, replay.reference.setting)))


def outline_shown(outcome: Replayed) -> Outline | None:
    """What a brief telling needs to know of a trace; None where no model could be asked."""
    replay = outcome.replay
    if replay is None:
        return None
    return outline_of(replay, Staged(replay.reference.model, replay.reference.setting))


def shown_itf(trace: Trace, _outcome: Replayed) -> str:
    """States as Apalache and Quint read them."""
    return itf_text(trace)


def shown_dot(trace: Trace, _outcome: Replayed) -> str:
    """A drawing for Graphviz."""
    return to_dot(trace)


def shown_graphml(trace: Trace, _outcome: Replayed) -> str:
    """A graph for programs that read GraphML."""
    return to_graphml(trace)
