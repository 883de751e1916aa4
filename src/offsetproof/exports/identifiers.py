"""Identifiers of an export: what the target language allows, never one of its own words, and each given out once."""

from __future__ import annotations

import re
from collections.abc import Callable

TLA_WORDS = frozenset(
    """
    ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE
    ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY OTHER
    PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE STRING SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED
    UNION USE VARIABLE VARIABLES WITH WITNESS
    ACTION_CONSTRAINT ACTION_CONSTRAINTS ALIAS CHECK_DEADLOCK CONSTRAINT CONSTRAINTS INIT INVARIANT INVARIANTS NEXT
    POSTCONDITION PROPERTIES PROPERTY SPECIFICATION SYMMETRY TYPE TYPE_CONSTRAINT VIEW
    Cardinality FiniteSets Int Integers IsFiniteSet Nat Naturals Peano Reals Sequences TLC
    """.split()
)
"""Words of TLA+, of TLC's configuration files, and of the standard modules that an export extends."""

PROMELA_WORDS = frozenset(
    """
    active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan d_proctype d_step do else empty
    enabled eval false fi for full get_priority goto hidden if in init inline int len local ltl mtype nempty never
    nfull notrace np od of pc_value pid print printf printm priority proctype provided return run select set_priority
    short show skip timeout trace true typedef unless unsigned xr xs
    """.split()
)
"""The words of Promela."""

C_WORDS = frozenset(
    """
    asm auto bool break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef typeof union unsigned void volatile while
    errno linux maxseq0 minseq0 stderr stdin stdout uchar uint ulong unix ushort wasnew
    """.split()
)
"""The words of C, and the macros and types that are in force where SPIN's program names the fields of its state."""

RUST_WORDS = frozenset(
    """
    abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if
    impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try
    type typeof union unsafe unsized use virtual where while yield
    """.split()
)
"""The words of Rust."""

PROCESS = "system"
"""The name of the one process of a Promela model."""

_LIKE_A_MACRO = re.compile(r"[A-Z]|(sa|si|sigev|st)_")


class Identifiers:
    """Gives out identifiers, each once; `spell` makes one of any text.

    >>> names = Identifiers(spell_in_tla)
    >>> [names.fresh(wanted) for wanted in ("lock.held", "lock_held", "IF")]
    ['lock_held', 'lock_held_2', 'n_IF']
    """

    def __init__(self, spell: Callable[[str], str]) -> None:
        self._spell = spell
        self._given: set[str] = set()

    def fresh(self, wanted: str) -> str:
        """An identifier for a path or an id, with a number behind it where another one has it already."""
        base = self._spell(wanted)
        name, number = base, 1
        while name in self._given:
            number += 1
            name = f"{base}_{number}"
        self._given.add(name)
        return name


def spell(text: str, is_own: Callable[[str], bool] = lambda name: False) -> str:
    """The text as an identifier of a language like C; `is_own` says which names are the language's own.

    >>> [spell(path, lambda name: name == "do") for path in ("consumer[0].cell", "do", "2nd", "größe")]
    ['consumer_0_cell', 'n_do', 'n_2nd', 'gr_e']
    """
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    return name if re.match(r"[A-Za-z]", name) and not is_own(name) else f"n_{name}"


def spell_in_tla(text: str) -> str:
    """The text as a TLA+ identifier: what cannot stand in one becomes an underscore, and underscores stay.

    >>> spell_in_tla("I5-forward"), spell_in_tla("2nd"), spell_in_tla("WF_x"), spell_in_tla("CASE")
    ('I5_forward', 'n_2nd', 'n_WF_x', 'n_CASE')
    """
    name = re.sub(r"[^A-Za-z0-9_]", "_", text)
    is_own = name in TLA_WORDS or name.startswith(("WF_", "SF_"))
    return name if re.match(r"_*[A-Za-z]", name) and not is_own else f"n_{name}"


def is_promelas_own(name: str) -> bool:
    """May a global variable of a Promela model not have this name?

    What starts with a capital letter is refused as a whole, because SPIN's program is full of macros that do.
    """
    return name in PROMELA_WORDS | C_WORDS | {PROCESS} or _LIKE_A_MACRO.match(name) is not None
