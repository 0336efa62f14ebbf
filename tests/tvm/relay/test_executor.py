"""`relay.create_executor`: an expression is a function of arrays, which takes all of its arguments and no others."""

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError
from s2s.executor.ndarray import NDArray

relay = tvm.relay
ONES = np.ones((2, 2), np.float32)


def addition() -> "tvm.relay.Function":
    x, y = (relay.var(name, shape=(2, 2)) for name in "xy")
    return relay.Function([x, y], relay.subtract(x, y))


def test_a_function_takes_its_arguments_by_place_and_by_name() -> None:
    function = relay.create_executor("graph").evaluate(addition())
    assert callable(function)
    for values, expected in ((function(3 * ONES, ONES), 2), (function(y=3 * ONES, x=ONES), -2)):
        assert isinstance(values, NDArray)
        np.testing.assert_array_equal(np.asarray(values.numpy()), np.full((2, 2), expected, np.float32))


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ((ONES, ONES, ONES), {}, "3 arguments are given; the function takes x, y"),
        ((ONES,), {}, "y is not given"),
        ((ONES, ONES), {"z": ONES}, "has no argument z"),
    ],
)
def test_other_arguments_are_refused(arguments: tuple[object, ...], named: dict[str, object], message: str) -> None:
    function = relay.create_executor("graph").evaluate(addition())
    assert callable(function)
    with pytest.raises(InputError, match=message):
        function(*arguments, **named)


def test_params_belong_to_a_module() -> None:
    with pytest.raises(InputError, match="params without a module belong to nothing"):
        relay.create_executor("graph", params={"x": ONES})
