"""The JUnit report: one test case per answer. UNKNOWN is an error, never skipped; what is as expected passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from offsetproof.checking.answers import Answer
from offsetproof.escaping import one_line, visible
from offsetproof.lang.claim import Property
from offsetproof.lang.setting import Setting
from offsetproof.reports.text import missing_in_words
from offsetproof.traces.text import in_report
from offsetproof.verdict.phrases import describe_in_full, open_in_words, required_in_words, verdict_in_words
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict


def junit_report(
    subject: str, answers: Sequence[Answer], asked: int | None = None, large: Sequence[Question] = ()
) -> str:
    """The whole document as XML; `asked` as in `missing_in_words`, and what is missing is an error of its own.

    Only what was not asked for its size is skipped.
    """
    cases = [_case(subject, answer) for answer in answers]
    for line in missing_in_words(answers, asked):
        missing = TestCase("questions without an answer", subject)
        missing.result = [with_text(Error(line, "missing"), line)]
        cases.append(missing)
    return document(subject, [*cases, *(_skipped_case(subject, question) for question in large)])


def document(subject: str, cases: Iterable[TestCase]) -> str:
    """A JUnit document of one suite."""
    suite = TestSuite(one_line(f"offsetproof {subject}"))
    for case in cases:
        suite.add_testcase(_in_xml(case))
    xml = JUnitXml("offsetproof")
    xml.add_testsuite(suite)
    text: bytes = xml.tostring()  # type: ignore[no-untyped-call]  # junitparser has no annotations
    return text.decode() + "\n"


def _in_xml(case: TestCase) -> TestCase:
    """A test case with nothing in it that XML cannot hold."""
    case.name, case.classname = one_line(case.name), one_line(case.classname)
    if case.system_out:
        case.system_out = visible(case.system_out)
    for result in case.result:
        result.message, result.text = one_line(result.message or ""), visible(result.text or "")
    return case


def _skipped_case(subject: str, question: Question) -> TestCase:
    case = TestCase(_name(question.prop, question.setting), f"{subject}.{question.prop.name}")
    case.result = [Skipped("not asked, for its size; `--release all` asks it", "large")]
    return case


def _name(prop: Property, setting: Setting) -> str:
    return f"{prop.id}[{setting.scope.name}{f'-{setting.release}' if setting.release else ''}]"


def _case(subject: str, answer: Answer) -> TestCase:
    result = answer.result
    case = TestCase(_name(result.prop, result.setting), f"{subject}.{result.prop.name}", result.seconds)
    if answer.disagreement:
        case.result = [with_text(Error("the engines disagree", "DISAGREEMENT"), f"DISAGREEMENT: {answer.disagreement}")]
    elif result.verdict is Verdict.UNKNOWN:
        case.result = [with_text(Error(f"UNKNOWN: {result.reason}", str(result.reason)), describe_in_full(result))]
    elif not result.as_expected:
        surprise = f"{verdict_in_words(result)}, expected {required_in_words(result)}"
        story = in_report(answer.trace, 100) if answer.trace else describe_in_full(result)
        text = "\n".join(filter(None, (open_in_words(result), story)))
        case.result = [with_text(Failure(surprise, str(result.verdict)), text)]
    else:
        case.system_out = f"{verdict_in_words(result)}: {describe_in_full(result)}"
    return case


def with_text(element: Error | Failure, text: str) -> Error | Failure:
    """The same, with what a reader gets to see."""
    element.text = text
    return element
