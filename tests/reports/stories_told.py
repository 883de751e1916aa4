"""Recorded stories and small models as pages, for the tests."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import ValidationError, convert

from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.replaying import replay_trace
from offsetproof.lang.stage import Staged
from offsetproof.reading.typed_json import write_json
from offsetproof.reports.html.data import ComparePageJson, IndexPageJson, StoryPageJson
from offsetproof.reports.html.story import NamedStory, story_json
from offsetproof.traces.brief import outline_of
from offsetproof.traces.recorded_stories import recorded_stories

PAGES = {"story": StoryPageJson, "index": IndexPageJson, "compare": ComparePageJson}

ENDLESS = '''"""A sender that tries again, and a channel that loses what it likes."""

from offsetproof.lang import *


class Channel(Model):
    """One message, sent until it is received; somebody waits for a letter first."""

    is_told: bool = flag()
    under_way: bool = flag()
    received: bool = flag()

    @action(actor="world", fair=Fairness.NONE)
    def tells(self) -> None:
        """Tells the sender what to send."""
        require(not self.is_told)
        self.is_told = True

    @action(actor="sender")
    def sends(self) -> None:
        """Sends the message."""
        require(self.is_told, not self.received, not self.under_way)
        self.under_way = True

    @action(actor="channel", fair=Fairness.NONE)
    def loses(self) -> None:
        """Loses the message."""
        require(self.under_way)
        self.under_way = False

    @action(actor="channel", thread="delivery")
    def delivers(self) -> None:
        """Delivers the message, if it still is under way."""
        require(self.under_way)
        self.under_way, self.received = False, True

    @leads_to
    def is_received(self) -> tuple[bool, bool]:
        """What is to be sent is received."""
        return self.is_told, self.received

    @eventually
    def is_known(self) -> bool:
        """The sender is told."""
        return self.is_told
'''
"""One claim fails in a run that comes back, one in a run that ends before it begins."""

HOSTILE = r'''
from offsetproof.lang import *

LONG = "n" * 10_000


class Hostile(Model):
    """Names that a page must show and not obey."""

    scopes = (Scope("small", {"top": 2}),)
    fixes = (Fix("x", "<script>document.title = 'obeyed'</script>"),)
    x: int = integer(0, "top")

    @action(
        actor="</script><script>document.title='obeyed'</script>",
        thread="\"><img src=x onerror=\"document.title='obeyed'\">",
        stands_for=[at("A<b>", "m&amp;", line=3)],
        logs="<!-- {{ 7 * 7 }} ${1}",
    )
    def rises(self) -> None:
        """</script><script>document.title='obeyed'</script> & 'quoted' "twice".

        <b>More</b> {{ 7 * 7 }}
        """
        require(self.x < 1)
        self.x = self.x + 1

    @action(actor=LONG, thread="\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd \u202eabc")
    def goes_on(self) -> None:
        require(self.x == 1)
        self.x = 2

    @always(id="<script>document.title='obeyed'</script>", expected=REFUTED)
    def stays_small(self) -> bool:
        """It <i>stays</i> \u05e7\u05d8\u05df & "small"; </script><script>document.title='obeyed'</script>."""
        return self.x < 2
'''
"""A model whose texts are all attempts at a page."""

LONG = '''
from offsetproof.lang import *


class Long(Model):
    """A worker that counts to a thousand, with a clerk who writes every number down."""

    scopes = (Scope("long", {"top": 500}),)
    x: int = integer(0, "top")
    written: int = integer(0, "top")

    @action(actor="worker", thread="hand")
    def worker_counts(self) -> None:
        """Counts one more, if the last one is written down."""
        require(self.x == self.written, self.x < self.scope.top)
        self.x = self.x + 1

    @action(actor="clerk", thread="pen")
    def clerk_writes(self) -> None:
        """Writes the number down."""
        require(self.written < self.x)
        self.written = self.x

    @always(expected=REFUTED)
    def never_done(self) -> bool:
        """The clerk never writes the last number."""
        return self.written < self.scope.top
'''
"""A model with a story of 1,000 steps."""

HEBREW = '''
from enum import Enum

from offsetproof.lang import *


class Light(Enum):
    \u05d0\u05d3\u05d5\u05dd = 0
    \u05d9\u05e8\u05d5\u05e7 = 1


class Counts(Model):
    """A counter and a light with names that are written from right to left."""

    scopes = (Scope("small", {"top": 2}),)
    \u05e9\u05dd: int = integer(0, "top")
    \u05d0\u05d5\u05e8: Light = one_of(Light)

    @action(actor="\u05d9\u05d3", thread="hand")
    def counts(self) -> None:
        """\u05d0\u05d7\u05d3 \u05e0\u05d5\u05e1\u05e3."""
        require(self.\u05e9\u05dd < self.scope.top)
        self.\u05e9\u05dd = self.\u05e9\u05dd + 1
        self.\u05d0\u05d5\u05e8 = Light.\u05d9\u05e8\u05d5\u05e7

    @always(expected=REFUTED)
    def stays_small(self) -> bool:
        """It stays small."""
        return self.\u05e9\u05dd < 1 or self.\u05d0\u05d5\u05e8 == Light.\u05d0\u05d3\u05d5\u05dd
'''
"""A model whose fields, values, actor and words are Hebrew."""

SYMPTOMS = [
    {"kind": kind, "why": [], "where": "x", "effect": "y", "now": [], "no_procedure": "none", "story": None,
     "pages": [], "says": says, "phrases": [phrase], "seen_in": [release]}
    for kind, says, phrase, release in (
        ("reset", "the reset did not stick", "重置消费位点后又回退", "4.9.4"),
        ("skipped", "messages were skipped", "消息丢失", "5.3.3"),
    )
]  # fmt: skip
"""Two symptoms as the index has them, of two kinds and two releases, with words in two languages."""


@cache
def told(name: str) -> NamedStory:
    """A recorded story with all that its model says of it."""
    trace = recorded_stories()[name].story
    replay = replay_trace(trace).replay
    assert replay is not None
    outline = outline_of(replay, Staged(replay.reference.model, replay.reference.setting))
    return NamedStory(name, trace, SINGLES[str(trace.subject)].subjects[0], outline)


@cache
def data_of(name: str) -> dict[str, Any]:
    """The data of a recorded story's page."""
    data: dict[str, Any] = json.loads(write_json(story_json(told(name))))
    return data


def complaints(data: dict[str, Any]) -> list[str]:
    """What is wrong with the data of a page, if anything is."""
    try:
        convert(data, PAGES.get(data["page"], StoryPageJson))
    except ValidationError as error:
        return [str(error)]
    return []


def block_of(page: str) -> Any:
    """The data that is in a page."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    return json.loads(text)


def the_story(folder: Path) -> Path:
    """The only story of a report."""
    (file,) = (each for each in folder.glob("*.html") if each.name not in ("index.html", "compare.html"))
    return file
