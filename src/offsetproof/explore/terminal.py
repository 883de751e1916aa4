"""A model walked by hand in a terminal: lines are read, and each is answered with what there is to see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from textwrap import TextWrapper
from typing import NoReturn

from offsetproof.escaping import one_line
from offsetproof.explore.walking import CannotBeDoneError, Choice, Walk, Walker, shows
from offsetproof.lang.claim import ClaimKind, Property
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


class Terminal:
    """One person's walk: `walk` with what lies ahead, `here` as far as it is gone, at first `at` so many steps.

    `find` finds a trace by its name or file, `save` writes a text to a new file; their errors say why they do not.
    """

    def __init__(
        self,
        walker: Walker,
        walk: Walk,
        width: int,
        find: Callable[[str], Trace],
        save: Callable[[str, str], None],
        at: int = 0,
    ) -> None:
        self.walker, self.walk, self.here = walker, walk, walk.up_to(at)
        self._left: list[Walk] = []
        self._moment = walker.moment(self.here)
        self._wrapper = TextWrapper(width, subsequent_indent=" " * 6, break_on_hyphens=False)
        self._find, self._save = find, save

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """What is printed: the beginning, and after each line its answer, until one says quit."""
        world = world_of(self.walker.setting)
        title = f"{self.walker.subject.name} {world.release or ''}".rstrip() + f", scope {world.scope.name}"
        whys = [f"  {sentence}" for sentence in self.walker.unwatched_in_words()]
        title = f"{title} ({world.scope.describe() or 'no bounds'})"
        yield self._fill([title, *whys, *HELP.splitlines(), "", *self._look()])
        for line in lines:
            verb, argument = [*line.split(maxsplit=1), "", ""][:2]
            if verb in ("q", "quit"):
                return
            try:
                answer = self._answer(verb, argument.strip()) or ["  none"]
            except Exception as error:  # whatever a model's code raises: the walk is not lost
                kind = f" ({type(error).__name__})" if type(error).__module__ == "builtins" else ""
                answer = [f"  {error}{kind}"]
            yield self._fill(answer)

    def _fill(self, lines: Iterable[str]) -> str:
        return "\n".join([*(self._wrapper.fill(one_line(line)) for line in lines), PROMPT])

    def _answer(self, verb: str, argument: str) -> list[str]:
        """What a line does, and what is said then."""
        at, fields = len(self.here.steps), self._moment.values.items()
        number = int(argument) if argument.isdecimal() else -1
        commands: dict[str, Callable[[], list[str]]] = {
            "": self._look,
            "b": lambda: self._go(self.walk, max(at - 1, 0)),
            "f": lambda: self._go(self.walk, min(at + 1, len(self.walk.steps))),
            "g": lambda: self._go(self.walk, number),
            "w": self._walk_in_words,
            "s": lambda: [f"  {path} = {show_value(value)}" for path, value in fields if argument in path],
            "c": lambda: [*map(self._truth_in_words, self.walker.claims)],
            "t": lambda: self._along(argument or _refuse("name the trace: t I5-late-poll")),
            "o": lambda: self._write(argument or _refuse("name the file: o walk.json")),
            "n": lambda: self._begin(number),
            "k": lambda: self._branch(number),
            "h": HELP.splitlines,
            **{str(n): partial(self._take, each) for n, each in enumerate(self._moment.choices, 1)},
        }
        return commands[verb]() if verb in commands else _refuse(f"there is no {verb!r} here; h for help")

    def _go(self, walk: Walk, at: int) -> list[str]:
        """Goes to a step of a walk; the walk before is kept as a branch, unless the other one goes on from its end."""
        if not 0 <= at <= len(walk.steps):
            _refuse(f"go to one of the steps 0 to {len(walk.steps)}")
        here = walk.up_to(at)
        self._moment = self.walker.moment(here)
        self._left = [each for each in (*self._left, self.walk) if each.count_shared(walk) < len(each.steps)]
        self.walk, self.here = walk, here
        return self._look()

    def _look(self) -> list[str]:
        """The moment: the last step with what it changed, the queues, what is shown, and the numbered choices."""
        moment, steps = self._moment, self.walker.steps_along(self.here)
        lines = [f"step {len(steps)} of {len(self.walk.steps)}: {_in_words(steps[-1])}" if steps else "the beginning"]
        lines += [f"  {path} {show_value(old)} -> {show_value(new)}" for path, (old, new) in moment.changed.items()]
        for row in moment.queues or ():
            cells = " ".join(f"{offset}:{row.mark_of(offset)}" for offset in range(row.first, row.end))
            lines.append(f"  {row.name}  {cells or 'no message yet'}")
            lines += [f"    {what} = {at}" for what, at in row.pointers]
        lines += [self._truth_in_words(prop) for prop in self.walker.claims if shows(prop, moment.truths)]
        nothing = ["  nothing can be done here"]
        lines += [f"{number:>4}  {_in_words(each)}" for number, each in enumerate(moment.choices, 1)] or nothing
        faults = [f"{kind} {left}" for kind, left in moment.faults_left.items()]
        rest = {"faults left": faults, "forbidden by a bound of the scope": moment.cut}
        return lines + [f"  {what}: {', '.join(some)}" for what, some in rest.items() if some]

    def _take(self, choice: Choice) -> list[str]:
        taken = Walk((*self.here.steps, choice.name), self.here.begins)
        return self._go(self.walk if self.walk.count_shared(taken) == len(taken.steps) else taken, len(taken.steps))

    def _walk_in_words(self) -> list[str]:
        steps = ["the beginning", *map(_in_words, self.walker.steps_along(self.walk))]
        return [f"{'>' if i == len(self.here.steps) else ' '}{i:>3}  {words}" for i, words in enumerate(steps)]

    def _along(self, name: str) -> list[str]:
        trace = self._find(name)
        if trace.world != world_of(self.walker.setting):
            _refuse(f"{name} happens in another world; begin there with `explore --trace {name}`")
        self.walker.follow(walk := self.walker.walk_of(trace))
        return [f"  {quantity(len(walk.steps), 'step')} ahead; f takes the next", *self._go(walk, 0)]

    def _write(self, file: str) -> list[str]:
        trace = self.walker.trace(self.here)
        self._save(write_record(trace), file)
        return [f"  {file}: {trace.property.title}, {quantity(trace.length, 'step')}"]

    def _begin(self, number: int) -> list[str]:
        if number >= 0:
            return self._go(Walk((), number), 0)
        return [f"  {place:>3}  {words}" for place, words in enumerate(self.walker.beginnings_in_words())]

    def _branch(self, number: int) -> list[str]:
        if 1 <= number <= len(self._left):
            return self._go(self._left[number - 1], self.walk.count_shared(self._left[number - 1]))
        parts = enumerate((each.steps[self.walk.count_shared(each) :] for each in self._left), 1)
        return [f"{place:>4}  {', '.join(part)}" for place, part in parts]

    def _truth_in_words(self, prop: Property) -> str:
        words = ("not reached", "reached") if prop.kind is ClaimKind.SOMETIMES else ("FALSE", "true")
        truth = self._moment.truths[prop.id]
        return f"  {prop.title} {'cannot be asked here' if truth is None else f'is {words[truth]}'}"


def _refuse(why: str) -> NoReturn:
    raise CannotBeDoneError(why)


def _in_words(choice: Choice) -> str:
    who = choice.actor if choice.thread == choice.actor else f"{choice.actor} {choice.thread}"
    fault = f"fault {choice.fault}: " if choice.fault else ""
    shown = "".join(
        f"; {('BREAKS', 'reaches')[prop.kind is ClaimKind.SOMETIMES]} {prop.title}" for prop in choice.shows
    )
    error = f"; the model goes wrong: {choice.error}" if choice.error else ""
    return f"{who}: {fault}{choice.words or choice.name} [{choice.name}]{shown}{error}"
