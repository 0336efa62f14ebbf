"""Operators that read or write at indices, constant ones or such of the run time."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from s2s.fuzz.arrays import draw_shape, is_floating
from s2s.fuzz.network import Attributes, Network, Rejected, Value
from s2s.types.dtypes import Array


def _indices(net: Network, shape: Sequence[int], size: int, *, negative: bool = True) -> Array:
    """Indices into a dimension, of `shape`."""
    if size == 0:
        raise Rejected("nothing to index")
    rng = np.random.default_rng(net.random.getrandbits(32))
    found = rng.integers(-size if negative and net.chance(0.4) else 0, size, shape)
    return found.astype(net.random.choice((np.int32, np.int64)))


def _gather(net: Network) -> None:
    x = net.of_rank(net.dtype("Gather"), 1)
    axis = net.axis(x)
    shape = draw_shape(net.random, net.random.randint(0, 2), limit=16)
    net.node("Gather", [x, net.either(_indices(net, shape, x.shape[axis]))], axis=axis)


def _gather_elements(net: Network) -> None:
    x = net.of_rank(net.dtype("GatherElements"), 1)
    axis = net.axis(x)
    place = axis % len(x.shape)
    shape = [
        net.random.randint(1, 6) if at == place else net.random.randint(1, size) for at, size in enumerate(x.shape)
    ]
    net.node("GatherElements", [x, net.either(_indices(net, shape, x.shape[axis]))], axis=axis)


def _tuples(net: Network, shape: Sequence[int], outer: Sequence[int], depth: int) -> Array:
    """Indices into the first `depth` dimensions of `shape`."""
    columns = [_indices(net, [*outer, 1], size).astype(np.int64) for size in shape[:depth]]
    return np.concatenate(columns, axis=-1)


def _gather_nd(net: Network) -> None:
    x = net.of_rank(net.dtype("GatherND"), 1)
    batch = net.random.randint(0, min(len(x.shape) - 1, 2))
    depth = net.random.randint(1, len(x.shape) - batch)
    outer = [*x.shape[:batch], *(net.random.randint(1, 4) for _ in range(net.random.randint(0 if batch else 1, 2)))]
    found = _tuples(net, x.shape[batch:], outer, depth)
    net.node("GatherND", [x, net.either(found)], batch_dims=batch)


def _reduction(net: Network, x: Value) -> Attributes:
    if net.opset < 16 or x.dtype.kind not in "fiuV" or net.chance(0.4):
        return {}
    kinds = ("add", "mul", "max", "min") if net.opset >= 18 else ("add", "mul")
    return {"reduction": net.random.choice(kinds)}


def _scatter_elements(net: Network) -> None:
    op = "ScatterElements" if net.opset >= 11 else "Scatter"
    x = net.of_rank(net.dtype(op), 1)
    axis = net.axis(x)
    place = axis % len(x.shape)
    reduction = _reduction(net, x)
    shape = [net.random.randint(1, size) for size in x.shape]
    found = _indices(net, shape, x.shape[axis])
    if not reduction:  # where two updates meet, either may win: give each line its own places
        rng = np.random.default_rng(net.random.getrandbits(32))
        order = rng.permuted(
            np.broadcast_to(
                _line(x.shape[place], place, len(shape)),
                [x.shape[place] if at == place else size for at, size in enumerate(shape)],
            ),
            axis=place,
        )
        found = order[tuple(slice(size) for size in shape)].astype(found.dtype)
    updates = net.operand(x.dtype, shape)
    net.node(op, [x, net.either(np.asarray(found, order="C")), updates], axis=axis, **reduction)


def _line(size: int, place: int, rank: int) -> Array:
    return np.arange(size).reshape([size if at == place else 1 for at in range(rank)])


def _scatter_nd(net: Network) -> None:
    x = net.of_rank(net.dtype("ScatterND"), 1)
    depth = net.random.randint(1, len(x.shape))
    reduction = _reduction(net, x)
    places = int(np.prod(x.shape[:depth]))
    count = net.random.randint(1, min(places, 8))
    rng = np.random.default_rng(net.random.getrandbits(32))
    flat = rng.choice(places, count, replace=bool(reduction))
    found = np.stack(np.unravel_index(flat, x.shape[:depth]), axis=-1).astype(np.int64)
    updates = net.operand(x.dtype, [count, *x.shape[depth:]])
    net.node("ScatterND", [x, net.either(found), updates], **reduction)


def _one_hot(net: Network) -> None:
    depth = net.random.randint(1, 9)
    shape = draw_shape(net.random, net.random.randint(0, 3), limit=64)
    found = _indices(net, shape, depth)
    values = net.fresh(net.dtype("OneHot", 2), [2])
    if is_floating(values.dtype) and found.dtype != np.int64:
        raise Rejected("the reference evaluator, which alone takes them, rounds off + (on - off)")
    axis = net.random.randint(-1 - len(shape), len(shape))
    net.node("OneHot", [net.either(found), net.known(depth), values], axis=axis)


_SINGLE = (np.dtype(np.float32),)
"""Places between elements are computed in 32 bits."""


def _any_sizes(size: int, transform: str) -> Sequence[int]:
    return range(1, 2 * size + 2)


def _exact_sizes(size: int, transform: str) -> Sequence[int]:
    """Sizes for which the position of each sample is a short binary fraction. Other positions are rounded to 32 bits by
    both engines, from which cubic samples are off by up to 1e-5; those of s2s by a tenth of that."""
    if transform == "align_corners":
        return [size, 2 * size - 1]
    return [size, 2 * size, *([size // 2] if size % 2 == 0 else [])]


def _resize(net: Network, mode: str) -> None:
    x = net.of_rank(net.dtype("Resize", among=_SINGLE), 4, 4)
    if x.array.size > 512:
        raise Rejected("the result is large")
    transform = net.random.choice(("asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"))
    rounding = net.random.choice(("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"))
    nearest: Attributes = {"nearest_mode": rounding} if mode == "nearest" else {}
    among = _exact_sizes if mode == "cubic" else _any_sizes
    sizes = [*x.shape[:2], *(net.random.choice(among(size, transform)) for size in x.shape[2:])]
    net.node(
        "Resize",
        [x, None, None, net.known(sizes)],
        mode=mode,
        coordinate_transformation_mode=transform,
        **nearest,
    )


def _upsample(net: Network) -> None:
    if net.opset != 9:
        raise Rejected("has no Upsample")
    x = net.of_rank(net.dtype("Upsample", among=_SINGLE), 4, 4)
    scales = net.known([1, 1, net.random.randint(1, 3), net.random.randint(1, 3)], np.float32)
    net.node("Upsample", [x, scales], mode="nearest")  # a linear one of scales that are not quite whole is another


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "OneHot": _one_hot,
    "Resize nearest": partial(_resize, mode="nearest"),
    "Resize linear": partial(_resize, mode="linear"),
    "Resize cubic": partial(_resize, mode="cubic"),
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "Upsample": _upsample,
}
