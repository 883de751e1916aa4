"""What a violation does to messages: how a model with messages says which are lost and which were repeated.

Given beside a subject's claims, as data: functions of the model, and what shall not happen any more once a claim has
failed. What "in the end" means is the checker's business (`check.effect`), not the model's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.scope import Scope

Amount = Callable[[Any], OffsetSet | int]
"""A set of offsets, or a number of messages, in one state of the model."""


@dataclass(frozen=True)
class Damage:
    """How bad a state is, if it is one that the system comes to rest in.

    `lost` are the messages that nobody will consume from here, `repeated` those that were consumed again without need
    (None: the model cannot say). `outside` names the actions by which something new happens: they end with the
    violation. `settled` gives, for a scope, the ways in which what is outside may come to rest: each maps fields to
    the values that they will have at last; without it the outside stays as it was at the violation.
    """

    lost: Amount
    repeated: Amount | None = None
    outside: tuple[str, ...] = ()
    settled: Callable[[Scope], Sequence[Mapping[str, Any]]] | None = None
