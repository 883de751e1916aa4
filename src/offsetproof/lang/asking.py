"""What code asks of the model that it runs in, so that the same can be asked of the model in another setting.

Whatever differs between a model's settings is asked for where it is read: a field (what its numbers mean), a bound of
the scope, what is in a component, an array, a queue or a bag. `Tree.answers` has a tree's answers. Behaviours and
assumptions are collected by the setting itself.
"""

from __future__ import annotations

from offsetproof.lang.collecting import Collector

Question = tuple[object, ...]
"""What is asked for, and of what: `("field", "consumer[0].cell")`."""

SCOPE: Question = ("scope",)
"""Asked where more of a scope is looked at than a bound by its name."""

_questions = Collector[Question]()

collect_questions = _questions.collect
"""Adds whatever is asked of any model meanwhile to a set."""


def note_question(*question: object) -> None:
    """Notes that the answer decides how the code that is running goes on."""
    _questions.note(question)
