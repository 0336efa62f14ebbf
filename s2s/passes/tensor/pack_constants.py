"""Rearrange constants into the packed layout that their kernel's schedule asks for.

    %w = graph.weight "w" : tensor<64x16xf32>                        // main
    tensor.compute … reads(%x …, %w at (o, p, i) -> (o, i)) …
      schedule #tensor.schedule<[… cache_read<1 packed [0 floordiv 32, 1, 0 mod 32]>]>
->
    %w = graph.weight "w_packed" : tensor<2x16x32xf32>
    tensor.compute … reads(%x …, %w at (o, p, i) -> (o floordiv 32, i, o mod 32)) …

Several axes of a weight may be packed as one: `(2 3 1) floordiv 4` combines window and channels of a convolution.
The host rearranges the values at compile time, and pads partial blocks with zeros. Kernels that look up rows of the
same weight read its packed form too (`packed_tables.py`). Packing anything but a weight with this computation as its
only reader is an error in the schedule.
"""

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.network.functions import device_of
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.packed_layouts import packed_access, packed_shape
from s2s.dialects import graph, tensor
from s2s.errors import CompilerBug
from s2s.passes.context import weights_of
from s2s.passes.tensor.packed_tables import PackedWeight, read_packed
from s2s.passes.tensor.remade_weights import remake_weight
from s2s.schedules.directives.cache_read import without_packs
from s2s.types.dtypes import as_tensor_type, tensor_type
from s2s.types.weights import Array, WeightStore


class Packing:
    """Packs arrays of one shape as `axes`."""

    def __init__(self, shape: Sequence[int], axes: Sequence[tensor.PackedAxis]) -> None:
        self.shape = packed_shape(shape, axes)
        groups = list(dict.fromkeys(axis.axes for axis in axes))
        places = [[place for place, axis in enumerate(axes) if axis.axes == group] for group in groups]
        placed = [place for group in places for place in group]
        self._axes = [each for group in groups for each in group]
        self._extents = [prod(shape[each] for each in group) for group in groups]
        positions = [
            _positions([axes[place] for place in group], [self.shape[place] for place in group]) for group in places
        ]
        self._moved = [
            (axis, taken) for axis, taken in enumerate(positions) if not _in_order(taken, self._extents[axis])
        ]
        self._split = [self.shape[place] for place in placed]
        self._order = [placed.index(place) for place in range(len(placed))]

    def pack(self, array: Array) -> Array:
        """`array` packed, read-only; a splat without padding stays a splat."""
        if array.size and not any(array.strides) and prod(self.shape) == array.size:
            return np.broadcast_to(array.reshape(-1)[:1].reshape(()), self.shape)
        packed = array.transpose(self._axes).reshape(self._extents)
        for axis, positions in self._moved:
            packed = _take(packed, axis, positions)
        return np.asarray(packed.reshape(self._split).transpose(self._order), order="C")


def _positions(axes: Sequence[tensor.PackedAxis], sizes: Sequence[int]) -> Array:
    """For each position in a packed block: the row-major index into the original axes that `axes` combine."""
    digits = np.ix_(*(np.arange(size) * axis.divisor for axis, size in zip(axes, sizes, strict=True)))
    return sum(digits, np.zeros(sizes, dtype=np.int64)).reshape(-1)


def _in_order(positions: Array, size: int) -> bool:
    return np.array_equal(positions, np.arange(size))


def _take(array: Array, axis: int, positions: Array) -> Array:
    """Return the elements of `array` at `positions` along `axis`, zeros for positions past the end."""
    size = array.shape[axis]
    taken = array.take(np.minimum(positions, size - 1), axis)
    np.moveaxis(taken, axis, 0)[np.greater_equal(positions, size)] = 0
    return taken


class PackConstants:
    """Packs the constants of one kernel, and the weights that its calls pass."""

    def __init__(self, func: FuncOp, calls: Sequence[graph.CallOp], weights: WeightStore) -> None:
        self.func, self.calls, self.weights = func, calls, weights
        self.packed: dict[str, PackedWeight] = {}
        """The packed weights by the hashes of the weights that they are made of."""

    def run(self, constants: frozenset[SSAValue]) -> None:
        """Pack what the schedules of the kernel's computations pack; `constants` are its constant arguments."""
        for compute in self.func.body.block.ops:
            if not isinstance(compute, tensor.ComputeOp) or compute.schedule is None:
                continue
            for number, axes in compute.schedule.on(compute).packs:
                if compute.operands[number] not in constants:
                    raise CompilerBug(
                        f"{self.func.sym_name.data}: operand {number} is packed, but is no constant; the verifier "
                        "refuses that"
                    )
                self.pack_operand(compute, number, axes)
            compute.properties["schedule"] = without_packs(compute.schedule)
        self.func.function_type = FunctionType.from_lists(
            [argument.type for argument in self.func.body.block.args], self.func.function_type.outputs.data
        )

    def pack_operand(self, op: tensor.ComputeOp, number: int, axes: Sequence[tensor.PackedAxis]) -> None:
        """Pack operand `number` of `op` as `axes`."""
        argument, before = op.operands[number], op.accesses.data[number]
        if not isinstance(argument, BlockArgument) or before.is_guarded:
            raise CompilerBug(
                f"{self.func.sym_name.data}: operand {number} is packed, but reads may miss it; the verifier refuses "
                "that"
            )
        shape = packed_shape(shape_of(argument), axes)
        access = packed_access(before, shape_of(argument), axes, op.sizes)
        accesses = [access if k == number else old for k, old in enumerate(op.accesses)]
        packed_type = tensor_type(as_tensor_type(argument.type).element_type, shape)
        op.properties["accesses"] = ArrayAttr(accesses)
        packing = Packing(shape_of(argument), axes)
        hashes = [_weight(call, argument).hash.data for call in self.calls]
        remake_weight(argument, packed_type, packing.pack, self.calls, self.weights, suffix="packed")
        for own, call in zip(hashes, self.calls, strict=True):
            self.packed[own] = PackedWeight(_weight(call, argument), axes, device_of(self.func))


def _weight(call: graph.CallOp, argument: BlockArgument) -> graph.WeightOp:
    """Return the weight that `call` passes as `argument` of its kernel."""
    weight = call.operands[argument.index].owner
    assert isinstance(weight, graph.WeightOp)
    return weight


class PackConstantsPass(ModulePass):
    name = "tensor-pack-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        calls, packed = calls_of(op), dict[str, PackedWeight]()
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            kernel = PackConstants(func, calls.get(func.sym_name.data, []), weights_of(ctx))
            kernel.run(constant_arguments(func, calls))
            packed |= kernel.packed
        read_packed(op, calls, packed)
