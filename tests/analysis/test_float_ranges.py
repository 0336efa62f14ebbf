"""Bounds of floats hold for whatever the input is, and prove the positions of a resize in range."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import AffineMapAttr, DictionaryAttr, Float32Type, Float64Type, ModuleOp, f32, f64, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import main_of
from s2s.analysis.numbers.float_ranges import float_range
from s2s.analysis.numbers.index_ranges import IndexRanges
from s2s.dialects import graph
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import tensor_type, to_dense
from s2s.types.index_bounds import IndexBounds
from s2s.types.sizes import DERIVED, SIZES, SizeRange, sizes_attribute
from s2s.types.weights import WeightStore

GREATEST = 14
INPUTS = np.array([-np.inf, -3e38, -7.5, -0.0, 0.49999997, 1.5, 13.999999, 3e38, np.inf, np.nan], np.float32)
Add = Callable[[Operation], SSAValue]
Step = Callable[[SSAValue, Add], SSAValue]


def constant(value: float, like: SSAValue) -> graph.ConstantOp:
    kind = np.float64 if like.type == tensor_type(f64, (len(INPUTS),)) else np.float32
    return graph.ConstantOp(to_dense(np.array([value], kind)))


def binary(kind: type[graph.BinaryElementwiseOp], value: float) -> Step:
    return lambda x, add: add(kind(x, add(constant(value, x))))


def limited(one: float, other: float) -> Step:
    return lambda x, add: add(graph.ClampOp(x, min(one, other), max(one, other)))


def rounded(kind: type[graph.FloorOp | graph.CeilOp | graph.RoundOp]) -> Step:
    return lambda x, add: add(kind(x))


def converted(element: Float32Type | Float64Type) -> Step:
    return lambda x, add: add(graph.CastOp(x, element))


KINDS: list[type[graph.BinaryElementwiseOp]] = [graph.MinimumOp, graph.MaximumOp, graph.AddOp, graph.SubOp]
ROUNDINGS: list[type[graph.FloorOp | graph.CeilOp | graph.RoundOp]] = [graph.FloorOp, graph.CeilOp, graph.RoundOp]
ELEMENTS: list[Float32Type | Float64Type] = [f32, f64]
ends = st.floats(-20, 20, width=32)
steps = st.one_of(
    st.builds(binary, st.sampled_from(KINDS), st.floats(-1e6, 1e6, width=32)),
    st.builds(limited, ends, ends),
    st.builds(rounded, st.sampled_from(ROUNDINGS)),
    st.builds(converted, st.sampled_from(ELEMENTS)),
)


def network(chain: list[Step]) -> tuple[ModuleOp, SSAValue]:
    """A network that applies steps to its input, and the result."""
    main = FuncOp("main", ([tensor_type(f32, (len(INPUTS),))], []))
    value: SSAValue = main.args[0]

    def add(op: Operation) -> SSAValue:
        main.body.block.add_op(op)
        return op.results[0]

    for step in chain:
        value = step(value, add)
    main.body.block.add_op(ReturnOp(value))
    main.update_function_type()
    return ModuleOp([main]), value


@given(st.lists(steps, max_size=8))
def test_every_element_but_nan_lies_within_the_bounds(chain: list[Step]):
    module, value = network(chain)
    least, most = float_range(value, WeightStore())
    with np.errstate(all="ignore"):
        (found,) = run_graph(module, [INPUTS], WeightStore())
    numbers = found[~np.isnan(found)].astype(np.float64)
    assert np.all((least <= numbers) & (numbers <= most))


def with_size(expr: AffineExpr) -> tuple[ModuleOp, Add, SSAValue]:
    """A network of a size N from 1 on, one that adds operations to it, and a number that follows from N."""
    module, _ = network([])
    module.attributes[SIZES] = sizes_attribute({"N": SizeRange(1, GREATEST)})
    module.attributes[DERIVED] = DictionaryAttr({"M": AffineMapAttr(AffineMap(1, 0, (expr,)))})
    last = next(op for op in module.walk() if isinstance(op, ReturnOp))

    def add(op: Operation) -> SSAValue:
        Rewriter.insert_op(op, InsertPoint.before(last))
        return op.results[0]

    return module, add, add(graph.SizeValuesOp(f64, (1,), values=[expr.eval([GREATEST], [])], names=("M",)))


def test_positions_up_to_the_size_of_a_run_are_in_range():
    module, add, size = with_size(AffineDimExpr(0))
    one, zero = (add(graph.ConstantOp(to_dense(np.array([value])))) for value in (1.0, 0.0))
    last = add(graph.SubOp(size, one))
    value = add(graph.CastOp(main_of(module).args[0], f64))
    lower = add(graph.MinimumOp(value, last))
    place = add(graph.CastOp(add(graph.MaximumOp(lower, zero)), i64))
    ranges = IndexRanges(WeightStore())
    assert ranges.range(place) == IndexBounds(0, GREATEST - 1)
    assert ranges.needed(place, IndexBounds(0, GREATEST - 1)) == []
    assert ranges.range(add(graph.CastOp(lower, i64))) is None
    module.verify()


N = AffineDimExpr(0)
REMAINDER = N + N // 4 * -4


@pytest.mark.parametrize(
    ("expr", "least", "most"), [(N, 1, GREATEST), (N * -1 + 4, 4 - GREATEST, 3), (REMAINDER, 0, 3)]
)
def test_a_number_of_sizes_has_the_range_of_all_runs(expr: AffineExpr, least: int, most: int):
    _, add, size = with_size(expr)
    assert float_range(size, WeightStore()) == (least, most)
    assert IndexRanges(WeightStore()).range(add(graph.CastOp(size, i64))) == (min(least, 0), most)
    number = add(graph.SizeValuesOp(i64, (1,), values=[expr.eval([GREATEST], [])], names=("M",)))
    assert IndexRanges(WeightStore()).range(number) == (least, most)
