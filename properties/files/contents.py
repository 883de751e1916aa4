"""What a start loads: these claims are judged where no process runs, after a kill at any point or a shutdown."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always, at_rest, case, every, implies, negation, remedy, some
from offsetproof.model.files.store import Store
from offsetproof.model.files.variants import (
    CONTENTS_FORCED,
    FAILED_START_WRITES_NOTHING,
    KEEPS_WHOLE_BACKUP,
    OWN_FILE,
    PERSIST_SYNCHRONIZED,
)
from offsetproof.model.releases import (
    MERGES_INTO_FILE,
    MOVES_MAIN_TO_BACKUP,
    OVERWRITES_IN_PLACE,
    STRING2FILE_SYNCHRONIZED,
    THROWS_BEFORE_PERSIST,
)

_KILLS = ("broker-kills", "client-kills")
_FULL_DISK = ("broker-full-disk", "client-full-disk")
_SINGLE = (*_KILLS, *_FULL_DISK)
_ALONE = "where one thread at a time writes the file, and the machine keeps its power"
_LOADED = "where one thread at a time writes the file, the machine keeps its power, and a broker can load topics.json"
_MET = ("W-backup-alone", "W-writes-without-main")
_RELEASED = (OVERWRITES_IN_PLACE, STRING2FILE_SYNCHRONIZED)
_IN_PLACE = "with string2File of 5.1.0, which writes over the main file, or a broker's persist of 5.5.0"
_GIVEN_UP = "where a broadcast consumer gives a queue up and may be killed, with the fix of 4.9.8 and 5.2.0"
_REBALANCE_WRITES = "a rebalance persists the queue that it gives up, beside the timer, and string2File takes no lock"
_ONE_AT_A_TIME = [remedy("client-route-kills", fixes=[fix]) for fix in (STRING2FILE_SYNCHRONIZED, PERSIST_SYNCHRONIZED)]
_TORN_IS_COPIED = (
    "a kill leaves a torn main file; the start takes the backup, and the first flush copies the torn file over it "
    "before it writes the main file again"
)
_TORN_REPLACES_BACKUP = (
    "a write that ends early leaves a torn main file, and nobody starts again: the next flush makes that the backup, "
    "in 5.5.0 by a rename, before it writes the main file again"
)


@at_rest(
    case(
        "I12",
        HOLDS,
        *_SINGLE,
        not_of=[OVERWRITES_IN_PLACE],
        needs=_MET,
        where=_LOADED,
        why="a text is whole before it gets the main file's name, the backup is written while the main file is there, "
        "and the main file is deleted only when the backup has the same; what ends early throws before anything is "
        "deleted",
    ),
    case(
        "I12-stop",
        HOLDS,
        "broker-stop",
        needs=["W-stopped"],
        where="where a broker is shut down in order, alone on its file, and can load topics.json",
    ),
    case(
        "I12-refused",
        REFUTED.unless(THROWS_BEFORE_PERSIST),
        "broker-refused",
        where="where topics.json cannot be loaded",
        why="BrokerController.initialize then does not load the offset file at all, BrokerStartup shuts the broker "
        "down, and the shutdown persists the empty table; that of 5.3.3 ends with an exception before",
        symptom="after a start that failed at topics.json all offsets of the broker are gone",
        remedies=[remedy("broker-refused", fixes=[FAILED_START_WRITES_NOTHING])],
    ),
    case(
        "I12-second-broker",
        REFUTED,
        "broker-twice",
        where="where a second broker is started on the same store",
        why="it gives up at the store's lock, after it has loaded the offset file, and persists what it has loaded as "
        "it exits, beside the first one's timer",
        symptom="consumerOffset.json was empty, torn or older after somebody had started the broker a second time",
        remedies=[
            remedy("broker-twice", assumptions=[OWN_FILE]),
            remedy("broker-twice", fixes=[FAILED_START_WRITES_NOTHING]),
        ],
    ),
    case(
        "I12-two-threads",
        REFUTED.unless(STRING2FILE_SYNCHRONIZED),
        "client-stop",
        where="where a broadcast consumer is shut down while its timer persists",
        why="string2File takes no lock: both write one .tmp file, one deletes the main file that the other has made, "
        "and finds nothing left to rename",
        symptom="offsets.json is missing or empty after a shutdown in order",
        remedies=[
            remedy("client-stop", fixes=[STRING2FILE_SYNCHRONIZED]),
            remedy("client-stop", fixes=[PERSIST_SYNCHRONIZED]),
        ],
    ),
    case(
        "I12-routes",
        REFUTED.unless(STRING2FILE_SYNCHRONIZED),
        "client-route-kills",
        fixes=[MERGES_INTO_FILE],
        where=_GIVEN_UP,
        why=_REBALANCE_WRITES,
        symptom="with 4.9.8: offsets.json is missing or older after a broker had left a broadcast consumer's route",
        remedies=_ONE_AT_A_TIME,
    ),
    case(
        "I12-shared",
        REFUTED,
        "client-shared",
        where="where two broadcast consumers of a machine share a file",
        why="the path has the client id, which is the address and the instance name DEFAULT; a lock would not reach "
        "the other process",
        symptom="two broadcast consumers on one machine start from each other's offsets, or from none",
        remedies=[remedy("client-shared", assumptions=[OWN_FILE])],
    ),
    case(
        "I12-power",
        REFUTED.unless(MOVES_MAIN_TO_BACKUP),
        *("broker-power", "client-power"),
        where="where the machine loses power, and no process is killed",
        why="nothing forces what is written to the disk before the main file is deleted: the names are in the file "
        "system's journal, the contents need not be there yet",
        symptom="a config file is missing or of length 0 after the host went down",
        remedies=[
            remedy("broker-power", fixes=[CONTENTS_FORCED]),
            remedy("client-power", fixes=[CONTENTS_FORCED]),
        ],
    ),
    case(
        "I12-in-place",
        REFUTED.unless(MOVES_MAIN_TO_BACKUP),
        *_KILLS,
        fixes=_RELEASED,
        where=_IN_PLACE,
        why=_TORN_IS_COPIED,
        symptom="since 5.1.0: offsets are gone after a broker was killed twice",
        remedies=["I12-in-place-fixed"],
    ),
    case(
        "I12-in-place-full-disk",
        REFUTED,
        *_FULL_DISK,
        fixes=_RELEASED,
        where=f"{_IN_PLACE}, on a disk that may be full",
        why=_TORN_REPLACES_BACKUP,
        symptom="since 5.1.0: offsets are gone after the disk was full at one flush, and the process ended soon after",
        remedies=["I12-in-place-fixed"],
    ),
    case(
        "I12-in-place-fixed",
        HOLDS,
        *_SINGLE,
        fixes=(*_RELEASED, KEEPS_WHOLE_BACKUP),
        where=f"{_IN_PLACE}, if it copies only what is whole; and {_LOADED}",
    ),
)
def offset_file_loads_what_was_persisted(store: Store) -> bool:
    """A start loads what was persisted last, or before that."""
    last = store.would_load(store.ghost_last)
    before = every([store.ghost_persisted > 1, store.would_load(store.ghost_before)])
    return implies(store.ghost_persisted > 0, some([last, before]))


@at_rest(
    case("I12-empty", HOLDS, *_SINGLE, not_of=[OVERWRITES_IN_PLACE], needs=_MET, where=_LOADED),
    case(
        "I12-empty-refused",
        REFUTED.unless(THROWS_BEFORE_PERSIST),
        "broker-refused",
        where="where topics.json cannot be loaded",
        why="the refused broker has persisted an empty table, which is whole, so that the backup is not asked",
        symptom="a broker that starts normally again knows no group's offset, and logs no error about it",
        remedies=[remedy("broker-refused", fixes=[FAILED_START_WRITES_NOTHING])],
    ),
    case(
        "I12-empty-routes",
        REFUTED.unless(STRING2FILE_SYNCHRONIZED),
        "client-route-kills",
        fixes=[MERGES_INTO_FILE],
        where=_GIVEN_UP,
        why=_REBALANCE_WRITES,
        symptom="with 4.9.8: a broadcast consumer starts without any offset after a broker had left its route",
        remedies=_ONE_AT_A_TIME,
    ),
    case(
        "I12-empty-in-place",
        REFUTED.unless(MOVES_MAIN_TO_BACKUP),
        *_KILLS,
        fixes=_RELEASED,
        where=_IN_PLACE,
        why=f"{_TORN_IS_COPIED}; when the backup has just been opened it is empty, and that loads as an empty table",
        symptom="since 5.1.0: a broker that was killed twice starts with an empty offset table, and logs one error",
        remedies=[remedy(scope, fixes=[KEEPS_WHOLE_BACKUP]) for scope in _KILLS],
    ),
)
def start_never_finds_nothing(store: Store) -> bool:
    """A start that succeeds has offsets, if what was persisted last and before that had some."""
    one, two = store.ghost_persisted > 0, store.ghost_persisted > 1
    had = every([one, negation(store.ghost_last.is_empty()), implies(two, negation(store.ghost_before.is_empty()))])
    return implies(had, negation(store.would_load_nothing()))


@always(
    case(
        "I12-emptied",
        HOLDS,
        *("broker-kills", "broker-full-disk"),
        not_of=[OVERWRITES_IN_PLACE],
        needs=["W-backup-alone"],
        where=_LOADED,
    ),
    case(
        "I12-emptied-stop",
        HOLDS,
        "broker-stop",
        needs=["W-stopped"],
        where="where a broker is shut down in order, alone on its file, and can load topics.json",
    ),
    case(
        "I12-emptied-power",
        REFUTED.unless(THROWS_BEFORE_PERSIST, MOVES_MAIN_TO_BACKUP),
        "broker-power",
        where="where the machine loses power",
        why="two flushes within the time that the operating system takes leave neither file on the disk; the load "
        "fails, BrokerStartup shuts the broker down, and the shutdown persists the empty table",
        symptom="after a power failure a broker exited with -3, and when it was started again no group had an offset",
        remedies=[
            remedy("broker-power", fixes=[FAILED_START_WRITES_NOTHING]),
            remedy("broker-power", fixes=[CONTENTS_FORCED]),
        ],
    ),
    case(
        "I12-emptied-in-place",
        REFUTED.unless(THROWS_BEFORE_PERSIST, MOVES_MAIN_TO_BACKUP),
        "broker-kills",
        fixes=_RELEASED,
        where=_IN_PLACE,
        why=f"{_TORN_IS_COPIED}; the start after the second kill fails, and its shutdown persists the empty table",
        symptom="with string2File of 5.1.0: a broker that was killed twice exited with -3, and then started "
        "without any offset",
        remedies=[
            remedy("broker-kills", fixes=[FAILED_START_WRITES_NOTHING]),
            remedy("broker-kills", fixes=[KEEPS_WHOLE_BACKUP]),
        ],
    ),
    case(
        "I12-emptied-in-place-full-disk",
        REFUTED.unless(THROWS_BEFORE_PERSIST),
        "broker-full-disk",
        fixes=_RELEASED,
        where=f"{_IN_PLACE}, on a disk that may be full",
        why=f"{_TORN_REPLACES_BACKUP}; the next start fails, and its shutdown persists the empty table",
        symptom="with string2File of 5.1.0, or in 5.5.0: a broker whose disk had been full exited with -3, and "
        "then started without any offset",
        remedies=[
            remedy("broker-full-disk", fixes=[FAILED_START_WRITES_NOTHING]),
            remedy("broker-full-disk", fixes=[KEEPS_WHOLE_BACKUP]),
        ],
    ),
)
def main_file_is_not_emptied(store: Store) -> bool:
    """The main file of a broker holds no empty table, if the last one that served has persisted offsets.

    A broker whose start has failed persists, too, but it has not served.
    """
    emptied = every([store.main.is_whole(), store.main.table.is_empty()])
    return implies(negation(store.ghost_last.is_empty()), negation(emptied))


@at_rest(
    case(
        "I12-loads",
        HOLDS,
        *(*_SINGLE, "broker-refused"),
        not_of=[OVERWRITES_IN_PLACE],
        where=_ALONE,
        why="only two unreadable files make a load fail",
    ),
    case(
        "I12-loads-two-threads",
        REFUTED.unless(STRING2FILE_SYNCHRONIZED),
        "client-stop",
        where="where a broadcast consumer is shut down while its timer persists",
        why="one thread renames the .tmp file while the other has it open, and so writes a shorter text over a longer "
        "one, or finds it empty; what it reads then goes into the backup",
        symptom="a broadcast consumer does not start: MQClientException, readLocalOffset Exception",
        remedies=[
            remedy("client-stop", fixes=[STRING2FILE_SYNCHRONIZED]),
            remedy("client-stop", fixes=[PERSIST_SYNCHRONIZED]),
        ],
    ),
    case(
        "I12-loads-routes",
        REFUTED.unless(STRING2FILE_SYNCHRONIZED),
        "client-route-kills",
        fixes=[MERGES_INTO_FILE],
        where=_GIVEN_UP,
        why=f"{_REBALANCE_WRITES}; what one reads then goes into the backup",
        symptom="with 4.9.8: a broadcast consumer does not start after a broker had left its route: "
        "MQClientException, readLocalOffset Exception",
        remedies=_ONE_AT_A_TIME,
    ),
    case(
        "I12-loads-power",
        REFUTED.unless(MOVES_MAIN_TO_BACKUP),
        *("broker-power", "client-power"),
        where="where the machine loses power, and no process is killed",
        why="two flushes within the time that the operating system takes leave neither file on the disk",
        symptom="after a power failure a broadcast consumer cannot start, or a broker exits with -3",
        remedies=[
            remedy("broker-power", fixes=[CONTENTS_FORCED]),
            remedy("client-power", fixes=[CONTENTS_FORCED]),
        ],
    ),
    case(
        "I12-loads-in-place",
        REFUTED.unless(MOVES_MAIN_TO_BACKUP),
        *_KILLS,
        fixes=_RELEASED,
        where=_IN_PLACE,
        why=_TORN_IS_COPIED,
        symptom="since 5.1.0: a broadcast consumer, or a broker, that was killed twice does not start",
        remedies=[remedy(scope, fixes=[KEEPS_WHOLE_BACKUP]) for scope in _KILLS],
    ),
)
def start_can_load(store: Store) -> bool:
    """A start does not fail because neither file can be read."""
    return negation(store.cannot_load())
