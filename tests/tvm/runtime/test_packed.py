"""Packed functions between Python and C: values, tensors, functions, errors, and what is released."""

import gc
import subprocess
import sys
import traceback
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.tvm.runtime import (
    NDArray,
    PackedFunc,
    convert,
    device,
    get_global_func,
    list_global_func_names,
    nd,
    register_func,
    remove_global_func,
    system_lib,
)
from s2s.tvm.runtime.abi import abi
from s2s.tvm.runtime.packed_func import PackedError, held_count
from s2s.tvm.runtime.registry import init_api
from s2s.tvm.runtime.tensors import given_count
from support.c_compilers import WARNINGS, require
from support.heap import set_aside
from support.project import ROOT

Function = Callable[..., Any]
Find = Callable[[str], PackedFunc]

SOURCE = """
#include "s2s_packed.h"

static s2s_function *kept = NULL;

/* Returns its argument; tensors, texts and the like are borrowed. */
int echo(s2s_value *args, int *codes, int count, s2s_value *ret, int *ret_code, void *resource)
{
    (void)resource;
    if (count != 1) {
        s2s_set_last_error("echo: one argument");
        return -1;
    }
    *ret = args[0];
    *ret_code = codes[0];
    if (codes[0] == S2S_ARG_FUNCTION) {
        s2s_function_hold(args[0].v_handle);
    }
    return 0;
}

/* Calls its first argument with the others. */
int apply(s2s_value *args, int *codes, int count, s2s_value *ret, int *ret_code, void *resource)
{
    (void)resource;
    return s2s_function_call(args[0].v_handle, args + 1, codes + 1, count - 1, ret, ret_code);
}

/* Keeps a function, or lets go of it when it is called without one. */
int keep(s2s_value *args, int *codes, int count, s2s_value *ret, int *ret_code, void *resource)
{
    (void)codes, (void)ret, (void)ret_code, (void)resource;
    s2s_function_release(kept);
    kept = count == 0 ? NULL : args[0].v_handle;
    s2s_function_hold(kept);
    return 0;
}

int call_kept(s2s_value *args, int *codes, int count, s2s_value *ret, int *ret_code, void *resource)
{
    (void)resource;
    return s2s_function_call(kept, args, codes, count, ret, ret_code);
}

/* Calls the function of the process that its first argument names. */
int by_name(s2s_value *args, int *codes, int count, s2s_value *ret, int *ret_code, void *resource)
{
    const s2s_function *found = s2s_registry_find(s2s_global_registry(), args[0].v_str);

    (void)resource;
    return s2s_function_call(found, args + 1, codes + 1, count - 1, ret, ret_code);
}

/* Adds the function `echo` to those of the process. */
int offer(s2s_value *args, int *codes, int count, s2s_value *ret, int *ret_code, void *resource)
{
    const s2s_function function = {echo, NULL, NULL};

    (void)args, (void)codes, (void)count, (void)resource;
    ret->v_int64 = s2s_registry_add(s2s_global_registry(), "test.echo_of_c", function, true);
    *ret_code = S2S_ARG_INT;
    return 0;
}

/* Adds 1 to each element of a tensor of float32. */
int increment(s2s_value *args, int *codes, int count, s2s_value *ret, int *ret_code, void *resource)
{
    const s2s_tensor *x = args[0].v_handle;
    float *values = s2s_tensor_first(x);
    (void)codes, (void)count, (void)ret, (void)ret_code, (void)resource;
    for (size_t i = 0; i < s2s_shape_elements(x->shape, x->ndim); ++i) {
        values[i] += 1.0f;
    }
    return 0;
}
"""


@pytest.fixture(scope="module", autouse=True)
def heap() -> None:
    set_aside()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("packed")
    (folder / "functions.c").write_text(SOURCE)
    includes = [f"-I{ROOT / 'runtime_c' / 'include'}", str(ROOT / "runtime_c" / "src" / "packed.c")]
    flags = [flag for flag in WARNINGS if flag != "-Wmissing-prototypes"]
    command = [require("gcc"), *flags, "-g", "-shared", "-fPIC", *includes, "functions.c", "-o", "functions.so"]
    subprocess.run(command, cwd=folder, check=True)
    from s2s.tvm.runtime.native import native

    native()
    return abi().dlopen(str(folder / "functions.so"))


@pytest.fixture
def function(library: Any) -> Find:
    def find(name: str) -> PackedFunc:
        ffi = abi()
        if f"int {name}(" not in declared:
            declared.append(f"int {name}(")
            ffi.cdef(f"int {name}(s2s_value *, int *, int, s2s_value *, int *, void *);")
        pointer = ffi.new("s2s_function *")
        pointer.call = getattr(library, name)
        return PackedFunc.of_c(pointer, name, library)

    return find


declared: list[str] = []


def same(x: Any) -> Any:
    return x


def plus_one(x: Any) -> Any:
    return x + 1


def times(factor: int) -> Function:
    def multiply(x: Any) -> Any:
        return factor * x

    return multiply


VALUES = [0, -(2**63), 2**63 - 1, True, 1.5, float("inf"), "", "über", b"", b"a\0b", None, device("cpu", 0)]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back_from_c(function: Find, value: object):
    assert function("echo")(value) == value
    assert function("apply")(same, value) == value


def test_numbers_of_numpy_are_numbers(function: Find):
    assert function("echo")(np.int8(-3)) == -3
    assert function("echo")(np.float32(0.5)) == 0.5


def test_tensors_are_not_copied(function: Find):
    x = nd.array([[1, 2], [3, 4]], dtype="float32")
    function("increment")(x)
    function("increment")(x)
    assert x.numpy().tolist() == [[3, 4], [5, 6]]
    plain = np.zeros(3, np.float32)
    function("increment")(plain)
    assert plain.tolist() == [1, 1, 1]


def test_a_callable_writes_to_the_tensor_of_its_caller(function: Find):
    def double(x: NDArray) -> None:
        np.multiply(x, 2, out=x)

    x = nd.array([1.0, 2.0])
    function("apply")(double, x)
    assert x.tolist() == [2, 4]


def test_strided_tensors_keep_their_places(function: Find):
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    seen: list[Any] = []

    def see(view: NDArray) -> None:
        seen.append(view.tolist())

    function("apply")(see, x[:, ::2])
    function("apply")(see, x.T)
    assert seen == [x[:, ::2].tolist(), x.T.tolist()]


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1)])
@pytest.mark.parametrize("dtype", ["float32", "bool", "int64", "bfloat16"])
def test_all_types_and_shapes_cross(function: Find, shape: tuple[int, ...], dtype: str):
    x = nd.empty(shape, dtype)
    x[...] = 1

    def is_it(given: NDArray) -> bool:
        return (given.shape, given.dtype.name) == (shape, dtype)

    assert function("apply")(is_it, x)


def test_a_callable_that_keeps_a_tensor_of_c_is_refused(function: Find):
    kept: list[Any] = []
    with pytest.raises(InputError, match=r"keeps argument 0, whose memory belongs to the caller"):
        function("apply")(kept.append, nd.array([1.0]))

    def keep_part(x: NDArray) -> None:
        kept.append(x[:1])

    def keep_copy(x: NDArray) -> None:
        kept.append(x.numpy())

    with pytest.raises(InputError, match="keeps argument 0"):
        function("apply")(keep_part, nd.array([1.0]))
    function("apply")(keep_copy, nd.array([1.0]))


def test_arrays_are_returned_to_whoever_called(function: Find):
    y = function("apply")(plus_one, nd.array([1.0, 2.0]))
    assert y.tolist() == [2, 3]
    del y
    gc.collect()
    assert given_count() == 0


def test_a_result_is_released_when_the_call_is_refused_after_all(function: Find):
    kept: list[NDArray] = []

    def keep_and_return(x: NDArray) -> NDArray:
        kept.append(x)
        return nd.array([1.0])

    with pytest.raises(InputError, match="keeps argument 0"):
        function("apply")(keep_and_return, nd.array([1.0]))
    assert given_count() == 0


def test_an_array_read_as_another_type_is_described_again(function: Find):
    x = nd.array(np.array([1.0], np.float32))
    assert function("echo")(x).dtype == np.float32
    setattr(x, "dtype", np.dtype(np.int32))  # noqa: B010
    assert function("echo")(x).dtype == np.int32


def test_functions_are_arguments_and_results(function: Find):
    def outer(inner: PackedFunc) -> Callable[[int], int]:
        return lambda x: inner(x) + 1

    made = function("apply")(outer, times(10))
    assert made(4) == 41
    echo = function("apply")(same, function("echo"))
    assert echo("a") == "a"


def test_functions_that_c_keeps_stay_alive(function: Find):
    def seven() -> int:
        return 7

    gone = weakref.ref(seven)
    function("keep")(seven)
    del seven
    gc.collect()
    assert function("call_kept")() == 7
    assert held_count() == 1
    function("keep")()
    gc.collect()
    assert gone() is None
    assert held_count() == 0


def test_an_exception_comes_through_c(function: Find):
    def raising(x: int) -> None:
        raise KeyError(f"no {x}")

    with pytest.raises(KeyError, match="no 3") as caught:
        function("apply")(function("apply"), function("apply"), raising, 3)
    assert any(frame.name == "raising" for frame in traceback.extract_tb(caught.value.__traceback__))


def test_errors_of_c_are_raised(function: Find):
    with pytest.raises(PackedError, match="echo: one argument"):
        function("echo")(1, 2)


def test_a_callable_may_catch_what_c_reports(function: Find):
    def catching() -> str:
        try:
            function("echo")()
        except PackedError as error:
            return str(error)
        return ""

    assert function("apply")(catching) == "echo: echo: one argument"


@pytest.mark.parametrize(("value", "why"), [(2**63, "64 bits"), ("a\0", "zero character"), ([1], "a list cannot")])
def test_what_cannot_cross_is_refused(function: Find, value: object, why: str):
    with pytest.raises(InputError, match=why):
        function("echo")(value)


def test_nothing_is_kept_after_many_calls(function: Find):
    x = nd.array([1.0])
    apply, echo = function("apply"), function("echo")

    def several() -> None:
        apply(second, x, "text")
        apply(plus_one, x)
        echo(b"bytes")
        echo(lambda: 1)()
        with pytest.raises(ValueError, match="wrong"):
            apply(failing)

    def failing() -> None:
        raise ValueError("wrong")

    def second(x: NDArray, text: str) -> str:
        return text

    several()
    gc.collect()
    before, references = len(gc.get_objects()), sys.getrefcount(x)
    for _ in range(50):
        several()
    gc.collect()
    assert len(gc.get_objects()) - before < 20
    assert sys.getrefcount(x) == references
    assert (held_count(), given_count()) == (0, 0)


def test_functions_are_registered_by_name():
    @register_func("test.twice")
    def twice(x: int) -> int:
        return 2 * x

    try:
        found = get_global_func("test.twice")
        assert found is not None
        assert (found(3), twice(4)) == (6, 8)
        assert "test.twice" in list_global_func_names()
        with pytest.raises(InputError, match="is registered already; give override=True"):
            register_func("test.twice", lambda: 0)
        register_func("test.twice", times(3), override=True)
        again = get_global_func("test.twice")
        assert again is not None
        assert again(3) == 9
    finally:
        remove_global_func("test.twice")
    assert get_global_func("test.twice", allow_missing=True) is None
    with pytest.raises(InputError, match="nothing is registered under this name"):
        get_global_func("test.twice")


def test_c_finds_functions_of_python_by_name(function: Find):
    register_func("test.plus_one", plus_one)
    try:
        assert function("by_name")("test.plus_one", 4) == 5
        remove_global_func("test.plus_one")
        with pytest.raises(PackedError, match="a pointer that must be given is null"):
            function("by_name")("test.plus_one", 4)
    finally:
        if get_global_func("test.plus_one", allow_missing=True) is not None:
            remove_global_func("test.plus_one")


def test_python_finds_functions_of_c_by_name(function: Find):
    assert function("offer")() == 0
    found = get_global_func("test.echo_of_c")
    assert found is not None
    assert found("a") == "a"
    assert "test.echo_of_c" in list_global_func_names()
    assert system_lib()["test.echo_of_c"](3) == 3
    assert system_lib().type_key == "system_lib"


def test_convert_packs_callables():
    assert isinstance(convert(len), PackedFunc)
    assert convert("text") == "text"


def test_functions_become_attributes_of_a_module():
    module = types.ModuleType("test_api_of_module")
    sys.modules[module.__name__] = module
    register_func("test.api.three", lambda: 3)
    try:
        init_api("test.api", module.__name__)
        assert vars(module)["three"]() == 3
        with pytest.raises(InputError, match="is not imported"):
            init_api("test.api", "no_such_module")
    finally:
        remove_global_func("test.api.three")
        del sys.modules[module.__name__]
