"""How near a text is to a phrase: by the words that both have, in English, Chinese and code.

A word counts by its stem. Words that mean one thing (a table says which, in both languages) count as one. What the
table does not know of Chinese is taken two characters at a time. The rarer a word is among all phrases the more it
weighs, and a word that is in no phrase weighs nothing: who writes more of other things is no further away.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

_CHINESE = re.compile(r"[㐀-鿿]+")
_LATIN = re.compile(r"[a-z]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINED = re.compile(r"\b(re)-(?=[a-z])|\b(fail)[- ](?=over\b)")
_ENDINGS = re.compile(r"(?:ing|edly|ed|es|ly|s|e)$")
_STEM, _SHORT = 6, 3
_GLUE = frozenset(
    "a after an and are as at be been before but by can do does for from had has have how i if in is it its may my no "
    "not of on or so some that the then there they this to was we were what when which while why will with would "
    "you".split()
)
"""Words that are in every text."""
_CHINESE_GLUE = re.compile(
    "为什么|什么|怎么|请问|问题|时候|之后|以后|之前|导致|出现|存在|没有|这个|一个|可以|因为|所以|如果|但是|只有|一直|还是|"
    "[的了在是有会都把就还不没被和与也又很对从到时后里中上下吗呢请一]"
)
"""The same of Chinese, where a word of meaning does not have it."""


def stem(word: str) -> str:
    """What a word has in common with its other forms: its beginning, without an ending.

    >>> [stem(word) for word in ("skipped", "skips", "consumption", "consumers", "offset")]
    ['skip', 'skip', 'consum', 'consum', 'offset']
    """
    cut = _ENDINGS.sub("", word)
    cut = cut if len(cut) >= _SHORT else word
    cut = cut[:-1] if len(cut) > _SHORT and cut[-1] == cut[-2] and cut != word else cut
    return cut[:_STEM]


def english_stems(text: str) -> Iterator[str]:
    """The stems of the words of a text that are no glue; a name of code is taken apart.

    >>> list(english_stems("the setAckIndex of re-consumed messages"))
    ['set', 'ack', 'index', 'recons', 'messag']
    >>> list(english_stems("a fail-over, fail over"))
    ['failov', 'failov']
    """
    apart = _JOINED.sub(r"\1\2", _CAMEL.sub(" ", text).casefold())
    yield from (stem(word) for word in _LATIN.findall(apart) if word not in _GLUE)


@dataclass(frozen=True)
class Meanings:
    """Words that mean one thing, by a name for it: English ones, and pieces of Chinese."""

    words: Mapping[str, tuple[str, ...]]

    @cached_property
    def _by_stem(self) -> Mapping[str, str]:
        return {
            stem(word.casefold()): name
            for name, words in self.words.items()
            for word in (name, *words)
            if not _CHINESE.search(word)
        }

    @cached_property
    def _chinese(self) -> re.Pattern[str]:
        pieces = [word for words in self.words.values() for word in words if _CHINESE.search(word)]
        return re.compile("|".join(sorted(map(re.escape, pieces), key=lambda piece: (-len(piece), piece))) or "(?!)")

    @cached_property
    def _by_piece(self) -> Mapping[str, str]:
        return {word: name for name, words in self.words.items() for word in words if _CHINESE.search(word)}

    def of(self, text: str) -> frozenset[str]:
        """What a text says, a name for each thing."""
        latin = (self._by_stem.get(each, each) for each in english_stems(text))
        return frozenset((*latin, *self._of_chinese(text)))

    def _of_chinese(self, text: str) -> Iterator[str]:
        for run in _CHINESE.findall(text):
            yield from (self._by_piece[piece] for piece in self._chinese.findall(run))
            for rest in _CHINESE_GLUE.sub(" ", self._chinese.sub(" ", run)).split():
                yield from (rest[at : at + 2] for at in range(len(rest) - 1))


@dataclass(frozen=True)
class Scale:
    """How much each word weighs, by how many of the texts have it."""

    weights: Mapping[str, float]

    @classmethod
    def of(cls, texts: Iterable[frozenset[str]]) -> Scale:
        """The scale of these texts."""
        texts = list(texts)
        counts = Counter(word for text in texts for word in text)
        return cls({word: math.log(1 + len(texts) / count) for word, count in counts.items()})

    def weight(self, words: Iterable[str]) -> float:
        """What words weigh together; one that no text has weighs nothing."""
        return sum(self.weights.get(word, 0.0) for word in sorted(words))

    def nearness(self, asked: frozenset[str], phrase: frozenset[str]) -> float:
        """How near two texts are, from 0 to 1: what both have, against what each has."""
        both, own, other = self.weight(asked & phrase), self.weight(asked), self.weight(phrase)
        return both / math.sqrt(own * other) if both else 0.0
