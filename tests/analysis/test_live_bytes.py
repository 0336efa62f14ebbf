"""Live bytes beside those counted from scratch, in random networks that store tensors in others."""

from itertools import pairwise
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from s2s.analysis.network.live_bytes import LiveBytes
from s2s.dialects import graph
from s2s.types.dtypes import as_tensor_type


def _network(reads: list[list[int]], sizes: list[int]) -> tuple[FuncOp, list[SSAValue]]:
    """Calls whose operands are earlier results, or the input."""
    types = [TensorType(f32, [size]) for size in sizes]
    func = FuncOp("main", ([TensorType(f32, [4])], []))
    values: list[SSAValue] = []
    for number, (operands, kind) in enumerate(zip(reads, types, strict=True)):
        read = [values[each % number] if number else func.args[0] for each in operands]
        call = graph.CallOp("f", read, [kind])
        func.body.block.add_op(call)
        values.append(call.results[0])
    func.body.block.add_op(ReturnOp())
    return func, values


def _peak(func: FuncOp, holders: dict[SSAValue, SSAValue]) -> int:
    """The largest sum of live tensors that hold themselves, operation by operation."""
    spans: dict[SSAValue, list[int]] = {}
    for number, op in enumerate(func.body.block.ops):
        for value in (*op.results, *op.operands):
            while value in holders:
                value = holders[value]
            if value is not func.args[0]:
                spans.setdefault(value, []).append(number)
    live = [
        sum(_size(value) for value, at in spans.items() if min(at) <= number <= max(at))
        for number in range(len(func.body.block.ops))
    ]
    return max(live, default=0)


def _size(value: SSAValue) -> int:
    return 4 * prod(as_tensor_type(value.type).get_shape())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 30), min_size=1, max_size=3), st.integers(1, 9)), min_size=4, max_size=9
    ),
    st.data(),
)
def test_storing_tensors_in_others_joins_their_spans(calls: list[tuple[list[int], int]], data: st.DataObject):
    func, values = _network([reads for reads, _ in calls], [size for _, size in calls])
    tracked, holders = LiveBytes(func), dict[SSAValue, SSAValue]()
    assert tracked.peak == _peak(func, holders)
    for part, whole in pairwise(sorted(data.draw(st.sets(st.integers(0, len(values) - 1))))):
        after = holders | {values[part]: values[whole]}
        assert tracked.peak_if_stored([values[part]], values[whole]) == _peak(func, after)
        if data.draw(st.booleans()):
            tracked.store([values[part]], values[whole])
            holders = after
        assert tracked.peak == _peak(func, holders)
