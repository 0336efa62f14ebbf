"""Import reductions of sliding windows, one dimension after the other, and gaps between elements.

Sums and products are compared with a tolerance of 3e-6 of the largest magnitude, as REDUCE_SUM is.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, concat, crop, maximum, minimum, reshape, unsqueeze
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.slicing import padded_with
from s2s.frontends.tflite.stablehlo_options import combination, numbers

_FUNCTIONS: Mapping[str, Callable[[Value, Value], Value]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "min": minimum,
    "max": maximum,
    "and": lambda a, b: emit(graph.LogicalAndOp, a, b),
    "or": lambda a, b: emit(graph.LogicalOrOp, a, b),
}
_NAMES: Mapping[int, str] = dict(enumerate(_FUNCTIONS, 1))
"""By the members of ReduceWindowFunction: ADD, MUL, MINIMUM, MAXIMUM, ALL, ANY."""
MAX_WINDOW = 64
"""Elements of a window along one dimension: each becomes a slice."""


def _reduce_window(node: Node) -> Value:
    x, start = node.input(0).value, node.input(1).value
    sizes, steps, gaps = (
        node.known_ints(place, what) for place, what in ((2, "window"), (3, "strides"), (4, "dilations"))
    )
    return _reduced(node, x, start, (sizes, steps, gaps), _NAMES.get(int(node.options.ReduceFunction())))


def _stablehlo_reduce_window(node: Node) -> Value:
    """As REDUCE_WINDOW, on `x` with gaps between its elements and padding around, both filled with the start."""
    if node.input_count != 2 or node.output_count != 1:
        raise node.unsupported("reduces several tensors at once", "reduce each by an operator of its own")
    x, start, options = node.input(0).value, node.input(1).value, node.options
    ones = [1] * x.rank
    sizes, steps, base, gaps = (
        numbers(options, name) or ones
        for name in ("WindowDimensions", "WindowStrides", "BaseDilations", "WindowDilations")
    )
    padding = numbers(options, "Padding") or [0] * 2 * x.rank
    if len(padding) != 2 * x.rank or start.dtype != x.dtype:
        raise node.invalid(f"padding {padding} or a start of {start.dtype} does not fit {x.type}", "fix the options")
    start = reshape(start, []) if start.shape == (1,) else start
    filled = padded_with(dilated(node, x, base, start), padding[::2], padding[1::2], start)
    return _reduced(node, filled, start, (sizes, steps, gaps), combination(node, int(options.BodySubgraphIndex())))


def _reduced(
    node: Node, x: Value, start: Value, window: tuple[list[int], list[int], list[int]], name: str | None
) -> Value:
    """The elements of each window, and `start`, combined by the function called `name`."""
    sizes, steps, gaps = window
    function = None if name is None else _FUNCTIONS.get(name)
    if function is None or start.rank or not len(sizes) == len(steps) == len(gaps) == x.rank:
        raise node.invalid(f"a window {sizes} with strides {steps} on {list(x.shape)} has no meaning", "fix it")
    if min(*sizes, *steps, *gaps, 1) < 1:
        raise node.invalid(f"window {sizes}, strides {steps} or dilations {gaps} are not positive", "fix them")
    if max(*sizes, 1) > MAX_WINDOW:
        raise node.unsupported(f"reduces windows of {max(sizes)} elements", f"use at most {MAX_WINDOW}")
    y = x
    for axis in range(x.rank):
        y = _along(node, y, axis, (sizes[axis], steps[axis], gaps[axis]), function)
    return function(y, start)


def _along(
    node: Node, x: Value, axis: int, window: tuple[int, int, int], function: Callable[[Value, Value], Value]
) -> Value:
    size, step, gap = window
    count = (x.shape[axis] - (size - 1) * gap - 1) // step + 1
    if count < 1:
        raise node.invalid(f"{x.shape[axis]} elements have no window of {size}", "fix the window")
    strides = [step if dim == axis else 1 for dim in range(x.rank)]
    shape = [count if dim == axis else length for dim, length in enumerate(x.shape)]
    starts = ([place * gap if dim == axis else 0 for dim in range(x.rank)] for place in range(size))
    return reduce(function, (crop(x, start, shape, strides) for start in starts))


def _dilate(node: Node) -> Value:
    return dilated(node, node.input(0).value, node.known_ints(1, "its dilations"), node.input(2).value)


def dilated(node: Node, x: Value, gaps: Sequence[int], fill: Value) -> Value:
    """`x` with `gap - 1` copies of the number `fill` between neighbours of each axis, for its `gap` in `gaps`."""
    if len(gaps) != x.rank or min(gaps, default=1) < 1 or fill.rank:
        raise node.invalid(f"dilations {gaps} do not fit {list(x.shape)}", "give a positive one for each dimension")
    for axis, gap in enumerate(gaps):
        if gap > 1 and x.shape[axis] > 1:
            apart = [*x.shape[: axis + 1], gap - 1, *x.shape[axis + 1 :]]
            spread = concat([unsqueeze(x, [axis + 1]), broadcast_to(fill, apart)], axis + 1)
            joined = [*x.shape[:axis], x.shape[axis] * gap, *x.shape[axis + 1 :]]
            kept = [size - gap + 1 if dim == axis else size for dim, size in enumerate(joined)]
            x = crop(reshape(spread, joined), [0] * x.rank, kept, [1] * x.rank)
    return x


IMPORTERS: Mapping[str, Importer] = {
    "DILATE": _dilate,
    "REDUCE_WINDOW": _reduce_window,
    "STABLEHLO_REDUCE_WINDOW": _stablehlo_reduce_window,
}
