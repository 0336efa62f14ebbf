"""Write rotary positions: each pair of numbers of a head is rotated by an angle that grows with the position.

Cosines and sines are rows of tables. For a text of many positions there are two tables of each, for `position div 256`
and for the rest, and the sum of both angles follows from

    cos(a + b) = cos a cos b - sin a sin b        sin(a + b) = sin a cos b + cos a sin b
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from s2s.frontends.decoder.config import Config
from s2s.frontends.decoder.nodes import Nodes
from s2s.types.dtypes import Array

MAX_ROWS = 4096
"""The most positions that have a row of their own: 1 MB with heads of 64."""
STEP = 256
"""The positions for each row of the first of two tables."""


class Turn(NamedTuple):
    """The cosines and sines of positions, `[positions, rotated]`."""

    cosines: str
    sines: str


def write_turn(nodes: Nodes, config: Config, positions: str, angles: tuple[float, ...], prefix: str = "") -> Turn:
    """Return cosines and sines of `positions` times `angles`; the names of their tables begin with `prefix`."""
    turns, count = np.tile(np.array(angles), 2), config.positions
    if count <= MAX_ROWS:
        return _rows(nodes, np.arange(count)[:, None] * turns, positions, prefix, config.magnitude)
    step = nodes.constant(np.array([STEP]))
    high, low = (nodes.node(kind, positions, step) for kind in ("Div", "Mod"))
    steps = np.arange(0, count, STEP)[:, None] * turns
    a = _rows(nodes, steps, high, f"{prefix}{STEP}.", config.magnitude)
    b = _rows(nodes, np.arange(STEP)[:, None] * turns, low, prefix)
    products = {(x, y): nodes.node("Mul", x, y) for x in a for y in b}
    return Turn(
        nodes.node("Sub", products[a.cosines, b.cosines], products[a.sines, b.sines]),
        nodes.node("Add", products[a.sines, b.cosines], products[a.cosines, b.sines]),
    )


def _rows(nodes: Nodes, angles: Array, rows: str, prefix: str, factor: float = 1.0) -> Turn:
    """Return the rows of tables with the cosines and sines of `angles`, times `factor`."""
    tables = {"cosines": np.cos(angles) * factor, "sines": np.sin(angles) * factor}
    cosines, sines = (
        nodes.node("Gather", nodes.constant(table.astype(np.float32), f"{prefix}{name}"), rows)
        for name, table in tables.items()
    )
    return Turn(cosines, sines)


def rotate(nodes: Nodes, config: Config, x: str, turn: Turn | None) -> str:
    """Rotate the halves of what is rotated of the last dimension against each other."""
    if turn is None:
        return x
    last, rotated = nodes.constant(np.array([-1])), config.rotated
    places = [0, rotated // 2, rotated, *([config.head] if rotated < config.head else [])]
    ends = [nodes.constant(np.array([end])) for end in places]
    first, second, *rest = (nodes.node("Slice", x, *pair, last) for pair in pairwise(ends))
    both = nodes.node("Slice", x, ends[0], ends[2], last) if rest else x
    crossed = nodes.node("Concat", nodes.node("Neg", second), first, axis=-1)
    turned = nodes.node("Add", nodes.node("Mul", both, turn.cosines), nodes.node("Mul", crossed, turn.sines))
    return nodes.node("Concat", turned, *rest, axis=-1) if rest else turned
