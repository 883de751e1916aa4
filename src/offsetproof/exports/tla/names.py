"""Identifiers of a TLA+ module: valid, never reserved, and each given out once.

TLA+ forbids that a bound name hides a declared one, so the names of variables, operators, parameters and LETs all come
out of one `TlaIdentifiers`.
"""

from __future__ import annotations

import re

RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
    ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE
    ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY OTHER
    PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE STRING SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED
    UNION USE VARIABLE VARIABLES WITH WITNESS
    ACTION_CONSTRAINT ACTION_CONSTRAINTS ALIAS CHECK_DEADLOCK CONSTRAINT CONSTRAINTS INIT INVARIANT INVARIANTS NEXT
    POSTCONDITION PROPERTIES PROPERTY SPECIFICATION SYMMETRY TYPE TYPE_CONSTRAINT VIEW
    Cardinality FiniteSets Int Integers IsFiniteSet Nat Naturals Peano Reals Sequences TLC
    """,
    )
)
"""Words of TLA+, of TLC's configuration files, and of the standard modules that an export extends."""


def identifier(text: str) -> str:
    """The text as a TLA+ identifier: what cannot stand in one becomes an underscore.

    >>> identifier("I5-forward"), identifier("2nd"), identifier("WF_x")
    ('I5_forward', 'n_2nd', 'n_WF_x')
    """
    name = re.sub(r"[^A-Za-z0-9_]", "_", text)
    return f"n_{name}" if not re.match(r"_*[A-Za-z]", name) or name.startswith(("WF_", "SF_")) else name


def camel(text: str) -> str:
    """An action's name as TLA+ people write operators.

    >>> camel("broker_executes_commit")
    'BrokerExecutesCommit'
    """
    return "".join(part[:1].upper() + part[1:] for part in text.split("_"))


class TlaIdentifiers:
    """Gives out identifiers, each once."""

    def __init__(self) -> None:
        self._taken = set(RESERVED)

    def fresh(self, wanted: str) -> str:
        """The wanted name as an identifier, with a number behind it if it is taken already."""
        base = identifier(wanted)
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name
