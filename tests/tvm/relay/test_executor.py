"""`relay.create_executor`: an expression is a function of arrays, which takes all of its arguments and no others."""

from pathlib import Path
from typing import Any

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


def test_a_factory_tells_what_it_was_made_of():
    x, w = relay.var("x", shape=(2,)), relay.var("w", shape=(2,))
    factory = relay.build(relay.Function([x, w], x * w), "llvm", params={"w": np.array([2, 3], np.float32)})
    assert factory.libmod_name == factory.name
    assert factory.graph_json_str == factory.get_graph_json()
    assert factory.target.name == "host"
    assert factory.params.keys() == factory.get_params().keys()
    assert factory.lib.get_source() == factory.get_source()


def test_arrays_have_the_older_names_of_their_methods():
    array = tvm.nd.array([1.0, 2.0])
    assert type(array.asnumpy()) is np.ndarray
    assert array.asnumpy().tolist() == [1, 2]
    assert array.same_as(array)
    assert not array.same_as(array.copy())


def test_parameters_are_written_and_read(tmp_path: Path):
    params = {"w": np.arange(3, dtype=np.float32)}
    assert isinstance(tvm.runtime.save_param_dict(params), bytearray)
    tvm.runtime.save_param_dict_to_file(params, tmp_path / "w.params")
    read = tvm.runtime.load_param_dict_from_file(tmp_path / "w.params")
    assert read["w"].numpy().tolist() == [0, 1, 2]


def test_segments_are_summed():
    x = relay.var("x", shape=(4, 2))
    values = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.float32)
    for ids, count in ((relay.const([0, 0, 1, 3]), None), (relay.const([0, 0, 1, 3]), 5)):
        evaluate: Any = relay.create_executor().evaluate(relay.Function([x], relay.segment_sum(x, ids, count)))
        result = evaluate(values)
        assert np.asarray(result)[:4].tolist() == [[4, 6], [5, 6], [0, 0], [7, 8]]
        assert len(np.asarray(result)) == (count or 4)


def test_tuples_in_tuples_come_back_as_such():
    x, y, z = (relay.var(name, shape=(2, 2)) for name in "xyz")
    nested = relay.Function([x, y, z], relay.Tuple([x + 1.0, relay.Tuple([y, relay.Tuple([z])])]))
    evaluate: Any = relay.create_executor("graph", relay.IRModule.from_expr(nested)).evaluate()
    first, (second, (third,)) = evaluate(ONES, 2 * ONES, 3 * ONES)
    assert [each.numpy()[0, 0] for each in (first, second, third)] == [2.0, 2.0, 3.0]
