"""What may follow a state: the same system from there on, with fewer instances, and with an outside that settles.

Sound for questions about where runs end: nothing is added but steps that set the named variables to values that they
will have at last. Which of the ways it is, is settled by one step of its own; each variable follows in its own time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from offsetproof.ir.build import FALSE, TRUE, both, const, eq, negate
from offsetproof.ir.kind import Sort
from offsetproof.ir.system import Instance, StagedClaim, State, System, Variable

SETTLED = "outside[settled as]"
"""The variable that `system_from` adds: the number of the way that was settled on, 0 for none yet."""


def system_from(
    system: System, state: State, keep: Callable[[Instance], bool], ways: Sequence[Mapping[str, int]] = ()
) -> System:
    """The system from a state on, with the instances to keep, and steps into one of the ways."""
    # What is left out happens no more, so it neither fails nor is cut; the others keep all of their guards.
    chosen = [i for i, inst in enumerate(system.instances) if keep(inst)]
    settling = tuple(_settling_instances(system, ways))
    variables = tuple(replace(v, initial=(value,)) for v, value in zip(system.variables, state, strict=True))
    way = (_way(ways),) if ways else ()
    return replace(
        system,
        variables=(*variables, *way),
        correlated=None,
        instances=(*(system.instances[i] for i in chosen), *settling),
        claims=tuple(_pick_steps(claim, chosen, len(settling)) for claim in system.claims),
    )


def _way(ways: Sequence[Mapping[str, int]]) -> Variable:
    return Variable(SETTLED, Sort.INT, 0, len(ways), (0,))


def _settling_instances(system: System, ways: Sequence[Mapping[str, int]]) -> Iterator[Instance]:
    for number, way in enumerate(ways, 1):
        settled = _way(ways).node
        undecided = eq(settled, const(0))
        yield Instance(("outside_settles", (("way", number),)), undecided, {SETTLED: const(number)})
        for name, value in way.items():
            variable = system.by_name[name]
            last = variable.constant(value)
            due = both(eq(settled, const(number)), negate(eq(variable.node, last)))
            if due is not FALSE:
                yield Instance(("outside_reaches", (("way", number), ("field", name))), due, {name: last})


def _pick_steps(claim: StagedClaim, chosen: Sequence[int], more: int) -> StagedClaim:
    if not claim.per_step:
        return claim
    return replace(claim, per_step=(*(claim.per_step[i] for i in chosen), *[TRUE] * more))
