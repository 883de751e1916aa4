"""Witnesses: situations that a HOLDS about offset files must have met."""

from __future__ import annotations

from offsetproof.lang import HOLDS, case, every, some, sometimes
from offsetproof.model.files.store import Store
from offsetproof.model.files.vocabulary import Contents, Phase, WriteStep
from offsetproof.model.releases import OVERWRITES_IN_PLACE


@sometimes(case("W-backup-alone", HOLDS, "broker-kills", "client-kills", not_of=[OVERWRITES_IN_PLACE]))
def only_the_backup_is_left(store: Store) -> bool:
    """A process was killed between the deletion of the main file and the renaming of the .tmp file."""
    missing = every([store.main.contents == Contents.MISSING, store.backup.contents == Contents.WHOLE])
    return every([missing, store.process[0].is_down(), store.ghost_persisted > 0])


@sometimes(case("W-writes-without-main", HOLDS, "broker-kills", "client-kills", not_of=[OVERWRITES_IN_PLACE]))
def process_writes_without_a_main_file(store: Store) -> bool:
    """A process that was started from the backup is about to rename its own .tmp file."""
    writers = [writer for process in store.process for writer in process.writer]
    renames = some(writer.step == WriteStep.MAIN_DELETED for writer in writers)
    return every([renames, store.backup.contents == Contents.WHOLE, store.ghost_persisted > 0])


@sometimes(case("W-torn-backup", HOLDS, "broker-full-disk"))
def backup_is_torn_at_rest(store: Store) -> bool:
    """The backup holds the beginning of a table, and nobody writes."""
    return every([store.backup.contents == Contents.TORN, *(process.is_calm() for process in store.process)])


@sometimes(case("W-empty-backup", HOLDS, "client-full-disk", "broker-full-disk"))
def backup_is_empty_at_rest(store: Store) -> bool:
    """The backup is empty, and nobody writes."""
    return every([store.backup.contents == Contents.EMPTY, *(process.is_calm() for process in store.process)])


@sometimes(case("W-stopped", HOLDS, "broker-stop"))
def broker_has_persisted_at_its_end(store: Store) -> bool:
    """A broker that shuts down in order has persisted for the last time."""
    return store.process[0].phase == Phase.STOPPED


@sometimes(case("W-begins-again", HOLDS, "client-kills", "client-first"))
def consumer_has_consumed_twice(store: Store) -> bool:
    """A broadcast consumer was killed, and has consumed a message again."""
    return some(repeated.count() > 0 for repeated in store.ghost_repeated)
