"""A trace that has been replayed, as a page: `show --format html`."""

from __future__ import annotations

from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.checking.replaying import Replayed
from offsetproof.lang.stage import Staged
from offsetproof.reports.html.folder import file_name, recorded_or_free
from offsetproof.reports.html.pages import story_page
from offsetproof.reports.html.story import NamedStory, story_json
from offsetproof.traces.brief import outline_of
from offsetproof.traces.recorded_names import recorded_name
from offsetproof.traces.trace import Trace


def shown_html(trace: Trace, outcome: Replayed) -> str:
    """The story's page: with what the model and its claims say, where the trace is what the model does."""
    replay, entry = outcome.replay, BUILT_INS.get(trace.subject or "")
    model = replay.reference.model if replay else None
    outline = outline_of(replay, Staged(replay.reference.model, replay.reference.setting)) if replay else None
    subject = next((each for each in (entry.subjects if entry else ()) if each.model is model), None)
    own = file_name(f"{trace.property.id}-{trace.world.scope.name}")
    name = recorded_or_free(recorded_name(trace), own)
    return story_page(story_json(NamedStory(name, trace.story, subject, outline, outcome)))
