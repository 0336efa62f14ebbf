"""TVM's runtime for users who come from there: packed functions, modules, devices and arrays.

@register_func("app.twice")
def twice(x: NDArray) -> NDArray: ...

get_global_func("app.twice")(nd.array([1.0, 2.0]))
"""

from s2s.executor.device import Device, cpu, device
from s2s.executor.ndarray import NDArray
from s2s.tvm.runtime import container, nd
from s2s.tvm.runtime.library import load_module, load_static_library, system_lib
from s2s.tvm.runtime.module import Module
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

__all__ = [
    "Device",
    "Module",
    "NDArray",
    "PackedFunc",
    "_init_api",
    "container",
    "convert",
    "cpu",
    "device",
    "get_global_func",
    "list_global_func_names",
    "load_module",
    "load_param_dict",
    "load_param_dict_from_file",
    "load_static_library",
    "nd",
    "register_func",
    "remove_global_func",
    "save_param_dict",
    "save_param_dict_to_file",
    "system_lib",
]
