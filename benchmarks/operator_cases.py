"""Networks of one operator on tensors of about 1 MB, for each operator of ONNX that computes with tensors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from s2s.types.dtypes import Array

SIDE = 512
"""Rows and columns of a matrix of 1 MB."""
IMAGE = (1, 64, 64, 64)
"""An image of 1 MB."""


def floats(*shape: int) -> Array:
    """Numbers of a normal distribution."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def bools(*shape: int) -> Array:
    """Truth values, half of them true."""
    return np.random.default_rng(1).random(shape) < 0.5


def indices(high: int, *shape: int) -> Array:
    """Indices below `high`."""
    return np.random.default_rng(2).integers(0, high, shape)


def places(*shape: int) -> Array:
    """Each place of a tensor of `shape` once, in an order of chance, as rows of indices."""
    every = np.stack(np.meshgrid(*(np.arange(size) for size in shape), indexing="ij"), -1).reshape(-1, len(shape))
    return np.random.default_rng(3).permutation(every)


Make = Callable[[], Array]


@dataclass(frozen=True)
class Case:
    """One operator: its operands as they come at run time, then constants; they are made when they are needed."""

    kind: str
    operands: Sequence[Make]
    constants: Sequence[Make] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    outputs: int = 1
    opset: int = 18

    def inputs(self) -> dict[str, Array]:
        """The operands of run time by name."""
        return {f"x{number}": make() for number, make in enumerate(self.operands)}

    def model(self) -> onnx.ModelProto:
        """A network of this operator."""
        given = self.inputs()
        constants = {f"c{number}": make() for number, make in enumerate(self.constants)}
        results = [f"y{number}" for number in range(self.outputs)]
        node = helper.make_node(self.kind, [*given, *constants], results, "node", **self.attributes)
        inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in given.items()
        ]
        stored = [numpy_helper.from_array(array, name) for name, array in constants.items()]
        declared = [onnx.ValueInfoProto(name=name) for name in results]
        graph = helper.make_graph([node], "operator", inputs, declared, stored)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)


def ints(*values: int) -> Make:
    """Integers as an operand, such as a shape or axes."""
    return partial(np.array, values, np.int64)


MATRIX, PICTURE = partial(floats, SIDE, SIDE), partial(floats, *IMAGE)


def _elementwise() -> Mapping[str, Case]:
    matrix, truth = MATRIX, partial(bools, 1024, 1024)
    rows = {f"{kind} {name}": Case(kind, [x, x]) for kind, x, name in (
        ("Add", matrix, "of matrices"), ("And", truth, "of bools"), ("Xor", truth, "of bools"),
    )}  # fmt: skip
    unary = {kind: Case(kind, [matrix]) for kind in ("Relu", "Exp", "Tanh", "Sigmoid", "Erf", "Gelu", "Sqrt", "Floor")}
    unary["Gelu"] = Case("Gelu", [matrix], opset=20)
    return rows | unary


def _reduced() -> Mapping[str, Case]:
    matrix, image = MATRIX, PICTURE
    windows = {
        f"{kind} {size}x{size} s{stride}": Case(
            kind, [image], attributes={"kernel_shape": [size] * 2, "strides": [stride] * 2, "pads": [size // 2] * 4}
        )
        for kind in ("MaxPool", "AveragePool")
        for size, stride in ((3, 1), (3, 2), (7, 2))
    }
    reduced = {
        f"{kind} axis {axis}": Case(kind, [matrix], [ints(axis)], {"keepdims": 0})
        for kind in ("ReduceMax", "ReduceMean")
        for axis in (0, 1)
    }
    searched = {
        f"ArgMax axis {axis}": Case("ArgMax", [partial(floats, 16, 128, 128)], attributes={"axis": axis})
        for axis in (0, 1, 2)
    }
    summed = {
        f"CumSum {name}axis {axis}": Case("CumSum", [tensor], [partial(np.array, axis, np.int64)])
        for name, tensor, axes in (("", matrix, 2), ("of three axes, ", partial(floats, 64, 64, 64), 3))
        for axis in range(axes)
    }
    return windows | reduced | searched | summed


def _indexed() -> Mapping[str, Case]:
    matrix = MATRIX
    padded = {
        f"Pad {mode}": Case("Pad", [PICTURE], [ints(0, 0, 3, 3, 0, 0, 3, 3)], {"mode": mode})
        for mode in ("constant", "reflect", "edge")
    }
    largest = {
        f"TopK {k} of {count}": Case("TopK", [partial(floats, SIDE * SIDE // count, count)], [ints(k)], {}, 2)
        for k, count in ((1, 1000), (10, 1000), (100, 1000), (5, 64), (1000, 16384))
    }
    scattered = {
        "ScatterND rows": Case("ScatterND", [matrix, partial(_rows, 256), partial(floats, 256, SIDE)], attributes={}),
        "ScatterND elements": Case(
            "ScatterND", [partial(floats, 64, 64), partial(places, 64, 64), partial(floats, 4096)]
        ),
        "ScatterElements axis 0": Case(
            "ScatterElements", [matrix, partial(indices, SIDE, 256, SIDE), partial(floats, 256, SIDE)]
        ),
        "ScatterElements axis 1": Case(
            "ScatterElements", [matrix, partial(_turned, SIDE), matrix], attributes={"axis": 1}
        ),
    }
    gathered = {
        "Gather rows": Case("Gather", [matrix, partial(indices, SIDE, SIDE)]),
        "GatherElements axis 1": Case(
            "GatherElements", [matrix, partial(indices, SIDE, SIDE, SIDE)], attributes={"axis": 1}
        ),
        "GatherND": Case("GatherND", [matrix, partial(places, SIDE, SIDE)]),
    }
    return padded | largest | scattered | gathered


def _others() -> Mapping[str, Case]:
    matrix, image = MATRIX, PICTURE
    moved = {
        "Trilu": Case("Trilu", [matrix]),
        "Tile": Case("Tile", [partial(floats, 256, 256)], [ints(2, 2)]),
        "Transpose": Case("Transpose", [matrix], attributes={"perm": [1, 0]}),
        **{
            f"ReverseSequence time axis {time}": Case(
                "ReverseSequence",
                [partial(floats, 64, 64, 64), partial(indices, 65, 64)],
                attributes={"time_axis": time, "batch_axis": 1 - time},
            )
            for time in (0, 1)
        },
        "Where": Case("Where", [partial(bools, SIDE, SIDE), matrix, matrix]),
        "OneHot": Case("OneHot", [partial(indices, 256, 1024)], [ints(256), partial(np.array, [0, 1], np.float32)]),
        "GridSample": Case("GridSample", [image, partial(_grid, 64, 64)], opset=20),
        **{
            f"Resize linear by {factor}": Case("Resize", [partial(floats, 1, 16, 64, 64)], [
                partial(np.zeros, 0, np.float32), partial(np.array, [1, 1, factor, factor], np.float32),
            ], {"mode": "linear"}) for factor in (2, 0.5)
        },
    }  # fmt: skip
    others = {
        "Softmax": Case("Softmax", [matrix]),
        "LayerNormalization": Case("LayerNormalization", [matrix], [partial(np.ones, SIDE, np.float32)]),
        "DynamicQuantizeLinear": Case("DynamicQuantizeLinear", [matrix], outputs=3),
        "QuantizeLinear": Case(
            "QuantizeLinear", [matrix], [partial(np.array, 1.0, np.float32), partial(np.array, 3, np.uint8)]
        ),
        "Cast to float16": Case("Cast", [matrix], attributes={"to": 10}),
    }
    return moved | others


def cases() -> Mapping[str, Case]:
    """All cases by name."""
    return {**_elementwise(), **_reduced(), **_indexed(), **_others()}


def _rows(count: int) -> Array:
    """Different rows of a matrix, in an order of chance."""
    return np.random.default_rng(4).permutation(SIDE)[:count, None]


def _turned(size: int) -> Array:
    """The columns of each row of a matrix, in an order of chance."""
    return np.random.default_rng(5).permuted(np.tile(np.arange(size), (size, 1)), axis=1)


def _grid(height: int, width: int) -> Array:
    """Places all over an image."""
    return np.random.default_rng(6).uniform(-1, 1, (1, height, width, 2)).astype(np.float32)
