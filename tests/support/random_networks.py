"""Random networks at graph level, for properties that every pass must have on every network."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph import set_provenance
from s2s.dialects.graph.base import GraphOp
from s2s.types.dtypes import as_tensor_type, f32, tensor_type, type_of_array
from s2s.types.weights import WeightStore

SHAPE = (1, 4, 6, 6)
"""The shape of most values; others are `[1, 4, 1, 1]` or `[1, 8, 6, 6]`."""

KINDS = (
    *("unary", "unary", "binary", "binary", "scale", "number", "conv", "pool"),
    *("transpose", "reduce", "softmax", "concat", "slice", "reshape", "norm"),
)


class NetworkBuilder:
    """Appends operations to `@main`; weights are made up from a fixed seed."""

    def __init__(self) -> None:
        self.weights = WeightStore()
        self.block = Block(arg_types=[tensor_type(f32, SHAPE)])
        self.values: list[SSAValue] = [self.block.args[0]]
        self._rng = np.random.default_rng(7)

    def weight(self, *shape: int) -> SSAValue:
        """A new weight of `shape`, positive so that it can be a variance."""
        array = self._rng.uniform(0.1, 1.0, shape).astype(np.float32)
        name = self.weights.add("w", array)
        return self.append(graph.WeightOp(name, type_of_array(array), self.weights.hash(name)))

    def add(self, op: GraphOp) -> SSAValue:
        """Append `op` and make its result a value to choose from."""
        set_provenance(op, [f"node_{len(self.values)}"])
        self.values.append(self.append(op))
        return self.values[-1]

    def module(self, outputs: Sequence[SSAValue]) -> ModuleOp:
        """The finished network."""
        self.block.add_op(ReturnOp(*outputs))
        inputs = [argument.type for argument in self.block.args]
        return ModuleOp([FuncOp("main", (inputs, [output.type for output in outputs]), Region(self.block))])

    def append(self, op: GraphOp | graph.WeightOp) -> SSAValue:
        """Append `op` without making its result a value to choose from."""
        self.block.add_op(op)
        return op.y


def extend(net: NetworkBuilder, kind: str, x: SSAValue, other: SSAValue, choice: int) -> None:
    """One operation of `kind` on `x`, if it fits the shape of `x`."""
    shape = as_tensor_type(x.type).get_shape()
    channels = shape[1]
    ones, pads = (1, 1), (1, 1, 1, 1)
    match kind:
        case "unary":
            net.add((graph.AbsOp, graph.NegOp, graph.SigmoidOp, graph.TanhOp)[choice % 4](x))
        case "binary" if channels == as_tensor_type(other.type).get_shape()[1]:
            net.add((graph.AddOp, graph.MulOp, graph.MaximumOp, graph.SubOp)[choice % 4](x, other))
        case "scale":
            net.add((graph.AddOp, graph.MulOp)[choice % 2](x, net.weight(channels, 1, 1)))
        case "number":
            number = graph.ConstantOp(np.array((0.0, 1.0, 6.0)[choice % 3], np.float32))
            net.block.add_op(number)
            net.add((graph.MaximumOp, graph.MinimumOp, graph.MulOp, graph.AddOp)[choice % 4](x, number.y))
        case "conv" if shape[2] > 1:
            net.add(graph.ConvOp(x, net.weight(4, channels, 3, 3), strides=ones, pads=pads, dilations=ones, groups=1))
        case "pool" if shape[2] > 1:
            net.add(graph.MaxPoolOp(x, kernel=(3, 3), strides=ones, pads=pads, dilations=ones))
        case "transpose":
            net.add(graph.TransposeOp(x, perm=(0, 1, 3, 2)))
        case "reduce":
            net.add(graph.ReduceMeanOp(x, axes=(2, 3), keepdims=True))
        case "softmax":
            net.add(graph.SoftmaxOp(x, axis=1))
        case "concat" if x.type == other.type and channels == 4:
            net.add(graph.ConcatOp([x, other], axis=1))
        case "slice" if channels == 8:
            net.add(graph.SliceOp(x, starts=(0, 2, 0, 0), sizes=(1, 4, *shape[2:]), strides=(1, 1, 1, 1)))
        case "reshape":
            flat = net.add(graph.ReshapeOp(x, (channels, shape[2] * shape[3])))
            net.values.remove(flat)
            net.add(graph.ReshapeOp(net.append(graph.ExpOp(flat)) if choice % 2 else flat, shape))
        case "norm":
            parameters = [net.weight(channels) for _ in range(4)]
            net.add(graph.BatchNormOp(x, *parameters, epsilon=1e-3))
        case _:
            pass


@st.composite
def random_networks(draw: st.DrawFn) -> tuple[ModuleOp, WeightStore]:
    """Up to fourteen operations, each on two of the last values; one or two outputs."""
    net = NetworkBuilder()
    for _ in range(draw(st.integers(1, 14))):
        recent = st.sampled_from(net.values[-4:])
        extend(net, draw(st.sampled_from(KINDS)), draw(recent), draw(recent), draw(st.integers(0, 11)))
    outputs = [net.values[-1]]
    if draw(st.booleans()):
        outputs.append(draw(st.sampled_from(net.values)))
    return net.module(outputs), net.weights
