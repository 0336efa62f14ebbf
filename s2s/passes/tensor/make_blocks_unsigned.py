"""Add 128 to constants of products in blocks, for instructions that multiply signed bytes by unsigned ones.

    %p = tensor.compute [4, 32, 4096 | 32] reads(%x …, %w …) reduce { acc + ext(x) * ext(w) }
    %y = tensor.compute [4, 4096 | 32] reads(%p …, %scales …) reduce { acc + float(p) * … }
->
    %w = graph.weight "w_unsigned" : …                                  // main: each byte plus 128
    %t = tensor.compute [4, 32 | 32] reads(%x …) reduce { acc + ext(x) }
    %p = tensor.compute [4, 32, 4096 | 32] reads(%x …, %w …) reduce { acc + ext(x) * extui(w) }
    %y = tensor.compute [4, 4096 | 32] reads(%p …, %scales …, %t …) reduce { acc + float(p - 128 * t) * … }

The instruction VPDPBUSD takes no two factors with a sign. To take the 128 off with the sums of the activations, which
all rows of the constant share, costs less than to flip signs and to correct every product.

Kernels that look up elements of the same constant read `w_unsigned` too, and flip the highest bit back.

Declined where the target has no such instruction, and for constants that another computation reads.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FunctionType, IntegerAttr, ModuleOp, i8, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.structure.block_sums import BlockSums, all_block_sums
from s2s.analysis.structure.products import product_sum
from s2s.analysis.structure.roles import Roles, roles_of
from s2s.dialects import graph, tensor
from s2s.passes.context import target_of, weights_of
from s2s.passes.graph.lower_to_tensor.compute import at, dims, structured
from s2s.passes.graph.lower_to_tensor.scalars import ADD
from s2s.passes.tensor.packed_tables import is_looked_up, lookups
from s2s.passes.tensor.remade_weights import remake_weight
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.dtypes import Array, as_tensor_type
from s2s.types.weights import WeightStore

IN_RANGE = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))
HALF = 128
"""What is added to each constant."""


@frozen
class MakeBlocksUnsignedPass(ModulePass):
    name = "tensor-make-blocks-unsigned"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not _multiplies_unsigned(target_of(ctx, self.target)):
            return
        calls, remade = calls_of(op), dict[str, graph.WeightOp]()
        kernels = [func for func in op.ops if isinstance(func, FuncOp) and not func.is_declaration]
        for func in kernels:
            remade.update(_make_unsigned(func, calls, weights_of(ctx)))
        for func in kernels if remade else ():
            for argument in constant_arguments(func, calls):
                assert isinstance(argument, BlockArgument)
                _look_up_unsigned(argument, calls.get(func.sym_name.data, []), remade)


def _multiplies_unsigned(target: Target) -> bool:
    known = target.intrinsics_of("dot_lanes")
    return any((each.x, each.w) == ("i8", "u8") and target.lanes in each.lanes for each in known)


def _make_unsigned(
    func: FuncOp, calls: Mapping[str, list[graph.CallOp]], weights: WeightStore
) -> dict[str, graph.WeightOp]:
    """Rewrite the products of a kernel; return its new weights by the hashes of the weights that they are made of."""
    remade: dict[str, graph.WeightOp] = {}
    constants, mine = constant_arguments(func, calls), calls.get(func.sym_name.data, [])
    for sums in all_block_sums(list(func.body.block.ops)):
        roles, products = roles_of(sums.products, constants), product_sum(sums.products)
        if roles is None or products is None or products.has_offsets or products.unsigned is not None:
            continue
        w = sums.products.reads[roles.w]
        if isinstance(w, BlockArgument) and roles.w_only == (sums.row[0],) and not roles.both[1:]:
            _rewrite(sums, roles)
            hashes = [_weight(call, w).hash.data for call in mine]
            remake_weight(w, as_tensor_type(w.type), _without_sign, mine, weights, suffix="unsigned")
            func.function_type = FunctionType.from_lists(
                [each.type for each in func.body.block.args], func.function_type.outputs.data
            )
            remade.update(zip(hashes, [_weight(call, w) for call in mine], strict=True))
    return remade


def _weight(call: graph.CallOp, argument: BlockArgument) -> graph.WeightOp:
    """Return the weight that `call` passes as `argument` of its kernel."""
    weight = call.operands[argument.index].owner
    assert isinstance(weight, graph.WeightOp)
    return weight


def _look_up_unsigned(
    argument: BlockArgument, calls: Sequence[graph.CallOp], remade: Mapping[str, graph.WeightOp]
) -> None:
    """Let a kernel that looks up elements of a weight read the one that is made of it, if there is one."""
    owners = [call.operands[argument.index].owner for call in calls]
    hashes = {owner.hash.data for owner in owners if isinstance(owner, graph.WeightOp)}
    new = remade.get(next(iter(hashes))) if len(hashes) == 1 else None
    if new is None or not is_looked_up(argument):
        return
    for extract in lookups(argument):
        sign = arith.ConstantOp(IntegerAttr(-HALF, i8))
        flipped = arith.XOrIOp(extract.result, sign.result)
        Rewriter.insert_op([sign, flipped], InsertPoint.after(extract))
        extract.result.replace_uses_with_if(flipped.result, lambda use, own=flipped: use.operation is not own)
    for call, old in zip(calls, owners, strict=True):
        copy = new.clone()
        Rewriter.insert_op(copy, InsertPoint.before(call))
        call.operands[argument.index] = copy.y
        if isinstance(old, graph.WeightOp) and not old.y.uses:
            Rewriter.erase_op(old)


def _without_sign(constants: Array) -> Array:
    """Return each byte plus 128, in the same type."""
    return np.bitwise_xor(constants, np.int8(-HALF))


def _rewrite(sums: BlockSums, roles: Roles) -> None:
    """Let the products take their constant without sign, and the total take off what that adds."""
    products = sums.products
    assert products.reduce is not None
    (extension,) = [use.operation for use in products.reduce.block.args[roles.w].uses]
    assert isinstance(extension, arith.ExtSIOp)
    Rewriter.replace_op(extension, arith.ExtUIOp(extension.input, extension.result.type))
    totals = _totals(products, roles.x)
    graph.copy_provenance(totals, products)
    Rewriter.insert_op(totals, InsertPoint.before(products))
    _take_off(sums, totals)


def _totals(products: tensor.ComputeOp, x: int) -> tensor.ComputeOp:
    """Return the sums of the activations in each block: the domain of `products` without the rows of the constant."""
    row = products.rank - 1
    sizes = [size for dim, size in enumerate(products.sizes) if dim != row]
    own: list[AffineExpr] = [*dims(row), AffineDimExpr(row), *dims(len(sizes))[row:]]
    places = [expr.replace_dims_and_symbols(own, ()) for expr in products.read_accesses[x].map.data.results]
    made = structured(
        sizes[:row],
        sizes[row:],
        reads=[at(products.reads[x], *places)],
        inits=[(0, i32)],
        reduce=lambda s, value, acc: s.bounded(ADD, acc, s.cast(value, i32)),
        apply=lambda s, acc: acc,
        element=i32,
    )
    made.res[0].name_hint = "totals"
    return made


def _take_off(sums: BlockSums, totals: tensor.ComputeOp) -> None:
    """Let the total of all blocks read `totals`, and take them off the products."""
    op = sums.total
    assert op.reduce is not None
    number = next(read for read, value in enumerate(op.reads) if value is sums.products.res[0])
    block, count = op.reduce.block, len(op.reads)
    product, total = block.args[number], block.insert_arg(i32, count)
    total.name_hint = "total"
    half = arith.ConstantOp(IntegerAttr(HALF, i32))
    more = arith.MuliOp(total, half.result, overflow=IN_RANGE)
    rest = arith.SubiOp(product, more.result, overflow=IN_RANGE)
    product.replace_uses_with_if(rest.result, lambda use: use.operation is not rest)
    first = block.first_op
    assert first is not None
    block.insert_ops_before([half, more, rest], first)
    places = op.read_accesses[number].map.data.results[:-1]
    access = tensor.AccessAttr.of(AffineMap(len(op.sizes), 0, places))
    accesses = [*op.read_accesses, access, *op.epilogue_accesses]
    operands = [*op.reads, totals.res[0], *op.epilogue, *op.tables]
    op.properties["accesses"] = ArrayAttr(accesses)
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [count + 1, len(op.epilogue), len(op.tables)])
    op.operands = operands
