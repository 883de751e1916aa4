"""A model walked by hand in a terminal: lines are read, and each is answered with what there is to see."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from textwrap import fill

from offsetproof.escaping import one_line, visible
from offsetproof.explore.walking import CannotBeDoneError, Choice, Moment, Walk, Walker
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.picture import QueueRow
from offsetproof.traces.store import write_record
from offsetproof.traces.trace import Trace, show_value, world_of
from offsetproof.verdict.phrases import quantity

PROMPT = "> "

HELP = """\
  NUMBER    take that step          b, f    back a step, forth again
  g NUMBER  go to a step            w       the walk, with what lies ahead
  s [TEXT]  all fields, or some     c       the claims
  t TRACE   along a trace           o FILE  save the walk up to here
  n NUMBER  begin in another state  k [N]   branches left, or along one
                                    h, q    this help, quit
"""


def faults_in_words(moment: Moment) -> str:
    """How often each fault may still happen: `crash 1, rpc_loss 0`."""
    return ", ".join(f"{kind} {left}" for kind, left in moment.faults_left.items())


class Terminal:
    """One person's walk.

    `find` finds a trace by its name or file, `save` writes a text to a new file; both raise CannotBeDoneError.
    """

    def __init__(
        self,
        walker: Walker,
        walk: Walk,
        width: int,
        find: Callable[[str], Trace],
        save: Callable[[str, str], None],
    ) -> None:
        self.walker, self.width = walker, width
        self.walk, self.at = walk, 0
        self._left: list[Walk] = []
        self._find, self._save = find, save
        self._moment = walker.moment(self._here)

    @property
    def _here(self) -> Walk:
        return Walk(self.walk.steps[: self.at], self.walk.begins)

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """What is printed: the beginning, and after each line its answer, until one says quit."""
        yield visible(f"{self._title()}\n{HELP}\n{self._moment_in_words()}") + PROMPT
        for line in lines:
            try:
                words = shlex.split(line)
            except ValueError as error:
                words = []
                yield visible(f"  {error}\n") + PROMPT
                continue
            if words[:1] in (["q"], ["quit"]):
                return
            yield visible(self._answer(words)) + PROMPT

    def _answer(self, words: list[str]) -> str:
        verb, argument = [*words, "", ""][:2]
        kept = self.walk, self.at, self._left
        try:
            if len(words) > 2 or (_is_number(verb) and argument):
                return "  one thing at a time; a name with blanks stands in quotes; h for help\n"
            if _is_number(verb):
                return self._take(int(verb))
            known = {"b": self._back, "f": self._forth, "g": self._go, "w": self._walk_in_words, "s": self._fields}
            known |= {"c": self._claims, "t": self._along, "o": self._write, "n": self._begin}
            known |= {"k": self._branches, "h": self._help}
            if verb == "":
                return self._moment_in_words()
            if verb not in known:
                return f"  there is no {verb!r} here; h for help\n"
            return known[verb](argument)
        except CannotBeDoneError as error:
            self.walk, self.at, self._left = kept
            return f"  {error}\n"
        except Exception as error:  # whatever a model's code raises: the walk is not lost
            self.walk, self.at, self._left = kept
            return f"  {error} ({type(error).__name__})\n"

    def _take(self, number: int) -> str:
        if not 1 <= number <= len(self._moment.choices):
            return f"  there is no step {number} here; there are {len(self._moment.choices)}\n"
        choice = self._moment.choices[number - 1]
        if choice.error:
            return f"  the model goes wrong there: {choice.error}\n"
        if self.walk.steps[self.at : self.at + 1] != (choice.name,):
            self._turn_to(Walk((*self.walk.steps[: self.at], choice.name), self.walk.begins))
        return self._move(self.at + 1)

    def _turn_to(self, walk: Walk) -> None:
        """Goes on along another walk; the one before is kept as a branch, unless the other one goes on from its end."""
        kept = [*self._left, self.walk]
        self._left = [each for each in kept if _count_shared_steps(each, walk) < len(each.steps)]
        self.walk = walk

    def _branches(self, number: str) -> str:
        if not self._left:
            return "  no branches yet; going back and taking another step makes one\n"
        if not (_is_number(number) and 1 <= int(number) <= len(self._left)):
            lines = [f"{place:>4}  {self._branch_in_words(each)}" for place, each in enumerate(self._left, 1)]
            return "".join(f"{self._fill(line, '      ')}\n" for line in lines)
        before, branch = self.walk, self._left[int(number) - 1]
        self._turn_to(branch)
        return self._move(_count_shared_steps(before, branch))

    def _branch_in_words(self, branch: Walk) -> str:
        """How long it is, and where it parts from the walk that one is on."""
        shared = _count_shared_steps(self.walk, branch)
        count = quantity(len(branch.steps), "step")
        if branch.begins != self.walk.begins:
            return f"{count} from another beginning ({branch.begins})"
        (step,) = self.walker.steps_along(Walk(branch.steps[: shared + 1], branch.begins))[-1:]
        return f"{count}, another way after step {shared}: {self._in_words(step)}"

    def _move(self, to: int) -> str:
        self.at = max(0, min(to, len(self.walk.steps)))
        self._moment = self.walker.moment(self._here)
        return self._moment_in_words()

    def _back(self, _: str) -> str:
        return self._move(self.at - 1)

    def _forth(self, _: str) -> str:
        return self._move(self.at + 1)

    def _go(self, number: str) -> str:
        if not (_is_number(number) and int(number) <= len(self.walk.steps)):
            return f"  go to one of the steps 0 to {len(self.walk.steps)}\n"
        return self._move(int(number))

    def _begin(self, number: str) -> str:
        beginnings = self.walker.beginnings_in_words()
        if not (_is_number(number) and int(number) < len(self.walker.beginnings)):
            left_out = len(self.walker.beginnings) - len(beginnings)
            more = f"       and {left_out} more, by number\n" if left_out else ""
            return "".join(f"  {place:>3}  {words}\n" for place, words in enumerate(beginnings)) + more
        self._turn_to(Walk((), int(number)))
        return self._move(0)

    def _along(self, name: str) -> str:
        if not name:
            return "  name the trace: t I5-late-poll\n"
        trace = self._find(name)
        if trace.subject not in (None, self.walker.subject.name):
            return f"  {name} is of {trace.subject}, not of {self.walker.subject.name}\n"
        if trace.world != world_of(self.walker.setting):
            there = trace.world.scope.name
            return f"  {name} happens in another world (scope {there}); begin there with `explore --trace {name}`\n"
        walk = self.walker.walk_of(trace)
        self.walker.follow(walk)
        self._turn_to(walk)
        return f"  {len(self.walk.steps)} steps lie ahead; f takes the next\n{self._move(0)}"

    def _write(self, file: str) -> str:
        if not file:
            return "  name the file: o walk.json\n"
        trace = self.walker.trace(self._here)
        self._save(write_record(trace), file)
        return f"  {file}: {trace.property.title}, {quantity(trace.length, 'step')}\n"

    def _help(self, _: str) -> str:
        return HELP

    def _title(self) -> str:
        setting = self.walker.setting
        parts = [self.walker.subject.name, setting.release or "", f"scope {setting.scope.name}"]
        bounds = setting.scope.describe()
        return self._fill(f"{' '.join(filter(None, parts[:2]))}, {parts[2]}{f' ({bounds})' if bounds else ''}", "  ")

    def _moment_in_words(self) -> str:
        """The moment: the last step with what it changed, the queues, what is shown, and the numbered choices."""
        lines = [f"step {self.at} of {len(self.walk.steps)}" if self.at else "the beginning"]
        if self.at:
            (step,) = self.walker.steps_along(self._here)[-1:]
            lines[0] += f": {self._in_words(step)}"
            lines += [f"  {path} {show_value(a)} -> {show_value(b)}" for path, (a, b) in self._moment.changed.items()]
        lines += [line for row in self._moment.queues or () for line in _row(row)]
        lines += [f"  {_said(prop, self._moment.truths[prop.id])}" for prop in self._now_shown()]
        lines += [f"{number:>4}  {self._in_words(each)}" for number, each in enumerate(self._moment.choices, 1)]
        if not self._moment.choices:
            lines.append("  nothing can be done here")
        lines += [f"  faults left: {left}"] if (left := faults_in_words(self._moment)) else []
        if self._moment.cut:
            lines.append(f"  forbidden by a bound of the scope: {', '.join(self._moment.cut)}")
        return "".join(f"{self._fill(line, '      ')}\n" for line in lines)

    def _in_words(self, choice: Choice) -> str:
        who = choice.actor if choice.thread == choice.actor else f"{choice.actor} {choice.thread}"
        fault = f"fault {choice.fault}: " if choice.fault else ""
        shows = "".join(f"; {'reaches' if _is_witness(prop) else 'BREAKS'} {prop.title}" for prop in choice.shows)
        error = f"; the model goes wrong: {choice.error}" if choice.error else ""
        return one_line(f"{who}: {fault}{choice.words or choice.name} [{choice.name}]{shows}{error}")

    def _now_shown(self) -> list[Property]:
        return [prop for prop in self.walker.claims if self._moment.truths[prop.id] is _is_witness(prop)]

    def _walk_in_words(self, _: str) -> str:
        steps = self.walker.steps_along(self.walk)
        lines = [
            f"{'>' if number == self.at else ' '}{number:>3}  {self._in_words(s)}" for number, s in enumerate(steps, 1)
        ]
        known = dict(enumerate(self.walker.beginnings_in_words()))
        first = f"{'>' if self.at == 0 else ' '}  0  {known.get(self.walk.begins, f'beginning {self.walk.begins}')}"
        return "".join(f"{self._fill(line, '      ')}\n" for line in [first, *lines])

    def _fields(self, text: str) -> str:
        found = {path: value for path, value in self._moment.values.items() if text in path}
        lines = [f"  {path} = {show_value(value)}" for path, value in found.items()]
        return "".join(f"{one_line(line)}\n" for line in lines) or f"  no field has {text!r} in its name\n"

    def _claims(self, _: str) -> str:
        truths = self._moment.truths
        lines = [_said(prop, truths[prop.id]) for prop in self.walker.claims]
        lines += [f"{id} is not watched: {why}" for id, why in self.walker.unwatched.items()]
        return "".join(f"{self._fill('  ' + line, '      ')}\n" for line in lines)

    def _fill(self, line: str, indent: str) -> str:
        return fill(line, self.width, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True)


def _row(row: QueueRow) -> Iterator[str]:
    cells = " ".join(f"{offset}:{row.mark_of(offset)}" for offset in range(row.first, row.end))
    yield f"  {row.name}  {cells or 'no message yet'}"
    for words, offset in row.pointers:
        yield f"    {words} = {offset}"


def _count_shared_steps(one: Walk, other: Walk) -> int:
    """How many first steps two walks share."""
    pairs = zip(one.steps, other.steps, strict=False) if one.begins == other.begins else ()
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_witness(prop: Property) -> bool:
    return prop.kind is ClaimKind.SOMETIMES


def _is_number(word: str) -> bool:
    """Is it a number that a person types?"""
    return word.isascii() and word.isdigit() and len(word) < 7


def _said(prop: Property, truth: bool | None) -> str:
    if truth is None:
        return f"{prop.title} cannot be asked here"
    if _is_witness(prop):
        return f"{prop.title} is {'reached' if truth else 'not reached'}"
    return f"{prop.title} is {'true' if truth else 'FALSE'}"
