"""TVM's Python interface on the one pipeline: the only line that a script changes is its import.

    from s2s import tvm

    module, params = tvm.relay.frontend.from_onnx(model, shape={"data": (1, 3, 224, 224)})
    with tvm.transform.PassContext(opt_level=3):
        library = tvm.relay.build(module, target="llvm", params=params)

`tvm.alias()` lets the statements `import tvm` and `from tvm import relay` of other files find this package. The
compiler itself imports nothing of it. Modules are imported when first used, so that the command line starts at once.
"""

import importlib
from typing import TYPE_CHECKING

from s2s.tvm.refused_modules import refused_module

if TYPE_CHECKING:
    from s2s.tvm import (
        autotvm,
        contrib,
        driver,
        error,
        instrument,
        ir,
        micro,
        parser,
        relay,
        rpc,
        runtime,
        support,
        target,
        te,
        testing,
        tir,
        topi,
        transform,
    )
    from s2s.tvm.aliases import alias
    from s2s.tvm.error import TVMError
    from s2s.tvm.ir import container
    from s2s.tvm.relay.module import IRModule
    from s2s.tvm.runtime import (
        DataType,
        DataTypeCode,
        cl,
        const,
        convert,
        cpu,
        device,
        get_global_func,
        gpu,
        mtl,
        nd,
        register_func,
    )
    from s2s.tvm.runtime.devices import cuda, ext_dev, hexagon, metal, opencl, rocm, vpi, vulkan, webgpu
    from s2s.tvm.te.open_function import build, lower

__version__ = "0.12.0"
"""The version of TVM that the interface follows."""
MODULES = (
    "_ffi",
    "autotvm",
    "contrib",
    "driver",
    "error",
    "instrument",
    "ir",
    "micro",
    "parser",
    "relay",
    "rpc",
    "runtime",
    "support",
    "target",
    "te",
    "testing",
    "tir",
    "topi",
    "transform",
)
"""The modules of the interface."""
NAMES = {
    "TVMError": "error",
    "container": "ir",
    "convert": "runtime",
    "IRModule": "relay.module",
    "ConstantMemoryPools": "ir.memory_pools",
    "ConstantPoolInfo": "ir.memory_pools",
    "PoolInfo": "ir.memory_pools",
    "PoolInfoProperties": "ir.memory_pools",
    "WorkspaceMemoryPools": "ir.memory_pools",
    "WorkspacePoolInfo": "ir.memory_pools",
    "alias": "aliases",
    "build": "te.open_function",
    "DataType": "runtime",
    "DataTypeCode": "runtime",
    "cl": "runtime",
    "const": "runtime",
    "cpu": "runtime",
    "device": "runtime",
    "gpu": "runtime",
    "mtl": "runtime",
    "cuda": "runtime.devices",
    "ext_dev": "runtime.devices",
    "hexagon": "runtime.devices",
    "metal": "runtime.devices",
    "opencl": "runtime.devices",
    "rocm": "runtime.devices",
    "vpi": "runtime.devices",
    "vulkan": "runtime.devices",
    "webgpu": "runtime.devices",
    "get_global_func": "runtime",
    "lower": "te.open_function",
    "nd": "runtime",
    "register_func": "runtime",
}
"""Names of the package itself, and the module that each comes from."""

__all__ = [
    "DataType",
    "DataTypeCode",
    "IRModule",
    "TVMError",
    "alias",
    "autotvm",
    "build",
    "cl",
    "const",
    "container",
    "contrib",
    "convert",
    "cpu",
    "cuda",
    "device",
    "driver",
    "error",
    "ext_dev",
    "get_global_func",
    "gpu",
    "hexagon",
    "instrument",
    "ir",
    "lower",
    "metal",
    "micro",
    "mtl",
    "nd",
    "opencl",
    "parser",
    "register_func",
    "relay",
    "rocm",
    "rpc",
    "runtime",
    "support",
    "target",
    "te",
    "testing",
    "tir",
    "topi",
    "transform",
    "vpi",
    "vulkan",
    "webgpu",
]

if not TYPE_CHECKING:  # a checker would take every submodule for an object

    def __getattr__(name: str) -> object:
        if (refused := refused_module(name)) is not None:
            return refused
        if name in MODULES:
            return importlib.import_module(f"s2s.tvm.{name}")
        if name in NAMES:
            return getattr(importlib.import_module(f"s2s.tvm.{NAMES[name]}"), name)
        return importlib.import_module("s2s.tvm.refusals").refusing("")(name)

    def __dir__() -> list[str]:
        return sorted(__all__)
