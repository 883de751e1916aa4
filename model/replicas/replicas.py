"""The model put together: everything that can happen to the offset tables of a broker and its slave."""

from __future__ import annotations

from offsetproof.lang import Assumption, Behaviour, declared_in
from offsetproof.lang.setting import fixes_in
from offsetproof.model.behaviours.server_side_reset_replicas import MASTER_MARKS
from offsetproof.model.behaviours.takes_slaves_table import TAKES_TABLE
from offsetproof.model.lines import ANCHOR_LINES
from offsetproof.model.releases import (
    CLIENT_AND_BROKER,
    COMMITS_TO_ANY_BROKER,
    COPIES_VERSION,
    REFUSES_UNKNOWN,
    RELEASES,
    SERVER_SIDE_RESET,
    SLAVE_REFUSES_PULLS,
    TAKES_SLAVES_TABLE,
    USUAL,
)
from offsetproof.model.replicas import variants
from offsetproof.model.replicas.consuming import Consuming
from offsetproof.model.replicas.copying import Copying
from offsetproof.model.replicas.resetting import Resetting
from offsetproof.model.replicas.running import Running
from offsetproof.model.replicas.scopes import BOUNDS, SCOPES

LEFT_OUT = (
    "brokers that change their roles, also by hand; more than one slave",
    "a slave that lacks messages: since 4.9.4 (844dabfb2f) a pull beyond its end moves the next pull and no cell",
    "slave-redirects (5.0.0): a slave whose master is there sends pulls that find nothing to it; that moves no offset",
    "what a pull commits, which is as if the cell were sent at that time; a slave gets none, unless it acts as master",
    "the name server: that it misses a killed broker, or hears of a new one, takes no time here",
    "the steps of consumption, rebalance and reset at one broker, which are in the models of consumers",
    "how a file is written, and commits that the executor still has at a shutdown, which are in `offset-files`",
    "a row that is deleted: a copy removes none, so that a deleted group or topic stays in the slave's table",
    "RocksDB and LMQ offset tables (#9711: the version of that of LMQ does not move)",
)
"""What is not in the model, by theme; each component's docstring says it in place."""


class Replicas(Consuming, Copying, Running, Resetting):
    """A broker and its slave: both offset tables, the copies on their way, and the clients' routes."""

    scopes = SCOPES
    bounds = BOUNDS
    releases = RELEASES
    usual_release = USUAL
    roles = CLIENT_AND_BROKER
    fixes = fixes_in(
        (
            COPIES_VERSION,
            COMMITS_TO_ANY_BROKER,
            SLAVE_REFUSES_PULLS,
            TAKES_SLAVES_TABLE,
            REFUSES_UNKNOWN,
            SERVER_SIDE_RESET,
            *declared_in(variants, Behaviour),
        )
    )
    assumptions = declared_in(variants, Assumption)
    left_out = LEFT_OUT
    changed_by = (TAKES_TABLE, MASTER_MARKS)
    anchored = True
    anchor_lines = ANCHOR_LINES
