"""s2s: a source-to-source compiler from trained neural networks to portable C99.

    artifact = s2s.compile("kws.onnx", target="c")
    artifact.write("kws")

The names below are imported when first used, so that `import s2s` and the command line start at once.
"""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

_CHECKOUT = Path(__file__).resolve().parents[1]
if (_CHECKOUT / "dialects" / "graph").is_dir():
    # In a checkout, dialects/, templates/ and runtime_c/ stand beside s2s/: found there, nothing has to be installed.
    __path__.append(str(_CHECKOUT))

if TYPE_CHECKING:
    from s2s import tvm
    from s2s.api import (
        Artifact,
        CFunction,
        CompileOptions,
        DebugOptions,
        Inspection,
        JointArtifact,
        PackedFunction,
        Target,
        compile,
        cpu,
        device,
        inspect,
        load,
        profile,
        quantize,
        quantize_within,
        register_codegen,
        register_custom_op,
        together,
    )
    from s2s.errors import CompilerBug, InputError, S2SError, ToolchainError, UnsupportedError
    from s2s.frontends.features import post, pre
    from s2s.tvm.relay import IRModule, build
    from s2s.tvm.relay.memory_pools import (
        ConstantMemoryPools,
        ConstantPoolInfo,
        PoolInfoProperties,
        WorkspaceMemoryPools,
        WorkspacePoolInfo,
    )
    from s2s.tvm.runtime import get_global_func, nd, register_func

    __version__: str

__all__ = [
    "Artifact",
    "CFunction",
    "CompileOptions",
    "CompilerBug",
    "ConstantMemoryPools",
    "ConstantPoolInfo",
    "DebugOptions",
    "IRModule",
    "InputError",
    "Inspection",
    "JointArtifact",
    "PackedFunction",
    "PoolInfoProperties",
    "S2SError",
    "Target",
    "ToolchainError",
    "UnsupportedError",
    "WorkspaceMemoryPools",
    "WorkspacePoolInfo",
    "__version__",
    "build",
    "compile",
    "cpu",
    "device",
    "get_global_func",
    "inspect",
    "load",
    "nd",
    "post",
    "pre",
    "profile",
    "quantize",
    "quantize_within",
    "register_codegen",
    "register_custom_op",
    "register_func",
    "together",
    "tvm",
]


_MEMORY_POOLS = (
    "ConstantMemoryPools",
    "ConstantPoolInfo",
    "PoolInfoProperties",
    "WorkspaceMemoryPools",
    "WorkspacePoolInfo",
)

if not TYPE_CHECKING:  # a checker would take every submodule for an object

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 's2s' has no attribute {name!r}")
        if name == "__version__":
            from s2s.version import current_version

            return current_version()
        if name == "tvm":
            return importlib.import_module("s2s.tvm")
        if name in ("pre", "post"):
            return importlib.import_module(f"s2s.frontends.features.{name}")
        if name in ("get_global_func", "nd", "register_func"):
            return getattr(importlib.import_module("s2s.tvm.runtime"), name)
        if name in _MEMORY_POOLS:
            return getattr(importlib.import_module("s2s.tvm.relay.memory_pools"), name)
        if name in ("IRModule", "build"):
            return getattr(importlib.import_module("s2s.tvm.relay"), name)
        from s2s import errors

        if hasattr(errors, name):
            return getattr(errors, name)
        from s2s import api

        return getattr(api, name)

    def __dir__() -> list[str]:
        return sorted(__all__)
