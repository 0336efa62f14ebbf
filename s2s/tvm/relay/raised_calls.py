"""Calls of operators of relay in the place of operations of the graph level with properties.

    graph.conv %x, %w, %b pads = [1, 1, 1, 1] …        nn.bias_add(nn.conv2d(%x, %w, padding=[1, 1, 1, 1], …), %b)

A rule tries the operator that programs would write; its call counts only if it is the same operation of the same
operands, so that no rule can change what is computed. What no rule fits keeps the name of the operation.
"""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.errors import S2SError
from s2s.tvm.relay import nn, op, reduce
from s2s.tvm.relay.expr import Expr, Tuple
from s2s.tvm.relay.graph_calls import GraphCall, remade
from s2s.tvm.relay.indexing import take
from s2s.types.dtypes import as_tensor_type, to_numpy

Rule = Callable[[Any, list[Expr]], Expr | None]


def raised(operation: GraphOp, args: list[Expr]) -> Expr | None:
    """The call of relay that is an operation of these operands; None where there is none."""
    rule = RULES.get(type(operation))
    if rule is None or len(operation.results) != 1:
        return None
    bias: Expr | None = None
    if isinstance(operation, graph.ConvOp | graph.ConvTransposeOp) and len(args) == 3:
        bias = args.pop()
    try:
        call = rule(operation, args)
        if call is None or not is_same(call, operation, args):
            return None
        axis = -1 if _layout(operation, len(call.shape)).endswith("C") else 1
        return call if bias is None else nn.bias_add(call, bias, axis)
    except S2SError:
        return None
    finally:
        if bias is not None:
            args.append(bias)


def is_same(call: Expr, operation: Operation, args: list[Expr]) -> bool:
    """Whether a call is made by one operation of these operands, which has the properties of another one."""
    value = call.value_of
    if not isinstance(value, GraphCall) or len(value.operands) != len(args):
        return False
    if any(left is not right for left, right in zip(value.operands, args, strict=True)):
        return False
    operation_of_call = remade(value)
    return (
        type(operation_of_call) is type(operation)
        and _told(operation_of_call) == _told(operation)
        and operation_of_call.results[0].type == operation.results[0].type
    )


def _told(operation: Operation) -> Mapping[str, object]:
    """The properties that say what is computed: not how many operands of a kind there are."""
    return {key: value for key, value in operation.properties.items() if key != "operandSegmentSizes"}


def _ints(attribute: Any) -> list[int]:
    return list(attribute.get_values())


def _layout(operation: Any, rank: int) -> str:
    """TVM's name of a layout: NCHW, NHWC, and so on by the number of dimensions."""
    spatial = "DHW"[-(rank - 2) :] if rank != 3 else "W"
    layout = getattr(operation, "layout", None)
    return f"N{spatial}C" if layout is not None and layout.data.endswith("last") else f"NC{spatial}"


def _by_rank(rank: int, *functions: Callable[..., Expr]) -> Callable[..., Expr] | None:
    """The function for one, two or three dimensions."""
    return functions[rank - 3] if 3 <= rank <= 5 else None


def _window(operation: Any, weight: Expr) -> dict[str, Any]:
    return {
        "strides": _ints(operation.strides),
        "padding": _ints(operation.pads),
        "dilation": _ints(operation.dilations),
        "groups": operation.groups.value.data,
        "kernel_size": list(weight.shape[2:]),
        "data_layout": _layout(operation, len(weight.shape)),
    }


def _conv(operation: Any, args: list[Expr]) -> Expr | None:
    function = _by_rank(len(args[0].shape), nn.conv1d, nn.conv2d, nn.conv3d)
    if function is None:
        return None
    return function(*args, channels=args[1].shape[0], **_window(operation, args[1]), out_dtype=_result(operation))


def _conv_transpose(operation: Any, args: list[Expr]) -> Expr | None:
    function = _by_rank(len(args[0].shape), nn.conv1d_transpose, nn.conv2d_transpose, nn.conv3d_transpose)
    if function is None:
        return None
    window = _window(operation, args[1])
    channels = args[1].shape[1] * window["groups"]
    return function(*args, channels=channels, **window, output_padding=_ints(operation.output_padding))


def _matmul(operation: Any, args: list[Expr]) -> Expr:
    a, b = args
    is_plain = operation.transpose_a is None and operation.transpose_b is not None
    if is_plain and len(b.shape) == 2:
        return nn.dense(a, b, out_dtype=_result(operation))
    if is_plain and len(a.shape) == len(b.shape) == 3:
        return nn.batch_matmul(a, b, out_dtype=_result(operation))
    flags = operation.transpose_a is not None, operation.transpose_b is not None
    return nn.matmul(a, b, None, _result(operation), *flags)


def _result(operation: Any) -> str:
    """The numpy name of the element type of the result."""
    return str(to_numpy(as_tensor_type(operation.results[0].type).element_type))


def _clamp(operation: Any, args: list[Expr]) -> Expr | None:
    low, high = _number(operation.min), _number(operation.max)
    if low == 0 and high is None:
        return nn.relu(args[0])
    return None if low is None or high is None else op.clip(args[0], low, high)


def _number(attribute: Any) -> float | None:
    return None if attribute is None else attribute.value.data


def _slice(operation: Any, args: list[Expr]) -> Expr:
    starts, sizes, steps = (_ints(values) for values in (operation.starts, operation.sizes, operation.strides))
    ends = [start + (size - 1) * step + 1 for start, size, step in zip(starts, sizes, steps, strict=True)]
    return op.strided_slice(args[0], starts, ends, None if set(steps) == {1} else steps)


def _pad(operation: Any, args: list[Expr]) -> Expr | None:
    if operation.mode.data != "constant":
        return None
    width = list(zip(_ints(operation.low), _ints(operation.high), strict=True))
    return nn.pad(args[0], width, _number(operation.value) or 0)


def _reduce(function: Callable[..., Expr]) -> Rule:
    return lambda operation, args: function(*args, _ints(operation.axes), operation.keepdims is not None)


def _pool(*functions: Callable[..., Expr]) -> Rule:
    def rule(operation: Any, args: list[Expr]) -> Expr | None:
        function = _by_rank(len(args[0].shape), *functions)
        if function is None:
            return None
        windows = (
            _ints(values) for values in (operation.kernel, operation.strides, operation.dilations, operation.pads)
        )
        keywords = (
            {"count_include_pad": any(_ints(operation.counted_pads))} if "counted_pads" in operation.properties else {}
        )
        return function(*args, *windows, _layout(operation, len(args[0].shape)), **keywords)

    return rule


RULES: Mapping[type[Operation], Rule] = {
    graph.AvgPoolOp: _pool(nn.avg_pool1d, nn.avg_pool2d, nn.avg_pool3d),
    graph.CastOp: lambda operation, args: op.cast(args[0], _result(operation)),
    graph.ClampOp: _clamp,
    graph.ConcatOp: lambda operation, args: op.concatenate(Tuple(args), operation.axis.value.data),
    graph.ConvOp: _conv,
    graph.ConvTransposeOp: _conv_transpose,
    graph.GatherOp: lambda operation, args: take(args[0], args[1], operation.axis.value.data),
    graph.LogSoftmaxOp: lambda operation, args: nn.log_softmax(args[0], operation.axis.value.data),
    graph.MatmulOp: _matmul,
    graph.MaxPoolOp: _pool(nn.max_pool1d, nn.max_pool2d, nn.max_pool3d),
    graph.PadOp: _pad,
    graph.ReduceMaxOp: _reduce(reduce.max),
    graph.ReduceMeanOp: _reduce(reduce.mean),
    graph.ReduceMinOp: _reduce(reduce.min),
    graph.ReduceProdOp: _reduce(reduce.prod),
    graph.ReduceSumOp: _reduce(reduce.sum),
    graph.ReshapeOp: lambda operation, args: op.reshape(args[0], as_tensor_type(operation.results[0].type).get_shape()),
    graph.SelectOp: lambda _, args: op.where(args[0], args[1], args[2]),
    graph.SliceOp: _slice,
    graph.SoftmaxOp: lambda operation, args: nn.softmax(args[0], operation.axis.value.data),
    graph.TileOp: lambda operation, args: op.tile(args[0], _ints(operation.repeats)),
    graph.TransposeOp: lambda operation, args: op.transpose(args[0], _ints(operation.perm)),
}
"""The operator of relay that programs write for an operation."""
