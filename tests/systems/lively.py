"""Models whose claims about runs were answered by hand, each with its fairness given: what makes them hold or fail.

The answers are those of the books: a philosopher starves under weak fairness and eats under strong (Baier and Katoen,
3.5); Peterson's algorithm needs weak fairness alone (Manna and Pnueli); of a channel that loses some, delivery is only
promised by strong fairness (the alternating bit protocol, Lynch, 16).
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Fairness,
    Index,
    Model,
    Scope,
    action,
    array,
    bound,
    choose,
    eventually,
    every,
    flag,
    integer,
    leads_to,
    negation,
    require,
    some,
)

PHILOSOPHERS = Index("p", "philosophers")
PROCESSES = Index("p", 2)
PLACES = Index("p", "processes")


def table(fair: Fairness) -> type[Model]:
    """Two philosophers who take both forks at once, with this fairness to each."""

    class Table(Model):
        """Philosophers who get hungry when they like, and eat when both forks are free."""

        scopes = (Scope("two", {"philosophers": 2}),)
        taken: bool = flag()
        hungry: Array[bool] = array(PHILOSOPHERS, flag())
        eats: Array[bool] = array(PHILOSOPHERS, flag())

        @action(p=PHILOSOPHERS, actor="philosopher[p]", thread="appetite", fair=Fairness.NONE)
        def gets_hungry(self, p: int) -> None:
            require(negation(self.hungry[p]), negation(self.eats[p]))
            self.hungry[p] = True

        @action(p=PHILOSOPHERS, actor="philosopher[p]", fair=fair)
        def takes_forks(self, p: int) -> None:
            require(self.hungry[p], negation(self.taken))
            self.taken, self.hungry[p], self.eats[p] = True, False, True

        @action(p=PHILOSOPHERS, actor="philosopher[p]", fair=fair)
        def puts_forks_back(self, p: int) -> None:
            require(self.eats[p])
            self.taken, self.eats[p] = False, False

        @leads_to
        def hungry_eats(self) -> tuple[bool, bool]:
            """Who is hungry eats in the end."""
            return self.hungry[0], self.eats[0]

        @leads_to
        def eater_stops(self) -> tuple[bool, bool]:
            """Who eats stops in the end."""
            return self.eats[0], negation(self.eats[0])

        @eventually
        def somebody_eats(self) -> bool:
            """Somebody eats, sooner or later."""
            return some([self.eats[0], self.eats[1]])

    return Table


def peterson(fair: Fairness) -> type[Model]:
    """Peterson's mutual exclusion (1981), with this fairness to each process."""

    class Peterson(Model):
        """A process wants, lets the other go first, waits, is inside, and leaves."""

        wants: Array[bool] = array(PROCESSES, flag())
        place: Array[int] = array(PROCESSES, integer(0, 2))
        turn: int = integer(0, 1)

        @action(p=PROCESSES, actor="process[p]", thread="elsewhere", fair=Fairness.NONE)
        def wants_in(self, p: int) -> None:
            require(self.place[p] == 0, negation(self.wants[p]))
            self.wants[p] = True

        @action(p=PROCESSES, actor="process[p]", fair=fair)
        def yields(self, p: int) -> None:
            require(self.place[p] == 0, self.wants[p])
            self.turn, self.place[p] = 1 - p, 1

        @action(p=PROCESSES, actor="process[p]", fair=fair)
        def enters(self, p: int) -> None:
            require(self.place[p] == 1, some([negation(self.wants[1 - p]), self.turn == p]))
            self.place[p] = 2

        @action(p=PROCESSES, actor="process[p]", fair=fair)
        def leaves(self, p: int) -> None:
            require(self.place[p] == 2)
            self.place[p], self.wants[p] = 0, False

        @leads_to
        def who_wants_enters(self) -> tuple[bool, bool]:
            """Who wants in gets in."""
            return self.wants[0], self.place[0] == 2

    return Peterson


def channel(fair: Fairness) -> type[Model]:
    """A sender that tries again, a channel that loses what it likes, and its delivery with this fairness."""

    class Channel(Model):
        """One message, sent until it is received."""

        under_way: bool = flag()
        received: bool = flag()

        @action(actor="sender")
        def sends(self) -> None:
            require(negation(self.received), negation(self.under_way))
            self.under_way = True

        @action(actor="channel", thread="loss", fair=Fairness.NONE)
        def loses(self) -> None:
            require(self.under_way)
            self.under_way = False

        @action(actor="channel", fair=fair)
        def delivers(self) -> None:
            require(self.under_way)
            self.under_way, self.received = False, True

        @eventually
        def is_received(self) -> bool:
            """The message is received."""
            return self.received

    return Channel


def ring(fair: Fairness) -> type[Model]:
    """A token that goes round, with this fairness to each process."""

    class Ring(Model):
        """Who has the token may use it as often as it likes, and passes it on."""

        scopes = (Scope("three", {"processes": 3}),)
        at: int = integer(0, lambda scope: scope.processes - 1)
        used: bool = flag()

        @action(p=PLACES, actor="process[p]", thread="use", fair=Fairness.NONE)
        def uses(self, p: int) -> None:
            require(self.at == p)
            self.used = negation(self.used)

        @action(p=PLACES, actor="process[p]", fair=fair)
        def passes(self, p: int) -> None:
            require(self.at == p)
            self.at = choose(p == self.scope.processes - 1, 0, p + 1)

        @leads_to
        def token_comes_back(self) -> tuple[bool, bool]:
            """Wherever the token is, it comes to the first process."""
            return True, self.at == 0

    return Ring


class Asked(Model):
    """A question that only the administrator could answer, who has no duty to; with a budget for one."""

    scopes = (Scope("once", {"questions": 1}),)
    questions: int = integer(0, "questions", "questions")
    waits: bool = flag()
    answered: bool = flag()

    @action(actor="administrator", fair=Fairness.NONE)
    def asks(self) -> None:
        require(self.questions > 0, negation(self.waits))
        self.questions -= 1
        self.waits = True

    @action(actor="administrator", fair=Fairness.NONE)
    def answers(self) -> None:
        require(self.waits, self.questions > 0)
        self.waits, self.answered = False, True

    @leads_to
    def question_is_answered(self) -> tuple[bool, bool]:
        """Refuted: the administrator may stop, with a budget or without."""
        return self.waits, self.answered


class Tries(Model):
    """A worker who tries as often as the scope lets it."""

    scopes = (Scope("once", {"tries": 1}),)
    tries: int = integer(0, "tries", "tries")
    tried: int = integer(0, 2)

    @action(actor="worker")
    def tries_again(self) -> None:
        require(self.tries > 0, self.tried < 2)
        self.tries -= 1
        self.tried += 1

    @eventually
    def has_tried_twice(self) -> bool:
        """Unknown: the scope has a budget for one try."""
        return self.tried == 2


class Stores(Model):
    """A list that is longer in the real program than a bound lets it be here."""

    stored: int = integer(0, 2)

    @action(actor="store")
    def stores(self) -> None:
        bound(self.stored < 1)
        self.stored += 1

    @eventually
    def two_are_stored(self) -> bool:
        """Unknown: a bound of the scope is in the way."""
        return self.stored == 2

    @eventually
    def one_is_stored(self) -> bool:
        """Holds: the bound is not in the way of the first."""
        return self.stored == 1


class Mailbox(Model):
    """A box that is emptied again and again, and holds one letter here, of however many in the real program."""

    full: bool = flag()
    posted: bool = flag()
    noted: bool = flag()

    @action(actor="clerk", fair=Fairness.EACH)
    def empties(self) -> None:
        require(self.full)
        self.full = False

    @action(actor="club")
    def posts_news(self) -> None:
        bound(negation(self.full))
        self.full = True

    @action(actor="friend")
    def posts_card(self) -> None:
        require(negation(self.posted))
        bound(negation(self.full))
        self.full, self.posted = True, True

    @action(actor="neighbour")
    def notes(self) -> None:
        require(self.full)
        self.noted = True

    @eventually
    def card_is_posted(self) -> bool:
        """Holds: what the friend waits for is a bound of the scope, which the clerk ends again and again."""
        return self.posted

    @eventually
    def box_is_noted(self) -> bool:
        """Refuted: no bound stands between, and whoever looks at an empty box waits for nothing."""
        return self.noted


class Spins(Model):
    """A thread that may take a step which changes nothing, and one that gets on: it may spin for ever."""

    done: bool = flag()

    @action(actor="worker")
    def looks(self) -> None:
        require(negation(self.done))

    @action(actor="worker")
    def works(self) -> None:
        self.done = True

    @eventually
    def is_done(self) -> bool:
        """The work is done."""
        return self.done


class Settled(Model):
    """Claims that say nothing: what is true from the beginning, and what never has to come."""

    ready: bool = flag(True)
    wants: bool = flag()

    @action(actor="worker")
    def toggles(self) -> None:
        self.ready = negation(self.ready)

    @eventually
    def is_ready(self) -> bool:
        """True in the initial state."""
        return self.ready

    @leads_to
    def wish_comes_true(self) -> tuple[bool, bool]:
        """Nobody ever wants anything."""
        return every([self.wants, self.ready]), negation(self.ready)
