"""One task's share of an exploration: its parts of the visited set, level by level.

A state belongs to a part, a part to a task, for good. In each level a task takes in what the others sent it, keeps what
is new, writes it down, judges and expands it; successors that are its own are entered at once, those of others are sent
once per level. Where the parts do not fit into the task's memory together, each is read back from what was written
down, one at a time, and nothing is kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import CLAIMS, DEAD, FAILED
from offsetproof.engines.explicit.search import Program
from offsetproof.engines.explicit.stubborn import StubbornExpander
from offsetproof.engines.explicit.visited import Visited
from offsetproof.engines.spark.exchange import Exchange, Order, must_be_current
from offsetproof.engines.spark.manifest import Level
from offsetproof.engines.spark.run_folder import level_file, read_part
from offsetproof.engines.spark.states import part_of, write_states
from offsetproof.engines.whole_files import DamagedError
from offsetproof.verdict.limits import LimitMetError
from offsetproof.verdict.result import Reason

SENT_SHARE = 4
"""What waits to be sent takes this part of a task's memory, or twice what nothing takes, if that is more."""


class Share:
    """The parts of one task, and what it sends to others; `alarmed` are the rows that showed a violation last."""

    def __init__(self, program: Program, order: Order, task: int) -> None:
        self.program, self.order, self.task = program, order, task
        self.folder, self.scratch = Path(order.folder), order.scratch
        self.exchange = Exchange(order, task, program.layout.words)
        self.levels: list[Level] = []
        self.own = [part for part in range(order.parts) if part % order.tasks == task]
        self.words = program.layout.words
        self.expander = Expander(program.layout, program.native)
        if order.tables is not None:
            self.expander = StubbornExpander(program.layout, program.native, order.tables)
        self.kept: dict[int, Visited] | None = {part: self._empty() for part in self.own}
        self.begins = dict.fromkeys(self.own, 0)
        self.sent: dict[int, Visited] = {}
        self.most_waiting = max(order.bytes // SENT_SHARE, 2 * order.parts * self._empty().nbytes)
        self.rows, self.digests = [0] * order.parts, [""] * order.parts
        self.depth = self.most = self.most_sent = self.bytes_sent = 0

    def take_up(self, levels: list[Level]) -> None:
        """Reads what was written down before the last of these levels, unless it is too much for the task's memory.

        The list is the caller's own, and grows with every level that is complete. CheckpointError where what was
        written is not there any more.
        """
        self.levels = levels
        depth, states = max(0, len(levels) - 1), sum(level.states for level in levels)
        if self.order.parts > self.order.tasks and self._estimate_bytes(states) > self.order.bytes:
            self.kept = None
        for part, visited in (self.kept or {}).items():
            self._read_back(visited, part, depth)
            self.begins[part] = visited.count

    def level(self, depth: int, *, again: bool) -> Level:
        """Finds, writes down, judges and expands the states of one level; `again` where they are written already."""
        self.expander.reset_counts()
        self.alarmed: dict[str, list[Words]] = {"state": [], "step": [], "dead": [], "failed": []}
        self.depth = depth
        done = Level(0, 0, [], [], 0, 0)
        if self.kept is not None:
            spans = {part: self._taken_in(depth, part, visited, again=again) for part, visited in self.kept.items()}
            for part, visited in self.kept.items():
                self._follow(visited, *spans[part], done)
        else:
            for part in self.own:
                self._alone(depth, part, done, again=again)
        done.bytes = self._bytes()
        self._send()
        done.sent, self.bytes_sent = self.bytes_sent, 0
        done.fired, done.cuts = self.expander.fired.tolist(), self.expander.cuts.tolist()
        done.rows, done.digests = self.rows, self.digests
        self.rows, self.digests = [0] * self.order.parts, [""] * self.order.parts
        if self.kept is not None and done.bytes > self.order.bytes and self.order.parts > self.order.tasks:
            self._let_go(depth + 1)
        return done

    def _taken_in(self, depth: int, part: int, visited: Visited, *, again: bool) -> tuple[int, int]:
        """Enters what belongs to a level into a part that is kept; from where to where its new states are."""
        begin = self.begins[part]
        for rows in [self._read(depth, part)] if again else self._receive(depth, part):
            visited.add(rows, len(rows))
        if self.order.parts <= self.order.tasks:
            self._refuse_too_large(visited)
        self.begins[part] = visited.count
        if not again:
            self._write(depth, part, visited.states[begin : visited.count])
        return begin, visited.count

    def _alone(self, depth: int, part: int, done: Level, *, again: bool) -> None:
        """One level of a part that is read back for it and then let go."""
        if again:
            rows = self._read(depth, part)
        else:
            store = self.scratch / f"visited-{part:03d}"
            visited = self._restore_part(store, part, depth)
            begin = visited.count
            for received in self._receive(depth, part):
                visited.add(received, len(received))
            self._refuse_too_large(visited)
            rows = visited.states[begin : visited.count].copy()
            self.most = max(self.most, visited.nbytes)
            del visited
            with store.open("ab") as out:
                out.write(rows.tobytes())
            self._write(depth, part, rows)
        new = Visited(self.words, rows=1, slots=2)
        new.states = rows
        self._follow(new, 0, len(rows), done)

    def _restore_part(self, store: Path, part: int, depth: int) -> Visited:
        """A part as it was before a level: from one file that grows with the levels, made from theirs at first."""
        visited = self._empty()
        if store.exists():
            words = np.fromfile(store, np.uint64)
            if len(words) != self.words * sum(level.rows[part] for level in self.levels[:depth]):
                raise DamagedError(f"{store} is not as long as it was written; use --resume")
            rows = words.reshape(-1, self.words)
            visited.add(rows, len(rows))
            return visited
        self._read_back(visited, part, depth)
        store.parent.mkdir(parents=True, exist_ok=True)
        store.write_bytes(visited.states[: visited.count].tobytes())
        return visited

    def _refuse_too_large(self, visited: Visited) -> None:
        """LimitMetError for a part that alone is too large for the memory of a task; its level does not count then."""
        if visited.nbytes > self.order.bytes:
            raise LimitMetError(Reason.MEMORY)

    def _refuse_too_late(self) -> None:
        if self.order.until is not None and time.time() > self.order.until:
            raise LimitMetError(Reason.TIME)

    def _follow(self, visited: Visited, begin: int, end: int, done: Level) -> None:
        """Judges and expands the rows from begin to end; the array may be moved while that adds to it."""
        done.states += end - begin
        for start in range(begin, end, CHUNK):
            self._refuse_too_late()
            rows = visited.states[start : min(start + CHUNK, end)]
            self.expander.judge(rows)
            done.judged |= self._note_flags(rows, "state")
            count = self.expander.expand(rows)
            done.transitions += count
            union = self._note_flags(rows, "step")
            done.expanded |= union
            done.failed |= bool(union & FAILED)
            self._hand_on(self.expander.out[:count])
            if self._sent_bytes() > self.most_waiting:
                self.most_sent = max(self.most_sent, self._sent_bytes())
                self._send()

    def _note_flags(self, rows: Words, kind: str) -> int:
        """All flags of a chunk together; rows that alarm the first claim are kept for its trace."""
        flags = self.expander.flags[: len(rows)]
        union = int(np.bitwise_or.reduce(flags)) if len(flags) else 0
        for name, mask in ((kind, 1 << CLAIMS), ("dead", DEAD), ("failed", FAILED)):
            if union & mask and (name == kind or kind == "step"):
                self.alarmed[name].append(rows[(flags & mask) != 0])
        return union

    def _hand_on(self, rows: Words) -> None:
        """Enters successors into the parts that they belong to, or into what will be sent there."""
        parts = part_of(rows, self.order.parts)
        for part in np.unique(parts):
            mine = self.kept is not None and part % self.order.tasks == self.task
            target = self.kept[int(part)] if mine and self.kept is not None else self._sent_to(int(part))
            chosen = rows[parts == part]
            target.add(chosen, len(chosen))

    def _sent_to(self, part: int) -> Visited:
        if part not in self.sent:
            self.sent[part] = self._empty()
        return self.sent[part]

    def _send(self) -> None:
        """Hands what goes to each part for the next level to the exchange."""
        for part, visited in self.sent.items():
            rows = visited.states[: visited.count]
            self.exchange.send(self.depth + 1, part, rows)
            self.bytes_sent += rows.nbytes if part % self.order.tasks != self.task else 0
        self.sent = {}

    def _receive(self, depth: int, part: int) -> Iterator[Words]:
        if depth == 0:
            rows = np.array(self.order.initial, np.uint64).reshape(-1, self.words)
            yield np.ascontiguousarray(rows[part_of(rows, self.order.parts) == part])
            return
        yield from self.exchange.receive(depth, part)

    def _let_go(self, depth: int) -> None:
        """From now on parts are read back one at a time; what is entered already for the next level is sent."""
        kept, self.kept = self.kept or {}, None
        for part, visited in kept.items():
            self.exchange.send(depth, part, visited.states[self.begins[part] : visited.count])

    def _write(self, depth: int, part: int, rows: Words) -> None:
        """Writes the new states of a level and part down, unless the attempt is over: then others write them."""
        file = level_file(self.folder, self.order.cap, depth, part)
        self.digests[part] = write_states(file, rows, allowed=partial(must_be_current, self.order))
        self.rows[part] = len(rows)

    def _read(self, depth: int, part: int) -> Words:
        """The states of a complete level and part, as they were written."""
        return read_part(self.folder, self.order.cap, depth, part, self.words, self.levels[depth])

    def _estimate_bytes(self, states: int) -> int:
        """What a task's parts take that have that many states: rows and table, with room to grow."""
        return 2 * (8 * self.words + 8) * states // self.order.tasks

    def _read_back(self, visited: Visited, part: int, depth: int) -> None:
        for earlier in range(depth):
            rows = self._read(earlier, part)
            visited.add(rows, len(rows))

    def _empty(self) -> Visited:
        return Visited(self.words, rows=1 << 10, slots=1 << 12)

    def _sent_bytes(self) -> int:
        return sum(visited.nbytes for visited in self.sent.values())

    def _bytes(self) -> int:
        """The most that this task held in the level: its parts, and what it had not sent yet."""
        parts = self.most if self.kept is None else sum(visited.nbytes for visited in self.kept.values())
        sent, self.most_sent = max(self.most_sent, self._sent_bytes()), 0
        return parts + sent + self.expander.out.nbytes
