"""The modelling language: plain Python whose methods run on real values, or on symbolic ones to be staged.

A model file needs only this module. Read the package in this order: component and scope (what a model is made of),
action and claim (what happens, what is claimed), setting (releases, fixes, assumptions), model; then run, symbolic,
offsets and domain (how one body runs on both kinds of values), reference (the semantics that judges) and stage.
"""

from offsetproof.lang.action import action, bound, require
from offsetproof.lang.anchor import Anchor, AnchorLines, at
from offsetproof.lang.array import Array
from offsetproof.lang.cases import HOLDS, REFUTED, Case, Expectation, Remedy, case, remedy
from offsetproof.lang.claim import (
    Claim,
    ClaimKind,
    Property,
    Step,
    always,
    at_rest,
    each_step,
    sometimes,
)
from offsetproof.lang.component import ANYTHING, Component
from offsetproof.lang.damage import Damage
from offsetproof.lang.errors import DeclarationError, ModelError, RefusedError
from offsetproof.lang.expression import among, choose, every, implies, larger, negation, smaller, some
from offsetproof.lang.fields import array, flag, integer, offset, offset_set, one_of, optional, part
from offsetproof.lang.model import Model
from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.scope import BoundSort, Default, Fault, Index, Scope, UnknownNameError
from offsetproof.lang.setting import Assumption, Behaviour, Fix, Listener, Release, Setting, declared_in
from offsetproof.lang.subject import Subject
from offsetproof.lang.timing import Seconds, Timer, Timing, Transit, Wait, plain_code
from offsetproof.lang.transit import Bag, Fifo, bag, fifo

__all__ = [
    "ANYTHING",
    "HOLDS",
    "REFUTED",
    "Anchor",
    "AnchorLines",
    "Array",
    "Assumption",
    "Bag",
    "Behaviour",
    "BoundSort",
    "Case",
    "Claim",
    "ClaimKind",
    "Component",
    "Damage",
    "DeclarationError",
    "Default",
    "Expectation",
    "Fault",
    "Fifo",
    "Fix",
    "Index",
    "Listener",
    "Model",
    "ModelError",
    "OffsetSet",
    "Property",
    "RefusedError",
    "Release",
    "Remedy",
    "Scope",
    "Seconds",
    "Setting",
    "Step",
    "Subject",
    "Timer",
    "Timing",
    "Transit",
    "UnknownNameError",
    "Wait",
    "action",
    "always",
    "among",
    "array",
    "at",
    "at_rest",
    "bag",
    "bound",
    "case",
    "choose",
    "declared_in",
    "each_step",
    "every",
    "fifo",
    "flag",
    "implies",
    "integer",
    "larger",
    "negation",
    "offset",
    "offset_set",
    "one_of",
    "optional",
    "part",
    "plain_code",
    "remedy",
    "require",
    "smaller",
    "some",
    "sometimes",
]
