"""What users get wrong beside the language itself, as data: what was tried, how it ends, and what to do instead.

Each row is run by `test_wrong_inputs.py` through the real program. Rows are grouped as a reader would look for them;
what a model may not say is in the tests of the language.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cli.program import COUNTER, LOCK, Ran

ROOT = Path(__file__).parents[2]
RECORDED = (ROOT / "traces" / "recorded" / "I8-two-owners.json").read_text(encoding="utf-8")
HEAD = "from offsetproof.lang import *\n"

Make = Callable[[Path], object]
"""Makes what is no plain file."""


@dataclass(frozen=True)
class Wrong:
    """One wrong input.

    `command` is run in a folder with `files` (texts or bytes, or what makes something else) and the models `lock.py`
    and `counter.py`. `says` is a regular expression for the whole line that tells what is wrong, without the program's
    name before it.
    """

    about: str
    tried: str
    command: str
    code: int
    says: str
    instead: str
    files: Mapping[str, str | bytes | Make] = field(default_factory=dict)


def changed(**values: object) -> str:
    """A recorded trace with members replaced."""
    return json.dumps({**json.loads(RECORDED), **values})


def other_steps(**values: object) -> str:
    """A recorded trace whose last step says something else."""
    document = json.loads(RECORDED)
    document["trace"]["steps"][-1].update(values)
    return json.dumps(document)


def model(field_: str = "integer(0, 3)", decorator: str = "@action()", more: str = "", base: str = "Model") -> str:
    """A model of a few lines with something in it that is wrong."""
    return (
        f"{HEAD}class A({base}):\n    x: int = {field_}\n{more}    {decorator}\n    def rises(self) -> None:\n"
        "        require(self.x < 2)\n        self.x = self.x + 1\n    @always\n    def small(self) -> bool:\n"
        "        return self.x < 3\n"
    )


ENDLESS = "while True: self.x = 1"
TOOL = {"name": "offsetproof", "version": "1.0.0"}
BASELINE = json.dumps({"schema": 2, "tool": TOOL, "subject": "Lock", "cells": []})
NAMES, SUBJECTS, DECLARED = "Names and options", "What is checked", "What a model declares"
READ, WRITTEN = "Files that are read", "Files that are written"

LINK: Make = lambda path: path.symlink_to("counter.py")  # noqa: E731 - a row of the table
ZERO: Make = lambda path: path.symlink_to("/dev/zero")  # noqa: E731 - a row of the table
LARGE: Make = lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 64 * 2**20 + 1)  # noqa: E731 - a row

ROWS: tuple[Wrong, ...] = (
    # names that do not exist, and values of options
    Wrong(NAMES, "a verb that does not exist", "chek", 2,
          r"Error: No such command 'chek'\. Did you mean 'check', 'schema'\?",
          "one of the verbs that `offsetproof --help` lists"),
    Wrong(NAMES, "an option that does not exist", "check --propery=I5", 2, r"Error: No such option: --propery.*",
          "one of the options that `offsetproof check --help` lists"),
    Wrong(NAMES, "a claim that does not exist", "check counter.py --property=stays_bellow_two", 2,
          r"no claim named 'stays_bellow_two'; did you mean stays_below_two\?", "the id or the name of a claim"),
    Wrong(NAMES, "a bound that the scope does not have", "check counter.py --bound=tip=3", 2,
          r"no bound of scope small named 'tip'; did you mean top\?", "a bound of the scope"),
    Wrong(NAMES, "a bound without a number", "check counter.py --bound=top", 2,
          r"Error: .*'top' is not a bound; write NAME=NUMBER, as in messages=3", "`--bound top=3`"),
    Wrong(NAMES, "a bound of 5,000 digits", f"check counter.py --bound=top={'9' * 5000}", 2,
          r"Error: .*'top=9{36}' is not a bound; write NAME=NUMBER, as in messages=3", "a bound of up to 18 digits"),
    Wrong(NAMES, "a negative bound", "check counter.py --bound=top=-1", 2,
          r"Error: .*'top=-1' is not a bound; write NAME=NUMBER, as in messages=3", "a number from 0"),
    Wrong(NAMES, "a bound for what the model is without", "check broadcasting I4-broadcast --bound=suspends=1", 2,
          r"bound suspends is always 0 here, not 1", "a bound that the model uses: `list broadcasting bounds`"),
    Wrong(NAMES, "a bound that is a choice, with a number that is none of its values",
          "check --property=I4 --scope=new-group --bound=consume_from=7", 2,
          r"no value of bound consume_from named '7'; choose from FIRST_OFFSET, LAST_OFFSET, TIMESTAMP",
          "`--bound consume_from=LAST_OFFSET`"),
    Wrong(NAMES, "a release that does not exist", "check lock.py --release=3.0", 2,
          r"no release named '3\.0'; choose from 1\.0, 2\.0", "a release that `offsetproof list` names"),
    Wrong(NAMES, "a scope that does not exist", "check counter.py --scope=smal", 2,
          r"no scope named 'smal'; did you mean small\?", "a scope that `offsetproof list` names, or `--scope all`"),
    Wrong(NAMES, "a fix that does not exist", "check counter.py --fix=start-over", 2,
          r"no fix named 'start-over'; did you mean starts-over\?", "a fix that `offsetproof list` names"),
    Wrong(NAMES, "an assumption that does not exist", "check counter.py --assume=clam", 2,
          r"no assumption named 'clam'; did you mean calm\?", "an assumption that `offsetproof list` names"),
    Wrong(NAMES, "an engine that does not exist", "check counter.py --engine=magic", 2,
          r"Error: .*'magic' is not one of 'explicit', 'smt', 'stateful', 'spark', 'all'", "one of these"),
    Wrong(NAMES, "a format that does not exist", "check counter.py --format=yaml", 2,
          r"Error: .*: 'yaml' is not one of 'text', 'json', 'junit', 'sarif', 'github', 'markdown'", "one of these"),
    Wrong(NAMES, "stories of a kind that does not exist", "check counter.py --stories=short", 2,
          r"Error: .*'short' is not one of 'brief', 'full', 'none'", "one of these"),
    Wrong(NAMES, "a list that is filtered for programs", "list counter.py fixes --format=json", 2,
          r"Error: .*json always has everything; name the model alone", "`list counter.py --format=json`"),
    Wrong(NAMES, "a scope that is too large for a graph", "graph counter.py --scope=huge", 2,
          r"Error: .*scope huge has more than 2000 reachable states; make its bounds smaller with --bound, or allow "
          r"more with --max-states", "`--scope small`"),
    Wrong(NAMES, "a bound that no memory could hold", "check lock.py --bound=workers=1000000000", 120,
          r"lock\.py:4: scope two\* has more than 100,000 values of worker; make its bounds smaller", "a small bound"),
    Wrong(NAMES, "no process at all", "check counter.py --workers=0", 2,
          r"Error: .*'0' is not a number of processes; write auto, 1, 2\.\.\.", "`--workers 1`"),
    Wrong(NAMES, "memory without a unit", "check counter.py --max-memory=4", 2,
          r"Error: .*'4' is not an amount of memory; write 512MiB or 4GiB", "`--max-memory 4GiB`"),
    Wrong(NAMES, "no memory at all", "check counter.py --max-memory=0GiB", 2,
          r"Error: .*'0GiB' is not an amount of memory; write 512MiB or 4GiB", "`--max-memory 4GiB`"),
    Wrong(NAMES, "a negative amount of memory", "check counter.py --max-memory=-1GiB", 2,
          r"Error: .*'-1GiB' is not an amount of memory; write 512MiB or 4GiB", "`--max-memory 4GiB`"),
    Wrong(NAMES, "an amount of memory that is not a number", "check counter.py --max-memory=nan", 2,
          r"Error: .*'nan' is not an amount of memory; write 512MiB or 4GiB", "`--max-memory 4GiB`"),
    Wrong(NAMES, "a time that is not a number", "check counter.py --timeout=nan", 2,
          r"Error: Invalid value for '--timeout': .*", "seconds, as in `--timeout 60`"),
    Wrong(NAMES, "a time without end", "check counter.py --timeout=inf", 2,
          r"Error: Invalid value for '--timeout': give a number of seconds; without the option there is no limit",
          "no `--timeout`"),
    Wrong(NAMES, "a trace that does not exist", "show I5-late-pul", 2,
          r"no recorded trace, claim or file named 'I5-late-pul'; did you mean I5-late-pull\?", "a name, or a file"),
    Wrong(NAMES, "three traces at once", "show a.json b.json c.json", 2,
          r"Error: .*one trace is shown, two are compared; more are too many", "one or two"),
    Wrong(NAMES, "a trace of another model than the one named", "show I8-two-owners --subject=lock.py", 2,
          r"Error: .*the trace is of rocketmq, not of Lock", "the model that the trace names"),

    # what is checked
    Wrong(SUBJECTS, "a file that is not there", "check missing.py", 2,
          r"there is no model file missing\.py; name a Python file, a module, or rocketmq", "a file that is there"),
    Wrong(SUBJECTS, "a file whose name is too long", f"check {'x' * 300}.py", 2,
          r"there is no model file x{300}\.py; name a Python file, a module, or rocketmq", "a shorter name"),
    Wrong(SUBJECTS, "a folder with the name of a file", "check folder.py", 150,
          r"folder\.py: the file: is a folder; name a file", "a file in it", {"folder.py": Path.mkdir}),
    Wrong(SUBJECTS, "a pipe with the name of a model", "check pipe.py", 150,
          r"pipe\.py: the file: is a pipe; name a file", "a file", {"pipe.py": os.mkfifo}),
    Wrong(SUBJECTS, "a device with the name of a model", "check zero.py", 150,
          r"zero\.py: the file: is a device; name a file", "a file", {"zero.py": ZERO}),
    Wrong(SUBJECTS, "a model of more than 64 MiB", "check large.py", 150,
          r"large\.py: the file: is larger than 64 MiB", "a model that a person has written", {"large.py": LARGE}),
    Wrong(SUBJECTS, "a module that is not there", "check nosuch.module", 2,
          r"no file or module is named 'nosuch\.module', and rocketmq has no claim named 'nosuch\.module'; "
          r"`offsetproof list \[MODEL\] claims` shows them all", "a module on the path"),
    Wrong(SUBJECTS, "a word that is neither a model nor a claim", "check I55", 2,
          r"no file or module is named 'I55', and rocketmq has no claim named 'I55'; did you mean I5\?",
          "`check I5`"),
    Wrong(SUBJECTS, "claims of two subjects", "check I4-broadcast I5", 2,
          r"I4-broadcast is a claim of broadcasting; name that first: `broadcasting I4-broadcast`",
          "`check broadcasting I4-broadcast`"),
    Wrong(SUBJECTS, "a model after its claims", "check stays_below_two counter.py", 2,
          r"counter\.py stands where a claim is expected; a model comes first, and its claims after it",
          "`check counter.py stays_below_two`"),
    Wrong(SUBJECTS, "a model after another's claim", "check I8 counter.py", 2,
          r"counter\.py stands where a claim is expected; a model comes first, and its claims after it",
          "one model, named first"),
    Wrong(SUBJECTS, "a section that does not exist", "list counter.py fixs", 2,
          r"no section or claim named 'fixs'; did you mean fixes\?", "`list counter.py fixes`"),
    Wrong(SUBJECTS, "a module without a model", "check json", 2, r"json has no Model subclass", "a module with one"),
    Wrong(SUBJECTS, "a model that ends the program when it is imported", "check bad.py", 120,
          r"bad\.py:1: SystemExit while it was imported: 0", "a model that only declares",
          {"bad.py": "import sys; sys.exit(0)\n"}),
    Wrong(SUBJECTS, "a model that interrupts itself when it is imported", "check bad.py", 120,
          r"bad\.py:1: KeyboardInterrupt while it was imported", "a model that only declares",
          {"bad.py": "raise KeyboardInterrupt\n"}),
    Wrong(SUBJECTS, "a model that calls itself without end when it is imported", "check bad.py", 120,
          r"bad\.py:1: RecursionError while it was imported: maximum recursion depth exceeded", "a model that ends",
          {"bad.py": "def f(): f()\nf()\n"}),
    Wrong(SUBJECTS, "an error that cannot even be told", "check bad.py", 120,
          r"bad\.py:3: Odd while it was imported", "an error with a message",
          {"bad.py": "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd\n"}),
    Wrong(SUBJECTS, "an error with terminal sequences in its message", "check bad.py", 120,
          r"bad\.py:1: ValueError while it was imported: a\\x1b\[2Jb c", "a plain message",
          {"bad.py": 'raise ValueError("a\\x1b[2Jb\\nc")\n'}),
    Wrong(SUBJECTS, "a model that is not UTF-8", "check bad.py", 120,
          r"bad\.py:1: .*", "a file in UTF-8, or one that says its encoding", {"bad.py": b"x = '\xff'\n"}),

    # what a model declares
    Wrong(DECLARED, "an initial value outside of the field's domain", "check bad.py", 120,
          r"bad\.py:3: field x cannot start like this: 9 is not in its domain, 0 to 3", "`integer(0, 3, 2)`",
          {"bad.py": model("integer(0, 3, 9)")}),
    Wrong(DECLARED, "a field that may start with a thousand million values", "check bad.py", 120,
          r"bad\.py:3: field x in scope default: it may start with any of 1,000,000,001 values, and a model has at "
          r"most 131,072 initial states; use a smaller domain, or let a first action choose",
          "a small domain", {"bad.py": model("integer(0, 10**9, ANYTHING)")}),
    Wrong(DECLARED, "a bound that is not a whole number", "check bad.py", 120,
          r"bad\.py:3: field x in scope default: 0\.5 is not a whole number; a bound is one, or the name of "
          r"one, or computes one",
          "`integer(0, 3)`", {"bad.py": model("integer(0.5, 3)")}),
    Wrong(DECLARED, "a function of the scope that fails", "check bad.py", 120,
          r"bad\.py:3: field x in scope default: a bound cannot be computed in scope default: ZeroDivisionError: .* "
          r"\(bad\.py:3\)",
          "one that works in each scope", {"bad.py": model("integer(0, lambda scope: 1 // 0)")}),
    Wrong(DECLARED, "`@action` without parentheses", "check bad.py", 120,
          r"bad\.py:4: @action needs parentheses; write @action\(\) or @action\(actor=\.\.\.\)",
          "`@action()`", {"bad.py": model(decorator="@action")}),
    Wrong(DECLARED, "an action's parameter that ranges over a number", "check bad.py", 120,
          r'bad\.py:4: w=3 is not a sort; give an enum or Index\("w", 2\)', '`@action(w=Index("worker", 3))`',
          {"bad.py": model(decorator="@action(w=3)").replace("(self) -> None", "(self, w) -> None")}),
    Wrong(DECLARED, "an actor that is not a string", "check bad.py", 120,
          r"bad\.py:4: actor=3 is not a string; write actor='worker'",
          '`@action(actor="worker")`', {"bad.py": model(decorator="@action(actor=3)")}),
    Wrong(DECLARED, "an array of something else", "check bad.py", 120,
          r'bad\.py:3: an array ranges over an index sort: array\(Index\("worker", 2\), \.\.\.\)',
          "`array(WORKERS, flag())`", {"bad.py": model("array(3, flag())")}),
    Wrong(DECLARED, "one scope where a tuple belongs", "check bad.py", 120,
          r"bad\.py:2: A\.scopes must be a tuple of Scope; a tuple of one has a comma",
          '`scopes = (Scope("small", {}),)`', {"bad.py": model(more='    scopes = Scope("small", {})\n')}),
    Wrong(DECLARED, "no scope at all", "check bad.py", 120,
          r"bad\.py:2: A\.scopes is empty; a model has at least one scope",
          '`scopes = (Scope("small", {}),)`', {"bad.py": model(more="    scopes = ()\n")}),
    Wrong(DECLARED, "two scopes of one name", "check bad.py", 120,
          r"bad\.py:2: A\.scopes has 'a' twice; rename one", "another name",
          {"bad.py": model(more='    scopes = (Scope("a", {}), Scope("a", {"n": 1}))\n')}),
    Wrong(DECLARED, "a bound of a scope that is not a number", "check bad.py", 120,
          r"bad\.py:4: scope a: bound n='x' is not a number from 0", '`Scope("a", {"n": 3})`',
          {"bad.py": model(more='    scopes = (Scope("a", {"n": "x"}),)\n')}),
    Wrong(DECLARED, "a claim's id that is not a string", "check bad.py", 120,
          r"bad\.py:8: a claim's id is a string, not 3", '`@always(id="I3")`',
          {"bad.py": model().replace("@always", "@always(id=3)")}),
    Wrong(DECLARED, "an expectation that is a text", "check bad.py", 120,
          r"bad\.py:8: the claim expects 'HOLD'; write HOLDS or REFUTED", "`@always(expected=HOLDS)`",
          {"bad.py": model().replace("@always", '@always(expected={"1.0": "HOLD"})')}),
    Wrong(DECLARED, "an expectation for a release that there is not", "check bad.py", 120,
          r"bad\.py:8: small expects a verdict of its own in '1\.0': no release named '1\.0'; there is none",
          "a release of the model", {"bad.py": model().replace("@always", '@always(expected={"1.0": HOLDS})')}),
    Wrong(DECLARED, "an object that computes a bound", "check bad.py", 120,
          r"bad\.py:3: field x in scope default: partial is not a function that can be read; a bound is computed by "
          r"`lambda scope: \.\.\.` or def", "`lambda scope: 3`",
          {"bad.py": model("integer(0, __import__('functools').partial(min, 3))")}),
    Wrong(DECLARED, "a model that ends the program", "check bad.py", 120,
          r"bad\.py:2: SystemExit while it was imported: 0",
          "nothing of the kind", {"bad.py": "import sys\nsys.exit(0)\n"}),
    Wrong(DECLARED, "an action that was renamed, but not where it is named", "check bad.py", 120,
          r"bad\.py:12: no action is named 'riss' \(bad\.py:12\); did you mean rises\?", "the new name in each place",
          {"bad.py": model() + '\nHARM = Damage(lambda a: 0, outside=("riss",))\n'}),
    Wrong(DECLARED, "a renamed action in a claim about steps", "check bad.py", 120,
          r"bad\.py:13: no action is named 'riss' \(bad\.py:13\); did you mean rises\?", "the new name in each place",
          {"bad.py": model() + '    @each_step\n    def never_falls(b, a, step):\n'
                               '        return step.action != "riss" or b.x < a.x\n'}),

    Wrong(DECLARED, "a loop without end, for a graph", "graph bad.py", 120,
          r"bad\.py:7: a loop that has not ended after 200,000 steps cannot be staged; let the loop end, or make an "
          r"action of its body", "a loop that ends", {"bad.py": model().replace("self.x = self.x + 1", ENDLESS)}),

    # what is read
    Wrong(READ, "a trace file that is not there", "show none.json", 150,
          r"none\.json: the file: cannot be opened: No such file or directory", "a file that is there"),
    Wrong(READ, "a device as a trace", "show zero.json", 150, r"zero\.json: the file: is a device; name a file",
          "a file", {"zero.json": ZERO}),
    Wrong(READ, "a pipe that nobody writes to", "show pipe.json", 150, r"pipe\.json: the file: is a pipe; name a file",
          "a file", {"pipe.json": os.mkfifo}),
    Wrong(READ, "a folder as a trace", "show folder.json", 150, r"folder\.json: the file: is a folder; name a file",
          "a file in it", {"folder.json": Path.mkdir}),
    Wrong(READ, "a trace of more than 64 MiB", "show large.json", 150,
          r"large\.json: the file: is larger than 64 MiB; allow more with --max-input", "`--max-input 1GiB`",
          {"large.json": LARGE}),
    Wrong(READ, "a trace that is not UTF-8", "show bad.json", 150, r"bad\.json: byte 1: is not UTF-8",
          "record it again", {"bad.json": b"{\xff"}),
    Wrong(READ, "a trace that is not JSON", "show bad.json", 150,
          r"bad\.json: line 1, column 2: is not JSON: Expecting property name enclosed in double quotes",
          "record it again", {"bad.json": "{"}),
    Wrong(READ, "a trace that is nested without end", "show bad.json", 150,
          r"bad\.json: the document: is nested too deeply", "record it again", {"bad.json": "[" * 100_000}),
    Wrong(READ, "a key that is there twice", "show bad.json", 150,
          r"bad\.json: an object with the key 'schema': has this key twice; keep one", "one of the two",
          {"bad.json": '{"schema": 1, "schema": 1}'}),
    Wrong(READ, "NaN for a number", "show bad.json", 150,
          r"bad\.json: the value NaN: is not JSON; write a number", "a number", {"bad.json": '{"schema": NaN}'}),
    Wrong(READ, "a number of 5,000 digits", "show bad.json", 150,
          r"bad\.json: a number: has thousands of digits; 64 bits hold the numbers here", "record it again",
          {"bad.json": f'{{"schema": {"9" * 5000}}}'}),
    Wrong(READ, "half of a surrogate pair", "show bad.json", 150,
          r"bad\.json: line 1: has a string with \\ud800 in it, which nothing could show", "record it again",
          {"bad.json": changed(subject="\ud800")}),
    Wrong(READ, "NUL in a text", "show bad.json", 150,
          r"bad\.json: line 1: has a string with \\u0000 in it, which nothing could show", "record it again",
          {"bad.json": changed(digest="\0")}),
    Wrong(READ, "a trace of a later version", "show bad.json", 150,
          r"bad\.json: schema: is 2, which this version does not read; record the trace again", "record it again",
          {"bad.json": changed(schema=2)}),
    Wrong(READ, "a trace whose parts contradict each other", "show bad.json", 150,
          r"bad\.json: release: is not what the releases of the roles say, 4\.9\.4; record the trace again",
          "record it again",
          {"bad.json": changed(release="5.3.3")}),
    Wrong(READ, "a trace that the model does not do", "show bad.json --format=json", 20,
          r"bad\.json: DOES NOT REPLAY on the model: the actor of step 9, .*, is .*, not nobody as recorded",
          "check the claim again", {"bad.json": other_steps(actor="nobody")}),
    Wrong(READ, "a baseline that is not there", "guard lock.py", 150,
          r".*lock\.baseline\.json: the file: there is none yet; write it with `offsetproof guard --update`",
          "`offsetproof guard --update`"),
    Wrong(READ, "a baseline that is not JSON", "guard lock.py --baseline=bad.json", 150,
          r"bad\.json: line 1, column 2: is not JSON: .*; write it again with `offsetproof guard --update`",
          "`offsetproof guard --update`", {"bad.json": "{"}),
    Wrong(READ, "a device as a baseline", "guard lock.py --baseline=/dev/zero", 150,
          r"/dev/zero: the file: is a device; name a file; write it again with `offsetproof guard --update`", "a file"),
    Wrong(READ, "another model's baseline", "guard counter.py --baseline=lock.json", 150,
          r"lock\.json: subject: is of 'Lock', not of 'Counter'; name another file with --baseline",
          "a baseline of its own", {"lock.json": BASELINE}),

    Wrong(READ, "a grid that does not exist", "sweep reset", 2,
          r"no grid named 'reset'; did you mean resets\? reset is a scope in rocketmq: `offsetproof list reset`",
          "a grid's name, or a file"),
    Wrong(READ, "a grid with a key that no grid has", "sweep bad.toml", 150,
          r"bad\.toml has 'propertis', which no grid has; choose from assumptions, .*", "`properties`",
          {"bad.toml": 'propertis = ["I11"]\n'}),
    Wrong(READ, "a grid that is nested without end", "sweep bad.toml", 150,
          r"bad\.toml cannot be read: .*; fix it, its keys are .*", "lists of names",
          {"bad.toml": f"x = {'[' * 50_000}"}),
    Wrong(READ, "a grid of more questions than anybody waits for", "sweep bad.toml", 152,
          r"bad\.toml asks 100,000,000 questions, and a sweep takes at most 50,000; ask fewer bounds, fixes or claims, "
          r"or split it into several grids", "several grids",
          {"bad.toml": 'properties = ["I11"]\n[bounds]\nmessages = "1..100000000"\n'}),

    # what is written
    Wrong(WRITTEN, "a report in a folder that is not there", "check lock.py --output=nowhere/x.txt", 150,
          r"--output: cannot write nowhere/x\.txt: there is no folder nowhere", "a folder that is there"),
    Wrong(WRITTEN, "a folder as a report", "check lock.py --output=.", 150,
          r"--output: cannot write \.: it is a folder", "a file"),
    Wrong(WRITTEN, "a link as a report", "check lock.py --output=link.txt", 150,
          r"--output: cannot write link\.txt: it is a link to counter\.py; name the file itself", "the file itself",
          {"link.txt": LINK}),
    Wrong(WRITTEN, "a report whose name is too long", f"check lock.py --output={'x' * 300}", 150,
          r"--output: cannot write x{300}: File name too long", "a shorter name"),
    Wrong(WRITTEN, "a report where the disk is full", "check lock.py --output=/dev/full", 150,
          r"--output: cannot write /dev/full: No space left on device; the report follows on stdout", "another place"),
    Wrong(WRITTEN, "traces in a file", "check lock.py --out-dir=lock.py", 150,
          r"--out-dir: cannot write lock\.py: it is not a folder", "a folder"),
    Wrong(WRITTEN, "an export in a file", "export --to=tla lock.py --out-dir=lock.py", 150,
          r"--out-dir: cannot write lock\.py: it is not a folder", "a folder"),
    Wrong(WRITTEN, "a baseline in a folder that is not there", "guard lock.py --update --baseline=nowhere/b.json", 150,
          r"--baseline: cannot write nowhere/b\.json: there is no folder nowhere", "a folder that is there"),
    Wrong(WRITTEN, "a link as a baseline", "guard lock.py --update --baseline=link.json", 150,
          r"--baseline: cannot write link\.json: it is a link to counter\.py; name the file itself", "the file itself",
          {"link.json": LINK}),
)  # fmt: skip

MODELS = {"lock.py": LOCK, "counter.py": COUNTER}


def folder_for(row: Wrong, folder: Path) -> Path:
    """The folder in which a row is tried."""
    for name, content in {**MODELS, **row.files}.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8", errors="surrogatepass")
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            content(path)
    return folder


def complaint(ran: Ran) -> str:
    """The line that tells what is wrong, without the program's name before it."""
    return ran.err.splitlines()[-1].removeprefix("offsetproof: ")
