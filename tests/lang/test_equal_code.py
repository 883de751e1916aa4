"""Functions of equal code in two files are two functions: what each names there is read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.lang.errors import RefusedError

LIMITS = "from {name} import base\n\n\ndef limit():\n    return base() + 1\n"

MODEL = """
import limits_one, limits_two
from offsetproof.lang import *

class Counter(Model):
    x: int = integer(0, 9)

    @action()
    def rises(self) -> None:
        require(self.x < limits_one.limit(), self.x < limits_two.limit())
        self.x = self.x + 1

    @always()
    def is_low(self) -> bool:
        return self.x < 5
"""

PLAIN = "def base():\n    return 2\n"


@pytest.mark.parametrize("bad", ["base_one", "base_two"])
def test_what_an_equal_helper_names_in_its_own_file_is_refused(
    bad: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for number in ("one", "two"):
        (tmp_path / f"limits_{number}.py").write_text(LIMITS.format(name=f"base_{number}"))
        (tmp_path / f"base_{number}.py").write_text(PLAIN)
        for name in (f"limits_{number}", f"base_{number}"):
            monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / f"{bad}.py").write_text("import time\n\n\ndef base():\n    return int(time.time()) % 2 + 1\n")
    (tmp_path / "model.py").write_text(MODEL)
    (question,) = questions_of(Request(load_subject(str(tmp_path / "model.py"))))
    with pytest.raises(RefusedError, match=rf"{bad}\.py:5: time\.time\(\) cannot be staged"):
        explicit_alone().only.decide(question)
