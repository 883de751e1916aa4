"""A token in a ring of 130 places: a state of three machine words, and many instances of one action."""

from offsetproof.lang import Array, Index, Model, Scope, action, always, array, flag, implies, require, some, sometimes

PLACES = Index("place", "places")


class TokenRing(Model):
    """A token goes round a ring of flags. By hand: 131 bits are three words with the bit that every state has.

    As many states and steps as places; the last place is reached after places - 1 steps.
    """

    scopes = (Scope("wide", {"places": 130}),)
    token: Array[bool] = array(PLACES, flag())
    started: bool = flag()

    @action()
    def token_appears(self) -> None:
        require(not self.started)
        self.started = True
        self.token[0] = True

    @action(i=PLACES)
    def token_moves(self, i: int) -> None:
        require(self.token[i])
        self.token[i] = False
        self.token[(i + 1) % self.scope.places] = True

    @always()
    def there_is_a_token_once_started(self) -> bool:
        """Once there was a token, there is one."""
        return implies(self.started, some(self.token))

    @sometimes()
    def token_reaches_the_last_place(self) -> bool:
        """The token gets to the last place of the ring."""
        return self.token[self.scope.places - 1]
