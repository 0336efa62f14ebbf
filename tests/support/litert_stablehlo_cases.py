"""Random cases for the operators of StableHLO that LiteRT has kernels for, in the manner of `tflite_cases`."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from support.tflite_case import Case, Generator, Operand, Random, shape_of, values_of


def _same(builtin: str, kind: str, random: Random) -> Case:
    """Two tensors of one shape, which are not quantised."""
    shape = shape_of(random)
    a, b = (Operand(values_of(random, kind, shape)) for _ in range(2))
    return Case(builtin, [a, b], shape, kind)


def _shift_left(kind: str, random: Random) -> Case:
    shape = shape_of(random)
    a, b = values_of(random, kind, shape), random.integers(0, 8, shape).astype(kind)
    return Case("STABLEHLO_SHIFT_LEFT", [Operand(a), Operand(b)], shape, kind)


def _pad(kind: str, random: Random) -> Case:
    x = values_of(random, kind, shape_of(random, 4))
    inner = random.integers(0, 3, x.ndim)
    spread = (np.array(x.shape) - 1) * (inner + 1) + 1
    low = np.maximum(random.integers(-2, 4, x.ndim), 1 - spread)
    high = np.maximum(random.integers(-2, 4, x.ndim), 1 - spread - low)
    options = {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": inner}
    fill = Operand(values_of(random, kind, ()), constant=bool(random.integers(0, 2)))
    return Case("STABLEHLO_PAD", [Operand(x), fill], tuple(map(int, spread + low + high)), kind, None, options)


def _reduce_window(kind: str, random: Random) -> Case:
    rank = int(random.integers(1, 4))
    window, steps, gaps, base = (random.integers(1, most, rank) for most in (4, 3, 3, 3))
    padding = random.integers(0, 3, (rank, 2))
    sizes = (window - 1) * gaps + 1 + random.integers(0, 4, rank)
    values = values_of(random, kind, sizes.tolist())
    values = values if kind == "bool" else (values % 3).astype(kind)
    padded = (sizes - 1) * base + 1 + padding.sum(1)
    shape = (padded - (window - 1) * gaps - 1) // steps + 1
    bodies = ("LOGICAL_AND", "LOGICAL_OR") if kind == "bool" else ("ADD", "MUL", "MAXIMUM", "STABLEHLO_MINIMUM")
    options = {
        "window_dimensions": window,
        "window_strides": steps,
        "base_dilations": base,
        "window_dilations": gaps,
        "padding": padding.reshape(-1),
    }
    start = Operand(values_of(random, kind, ()), constant=bool(random.integers(0, 2)))
    computation = "body_subgraph_index", str(random.choice(bodies))
    operands = [Operand(values), start]
    return Case(
        "STABLEHLO_REDUCE_WINDOW", operands, tuple(map(int, shape)), kind, None, options, computation=computation
    )


def _sample(random: Random, most: int, count: int) -> list[int]:
    """Distinct numbers below `most`, in order."""
    return sorted(int(each) for each in random.choice(most, count, replace=False))


def _places(random: Random, batch: tuple[int, ...], ends: np.ndarray) -> tuple[Operand, int]:
    """Coordinates below `ends`, seldom two beyond, along a dimension anywhere, and the number of this one."""
    places = random.integers(0, ends + 2 * (random.random() < 0.3), (*batch, len(ends)))
    axis = int(random.integers(0, len(batch) + 1))
    moved = np.asarray(np.moveaxis(places, -1, axis), order="C").astype(random.choice(["int32", "int64"]))
    return Operand(moved, constant=bool(random.integers(0, 2))), axis


class _Windows(NamedTuple):
    """Parts of a tensor that coordinates name, and the tensor that holds all of them."""

    indices: Operand
    index_axis: int
    dims: list[int]
    """Its dimensions that run through a part."""
    shape: tuple[int, ...]


def _some_axes(random: Random, rank: int) -> list[int]:
    """One axis or more, in any order."""
    return [int(axis) for axis in random.permutation(rank)[: random.integers(1, rank + 1)]]


def _windows(random: Random, room: np.ndarray, mapped: Sequence[int], kept: Sequence[int]) -> _Windows:
    """Draw parts of the sizes `kept`, which begin at most at `room` along the `mapped` axes."""
    batch = shape_of(random, 2, 4)
    indices, axis = _places(random, batch, room[mapped] + 1)
    rank = len(batch) + len(kept)
    dims = _sample(random, rank, len(kept))
    inner, outer = iter(kept), iter(batch)
    return _Windows(indices, axis, dims, tuple(next(inner) if dim in dims else next(outer) for dim in range(rank)))


def _gather(kind: str, random: Random) -> Case:
    x = values_of(random, kind, shape_of(random, 3))
    full = np.array(x.shape)
    mapped = _some_axes(random, x.ndim)
    sizes = random.integers(1, full + 1)
    sizes[[axis for axis in range(x.ndim) if random.random() < 0.5]] = 1
    gone = [axis for axis in range(x.ndim) if sizes[axis] == 1 and random.random() < 0.6]
    kept = [int(sizes[axis]) for axis in range(x.ndim) if axis not in gone]
    windows = _windows(random, full - sizes, mapped, kept)
    options = {
        "offset_dims": windows.dims,
        "collapsed_slice_dims": np.array(gone, np.int64),
        "start_index_map": mapped,
        "slice_sizes": sizes,
        "index_vector_dim": windows.index_axis,
    }
    return Case("STABLEHLO_GATHER", [Operand(x), windows.indices], windows.shape, kind, None, options)


def _scatter(kind: str, random: Random) -> Case:
    x = values_of(random, kind, shape_of(random, 3))
    full = np.array(x.shape)
    mapped = _some_axes(random, x.ndim)
    sizes = random.integers(1, full + 1)
    gone = [axis for axis in range(x.ndim) if random.random() < 0.5]
    sizes[gone] = 1
    kept = [int(sizes[axis]) for axis in range(x.ndim) if axis not in gone]
    windows = _windows(random, full - sizes, mapped, kept)
    options = {
        "update_window_dims": windows.dims,
        "inserted_window_dims": np.array(gone, np.int64),
        "scatter_dims_to_operand_dims": mapped,
        "index_vector_dim": windows.index_axis,
    }
    updates = values_of(random, kind, windows.shape)
    body = str(random.choice(["", "STABLEHLO_ADD", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM"]))
    operands = [Operand(x), windows.indices, Operand(updates)]
    computation = "update_computation_subgraph_index", body
    return Case("STABLEHLO_SCATTER", operands, x.shape, kind, None, options, computation=computation)


STABLEHLO_GENERATORS: Mapping[str, Mapping[str, Generator]] = {
    **{
        f"STABLEHLO_{name}": {kind: partial(_same, f"STABLEHLO_{name}", kind) for kind in ("float32", "int32")}
        for name in ("ADD", "MAXIMUM", "MINIMUM", "MULTIPLY")
    },
    "STABLEHLO_AND": {kind: partial(_same, "STABLEHLO_AND", kind) for kind in ("bool", "int32")},
    "STABLEHLO_GATHER": {kind: partial(_gather, kind) for kind in ("float32", "int32")},
    "STABLEHLO_PAD": {kind: partial(_pad, kind) for kind in ("float32", "int8")},
    "STABLEHLO_REDUCE_WINDOW": {kind: partial(_reduce_window, kind) for kind in ("float32", "int32", "bool")},
    "STABLEHLO_SCATTER": {kind: partial(_scatter, kind) for kind in ("float32", "int32")},
    "STABLEHLO_SHIFT_LEFT": {kind: partial(_shift_left, kind) for kind in ("int8", "int32")},
}
