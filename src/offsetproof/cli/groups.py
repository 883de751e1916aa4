"""Options that verbs share, each group one parameter: a frozen dataclass whose fields are options.

The option parser wants a parameter for each option; `flatten_groups` gives it those, and the verb its groups.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter
from typing import Any, TypeGuard, get_type_hints


def flatten_groups(verb: Callable[..., int]) -> Callable[..., int]:
    """The verb with each group replaced by its options, in their places; all are given by name."""
    taken = inspect.signature(verb, eval_str=True).parameters.values()
    groups: dict[str, type[Any]] = {each.name: each.annotation for each in taken if _is_group(each.annotation)}

    @wraps(verb)
    def flat(**options: Any) -> int:
        for name, group in groups.items():
            options[name] = group(**{field.name: options.pop(field.name) for field in fields(group)})
        return verb(**options)

    parameters = [option for each in taken for option in _options(each)]
    flat.__annotations__ = {each.name: each.annotation for each in parameters}
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for
    return flat


def _is_group(annotation: object) -> TypeGuard[type[Any]]:
    return isinstance(annotation, type) and is_dataclass(annotation)


def _options(given: Parameter) -> Iterator[Parameter]:
    """A parameter as it is, or the options of the group that it is."""
    if not _is_group(given.annotation):
        yield given.replace(kind=Parameter.KEYWORD_ONLY)
        return
    hints = get_type_hints(given.annotation, include_extras=True)
    for field in fields(given.annotation):
        default = Parameter.empty if field.default is MISSING else field.default
        yield Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name])
