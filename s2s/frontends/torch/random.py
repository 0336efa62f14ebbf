"""Operators that draw random numbers, by Philox (`s2s.frontends.philox`).

The key of the generator is the number of the call among those that draw: torch's seed is of no exported program. Every
run of a network draws other numbers, every start of it the same ones. Of a shape with sizes of the run, the numbers of
the greatest sizes are drawn, and the first ones along each axis taken.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends import philox
from s2s.frontends.builder import Value, emit
from s2s.frontends.cumulative import running_sum
from s2s.frontends.formulas import cast, checked_shape, less, minimum, reshape, take, unsqueeze
from s2s.frontends.torch.node import Importer, Node
from s2s.types.size import greatest

_FLOAT = np.dtype(np.float32)
Distribution = Callable[[Sequence[int], int, Value], Value]
"""Numbers of a shape, by the key of the generator and the number of the run."""


def _drawn(node: Node, distribution: Distribution, shape: Sequence[int]) -> Value:
    """Numbers of a distribution as f32."""
    draws, greatest_shape = node.runner.draws, checked_shape(tuple(greatest(shape)), node.place)
    numbers = distribution(greatest_shape, draws.next(), draws.run_number(node.place))
    for axis, (size, most) in enumerate(zip(shape, greatest_shape, strict=True)):
        numbers = numbers if size is most else take(numbers, axis, 0, size)
    return numbers


def _sized(distribution: Distribution) -> Importer:
    return lambda node: cast(_drawn(node, distribution, node.integers("size")), node.result_dtype())


def _like(distribution: Distribution) -> Importer:
    return lambda node: cast(_drawn(node, distribution, node.value("self").shape), node.result_dtype())


def _shape(node: Node) -> Sequence[int]:
    return node.value("self").shape if "self" in node.arguments else node.integers("size")


def _integers(node: Node) -> Value:
    """Integers of `[low, high)`, each as likely as the others but for 2**-24."""
    low = node.integer("low") if "low" in node.arguments else 0
    count = node.integer("high") - low
    if not 0 < count <= 2**24:
        raise node.unsupported(f"draws one of {count} integers", f"draw one of {2**24} at most")
    numbers = _drawn(node, philox.uniform, _shape(node))
    places = minimum(cast(numbers * count, np.dtype(np.int32)), count - 1)
    return cast(places, node.result_dtype()) + low


def _uniform(node: Node) -> Value:
    low, high = node.real("from"), node.real("to")
    return cast(_drawn(node, philox.uniform, node.value("self").shape) * (high - low) + low, node.result_dtype())


def _normal(node: Node) -> Value:
    """Normal numbers of a mean and a deviation, each a number or a tensor."""
    tensors = [node.value(name) for name in ("mean", "std") if isinstance(node.arguments[name], Value)]
    states_shape = "size" in node.arguments or "self" in node.arguments
    shape = _shape(node) if states_shape else _broadcast(node, tensors)
    numbers = _drawn(node, philox.normal, shape)
    return cast(numbers * node.operand("std") + node.operand("mean"), node.result_dtype())


def _broadcast(node: Node, tensors: Sequence[Value]) -> Sequence[int]:
    """The shape of the sum of `tensors`."""
    return emit(graph.AddOp, *tensors).shape if len(tensors) == 2 else tensors[0].shape


def _bernoulli(node: Node) -> Value:
    """1 with the probability that an element, or the argument `p`, is."""
    x = node.value("self")
    share = node.operand("p") if node.has("p") else x
    share = cast(share, _FLOAT) if isinstance(share, Value) else share
    return cast(less(_drawn(node, philox.uniform, x.shape), share), node.result_dtype())


def _exponential(node: Node) -> Value:
    """`-ln(1 - u) / lambd` of a uniform number."""
    numbers = _drawn(node, philox.uniform, node.value("self").shape)
    return cast(emit(graph.LogOp, 1 - numbers) * (-1 / node.real("lambd")), node.result_dtype())


def _multinomial(node: Node) -> Value:
    """The class at whose share of the sum of weights a uniform number falls."""
    x, count = node.value("self"), node.integer("num_samples")
    if not node.flag("replacement") and count > 1:
        raise node.unsupported(f"draws {count} classes without replacement", "draw one, or with replacement=True")
    rows = x if x.rank == 2 else unsqueeze(x, [0])
    sums = running_sum(cast(rows, _FLOAT), 1)
    total = take(sums, 1, x.shape[-1] - 1, 1)
    at = _drawn(node, philox.uniform, (rows.shape[0], count)) * total
    passed = emit(graph.LessEqualOp, unsqueeze(sums, [1]), unsqueeze(at, [2]))
    chosen = emit(graph.ReduceSumOp, cast(passed, np.dtype(np.int32)), axes=[2], keepdims=False)
    classes = cast(minimum(chosen, x.shape[-1] - 1), node.result_dtype())
    return classes if x.rank == 2 else reshape(classes, [count])


def _permutation(node: Node) -> Value:
    """The order of uniform numbers; of two equal ones the first comes first."""
    count = node.integer("n")
    numbers = _drawn(node, philox.uniform, [count])
    return cast(emit(graph.TopKOp, numbers, count=count, smallest=True), node.result_dtype())


def _dropout(node: Node) -> list[Value]:
    x, share = node.value("input"), node.real("p")
    if not node.flag("train") or share == 0:
        return [x, node.builder.filled(True, x.shape, np.dtype(np.bool_))]
    raise node.unsupported("drops elements at random", "call eval() on the module before its export")


IMPORTERS: Mapping[str, Importer] = {
    "bernoulli": _bernoulli,
    "exponential": _exponential,
    "multinomial": _multinomial,
    "native_dropout": _dropout,
    "normal": _normal,
    "normal_functional": _normal,
    "rand": _sized(philox.uniform),
    "rand_like": _like(philox.uniform),
    "randint": _integers,
    "randint_like": _integers,
    "randn": _sized(philox.normal),
    "randn_like": _like(philox.normal),
    "randperm": _permutation,
    "uniform": _uniform,
}
