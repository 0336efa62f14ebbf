"""Store constants of four bits two in a byte, and widen them where they are loaded.

    func.func @kernel(%w : memref<64xi8>, …)                          constants from -8 to 7
      %a = loop.load %w[affine_map<(d0) -> (d0 * 8)>(%i)] : memref<64xi8> -> vector<8xi8>
->
    func.func @kernel(%w : memref<32xi8>, …)
      %a = loop.load_nibbles %w[affine_map<(d0) -> (d0 * 4)>(%i)] {group = 8} : memref<32xi8> -> …

The values decide, not the type that the model declares: int4 weights of TFLite and ONNX are bytes up to here. Whether
it is done is a decision (`s2s/decisions/constant_bits.py`), since unpacking takes instructions.

Dual 16-bit multiply-adds take groups of four or eight neighbours at multiples of their size. Other kernels take
neighbours in their order, as models store them: number by number, in groups for the lanes of a vector, or in rows for
an intrinsic (`neighbour_nibbles`).

Declined for constants that are loaded otherwise, and for kernels that inner networks call.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import gcd

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FunctionType, IntegerAttr, MemRefType, ModuleOp, VectorType, i8
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.cost.loops import operations_of, runs_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.constant_bits import PACKED, ConstantBitsKind, SmallConstant
from s2s.dialects import loop
from s2s.dialects.loop.nibbles import HALF, NIBBLE, SIZES
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.loop.main_kernels import kernels_of_main
from s2s.passes.loop.neighbour_nibbles import instructions, pack_neighbours, pass_packed, takes_neighbours
from s2s.support.frozen import frozen
from s2s.types.affine import Linear, linear
from s2s.types.dtypes import Array
from s2s.types.hints import isa
from s2s.types.weights import WeightStore

UNBOUNDED = (-(2**31), 2**31)
UNPACKING: Mapping[int, int] = {4: 4, 8: 6}
"""Instructions that widen a group of this many numbers, beside its load, as counted on Cortex-M4."""
PRODUCTS = 2
"""Instructions of a sum of four products."""


@frozen
class PackNibblesPass(ModulePass):
    name = "loop-pack-nibbles"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for kernel, calls in kernels_of_main(op):
                found = _small(kernel, calls, store)
                changed = [each for each in found if _choose(each, kernel, calls, store, chooser)]
                for argument in changed:
                    if takes_neighbours(argument):
                        pack_neighbours(argument, calls, store)
                    else:
                        _pack(argument, calls, store)
                if changed:
                    types = [argument.type for argument in kernel.args]
                    kernel.function_type = FunctionType.from_lists(types, kernel.function_type.outputs.data)


def _small(kernel: FuncOp, calls: Sequence[CallOp], store: WeightStore) -> list[BlockArgument]:
    """Return the arguments that are constants of four bits in all calls, and of which vectors are loaded."""
    return [
        argument
        for argument in kernel.args
        if isa(argument.type, MemRefType)
        and argument.type.element_type == i8
        and (
            any(isinstance(use.operation, loop.LoadOp) and _lanes(use.operation) for use in argument.uses)
            or takes_neighbours(argument)
        )
        and all(_fits(call.arguments[argument.index], store) for call in calls)
    ]


def _fits(value: SSAValue, store: WeightStore) -> bool:
    if not isinstance(value.owner, loop.WeightOp):
        return False
    values = store.get(value.owner.weight.data)
    return bool(values.size) and int(values.min()) >= -HALF and int(values.max()) < HALF


def _lanes(op: Operation) -> int:
    """Return the numbers that a load of neighbours takes for sums of products of four; 0 of any other operation."""
    if (
        not isinstance(op, loop.LoadOp)
        or not isa(op.result.type, VectorType)
        or op.lanes is not None
        or op.lane_stride != 1
    ):
        return 0
    if not all(isinstance(use.operation, loop.ExtendOp | loop.PairsOp) for use in op.result.uses):
        return 0
    return op.result.type.get_shape()[0]


def _choose(
    argument: BlockArgument, kernel: FuncOp, calls: Sequence[CallOp], store: WeightStore, chooser: Chooser
) -> bool:
    """Return whether the chooser wants a constant packed."""
    used = {call.arguments[argument.index].owner for call in calls}
    size = sum(store.get(op.weight.data).size for op in used if isinstance(op, loop.WeightOp))
    runs = runs_of(kernel)
    in_order = takes_neighbours(argument)
    unpacking = sum(
        runs[use.operation] * (instructions(use.operation) if in_order else UNPACKING.get(_lanes(use.operation), 0))
        for use in argument.uses
    )
    products = sum(runs[op] for op in runs if isinstance(op, loop.IntrinsicOp))
    operations = operations_of(kernel) + (PRODUCTS - 1) * products
    fault = None if in_order else _fault(argument, kernel)
    subject = SmallConstant(kernel, size, operations, unpacking, size // (2 * max(len(used), 1)), fault)
    return chooser.choose(ConstantBitsKind(), subject) == PACKED


def _fault(argument: BlockArgument, kernel: FuncOp) -> str | None:
    """Return why a constant cannot be packed; None if it can be."""
    grains = _grains(kernel)
    sizes = {_lanes(use.operation) for use in argument.uses}
    if not sizes <= set(SIZES):
        return f"it is read by other operations than loads of {' or '.join(map(str, SIZES))} numbers"
    group = min(sizes)
    assert isa(argument.type, MemRefType)
    if argument.type.get_shape()[0] % group:
        return f"its {argument.type.get_shape()[0]} numbers are no whole groups of {group}"
    for use in argument.uses:
        load = use.operation
        assert isinstance(load, loop.LoadOp)
        if _grain(load.map.data.results[0], load.indices, grains) % group:
            return f"a load may begin inside of a group of {group}"
    return None


def _grains(kernel: FuncOp) -> dict[SSAValue, int]:
    """Return a divisor of each index of `kernel`; 0 for an index that is always 0."""
    found: dict[SSAValue, int] = {}
    for op in kernel.walk():
        match op:
            case loop.ForOp():
                starts = [_grain(expr, op.dims, found) for expr in op.lower.data.results]
                found[op.index] = gcd(op.step.value.data, *starts) if len(starts) == 1 else 1
            case loop.ApplyOp():
                found[op.result] = _grain(op.map.data.results[0], op.indices, found)
            case arith.ConstantOp() if isinstance(op.value, IntegerAttr):
                found[op.result] = op.value.value.data
            case _:
                pass
    return found


def _grain(expr: AffineExpr, operands: Sequence[SSAValue], grains: Mapping[SSAValue, int]) -> int:
    """Return a divisor of `expr` over `operands`: with `i` in steps of 4, `2 * i + 16` gives 8."""
    form = linear(expr, [UNBOUNDED] * len(operands))
    factors = [
        factor * grains.get(operands[atom.position], 1) if isinstance(atom, AffineDimExpr) else factor
        for atom, factor in form.terms.items()
    ]
    return gcd(form.constant, *factors)


def halved(affine_map: AffineMap) -> AffineMap:
    """Return half of an even position, written without a division where its factors are even."""
    form = linear(affine_map.results[0], [UNBOUNDED] * affine_map.num_dims)
    even = Linear(form.constant // 2, {atom: factor // 2 for atom, factor in form.terms.items() if factor % 2 == 0})
    odd = {atom: factor for atom, factor in form.terms.items() if factor % 2}
    rest = (Linear(form.constant % 2, odd).to_expr() // 2,) if odd else ()
    return AffineMap(affine_map.num_dims, 0, (sum(rest, start=even.to_expr()),))


def _pack(argument: BlockArgument, calls: Sequence[CallOp], store: WeightStore) -> None:
    """Let all `calls` pass a constant packed, and widen it where the kernel loads it."""
    loads = [use.operation for use in argument.uses if isinstance(use.operation, loop.LoadOp)]
    group = min(map(_lanes, loads))
    assert isa(argument.type, MemRefType)
    packed_type = MemRefType(i8, [argument.type.get_shape()[0] // 2])
    packed = Rewriter.replace_value_with_new_type(argument, packed_type)
    for load in loads:
        wide = loop.LoadNibblesOp(packed, halved(load.map.data), load.indices, load.result.type, group=group)
        wide.result.name_hint = load.result.name_hint
        Rewriter.replace_op(load, wide)
    pass_packed(argument.index, packed_type, calls, store, partial(packed_nibbles, group=group))


def packed_nibbles(values: Array, group: int) -> Array:
    """Return groups of numbers as half as many bytes, the first half of each group in the low bits."""
    nibbles = (values.reshape(-1, 2, group // 2) + np.int8(HALF)).astype(np.uint8)
    return (nibbles[:, 0] | nibbles[:, 1] << np.uint8(NIBBLE)).view(np.int8).reshape(-1)
