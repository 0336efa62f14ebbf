"""A stage that a tensor intrinsic of the program computes, as `tensor.call_blocks`.

What the intrinsic declares of its buffers is checked: strides, gaps, what their position is a multiple of, and that
blocks are inside of their tensors.
"""

from collections.abc import Callable, Mapping
from math import prod

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IndexType, IntegerAttr, StringAttr, f64, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from s2s.dialects import graph, tensor
from s2s.errors import UnsupportedError
from s2s.tvm.te.block_match import BlockMatch, Region, strides_of
from s2s.tvm.te.buffers import Buffer, Call, Calls, Pointer
from s2s.tvm.te.expressions import Const, Expr, Tensor, Var
from s2s.tvm.te.nests import BlocksPart
from s2s.tvm.te.sizes import Bind, size_of
from s2s.tvm.te.stage import Stage
from s2s.types.affine import bounds, flat_index, linear, ranges
from s2s.types.dtypes import AnyTensor

_INT32 = 1 << 31


class BlockCalls:
    """The calls of a stage, with numbers in place of variables."""

    def __init__(self, part: BlocksPart, bind: Bind, header: str) -> None:
        self._match = BlockMatch(part.stage, part.body, part.loop, part.intrin, bind)
        self._intrin, self._bind, self._header = part.intrin, bind, header
        regions = [self._region(placeholder) for placeholder in part.intrin.inputs]
        self._regions = [self._match.result, *regions]
        self._known: dict[Var, int] = {}
        *inputs, result = part.intrin.buffers
        tensors = [part.intrin.op.output(0), *part.intrin.inputs]
        self._buffers = [result, *inputs]
        for buffer, declared, region in zip(self._buffers, tensors, self._regions, strict=True):
            self._check(buffer, declared, region)

    def op(self, values: Mapping[object, SSAValue], type_of: Callable[[Tensor], AnyTensor]) -> tensor.CallBlocksOp:
        """The operation; `values` holds the value of each tensor that it reads."""
        sizes, reduced = self._match.sizes, [n for n, axis in enumerate(self._match.loops) if axis.is_reduction]
        operands = [
            (
                type_of(region.tensor) if number == 0 else values[region.tensor.key],
                tensor.AccessAttr.of(AffineMap(len(sizes), 0, tuple(region.starts))),
                region.sizes,
            )
            for number, region in enumerate(self._regions)
        ]
        if not reduced:
            steps = self._calls(self._intrin.body, "body")
            return tensor.CallBlocksOp(sizes, reduced, operands, steps=steps, header=self._header)
        steps = self._calls(self._intrin.reduce_update, "reduce_update")
        starts, first = self._intrin.reduce_init, None
        if starts is None:
            first = self._calls(self._intrin.body, "body")
        return tensor.CallBlocksOp(
            sizes,
            reduced,
            operands,
            steps=steps,
            starts=None if starts is None else self._calls(starts, "reduce_init"),
            first=first,
            header=self._header,
        )

    def _region(self, placeholder: Tensor) -> Region:
        return self._match.regions[placeholder.op]

    def _check(self, buffer: Buffer, declared: Tensor, region: Region) -> None:
        """Refuse a buffer that does not fit the block that it is bound to; note what its variables are."""
        shape = [size_of(size, self._bind) for size in declared.shape]
        if [size_of(size, self._bind) for size in buffer.shape] != shape or buffer.dtype != declared.dtype:
            raise self._refusal(buffer, f"is no {declared.dtype}{shape}; declare it as the tensor that it is bound to")
        lead = len(region.sizes) - len(shape)
        extents = [size_of(size, self._bind) for size in region.tensor.shape]
        for start, size, extent in zip(region.starts, region.sizes, extents, strict=True):
            low, high = bounds(start, ranges(self._match.sizes))
            if low < 0 or high + size > extent:
                fact = f"blocks of {size} begin at {low} to {high} of {extent} positions of {region.tensor.name}"
                raise self._refusal(buffer, f"{fact}; choose loops that stay inside")
        actual = strides_of(region.tensor.shape, self._bind)
        wanted = buffer.strides or [prod(shape[number + 1 :]) for number in range(len(shape))]
        for number, (size, stride) in enumerate(zip(shape, wanted, strict=True)):
            mine = actual[lead + number]
            if isinstance(stride, Var) and self._known.setdefault(stride, mine) == mine:
                continue
            if isinstance(stride, Var) or (size > 1 and size_of(stride, self._bind) != mine):
                fact = f"dimension {number} of {region.tensor.name} has stride {mine}, and {stride} is declared"
                raise self._refusal(buffer, f'{fact}; declare strides=[te.var("s"), …]')
        form = linear(flat_index(region.starts, extents), ranges(self._match.sizes))
        if any(factor % buffer.offset_factor for factor in (form.constant, *form.terms.values())):
            raise self._refusal(buffer, f"does not begin at multiples of offset_factor {buffer.offset_factor}")

    def _refusal(self, buffer: Buffer, fact: str) -> Exception:
        return self._match.refusal(f"buffer {buffer.name} {fact}")

    def _calls(self, calls: Calls | None, what: str) -> list[tensor.BlockCallAttr]:
        if calls is None:
            raise self._match.refusal(f"a reduction is outside, and there is no {what}; return body, init and update")
        return [self._call(call) for call in calls]

    def _call(self, call: Call) -> tensor.BlockCallAttr:
        if call.packed:
            raise UnsupportedError(
                f"{call.function}: packed functions take whole tensors; call a C function, or use te.extern"
            )
        arguments: list[Attribute] = [self._argument(call, argument) for argument in call.arguments]
        return tensor.BlockCallAttr(StringAttr(call.function), ArrayAttr(arguments))

    def _argument(self, call: Call, argument: object) -> Attribute:
        """A block, or a number."""
        buffer = argument.buffer if isinstance(argument, Pointer) else argument
        if isinstance(buffer, Buffer):
            number = next((n for n, candidate in enumerate(self._buffers) if candidate is buffer), None)
            if number is None:
                raise self._match.refusal(f"{call.function} takes {buffer.name}, which is none of its buffers")
            if number and isinstance(argument, Pointer) and "w" in argument.access_mask:
                raise self._match.refusal(f"{call.function} writes {buffer.name}, an input; write the result alone")
            return IntegerAttr(number, IndexType())
        if isinstance(argument, Expr):
            argument = self._value(argument)
        if isinstance(argument, float):
            return FloatAttr(argument, f64)
        if isinstance(argument, int):
            return IntegerAttr(int(argument), i32 if -_INT32 <= argument < _INT32 else i64)
        raise self._match.refusal(f"{call.function} takes {argument!r}; give buffers and numbers")

    def _value(self, expr: Expr) -> int | float:
        if isinstance(expr, Const):
            return expr.value
        strides = {var.name: value for var, value in self._known.items()}
        return size_of(expr, {**self._bind, **strides})


def named(op: tensor.CallBlocksOp, stage: Stage) -> tensor.CallBlocksOp:
    """The operation with the name of its stage."""
    graph.set_provenance(op, [stage.op.name])
    op.res.name_hint = stage.op.name.replace(".", "_")
    return op
