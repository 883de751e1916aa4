"""In which releases a case is refuted or holds: those that have what it is stated with."""

from __future__ import annotations

import pytest

from offsetproof.checking.causes import holds_in, patches_of, refuted_in, releases_asked_of, subject_named

FIVE = ("5.3.3-client-reset", "5.3.3", "5.5.0")


@pytest.mark.parametrize(
    ("subject", "case", "refuted", "holds"),
    [
        ("rocketmq", "I4-query-error-fixed", FIVE, ()),
        ("rocketmq", "I34", FIVE, ()),
        ("rocketmq", "I34-calm", (), FIVE),
        ("offset-files", "I12-routes", ("4.9.8",), ("5.3.3", "5.5.0")),
        ("broadcasting", "I8-broadcast-orderly", ("4.9.8",), FIVE),
    ],
)
def test_release_without_what_a_case_is_stated_with_is_not_told_of(
    subject: str, case: str, refuted: tuple[str, ...], holds: tuple[str, ...]
) -> None:
    known = subject_named(subject)
    prop = known.find(case)
    assert (refuted_in(known, prop), holds_in(known, prop)) == (refuted, holds)


def test_patch_that_no_release_has_narrows_no_releases() -> None:
    known = subject_named("rocketmq")
    fixed = known.find("I5-offline-quiet")
    assert {fix.name for fix in patches_of(known, fixed)} == {"poll-checks-dropped", "reset-drops-again"}
    assert releases_asked_of(known, fixed) == ("4.9.4", "4.9.8", *FIVE)
