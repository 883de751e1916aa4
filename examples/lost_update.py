"""Two workers add one to a shared counter, each in two steps: read, then write."""

from offsetproof.lang import Array, Component, Index, Model, Scope, action, always, array, flag, integer, require

WORKERS = Index("worker", "workers")


class Worker(Component):
    """One worker: what it read, and whether it has read and written."""

    seen: int = integer(0, "workers")
    has_read: bool = flag()
    done: bool = flag()


class Counter(Model):
    """A counter without a lock."""

    scopes = (Scope("two", {"workers": 2}), Scope("three", {"workers": 3}))
    value: int = integer(0, "workers")
    worker: Array[Worker] = array(WORKERS, Worker)

    @action(w=WORKERS, actor="worker[w]")
    def worker_reads(self, w: int) -> None:
        require(not self.worker[w].has_read)
        self.worker[w].seen = self.value
        self.worker[w].has_read = True

    @action(w=WORKERS, actor="worker[w]")
    def worker_writes(self, w: int) -> None:
        require(self.worker[w].has_read, not self.worker[w].done)
        self.value = self.worker[w].seen + 1
        self.worker[w].done = True

    @always
    def every_update_counts(self) -> bool:
        """When all workers are done, the counter shows all of their updates."""
        return not all(worker.done for worker in self.worker) or self.value == self.scope.workers
