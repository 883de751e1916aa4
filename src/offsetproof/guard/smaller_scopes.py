"""Scopes of a subject that are known to be smaller than another, by the states that its baseline has of them."""

from __future__ import annotations

from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.guard.baseline import baseline_file, read_baseline
from offsetproof.lang.setting import Setting
from offsetproof.lang.subject import Subject

SHARE = 10
"""What did not fit is asked again in a scope with this part of the states, or fewer."""


def smaller_scopes(subject: Subject, setting: Setting, count: int = 3) -> tuple[tuple[str, int], ...]:
    """The largest scopes that have a tenth of the states of a setting's scope or fewer, each with its states.

    States are the most that a claim met there in the setting's release. Nothing is known of a user's model, nor of a
    scope whose bounds were changed on the command line.
    """
    if subject.name not in BUILT_INS or setting.scope.name.endswith("*"):
        return ()
    states: dict[str, int] = {}
    for finding in read_baseline(baseline_file(subject.name, subject), subject).findings.values():
        if finding.asked.release == setting.release and not finding.asked.bounds:
            states[finding.asked.scope] = max(states.get(finding.asked.scope, 0), finding.states)
    most = states.get(setting.scope.name, 0) // SHARE
    fitting = sorted(((number, name) for name, number in states.items() if number <= most), reverse=True)
    return tuple((name, number) for number, name in fitting[:count])
