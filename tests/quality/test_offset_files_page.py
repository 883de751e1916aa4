"""docs/offset-files.md is what the claims say, and names what there is."""

from __future__ import annotations

import re

from offsetproof.lang import ClaimKind
from offsetproof.model.files.offset_files import OffsetFiles
from offsetproof.properties.files.catalogue import PROPERTIES
from studies.offset_files import PAGE, table, with_table

TEXT = PAGE.read_text(encoding="utf-8")


def test_table_is_made_of_the_claims() -> None:
    assert with_table(TEXT) == TEXT, "run `make readme`"
    rows = re.findall(r"(?m)^\| (I[\w-]+) \|", table())
    assert rows == [prop.id for prop in PROPERTIES if prop.kind is not ClaimKind.SOMETIMES]


def test_fixes_that_are_named_are_fixes() -> None:
    named = set(re.findall(r"fix `([\w-]+)`", TEXT))
    assert named <= {fix.name for fix in OffsetFiles.fixes}
    assert "keeps-whole-backup" in named
