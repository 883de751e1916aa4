"""Each form of any trace by name, as `show` writes it where the model is not at hand.

Regression tests are written of traces that a rig can do: `cli/test_regression_tests.py` is about them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from offsetproof.checking.replaying import Replayed
from offsetproof.cli.formats import FORMATS, TEXT, writer_of
from offsetproof.traces.text import to_text
from offsetproof.traces.trace import Trace


def _written_in(form: str) -> Callable[[Trace], str]:
    return lambda trace: writer_of("show", form)(trace, Replayed(None, "the model is not at hand"))


FORMS: Mapping[str, Callable[[Trace], str]] = {
    form: to_text if form == TEXT else _written_in(form)
    for form in FORMATS["show"]
    if form not in {"junit4", "junit5", "pytest"}
}
