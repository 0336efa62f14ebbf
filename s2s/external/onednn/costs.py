"""Cycles of oneDNN and of our kernels for a convolution of floats, by `python -m benchmarks.external_onednn`."""

from math import prod

from s2s.dialects import graph
from s2s.dialects.graph.interfaces import multiply_adds
from s2s.targets import Target
from s2s.types.dtypes import as_tensor_type

LIBRARY_LANES = 4
"""The library looks for vectors when it runs: it has at least these where our kernels are plain C."""
LIBRARY_SHARE, OWN_SHARE = 0.75, 0.8
"""The part of the rate of products that each reaches in a convolution that sums channels."""
LIBRARY_DEPTHWISE, OWN_DEPTHWISE = 0.4, 0.15
"""That in a depthwise convolution, with stride 1 or 2."""
WINOGRAD = 0.5
"""Cycles of our kernels for a 3x3 window with stride 1, which they transform, by the cycles for any other window."""
CALL = 20_000.0
"""Cycles of a call of the library besides its products."""
REORDER = 1.0
"""Cycles to move an element between channels first and the library's blocks of channels."""


def library_cost(op: graph.ConvOp, target: Target) -> float:
    """Cycles of oneDNN."""
    rate = max(target.lanes, LIBRARY_LANES) * target.fma_ports * (LIBRARY_DEPTHWISE if _thin(op) else LIBRARY_SHARE)
    moved = sum(prod(as_tensor_type(value.type).get_shape()) for value in (op.x, op.y))
    return CALL + multiply_adds(op) / rate + (REORDER * moved if op.data_layout == "NCHW" else 0.0)


def own_cost(op: graph.ConvOp, target: Target) -> float:
    """Cycles of our kernels."""
    rate = target.lanes * target.fma_ports * (OWN_DEPTHWISE if _thin(op) else OWN_SHARE)
    transformed = target.lanes > 1 and not _thin(op) and _is_three_by_three(op)
    return (WINOGRAD if transformed else 1.0) * multiply_adds(op) / rate


def _thin(op: graph.ConvOp) -> bool:
    """Whether each group sums one channel."""
    return as_tensor_type(op.w.type).get_shape()[1] == 1


def _is_three_by_three(op: graph.ConvOp) -> bool:
    window = op.window()
    return tuple(window.kernel) == (3, 3) and max(window.strides) == 1 and max(window.dilations) == 1
