"""Let lookups read a constant that another kernel has packed, so that it is stored once.

    %w = graph.weight "embedding" : tensor<512x4x16xi8>                          // main
    tensor.compute … tables(%w) … { tensor.extract %w[%row, %block, %byte] }       // looks up rows
    %p = graph.weight "embedding_packed" : tensor<128x4x4x4x4xi8>                // the same values, for a product
->
    tensor.compute … tables(%p) … { tensor.extract %p[%row >> 2, %block, %byte >> 2, %row & 3, %byte & 3] }

For example row 7, byte 13 of block 1 lies at [1, 1, 3, 3, 1].

Declined where axes are packed as one, for blocks that are no powers of two, for constants that the kernel reads
otherwise, and for kernels of two devices.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, ModuleOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.constants import constant_arguments
from s2s.analysis.network.functions import device_of
from s2s.dialects import graph, tensor


class PackedWeight(NamedTuple):
    """A weight as a kernel reads it packed."""

    weight: graph.WeightOp
    axes: Sequence[tensor.PackedAxis]
    device: str
    """The device of that kernel, whose memory holds the weight."""

    @property
    def is_simple(self) -> bool:
        """Whether the place of an element follows by shifts and masks."""
        blocks = [size for axis in self.axes for size in (axis.divisor, axis.modulus) if size]
        return all(len(axis.axes) == 1 for axis in self.axes) and all(size & (size - 1) == 0 for size in blocks)


def read_packed(module: ModuleOp, calls: Mapping[str, list[graph.CallOp]], packed: Mapping[str, PackedWeight]) -> None:
    """Let kernels that look up rows of a weight read its packed form; `packed` are these by the hash of the weight."""
    for func in module.ops:
        if not isinstance(func, FuncOp) or func.is_declaration:
            continue
        mine = calls.get(func.sym_name.data, [])
        for argument in constant_arguments(func, calls):
            assert isinstance(argument, BlockArgument)
            found = _packed_for(argument, mine, packed)
            if found is not None and found.device == device_of(func):
                _read(func, argument, mine, found)


def _packed_for(
    argument: BlockArgument, calls: Sequence[graph.CallOp], packed: Mapping[str, PackedWeight]
) -> PackedWeight | None:
    """Return the packed form of the weight that all `calls` pass as `argument`, if the kernel only looks rows up."""
    owners = [call.operands[argument.index].owner for call in calls]
    hashes = {owner.hash.data for owner in owners if isinstance(owner, graph.WeightOp)}
    found = packed.get(next(iter(hashes))) if len(hashes) == 1 else None
    if found is None or not found.is_simple or any(owner is found.weight for owner in owners):
        return None
    return found if is_looked_up(argument) else None


def is_looked_up(argument: BlockArgument) -> bool:
    """Return whether a kernel reads `argument` by looking elements up, and no otherwise."""
    return all(_tables(use.operation, argument) for use in argument.uses)


def lookups(argument: BlockArgument) -> list[tensor.ExtractOp]:
    """Return the lookups of elements of `argument`, a table of computations."""
    ops = {use.operation: None for use in argument.uses}
    tables = [table for op in ops for table in _tables(op, argument)]
    uses = [use.operation for table in tables for use in table.uses]
    return [op for op in uses if isinstance(op, tensor.ExtractOp)]


def _tables(op: Operation, argument: BlockArgument) -> list[BlockArgument]:
    """Return the arguments of the region of `op` that are the table `argument`; none if `op` reads it otherwise."""
    if not isinstance(op, tensor.ComputeOp) or argument in (*op.reads, *op.epilogue):
        return []
    block = op.apply.block
    first = len(block.args) - len(op.tables)
    tables = [block.args[first + number] for number, table in enumerate(op.tables) if table is argument]
    return tables if all(isinstance(use.operation, tensor.ExtractOp) for each in tables for use in each.uses) else []


def _read(func: FuncOp, argument: BlockArgument, calls: Sequence[graph.CallOp], packed: PackedWeight) -> None:
    type = packed.weight.y.type
    for op in {use.operation for use in argument.uses}:
        for table in _tables(op, argument):
            for extract in [use.operation for use in table.uses]:
                assert isinstance(extract, tensor.ExtractOp)
                places = [_place(extract, extract.indices[axis.axes[0]], axis) for axis in packed.axes]
                extract.operands = [table, *places]
            Rewriter.replace_value_with_new_type(table, type)
    Rewriter.replace_value_with_new_type(argument, type)
    inputs = [each.type for each in func.body.block.args]
    func.function_type = FunctionType.from_lists(inputs, func.function_type.outputs.data)
    for call in calls:
        old = call.operands[argument.index].owner
        call.operands[argument.index] = packed.weight.y
        if isinstance(old, graph.WeightOp) and not old.y.uses:
            Rewriter.erase_op(old)
    block = packed.weight.parent_block()
    assert block is not None
    packed.weight.detach()
    Rewriter.insert_op(packed.weight, InsertPoint.at_start(block))


def _place(extract: tensor.ExtractOp, index: SSAValue, axis: tensor.PackedAxis) -> SSAValue:
    """Return `index floordiv divisor mod modulus`."""
    if axis.divisor == 1 and not axis.modulus:
        return index
    ops: list[Operation] = [arith.IndexCastOp(index, i32)]
    if axis.divisor > 1:
        ops.append(count := arith.ConstantOp(IntegerAttr(axis.divisor.bit_length() - 1, i32)))
        ops.append(arith.ShRSIOp(ops[0].results[0], count))
    if axis.modulus:
        value = ops[-1].results[0]
        ops.append(mask := arith.ConstantOp(IntegerAttr(axis.modulus - 1, i32)))
        ops.append(arith.AndIOp(value, mask))
    ops.append(cast := arith.IndexCastOp(ops[-1].results[0], IndexType()))
    Rewriter.insert_op(ops, InsertPoint.before(extract))
    return cast.result
