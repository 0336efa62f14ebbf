"""Operators that move elements: transpose, slice, pad, concatenate, tile."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from s2s.fuzz.arrays import MAX_ELEMENTS, DType, draw_size
from s2s.fuzz.network import Attributes, Network, Rejected, Value


def _value(net: Network, op: str, least: int = 0) -> Value:
    dtype: DType = net.dtype(op)
    return net.operand(dtype) if least == 0 else net.of_rank(dtype, least, empty=True)


def _transpose(net: Network) -> None:
    x = _value(net, "Transpose")
    order = net.random.sample(range(len(x.shape)), len(x.shape))
    given: Attributes = {} if not order or net.chance(0.2) else {"perm": order}
    net.node("Transpose", [x], **given)


def _slice(net: Network) -> None:
    x = _value(net, "Slice", 1)
    axes = net.axes(x) or [0]
    stepless = net.opset < 10 or net.chance(0.3)
    spans: list[tuple[int, int, int]] = []
    for axis in axes:
        size, step = x.shape[axis], 1 if stepless else net.random.choice((1, 1, 1, 2, 3, -1, -2))
        one, other = sorted(net.random.randint(0, size) for _ in range(2))
        if step < 0:
            start, end = other - 1, (-(2**31) if one == 0 else one - 1)
            start = max(start, 0)
        else:
            start, end = (
                (one - size if net.chance(0.3) and one < size else one),
                (2**31 - 1 if net.chance(0.2) else other),
            )
        spans.append((start, end, step))
    starts, ends, steps = zip(*spans, strict=True)
    kind = net.random.choice((np.int32, np.int64))
    given = (starts, ends, axes) if stepless else (starts, ends, axes, steps)
    net.node("Slice", [x, *(net.known(each, kind) for each in given)])


def _concat(net: Network) -> None:
    x = _value(net, "Concat", 1)
    axis = net.axis(x)
    place = axis % len(x.shape)

    def fits(other: Value) -> bool:
        return len(other.shape) == len(x.shape) and all(
            one == two for at, (one, two) in enumerate(zip(x.shape, other.shape, strict=True)) if at != place
        )

    parts = [x]
    for _ in range(net.random.choice((0, 1, 1, 2, 3))):
        shape = [draw_size(net.random) if at == place else size for at, size in enumerate(x.shape)]
        other = net.existing(x.dtype, fits) if net.chance(0.6) else None
        parts.append(other if other is not None else net.fresh(x.dtype, shape))
        if sum(part.array.size for part in parts) > MAX_ELEMENTS:
            raise Rejected("the result is large")
    net.random.shuffle(parts)
    net.node("Concat", parts, axis=axis)


def _split(net: Network) -> None:
    x = _value(net, "Split", 1)
    axis = net.axis(x)
    size = x.shape[axis]
    count = net.random.randint(1, 4)
    if net.chance(0.4) and size >= count and -(-size // count) * (count - 1) < size:
        net.node("Split", [x], count, axis=axis, num_outputs=count)
        return
    cuts = sorted(net.random.randint(0, size) for _ in range(count - 1))
    sizes = [end - start for start, end in zip([0, *cuts], [*cuts, size], strict=True)]
    net.node("Split", [x, net.known(sizes)], count, axis=axis)


def _pad(net: Network) -> None:
    x = _value(net, "Pad", 1)
    mode = net.random.choice(
        ("constant", "constant", "reflect", "edge", "wrap") if net.opset >= 19 else ("constant", "reflect", "edge")
    )
    if mode != "constant" and 0 in x.shape:
        raise Rejected("nothing to pad with")

    def amount(size: int) -> int:
        most = size - 1 if mode == "reflect" else size if mode == "wrap" else 4
        least = -(size // 3) if mode == "constant" and net.chance(0.2) else 0
        return net.random.randint(least, max(least, min(most, 4))) if net.chance(0.6) else 0

    axes = net.axes(x) if net.chance(0.4) else list(range(len(x.shape)))
    pads = [amount(x.shape[axis]) for _ in range(2) for axis in axes]
    fill = net.fresh(x.dtype, []) if mode == "constant" and net.chance(0.5) else None
    given = None if axes == list(range(len(x.shape))) else net.known(axes)
    net.node("Pad", [x, net.known(pads), fill, given], mode=mode)


def _tile(net: Network) -> None:
    x = _value(net, "Tile", 1)
    repeats = [net.random.choice((1, 1, 2, 3)) for _ in x.shape]
    _fit(x, repeats)
    net.node("Tile", [x, net.known(repeats)])


def _expand(net: Network) -> None:
    x = _value(net, "Expand")
    shape = [net.random.choice((1, draw_size(net.random))) if size == 1 else size for size in x.shape]
    shape = [1 if net.chance(0.2) else size for size in shape]
    shape = [draw_size(net.random, empty=False) for _ in range(net.random.choice((0, 0, 1)))] + shape
    if np.prod(np.maximum(shape, 1)) > MAX_ELEMENTS or len(shape) > 6:
        raise Rejected("the result is large")
    net.node("Expand", [x, net.known(shape)])


def _depth_to_space(net: Network) -> None:
    x = net.of_rank(net.dtype("DepthToSpace"), 4, 4)
    block = net.random.choice((1, 2, 3))
    n, c, h, w = x.shape
    c = block * block * net.random.randint(1, 3) if c % (block * block) else c
    x = x if x.shape[1] == c else _sized(net, x.dtype, (n, c, h, w))
    net.node("DepthToSpace", [x], blocksize=block, mode=net.random.choice(("DCR", "CRD")))


def _space_to_depth(net: Network) -> None:
    block = net.random.choice((1, 2, 3))
    shape = [
        net.random.randint(1, 3),
        net.random.randint(1, 4),
        block * net.random.randint(1, 5),
        block * net.random.randint(1, 5),
    ]
    net.node("SpaceToDepth", [net.operand(net.dtype("SpaceToDepth"), shape)], blocksize=block)


def _reverse(net: Network) -> None:
    x = net.of_rank(net.dtype("ReverseSequence"), 2)
    time = net.random.randint(0, 1)
    lengths = [net.random.randint(1, x.shape[time]) for _ in range(x.shape[1 - time])]
    net.node("ReverseSequence", [x, net.either(np.asarray(lengths))], time_axis=time, batch_axis=1 - time)


def _trilu(net: Network) -> None:
    x = net.of_rank(net.dtype("Trilu"), 2)
    k = net.known(net.random.randint(-4, 4)) if net.chance(0.6) else None
    net.node("Trilu", [x, k], upper=net.random.randint(0, 1))


def _sized(net: Network, dtype: DType, shape: Sequence[int]) -> Value:
    if np.prod(shape) > MAX_ELEMENTS:
        raise Rejected("the operand is large")
    return net.fresh(dtype, shape)


def _fit(x: Value, repeats: Sequence[int]) -> None:
    if x.array.size * int(np.prod(repeats)) > MAX_ELEMENTS:
        raise Rejected("the result is large")


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "Concat": _concat,
    "DepthToSpace": _depth_to_space,
    "Expand": _expand,
    "Pad": _pad,
    "ReverseSequence": _reverse,
    "Slice": _slice,
    "SpaceToDepth": _space_to_depth,
    "Split": _split,
    "Tile": _tile,
    "Transpose": _transpose,
    "Trilu": _trilu,
}
