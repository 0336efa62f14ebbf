"""Random TFLite networks over `x[1, 1, N, 3]`, whose signature leaves N open, beside LiteRT's resized inputs."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite.writer import SAME, VALID, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.fuzz.tflite.engines import run_litert_resized
from s2s.types.dtypes import Array
from support.random_length_runs import ATOL, RTOL, Outcome

CHANNELS = 3
AXIS = 2
"""The axis of the length."""
WEIGHT = np.array([1, -0.5, 2, 0.25, 1, -1, 0.5, 0.75, -2], np.float32)


class TooShort(Exception):
    """A window is larger than what is left of the greatest length."""


class Network:
    """A network that grows operator by operator; lengths are the ones at the greatest N."""

    def __init__(self, length: int) -> None:
        self.length, self.last = length, "x"
        self.tensors = [TensorSpec("x", self.shape(length), signature=(1, 1, -1, CHANNELS))]
        self.operators: list[OperatorSpec] = []

    def shape(self, length: int) -> tuple[int, ...]:
        """The shape of an activation of a length."""
        return 1, 1, length, CHANNELS

    def constant(self, values: Any, kind: type[np.generic] = np.int32) -> str:
        """Add a constant, and return its name."""
        return self._tensor(np.array(values, kind))

    def add(
        self,
        builtin: str,
        operands: Sequence[str],
        shape: Sequence[int],
        options: str = "",
        kind: str = "",
        **fields: Any,
    ) -> str:
        """Add an operator with one result, and return its name."""
        if min(shape, default=1) < 1:
            raise TooShort
        name = f"t{len(self.tensors)}"
        varies = (1, 1, -1, CHANNELS) if tuple(shape) == self.shape(shape[AXIS] if len(shape) == 4 else 0) else None
        self.tensors.append(TensorSpec(name, tuple(shape), kind, signature=varies))
        self.operators.append(OperatorSpec(builtin, operands, [name], options, fields))
        return name

    def then(self, builtin: str, length: int, *operands: str, options: str = "", **fields: Any) -> None:
        """Add an operator of the last activation and other operands."""
        self.last = self.add(builtin, [self.last, *operands], self.shape(length), options, **fields)
        self.length = length

    def measured(self) -> str:
        """Add the length as an integer of one element."""
        shape = self.add("SHAPE", [self.last], (4,), "ShapeOptions", "INT32", out_type=2)
        part = [self.constant([AXIS]), self.constant([AXIS + 1]), self.constant([1])]
        return self.add("STRIDED_SLICE", [shape, *part], (1,), "StridedSliceOptions", "INT32")

    def file(self) -> bytes:
        """The model."""
        return model([GraphSpec(self.tensors, self.operators, ["x"], [self.last])])

    def _tensor(self, data: Array) -> str:
        name = f"t{len(self.tensors)}"
        self.tensors.append(TensorSpec(name, data.shape, data=data))
        return name


def _windows(network: Network, size: int, stride: int, padding: int) -> int:
    length = network.length if padding == SAME else network.length - size + 1
    if length < 1:
        raise TooShort
    return -(-length // stride)


def _conv(network: Network, random: Random) -> None:
    stride, padding = random.randint(1, 2), random.choice([SAME, VALID])
    weight = network.constant(np.stack([np.roll(WEIGHT, k).reshape(1, 3, 3) for k in range(CHANNELS)]), np.float32)
    bias = network.constant([0.5, -1, 0.25], np.float32)
    length = _windows(network, 3, stride, padding)
    fields = {"padding": padding, "stride_h": 1, "stride_w": stride}
    network.then("CONV_2D", length, weight, bias, options="Conv2DOptions", **fields)


def _pool(network: Network, random: Random) -> None:
    size, stride, padding = random.randint(2, 3), random.randint(1, 3), random.choice([SAME, VALID])
    fields = {"padding": padding, "stride_h": 1, "stride_w": stride, "filter_height": 1, "filter_width": size}
    builtin = random.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"])
    network.then(builtin, _windows(network, size, stride, padding), options="Pool2DOptions", **fields)


def _rest(network: Network, random: Random) -> None:
    start, step = random.randint(0, 2), random.randint(1, 3)
    part = [network.constant(each) for each in ([0, 0, start, 0], [0] * 4, [1, 1, step, 1])]
    length = -(-(network.length - start) // step)
    network.then("STRIDED_SLICE", length, *part, options="StridedSliceOptions", begin_mask=0, end_mask=15)


def _half(network: Network, random: Random) -> None:
    half = network.add("FLOOR_DIV", [network.measured(), network.constant([2])], (1,), "FloorDivOptions", "INT32")
    half = network.add("ADD", [half, network.constant([1])], (1,), "AddOptions", "INT32")
    ones, channels = network.constant([1, 1]), network.constant([CHANNELS])
    size = network.add("CONCATENATION", [ones, half, channels], (4,), "ConcatenationOptions", "INT32", axis=0)
    network.then("SLICE", network.length // 2 + 1, network.constant([0] * 4), size, options="SliceOptions")


def _by_the_length(network: Network, random: Random) -> None:
    number = network.add("CAST", [network.measured()], (1,), "CastOptions", "FLOAT32")
    network.then("DIV", network.length, number, options="DivOptions")


def _positions(network: Network, random: Random) -> None:
    count = network.add("RESHAPE", [network.measured(), network.constant(np.zeros(0))], (), "ReshapeOptions", "INT32")
    start, step = network.constant(0), network.constant(1)
    places = network.add("RANGE", [start, count, step], (network.length,), "RangeOptions", "INT32")
    numbers = network.add("CAST", [places], (network.length,), "CastOptions", "FLOAT32")
    shape = network.constant([1, 1, -1, 1])
    column = network.add("RESHAPE", [numbers, shape], (1, 1, network.length, 1), "ReshapeOptions")
    network.then("ADD", network.length, column, options="AddOptions")


def _turned(network: Network, random: Random) -> None:
    order, length = network.constant([0, 1, 3, 2]), network.length
    turned = network.add("TRANSPOSE", [network.last, order], (1, 1, CHANNELS, length), "TransposeOptions")
    network.last = turned
    network.then("RESHAPE", length, network.constant([1, 1, -1, CHANNELS]), options="ReshapeOptions")


def _larger(network: Network, random: Random) -> None:
    double = network.add("MUL", [network.measured(), network.constant([2])], (1,), "MulOptions", "INT32")
    size = network.add("CONCATENATION", [network.constant([1]), double], (2,), "ConcatenationOptions", "INT32", axis=0)
    network.then("RESIZE_NEAREST_NEIGHBOR", 2 * network.length, size, options="ResizeNearestNeighborOptions")


def _without_the_mean(network: Network, random: Random) -> None:
    shape = (1, 1, 1, CHANNELS)
    mean = network.add("MEAN", [network.last, network.constant([AXIS])], shape, "ReducerOptions", keep_dims=True)
    network.then("SUB", network.length, mean, options="SubOptions")


def _padded(network: Network, random: Random) -> None:
    low, high = random.randint(0, 2), random.randint(0, 2)
    widths = network.constant([[0, 0], [0, 0], [low, high], [0, 0]])
    network.then("PAD", network.length + low + high, widths, options="PadOptions")


STEPS: Mapping[str, Callable[[Network, Random], None]] = {
    "relu": lambda network, random: network.then("RELU", network.length),
    "convolution": _conv,
    "pool": _pool,
    "softmax": lambda network, random: network.then("SOFTMAX", network.length, options="SoftmaxOptions", beta=1.0),
    "backwards": lambda network, random: network.then(
        "REVERSE_V2", network.length, network.constant([AXIS]), options="ReverseV2Options"
    ),
    "twice": lambda network, random: network.then(
        "CONCATENATION", 2 * network.length, network.last, options="ConcatenationOptions", axis=AXIS
    ),
    "repeated": lambda network, random: network.then(
        "TILE", 2 * network.length, network.constant([1, 1, 2, 1]), options="TileOptions"
    ),
    "sums": lambda network, random: network.then(
        "CUMSUM", network.length, network.constant(AXIS), options="CumsumOptions"
    ),
    "rest": _rest,
    "first half": _half,
    "by the length": _by_the_length,
    "positions": _positions,
    "turned": _turned,
    "larger": _larger,
    "without the mean": _without_the_mean,
    "padded": _padded,
}


class Drawn(NamedTuple):
    """A network, the steps that it takes, and the bounds of N."""

    file: bytes
    steps: tuple[str, ...]
    least: int
    most: int


def draw_tflite(seed: int) -> Drawn:
    """Draw a network of up to four steps; one that has nothing left at the greatest length is drawn again."""
    random = Random(seed)
    while True:
        least = random.randint(2, 14)
        most = least + random.randint(3, 20)
        steps = tuple(random.choices(list(STEPS), k=random.randint(1, 4)))
        network = Network(most)
        try:
            for step in steps:
                STEPS[step](network, random)
        except TooShort:
            continue
        return Drawn(network.file(), steps, least, most)


def outcome_of_tflite(drawn: Drawn, seed: int, count: int) -> Outcome:
    """Compile `drawn`, and compare its results with LiteRT's at `count` sizes, the least and the greatest one too."""
    random, runs = np.random.default_rng(seed), 0
    try:
        artifact = api.compile(
            drawn.file, target="c", shapes={"x": (1, 1, "N", CHANNELS)}, dims={"N": (drawn.least, drawn.most)}
        )
    except (InputError, UnsupportedError) as error:
        return Outcome(refusal=str(error))
    sizes = {drawn.least, drawn.most, *random.integers(drawn.least, drawn.most + 1, count - 2).tolist()}
    with artifact:
        for size in sorted(sizes):
            x: Array = random.standard_normal((1, 1, size, CHANNELS)).astype(np.float32)
            try:
                (expected,) = run_litert_resized(drawn.file, [x])
            except (RuntimeError, ValueError):  # a window larger than its input
                continue
            if 0 in expected.shape:
                continue
            (actual,) = artifact.run({"x": x}).values()
            runs += 1
            if actual.shape != expected.shape or not np.allclose(actual, expected, rtol=RTOL, atol=ATOL):
                return Outcome(runs=runs, difference=f"{actual.shape} for {expected.shape} at N = {size}")
    return Outcome(runs=runs)
