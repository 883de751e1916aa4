"""Where a declaration is wrong: every such error names a file and a line, its own or else the model's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from offsetproof.ir.kind import TooWideError
from offsetproof.lang.errors import DeclarationError, place_of_class
from offsetproof.lang.model import Model
from offsetproof.lang.scope import UnknownNameError

_PLACE = re.compile(r"\.py:\d+")


def with_place(message: str, place: str) -> str:
    """The message, led by the place unless it names one itself.

    >>> with_place("field x has no domain", "lock.py:4")
    'lock.py:4: field x has no domain'
    """
    return message if _PLACE.search(message) else f"{place}: {message}"


@contextmanager
def declared_by(model: type[Model]) -> Iterator[None]:
    """Within this, what is wrong with the model's declarations is a DeclarationError that says where the model is.

    A name that the model itself gets wrong (a bound, say) is such an error, too: no option can put it right. So is a
    domain that no machine word holds, for which the staged form raises TooWideError.
    """
    try:
        yield
    except (DeclarationError, UnknownNameError, TooWideError) as error:
        raise DeclarationError(with_place(str(error), place_of_class(model))) from error
