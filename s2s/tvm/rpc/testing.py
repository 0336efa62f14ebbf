"""Functions under the names of TVM's module `tvm.rpc.testing`, which tests of sessions call on a server."""

from collections.abc import Callable
from sys import getrefcount
from typing import Any

import numpy as np

from s2s.errors import InputError
from s2s.executor.ndarray import NDArray
from s2s.tvm.runtime import nd
from s2s.tvm.runtime.registry import register_func


@register_func("rpc.test.addone")
def _add_one(x: int) -> int:
    return x + 1


@register_func("rpc.test.strcat")
def _text_and_number(name: str, x: int) -> str:
    return f"{name}:{x}"


@register_func("rpc.test.except")
def _fail(name: str) -> None:
    raise ValueError(name)


@register_func("rpc.test.runtime_str_concat")
def _joined(x: str, y: str) -> str:
    return x + y


@register_func("rpc.test.remote_array_func")
def _check_ones(y: NDArray) -> None:
    np.testing.assert_equal(y.numpy(), np.ones((3, 4)))


@register_func("rpc.test.add_to_lhs")
def _adder(x: int) -> Callable[[int], int]:
    return lambda y: x + y


@register_func("rpc.test.remote_return_nd")
def _of_one_array(name: str) -> Callable[..., Any]:
    """A function of an array of ten zeros, which stays alive with it."""
    array = nd.array(np.zeros(10, np.float32))

    def element(index: int) -> float:
        return float(array[index])

    def element_of(other: NDArray, index: int) -> float:
        return float(other[index])

    functions: dict[str, Callable[..., Any]] = {
        "get_arr": lambda: array,
        "ref_count": lambda: getrefcount(array),
        "get_elem": element,
        "get_arr_elem": element_of,
    }
    if name not in functions:
        raise InputError(f"rpc.test.remote_return_nd: {name!r} is none of {', '.join(functions)}; give one")
    return functions[name]
