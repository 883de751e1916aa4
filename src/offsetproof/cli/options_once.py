"""An option with one value is given once: the parser alone would take the last value, and say nothing of the others."""

from __future__ import annotations

from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand, TyperOption


class OptionsOnce(TyperCommand):
    """A verb that refuses an option with one value which is given again."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raises BadParameter for the first such option."""
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        for param, times in Counter(given).items():
            if times > 1 and isinstance(param, TyperOption) and not (param.multiple or param.is_flag or param.count):
                raise typer.BadParameter("is given twice; give one value", ctx=ctx, param_hint=param.opts[0])
        return super().parse_args(ctx, args)
