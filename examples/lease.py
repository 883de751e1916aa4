"""A lock with a lease does not protect a resource; a fencing token does (distributed-systems folklore).

A client gets the lock, stalls until its lease has run out, and writes although another client has the lock by now. The
remedy is known too: the lock service numbers its grants, and the storage refuses a number lower than it has seen.
`offsetproof check examples/lease.py` refutes the claim for the plain storage; with `--fix fencing` it holds.
"""

from offsetproof.lang import (
    HOLDS,
    REFUTED,
    Array,
    Behaviour,
    Component,
    Index,
    Model,
    Release,
    Scope,
    Step,
    action,
    array,
    bound,
    each_step,
    flag,
    integer,
    larger,
    optional,
    require,
    sometimes,
)

CLIENTS = Index("client", "clients")

FENCING = Behaviour("fencing", role="storage", about="the storage refuses a token lower than it has seen")


class Client(Component):
    """A client of the lock service; what it believes may be out of date."""

    believes_holder: bool = flag()
    token: int = integer(0, "grants")


class Lease(Model):
    """A lock service with leases, and a storage that the lock is meant to protect."""

    scopes = (Scope("two-clients", {"clients": 2, "grants": 3}),)
    releases = (Release("plain"),)
    roles = ("storage",)
    fixes = (FENCING.fix,)

    holder: int | None = optional(integer(0, lambda scope: scope.clients - 1))
    granted: int = integer(0, "grants")
    highest_seen: int = integer(0, "grants")
    last_write: int = integer(0, "grants")
    client: Array[Client] = array(CLIENTS, Client)

    @action(c=CLIENTS, actor="client[c]")
    def client_gets_lock(self, c: int) -> None:
        """The service grants the free lock, with the next token."""
        require(self.holder is None)
        bound(self.granted < self.scope.grants)
        self.granted = self.granted + 1
        self.holder = c
        self.client[c].believes_holder = True
        self.client[c].token = self.granted

    @action(actor="lock service")
    def lease_runs_out(self) -> None:
        """Time passes; the holder need not notice."""
        require(self.holder is not None)
        self.holder = None

    @action(c=CLIENTS, actor="client[c]")
    def client_writes(self, c: int) -> None:
        """A client that believes to be the holder writes, and gives the lock up; a refused write changes nothing."""
        client = self.client[c]
        require(client.believes_holder)
        client.believes_holder = False
        if self.setting.behaves(FENCING) and client.token < self.highest_seen:
            return
        self.highest_seen = larger(self.highest_seen, client.token)
        self.last_write = client.token
        if self.holder == c:
            self.holder = None


@each_step(expected={"plain": REFUTED}, needs=["two_clients_believe"])
def writes_come_in_the_order_of_grants(before: Lease, after: Lease, _step: Step) -> bool:
    """No write takes effect after one that was granted later."""
    return after.last_write >= before.last_write


@sometimes(expected={"plain": HOLDS})
def two_clients_believe(lease: Lease) -> bool:
    """Two clients believe to hold the lock at the same time."""
    return lease.client[0].believes_holder & lease.client[1].believes_holder
