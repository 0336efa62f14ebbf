"""Operators that draw random numbers, by Philox (`s2s.frontends.philox`), and Dropout.

The attribute `seed`, bit for bit as the float that it is, is the key of the generator; without it, the number of the
node among those that draw. Every run of a network draws other numbers, every start of it the same ones.
"""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.cumulative import running_sum
from s2s.frontends.formulas import cast, checked_shape, less, minimum, reshape, select, unsqueeze
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.tensors import element_dtype
from s2s.frontends.philox import normal, uniform

_FLOAT = np.dtype(np.float32)


def _seed(node: Node) -> int:
    """The key of the generator."""
    number = node.draws.next()
    return int(np.float32(node.real("seed")).view(np.uint32)) if node.has("seed") else number


def _uniform(node: Node, shape: tuple[int, ...]) -> Value:
    return uniform(checked_shape(shape, node.place), _seed(node), node.draws.run_number(node.place))


def _dtype(node: Node, x: Value | None) -> np.dtype[np.generic]:
    """The element type that the attribute `dtype` asks for, else the type of `x`."""
    if node.has("dtype") or x is None:
        return element_dtype(node.integer("dtype", 1), f"{node.place}: attribute 'dtype'")
    return x.dtype


def _operand(node: Node) -> tuple[Value | None, tuple[int, ...]]:
    """The operand whose shape the numbers have, or none; and the shape."""
    if node.operands:
        x = node.input(0)
        return x, x.shape
    return None, tuple(node.integers("shape"))


def _random_uniform(node: Node) -> Value:
    x, shape = _operand(node)
    low, high = node.real("low"), node.real("high")
    return cast(_uniform(node, shape) * (high - low) + low, _dtype(node, x))


def _random_normal(node: Node) -> Value:
    x, shape = _operand(node)
    numbers = normal(checked_shape(shape, node.place), _seed(node), node.draws.run_number(node.place))
    return cast(numbers * node.real("scale") + node.real("mean"), _dtype(node, x))


def _bernoulli(node: Node) -> Value:
    x = node.input(0)
    return cast(less(_uniform(node, x.shape), cast(x, _FLOAT)), _dtype(node, x))


def _multinomial(node: Node) -> Value:
    """The class at whose sum of probabilities a uniform number falls."""
    x, samples = node.input(0), node.integer("sample_size")
    if x.rank != 2 or samples < 1:
        raise node.invalid(f"{samples} samples of {list(x.shape)}", "give rows of classes and a positive number")
    dtype = element_dtype(node.integer("dtype"), f"{node.place}: attribute 'dtype'")
    sums = running_sum(emit(graph.SoftmaxOp, cast(x, _FLOAT), axis=1), 1)
    at = _uniform(node, (x.shape[0], samples))
    passed = emit(graph.LessEqualOp, unsqueeze(sums, [1]), unsqueeze(at, [2]))
    chosen = emit(graph.ReduceSumOp, cast(passed, np.dtype(np.int32)), axes=[2], keepdims=False)
    return cast(minimum(chosen, x.shape[1] - 1), dtype)


def _dropout(node: Node) -> list[Value]:
    x = node.input(0)
    if _drops_nothing(node):
        if node.outputs() <= 1:
            return [x]
        return [x, x.builder.filled(1, x.shape, np.dtype(np.bool_) if node.since >= 10 else x.dtype)]
    training, ratio = reshape(node.input(2), []), node.optional(1)
    share = node.constant(0.5, _FLOAT) if ratio is None else cast(reshape(ratio, []), _FLOAT)
    share = select(training, share, 0)
    kept = emit(graph.GreaterEqualOp, _uniform(node, x.shape), share)
    return [select(kept, x * cast(1 / (1 - share), x.dtype), 0), kept][: max(1, node.outputs())]


def _drops_nothing(node: Node) -> bool:
    """Whether this is inference, or nothing is dropped; before opset 12, engines knew nothing else."""
    if node.since < 12:
        return True
    training, ratio = node.optional(2), node.optional(1)
    never = training is None or (training.array is not None and not training.array.any())
    return never or (ratio is not None and ratio.array is not None and not ratio.array.any())


IMPORTERS: Mapping[str, Importer] = {
    "Bernoulli": _bernoulli,
    "Dropout": _dropout,
    "Multinomial": _multinomial,
    "RandomNormal": _random_normal,
    "RandomNormalLike": _random_normal,
    "RandomUniform": _random_uniform,
    "RandomUniformLike": _random_uniform,
}
