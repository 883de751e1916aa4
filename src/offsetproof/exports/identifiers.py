"""Identifiers of an export: what the target language allows, never one of its own words, and each given out once."""

from __future__ import annotations

import re
from collections.abc import Callable


class Identifiers:
    """Gives out identifiers of one language. `is_taken` says which names are the language's own."""

    def __init__(self, is_taken: Callable[[str], bool]) -> None:
        self._is_taken = is_taken
        self._given: set[str] = set()

    def fresh(self, wanted: str) -> str:
        """An identifier for a path or an id that no other call of this object gives out.

        >>> names = Identifiers(lambda name: name == "do")
        >>> [names.fresh(path) for path in ("consumer[0].cell", "consumer.0.cell", "do", "2nd", "größe")]
        ['consumer_0_cell', 'consumer_0_cell_2', 'n_do', 'n_2nd', 'gr_e']
        """
        base = re.sub(r"[^A-Za-z0-9]+", "_", wanted).strip("_")
        if not re.match(r"[A-Za-z]", base) or self._is_taken(base):
            base = f"n_{base}"
        name, number = base, 1
        while name in self._given:
            number += 1
            name = f"{base}_{number}"
        self._given.add(name)
        return name


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

PROCESS = "system"
"""The name of the model's one process."""

_LIKE_A_MACRO = re.compile(r"[A-Z]|(sa|si|sigev|st)_")


def is_promelas_own(name: str) -> bool:
    """May a global variable of a Promela model not have this name?

    What starts with a capital letter is refused as a whole, because SPIN's program is full of macros that do.
    """
    return name in PROMELA_WORDS | C_WORDS | {PROCESS} or _LIKE_A_MACRO.match(name) is not None
