"""An offset file once more, in plain Python that shares nothing with the model: texts, inodes, names and threads.

A file system here is names that lead to inodes, and an inode is its text; a writer holds an inode and a position in it.
What can be read is decided by the text alone. It is for one queue and one process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

MAIN, BACKUP, TMP = range(3)
TIMER, STOPPER = range(2)


@dataclass(frozen=True)
class Call:
    """A call of string2File: what it does next, the inode that it has open, and what it has read."""

    todo: str
    text: str
    inode: int = -1
    previous: str | None = None


@dataclass(frozen=True)
class World:
    """The files, the one process, and what the outside may still do.

    `position` is where a broadcast consumer consumes next, or what a broker's group has consumed.
    """

    kills: int
    stops: int
    names: tuple[int, int, int] = (-1, -1, -1)
    inodes: tuple[str, ...] = ()
    phase: str = "DOWN"
    cell: int | None = None
    listed: bool = False
    position: int = 0
    known: bool = False
    stored: bool = False
    calls: tuple[Call | None, Call | None] = (None, None)

    def text(self, name: int) -> str | None:
        return None if self.names[name] < 0 else self.inodes[self.names[name]]

    def with_text(self, inode: int, text: str) -> World:
        return replace(self, inodes=(*self.inodes[:inode], text, *self.inodes[inode + 1 :]))

    def with_name(self, name: int, inode: int) -> World:
        return replace(self, names=tuple(inode if i == name else old for i, old in enumerate(self.names)))

    def with_call(self, thread: int, call: Call | None) -> World:
        return replace(self, calls=tuple(call if i == thread else old for i, old in enumerate(self.calls)))

    def opened(self, name: int) -> tuple[World, int]:
        """The file of this name, made where there is none, and empty now."""
        if self.names[name] >= 0:
            return self.with_text(self.names[name], ""), self.names[name]
        made = replace(self, inodes=(*self.inodes, ""))
        return made.with_name(name, len(self.inodes)), len(self.inodes)

    def tidy(self) -> World:
        """The same world, without inodes that nobody can reach, and with the others numbered in order."""
        used = [*self.names, *(call.inode for call in self.calls if call)]
        kept = [inode for inode in dict.fromkeys(used) if inode >= 0]
        number = {inode: i for i, inode in enumerate(kept)} | {-1: -1}
        calls = tuple(call and replace(call, inode=number[call.inode]) for call in self.calls)
        names = tuple(number[inode] for inode in self.names)
        return replace(self, names=names, inodes=tuple(self.inodes[inode] for inode in kept), calls=calls)

    def seen(self) -> tuple[object, ...]:
        """What the model can be compared in."""
        return kind(self.text(MAIN)), kind(self.text(BACKUP)), self.phase, self.cell


def written(cell: int | None) -> str:
    """A table as text."""
    return "{}" if cell is None else f"{{{cell}}}"


def parsed(text: str) -> tuple[bool, int | None]:
    """Is the text a table, and its row?"""
    found = re.fullmatch(r"\{(\d?)\}", text)
    return found is not None, int(found[1]) if found and found[1] else None


def kind(text: str | None) -> tuple[str, int | None]:
    """What a file holds, as the model says it."""
    if not text:
        return ("MISSING" if text is None else "EMPTY"), None
    whole, row = parsed(text)
    return ("WHOLE" if whole else "TORN"), row


def load(main: str | None, backup: str | None) -> tuple[bool, int | None]:
    """ConfigManager.load, and LocalFileOffsetStore.load: does it succeed, and the row that it gives."""
    if main and parsed(main)[0]:
        return True, parsed(main)[1]
    return parsed(backup) if backup else (True, None)


@dataclass(frozen=True)
class Rules:
    """What the world is like: whose file, how many messages, and whether a text is written in two parts."""

    is_client: bool
    messages: int
    parts: bool
    budget: World = field(default=World(0, 0))

    def explored(self) -> set[World]:
        """All worlds that can be reached."""
        seen, front = {self.budget}, [self.budget]
        while front:
            after = {each.tidy() for world in front for each in self.steps(world)}
            front = [*(after - seen)]
            seen |= after
        return seen

    def steps(self, world: World) -> Iterator[World]:
        """Everything that can happen next."""
        yield from self._process(world)
        for thread, call in enumerate(world.calls):
            if call is not None:
                yield self._next(world, thread, call)
            elif self._may_begin(world, thread):
                text = written(world.cell)
                yield world.with_call(thread, Call("open tmp", text))

    def _may_begin(self, world: World, thread: int) -> bool:
        if self.is_client and not world.listed:
            return False
        if not self.is_client and any(world.calls):
            return False
        timely = ("UP", "STOPPING") if self.is_client else ("UP",)
        return world.phase in (("STOPPING",) if thread == STOPPER else timely)

    def _process(self, world: World) -> Iterator[World]:
        position = 0 if self.is_client else world.position
        down = replace(world, phase="DOWN", cell=None, listed=False, position=position, calls=(None, None))
        if world.phase == "DOWN":
            succeeds, row = load(world.text(MAIN), world.text(BACKUP))
            if succeeds:
                yield replace(world, phase="UP", cell=row)
            return
        if world.kills:
            yield replace(down, kills=world.kills - 1)
        if world.phase == "UP" and world.stops:
            yield replace(world, phase="STOPPING", stops=world.stops - 1)
        if world.phase == "STOPPED" and not any(world.calls):
            yield down
        if self.is_client:
            yield from self._client(world)
        else:
            yield from self._commits(world)

    def _commits(self, world: World) -> Iterator[World]:
        if world.position < self.messages:
            yield replace(world, position=world.position + 1, cell=world.position + 1)
        if world.phase == "UP" and world.position and world.cell != world.position:
            yield replace(world, cell=world.position)

    def _client(self, world: World) -> Iterator[World]:
        if world.phase == "STOPPING" and not world.listed:
            yield replace(world, phase="STOPPED")
        if world.phase == "UP" and not world.listed:
            succeeds, row = load(world.text(MAIN), world.text(BACKUP))
            found = row if succeeds else None
            begins = self.messages if world.known else 0
            position = begins if found is None else found
            listed = replace(world, listed=True, position=position, stored=world.stored or world.known)
            yield replace(listed, cell=world.cell, known=True) if found is None else replace(listed, cell=found)
        if world.listed and world.position < self.messages:
            position = world.position + 1
            yield replace(world, position=position, cell=max(position, world.cell or 0), stored=True)
        if world.listed and world.position == (self.messages if world.stored else 0):
            yield replace(world, cell=max(world.position, world.cell or 0))

    def _next(self, world: World, thread: int, call: Call) -> World:
        if call.todo.startswith("open"):
            world, inode = world.opened(TMP if call.todo == "open tmp" else BACKUP)
            todo = call.todo.replace("open", "begin" if self.parts else "write")
            return world.with_call(thread, replace(call, todo=todo, inode=inode))
        if call.todo.split()[0] in ("begin", "write", "end"):
            return self._written(world, thread, call)
        if call.todo == "read":
            previous = world.text(MAIN)
            todo = "delete" if previous is None else "open backup"
            return world.with_call(thread, replace(call, todo=todo, previous=previous))
        if call.todo == "delete":
            return world.with_name(MAIN, -1).with_call(thread, replace(call, todo="rename", previous=None))
        if world.names[TMP] >= 0:
            world = world.with_name(MAIN, world.names[TMP]).with_name(TMP, -1)
        return self._returned(world.with_call(thread, None), thread)

    def _written(self, world: World, thread: int, call: Call) -> World:
        how, what = call.todo.split()
        text = call.text if what == "tmp" else call.previous or ""
        held = world.inodes[call.inode]
        if how == "begin" and text:
            part = world.with_text(call.inode, text[:1] + held[1:])
            return part.with_call(thread, replace(call, todo=f"end {what}"))
        whole = world.with_text(call.inode, text + held[len(text) :])
        todo = "read" if what == "tmp" else "delete"
        return whole.with_call(thread, replace(call, todo=todo, inode=-1))

    def _returned(self, world: World, thread: int) -> World:
        known = world.known or self.is_client
        return replace(world, known=known, phase="STOPPED" if thread == STOPPER else world.phase)
