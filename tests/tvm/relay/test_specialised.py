"""Functions whose sizes are known when arrays are given; names of parameters; values bound to variables."""

import typing

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay
from s2s.tvm.relay import Any, Function, create_executor, var


def rows() -> int:
    """A size that nothing is said of."""
    return Any()  # pyright: ignore[reportReturnType]


def test_sizes_without_a_name_are_those_of_the_arrays():
    x, y = var("x", shape=(rows(), 4)), var("y", shape=(rows(), 4))
    total = relay.sum(x + y, 1)
    assert "Tensor[(?, 4), float32]" in str(total)
    assert str(total.checked_type) == "Tensor[(?), float32]"
    evaluate: typing.Any = create_executor("vm").evaluate(Function([x, y], total))
    for count, other in ((3, 3), (5, 1)):
        values = np.arange(count * 4, dtype=np.float32).reshape(count, 4), np.ones((other, 4), np.float32)
        np.testing.assert_array_equal(evaluate(*values), (values[0] + values[1]).sum(1))


def test_a_name_has_one_size():
    n = relay.Any()
    x, y = (var(name, shape=(n, 2)) for name in "xy")  # pyright: ignore[reportArgumentType]
    evaluate: typing.Any = create_executor().evaluate(Function([x, y], x - y))
    with pytest.raises(InputError, match=r"input 'y': shape \(3, 2\) given, \(\?, 2\) wanted"):
        evaluate(np.ones((2, 2), np.float32), np.ones((3, 2), np.float32))


@pytest.mark.parametrize("mode", ["wrap", "clip"])
def test_a_number_taken_of_a_size_is_refused(mode: str):
    for indices in (relay.const([0]), var("at", shape=(2,), dtype="int32")):
        with pytest.raises(UnsupportedError, match=f"relay.take: mode '{mode}' depends on a size that the arrays"):
            relay.take(var("x", shape=(rows(),)), indices, 0, mode=mode)


def test_more_sizes_than_numpy_has_dimensions():
    values = [var(f"x{number}", shape=(rows(), 2)) for number in range(70)]
    total = values[0] + values[69]
    assert str(total.checked_type) == "Tensor[(?, 2), float32]"


def test_parameters_of_one_name_are_told_apart():
    x, y, z = var("x", shape=(2,)), var("x", shape=(2,)), var("x_1", shape=(2,))
    evaluate: typing.Any = create_executor("graph").evaluate(Function([x, y, z], x - y * z))
    result = evaluate(*(np.array([each, 1], np.float32) for each in (7, 2, 3)))
    np.testing.assert_array_equal(result, [1, 0])


def test_values_are_bound_to_variables():
    x, y = var("x", shape=(2,)), var("y", shape=(2,))
    bound: typing.Any = {x: relay.const(np.array([3, 4], np.float32)), y: np.array([1, 1], np.float32)}
    value: typing.Any = create_executor().evaluate(x - y, bound)
    np.testing.assert_array_equal(value, [2, 3])
    evaluate: typing.Any = create_executor().evaluate(Function([y], x - y), {x: bound[x]})
    np.testing.assert_array_equal(evaluate(np.array([1, 2], np.float32)), [2, 2])
    with pytest.raises(InputError, match="binds without an expression"):
        create_executor("debug", relay.transform.InferType()(relay_module(x))).evaluate(binds=bound)


def relay_module(body: relay.Expr) -> relay.IRModule:
    """A module of an expression."""
    return relay.IRModule.from_expr(body)


def test_fields_of_tuples_in_tuples_are_outputs():
    x = var("x", shape=(2,))
    body = relay.Tuple([x + relay.const(1.0), relay.Tuple([relay.Tuple([x]), -x])])
    evaluate: typing.Any = create_executor("graph").evaluate(Function([x], body))
    first, ((second,), third) = evaluate(np.array([1, 2], np.float32))
    assert [each.tolist() for each in (first, second, third)] == [[2, 3], [1, 2], [-1, -2]]
