"""Build a `tensor.compute` from operands and regions of other computations."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from s2s.analysis.structure.compute import DIM_NAMES
from s2s.dialects import tensor
from s2s.dialects.graph.traits import copy_provenance
from s2s.dialects.tensor.compute import attribute_type
from s2s.errors import CompilerBug
from s2s.types.sizes import CUTS

Slot = tuple[SSAValue, tensor.AccessAttr]
Position = AffineDimExpr | AffineConstantExpr | SSAValue
"""The value of a dimension that a copied region reads by `tensor.index`."""
Item = TypeVar("Item")


class ComputeBuilder:
    """Builds one computation: register operands, each once; then copy regions of other computations."""

    def __init__(self, parallel: Sequence[int], reduction: Sequence[int], inits: Sequence[Attribute]) -> None:
        self.parallel, self.reduction, self.inits = list(parallel), list(reduction), list(inits)
        self.reads: list[Slot] = []
        self.epilogue: list[Slot] = []
        self.tables: list[SSAValue] = []
        self._reduce: Block | None = None
        self._apply = Block()

    def read(self, slot: Slot) -> int:
        """Register an operand of the reduce region; return its number."""
        return _register(self.reads, slot)

    def epilogue_operand(self, slot: Slot) -> int:
        """Register an operand of the apply region; return its number."""
        return _register(self.epilogue, slot)

    def table(self, value: SSAValue) -> int:
        """Register a table; return its number."""
        return _register(self.tables, value)

    def open(self) -> None:
        """Create the blocks of both regions, once all operands are registered."""
        accumulators = [attribute_type(init) for init in self.inits]
        tables = [table.type for table in self.tables]
        if self.reduction:
            elements = [tensor.element_type(value) for value, _ in self.reads]
            self._reduce = Block(arg_types=[*elements, *accumulators, *tables])
        elements = [tensor.element_type(value) for value, _ in self.epilogue]
        self._apply = Block(arg_types=[*accumulators, *elements, *tables])

    @property
    def reduce_block(self) -> Block:
        """The block of the reduce region."""
        if self._reduce is None:
            raise CompilerBug("a computation without reduction has no reduce region")
        return self._reduce

    @property
    def apply_block(self) -> Block:
        """The block of the apply region."""
        return self._apply

    def read_argument(self, number: int) -> BlockArgument:
        """Return the argument of the reduce region that holds read `number`."""
        return self.reduce_block.args[number]

    def epilogue_argument(self, number: int) -> BlockArgument:
        """Return the argument of the apply region that holds operand `number` of the epilogue."""
        return self._apply.args[len(self.inits) + number]

    def accumulators(self, block: Block) -> Sequence[BlockArgument]:
        """Return the arguments of `block` that hold the accumulators."""
        first = len(self.reads) if block is self._reduce else 0
        return block.args[first : first + len(self.inits)]

    def table_argument(self, block: Block, value: SSAValue) -> BlockArgument:
        """Return the argument of `block` that holds table `value`."""
        return block.args[len(block.args) - len(self.tables) + self.tables.index(value)]

    def finish(self, last: tensor.ComputeOp, *origins: tensor.ComputeOp, names: tensor.ComputeOp) -> tensor.ComputeOp:
        """Return the computation: results of `last`, names and extents of dimensions of `names`, nodes of `origins`."""
        return self._computation(list(last.res), [*origins, last], names)

    def finish_all(self, *ops: tensor.ComputeOp) -> tensor.ComputeOp:
        """Return the computation with the results of all `ops`, which run over the dimensions of the first one."""
        return self._computation([result for op in ops for result in op.res], ops, ops[0])

    def _computation(
        self, results: Sequence[SSAValue], origins: Sequence[tensor.ComputeOp], names: tensor.ComputeOp
    ) -> tensor.ComputeOp:
        op = tensor.ComputeOp(
            self.parallel,
            self.reduction,
            reads=self.reads,
            epilogue=self.epilogue,
            tables=self.tables,
            inits=self.inits,
            reduce=None if self._reduce is None else Region(self._reduce),
            apply=Region(self._apply),
            result_types=[result.type for result in results],
        )
        copy_provenance(op, *origins)
        if DIM_NAMES in names.attributes:
            op.attributes[DIM_NAMES] = names.attributes[DIM_NAMES]
        if names.extents is not None:
            op.properties["extents"] = names.extents
        if any(CUTS in origin.attributes for origin in origins):
            op.attributes[CUTS] = UnitAttr()
        for result, old in zip(op.res, results, strict=True):
            result.name_hint = old.name_hint
        return op


def _register(items: list[Item], item: Item) -> int:
    if item not in items:
        items.append(item)
    return items.index(item)


def _position(place: Position, block: Block) -> SSAValue:
    if isinstance(place, SSAValue):
        return place
    if isinstance(place, AffineDimExpr):
        op: Operation = tensor.IndexOp(place.position)
    else:
        op = arith.ConstantOp(IntegerAttr(place.value, IndexType()))
    block.add_op(op)
    return op.results[0]


def copy_region(
    region: Region,
    arguments: Sequence[SSAValue],
    block: Block,
    guards: Mapping[SSAValue, SSAValue] | None = None,
    positions: Mapping[int, Position] | None = None,
) -> list[SSAValue]:
    """Copy the operations of `region` to the end of `block`, its arguments replaced; return what it yields.

    An argument replaced by a computed value has no bounds of its own: `guards` maps it to the block argument that
    `tensor.in_bounds` tests instead. `positions` maps dimensions to the values that replace `tensor.index`.
    """
    values: dict[SSAValue, SSAValue] = dict(zip(region.block.args, arguments, strict=True))
    for op in region.block.ops:
        if isinstance(op, tensor.YieldOp):
            return [values[argument] for argument in op.arguments]
        if positions is not None and isinstance(op, tensor.IndexOp):
            values[op.result] = _position(positions[op.dim.value.data], block)
            continue
        copy: Operation = op.clone(value_mapper=dict(values))
        if isinstance(op, tensor.InBoundsOp) and guards is not None and op.value in guards:
            copy = tensor.InBoundsOp(guards[op.value])
        block.add_op(copy)
        values.update(zip(op.results, copy.results, strict=True))
    raise CompilerBug("a region of tensor.compute without tensor.yield")
