"""Encode the constants of sliding windows, rows of taps in groups of four bytes.

    w0 w1 w2 0            ->  w0 w1 w1 w2
    w0 w1 w2 w3 w4 0 0 0  ->  w0 w1 w1 w2 | w2 w3 w3 w4

`s2s.analysis.structure.taps` shows why.
"""

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue

from s2s.analysis.structure.dot_groups import groups_of_taps
from s2s.analysis.structure.taps import constant_of_taps
from s2s.dialects import graph, tensor
from s2s.dialects.loop.products import WORD
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.pairs import replace_weight, weight_of
from s2s.types.weights import WeightStore

ORDER = (0, 1, 1, 2)
"""The tap at each place of a group, counted from the first one of the group."""
TAPS = 2
"""Taps between the first ones of neighbouring groups."""


def encode_taps(
    func: FuncOp, constants: frozenset[SSAValue], calls: Sequence[graph.CallOp], store: WeightStore
) -> None:
    """Let the `calls` of a kernel pass rows of taps, where its schedules take them, with the one in the middle of each
    group twice; `constants` are the constant arguments of the kernel."""
    for op in func.body.block.ops:
        if isinstance(op, tensor.ComputeOp) and op.schedule is not None and op.schedule.on(op).in_taps:
            argument = _taps(func, op, constants)
            groups = groups_of_taps(op.sizes[-1])
            order = [TAPS * group + place for group in range(groups) for place in ORDER]
            for call in calls:
                w = store.get(weight_of(call, argument.index).weight_name.data)
                encoded = w.reshape(-1, WORD * groups)[:, order].reshape(w.shape)
                replace_weight(call, argument.index, encoded, "taps", store)


def _taps(func: FuncOp, op: tensor.ComputeOp, constants: frozenset[SSAValue]) -> BlockArgument:
    argument = constant_of_taps(op, constants)
    if argument is None:
        raise CompilerBug(f"{func.sym_name.data}: taps of a window that are no constant; the verifier refuses that")
    return argument
