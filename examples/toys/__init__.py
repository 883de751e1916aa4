"""Toys: models so small that their answers were worked out by hand, one idea a file, each to be read by itself.

`offsetproof check toys` decides them; `answers.py` is the table that every engine has to pass.
"""

from offsetproof.examples.toys.actors import Actors
from offsetproof.examples.toys.answers import TOYS, Toy
from offsetproof.examples.toys.bounded import Bounded
from offsetproof.examples.toys.counter import Counter
from offsetproof.examples.toys.descent import Descent
from offsetproof.examples.toys.farmer import Farmer
from offsetproof.examples.toys.holder import Holder
from offsetproof.examples.toys.jugs import Jugs
from offsetproof.examples.toys.letters import Queue
from offsetproof.examples.toys.mirrored import Mirrored
from offsetproof.examples.toys.only_grows import OnlyGrows
from offsetproof.examples.toys.ordered import Ordered
from offsetproof.examples.toys.overflow import Overflow
from offsetproof.examples.toys.philosophers import Philosophers
from offsetproof.examples.toys.pigeonholes import Pigeonholes
from offsetproof.examples.toys.primed import Primed
from offsetproof.examples.toys.relay import Relay
from offsetproof.examples.toys.scratch import Scratch
from offsetproof.examples.toys.slips import Slips
from offsetproof.examples.toys.stairs import Stairs
from offsetproof.examples.toys.token_ring import TokenRing
from offsetproof.examples.toys.transfer import Transfer
from offsetproof.examples.toys.wakes import Wakes
from offsetproof.examples.toys.wide_sets import WideSets
from offsetproof.lang import Subject

SUBJECTS = tuple(
    Subject(model.__name__, model, model.claims)
    for model in dict.fromkeys(toy.model for toy in TOYS)
    if all(toy.reason is None for toy in TOYS if toy.model is model)
)
"""Each toy with its claims; without `Overflow`, which is there to go wrong and has no answer."""

__all__ = [
    "SUBJECTS",
    "TOYS",
    "Actors",
    "Bounded",
    "Counter",
    "Descent",
    "Farmer",
    "Holder",
    "Jugs",
    "Mirrored",
    "OnlyGrows",
    "Ordered",
    "Overflow",
    "Philosophers",
    "Pigeonholes",
    "Primed",
    "Queue",
    "Relay",
    "Scratch",
    "Slips",
    "Stairs",
    "TokenRing",
    "Toy",
    "Transfer",
    "Wakes",
    "WideSets",
]
