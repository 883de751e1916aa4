"""What varies: the release, ways in which it could be different, assumptions, and kinds of fault."""

from __future__ import annotations

from offsetproof.lang import Assumption, Behaviour, Fault

KEEPS_WHOLE_BACKUP = Behaviour(
    "keeps-whole-backup",
    role="broker",
    about="only a main file that holds a whole table becomes the backup",
    source="a remedy for a backup that is overwritten by what cannot be read",
)
PERSIST_SYNCHRONIZED = Behaviour(
    "persist-synchronized",
    role="client",
    about="one thread of a process at a time is in persistAll: what it collects is written before another collects",
    source="a remedy for LocalFileOffsetStore, as ConfigManager.persist is",
)
CONTENTS_FORCED = Behaviour(
    "contents-forced",
    role="broker",
    about="string2File forces what it has written to the disk before it goes on",
    source="what apache/rocketmq #5905 asks for; FileChannel.force",
)
FAILED_START_WRITES_NOTHING = Behaviour(
    "failed-start-writes-nothing",
    role="broker",
    about="a broker whose start has failed does not persist its offset table",
    source="a remedy for BrokerController.shutdown, which persists what was never loaded",
)
STOPS_BEFORE_PERSIST = Behaviour(
    "stops-before-persist",
    role="broker",
    about="BrokerController.shutdown waits for the executor of commits before it persists",
    source="a remedy for commits that are executed after the last persist",
)
START_WRITTEN = Behaviour(
    "start-written",
    role="client",
    about="a start that the file does not know is put into the table, and pulls wait until the file has it",
    source="a remedy for the time before a queue's first offset is in the file",
)

OWN_FILE = Assumption(
    "own-file", "each process has an offset file of its own: instance names and store paths are not shared"
)

SHUTDOWN_WAITS = Assumption(
    "shutdown-waits", "a graceful shutdown waits for the running listeners (awaitTerminationMillisWhenShutdown)"
)

KILL = Fault("kill", "a process is killed between two steps", source="the operating system")
DISK_FULL = Fault(
    "disk_full", "a write ends early because the disk is full", source="IOException in MixAll.string2FileNotSafe"
)
OTHER_FILE = Fault(
    "other_file",
    "topics.json cannot be loaded at a start of the broker, nor its backup; in 5.x: or topicQueueMapping.json",
    source="BrokerController.initialize: the offset file is loaded only where topics.json was",
)
POWER = Fault("power", "the machine loses power, and with it what was not on the disk yet", source="the power supply")
