"""Random cases for the operators of TFLite that multiply and add, and for its poolings, by operator and kind.

`GENERATORS[builtin][kind](random)` gives one case: shapes with borders and strides, scales so that results fill the
range of their type and sometimes leave it, all fused activations, biases or none.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from s2s.frontends.tflite.writer import ACTIVATIONS, SAME, VALID, GraphSpec, OperatorSpec, TensorSpec, model, single
from s2s.types.dtypes import Array

Random = np.random.Generator

INT32_OF_SCHEMA = 2


@dataclass(frozen=True)
class LayerCase:
    """One operator, what it is fed, and the tolerance of its result (none for integers)."""

    builtin: str
    operands: Sequence[TensorSpec | None]
    y: TensorSpec
    options: str
    fields: Mapping[str, Any]
    inputs: Sequence[Array]

    @property
    def tolerance(self) -> float:
        """The allowed error as a share of the largest result: floats are added up in another order."""
        return 2e-6 if self.y.element == "FLOAT32" else 0.0

    @property
    def model(self) -> bytes:
        """The model of this operator alone."""
        return single(self.builtin, self.operands, [self.y], self.options, **self.fields)


def side_by_side(cases: Sequence[LayerCase]) -> bytes:
    """One model of all cases, with the inputs and the output of each in order."""
    tensors: list[TensorSpec] = []
    operators: list[OperatorSpec] = []
    for number, case in enumerate(cases):
        specs = [spec and replace(spec, name=f"{spec.name}{number}") for spec in (*case.operands, case.y)]
        tensors += [spec for spec in specs if spec is not None]
        *names, result = ["" if spec is None else spec.name for spec in specs]
        operators.append(OperatorSpec(case.builtin, names, [result], case.options, case.fields))
    results = [operator.outputs[0] for operator in operators]
    inputs = [spec.name for spec in tensors if spec.data is None and spec.name not in results]
    return model([GraphSpec(tensors, operators, inputs, results)])


Generator = Callable[[Random], LayerCase]


@dataclass(frozen=True)
class Kind:
    """Element types of a layer."""

    x: str
    w: str = "INT8"
    bias: Any = np.int32
    per_channel: bool = False
    fields: Mapping[str, Any] | None = None


KINDS: Mapping[str, Kind] = {
    "float32": Kind("FLOAT32", "FLOAT32", np.float32),
    "int8": Kind("INT8"),
    "int8 per channel": Kind("INT8", per_channel=True),
    "int4": Kind("INT8", "INT4"),
    "int4 per channel": Kind("INT8", "INT4", per_channel=True),
    "int16": Kind("INT16", bias=np.int64, per_channel=True),
    "int16 per tensor": Kind("INT16", bias=np.int64),
    "int16 with narrow sums": Kind("INT16", per_channel=True, fields={"quantized_bias_type": INT32_OF_SCHEMA}),
    "int16 with narrow bias": Kind("INT16", bias=np.int16, per_channel=True),
}

_DTYPES: Mapping[str, Any] = {"FLOAT32": np.float32, "INT8": np.int8, "INT16": np.int16}


def _some(random: Random, low: int, high: int) -> int:
    """An integer of `[low, high]`."""
    return int(random.integers(low, high + 1))


def _numbers(random: Random, kind: str, shape: Sequence[int]) -> Array:
    if kind == "FLOAT32":
        return random.normal(0, 1, shape).astype(np.float32)
    if kind == "INT4":
        return random.integers(-7, 8, shape).astype(np.int8)
    info = np.iinfo(_DTYPES[kind])
    drawn = random.integers(info.min, info.max + 1, shape)
    extreme = random.choice([info.min, info.max], shape)
    return np.where(random.random(shape) < 0.1, extreme, drawn).astype(_DTYPES[kind])


def _scale(random: Random) -> float:
    return float(np.float32(np.exp(random.uniform(-7, 0))))


def _zero_point(random: Random, kind: str) -> int:
    return _some(random, -128, 127) if kind == "INT8" else 0


@dataclass(frozen=True)
class Tensors:
    """Input, weights, bias and result of a layer."""

    x: TensorSpec
    w: TensorSpec
    b: TensorSpec | None
    y: TensorSpec


def _tensors(
    random: Random, kind: Kind, x: Sequence[int], w: Sequence[int], y: Sequence[int], channels: int, terms: int
) -> Tensors:
    """Tensors of the shapes given; `channels` is the axis of the weights that counts outputs, of `terms` products."""
    weights, outputs = _numbers(random, kind.w, w), w[channels]
    if kind.x == "FLOAT32":
        bias = TensorSpec("b", (outputs,), data=_numbers(random, "FLOAT32", (outputs,)))
        return Tensors(TensorSpec("x", x, kind.x), TensorSpec("w", w, data=weights), bias, TensorSpec("y", y, kind.x))
    x_scale = _scale(random)
    w_scale = np.exp(random.uniform(-8, -2, outputs if kind.per_channel else 1)).astype(np.float32)
    spread = {"INT8": 75.0, "INT16": 19000.0, "INT4": 4.3}
    typical = spread[kind.x] * spread[kind.w] * np.sqrt(terms)
    reach = random.uniform(20, 200) if kind.x == "INT8" else random.uniform(5000, 50000)
    y_scale = float(np.float32(x_scale * float(np.median(w_scale)) * typical / reach))
    most = min(typical, 30000.0 if kind.bias == np.int16 else 1e9)
    bias = random.integers(int(-most), int(most) + 1, outputs).astype(kind.bias)
    weight_spec = TensorSpec("w", w, kind.w, weights, w_scale, axis=channels if kind.per_channel else 0)
    shape = (1, outputs) if random.random() < 0.05 and not kind.per_channel else (outputs,)
    bias_spec = TensorSpec("b", shape, data=bias.reshape(shape), scale=w_scale * np.float32(x_scale))
    return Tensors(
        TensorSpec("x", x, kind.x, scale=x_scale, zero_point=_zero_point(random, kind.x)),
        weight_spec,
        bias_spec if random.random() < 0.85 else None,
        TensorSpec("y", y, kind.x, scale=y_scale, zero_point=_zero_point(random, kind.x)),
    )


def _case(
    random: Random,
    kind: Kind,
    builtin: str,
    t: Tensors,
    operands: Sequence[TensorSpec | None],
    options: str,
    **fields: Any,
) -> LayerCase:
    fields["fused_activation_function"] = int(random.choice(ACTIVATIONS))
    numbers = _numbers(random, kind.x, t.x.shape)
    return LayerCase(builtin, operands, t.y, options, {**fields, **(kind.fields or {})}, [numbers])


@dataclass(frozen=True)
class Window:
    """A window over random images, and how many positions it has."""

    image: tuple[int, int]
    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    padding: int
    places: tuple[int, int]

    @property
    def fields(self) -> dict[str, int]:
        """Padding and strides as fields of the options; not every operator has dilations."""
        return {"padding": self.padding, "stride_h": self.strides[0], "stride_w": self.strides[1]}


def _window(random: Random, *, dilated: bool) -> Window:
    def pair(low: int, high: int) -> tuple[int, int]:
        return _some(random, low, high), _some(random, low, high)

    kernel, strides = pair(1, 4), pair(1, 3)
    dilations = pair(1, 3) if dilated and random.random() < 0.4 else (1, 1)
    padding = int(random.choice([SAME, VALID]))
    extent = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations, strict=True)]
    least = [1, 1] if padding == SAME else extent
    image = _some(random, least[0], least[0] + 6), _some(random, least[1], least[1] + 6)
    places = [
        -(-size // stride) if padding == SAME else (size - reach) // stride + 1
        for size, stride, reach in zip(image, strides, extent, strict=True)
    ]
    return Window(image, kernel, strides, dilations, padding, (places[0], places[1]))


def _dilations(window: Window) -> dict[str, int]:
    return {"dilation_h_factor": window.dilations[0], "dilation_w_factor": window.dilations[1]}


def _conv(kind: Kind, random: Random) -> LayerCase:
    window, batch = _window(random, dilated=True), _some(random, 1, 2)
    groups = _some(random, 2, 3) if random.random() < 0.15 else 1
    depth, outputs = _some(random, 1, 5), groups * _some(random, 1, 4)
    shapes = (
        (batch, *window.image, depth * groups),
        (outputs, *window.kernel, depth),
        (batch, *window.places, outputs),
    )
    t = _tensors(random, kind, *shapes, 0, depth * int(np.prod(window.kernel)))
    operands = [t.x, t.w, *([] if t.b is None else [t.b])]
    return _case(random, kind, "CONV_2D", t, operands, "Conv2DOptions", **window.fields, **_dilations(window))


def _depthwise(kind: Kind, random: Random) -> LayerCase:
    window, batch = _window(random, dilated=True), _some(random, 1, 2)
    channels, multiplier = _some(random, 1, 5), _some(random, 1, 3) if random.random() < 0.4 else 1
    outputs = channels * multiplier
    shapes = (batch, *window.image, channels), (1, *window.kernel, outputs), (batch, *window.places, outputs)
    t = _tensors(random, kind, *shapes, 3, int(np.prod(window.kernel)))
    operands = [t.x, t.w, *([] if t.b is None else [t.b])]
    fields = {**window.fields, **_dilations(window), "depth_multiplier": multiplier}
    return _case(random, kind, "DEPTHWISE_CONV_2D", t, operands, "DepthwiseConv2DOptions", **fields)


def _transposed(kind: Kind, random: Random) -> LayerCase:
    """The result is the image of a convolution, the input its places."""
    window, batch = _window(random, dilated=False), _some(random, 1, 2)
    depth, outputs = _some(random, 1, 4), _some(random, 1, 4)
    shapes = (batch, *window.places, depth), (outputs, *window.kernel, depth), (batch, *window.image, outputs)
    t = _tensors(random, kind, *shapes, 0, depth * 2)
    size = TensorSpec("size", (4,), data=np.array(shapes[2], np.int32))
    operands = [size, t.w, t.x, *([] if t.b is None else [t.b])]
    return _case(random, kind, "TRANSPOSE_CONV", t, operands, "TransposeConvOptions", **window.fields)


def _fully_connected(kind: Kind, random: Random) -> LayerCase:
    depth, outputs = _some(random, 1, 40), _some(random, 1, 12)
    outer = [_some(random, 1, 3) for _ in range(_some(random, 1, 3))]
    keep = bool(random.random() < 0.5)
    shape = [*outer, outputs] if keep else [int(np.prod(outer)), outputs]
    t = _tensors(random, kind, (*outer, depth), (outputs, depth), shape, 0, depth)
    return _case(random, kind, "FULLY_CONNECTED", t, [t.x, t.w, t.b], "FullyConnectedOptions", keep_num_dims=keep)


def _batch_matmul(kind: str, random: Random) -> LayerCase:
    rows, depth, columns = (_some(random, 1, 9) for _ in range(3))
    adj_x, adj_y = bool(random.random() < 0.5), bool(random.random() < 0.5)
    batch = [_some(random, 1, 3) for _ in range(_some(random, 0, 3))]
    outer = [list(batch), list(batch)]
    if batch and random.random() < 0.5:
        one = outer[_some(random, 0, 1)]
        one[_some(random, 0, len(batch) - 1)] = 1
    if random.random() < 0.2:
        outer[1] = outer[1][_some(random, 0, len(batch)) :]
    shapes = (
        [*outer[0], *((depth, rows) if adj_x else (rows, depth))],
        [*outer[1], *((columns, depth) if adj_y else (depth, columns))],
    )
    operands = [_numbers(random, kind, shape) for shape in shapes]
    quants: list[dict[str, Any]] = [{}, {}, {}]
    if kind != "FLOAT32":
        scales = [_scale(random), _scale(random)]
        spread = (75.0 if kind == "INT8" else 19000.0) ** 2 * depth**0.5
        reach = random.uniform(20, 200) if kind == "INT8" else random.uniform(5000, 50000)
        scales.append(float(np.float32(scales[0] * scales[1] * spread / reach)))
        quants = [{"scale": scale, "zero_point": _zero_point(random, kind)} for scale in scales]
    specs = [
        TensorSpec(name, shape, kind, **quant) for name, shape, quant in zip("ab", shapes, quants[:2], strict=True)
    ]
    if random.random() < 0.4:
        specs[1] = TensorSpec("b", shapes[1], kind, operands.pop(), **quants[1])
    y = TensorSpec("y", [*np.broadcast_shapes(*map(tuple, outer)), rows, columns], kind, **quants[2])
    flags = {"adj_x": adj_x, "adj_y": adj_y}
    return LayerCase("BATCH_MATMUL", specs, y, "BatchMatMulOptions", flags, operands)


def _pool(builtin: str, kind: str, random: Random) -> LayerCase:
    window, batch, channels = _window(random, dilated=False), _some(random, 1, 2), _some(random, 1, 5)
    quant: dict[str, Any] = (
        {} if kind == "FLOAT32" else {"scale": _scale(random), "zero_point": _zero_point(random, kind)}
    )
    x = TensorSpec("x", (batch, *window.image, channels), kind, **quant)
    y = TensorSpec("y", (batch, *window.places, channels), kind, **quant)
    fields = {**window.fields, "filter_height": window.kernel[0], "filter_width": window.kernel[1]}
    fields["fused_activation_function"] = int(random.choice(ACTIVATIONS))
    return LayerCase(builtin, [x], y, "Pool2DOptions", fields, [_numbers(random, kind, x.shape)])


def _layers(make: Callable[[Kind, Random], LayerCase], *kinds: str) -> Mapping[str, Generator]:
    return {kind: partial(make, KINDS[kind]) for kind in kinds}


_EIGHT = ("float32", "int8", "int8 per channel", "int4", "int4 per channel")
_SIXTEEN = ("int16", "int16 per tensor")
_PLAIN = ("FLOAT32", "INT8", "INT16")

GENERATORS: Mapping[str, Mapping[str, Generator]] = {
    "CONV_2D": _layers(_conv, *_EIGHT, *_SIXTEEN, "int16 with narrow sums"),
    "DEPTHWISE_CONV_2D": _layers(_depthwise, *_EIGHT, *_SIXTEEN),
    "TRANSPOSE_CONV": _layers(_transposed, "float32", "int8", "int8 per channel", *_SIXTEEN, "int16 with narrow bias"),
    "FULLY_CONNECTED": _layers(
        _fully_connected, "float32", "int8", "int8 per channel", "int4", *_SIXTEEN, "int16 with narrow sums"
    ),
    "BATCH_MATMUL": {kind.lower(): partial(_batch_matmul, kind) for kind in _PLAIN},
    **{
        builtin: {kind.lower(): partial(_pool, builtin, kind) for kind in _PLAIN}
        for builtin in ("AVERAGE_POOL_2D", "MAX_POOL_2D")
    },
    "L2_POOL_2D": {"float32": partial(_pool, "L2_POOL_2D", "FLOAT32")},
}
