"""Lookups: of tables that are stored narrow, and at positions that are constants."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.arrays import FLOAT32, INT64, draw_array
from s2s.fuzz.idioms.parts import one, weights
from s2s.fuzz.network import Network, Value


def _places(net: Network, rows: int) -> Value:
    """Positions that a run gets."""
    return net.input(draw_array(net.random, INT64, [net.random.randint(1, 6)], 0, rows - 1))


def _narrow_table(net: Network) -> Value:
    """A lookup in constants that are dequantised by one scale, or by one for each row or column."""
    rows, columns = net.random.choice((8, 20, 64)), net.random.choice((4, 8, 16, 32))
    kind = net.random.choice((np.dtype(np.int8), np.dtype(np.uint8)))
    table = net.constant(draw_array(net.random, kind, [rows, columns], -128, 255))
    axis = net.random.randint(0, 1)
    count = [[rows, columns][axis]] if net.opset >= 13 and net.chance(0.6) else []
    zero = net.constant(draw_array(net.random, kind, count, 0, 20)) if net.chance(0.5) else None
    along = {"axis": axis} if count else {}
    real = one(net, "DequantizeLinear", table, weights(net, count, 0.01, 0.1), zero, **along)
    return one(net, "Gather", real, _places(net, rows), axis=0)


def _small_integers(net: Network) -> Value:
    """A lookup in constants of few bits."""
    rows, columns = net.random.choice((8, 20, 64)), net.random.choice((8, 9, 16))
    low = net.random.randint(-100, 100)
    table = draw_array(net.random, np.dtype(np.int8), [rows, columns], low, low + net.random.choice((3, 15)))
    axis = net.random.randint(0, 1)
    rows = one(net, "Gather", net.constant(table), _places(net, table.shape[axis]), axis=axis)
    return one(net, "Cast", rows, to=net.random.choice((1, 6)))


def _constant_places(net: Network) -> Value:
    """A lookup of a tensor at constant positions: in steps, by rows, in any order, by coordinates."""
    shape = [net.random.randint(3, 6) for _ in range(3)]
    x = net.input(draw_array(net.random, FLOAT32, shape))
    kind = net.random.choice(("steps", "any", "elements", "rows", "coordinates"))
    rng = np.random.default_rng(net.random.getrandbits(32))
    axis = net.random.randint(0, 1)
    if kind == "steps":
        step = net.random.choice((1, 2, -1))
        return one(net, "Gather", x, net.known(np.arange(shape[axis])[::step][:2]), axis=axis)
    if kind == "any":
        places = rng.integers(-shape[axis], shape[axis], [net.random.randint(2, 5)])
        return one(net, "Gather", x, net.known(places), axis=axis)
    if kind == "coordinates":
        places = np.stack([rng.integers(0, size, [4]) for size in shape[: net.random.randint(1, 3)]], -1)
        return one(net, "GatherND", x, net.known(places))
    places = rng.integers(0, shape[axis], shape)
    if kind == "rows":
        places = np.repeat(places[..., :1], shape[-1], axis=-1)
    return one(net, "GatherElements", x, net.known(places), axis=axis)


IDIOMS: Mapping[str, Callable[[Network], Value]] = {
    "constant places": _constant_places,
    "narrow table": _narrow_table,
    "small integers": _small_integers,
}
