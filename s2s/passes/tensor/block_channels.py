"""Store activations between kernels in blocks of channels, as wide as the target's vectors.

    %a = graph.call @conv(%x, %w) : … -> tensor<1x64x56x56xf32>
    @conv: tensor.compute [1, 64, 56, 56 | 64, 3, 3]
             reads(%x at (n, o, h, w, i, r, s) -> (n, i, h + r - 1, w + s - 1), …)
->
    %a = graph.call @conv(%x, %w) {blocked = array<i64: 1, 4, 56, 56, 16>} : … -> tensor<1x4x56x56x16xf32>
    @conv: tensor.compute [1, 4, 56, 56, 16 | 4, 16, 3, 3]
             reads(%x at (n, o, h, w, p, j, q, r, s) -> (n, j, h + r - 1, w + s - 1, q), …)

The layout NCHW[n]c of the field, with no knowledge of operators: a layout is a change of access maps. A consumer's maps
are composed with the block and its place; a producer's domain is split and permuted, so that its results still come in
row-major order; a dimension that walks over blocks is split as well. Vectors then run along the place in the block, in
convolutions, pools and elementwise kernels alike, and neighbouring pixels lie side by side.

A tensor is blocked when it goes from kernel to kernel only, is of rank 4, has more than one pixel, and its channels
fill the blocks; and only where every kernel that touches it, and every other tensor in the same place of a shared
kernel, can follow. Declined for targets without vectors, for the network's inputs and outputs, around kernels whose
regions ask for an index, and where a kernel shows that channels come last already: it slides a window along the second
dimension, or reduces the last one alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FunctionType, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.affine import linear, ranges, simplify
from s2s.analysis.compute import DIM_NAMES, body_ops, dim_names, shape_of
from s2s.analysis.constants import calls_of
from s2s.analysis.dtypes import AnyTensor, as_tensor_type, tensor_type
from s2s.analysis.strides import vectorizable
from s2s.dialects import graph, tensor
from s2s.passes.tensor.build_compute import slots
from s2s.targets import get_target

BLOCKED = "blocked"
"""Discardable attribute of a call: the shape `[N, C / b, H, W, b]` of its result, where that is blocked."""

CHANNEL = 1
Slot = tuple[str, int]
"""A place in the signature of a kernel: its name and an argument number, or -1 - n for result n."""


def blocked_shape(shape: Sequence[int], block: int) -> tuple[int, ...]:
    """`[N, C, H, W]` as `[N, C / block, H, W, block]`."""
    return (shape[0], shape[1] // block, *shape[2:], block)


class Groups:
    """Values and kernel slots that must all be blocked, or none of them (a union-find)."""

    def __init__(self) -> None:
        self._parent: dict[object, object] = {}

    def find(self, item: object) -> object:
        """The representative of the group of `item`."""
        parent = self._parent.setdefault(item, item)
        while parent != self._parent[parent]:
            parent = self._parent[parent]
        self._parent[item] = parent
        return parent

    def join(self, a: object, b: object) -> None:
        """Put both into one group."""
        self._parent[self.find(a)] = self.find(b)


class BlockChannels:
    """Decides for one module, then rewrites it."""

    def __init__(self, module: ModuleOp, lanes: int) -> None:
        self.lanes = lanes
        self.calls = [call for calls in calls_of(module).values() for call in calls]
        functions = {func.sym_name.data: func for func in module.ops if isinstance(func, FuncOp)}
        self.kernels = {name: functions[name] for name in {_callee(call) for call in self.calls}}
        self.groups = Groups()
        self.refused: set[object] = set()

    def run(self) -> None:
        """Block what can be blocked."""
        self._group()
        chosen = {value for value in self._values() if self.groups.find(value) not in self.refused}
        slots_chosen = {slot: self._block_of(value) for value in chosen for slot in self._slots(value)}
        for name, func in self.kernels.items():
            mine = {number: block for (kernel, number), block in slots_chosen.items() if kernel == name}
            if mine:
                BlockKernel(func, mine).run()
        for value in chosen:
            assert isinstance(value.owner, graph.CallOp)
            new_type = _blocked_type(value.type, self._block_of(value))
            value.owner.attributes[BLOCKED] = tensor.integers(new_type.get_shape())
            Rewriter.replace_value_with_new_type(value, new_type)

    def _values(self) -> Iterable[SSAValue]:
        return (result for call in self.calls for result in call.results)

    def _slots(self, value: SSAValue) -> list[Slot]:
        assert isinstance(value.owner, graph.CallOp)
        found: list[Slot] = [(_callee(value.owner), -1 - value.owner.results.index(value))]
        found += [(_callee(use.operation), use.index) for use in value.uses if isinstance(use.operation, graph.CallOp)]
        return found

    def _group(self) -> None:
        for value in self._values():
            for slot in self._slots(value):
                self.groups.join(value, slot)
        for call in self.calls:
            for number, operand in enumerate(call.operands):
                if not isinstance(operand.owner, graph.CallOp):
                    self.refused.add((_callee(call), number))
        self.refused |= {value for value in self._values() if not self._suits(value)}
        self.refused |= {slot for value in self._values() for slot in self._slots(value) if not self._follows(slot)}
        self.refused = {self.groups.find(item) for item in self.refused}

    def _block_of(self, value: SSAValue) -> int:
        """The widest block that the channels fill: a vector, or half of one; 0 where neither does."""
        channels = shape_of(value)[CHANNEL]
        return next((block for block in (self.lanes, self.lanes // 2) if block > 2 and channels % block == 0), 0)

    def _suits(self, value: SSAValue) -> bool:
        """Whether a tensor of main has the right shape and stays among kernels."""
        shape = shape_of(value)
        return (
            len(shape) == 4
            and self._block_of(value) > 0
            and prod(shape[2:]) > 1
            and all(isinstance(use.operation, graph.CallOp) for use in value.uses)
        )

    def _follows(self, slot: Slot) -> bool:
        """Whether a kernel can read or write the blocks in that place."""
        name, number = slot
        func = self.kernels[name]
        if func.is_declaration:
            return False
        computes = [op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp)]
        if any(isinstance(inner, tensor.IndexOp) for op in computes for inner in body_ops(op)):
            return False
        if number >= 0:
            argument = func.body.block.args[number]
            return all(
                argument not in op.tables and _undivided(op, argument) and not _channels_last(op, argument)
                for op in computes
            )
        last = func.body.block.last_op
        assert isinstance(last, ReturnOp)
        value = last.arguments[-1 - number]
        owner = value.owner
        return (
            isinstance(owner, tensor.ComputeOp)
            and len(owner.res) == 1
            and owner.parallel_sizes == shape_of(value)
            and vectorizable(owner)
            and not any(value in op.operands for op in computes)
        )


def _undivided(op: tensor.ComputeOp, value: SSAValue) -> bool:
    operands = [*slots(op.reads, op.read_accesses), *slots(op.points, op.point_accesses)]
    return all(access.division == (1,) * len(access.division) for operand, access in operands if operand is value)


def _channels_last(op: tensor.ComputeOp, value: SSAValue) -> bool:
    """Whether the reduction of `op` walks over `value` as over an image whose channels come last."""
    for operand, access in slots(op.reads, op.read_accesses):
        if operand is not value or len(shape_of(value)) != 4:
            continue
        _, second, third, last = (expr.used_dims() for expr in access.map.data.results)
        reduced = [any(dim >= op.rank for dim in dims) for dims in (second, third, last)]
        if len(second) > 1 or reduced == [False, False, True]:
            return True
    return False


def _callee(call: object) -> str:
    assert isinstance(call, graph.CallOp)
    return call.callee.root_reference.data


def _blocked_type(type: Attribute, block: int) -> AnyTensor:
    old = as_tensor_type(type)
    return tensor_type(old.element_type, blocked_shape(old.get_shape(), block))


class BlockKernel:
    """Rewrites one kernel; `blocks` gives the block of every slot that has one."""

    def __init__(self, func: FuncOp, blocks: Mapping[int, int]) -> None:
        self.func, self.blocks = func, blocks

    def run(self) -> None:
        """Rewrite signature and computations."""
        entry = self.func.body.block
        for number, argument in enumerate(entry.args):
            if number in self.blocks:
                self._read_blocks(argument, self.blocks[number])
        last = entry.last_op
        assert isinstance(last, ReturnOp)
        for number, value in enumerate(last.arguments):
            if -1 - number in self.blocks:
                self._write_blocks(value, self.blocks[-1 - number])
        for op in entry.ops:
            if isinstance(op, tensor.ComputeOp):
                while (divided := _divided_dim(op)) is not None:
                    split_dim(op, *divided)
        self.func.function_type = FunctionType.from_lists(
            [argument.type for argument in entry.args], [value.type for value in last.arguments]
        )

    def _read_blocks(self, argument: BlockArgument, block: int) -> None:
        new_type = _blocked_type(argument.type, block)
        for op in dict.fromkeys(use.operation for use in argument.uses):
            if isinstance(op, tensor.ComputeOp):
                operands = [*op.reads, *op.points]
                accesses = [
                    self._blocked_access(access, op, number, block) if operand is argument else access
                    for number, (operand, access) in enumerate(zip(operands, op.accesses, strict=True))
                ]
                op.properties["accesses"] = ArrayAttr(accesses)
        Rewriter.replace_value_with_new_type(argument, new_type)

    def _blocked_access(
        self, access: tensor.AccessAttr, op: tensor.ComputeOp, number: int, block: int
    ) -> tensor.AccessAttr:
        sizes = op.sizes if number < len(op.reads) else op.parallel_sizes
        n, c, h, w = access.map.data.results
        results = tuple(simplify(expr, ranges(sizes)) for expr in (n, c // block, h, w, c % block))
        affine_map = AffineMap(access.map.data.num_dims, 0, results)
        return tensor.AccessAttr.of(affine_map, guarded=access.is_guarded)

    def _write_blocks(self, value: SSAValue, block: int) -> None:
        """Split the channel dimension of the producer and move its inner half behind the pixels."""
        op = value.owner
        assert isinstance(op, tensor.ComputeOp)
        new_type = _blocked_type(value.type, block)
        split_dim(op, CHANNEL, block, inner_at=op.rank)
        Rewriter.replace_value_with_new_type(value, new_type)


def _divided_dim(op: tensor.ComputeOp) -> tuple[int, int] | None:
    """A dimension that some access still divides into blocks, and their size."""
    for access in op.accesses:
        for expr in access.map.data.results:
            for atom in linear(expr, ranges(op.sizes)).terms:
                if not isinstance(atom, AffineBinaryOpExpr) or not isinstance(atom.lhs, AffineDimExpr):
                    continue
                dim, block = atom.lhs.position, atom.rhs
                divides = atom.kind in (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.Mod)
                if divides and isinstance(block, AffineConstantExpr) and op.sizes[dim] % block.value == 0:
                    return dim, block.value
    return None


def split_dim(op: tensor.ComputeOp, dim: int, block: int, inner_at: int | None = None) -> None:
    """Make `dim` of `op` two: blocks in its place, and places in a block at `inner_at` (right behind, by default)."""
    inner = dim + 1 if inner_at is None else inner_at
    old, names = op.sizes, dim_names(op)
    sizes = [size // block if d == dim else size for d, size in enumerate(old)]
    sizes.insert(inner, block)
    names.insert(inner, f"{names[dim]}{block}")
    moved: list[AffineExpr] = [AffineDimExpr(d if d < inner else d + 1) for d in range(len(old))]
    moved[dim] = AffineDimExpr(dim) * block + AffineDimExpr(inner)
    rank = op.rank + (dim < op.rank)
    accesses: list[tensor.AccessAttr] = []
    for number, access in enumerate(op.accesses):
        count = len(sizes) if number < len(op.reads) else rank
        results = tuple(
            simplify(expr.replace_dims_and_symbols(moved, ()), ranges(sizes[:count]))
            for expr in access.map.data.results
        )
        affine_map = AffineMap(count, 0, results)
        accesses.append(tensor.AccessAttr.of(affine_map, guarded=access.is_guarded, divisors=access.division))
    op.properties["domain"] = tensor.integers(sizes)
    op.properties["parallel"] = IntegerAttr(rank, 64)
    op.properties["accesses"] = ArrayAttr(accesses)
    op.attributes[DIM_NAMES] = StringAttr(" ".join(names))


@dataclass(frozen=True)
class BlockChannelsPass(ModulePass):
    name = "tensor-block-channels"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lanes = get_target(self.target).lanes
        if lanes > 1:
            BlockChannels(op, lanes).run()
