"""docs/reported.md has every report that was checked in the source, and says of it what baselines and stories say."""

from __future__ import annotations

import re

import pytest
from systems.turned_baselines import turn

from offsetproof.traces.recorded_stories import recorded_stories
from studies.reported import Report, Unsaid, first_holding, reports, reports_without_case, seen_in, with_case
from studies.verdicts import RELEASES, NoFindingError

CHECKED = """
#4742 #4206 #2298 #2449 #951 #2298 #5562 #5292 #5613 #9038
#2708 #1825 13ffac8926 (no #1440 #9711 #1135 #2292 #4016 #7740 #719 #5905 #7613 #1600 #2621 #8772 #7644 #2837 #92 #1815
#7182 #1427 #10987 #5762 #551 #4215 #1094 #7963 #367 #5259
""".split()
"""The reports of which the mechanism was found in the source, each by what names it first."""


def test_every_checked_report_is_on_the_page_once() -> None:
    numbers = [each.numbers for each in (*reports(), *reports_without_case())]
    first = [re.sub(r"^(PR|commits|alibaba/RocketMQ) ", "", text).partition(",")[0].split()[0] for text in numbers]
    assert sorted(first) == sorted(CHECKED)


@pytest.mark.parametrize("report", reports(), ids=lambda report: report.numbers)
def test_stories_are_of_the_report_and_show_what_was_reported(report: Report) -> None:
    names = [name for case in report.cases for name in report.stories_of(case)]
    assert sorted(names) == sorted(report.stories)
    assert all(report.is_shown_by(recorded_stories()[name].cause) for name in names)
    assert any(report.is_seen(case, release) for case in report.cases for release in RELEASES)


def test_what_was_reported_is_told_from_other_causes() -> None:
    by_number = {report.numbers.partition(",")[0]: report for report in reports()}
    late_poll, by_time = by_number["#4206"], by_number["#951"]
    assert "refuted by another cause in 5.3.3, 5.5.0" in seen_in(late_poll, late_poll.cases[0])
    assert seen_in(by_time, by_time.cases[0]).startswith("4.9.4, 4.9.8; refuted by another cause in 5.3.3")
    assert first_holding(by_time.cases[0]) == "5.3.3-client-reset"
    stalled = by_number["#4742"]
    assert seen_in(stalled, stalled.cases[0]) == "4.9.4 to 5.3.3-client-reset; not asked of 5.3.3, 5.5.0"
    deleted = by_number["#10987"]
    assert deleted.cases[0].is_witness
    assert (seen_in(deleted, deleted.cases[0]), first_holding(deleted.cases[0])) == ("4.9.4 to 5.5.0", "none")


@pytest.mark.parametrize("report", reports(), ids=lambda report: report.numbers)
def test_page_is_another_where_the_baseline_is(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    case = report.cases[0]
    before = (seen_in(report, case), first_holding(case))
    turn(monkeypatch, case)
    try:
        after = (seen_in(report, case), first_holding(case))
    except NoFindingError:  # a release for which another one spoke: there is no page at all
        return
    assert after != before


def test_report_that_no_case_says_has_a_reason_that_is_true() -> None:
    with pytest.raises(ValueError, match="says nothing of why"):
        Unsaid("#1", "It fails.")
    with pytest.raises(ValueError, match="does not leave out 'clocks'"):
        Unsaid("#1", "It fails.", left_out=("rocketmq", "clocks"))
    oldest = tuple(map(int, RELEASES[0].name.split(".")))
    for each in reports_without_case():
        assert not each.fixed or tuple(map(int, each.fixed.split("."))) <= oldest
        assert each.reason.endswith(".")


def test_every_report_has_a_row() -> None:
    page = with_case()
    for report in reports():
        assert f"| **{report.numbers}**: {report.said} |" in page
