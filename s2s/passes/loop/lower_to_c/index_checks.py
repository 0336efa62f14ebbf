"""Check inputs and states that are indices before a run does anything: token identifiers, positions in a cache.

if (position[0] < -128 || position[0] > 127) {
    return S2S_ERR_RANGE;
}
for (int32_t i = 0; i < length; i += 1) {
    if (ids[i] < 0 || ids[i] > 999) {
        return S2S_ERR_RANGE;
    }
}

Of a tensor whose sizes vary, the elements of this run are checked.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, Signedness, StringAttr
from xdsl.ir import Attribute, Block, SSAValue

from s2s.analysis.network.arguments import SHAPE
from s2s.analysis.network.functions import STATE
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.arena import Arena
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.run_sizes import refuse
from s2s.types.hints import isa
from s2s.types.index_bounds import IndexBounds, bounds_of
from s2s.types.sizes import VARIES, extents_of

_INDEX = IndexType()


class Axis(NamedTuple):
    """An axis of a tensor, or several that a loop runs over together."""

    length: int
    size: str
    """The size that it has in a run; empty for a constant one."""
    stride: int


class Indices(NamedTuple):
    """A tensor of indices: an input, or the state that a view holds."""

    value: SSAValue
    bounds: IndexBounds
    axes: tuple[Axis, ...]


def indices_of(main: Main) -> Iterator[Indices]:
    """Yield the inputs and states of `main` that have bounds."""
    module = main.func.parent_op()
    stated = {} if module is None else bounds_of(module.attributes)
    for value, name in zip(main.inputs, main.input_names, strict=True):
        if name in stated:
            shape = main.attribute(value, SHAPE)
            assert isinstance(shape, DenseArrayBase)
            lengths = [int(length) for length in shape.get_values()]
            extents = extents_of(main.attribute(value, VARIES), len(lengths))
            yield Indices(value, stated[name], _axes(lengths, extents))
    for view in main.func.body.block.ops:
        if isinstance(view, loop.ViewOp) and (name := _state(view)) in stated:
            yield Indices(view.result, stated[name], _axes([prod(view.result.type.get_shape())], [""]))


def _state(view: loop.ViewOp) -> str:
    name = view.attributes.get(STATE)
    return name.data if isinstance(name, StringAttr) else ""


def _axes(lengths: Sequence[int], extents: Sequence[str]) -> tuple[Axis, ...]:
    """Return the loops over all elements of this run, outermost first: constant axes behind one another are one, as are
    axes behind one of varying size with it if they have one element."""
    axes, stride = list[Axis](), 1
    for length, size in zip(reversed(lengths), reversed(extents), strict=True):
        if axes and not size and not axes[-1].size:
            axes[-1] = Axis(length * axes[-1].length, "", axes[-1].stride)
        elif length > 1 or size:
            axes.append(Axis(length, size, stride))
        stride *= length
    return tuple(reversed(axes))


def check_indices(b: Builder, indices: Indices, arena: Arena, sizes: Mapping[str, SSAValue]) -> None:
    """Return S2S_ERR_RANGE from the run function if an element of `indices` is out of bounds."""
    owner = indices.value.owner
    buffer = arena.view(b, owner) if isinstance(owner, loop.ViewOp) else b.value(indices.value)
    _check(b, buffer, indices, indices.axes, b.literal(0, _INDEX), sizes)


def _ends(type: Attribute) -> IndexBounds:
    """Return the least and the greatest number of an integer type, which no comparison has to tell."""
    assert isa(type, IntegerType)
    width = type.width.data
    if type.signedness.data == Signedness.UNSIGNED:
        return IndexBounds(0, (1 << width) - 1)
    return IndexBounds(-(1 << (width - 1)), (1 << (width - 1)) - 1)


def _check(
    b: Builder, buffer: SSAValue, indices: Indices, axes: Sequence[Axis], at: SSAValue, sizes: Mapping[str, SSAValue]
) -> None:
    """Write a loop over the first of `axes`, from the element `at` on, and within it the loops over the others."""
    if not axes:
        index = b.add(c.LoadOp(b.add(c.SubscriptOp(buffer, at))))
        index.name_hint = "at"
        outside = [
            b.binary(sign, index, b.literal(end, index.type))
            for sign, end, last in zip("<>", indices.bounds, _ends(index.type), strict=True)
            if end != last
        ]
        return refuse(b, b.binary("||", *outside) if len(outside) > 1 else outside[0], "S2S_ERR_RANGE")
    first, *others = axes
    body = Block(arg_types=[_INDEX])
    counter = body.args[0]
    count = sizes[first.size] if first.size else b.literal(first.length, _INDEX)
    zero = b.literal(0, _INDEX)
    with b.inside(body):
        step = counter if first.stride == 1 else b.binary("*", counter, b.literal(first.stride, _INDEX))
        place = step if len(axes) == len(indices.axes) else b.binary("+", at, step)
        _check(b, buffer, indices, others, place, sizes)
    b.block.add_op(c.ForOp(zero, count, body))
    return None
