"""TVM's runtime for users who come from there: packed functions, modules, devices and arrays.

@register_func("app.twice")
def twice(x: NDArray) -> NDArray: ...

get_global_func("app.twice")(nd.array([1.0, 2.0]))
"""

import importlib
from typing import TYPE_CHECKING

from s2s.executor.device import Device, cpu, device
from s2s.executor.ndarray import NDArray
from s2s.tvm.refusals import refusing
from s2s.tvm.runtime import container
from s2s.tvm.runtime import ndarray as nd
from s2s.tvm.runtime.container import ShapeTuple, String
from s2s.tvm.runtime.data_type import DataType, DataTypeCode
from s2s.tvm.runtime.devices import cuda, ext_dev, metal, opencl, rocm, vpi, vulkan
from s2s.tvm.runtime.library import load_module, load_static_library, system_lib
from s2s.tvm.runtime.module import Module, enabled, num_threads
from s2s.tvm.runtime.ndarray import cl, gpu, mtl
from s2s.tvm.runtime.object_generic import ObjectGeneric, ObjectTypes, const
from s2s.tvm.runtime.packed_func import PackedFunc, convert
from s2s.tvm.runtime.params import (
    load_param_dict,
    load_param_dict_from_file,
    save_param_dict,
    save_param_dict_to_file,
)
from s2s.tvm.runtime.registry import (
    get_global_func,
    list_global_func_names,
    register_func,
    remove_global_func,
)
from s2s.tvm.runtime.registry import init_api as _init_api

convert_to_object = convert

__all__ = [
    "DataType",
    "DataTypeCode",
    "Device",
    "Module",
    "NDArray",
    "ObjectGeneric",
    "ObjectTypes",
    "PackedFunc",
    "Report",
    "ShapeTuple",
    "String",
    "_init_api",
    "cl",
    "const",
    "container",
    "convert",
    "convert_to_object",
    "cpu",
    "cuda",
    "device",
    "enabled",
    "ext_dev",
    "get_global_func",
    "gpu",
    "list_global_func_names",
    "load_module",
    "load_param_dict",
    "load_param_dict_from_file",
    "load_static_library",
    "metal",
    "mtl",
    "nd",
    "num_threads",
    "opencl",
    "register_func",
    "remove_global_func",
    "rocm",
    "save_param_dict",
    "save_param_dict_to_file",
    "system_lib",
    "vpi",
    "vulkan",
]

if TYPE_CHECKING:
    from s2s.tvm.contrib.debugger.debug_executor import Report
    from s2s.tvm.runtime import executor as executor
else:  # a checker would take every name for an object

    def __getattr__(name: str) -> object:
        if name == "Report":
            return importlib.import_module("s2s.tvm.contrib.debugger.debug_executor").Report
        if name == "executor":
            return importlib.import_module("s2s.tvm.runtime.executor")
        return refusing("runtime")(name)
