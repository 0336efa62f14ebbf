"""Operators that put tensors together, take them apart, and look up rows."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.network import Rejected
from s2s.fuzz.tflite.network import Network, Value

KINDS = ("INT8", "INT16", "UINT8", "FLOAT32")


def _concatenation(net: Network) -> None:
    """Signed parts have the scale of the result; unsigned ones are converted."""
    x = net.any(net.kind(*KINDS))
    axis = net.random.randrange(x.rank)

    def rest(value: Value) -> list[int]:
        return [size for dim, size in enumerate(value.shape) if dim != axis]

    others = [each for each in net.values if each.kind == x.kind and each.rank == x.rank and rest(each) == rest(x)]
    parts = [x, *(net.random.choice(others) for _ in range(net.random.randint(1, 3)))]
    if net.chance(0.3):
        parts.append(net.either(x.kind, [net.random.randint(1, 4) if i == axis else n for i, n in enumerate(x.shape)]))
    net.random.shuffle(parts)
    quant = parts[0].quant if net.chance(0.6) else net.near(x.kind, x.reach)
    if x.kind != "UINT8":
        parts = [net.requantised(each, quant) for each in parts]
    shape = list(x.shape)
    shape[axis] = sum(each.shape[axis] for each in parts)
    signed = axis - x.rank if net.chance(0.3) else axis
    net.add("CONCATENATION", parts, [net.result(x.kind, shape, quant)], axis=signed)


def _pack(net: Network) -> None:
    x = net.any(net.kind(*KINDS), most=4)
    others = [each for each in net.values if each.kind == x.kind and each.shape == x.shape]
    parts = [x, *(net.requantised(net.random.choice(others), x.quant) for _ in range(net.random.randint(0, 2)))]
    axis = net.random.randint(0, x.rank)
    y = net.like(x, [*x.shape[:axis], len(parts), *x.shape[axis:]])
    net.add("PACK", parts, [y], axis=axis, values_count=len(parts))


def _unpack(net: Network) -> None:
    x = net.any(net.kind(*KINDS), least=2, most=4)
    axes = [axis for axis, size in enumerate(x.shape) if size <= 4]
    if not axes:
        raise Rejected("there would be many results")
    axis = net.random.choice(axes)
    rest = [size for dim, size in enumerate(x.shape) if dim != axis]
    net.add("UNPACK", [x], [net.like(x, rest) for _ in range(x.shape[axis])], axis=axis, num=x.shape[axis])


def _split(net: Network) -> None:
    x = net.any(net.kind(*KINDS))
    choices = [(axis, count) for axis, size in enumerate(x.shape) for count in (2, 3, 4) if size % count == 0]
    if not choices:
        raise Rejected("no dimension has equal parts")
    axis, count = net.random.choice(choices)
    part = [size // count if dim == axis else size for dim, size in enumerate(x.shape)]
    net.add("SPLIT", [net.known([axis]), x], [net.like(x, part) for _ in range(count)], num_splits=count)


def _split_v(net: Network) -> None:
    x = net.any(net.kind(*KINDS), most=4)
    axis = net.random.randrange(x.rank)
    if x.shape[axis] < 2:
        raise Rejected("there is one part")
    cuts = sorted(net.random.sample(range(1, x.shape[axis]), net.random.randint(1, min(3, x.shape[axis] - 1))))
    sizes = [end - begin for begin, end in zip([0, *cuts], [*cuts, x.shape[axis]], strict=True)]
    results = [net.like(x, [size if dim == axis else n for dim, n in enumerate(x.shape)]) for size in sizes]
    net.add("SPLIT_V", [x, net.known(sizes), net.known([axis])], results, num_splits=len(sizes))


def _indices(net: Network, size: int, shape: list[int]) -> Value:
    rng = np.random.default_rng(net.random.getrandbits(64))
    return net.known(rng.integers(0, size, shape).astype(np.int32))


def _gather(net: Network) -> None:
    x = net.any(net.kind("INT8", "INT16", "FLOAT32"), most=4)
    axis = net.random.randrange(x.rank)
    shape = [net.random.randint(1, 4) for _ in range(net.random.randint(1, 2))]
    indices = _indices(net, x.shape[axis], shape)
    net.add("GATHER", [x, indices], [net.like(x, [*x.shape[:axis], *shape, *x.shape[axis + 1 :]])], axis=axis)


def _gather_nd(net: Network) -> None:
    x = net.any(net.kind("INT8", "FLOAT32"), most=4)
    depth, outer = net.random.randint(1, x.rank), [net.random.randint(1, 4)]
    rng = np.random.default_rng(net.random.getrandbits(64))
    indices = np.stack([rng.integers(0, size, outer) for size in x.shape[:depth]], -1).astype(np.int32)
    net.add("GATHER_ND", [x, net.known(indices)], [net.like(x, [*outer, *x.shape[depth:]])])


def _update(net: Network) -> None:
    x = net.any(net.kind("INT8", "INT16", "FLOAT32"), most=4)
    shape = [net.random.randint(1, size) for size in x.shape]
    update = net.either(x.kind, shape, x.quant)
    begin = net.known([net.random.randint(0, size - 1) for size in x.shape])
    net.add("DYNAMIC_UPDATE_SLICE", [x, update, begin], [net.like(x, x.shape)])


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "CONCATENATION": _concatenation,
    "DYNAMIC_UPDATE_SLICE": _update,
    "GATHER": _gather,
    "GATHER_ND": _gather_nd,
    "PACK": _pack,
    "SPLIT": _split,
    "SPLIT_V": _split_v,
    "UNPACK": _unpack,
}
