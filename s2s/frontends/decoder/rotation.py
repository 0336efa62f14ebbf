"""Write rotary positions: each pair of numbers of a head is rotated by an angle that grows with the position.

Cosines and sines are rows of tables. For a text of many positions there are two tables of each, for `position div 256`
and for the rest, and the sum of both angles follows from

    cos(a + b) = cos a cos b - sin a sin b        sin(a + b) = sin a cos b + cos a sin b
"""

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
    """The cosines and sines of positions, `[positions, head]`."""

    cosines: str
    sines: str


def write_turn(nodes: Nodes, config: Config, positions: str) -> Turn:
    """Return cosines and sines of `positions`."""
    turns, count = np.tile(np.array(config.turns), 2), config.positions
    if count <= MAX_ROWS:
        return _rows(nodes, np.arange(count)[:, None] * turns, positions, "", config.magnitude)
    step = nodes.constant(np.array([STEP]))
    high, low = (nodes.node(kind, positions, step) for kind in ("Div", "Mod"))
    steps = np.arange(0, count, STEP)[:, None] * turns
    a = _rows(nodes, steps, high, f"{STEP}.", config.magnitude)
    b = _rows(nodes, np.arange(STEP)[:, None] * turns, low, "")
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
    """Rotate the halves of the last dimension against each other."""
    if turn is None:
        return x
    last = nodes.constant(np.array([-1]))
    ends = [nodes.constant(np.array([end])) for end in (0, config.head // 2, config.head)]
    first, second = (nodes.node("Slice", x, *ends[at : at + 2], last) for at in (0, 1))
    crossed = nodes.node("Concat", nodes.node("Neg", second), first, axis=-1)
    return nodes.node("Add", nodes.node("Mul", x, turn.cosines), nodes.node("Mul", crossed, turn.sines))
