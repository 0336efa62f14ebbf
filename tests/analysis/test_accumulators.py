"""Bounds of sums are reached by the worst activations, and by none exceeded."""

import numpy as np
import pytest
from xdsl.dialects.builtin import i8, i16, i32, i64
from xdsl.ir import Attribute, Block, SSAValue

from s2s.analysis.numbers.accumulators import SumBound, narrowest_accumulator, signed_bits, sum_bound
from s2s.dialects import graph
from s2s.interpret.graph import evaluate
from s2s.types.dtypes import Array, tensor_type, to_numpy, type_of_array, ui8
from s2s.types.weights import WeightStore

RNG = np.random.default_rng(0)


def weight(array: Array, store: WeightStore) -> graph.WeightOp:
    name = store.add("w", array)
    return graph.WeightOp(name, type_of_array(array), store.hash(name))


def bound_of(op: graph.ConvOp | graph.ConvTransposeOp | graph.MatmulOp, store: WeightStore) -> SumBound:
    found = sum_bound(op, store)
    assert found is not None
    return found


def activation(element: Attribute, *shape: int) -> SSAValue:
    return Block(arg_types=[tensor_type(element, shape)]).args[0]


@pytest.mark.parametrize("element", [i8, ui8])
@pytest.mark.parametrize("groups", [1, 2])
def test_convolution_reaches_its_bound_and_no_more(element: Attribute, groups: int):
    store, zero_point = WeightStore(), 3
    w = RNG.integers(-128, 128, (4, 4 // groups, 2, 2)).astype(np.int8)
    b = RNG.integers(0, 1000, 4).astype(np.int32)
    x = activation(element, 1, 4, 2, 2)
    op = graph.ConvOp(
        x,
        weight(w, store),
        graph.ConstantOp(b),
        strides=[1, 1],
        pads=[0] * 4,
        dilations=[1, 1],
        groups=groups,
        input_zp=zero_point,
    )
    bound = bound_of(op, store)
    limits = np.iinfo(to_numpy(element))
    factor = max(int(limits.max) - zero_point, zero_point - int(limits.min))
    assert bound.channels == tuple(int(each) for each in np.abs(w.astype(int)).sum(axis=(1, 2, 3)) * factor + b)
    for _ in range(50):
        worst = RNG.choice([limits.min, limits.max], (1, 4, 2, 2)).astype(to_numpy(element))
        assert (np.abs(evaluate(op, [worst, w, b])[0][0, :, 0, 0].astype(int)) <= bound.channels).all()


def test_product_is_bound_by_its_columns():
    store = WeightStore()
    w = RNG.integers(-128, 128, (5, 3)).astype(np.int8)
    op = graph.MatmulOp(activation(i8, 2, 5), weight(w, store), b_zp=2)
    expected = np.abs(w.astype(int) - 2).sum(axis=0) * 128
    assert bound_of(op, store).channels == tuple(int(each) for each in expected)
    constant_left = graph.MatmulOp(weight(w, store), activation(i8, 3, 2))
    assert bound_of(constant_left, store).channels == tuple(int(n) for n in np.abs(w.astype(int)).sum(axis=1) * 128)


def test_product_of_activations_is_bound_by_its_types():
    op = graph.MatmulOp(activation(i8, 2, 5), activation(i8, 5, 3))
    assert bound_of(op, WeightStore()).channels == (5 * 128 * 128,)


def test_transposed_convolution_counts_what_reaches_an_output():
    store = WeightStore()
    w = RNG.integers(-128, 128, (4, 3, 2, 2)).astype(np.int8)
    op = graph.ConvTransposeOp(
        activation(i8, 1, 4, 3, 3),
        weight(w, store),
        strides=[1, 1],
        pads=[0] * 4,
        dilations=[1, 1],
        groups=1,
        output_padding=[0, 0],
    )
    assert bound_of(op, store).channels == tuple(int(n) for n in np.abs(w.astype(int)).sum(axis=(0, 2, 3)) * 128)


def test_sum_that_can_leave_its_type_does_not_fit():
    store = WeightStore()
    w = np.full((70000, 1), 127, np.int16)
    narrow = graph.MatmulOp(activation(i16, 1, 70000), weight(w, store), acc_type=i32)
    wide = graph.MatmulOp(activation(i16, 1, 70000), weight(w, store))
    assert not bound_of(narrow, store).fits
    assert bound_of(wide, store).fits
    assert narrowest_accumulator(bound_of(wide, store).largest) == i64
    assert narrowest_accumulator(2**70) is None


def test_float_layer_has_no_bound():
    product = graph.MatmulOp(
        graph.ConstantOp(np.ones((2, 2), np.float32)), graph.ConstantOp(np.ones((2, 2), np.float32))
    )
    assert sum_bound(product, WeightStore()) is None


@pytest.mark.parametrize(("magnitude", "bits"), [(0, 1), (127, 8), (128, 9), (2**31 - 1, 32)])
def test_bits(magnitude: int, bits: int):
    assert signed_bits(magnitude) == bits


def test_difference_of_bytes_is_small_in_any_type():
    x, zero_point = activation(i8, 1, 300), activation(i8)
    left = graph.SubOp(graph.CastOp(x, i16), graph.CastOp(zero_point, i16))
    w = graph.ConstantOp(np.full((300, 1), -3, np.int8))
    op = graph.MatmulOp(left, w, acc_type=i32)
    assert bound_of(op, WeightStore()).channels == (255 * 3 * 300,)
