"""From a request to one exported system: the claims asked for, in one setting, reduced as `check` reduces it."""

from __future__ import annotations

from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.request import Request, questions_about_states, questions_of
from offsetproof.engines.preparing import reduce_system
from offsetproof.exports.exported import Exported, export_system
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.stage import Staged
from offsetproof.verdict.question import Question


def to_export(request: Request, fault_cap: int | None = None, *, about_runs: bool = False) -> Exported:
    """The export of the first setting that the request means, with all of its claims that are stated in it.

    `about_runs`: the language can say what whole runs come to, so claims about them are exported where they are named.
    Raises UnknownNameError for unknown names, and where nothing is left to export.
    """
    questions = questions_of(request) if about_runs and request.properties else questions_about_states(request)
    first = questions[0]
    company = [question for question in questions if question.setting.key == first.setting.key]
    with declared_by(first.model):
        return export_of(request.subject.name, company, Staged(first.model, first.setting), fault_cap)


def export_of(subject: str, asked: list[Question], staged: Staged, fault_cap: int | None = None) -> Exported:
    """The export of some questions about one setting, in which the model is staged; their witnesses included."""
    first = asked[0]
    props = tuple(dict.fromkeys(prop for question in asked for prop in (question.prop, *question.witnesses)))
    system, reductions = reduce_system(staged.system(props), first)
    if not system.instances and not system.variables:
        message = f"slicing leaves nothing to export for {first.prop.id}; use --no-slice"
        raise UnknownNameError("system", "", [], message)
    return export_system(subject, first.setting, first.model, system, props, reductions=reductions, fault_cap=fault_cap)
