"""The modelling language: plain Python whose methods run on real values, or on symbolic ones to be staged.

A model file needs only this module. Read the package in this order: component and scope (what a model is made of),
action and claim (what happens, what is claimed), setting (releases, fixes, assumptions), model; then run, symbolic,
offsets and domain (how one body runs on both kinds of values), reference (the semantics that judges) and stage.

*And*, *or* and *not* are written in two ways, and it matters which. `every`, `some`, `negation` and `implies` make a
formula: claims are formulas, and so are methods that answer a question (`-> bool`) and truth values that are assigned.
`and`, `or` and `not` decide: Python has to know the answer, so a staged run splits. They belong where it has to know
anyway, in the tests of `if`, `while` and conditional expressions, and in `require` and `bound`, whose commas are an
*and*; where `or` would split a guard more often than needed, `some` stands there. After `x is None` they may stand
anywhere, because that splits already and the rest has no value without it. `holds` asks an optional field without a
split. `&`, `|` and `-` join sets of offsets, never truth values. A line that has to do otherwise says so, `# splits:`
and why. `tests/quality/test_formulas.py` asks all this of the models and claims about RocketMQ. A small model may use
either everywhere, as those in `examples/` do: a split takes time, and changes no answer.
"""

from offsetproof.lang.action import action, bound, require, same
from offsetproof.lang.anchor import Anchor, AnchorLines, at
from offsetproof.lang.array import Array
from offsetproof.lang.cases import HOLDS, REFUTED, Case, Expectation, Remedy, case, remedy
from offsetproof.lang.changes import Change
from offsetproof.lang.claim import (
    Claim,
    ClaimKind,
    Property,
    Step,
    always,
    at_rest,
    each_step,
    eventually,
    leads_to,
    sometimes,
)
from offsetproof.lang.component import ANYTHING, Component, holds
from offsetproof.lang.damage import Damage
from offsetproof.lang.errors import DeclarationError, ModelError, RefusedError
from offsetproof.lang.expression import among, choose, every, implies, larger, negation, smaller, some
from offsetproof.lang.fairness import Fairness
from offsetproof.lang.fields import array, flag, integer, offset, offset_set, one_of, optional, part
from offsetproof.lang.model import Model
from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.picture import Mark, Picture, QueueRow
from offsetproof.lang.scope import BoundSort, Default, Fault, Index, Scope, UnknownNameError
from offsetproof.lang.setting import Assumption, Behaviour, Fix, Listener, Release, Setting, declared_in
from offsetproof.lang.subject import Subject
from offsetproof.lang.timing import Seconds, Timer, TimerChange, Timing, Transit, Wait, plain_code
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
    "Change",
    "Claim",
    "ClaimKind",
    "Component",
    "Damage",
    "DeclarationError",
    "Default",
    "Expectation",
    "Fairness",
    "Fault",
    "Fifo",
    "Fix",
    "Index",
    "Listener",
    "Mark",
    "Model",
    "ModelError",
    "OffsetSet",
    "Picture",
    "Property",
    "QueueRow",
    "RefusedError",
    "Release",
    "Remedy",
    "Scope",
    "Seconds",
    "Setting",
    "Step",
    "Subject",
    "Timer",
    "TimerChange",
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
    "eventually",
    "every",
    "fifo",
    "flag",
    "holds",
    "implies",
    "integer",
    "larger",
    "leads_to",
    "negation",
    "offset",
    "offset_set",
    "one_of",
    "optional",
    "part",
    "plain_code",
    "remedy",
    "require",
    "same",
    "smaller",
    "some",
    "sometimes",
]
