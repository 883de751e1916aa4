"""Two traces side by side, for `show A B`: where do they part, and what does each do there?

Steps are aligned on the longest common beginning, then on equal actions (difflib), so that an extra step in one trace
does not shift the rest. What is longer than a window is aligned window by window, because difflib's work grows with
the cube of the length. The column between the two marks what differs:

    =  the same    !  both have it, but it differs    <  only in the left one    >  only in the right one
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from textwrap import TextWrapper

from offsetproof.escaping import one_line
from offsetproof.traces.text import WIDTH_MIN, claims_shown, heading
from offsetproof.traces.trace import Trace, TraceStep, show_value

Pair = tuple[int | None, int | None]
"""Positions of two steps that belong together; None where one trace has no such step."""


WINDOW = 256
"""How many steps of each trace are aligned at once."""


def side_by_side(a: Trace, b: Trace, width: int = 160) -> str:
    """Two traces beside each other, at most `width` columns wide (at least 63)."""
    a, b = a.story, b.story
    column = max((width - 3) // 2, WIDTH_MIN)
    lines = [*_rows(_head_cells(a), _head_cells(b), column)]
    lines += ["", *_rows(*_initial(a, b), column)]
    for left, right in align_steps(a.steps, b.steps):
        lines += ["", *_rows(_cells(a, left), _cells(b, right), column)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def align_steps(a: Sequence[TraceStep], b: Sequence[TraceStep]) -> list[Pair]:
    """Which step of one trace belongs beside which of the other, in the order of both."""
    common = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x.label != y.label), min(len(a), len(b)))
    pairs: list[Pair] = [(i, i) for i in range(common)]
    left = right = common
    while max(len(a) - left, len(b) - right) > WINDOW:
        ends = min(left + WINDOW, len(a)), min(right + WINDOW, len(b))
        half = left + WINDOW // 2, right + WINDOW // 2
        window = _match_stretch(a, b, (left, ends[0]), (right, ends[1]), _KEYS)
        settled = [*takewhile(lambda pair, half=half: _is_before(pair, half), window)]  # type: ignore[misc]  # default argument binds the loop variable
        pairs += settled
        left += sum(i is not None for i, _ in settled)
        right += sum(j is not None for _, j in settled)
    return [*pairs, *_match_stretch(a, b, (left, len(a)), (right, len(b)), _KEYS)]


_KEYS: Sequence[Callable[[TraceStep], object]] = (lambda step: step.label, lambda step: step.action)
"""What makes two steps equal, first in all and then in what is left between."""


def _is_before(pair: Pair, half: tuple[int, int]) -> bool:
    """Is a pair in the first half of a window, where nothing depends on what comes behind the window?"""
    return all(i is None or i < end for i, end in zip(pair, half, strict=True))


def _match_stretch(
    a: Sequence[TraceStep],
    b: Sequence[TraceStep],
    left: tuple[int, int],
    right: tuple[int, int],
    keys: Sequence[Callable[[TraceStep], object]],
) -> Iterator[Pair]:
    """Pairs of one stretch: by the first key, and between its matches by the next."""
    if not keys:
        yield from ((i, None) for i in range(*left))
        yield from ((None, j) for j in range(*right))
        return
    key, *others = keys
    at_left, at_right = left[0], right[0]
    matcher = SequenceMatcher(None, [*map(_text(key), a[slice(*left)])], [*map(_text(key), b[slice(*right)])], False)
    for block in matcher.get_matching_blocks():
        i, j = left[0] + block.a, right[0] + block.b
        yield from _match_stretch(a, b, (at_left, i), (at_right, j), others)
        yield from ((i + k, j + k) for k in range(block.size))
        at_left, at_right = i + block.size, j + block.size


def _text(key: Callable[[TraceStep], object]) -> Callable[[TraceStep], str]:
    return lambda step: repr(key(step))


Cells = Mapping[str, str]
"""The lines of one side, by what they are about: a field's path, or words (which no path is)."""

_NUMBER = "the number"


def _head_cells(trace: Trace) -> Cells:
    cells: dict[str, str] = {}
    for line in heading(trace):
        key = line.split(":")[0] if line.startswith("  ") else ""
        cells[f"{key} {sum(other.startswith(key) for other in cells)}"] = line
    return cells


def _initial(a: Trace, b: Trace) -> tuple[Cells, Cells]:
    """The initial values that differ, or that a step of either trace changes."""
    changing = {path for trace in (a, b) for step in trace.steps for path in step.changed}
    sides = []
    for trace, other in ((a, b), (b, a)):
        cells = {"": "  0  the initial state"}
        for path, value in trace.initial.items():
            if path in changing or path in trace.chosen or path not in other.initial or other.initial[path] != value:
                cells[path] = f"     {path} = {show_value(value)}"
        cells |= {f"claim {i}": f"     {line}" for i, line in enumerate(claims_shown(trace.initial_claims, {}))}
        sides.append(cells)
    return sides[0], sides[1]


def _cells(trace: Trace, index: int | None) -> Cells:
    if index is None:
        return {}
    step = trace.steps[index]
    fault = f" (fault: {step.fault})" if step.fault else ""
    cells = {_NUMBER: f"{step.number:>3}  {step.actor}, {step.thread}:", "the action": f"     {step.name}{fault}"}
    cells |= {f"stands for {i}": f"     {anchor}" for i, anchor in enumerate(step.stands_for)}
    cells |= {path: f"     {path}: {show_value(old)} -> {show_value(new)}" for path, (old, new) in step.changed.items()}
    return cells | {line.split(" is ")[0]: f"     {line}" for line in claims_shown(step.claims, trace.truths[index])}


def _rows(left: Cells, right: Cells, column: int) -> Iterator[str]:
    for key in [*left, *(key for key in right if key not in left)]:
        a, b = left.get(key), right.get(key)
        mark = (
            ">"
            if a is None
            else "<"
            if b is None
            else "="
            if _without_number(a, key) == _without_number(b, key)
            else "!"
        )
        halves = _break_cell(a, column), _break_cell(b, column)
        for i in range(max(map(len, halves))):
            texts = [half[i] if i < len(half) else "" for half in halves]
            yield f"{texts[0]:<{column}} {mark} {texts[1]}"


def _without_number(text: str, key: str) -> str:
    return text[3:] if key == _NUMBER else text


def _break_cell(text: str | None, column: int) -> list[str]:
    if text is None:
        return [""]
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    return TextWrapper(column, subsequent_indent=indent, break_on_hyphens=False).wrap(one_line(text)) or [""]
