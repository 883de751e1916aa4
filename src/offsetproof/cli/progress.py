"""Progress on stderr: one live line on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable

from offsetproof.verdict.question import Layer

_SECONDS_BETWEEN_LINES = 5.0


class Progress:
    """Tells how far a search has come, under the name of what is being decided."""

    def __init__(self, *, on: bool) -> None:
        self.on, self.name = on, ""
        self._live = sys.stderr.isatty()
        self._told = 0.0
        self._shown = False

    def naming(self, name: str) -> None:
        """From now on the search decides this."""
        self.name = name
        self._told = time.monotonic()

    def reporter(self) -> Callable[[Layer], None]:
        """What an engine calls."""
        return self._report

    def clear(self) -> None:
        """Removes the live line, so that a report can follow."""
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = False

    def _report(self, layer: Layer) -> None:
        now = time.monotonic()
        if not self.on or (not self._live and now - self._told < _SECONDS_BETWEEN_LINES):
            return
        self._told = now
        text = f"{self.name}: {describe(layer)}"
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write("\r\x1b[2K" + text[:width])
            self._shown = True
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()


def describe(layer: Layer) -> str:
    """A layer in one line: where the search is, how fast, how large, and when this layer will be done."""
    share = layer.done / layer.frontier if layer.frontier else 1.0
    return (
        f"layer {layer.depth} {share:4.0%} of {layer.frontier:,}, {layer.states:,} states, "
        f"{layer.rate / 1e6:.1f}M/s, {layer.duplicates:.0%} known, {layer.bytes / 2**20:,.0f} MiB, {_forecast(layer)}"
    )


def _forecast(layer: Layer) -> str:
    """How long the rest of this layer takes, from the rate of expansion so far (layers to come are unknown)."""
    expanded = layer.states - (layer.frontier - layer.done)
    if expanded <= 0 or layer.seconds <= 0:
        return "layer ends soon"
    return f"layer ends in {(layer.frontier - layer.done) * layer.seconds / max(1, expanded):.0f} s"
