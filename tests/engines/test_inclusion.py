"""Whether one graph shows only what another shows: against all words of random graphs, and by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.engines.explicit import blocks as blocks_module
from offsetproof.engines.explicit.blocks import Blocks, blocks_of
from offsetproof.engines.explicit.inclusion import Follower, follow

Graph = tuple[list[int], list[list[int]]]
"""What is seen in each state, and where its steps lead; state 0 is initial."""


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    count = draw(st.integers(1, 5))
    seen = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    steps = [draw(st.lists(st.integers(0, count - 1), max_size=3)) for _ in range(count)]
    return seen, steps


def make_blocks(graph: Graph) -> Blocks:
    seen, steps = graph
    starts = np.cumsum([0, *map(len, steps)])
    targets = np.array([target for each in steps for target in each], np.int32)
    return blocks_of(starts, targets, np.array(seen, np.int64), [0])


def words(graph: Graph, length: int) -> set[tuple[int, ...]]:
    """All that can be seen in up to so many changes, by walking every state and word."""
    seen, steps = graph
    found = {(0, (seen[0],))}
    waiting = [*found]
    while waiting:
        state, word = waiting.pop()
        for target in steps[state]:
            longer = word if seen[target] == word[-1] else (*word, seen[target])
            if len(longer) <= length and (target, longer) not in found:
                found.add((target, longer))
                waiting.append((target, longer))
    return {word for _, word in found}


def fewest_steps(graph: Graph, word: Sequence[int]) -> int:
    """The fewest steps that show a word, by walking states; the word can be shown."""
    seen, steps = graph
    now, count = {(0, 1)}, 0
    while not any(shown == len(word) for _, shown in now):
        after = {(target, shown) for state, shown in now for target in steps[state]}
        now |= {
            (target, shown + number)
            for target, shown in after
            for number in (0, 1)
            if seen[target] == word[shown - 1 + number]
        }
        count += 1
    return count


def word_of(seen: Sequence[int], run: Sequence[int]) -> tuple[int, ...]:
    word: list[int] = []
    for block in run:
        if not word or word[-1] != seen[block]:
            word.append(seen[block])
    return tuple(word)


def runs_of(blocks: Blocks, run: Sequence[int]) -> Iterator[bool]:
    """Is each step of a run one of the blocks?"""
    for block, target in pairwise(run):
        yield target in blocks.silent[block] or any(target in to for to in blocks.visible[block].values())


@reproducible(100)
@given(graphs(), graphs())
def test_what_cannot_be_followed_is_a_shortest_word_that_only_one_has(one: Graph, other: Graph) -> None:
    """In graphs of five states a difference shows in at most 5 * 2**5 changes; words of seven are looked at."""
    first, second = make_blocks(one), make_blocks(other)
    found = follow(Follower(first), Follower(second)).unfollowed
    only = {word for word in words(one, 7) if word not in words(other, 7)}
    if found is None:
        assert not only
        return
    word = word_of(first.seen, found.run)
    assert all(runs_of(first, found.run))
    assert found.run[0] in first.initial
    assert all(runs_of(second, found.other))
    assert word_of(second.seen, found.other) == word[:-1]
    if len(word) <= 7:
        assert word in only
        assert len(word) == min(map(len, only))
        assert len(found.run) - 1 == min(fewest_steps(one, each) for each in only if len(each) == len(word))
        assert all((*word[:-1], seen) in words(other, 7) for seen in found.instead)
    else:
        assert not only


@reproducible(100)
@given(graphs())
def test_blocks_show_what_states_show(graph: Graph) -> None:
    """A graph and its blocks follow each other; states of a block show the same and have the same blocks next."""
    seen, steps = graph
    blocks = make_blocks(graph)
    quotient = (
        [*blocks.seen],
        [[*blocks.silent[i], *(t for to in each.values() for t in to)] for i, each in enumerate(blocks.visible)],
    )
    for a, b in ((graph, quotient), (quotient, graph)):
        assert follow(Follower(make_blocks(a)), Follower(make_blocks(b))).unfollowed is None
    for state, block in enumerate(blocks.block_of.tolist()):
        assert seen[state] == blocks.seen[block]
        after = {int(blocks.block_of[target]) for target in steps[state]}
        known = {*blocks.silent[block], *(t for to in blocks.visible[block].values() for t in to)}
        assert after - {block} == known


def test_of_words_that_lead_to_the_same_place_the_one_of_fewest_steps_is_told() -> None:
    """0 1 3 4 takes five steps, 0 2 3 4 takes three; after the 3 both are the same pair of subsets."""
    seen, steps = [0, 0, 0, 1, 2, 3, 4], [[1, 4], [2], [3], [5], [5], [6], []]
    one, other = make_blocks((seen, steps)), make_blocks((seen, [*steps[:5], [], []]))
    found = follow(Follower(one), Follower(other)).unfollowed
    assert found is not None
    assert (word_of(one.seen, found.run), len(found.run)) == ((0, 2, 3, 4), 4)


def test_unseen_steps_are_not_seen() -> None:
    quick, slow = ([0, 1], [[1], []]), ([0, 0, 0, 1, 1], [[1], [2], [3], [4], []])
    for one, other in ((quick, slow), (slow, quick)):
        assert follow(Follower(make_blocks(one)), Follower(make_blocks(other))).unfollowed is None


def test_a_choice_made_early_shows_no_less() -> None:
    """The words are the same, though after the first change one system has chosen already (not bisimilar)."""
    early = [0, 1, 1, 2, 0], [[1, 2], [3], [4], [], []]
    late = [0, 1, 2, 0], [[1], [2, 3], [], []]
    for one, other in ((early, late), (late, early)):
        assert follow(Follower(make_blocks(one)), Follower(make_blocks(other))).unfollowed is None


def test_of_the_fewest_changes_the_run_with_the_fewest_steps_is_told() -> None:
    one = [0, 0, 1, 2], [[1, 3], [2], [], []]
    found = follow(Follower(make_blocks(one)), Follower(make_blocks(([0], [[]])))).unfollowed
    assert found is not None
    assert word_of(make_blocks(one).seen, found.run) == (0, 2)
    assert (len(found.run), found.instead) == (2, ())


def test_another_beginning_cannot_be_followed_at_all() -> None:
    found = follow(Follower(make_blocks(([1], [[]]))), Follower(make_blocks(([0], [[]])))).unfollowed
    assert found is not None
    assert (found.run, found.other, found.instead) == ((0,), (), (0,))


def test_states_that_a_hash_confuses_are_not_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "_with_signatures", lambda block, starts, targets: block)
    with pytest.raises(ArithmeticError, match="two states that differ have the same hash"):
        make_blocks(([0, 0, 1], [[1], [2], []]))
