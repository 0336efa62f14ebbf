"""Encode the constants of sums of products in pairs of bytes, and the initial values of these sums.

    w0 w1 w2 w3  ->  w1, -w0 - (w1 < 0), w3, -w2 - (w3 < 0)          the numbers w1 - 256 * w0 and w3 - 256 * w2
    bias[o]      ->  256 * (bias[o] - zero point * sum(w[o, …])) + sum over pairs of 32512 * w0 - 255 * w1

`loop.pairs` shows why. For example, 3 and -2 are stored as the bytes -2 and -4: 254 - 4 * 256 = -770 = -2 - 256 * 3.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.structure.biases import bias_of
from s2s.analysis.structure.products import product_sum
from s2s.analysis.structure.roles import roles_of
from s2s.dialects import graph, tensor
from s2s.errors import CompilerBug
from s2s.support.frozen import frozen
from s2s.types.dtypes import as_tensor_type
from s2s.types.weights import Array, WeightStore

STARTS = (32512, -255)
"""What the initial value of a sum holds for the first and for the second constant of each pair."""


@frozen
class Pairs:
    """A computation whose constants are pairs: argument `w` of its kernel, and argument `bias` that its sums start
    from."""

    op: tensor.ComputeOp
    access: tensor.AccessAttr
    """The access of the constants, whose last axis is a group."""
    channel: int
    """The dimension that moves along the bias."""
    offset: int
    """What is added to each value that the constants are multiplied by: the negated zero point."""
    w: int
    bias: int

    def constants(self, w: Array) -> Array:
        """Return the bytes of pairs."""
        first, second = w.astype(np.int16)[..., 0::2], w.astype(np.int16)[..., 1::2]
        return np.stack([second, -first - np.less(second, 0)], axis=-1).astype(np.int8).reshape(w.shape)

    def starts(self, bias: Array, w: Array) -> Array:
        """Return the initial values of sums, which wrap around."""
        axes = self.access.map.data.results
        own = [axis for axis, expr in enumerate(axes) if all(dim < self.op.rank for dim in expr.used_dims())]
        factors = np.tile(np.asarray(STARTS), w.shape[-1] // 2) + 256 * self.offset
        sums = (w.astype(np.int64) * factors).sum(axis=tuple(set(range(w.ndim)) - set(own)))
        places = np.asarray([[axes[axis].eval(self._at(number), ()) for axis in own] for number in range(bias.size)])
        return (256 * bias.astype(np.int64) + sums[tuple(places.T)]).astype(np.int32)

    def _at(self, channel: int) -> list[int]:
        return [channel if dim == self.channel else 0 for dim in range(len(self.op.sizes))]


def pairs_of(func: FuncOp, constants: frozenset[SSAValue]) -> list[Pairs]:
    """Return the computations of a kernel whose schedules take constants in pairs; `constants` are its constant
    arguments."""
    return [
        _pairs(func, op, constants)
        for op in func.body.block.ops
        if isinstance(op, tensor.ComputeOp) and op.schedule is not None and op.schedule.on(op).in_pairs
    ]


def _pairs(func: FuncOp, op: tensor.ComputeOp, constants: frozenset[SSAValue]) -> Pairs:
    roles, products, bias = roles_of(op, constants), product_sum(op), bias_of(op)
    if roles is not None and products is not None and bias is not None:
        w, b, offset = op.reads[roles.w], op.epilogue[bias.number], products.factor_of(roles.x).offset
        if isinstance(w, BlockArgument) and isinstance(b, BlockArgument) and b in constants and b.has_one_use():
            return Pairs(op, op.read_accesses[roles.w], roles.w_only[0], offset, w.index, b.index)
    raise CompilerBug(f"{func.sym_name.data}: constants in pairs without a bias; the verifier refuses that")


def encode_pairs(pairs: Pairs, calls: Sequence[graph.CallOp], store: WeightStore) -> None:
    """Let the `calls` of a kernel pass its constants in pairs."""
    for call in calls:
        w, bias = (store.get(weight_of(call, number).weight_name.data) for number in (pairs.w, pairs.bias))
        replace_weight(call, pairs.bias, pairs.starts(bias, w), "start", store)
        replace_weight(call, pairs.w, pairs.constants(w), "pairs", store)


def weight_of(call: graph.CallOp, number: int) -> graph.WeightOp:
    """Return the weight that a call passes as operand `number`."""
    weight = call.operands[number].owner
    assert isinstance(weight, graph.WeightOp)
    return weight


def replace_weight(call: graph.CallOp, number: int, values: Array, suffix: str, store: WeightStore) -> None:
    """Pass `values` instead of a weight."""
    old = weight_of(call, number)
    name = store.add(f"{old.weight_name.data}_{suffix}", values)
    new = graph.WeightOp(name, as_tensor_type(old.y.type), store.hash(name))
    new.y.name_hint = old.y.name_hint
    Rewriter.insert_op(new, InsertPoint.before(call))
    call.operands[number] = new.y
    if not old.y.uses:
        Rewriter.erase_op(old)
