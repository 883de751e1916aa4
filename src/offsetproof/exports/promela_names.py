"""Identifiers of an export: what the target language allows, never one of its own words, and each given out once."""

from __future__ import annotations

import re
from collections.abc import Callable


class Names:
    """Gives out identifiers of one language.

    `is_taken` says which names are the language's own; those get an underscore behind them.
    """

    def __init__(self, is_taken: Callable[[str], bool]) -> None:
        self._is_taken = is_taken
        self._given: set[str] = set()

    def fresh(self, wanted: str) -> str:
        """An identifier for a path or an id that no other call of this object gives out.

        >>> names = Names(lambda name: name == "do")
        >>> [names.fresh(path) for path in ("consumer[0].cell", "consumer.0.cell", "do", "2nd", "größe")]
        ['consumer_0_cell', 'consumer_0_cell_2', 'do_', 'n_2nd', 'gr_e']
        """
        base = re.sub(r"[^A-Za-z0-9]+", "_", wanted).rstrip("_")
        if not re.match(r"[A-Za-z]", base):
            base = f"n_{base.lstrip('_')}"
        if self._is_taken(base):
            base += "_"
        name, number = base, 1
        while name in self._given:
            number += 1
            name = f"{base.rstrip('_')}_{number}"
        self._given.add(name)
        return name


PROMELA_WORDS = frozenset(
    [
        "active",
        "assert",
        "atomic",
        "bit",
        "bool",
        "break",
        "byte",
        "c_code",
        "c_decl",
        "c_expr",
        "c_state",
        "c_track",
        "chan",
        "d_proctype",
        "d_step",
        "do",
        "else",
        "empty",
        "enabled",
        "eval",
        "false",
        "fi",
        "for",
        "full",
        "get_priority",
        "goto",
        "hidden",
        "if",
        "in",
        "init",
        "inline",
        "int",
        "len",
        "local",
        "ltl",
        "mtype",
        "nempty",
        "never",
        "nfull",
        "notrace",
        "np",
        "od",
        "of",
        "pc_value",
        "pid",
        "print",
        "printf",
        "printm",
        "priority",
        "proctype",
        "provided",
        "return",
        "run",
        "select",
        "set_priority",
        "short",
        "show",
        "skip",
        "timeout",
        "trace",
        "true",
        "typedef",
        "unless",
        "unsigned",
        "xr",
        "xs",
    ]
)
"""The words of Promela."""

C_WORDS = frozenset(
    [
        "asm",
        "auto",
        "bool",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "typeof",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "alloca",
        "errno",
        "i386",
        "linux",
        "stderr",
        "stdin",
        "stdout",
        "uchar",
        "uint",
        "ulong",
        "unix",
        "ushort",
        "va_arg",
        "va_copy",
        "va_end",
        "va_start",
    ]
)
"""The words of C, and the macros and types in lower case that are in force where SPIN writes a field's name into C."""


def is_promelas_own(name: str) -> bool:
    """May a global variable of a Promela model not have this name?

    Names without a small letter are refused as a whole, because SPIN's program is full of macros that look so.
    """
    return name in PROMELA_WORDS or name in C_WORDS or not any(letter.islower() for letter in name)
