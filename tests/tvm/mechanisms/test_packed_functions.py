"""Packed functions as TVM 0.12 documents them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm.runtime import remove_global_func

NAMES = ("mechanism.add", "mechanism.apply", "mechanism.write", "mechanism.fail", "mechanism.same")


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    yield
    for name in NAMES:
        if name in tvm.runtime.list_global_func_names():
            remove_global_func(name)


def test_a_function_is_registered_and_found():
    @tvm.register_func("mechanism.add")
    def add(x: int, y: int) -> int:
        return x + y

    function: Any = tvm.get_global_func("mechanism.add")
    assert isinstance(function, tvm.runtime.PackedFunc)
    assert function(10, 20) == add(10, 20) == 30
    assert "mechanism.add" in tvm.runtime.list_global_func_names()


def test_a_name_is_taken_once_unless_it_is_overridden():
    def add(x: int, y: int) -> int:
        return x + y

    def subtract(x: int, y: int) -> int:
        return x - y

    tvm.register_func("mechanism.add", add)
    with pytest.raises(tvm.TVMError, match=r"mechanism\.add"):
        tvm.register_func("mechanism.add", subtract)
    tvm.register_func("mechanism.add", subtract, override=True)
    function: Any = tvm.get_global_func("mechanism.add")
    assert function(3, 2) == 1


def test_a_missing_function_is_an_error_or_none():
    assert tvm.get_global_func("mechanism.none", allow_missing=True) is None
    with pytest.raises(ValueError, match=r"mechanism\.none"):
        tvm.get_global_func("mechanism.none")


def test_functions_are_arguments_and_results():
    @tvm.register_func("mechanism.apply")
    def apply(function: Any, value: int) -> Any:
        def added(more: int) -> Any:
            return function(value) + more

        return tvm.convert(added)

    def doubled(x: int) -> int:
        return x * 2

    function: Any = tvm.get_global_func("mechanism.apply")
    assert apply is not None
    assert function(tvm.convert(doubled), 21)(1) == 43


def test_arrays_are_written_by_their_receiver():
    @tvm.register_func("mechanism.write")
    def write(x: Any, y: Any) -> None:
        tvm.nd.array(x.numpy() * 3).copyto(y)

    function: Any = tvm.get_global_func("mechanism.write")
    assert write is not None
    x, y = tvm.nd.array(np.ones(3, np.float32)), tvm.nd.empty((3,))
    function(x, y)
    assert y.numpy().tolist() == [3, 3, 3]


@pytest.mark.parametrize("value", [None, 7, -1.5, "text", True])
def test_values_come_back_as_they_are(value: Any):
    def same(x: Any) -> Any:
        return x

    tvm.register_func("mechanism.same", same)
    function: Any = tvm.get_global_func("mechanism.same")
    assert function(value) == value


def test_errors_of_functions_are_raised():
    @tvm.register_func("mechanism.fail")
    def fail() -> None:
        raise ValueError("a broken function")

    function: Any = tvm.get_global_func("mechanism.fail")
    assert fail is not None
    with pytest.raises(ValueError, match="a broken function"):
        function()


def test_values_are_converted():
    converted: list[Any] = [tvm.convert(each) for each in (print, [1, 2, 3])]
    assert isinstance(converted[0], tvm.runtime.PackedFunc)
    assert [int(each) for each in converted[1]] == [1, 2, 3]
