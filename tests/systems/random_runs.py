"""Random tiny models with several threads, fair and unfair, for claims about runs; as Python source.

What fairness each thread was given, and which field is a budget, is said beside the model: whoever judges by that needs
nothing of the program that is tested. Of a pool of threads each action is one that is strongly fair.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from random import Random
from typing import Any

from offsetproof.lang import Fairness, Model, Setting

_HEADER = """
from offsetproof.lang import *

class Drawn(Model):
    scopes = (Scope("drawn", {"tries": 1}, faults={"slip": 1}),)
    at: int = integer(0, 4)
    on: bool = flag()
    unread: int = integer(0, 2)
    left: int = integer(0, "tries", "tries")
"""

_THREADS = (("ann", "main"), ("ann", "night"), ("bob", "main"), ("world", "main"))
BUDGET, FULL = "left", 1


@dataclass(frozen=True)
class DrawnRuns:
    """A random model, its source, the fairness of its threads, and the thread of each action (None: a fault)."""

    source: str
    model: type[Model]
    fairness: dict[tuple[str, str], Fairness]
    thread_of: dict[str, tuple[str, str] | None]

    @property
    def setting(self) -> Setting:
        """Its only scope."""
        return Setting(self.model.scopes[0])

    def __repr__(self) -> str:
        return self.source


def _guard(chance: Random) -> list[str]:
    lines = [f"require(self.at == {chance.randrange(5)})" if chance.random() < 0.7 else "require(self.at != 4)"]
    if chance.random() < 0.4:
        lines.append(chance.choice(["require(self.on)", "require(not self.on)"]))
    if chance.random() < 0.15:
        lines.append(f"bound({chance.choice(['self.on', 'not self.on', f'self.at != {chance.randrange(5)}'])})")
    if chance.random() < 0.15:
        lines += ["require(self.left > 0)", "self.left -= 1"]
    return lines


def _effect(chance: Random) -> list[str]:
    lines = [f"self.at = {chance.randrange(5)}"] if chance.random() < 0.8 else []
    if chance.random() < 0.3:
        lines.append("self.on = not self.on")
    if chance.random() < 0.3:
        lines.append("self.unread = choose(self.unread == 2, 0, self.unread + 1)")
    if chance.random() < 0.05:
        lines.append("self.at = self.at + 1")
    return lines


def made(seed: int) -> DrawnRuns:
    """The random model with this number."""
    chance = Random(seed)
    fairness = {thread: chance.choice([*Fairness, Fairness.WEAK, Fairness.STRONG]) for thread in _THREADS}
    lines, thread_of = _HEADER.splitlines(), dict[str, tuple[str, str] | None]()
    for number in range(chance.randint(3, 8)):
        is_fault, (actor, thread) = chance.random() < 0.1, chance.choice(_THREADS)
        given = 'fault="slip"' if is_fault else f"fair=Fairness.{fairness[actor, thread].name}"
        lines.append(f"    @action(actor={actor!r}, thread={thread!r}, {given})")
        lines += [f"    def act{number}(self) -> None:", *(f"        {x}" for x in [*_guard(chance), *_effect(chance)])]
        lines.append("        pass")
        thread_of[f"act{number}"] = None if is_fault else (actor, thread)
        if fairness[actor, thread] is Fairness.EACH and not is_fault:
            thread_of[f"act{number}"] = (actor, f"act{number}")
    fairness |= {each: Fairness.STRONG for each in thread_of.values() if each is not None and each not in _THREADS}
    goal, after = (f"self.at == {chance.randrange(5)}" for _ in range(2))
    lines += ["    @eventually", "    def comes(self):", f"        return {goal}"]
    lines += ["    @leads_to", "    def follows(self):", f"        return {after}, {goal}"]
    lines += ["    @leads_to", "    def comes_again(self):", f"        return True, {goal}"]
    source = "\n".join(lines) + "\n"
    names: dict[str, Any] = {"__name__": "drawn_runs"}
    file = f"<drawn runs {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)
    return DrawnRuns(source, names["Drawn"], fairness, thread_of)
