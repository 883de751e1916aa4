"""The forms of line that a Mermaid chart of a trace has; a judge that holds a chart to them."""

from __future__ import annotations

import re

TEXT = r"[^#;%<>{}]*(?:(?:#\w+;|<br/>)[^#;%<>{}]*)*"
FORMS = [
    re.compile(rf"box transparent {TEXT}"),
    re.compile(rf"participant (p\d+) as {TEXT}"),
    re.compile("end"),
    re.compile(rf"(p\d+)(?:->>|-\))(p\d+): {TEXT}"),
    re.compile(rf"Note over (p\d+)(?:,(p\d+))?: {TEXT}"),
]
"""All lines that a chart has; each was taken by Mermaid's own parser."""


def judge_chart(text: str) -> None:
    """Every line is of a form that Mermaid knows, boxes end, and lanes are declared before they are used."""
    first, *lines = text.splitlines()
    assert first == "sequenceDiagram"
    declared: list[str] = []
    open_boxes = 0
    for line in lines:
        (form, match) = next((form, match) for form in FORMS if (match := form.fullmatch(line.strip())))
        lanes = [lane for lane in match.groups() if lane]
        if form is FORMS[1]:
            declared += lanes
        open_boxes += {FORMS[0]: 1, FORMS[2]: -1}.get(form, 0)
        assert open_boxes in (0, 1)
        assert set(lanes) <= {*declared}
    assert open_boxes == 0
    assert len(declared) == len({*declared})
