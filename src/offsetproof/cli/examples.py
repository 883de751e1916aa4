"""Two examples of each verb, which its help ends with."""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "symptom": (
        ('"the reset did not stick"', "from what you see to what to do"),
        ('"messages were skipped" --release 5.3.3', "what is so in this release"),
    ),
    "list": (
        ("I5", "all about one claim, with its expected verdict"),
        ("orderly fixes", "the fixes that another model knows"),
    ),
    "check": (
        ("I5 --scope calm-reset --release 4.9.4", "one claim in one world"),
        ("mymodel.py --html report", "a model of your own, with stories for a browser"),
    ),
    "explain": (
        ("I5 --scope calm-reset", "its causes there, and what removes each"),
        ("I11 --repairs", "the smallest sets of fixes with which it holds"),
    ),
    "simulate": (
        ("toys:Jugs --seed 7", "walks that can be made again"),
        ("I5 --scope reset --format json", "walks of one claim's world, for a program"),
    ),
    "export": (
        ("I5 --scope calm-reset --to tla --out-dir tla", "for TLC"),
        ("mymodel.py --to promela", "a model of your own, for SPIN"),
    ),
    "show": (
        ("I5-late-poll", "a recorded counterexample, step by step"),
        ("I5-late-poll I5-one-cpu", "two of them, side by side"),
    ),
    "graph": (
        ("toys:Jugs --format dot", "its reachable states, for Graphviz"),
        ("mymodel.py --format json --output states.json", "yours, for a program"),
    ),
    "explore": (
        ("mymodel.py", "walk it by hand, in a browser"),
        ("--trace I5-late-poll --step 16 --text", "from a story's step, in the terminal"),
    ),
    "guard": (
        ("orderly", "what differs from the committed baseline"),
        ("mymodel.py --wider 60", "of your model, and where it held in wider worlds"),
    ),
    "compare": (
        ("4.9.4 4.9.8 --scope calm-reset --field committed", "two releases, by what is committed"),
        ("HEAD~1:mymodel.py mymodel.py", "yours, before your last commit and now"),
    ),
    "mutate": (
        ("toys:Jugs", "which claims notice what is broken in a toy"),
        ("mymodel.py --format json", "the same of your model, for a program"),
    ),
    "widen": (
        ("I1 --scope fine-steps --release 4.9.4", "one case: what flips where its world is larger by one"),
        ("mymodel.py --update", "whatever holds in your own, and keep it for guard"),
    ),
    "sweep": (
        ("resets --out-dir sweep", "the grid that comes with the program"),
        ("grid.toml --out-dir sweep", "one of your own"),
    ),
    "audit": (
        ("/var/log/rocketmq --html report", "from logs to findings, for a browser"),
        ("logs/ --fail-on certain", "code 12 where a finding is certain"),
    ),
    "watch": (
        ("--namesrv 10.0.0.1:9876 --group orders", "what goes wrong, as it happens"),
        ("--namesrv 10.0.0.1:9876 --group orders --before-reset", "is a reset safe now?"),
    ),
    "rocketmq": (
        ("fetch 4.9.4", "the published jars, verified, into the cache"),
        ("fetch all --check", "are they all there, as they were published?"),
    ),
    "replay": (
        ("I5-late-poll --steps", "on RocketMQ's own classes, step by step"),
        ("--recorded --release 4.9.4", "every recorded story of a release"),
    ),
    "conform": (
        ("", "the model and RocketMQ's classes, side by side"),
        ("--classpath target/classes --release 4.9.4", "the model and yours"),
    ),
    "judge": (
        ("I5 --classpath target/classes", "which causes your patch removes"),
        ("I5 --classpath classes --expect removed=I5-late-poll", "as a gate"),
    ),
    "schema": (
        ("", "the documents that are written as JSON"),
        ("check", "the JSON Schema of one"),
    ),
    "doctor": (
        ("", "which optional parts are there"),
        ("jdk maven", "code 69 where one of these is not"),
    ),
    "new": (
        ("jobs", "a folder with a model, a test and a baseline"),
        ("models/orders", "the same, below another folder"),
    ),
    "mcp": (
        ("", "as an assistant starts it"),
        ("--allow-models --timeout 600", "with your models, and ten minutes a call"),
    ),
}
"""For each verb what follows it on the command line, and what that is for."""


def examples_of(verb: str) -> str:
    """The end of a verb's help; no line of it is filled up or broken."""
    lines = [
        line for given, about in EXAMPLES[verb] for line in (f"  offsetproof {verb} {given}".rstrip(), f"      {about}")
    ]
    return "\n".join(["\b", "Examples:", *lines])
