"""Element types, numbers, devices by their older names, and values of classes of a program."""

from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError
from s2s.tvm import runtime, te
from s2s.tvm.runtime import module as modules


@pytest.mark.parametrize(
    ("text", "code", "bits", "lanes"),
    [
        ("float32", runtime.DataTypeCode.FLOAT, 32, 1),
        ("uint8x16", runtime.DataTypeCode.UINT, 8, 16),
        ("int64", runtime.DataTypeCode.INT, 64, 1),
        ("bfloat16", runtime.DataTypeCode.BFLOAT, 16, 1),
        ("bool", runtime.DataTypeCode.UINT, 1, 1),
        ("handle", runtime.DataTypeCode.HANDLE, 64, 1),
        ("int", runtime.DataTypeCode.INT, 32, 1),
        (np.dtype(np.int16), runtime.DataTypeCode.INT, 16, 1),
        (np.float64, runtime.DataTypeCode.FLOAT, 64, 1),
    ],
)
def test_an_element_type_tells_its_kind_bits_and_lanes(text: Any, code: int, bits: int, lanes: int):
    dtype = runtime.DataType(text)
    assert isinstance(code, runtime.DataTypeCode)
    assert (dtype.type_code, dtype.bits, dtype.lanes) == (code, bits, lanes)
    assert dtype == (text if isinstance(text, str) else np.dtype(text).name)


def test_an_element_type_is_a_text():
    assert te.placeholder((2,), tvm.DataType("int8")).dtype == "int8"
    assert tvm.DataType("uint8x16").itemsize == 16
    with pytest.raises(ValueError, match="DataType double: is not known; give int, uint, float"):
        tvm.DataType("double")


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (True, "bool"),
        (3, "int32"),
        (2**40, "int64"),
        (1.5, "float32"),
        (1e300, "float64"),
        (np.float64(2), "float64"),
        (np.int8(2), "int8"),
        (float("inf"), "float32"),
    ],
    ids=str,
)
def test_a_number_becomes_a_constant_of_its_type(value: Any, dtype: str):
    assert getattr(runtime.const(value), "dtype", None) == dtype
    assert getattr(tvm.const(value, "float32"), "dtype", None) == "float32"


class Named(runtime.ObjectGeneric):
    """A value of a program."""

    def asobject(self) -> str:
        return "its text"


def test_a_value_of_a_program_is_passed_as_what_it_says():
    assert tvm.convert(Named()) == runtime.convert_to_object(Named()) == "its text"
    assert runtime.PackedFunc("{}!".format)(Named()) == "its text!"
    with pytest.raises(InputError, match="ObjectGeneric: has no asobject"):
        tvm.convert(runtime.ObjectGeneric())
    kinds = ([1], {"a": 1}, 1, 1.0, len)
    assert all(isinstance(tvm.convert(each), runtime.ObjectTypes) for each in kinds)
    assert isinstance(runtime.ShapeTuple((1, 2)), runtime.ObjectTypes)
    assert isinstance(runtime.String("a"), runtime.ObjectTypes)


def test_devices_have_their_older_names():
    assert (tvm.gpu(1), tvm.cl(), runtime.mtl(2)) == (tvm.cuda(1), tvm.opencl(), tvm.metal(2))
    made = (runtime.gpu(), runtime.cl(), tvm.mtl(), runtime.vulkan(), runtime.rocm(), runtime.vpi(), runtime.ext_dev())
    assert [str(each) for each in made] == [
        "cuda(0)", "opencl(0)", "metal(0)", "vulkan(0)", "rocm(0)", "vpi(0)", "ext_dev(0)"
    ]  # fmt: skip
    assert (tvm.nd.gpu(), tvm.nd.cl(), tvm.nd.mtl()) == (runtime.cuda(), runtime.opencl(), runtime.metal())


def test_code_runs_on_the_processor_alone():
    assert runtime.enabled("llvm")
    assert runtime.enabled("cpu")
    assert not runtime.enabled("cuda")
    assert not runtime.enabled("nope")
    assert runtime.num_threads() >= 1


def test_properties_of_a_module_are_bits():
    mask = modules.ModulePropertyMask
    get = tvm.get_global_func("runtime.ModuleGetPropertyMask")
    assert get is not None
    assert get(runtime.Module({"f": len})) == mask.RUNNABLE
    assert mask.BINARY_SERIALIZABLE | mask.DSO_EXPORTABLE == 5
