"""Random int8 networks of TFLite operators that read each other, the same in every run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Any

import numpy as np

from s2s.frontends.tflite.writer import ACTIVATIONS, SAME, VALID, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.types.dtypes import Array

Quantisation = tuple[float, int]


@dataclass(frozen=True)
class Network:
    """A model, and values for its inputs."""

    data: bytes
    inputs: Sequence[Array]
    operators: Sequence[str]


def random_network(seed: int, length: int = 12) -> Network:
    """A network of `length` steps."""
    maker = _Maker(Random(f"network {seed}"))
    for _ in range(maker.random.randint(1, 2)):
        maker.add_input()
    for _ in range(length):
        maker.step()
    return maker.finish()


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = np.random.default_rng(random.getrandbits(32))
        self.tensors: list[TensorSpec] = []
        self.operators: list[OperatorSpec] = []
        self.values: list[TensorSpec] = []
        self.inputs: list[TensorSpec] = []
        self.read: set[str] = set()

    # ------------------------------------------------------------------ pieces

    def quantisation(self) -> Quantisation:
        return float(np.float32(2.0 ** self.random.uniform(-6, -2))), self.random.randint(-100, 100)

    def tensor(self, shape: Sequence[int], quantisation: Quantisation | None = None) -> TensorSpec:
        scale, zero = quantisation or self.quantisation()
        spec = TensorSpec(f"t{len(self.tensors)}", tuple(shape), "INT8", scale=scale, zero_point=zero)
        self.tensors.append(spec)
        return spec

    def constant(self, values: Any, dtype: Any = np.int32, **quant: Any) -> TensorSpec:
        array = np.asarray(values, dtype)
        spec = TensorSpec(f"c{len(self.tensors)}", array.shape, data=array, **quant)
        self.tensors.append(spec)
        return spec

    def add(self, builtin: str, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], **fields: Any) -> None:
        options = str(fields.pop("options", ""))
        names = [each.name for each in inputs], [each.name for each in outputs]
        self.operators.append(OperatorSpec(builtin, *names, options, fields))
        self.read |= set(names[0])
        self.values += outputs

    def add_input(self) -> None:
        size = [1, self.random.randint(4, 9), self.random.randint(4, 9), self.random.choice((1, 2, 3, 4, 8))]
        spec = self.tensor(size)
        self.inputs.append(spec)
        self.values.append(spec)

    def any(self, rank: int | None = None) -> TensorSpec | None:
        """A value, more often one of the latest ones."""
        fitting = [value for value in self.values if rank is None or len(value.shape) == rank]
        if not fitting:
            return None
        return self.random.choice(fitting[-3:] if self.random.random() < 0.7 else fitting)

    def quant_of(self, value: TensorSpec) -> Quantisation:
        assert isinstance(value.scale, float)
        assert isinstance(value.zero_point, int)
        return value.scale, value.zero_point

    def step(self) -> None:
        """One more operator that fits what is there."""
        while not self.random.choice(_STEPS)(self):
            pass

    def finish(self) -> Network:
        leaves = [value.name for value in self.values if value.name not in self.read]
        graph = GraphSpec(self.tensors, self.operators, [each.name for each in self.inputs], leaves)
        arrays = [self.numbers.integers(-128, 128, each.shape).astype(np.int8) for each in self.inputs]
        return Network(model([graph]), arrays, [each.builtin for each in self.operators])


Step = Callable[[_Maker], bool]


# ------------------------------------------------------------------------- steps


def _window(size: int, kernel: int, stride: int, padding: int) -> int:
    return -(-size // stride) if padding == SAME else (size - kernel) // stride + 1


def _spatial(m: _Maker, x: TensorSpec, largest: int) -> tuple[list[int], list[int], int, list[int]] | None:
    """Kernel, strides, padding and size of the result."""
    kernel = [m.random.randint(1, largest), m.random.randint(1, largest)]
    strides = [m.random.randint(1, 2), m.random.randint(1, 2)]
    padding = m.random.choice((SAME, VALID))
    sizes = [_window(n, k, s, padding) for n, k, s in zip(x.shape[1:3], kernel, strides, strict=True)]
    return (kernel, strides, padding, sizes) if min(sizes) > 0 else None


def _weights(m: _Maker, x: TensorSpec, shape: Sequence[int], axis: int, terms: int) -> tuple[list[TensorSpec], float]:
    """Weights and bias, and a scale that the sums fill."""
    count = shape[axis]
    scales = np.array([2.0 ** m.random.uniform(-9, -6) for _ in range(count)], np.float32)
    w = m.constant(m.numbers.integers(-127, 128, shape), np.int8, scale=scales, axis=axis)
    scale, _ = m.quant_of(x)
    bias = m.numbers.integers(-2000, 2000, count)
    b = m.constant(bias, np.int32, scale=(np.float32(scale) * scales).astype(np.float32))
    return [w, b], float(np.float32(scale * scales.max() * terms**0.5 * 60))


def _conv(m: _Maker) -> bool:
    x = m.any(4)
    found = _spatial(m, x, 3) if x is not None else None
    if x is None or found is None:
        return False
    kernel, strides, padding, sizes = found
    channels = m.random.choice((1, 2, 4, 5, 8))
    operands, scale = _weights(m, x, (channels, *kernel, x.shape[3]), 0, prod(kernel) * x.shape[3])
    y = m.tensor((x.shape[0], *sizes, channels), (scale, m.random.randint(-50, 50)))
    fields = {"padding": padding, "stride_h": strides[0], "stride_w": strides[1]}
    activation = m.random.choice(ACTIVATIONS)
    m.add(
        "CONV_2D",
        [x, *operands],
        [y],
        options="Conv2DOptions",
        **fields,
        dilation_h_factor=1,
        dilation_w_factor=1,
        fused_activation_function=activation,
    )
    return True


def _depthwise(m: _Maker) -> bool:
    x = m.any(4)
    found = _spatial(m, x, 3) if x is not None else None
    if x is None or found is None:
        return False
    kernel, strides, padding, sizes = found
    times = m.random.choice((1, 1, 1, 2))
    operands, scale = _weights(m, x, (1, *kernel, x.shape[3] * times), 3, prod(kernel))
    y = m.tensor((x.shape[0], *sizes, x.shape[3] * times), (scale, m.random.randint(-50, 50)))
    m.add(
        "DEPTHWISE_CONV_2D",
        [x, *operands],
        [y],
        options="DepthwiseConv2DOptions",
        padding=padding,
        stride_h=strides[0],
        stride_w=strides[1],
        depth_multiplier=times,
        dilation_h_factor=1,
        dilation_w_factor=1,
        fused_activation_function=m.random.choice(ACTIVATIONS),
    )
    return True


def _pool(m: _Maker) -> bool:
    x = m.any(4)
    found = _spatial(m, x, 3) if x is not None else None
    if x is None or found is None:
        return False
    kernel, strides, padding, sizes = found
    y = m.tensor((x.shape[0], *sizes, x.shape[3]), m.quant_of(x))
    m.add(
        m.random.choice(("AVERAGE_POOL_2D", "MAX_POOL_2D")),
        [x],
        [y],
        options="Pool2DOptions",
        padding=padding,
        stride_h=strides[0],
        stride_w=strides[1],
        filter_height=kernel[0],
        filter_width=kernel[1],
        fused_activation_function=m.random.choice(ACTIVATIONS),
    )
    return True


def _dense(m: _Maker) -> bool:
    x = m.any()
    if x is None or len(x.shape) < 2 or x.shape[-1] > 64:
        return False
    count = m.random.choice((1, 3, 8))
    scale, _ = m.quant_of(x)
    step = float(np.float32(2.0 ** m.random.uniform(-9, -6)))
    w = m.constant(m.numbers.integers(-127, 128, (count, x.shape[-1])), np.int8, scale=step)
    b = m.constant(m.numbers.integers(-2000, 2000, count), np.int32, scale=float(np.float32(scale * step)))
    y = m.tensor((prod(x.shape[:-1]), count), (float(np.float32(scale * step * x.shape[-1] ** 0.5 * 60)), 5))
    m.add("FULLY_CONNECTED", [x, w, b], [y], options="FullyConnectedOptions", fused_activation_function=1)
    return True


def _binary(m: _Maker) -> bool:
    x, builtin = m.any(), m.random.choice(("ADD", "SUB", "MUL"))
    assert x is not None
    others = [value for value in m.values if value.shape == x.shape]
    if m.random.random() < 0.3:
        values = m.numbers.integers(-128, 128, (x.shape[-1],))
        scale, zero = m.quantisation()
        other = m.constant(values, np.int8, scale=scale, zero_point=zero)
    else:
        other = m.random.choice(others)
    y = m.tensor(x.shape, (float(np.float32(2.0 ** m.random.uniform(-5, 0))), m.random.randint(-50, 50)))
    options = f"{builtin.capitalize()}Options"
    m.add(builtin, [x, other], [y], options=options, fused_activation_function=m.random.choice(ACTIVATIONS))
    return True


def _unary(m: _Maker) -> bool:
    x, builtin = m.any(), m.random.choice(("RELU", "RELU6", "LOGISTIC", "TANH", "QUANTIZE", "LEAKY_RELU"))
    assert x is not None
    fixed = {"LOGISTIC": (1 / 256, -128), "TANH": (1 / 128, 0)}
    fields: dict[str, Any] = {"options": "LeakyReluOptions", "alpha": 0.25} if builtin == "LEAKY_RELU" else {}
    m.add(builtin, [x], [m.tensor(x.shape, fixed.get(builtin))], **fields)
    return True


def _concatenation(m: _Maker) -> bool:
    x = m.any()
    assert x is not None
    axis = m.random.randrange(len(x.shape))

    def rest(value: TensorSpec) -> list[int]:
        return [size for dim, size in enumerate(value.shape) if dim != axis]

    others = [value for value in m.values if len(value.shape) == len(x.shape) and rest(value) == rest(x)]
    parts = [x]
    for other in m.random.sample(others, min(len(others), m.random.randint(1, 2))):
        if m.quant_of(other) != m.quant_of(x):
            alike = m.tensor(other.shape, m.quant_of(x))
            m.add("QUANTIZE", [other], [alike])
            other = alike
        parts.append(other)
    shape = list(x.shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    if shape[axis] > 64:
        return False
    m.add("CONCATENATION", parts, [m.tensor(shape, m.quant_of(x))], options="ConcatenationOptions", axis=axis)
    return True


def _reshape(m: _Maker) -> bool:
    x = m.any()
    assert x is not None
    shape = list(x.shape)
    m.random.shuffle(shape)
    if m.random.random() < 0.3:
        shape = [1, prod(shape)]
    m.add(
        "RESHAPE", [x, m.constant(shape)], [m.tensor(shape, m.quant_of(x))], options="ReshapeOptions", new_shape=shape
    )
    return True


def _transpose(m: _Maker) -> bool:
    x = m.any()
    assert x is not None
    perm = list(range(len(x.shape)))
    m.random.shuffle(perm)
    y = m.tensor([x.shape[axis] for axis in perm], m.quant_of(x))
    m.add("TRANSPOSE", [x, m.constant(perm)], [y], options="TransposeOptions")
    return True


def _pad(m: _Maker) -> bool:
    x = m.any(4)
    if x is None or prod(x.shape) > 600:
        return False
    mirror = m.random.random() < 0.3
    most = [min(2, size - 1) if mirror else 2 for size in x.shape]
    counts = [[0, 0], *([m.random.randint(0, n), m.random.randint(0, n)] for n in most[1:3]), [0, 0]]
    y = m.tensor([size + sum(count) for size, count in zip(x.shape, counts, strict=True)], m.quant_of(x))
    builtin, fields = ("MIRROR_PAD", {"options": "MirrorPadOptions"}) if mirror else ("PAD", {"options": "PadOptions"})
    m.add(builtin, [x, m.constant(counts)], [y], **fields)
    return True


def _slice(m: _Maker) -> bool:
    x = m.any()
    assert x is not None
    begin = [m.random.randint(0, (size - 1) // 2) for size in x.shape]
    sizes = [
        m.random.randint((size - start + 1) // 2, size - start) for size, start in zip(x.shape, begin, strict=True)
    ]
    y = m.tensor(sizes, m.quant_of(x))
    if m.random.random() < 0.5 or len(x.shape) > 4:
        m.add("SLICE", [x, m.constant(begin), m.constant(sizes)], [y], options="SliceOptions")
        return True
    end = [start + size for start, size in zip(begin, sizes, strict=True)]
    steps = m.constant([1] * len(begin))
    m.add("STRIDED_SLICE", [x, m.constant(begin), m.constant(end), steps], [y], options="StridedSliceOptions")
    return True


def _split(m: _Maker) -> bool:
    x = m.any()
    assert x is not None
    axes = [axis for axis, size in enumerate(x.shape) if size % 2 == 0]
    if not axes:
        return False
    axis = m.random.choice(axes)
    half = [size // 2 if dim == axis else size for dim, size in enumerate(x.shape)]
    parts = [m.tensor(half, m.quant_of(x)) for _ in range(2)]
    m.add("SPLIT", [m.constant([axis]), x], parts, options="SplitOptions", num_splits=2)
    return True


def _mean(m: _Maker) -> bool:
    x = m.any(4)
    if x is None:
        return False
    axes = m.constant([1, 2])
    m.add("MEAN", [x, axes], [m.tensor((x.shape[0], 1, 1, x.shape[3]))], options="ReducerOptions", keep_dims=True)
    return True


def _resize(m: _Maker) -> bool:
    x = m.any(4)
    if x is None or prod(x.shape) > 400:
        return False
    size = [x.shape[1] + m.random.randint(0, 3), x.shape[2] * 2]
    y = m.tensor((x.shape[0], *size, x.shape[3]), m.quant_of(x))
    m.add("RESIZE_NEAREST_NEIGHBOR", [x, m.constant(size)], [y], options="ResizeNearestNeighborOptions")
    return True


_STEPS: Sequence[Step] = (
    *(_conv, _conv, _conv, _depthwise, _depthwise, _pool, _dense, _binary, _binary, _unary, _unary),
    *(_concatenation, _reshape, _transpose, _pad, _slice, _split, _mean, _resize),
)
