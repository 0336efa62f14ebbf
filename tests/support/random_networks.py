"""Random networks, for properties that every pass must have on every network; built as users build theirs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp

from s2s.analysis.network.functions import main_of
from s2s.tvm import relay
from s2s.tvm.relay.expr import Expr
from s2s.tvm.relay.function import Function
from s2s.types.weights import WeightStore

SHAPE = (1, 4, 6, 6)
"""The shape of most values; others are `[1, 4, 1, 1]` or `[1, 8, 6, 6]`."""

KINDS = (
    *("unary", "unary", "binary", "binary", "scale", "number", "conv", "pool"),
    *("transpose", "reduce", "softmax", "concat", "slice", "reshape", "norm"),
)


@dataclass
class Network:
    """A network that grows: its values to choose from, and weights that are the same in each run."""

    x: Expr = field(default_factory=lambda: relay.var("x", shape=SHAPE))
    values: list[Expr] = field(default_factory=list[Expr])
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))

    def __post_init__(self) -> None:
        self.values = [self.x]

    def weight(self, *shape: int) -> Expr:
        """A new weight of `shape`, positive so that it can be a variance."""
        return relay.const(self.rng.uniform(0.1, 1.0, shape).astype(np.float32))

    def module(self, outputs: Sequence[Expr], unused: Sequence[Expr] = ()) -> tuple[ModuleOp, WeightStore]:
        """The finished network; it computes `unused` and does not return it."""
        every = relay.Tuple([*outputs, *unused])
        mod = relay.IRModule.from_expr(Function([self.x], every))
        main = main_of(mod.module)
        last = main.body.block.last_op
        assert isinstance(last, ReturnOp)
        last.operands = last.operands[: len(outputs)]
        main.res_attrs = None
        main.update_function_type()
        return mod.module, mod.weights


def one_more(net: Network, kind: str, x: Expr, other: Expr, choice: int) -> list[Expr]:
    """Return the result of one operation of `kind` on `x`, if it fits the shape of `x`, else nothing."""
    channels, rows = x.shape[1:3]
    match kind:
        case "unary":
            return [(relay.abs, relay.negative, relay.sigmoid, relay.tanh)[choice % 4](x)]
        case "binary" if channels == other.shape[1]:
            return [(relay.add, relay.multiply, relay.maximum, relay.subtract)[choice % 4](x, other)]
        case "scale":
            return [(relay.add, relay.multiply)[choice % 2](x, net.weight(channels, 1, 1))]
        case "number":
            number = (0.0, 1.0, 6.0)[choice % 3]
            return [(relay.maximum, relay.minimum, relay.multiply, relay.add)[choice % 4](x, number)]
        case "conv" if rows > 1:
            return [relay.nn.conv2d(x, net.weight(4, channels, 3, 3), padding=1)]
        case "pool" if rows > 1:
            return [relay.nn.max_pool2d(x, pool_size=3, padding=1)]
        case "transpose":
            return [relay.transpose(x, axes=(0, 1, 3, 2))]
        case "reduce":
            return [relay.mean(x, axis=(2, 3), keepdims=True)]
        case "softmax":
            return [relay.nn.softmax(x, axis=1)]
        case "concat" if x.shape == other.shape and channels == 4:
            return [relay.concatenate([x, other], axis=1)]
        case "slice" if channels == 8:
            return [relay.strided_slice(x, begin=(2,), end=(6,), axes=(1,))]
        case "reshape":
            flat = relay.reshape(x, (channels, rows * x.shape[3]))
            return [relay.reshape(relay.exp(flat) if choice % 2 else flat, x.shape)]
        case "norm":
            gamma, beta, mean, variance = (net.weight(channels) for _ in range(4))
            return [relay.nn.batch_norm(x, gamma, beta, mean, variance, epsilon=1e-3)[0]]
        case _:
            return []


@st.composite
def random_networks(draw: st.DrawFn) -> tuple[ModuleOp, WeightStore]:
    """Up to fourteen operations, each on two of the last values; one or two outputs. Some results are not used."""
    net = Network()
    for _ in range(draw(st.integers(1, 14))):
        recent = st.sampled_from(net.values[-4:])
        kind = draw(st.sampled_from(KINDS))
        net.values += one_more(net, kind, draw(recent), draw(recent), draw(st.integers(0, 11)))
    outputs = [net.values[-1]]
    if draw(st.booleans()):
        outputs.append(draw(st.sampled_from(net.values)))
    return net.module(outputs, net.values)
