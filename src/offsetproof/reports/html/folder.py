"""Which pages there are: in a report one per counterexample and reached witness, an index, and one for two stories.

Of a trace that has been replayed it is one, `show --format html`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from offsetproof.checking.answers import Answer, have_several_subjects
from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.checking.replaying import Replayed
from offsetproof.reports.file_names import file_name, free_name, trace_name
from offsetproof.reports.html.data import ComparedJson, ComparePageJson
from offsetproof.reports.html.index import index_json
from offsetproof.reports.html.pages import compare_page, index_page, story_page
from offsetproof.reports.html.story import NamedStory, story_json
from offsetproof.reports.json import envelope
from offsetproof.reports.shown import outline_shown
from offsetproof.traces.recorded_stories import recorded_name, recorded_stories
from offsetproof.traces.store import write_record
from offsetproof.traces.trace import Trace
from offsetproof.verdict.question import Question

INDEX, COMPARE = "index.html", "compare.html"


def report_pages(
    subject: str, answers: Sequence[Answer], asked: int | None = None, large: Sequence[Question] = ()
) -> Iterator[tuple[str, str]]:
    """The files of a report, each with its text, the index last: what leads to the others is there when they are."""
    names = story_names(answers)
    story_by_name = {name: _named_story(answers[place], name) for place, name in reversed(names.items())}
    stories = [story_by_name[name] for name in dict.fromkeys(names.values())]
    for each in stories:
        yield f"{each.name}.html", story_page(story_json(each))
    if stories:
        yield COMPARE, compare_page(_compare_json(subject, stories))
    yield INDEX, index_page(index_json(subject, answers, names, asked, large))


def story_names(answers: Sequence[Answer]) -> dict[int, str]:
    """What the story of each answer that has one is called: as it is recorded, or by its claim and its world.

    Answers have one story only where all that is recorded of it is the same: scope, values, effect and times, too.
    """
    subjects = have_several_subjects(answers)
    names: dict[int, str] = {}
    known: dict[object, str] = {}
    for place, answer in enumerate(answers):
        if answer.trace is not None:
            same = (*answer.key, write_record(answer.trace))
            if same not in known:
                own = page_name(trace_name(answer, with_subject=subjects))
                known[same] = recorded_or_free(recorded_name(answer.trace), own, {*known.values()})
            names[place] = known[same]
    return names


def _named_story(answer: Answer, name: str) -> NamedStory:
    assert answer.trace is not None
    return NamedStory(name, answer.trace, answer.subject, answer.outline)


def recorded_or_free(recorded: str | None, own: str, taken: Set[str] = frozenset()) -> str:
    """The name of the recorded story that a story is, else its own, which is never that of a recorded one."""
    return recorded if recorded and recorded not in taken else free_name(own, {*taken, *recorded_stories()})


def page_name(meant: str) -> str:
    """The name of a story's page, without its suffix; never that of the index or of the comparison."""
    return file_name(meant, [page.removesuffix(".html") for page in (INDEX, COMPARE)])


def _compare_json(subject: str, stories: Sequence[NamedStory]) -> ComparePageJson:
    rows = (
        ComparedJson(
            name=each.name,
            title=each.trace.property.title,
            scope=each.trace.world.scope.name,
            steps=each.trace.length,
        )
        for each in stories
    )
    return ComparePageJson(**envelope(subject), page="compare", stories=tuple(rows))


def shown_html(trace: Trace, outcome: Replayed) -> str:
    """The story's page: with what the model and its claims say, where the trace is what the model does."""
    replay, entry = outcome.replay, BUILT_INS.get(trace.subject or "")
    model = replay.reference.model if replay else None
    subject = next((each for each in (entry.subjects if entry else ()) if each.model is model), None)
    own = page_name(f"{trace.property.id}-{trace.world.scope.name}")
    name = recorded_or_free(recorded_name(trace), own)
    return story_page(story_json(NamedStory(name, trace.story, subject, outline_shown(outcome), outcome)), alone=True)


def page_of_answer(answer: Answer) -> str:
    """The page of an answer's story, alone."""
    return story_page(story_json(_named_story(answer, story_names([answer])[0])), alone=True)
