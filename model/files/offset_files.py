"""The model put together: everything that can happen to an offset file."""

from __future__ import annotations

from offsetproof.lang import Assumption, Behaviour, declared_in
from offsetproof.lang.setting import fixes_in
from offsetproof.model.behaviours.loads_mapping_before import LOADS_MAPPING
from offsetproof.model.behaviours.merges_rows_into_file import MERGES_ROWS
from offsetproof.model.behaviours.moves_main_to_backup import MOVES
from offsetproof.model.behaviours.overwrites_in_place import OVERWRITES
from offsetproof.model.behaviours.stops_executors_first import STOPS_FIRST
from offsetproof.model.behaviours.throws_before_persist import THROWS
from offsetproof.model.files import variants
from offsetproof.model.files.disk import Disk
from offsetproof.model.files.running import Running
from offsetproof.model.files.scopes import BOUNDS, SCOPES
from offsetproof.model.files.serving import Serving
from offsetproof.model.files.writing import Writing
from offsetproof.model.lines import ANCHOR_LINES
from offsetproof.model.releases import (
    CLIENT_AND_BROKER,
    MERGES_INTO_FILE,
    OVERWRITES_IN_PLACE,
    R_5_3_3_CLIENT_RESET,
    RELEASES,
    STRING2FILE_SYNCHRONIZED,
    USUAL,
)

LEFT_OUT = (
    "the other files that string2File writes, but that topics.json may not be loaded",
    "a broadcast consumer's own steps of pulling and consuming, and resets of broadcast groups, which are in the model "
    "`broadcasting`",
    "a table that changes while it is collected for writing; offsets with different numbers of digits",
    "texts that fit into a buffer in scopes where texts are longer than one (that of an empty table)",
    "a deletion or a rename that the operating system refuses",
    "a load while another process writes (it is one step)",
    "since 4.9.8: two threads more that write a client's file, the repair of an illegal offset and a reset, which "
    "persist the queue that they take away (in one step they are in the model `broadcasting`)",
    "since 4.9.8: a queue that is given up is in the process queue table until its offset is persisted and forgotten, "
    "and persistAll reads the file before it collects the rows of the table: here the queue leaves the table first, "
    "and both are one step, so that the timer may miss the queue in the same stories",
    "a pull consumer's store, which persists by threads of the application",
    "slaves",
)
"""What is not in the model, by theme; each component's docstring says it in place."""


class OffsetFiles(Writing, Running, Serving, Disk):
    """The offset file of a broker or of a broadcast consumer, its backup, and who reads and writes them."""

    scopes = SCOPES
    bounds = BOUNDS
    releases = tuple(release for release in RELEASES if release is not R_5_3_3_CLIENT_RESET)
    usual_release = USUAL
    roles = CLIENT_AND_BROKER
    fixes = fixes_in(
        (MERGES_INTO_FILE, STRING2FILE_SYNCHRONIZED, OVERWRITES_IN_PLACE, *declared_in(variants, Behaviour))
    )
    assumptions = declared_in(variants, Assumption)
    left_out = LEFT_OUT
    changed_by = (MERGES_ROWS, OVERWRITES, LOADS_MAPPING, THROWS, STOPS_FIRST, MOVES)
    anchored = True
    anchor_lines = ANCHOR_LINES
