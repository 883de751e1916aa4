"""Traces in natural timing: which of them have a scenario, and how often what they tell happens by itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offsetproof.checking.replaying import replay_trace
from offsetproof.conformance.on_release import OtherModelError
from offsetproof.real.fetching import fetch
from offsetproof.real.kept_logs import folder_for
from offsetproof.real.natural.scenarios import SCENARIOS, scenario_of
from offsetproof.real.natural.trying import Scenario, Tally, try_scenario
from offsetproof.real.replay import OutcomeKind
from offsetproof.real.whole.cluster import whole_rig
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.trace import Trace

TRIES = "tries.json"
"""Beside the logs: what was seen in each try."""


@dataclass(frozen=True)
class NaturalReplay:
    """What became of a trace in natural timing on a release; without a tally, nobody has said how it is set up."""

    name: str
    trace: Trace
    release: str
    tally: Tally | None
    seconds: float

    @property
    def outcome(self) -> OutcomeKind:
        """Reproduced where it happened at least once."""
        return OutcomeKind.REPRODUCED if self.tally is not None and self.tally.happened else OutcomeKind.NOT_FORCEABLE

    @property
    def reason(self) -> str | None:
        """Why it was not reproduced."""
        if self.tally is None:
            known = [story for scenario in SCENARIOS for story in scenario.stories]
            return f"nobody has written a scenario of natural timing for it; there is one of {', '.join(known)}"
        if not self.tally.told:
            return f"no try came far enough to tell: {self.tally.ends[0].seen}"
        return None if self.tally.happened else f"it did not happen in {self.tally.told} tries"


def scenario_for(name: str, trace: Trace) -> Scenario | None:
    """The scenario of a trace that is a recorded story, whatever its name here. OtherModelError as for `prepare`."""
    replayed = replay_trace(trace)
    if not replayed.agrees:
        raise OtherModelError(f"{name}: {replayed}; only what the model does now is tried on the real classes")
    stories = recorded_stories()
    story = next((each for each in stories if scenario_of(each) and stories[each] == trace), None)
    return None if story is None else scenario_of(story)


def replay_naturally(
    traces: Mapping[str, tuple[Trace, Scenario | None]],
    release: str,
    times: int,
    *,
    patience: float,
    seed: int = 0,
    logs: Path | None = None,
    tell: Callable[[object], None] = lambda said: None,
) -> Iterator[NaturalReplay]:
    """Tries the scenario of each trace; traces with the same scenario share its tries.

    PrerequisiteError where a release's jars, or a part of them, are missing; SidecarError where a JVM dies or hangs.
    """
    done: dict[str, Tally] = {}
    for name, (trace, scenario) in traces.items():
        begun = time.monotonic()
        if scenario is not None and scenario.name not in done:
            rig = whole_rig(fetch(release, tell=tell).jars)
            own = None if logs is None else folder_for(logs, scenario.name)
            done[scenario.name] = tally = try_scenario(
                rig, scenario, times, seed=seed, patience=patience, logs=own, tell=tell
            )
            if own is not None:
                (own / TRIES).write_text(json.dumps(tally_as_json(tally), indent=1) + "\n", encoding="utf-8")
        found = done.get(scenario.name) if scenario else None
        yield NaturalReplay(name, trace, release, found, time.monotonic() - begun)


def tally_as_json(tally: Tally) -> dict[str, Any]:
    """All tries of a scenario as plain data."""
    return {
        "scenario": tally.scenario.name,
        "release": tally.release,
        "happened": tally.happened,
        "told": tally.told,
        "tries": [
            {"number": end.number, "happened": end.happened, "seen": end.seen, "seconds": round(end.seconds, 1)}
            for end in tally.ends
        ],
    }
