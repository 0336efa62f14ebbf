"""Instructions of CMSIS-NN and of our kernels for layers of 8-bit integers, on cores where they were counted.

A layer takes a part for each multiply-add, one for each result, and one for each element that is copied into columns,
or in a depthwise convolution for each row of results:

    instructions = products * multiply_adds + results * outputs + columns * copied

The coefficients are fitted to the layers of the four networks of MLPerf Tiny under QEMU, compiled by GCC 12 at -O3
(`python -m benchmarks.external_cmsis_nn`). A core without figures has no estimates.
"""

from math import prod

from s2s.dialects import graph
from s2s.dialects.graph.interfaces import multiply_adds
from s2s.external.generator import Composite
from s2s.support.frozen import frozen
from s2s.targets import Target


@frozen
class Rate:
    """Instructions for a multiply-add, a result, and an element copied into a column; in a depthwise convolution for a
    result, and a row of results of one channel; in pooling for an element that is read, and a result."""

    products: float
    results: float
    columns: float = 0.0

    def instructions(self, work: "Work") -> float:
        """Return the instructions of one layer."""
        return self.products * work.products + self.results * work.results + self.columns * work.columns


@frozen
class Work:
    """What a layer does."""

    products: int
    results: int
    columns: int = 0


Rates = dict[str, tuple[Rate, Rate]]
"""For each pattern the rate of the library, and ours."""

DSP: Rates = {
    "convolution": (Rate(1.42, 42.7, 9.7), Rate(0.98, 12.6, 4.4)),
    "depthwise": (Rate(0.0, 76.0), Rate(0.0, 27.0, 90.0)),
    "fully_connected": (Rate(1.88, 50.2), Rate(1.38, 9.9)),
    "average_pool": (Rate(6.4, 10.0), Rate(2.9, 10.0)),
    "add": (Rate(0.0, 81.8), Rate(0.0, 19.0)),
    "multiply": (Rate(0.0, 36.2), Rate(0.0, 14.0)),
    "softmax": (Rate(0.0, 518.0), Rate(0.0, 42.3)),
}
"""Cores with products of pairs of 16-bit integers and no vectors, by a Cortex-M4."""
STRIDED = Rate(0.0, 44.0, 131.0)
"""Ours for depthwise convolutions with a stride on such cores."""
VECTORS: Rates = {
    "convolution": (Rate(0.168, 14.6, 1.5), Rate(0.158, 6.0, 1.2)),
    "depthwise": (Rate(0.0, 21.2), Rate(0.0, 18.5)),
    "fully_connected": (Rate(0.46, 30.0), Rate(0.16, 5.9)),
    "average_pool": (Rate(2.0, 12.0), Rate(2.6, 3.2)),
    "add": (Rate(0.0, 12.9), Rate(0.0, 7.5)),
    "multiply": (Rate(0.0, 6.8), Rate(0.0, 5.0)),
    "softmax": (Rate(0.0, 581.0), Rate(0.0, 43.8)),
}
"""Cores with vectors of integers, by a Cortex-M55."""
MARGIN = 1.2
"""A call of the library takes a kernel out of a file, and GCC compiles the others differently, up to 0.4 % of a network
worse; and the library's code takes flash."""
UNEVEN = Rate(1.6, 9.0)
"""Ours for fully connected layers on such cores whose outputs are no multiple of four, the lanes of a vector."""


def library_cost(composite: Composite, target: Target) -> float | None:
    """Instructions of CMSIS-NN, with the margin by which it has to win."""
    rates = _rates(composite, target)
    return None if rates is None else MARGIN * rates[0].instructions(_work(composite))


def own_cost(composite: Composite, target: Target) -> float | None:
    """Instructions of our kernels."""
    rates = _rates(composite, target)
    if rates is None:
        return None
    if composite.pattern == "depthwise" and not target.integer_lanes:
        strides = composite.the(graph.ConvOp).window().strides
        return (STRIDED if max(strides) > 1 else rates[1]).instructions(_work(composite))
    uneven = target.integer_lanes and composite.outputs[0].get_shape()[-1] % target.integer_lanes
    ours = UNEVEN if uneven and composite.pattern == "fully_connected" else rates[1]
    return ours.instructions(_work(composite))


def _rates(composite: Composite, target: Target) -> tuple[Rate, Rate] | None:
    if target.word_bits != 32 or not target.intrinsics:
        return None
    return (VECTORS if target.integer_lanes else DSP).get(composite.pattern)


def _work(composite: Composite) -> Work:
    results = composite.outputs[0].element_count()
    conv, pool, product = (composite.find(kind) for kind in (graph.ConvOp, graph.AvgPoolOp, graph.MatmulOp))
    if isinstance(pool, graph.AvgPoolOp):
        return Work(results * prod(pool.window().kernel), results)
    if product is not None:
        return Work(multiply_adds(product), results)
    if not isinstance(conv, graph.ConvOp):
        return Work(0, results)
    if composite.pattern == "depthwise":
        return Work(0, results, results // composite.outputs[0].get_shape()[2])
    pointwise = prod(conv.window().kernel) == 1
    columns = 0 if pointwise else multiply_adds(conv) // composite.outputs[0].get_shape()[3]
    return Work(multiply_adds(conv), results, columns)
