"""Pack constants of four bits two in a byte where kernels take neighbours in their order.

    %a = loop.load %w[i] : memref<64xi8> -> i8                    ->  loop.load_nibble %w[i] : memref<32xi8>
    %g = loop.load_groups %w[i * 32] {lane_stride = 4} : …        ->  loop.load_groups %w[i * 16] {…, nibbles} : …
    loop.intrinsic_rows <… dot_rows(i8, i8) by 16 …>(%x, %w[…])   ->  … dot_rows(i8, i4) by 16 …

For example the numbers 1, -2, 3, 4 become the bytes 0xe1, 0x43.
"""

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, MemRefType, StringAttr, UnitAttr, i8
from xdsl.dialects.func import CallOp
from xdsl.ir import BlockArgument, Operation
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.dialects import loop
from s2s.dialects.loop.nibbles import NIBBLE
from s2s.types.affine import Linear, linear
from s2s.types.dtypes import Array
from s2s.types.hints import isa
from s2s.types.weights import WeightStore

UNBOUNDED = (-(2**31), 2**31)
MIN_NUMBERS = 64
"""Constants of fewer numbers are not worth it."""
ROWS = 16
"""Numbers of a row of constants that an intrinsic takes together, if they may be packed."""
OF_NUMBER, OF_GROUPS, OF_ROWS = 4, 6, 12
"""Instructions that unpack a number (as counted on Cortex-M3), a vector of groups, and four rows (on Cortex-M55)."""


def takes_neighbours(argument: BlockArgument) -> bool:
    """Return whether a kernel takes a constant by operations that have a form for neighbours packed in their order."""
    if (
        not isa(argument.type, MemRefType)
        or argument.type.get_shape()[0] < MIN_NUMBERS
        or argument.type.get_shape()[0] % 2
    ):
        return False
    return bool(argument.uses) and all(_is_known(use.operation, argument) for use in argument.uses)


def _is_known(op: Operation, argument: BlockArgument) -> bool:
    match op:
        case loop.LoadOp():
            scalar = op.result.type == i8 and op.lanes is None
            return scalar and all(isinstance(use.operation, arith.ExtSIOp) for use in op.result.uses)
        case loop.LoadGroupsOp():
            return op.lane_stride.value.data == op.group and op.nibbles is None and _is_even(op.map.data)
        case loop.IntrinsicRowsOp():
            facts = op.intrinsic
            known = (facts.form.data, facts.x.data, facts.w.data, facts.steps) == ("dot_rows", "i8", "i8", ROWS)
            return known and op.w is argument and op.x is not argument and _is_even(op.map.data, 1)
        case _:
            return False


def instructions(op: Operation) -> int:
    """Return how many instructions unpack what an operation takes."""
    match op:
        case loop.LoadGroupsOp():
            return OF_GROUPS
        case loop.IntrinsicRowsOp():
            return OF_ROWS * (op.steps.value.data // ROWS)
        case _:
            return OF_NUMBER


def _is_even(affine_map: AffineMap, result: int = 0) -> bool:
    form = linear(affine_map.results[result], [UNBOUNDED] * affine_map.num_dims)
    return form.constant % 2 == 0 and all(factor % 2 == 0 for factor in form.terms.values())


def _halved(affine_map: AffineMap, result: int = 0) -> AffineMap:
    """Return a map with one of its results divided by two, which is even."""
    form = linear(affine_map.results[result], [UNBOUNDED] * affine_map.num_dims)
    half = Linear(form.constant // 2, {atom: factor // 2 for atom, factor in form.terms.items()}).to_expr()
    results = [half if place == result else each for place, each in enumerate(affine_map.results)]
    return AffineMap(affine_map.num_dims, 0, tuple(results))


def pack_neighbours(argument: BlockArgument, calls: Sequence[CallOp], store: WeightStore) -> None:
    """Let all `calls` pass a constant packed, and unpack it where the kernel takes it."""
    operations = [use.operation for use in argument.uses]
    assert isa(argument.type, MemRefType)
    packed_type = MemRefType(i8, [argument.type.get_shape()[0] // 2])
    packed = Rewriter.replace_value_with_new_type(argument, packed_type)
    for op in operations:
        match op:
            case loop.LoadOp():
                number = loop.LoadNibbleOp(packed, op.map.data, op.indices)
                number.result.name_hint = op.result.name_hint
                Rewriter.replace_op(op, number)
            case loop.LoadGroupsOp():
                op.properties["map"] = AffineMapAttr(_halved(op.map.data))
                op.properties["nibbles"] = UnitAttr()
            case loop.IntrinsicRowsOp():
                op.properties["map"] = AffineMapAttr(_halved(op.map.data, 1))
                op.properties["intrinsic"] = _in_nibbles(op.intrinsic)
            case _:
                raise AssertionError(op.name)
    pass_packed(argument.index, packed_type, calls, store, packed_neighbours)


def _in_nibbles(facts: loop.IntrinsicAttr) -> loop.IntrinsicAttr:
    """Return the intrinsic that takes the same rows of constants packed."""
    function, header = "s2s_i32x{lanes}_dot_i4_by_16", "s2s_nibble_rows.h"
    return loop.IntrinsicAttr.of(facts.entry.data, "dot_rows", "i8", "i4", facts.steps, function, header)


def pass_packed(
    place: int,
    packed_type: MemRefType,
    calls: Sequence[CallOp],
    store: WeightStore,
    pack: Callable[[Array], Array],
    *,
    suffix: str = "nibbles",
) -> None:
    """Let `calls` pass what `pack` makes of the constant that is their operand at `place`."""
    made: dict[Operation, loop.WeightOp] = {}
    for call in calls:
        old = call.operands[place].owner
        assert isinstance(old, loop.WeightOp)
        if old not in made:
            name = store.add(f"{old.weight.data}_{suffix}", pack(store.get(old.weight.data)))
            made[old] = loop.WeightOp(StringAttr(name), StringAttr(store.hash(name)), packed_type)
            made[old].result.name_hint = old.result.name_hint
            Rewriter.insert_op(made[old], InsertPoint.before(old))
        call.operands[place] = made[old].result
    for old in made:
        if not old.results[0].uses:
            Rewriter.erase_op(old)


def packed_neighbours(values: Array) -> Array:
    """Return numbers from -8 to 7 as half as many bytes, the first of each two in the low bits."""
    nibbles = values.reshape(-1, 2).view(np.uint8) & np.uint8(15)
    return (nibbles[:, 0] | nibbles[:, 1] << np.uint8(NIBBLE)).view(np.int8)
