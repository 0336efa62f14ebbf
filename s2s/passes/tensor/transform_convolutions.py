"""Compute convolutions of three taps along one axis or two by Winograd's algorithm, which needs fewer multiplications.

    %y = tensor.compute [oc, oh, ow, oc16 | ic, ic16, kh, kw] reads(%x …, %w …) epilogue(%bias …) … apply { relu … }
->
    %v = tensor.transform [ty, tx, ic, ic16] … read(%x at (4 * ty + k - 1, 4 * tx + l - 1))   // B^T d B of each tile
    %m = tensor.compute [36, tiles, channels | channels] reads(%v …, %w …)                    // 36 matrix products
    %y = tensor.transform [ty, tx, oc, oc16] … epilogue(%bias …) into (4 * ty + i, 4 * tx + j)  // A^T m A, old epilogue
    // main: the weight becomes G g G^T, on the host: 36 numbers for 9

F(4x4, 3x3) takes 36 products where the convolution takes 144, F(2x2, 3x3) 16 instead of 36. Bytes in words have tiles
along one axis, too: F(2, 3) takes 4 products instead of 6, or 12 instead of 18 of a 3x3 window, whose columns are
summed with the channels. Tiles that extend beyond the image read zeros there, and do not store their surplus results.
Which of them is used, if any, is a decision (`s2s/decisions/algorithm.py`), by default that of a cost model, from
shapes and target data; `outputs` selects one. Results differ from those of direct convolution in the last digits.

Bytes are computed exactly: factors in 16 bits, products summed in 32. Filters are transformed at several times their
size, by whose square the last step divides. For 2, 5, 7, 1 and the filter 3, 1, 2 of one dimension: factors -5, 12, 2,
4 and, doubled, 6, 6, 4, 4 give products -30, 72, 8, 16 and results (-30 + 72 + 8) / 2 = 25, (72 - 8 - 16) / 2 = 24.
Cores without vectors transform images two numbers in a word, and multiply two pairs of a word each.

Where channels are not contiguous, as in inputs and outputs of the network, the kernel copies image or result.

Declined for floats on targets without vectors or with `exact`, for other windows, strides and element types, where the
filter is no weight or has another reader, where channels do not fill vectors or words, and for bytes on targets without
products of 16 bits or with sums that could leave the bits that an exact division leaves.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    f32,
    i16,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.constants import calls_of, constant_arguments, constant_bytes
from s2s.analysis.structure.compute import DIM_NAMES, shape_of
from s2s.analysis.structure.convolutions import Convolution, convolution_of
from s2s.analysis.structure.extents import reshaped
from s2s.analysis.structure.winograd import Rows, Tiling, plane_filter
from s2s.decisions.algorithm import ALGORITHM, AlgorithmKind, FilteredConvolution, chosen_outputs, plan_within
from s2s.decisions.chooser import Chooser
from s2s.decisions.keys import computation_keys, nodes_of_kernel
from s2s.dialects import graph, tensor
from s2s.dialects.graph.traits import copy_provenance
from s2s.errors import CompilerBug
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.tensor.build_compute import copy_region
from s2s.passes.tensor.channels_last import channels_last, copied_elements
from s2s.passes.tensor.remade_weights import remake_weight
from s2s.schedules.convolutions import ONE, Outputs, tiles_of
from s2s.schedules.transforms import fills_vectors
from s2s.schedules.wide_products import wide_intrinsic
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.affine import at_dims, ranges, simplify
from s2s.types.dtypes import tensor_type
from s2s.types.sizes import VARIES, extents_attribute
from s2s.types.weights import Array, WeightStore

UNLIMITED = -1


class TransformConvolution:
    """Builds the three computations that replace one convolution."""

    def __init__(self, tiling: Tiling) -> None:
        self.tiling, self.conv, self.filter = tiling, tiling.conv, tiling.filter
        self.op = self.conv.op
        self.factor, self.sum = factor_types(self.conv)
        self.in_words = tiling.in_words

    def ops(self, weights: SSAValue) -> list[tensor.Computation]:
        """Insert the computations; `weights` are the transformed weights."""
        first = self._first()
        products = self._products(first.res, weights)
        last = self._last(products.res[0])
        for op in (first, products, last):
            copy_provenance(op, self.op)
        return [first, products, last]

    @property
    def _summed(self) -> int:
        """The number of factors that one result of the products sums."""
        return self.filter.terms * self.conv.in_channels

    def _first(self) -> tensor.TransformOp:
        conv, tiling = self.conv, self.tiling
        rows, columns = self.filter
        channels = conv.in_dims
        box = ranges([*tiling.domain(channels), rows.size, columns.size])
        access = self.op.read_accesses[conv.x]
        place = tiling.moved(channels, into=False)
        moved = [simplify(at_dims(expr, place), box) for expr in access.map.data.results]
        read = tensor.AccessAttr.of(AffineMap(len(box), 0, tuple(moved)), guarded=access.is_guarded or tiling.overhangs)
        into = tensor.AccessAttr.of(tiling.factors(conv.channel(conv.in_axis), channels, rows.size))
        block = Block(arg_types=[self.factor if self.in_words else self.sum])
        block.add_op(tensor.YieldOp(self._as_factor(block.args[0], block)))
        op = tensor.TransformOp(
            tiling.domain(channels),
            _matrix(rows.data),
            _matrix(columns.data),
            (conv.image, read),
            into,
            Region(block),
            tensor_type(self.factor, (self.filter.products, tiling.tiles, self._summed)),
            offset=conv.offset,
        )
        op.attributes[DIM_NAMES] = tiling.names(channels)
        op.res.name_hint = "v"
        return op

    def _as_factor(self, value: SSAValue, block: Block) -> SSAValue:
        """Truncate an integer to 16 bits, which hold the sum of four bytes with their offsets."""
        if value.type == self.factor:
            return value
        narrow = arith.TruncIOp(value, i16)
        block.add_op(narrow)
        return narrow.result

    def _multiply(self, block: Block) -> SSAValue:
        """Add the product of two factors to the accumulator; sums of integers wrap around."""
        if self.factor == f32:
            product = arith.MulfOp(block.args[0], block.args[1])
            total = arith.AddfOp(block.args[2], product.result)
            block.add_ops([product, total])
            return total.result
        wide = [arith.ExtSIOp(each, i32) for each in block.args[:2]]
        times = arith.MuliOp(wide[0].result, wide[1].result)
        plus = arith.AddiOp(block.args[2], times.result)
        block.add_ops([*wide, times, plus])
        return plus.result

    def _products(self, v: SSAValue, weights: SSAValue) -> tensor.ComputeOp:
        conv = self.conv
        parallel = (self.filter.products, self.tiling.tiles, conv.out_channels)
        f, t, o, i = map(AffineDimExpr, range(4))
        reduce = Block(arg_types=[self.factor, self.factor, self.sum])
        reduce.add_op(tensor.YieldOp(self._multiply(reduce)))
        apply = Block(arg_types=[self.sum])
        apply.add_op(tensor.YieldOp(apply.args[0]))
        op = tensor.ComputeOp(
            parallel,
            [self._summed],
            reads=[
                (v, tensor.AccessAttr.of(AffineMap(4, 0, (f, t, i)))),
                (weights, tensor.AccessAttr.of(AffineMap(4, 0, (f, o, i)))),
            ],
            inits=[FloatAttr(0.0, f32) if self.sum == f32 else IntegerAttr(0, i32)],
            reduce=Region(reduce),
            apply=Region(apply),
            result_types=[tensor_type(self.sum, parallel)],
        )
        op.attributes[DIM_NAMES] = StringAttr("f tile oc ic")
        op.res[0].name_hint = "m"
        return op

    def _last(self, products: SSAValue) -> tensor.TransformOp:
        conv, tiling, op = self.conv, self.tiling, self.op
        rows, columns = self.filter
        channels = conv.out_dims
        box = ranges([*tiling.domain(channels), *self.filter.outputs])
        moved = tiling.moved(channels, into=True)[: op.rank]

        def access(results: Sequence[AffineExpr], *, guarded: bool = False) -> tensor.AccessAttr:
            exprs = tuple(simplify(at_dims(expr, moved), box) for expr in results)
            return tensor.AccessAttr.of(AffineMap(len(box), 0, exprs), guarded=guarded)

        block = Block(arg_types=[self.sum, *(tensor.element_type(value) for value in op.epilogue)])
        for argument, old in zip(block.args, op.apply.block.args, strict=True):
            argument.name_hint = old.name_hint
        block.add_op(tensor.YieldOp(*copy_region(op.apply, block.args, block)))
        epilogue = zip(op.epilogue, op.epilogue_accesses, strict=True)
        made = tensor.TransformOp(
            tiling.domain(channels),
            _matrix(rows.result),
            _matrix(columns.result),
            (products, tensor.AccessAttr.of(tiling.factors(conv.channel(conv.out_axis), channels, rows.products))),
            access(_result_axes(op), guarded=tiling.overhangs),
            Region(block),
            op.res[0].type,
            epilogue=[(value, access(own.map.data.results)) for value, own in epilogue],
            divisor=self.filter.scale,
        )
        made.attributes[DIM_NAMES] = tiling.names(channels)
        if op.extents is not None:
            extents = reshaped(op.parallel_sizes, op.sizes_at_run_time[: op.rank], shape_of(op.res[0]))
            made.attributes[VARIES] = extents_attribute(extents)
        made.res.name_hint = op.res[0].name_hint
        return made


def _matrix(rows: Rows) -> DenseIntOrFPElementsAttr:
    return tensor.matrix_attribute([[float(value) for value in row] for row in rows])


def factor_types(conv: Convolution) -> tuple[Attribute, Attribute]:
    """Return the types of the factors and of their sums: f32, or 16 and 32 bits for bytes."""
    return (i16, i32) if conv.in_integers else (f32, f32)


def _result_axes(op: tensor.ComputeOp) -> list[AffineExpr]:
    """Return the dimension of `op` that indexes each axis of its result; zero for axes of size one."""
    dims = iter([dim for dim in range(op.rank) if op.sizes[dim] > 1])
    return [AffineDimExpr(next(dims)) if size > 1 else AffineConstantExpr(0) for size in shape_of(op.res[0])]


def _keeps_axes(op: tensor.ComputeOp) -> bool:
    """Return whether the axes of the result are exactly the parallel dimensions of `op`."""
    return [size for size in shape_of(op.res[0]) if size > 1] == [size for size in op.parallel_sizes if size > 1]


class TransformKernel:
    """Rewrites the convolutions of one kernel, and the weights that its calls pass."""

    def __init__(self, func: FuncOp, calls: Sequence[graph.CallOp], weights: WeightStore) -> None:
        self.func, self.calls, self.weights = func, calls, weights

    def replace(self, tiling: Tiling) -> None:
        """Replace the convolution by its three computations."""
        conv = tiling.conv
        argument = conv.filter
        assert isinstance(argument, BlockArgument)
        factor, _ = factor_types(conv)
        new_type = tensor_type(
            factor, (tiling.filter.products, conv.out_channels, tiling.filter.terms * conv.in_channels)
        )
        axes = [conv.out_axis, conv.in_axis, *conv.tap_axes]
        axes += [axis for axis in range(len(shape_of(conv.filter))) if axis not in axes]
        ops = TransformConvolution(tiling).ops(argument)
        Rewriter.insert_op(ops, InsertPoint.before(conv.op))
        Rewriter.replace_op(conv.op, [], [ops[-1].results[0]])

        def transformed(values: Array) -> Array:
            filters = np.transpose(values, axes).reshape(conv.out_channels, conv.in_channels, *conv.taps)
            return tiling.filter.transformed(filters)

        remake_weight(argument, new_type, transformed, self.calls, self.weights, suffix="transformed")
        self.func.function_type = FunctionType.from_lists(
            [each.type for each in self.func.body.block.args], self.func.function_type.outputs.data
        )


@frozen
class TransformConvolutionsPass(ModulePass):
    name = "tensor-transform-convolutions"

    target: str = "c"
    outputs: int = 0
    """Size of an output tile along each side; 0 leaves the choice to the cost model, which may decline."""
    exact: bool = False
    """Whether floats are summed as direct convolution does: then only bytes have a choice."""
    flash: int = UNLIMITED
    """Bytes that the filters of all tiles may take beyond the filters of direct convolution."""
    ram: int = UNLIMITED
    """Bytes of RAM that the network may take."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        if target.lanes < 4 and wide_intrinsic(target) is None:
            return
        calls, network = calls_of(op), constant_bytes(op)
        found: dict[FuncOp, list[Convolution]] = {}
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                found[func] = self._convolutions(func, constant_arguments(func, calls), target)
        subjects = [
            each for func, convs in found.items() for each in self._subjects(func, convs, calls, target, network)
        ]
        if self.flash != UNLIMITED:
            plan = plan_within(subjects, target, self.flash)
            subjects = [each._replace(planned=name) for each, name in zip(subjects, plan, strict=True)]
        with Chooser(given_of(ctx), target) as chooser:
            for subject in subjects:
                chooser.choose(AlgorithmKind(), subject)
        for func, convs in found.items():
            _obey(TransformKernel(func, calls.get(func.sym_name.data, []), weights_of(ctx)), convs, target)

    def _subjects(
        self,
        func: FuncOp,
        convolutions: Sequence[Convolution],
        calls: Mapping[str, list[graph.CallOp]],
        target: Target,
        network: int,
    ) -> list[FilteredConvolution]:
        """Return the decisions of a kernel: its convolutions that Winograd's algorithm can compute."""
        keys = computation_keys(func, [conv.op for conv in convolutions], calls, target)
        nodes, ram = nodes_of_kernel(func, calls), None if self.ram == UNLIMITED else self.ram
        return [
            FilteredConvolution(
                conv,
                func,
                key,
                nodes,
                network,
                copied_elements(conv),
                tiles_of(conv, target),
                self.outputs or None,
                ram=ram,
            )
            for conv, key in zip(convolutions, keys, strict=True)
        ]

    def _convolutions(self, func: FuncOp, constants: frozenset[SSAValue], target: Target) -> list[Convolution]:
        convolutions = _convolutions(func, constants, target)
        return [conv for conv in convolutions if conv.in_integers or not self.exact]


def _convolutions(func: FuncOp, constants: frozenset[SSAValue], target: Target) -> list[Convolution]:
    """Return the convolutions of a kernel that Winograd's algorithm can compute."""
    found: list[Convolution] = []
    for op in func.body.block.ops:
        conv = convolution_of(op) if isinstance(op, tensor.ComputeOp) and op.schedule is None else None
        if conv is None or not tiles_of(conv, target) or conv.filter not in constants or not conv.filter.has_one_use():
            continue
        if _keeps_axes(conv.op) and fills_vectors(conv, target) and _has_products(conv, target):
            found.append(conv)
    return found


def _has_products(conv: Convolution, target: Target) -> bool:
    """Return whether the target has products for the factors of a convolution; products of bytes want pairs of 16 bits,
    in words that the input channels fill. Vectors of integers alone multiply bytes as fast directly."""
    if not conv.in_integers:
        return target.lanes > 1
    intrinsic = None if target.integer_lanes else wide_intrinsic(target)
    return intrinsic is not None and conv.in_channels % intrinsic.group == 0


def _obey(kernel: TransformKernel, convolutions: Sequence[Convolution], target: Target) -> None:
    """Rewrite the convolutions of a kernel as decided."""
    for conv in convolutions:
        outputs = chosen_outputs(conv.op)
        del conv.op.attributes[ALGORITHM]
        if outputs != ONE:
            kernel.replace(_tiling(conv, outputs, target))


def _tiling(conv: Convolution, outputs: Outputs, target: Target) -> Tiling:
    """Return the tiling of a convolution, after inserting channels-last copies where it needs them."""
    beside = convolution_of(channels_last(conv))
    if beside is None:
        raise CompilerBug(f"{conv.op.name}: a convolution on copies is none any more")
    made = plane_filter(outputs, beside.taps, integers=beside.in_integers)
    return Tiling(beside, made, target.lanes == 1)
