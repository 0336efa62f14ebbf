"""Operators that move the elements of one tensor."""

from collections.abc import Callable, Mapping
from math import prod

from s2s.fuzz.network import Rejected, factored
from s2s.fuzz.tflite.network import Network, Value

KINDS = ("INT8", "INT16", "UINT8", "FLOAT32", "INT32", "BOOL")
"""TFLite-Micro has kernels for most of these, LiteRT for the others."""


def _value(net: Network, least: int = 1, most: int = 5) -> Value:
    return net.any(net.kind(*KINDS[:4], *(each for each in KINDS[4:] if net.existing(each))), least, most, shifted=True)


def _reshape(net: Network) -> None:
    x = _value(net)
    if net.chance(0.5):
        shape = factored(net.random, prod(x.shape), net.random.randint(1, 4))
    else:
        shape = [prod(x.shape[:-1]), x.shape[-1]]
    asked = list(shape)
    if net.chance(0.3):
        asked[net.random.randrange(len(asked))] = -1
    net.add("RESHAPE", [x, net.known(asked)], [net.like(x, shape)], new_shape=asked)


def _squeeze(net: Network) -> None:
    x = _value(net, least=2)
    ones = [axis for axis, size in enumerate(x.shape) if size == 1]
    if not ones or len(ones) == x.rank:
        raise Rejected("no dimension, or each, has one element")
    axes = net.random.sample(ones, net.random.randint(0, len(ones)))
    gone = axes or ones
    y = net.like(x, [size for axis, size in enumerate(x.shape) if axis not in gone])
    net.add("SQUEEZE", [x], [y], squeeze_dims=axes)


def _expand_dims(net: Network) -> None:
    x = _value(net, most=4)
    axis = net.random.randint(0, x.rank)
    y = net.like(x, [*x.shape[:axis], 1, *x.shape[axis:]])
    net.add("EXPAND_DIMS", [x, net.known([axis - x.rank - 1 if net.chance(0.3) else axis])], [y])


def _transpose(net: Network) -> None:
    x = _value(net)
    order = net.random.sample(range(x.rank), x.rank)
    net.add("TRANSPOSE", [x, net.known(order)], [net.like(x, [x.shape[axis] for axis in order])])


def _pad(net: Network, builtin: str) -> None:
    x = _value(net, most=4)
    if x.kind == "BOOL":
        raise Rejected("no engine pads them")
    mirrored = builtin == "MIRROR_PAD"
    most = [min(2, size - 1) if mirrored else 2 for size in x.shape]
    outer = x.rank == 4 and net.chance(0.6)
    counts = [
        [0, 0] if outer and axis in (0, 3) else [net.random.randint(0, n), net.random.randint(0, n)]
        for axis, n in enumerate(most)
    ]
    y = net.like(x, [size + sum(count) for size, count in zip(x.shape, counts, strict=True)])
    if builtin == "PADV2":
        fill = net.constant(x.kind, [1], x.quant) if x.quant else net.known(net.numbers(x.kind, [1]))
        net.add(builtin, [x, net.known(counts), fill], [y])
    elif mirrored:
        net.add(builtin, [x, net.known(counts)], [y], mode=net.random.randint(0, 1))
    else:
        net.add(builtin, [x, net.known(counts)], [y])


def _slice(net: Network) -> None:
    x = _value(net)
    begin = [net.random.randint(0, (size - 1) // 2) for size in x.shape]
    sizes = [net.random.randint((n - b + 1) // 2, n - b) for n, b in zip(x.shape, begin, strict=True)]
    asked = [-1 if b + s == n and net.chance(0.3) else s for b, s, n in zip(begin, sizes, x.shape, strict=True)]
    net.add("SLICE", [x, net.known(begin), net.known(asked)], [net.like(x, sizes)])


def _strided_slice(net: Network) -> None:
    x = _value(net, most=4)
    begin, end, strides, shape, shrunk = list[int](), list[int](), list[int](), list[int](), 0
    for axis, size in enumerate(x.shape):
        first, last = sorted(net.random.randint(0, size - 1) for _ in "ab")
        stride = net.random.choice((1, 1, 1, 2, 3, -1, -2))
        if net.chance(0.15) and len(shape) + x.rank - axis > 1:
            shrunk |= 1 << axis
            first, last, stride = first, first, 1
        else:
            shape.append((last - first) // abs(stride) + 1)
        begin.append(first if stride > 0 else last)
        end.append(last + 1 if stride > 0 else first - 1 if first else -size - 1)
        strides.append(stride)
    operands = [x, *map(net.known, (begin, end, strides))]
    net.add("STRIDED_SLICE", operands, [net.like(x, shape)], shrink_axis_mask=shrunk)


def _broadcast_to(net: Network) -> None:
    x = _value(net, most=4)
    shape = [net.random.choice((1, 2, 3)) if size == 1 else size for size in x.shape]
    if len(shape) < 4 and net.chance(0.4):
        shape.insert(0, net.random.choice((1, 2, 3)))
    net.add("BROADCAST_TO", [x, net.known(shape)], [net.like(x, shape)])


def _reverse(net: Network) -> None:
    x = _value(net, most=4)
    first = net.random.randrange(x.rank)
    axes = list(range(first, net.random.randint(first, x.rank - 1) + 1))
    net.add("REVERSE_V2", [x, net.known(axes)], [net.like(x, x.shape)])


def _tile(net: Network) -> None:
    x = _value(net, most=4)
    counts = [net.random.choice((1, 1, 2, 3)) for _ in x.shape]
    net.add("TILE", [x, net.known(counts)], [net.like(x, [n * m for n, m in zip(x.shape, counts, strict=True)])])


def _to_depth(net: Network) -> None:
    x = net.image(net.kind("INT8", "UINT8", "FLOAT32"))
    n, h, w, c = x.shape
    block = net.random.choice([b for b in (1, 2, 3) if h % b == w % b == 0])
    y = net.like(x, [n, h // block, w // block, c * block * block])
    net.add("SPACE_TO_DEPTH", [x], [y], block_size=block)


def _from_depth(net: Network) -> None:
    x = net.image(net.kind("INT8", "UINT8", "FLOAT32"))
    n, h, w, c = x.shape
    block = net.random.choice([b for b in (1, 2, 3, 4) if c % (b * b) == 0])
    net.add("DEPTH_TO_SPACE", [x], [net.like(x, [n, h * block, w * block, c // block // block])], block_size=block)


def _to_batch(net: Network) -> None:
    """Without margins, which TFLite-Micro fills with numbers that it never sets."""
    x = net.image(net.kind("INT8", "FLOAT32"))
    n, h, w, c = x.shape
    by, bx = (net.random.choice([b for b in (1, 2, 3) if size % b == 0]) for size in (h, w))
    y = net.like(x, [n * by * bx, h // by, w // bx, c])
    net.add("SPACE_TO_BATCH_ND", [x, net.known([by, bx]), net.known([[0, 0], [0, 0]])], [y])


def _from_batch(net: Network) -> None:
    x = net.image(net.kind("INT8", "FLOAT32"))
    n, h, w, c = x.shape
    by, bx = net.random.choice([(b, d) for b in (1, 2, 3) for d in (1, 2) if n % (b * d) == 0])
    crops = [[0, net.random.randint(0, min(2, size - 1))] for size in (h * by, w * bx)]
    y = net.like(x, [n // by // bx, h * by - crops[0][1], w * bx - crops[1][1], c])
    net.add("BATCH_TO_SPACE_ND", [x, net.known([by, bx]), net.known(crops)], [y])


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    **{name: lambda net, name=name: _pad(net, name) for name in ("MIRROR_PAD", "PAD", "PADV2")},
    "BATCH_TO_SPACE_ND": _from_batch,
    "BROADCAST_TO": _broadcast_to,
    "DEPTH_TO_SPACE": _from_depth,
    "EXPAND_DIMS": _expand_dims,
    "RESHAPE": _reshape,
    "REVERSE_V2": _reverse,
    "SLICE": _slice,
    "SPACE_TO_BATCH_ND": _to_batch,
    "SPACE_TO_DEPTH": _to_depth,
    "SQUEEZE": _squeeze,
    "STRIDED_SLICE": _strided_slice,
    "TILE": _tile,
    "TRANSPOSE": _transpose,
}
