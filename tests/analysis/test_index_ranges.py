"""Bounds of arguments say exactly when an index that is computed from them is in range."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, i8, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.numbers.index_ranges import IndexRanges
from s2s.dialects import graph
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import tensor_type, to_dense
from s2s.types.index_bounds import IndexBounds
from s2s.types.shapes.common import ShapeError
from s2s.types.weights import WeightStore

SIZE = 6
"""The size of the axis that is indexed."""
VALUES = range(-25, 26)
Step = Callable[[SSAValue, Callable[[Operation], SSAValue]], SSAValue]


def constant(*values: int) -> graph.ConstantOp:
    return graph.ConstantOp(to_dense(np.array(values, np.int64)))


def from_the_front(x: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    """`x + SIZE if x < 0 else x`."""
    below = add(graph.LessOp(x, add(constant(0))))
    return add(graph.SelectOp(below, add(graph.AddOp(x, add(constant(SIZE)))), x))


def through_32_bits(x: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    return add(graph.CastOp(add(graph.CastOp(x, i32)), i64))


def added_column(*values: int) -> Step:
    """Each element plus each of `values`."""
    column = graph.ConstantOp(to_dense(np.array(values, np.int64).reshape(-1, 1)))
    return lambda x, add: add(graph.AddOp(x, add(column.clone())))


def clamped(least: int, most: int) -> Step:
    return lambda x, add: add(graph.ClampOp(x, least, most))


def beside_the_next(x: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    return add(graph.ConcatOp([x, add(graph.AddOp(x, add(constant(1))))], axis=0))


def binary(kind: type[graph.BinaryElementwiseOp], *values: int) -> Step:
    return lambda x, add: add(kind(x, add(constant(*values))))


numbers = st.integers(-4, 4)
steps = st.one_of(
    numbers.map(lambda by: binary(graph.AddOp, by)),
    numbers.map(lambda by: binary(graph.SubOp, by)),
    st.lists(numbers, min_size=3, max_size=3).map(lambda by: added_column(*by)),
    st.integers(1, 4).map(lambda by: binary(graph.DivOp, by)),
    st.integers(1, 9).map(lambda by: binary(graph.ModOp, by)),
    st.integers(-4, 9).map(lambda by: binary(graph.MinimumOp, by)),
    st.just(through_32_bits),
    st.just(from_the_front),
    st.tuples(numbers, st.integers(0, 9)).map(lambda ends: clamped(ends[0], sum(ends))),
    st.just(beside_the_next),
)


def network(chain: Sequence[Step]) -> tuple[ModuleOp, SSAValue]:
    """A network of one argument that computes an index from it, and the index."""
    main = FuncOp("main", ([tensor_type(i64, (1,))], []))
    block = main.body.block

    def add(op: Operation) -> SSAValue:
        block.add_op(op)
        return op.results[0]

    index: SSAValue = block.args[0]
    for step in chain:
        index = step(index, add)
    block.add_op(ReturnOp(index))
    main.function_type = main.function_type.from_lists([block.args[0].type], [index.type])
    return ModuleOp([main]), index


def broadcasts(chain: Sequence[Step]) -> bool:
    """Whether the operands of all steps have shapes that fit: columns of 3 and of 6 do not."""
    try:
        network(chain)
    except ShapeError:
        return False
    return True


@settings(max_examples=80)
@given(chain=st.lists(steps, max_size=4).filter(broadcasts), least=st.sampled_from([-SIZE, 0]))
def test_an_index_is_in_range_if_and_only_if_its_arguments_are(chain: list[Step], least: int):
    module, index = network(chain)
    needed = IndexRanges(WeightStore()).needed(index, IndexBounds(least, SIZE - 1))
    if needed is None:
        return
    for value in VALUES:
        (result,) = run_graph(module, [np.array([value])], WeightStore())
        is_inside = bool(((result >= least) & (result < SIZE)).all())
        assert is_inside == all(each.bounds.least <= value <= each.bounds.most for each in needed), value


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        ([], (0, 5)),
        ([binary(graph.AddOp, 0, 1, 2)], (0, 3)),
        ([binary(graph.DivOp, 3)], (-2, 17)),
        ([from_the_front], (-6, 5)),
    ],
)
def test_bounds_of_the_argument(chain: list[Step], expected: tuple[int, int]):
    _, index = network(chain)
    needed = IndexRanges(WeightStore()).needed(index, IndexBounds(0, SIZE - 1))
    assert needed is not None
    assert [each.bounds for each in needed] == [expected]


@pytest.mark.parametrize("step", [binary(graph.ModOp, SIZE), clamped(0, SIZE - 1)])
def test_a_remainder_and_a_clamped_number_are_in_range(step: Step):
    _, index = network([step])
    assert IndexRanges(WeightStore()).needed(index, IndexBounds(0, SIZE - 1)) == []


def summed(x: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    return add(graph.ReduceSumOp(x, axes=[0], keepdims=True))


def largest(x: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    return add(graph.ReduceMaxOp(x, axes=[0], keepdims=True))


def summed_up(x: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    return add(graph.CumsumOp(x, axis=0))


def through_8_bits(x: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    return add(graph.CastOp(add(graph.CastOp(x, i8)), i64))


def below_two(x: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    return add(graph.CastOp(add(graph.LessOp(x, add(constant(2)))), i64))


def looked_up(x: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    return add(graph.GatherOp(add(constant(7, -3, 4)), add(graph.ClampOp(x, 0, 2)), axis=0))


more_steps = st.one_of(
    steps,
    numbers.map(lambda by: binary(graph.MulOp, by)),
    numbers.map(lambda by: binary(graph.MaximumOp, by)),
    st.sampled_from([summed, largest, summed_up, through_8_bits, below_two, looked_up]),
)


@settings(max_examples=100)
@given(
    chain=st.lists(more_steps, max_size=5).filter(broadcasts), ends=st.tuples(st.integers(-20, 20), st.integers(0, 20))
)
def test_a_range_holds_what_every_run_computes(chain: list[Step], ends: tuple[int, int]):
    least, most = ends[0], sum(ends)
    module, index = network([clamped(least, most), *chain])
    range = IndexRanges(WeightStore()).range(index)
    if range is None:
        return
    for value in VALUES:
        (result,) = run_graph(module, [np.array([value])], WeightStore())
        assert np.all((range.least <= result) & (result <= range.most)), value


def test_a_product_has_no_bounds():
    _, index = network([lambda x, add: add(graph.MulOp(x, x))])
    assert IndexRanges(WeightStore()).needed(index, IndexBounds(0, SIZE - 1)) is None


def beside_itself(x: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    return add(graph.ConcatOp([x, x], axis=0))


@pytest.mark.parametrize(
    ("step", "count"), [(binary(graph.AddOp, 1), 3000), (from_the_front, 1500), (beside_itself, 20)]
)
def test_neither_long_chains_nor_many_paths_are_too_much(step: Step, count: int):
    _, index = network([step] * count)
    needed = IndexRanges(WeightStore()).needed(index, IndexBounds(0, 5 + count * SIZE))
    assert needed is None or len(needed) == 1
