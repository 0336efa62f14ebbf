"""TVM's driver: models, packages and results, with four calls between them.

    model = tvmc.load("net.onnx")
    records = tvmc.tune(model, target="llvm", trials=64)
    package = tvmc.compile(model, target="llvm", tuning_records=records, package_path="net.tar")
    print(tvmc.run(package, device="cpu"))

`s2s tvmc compile | run | tune` are the same as commands (`s2s.tvm.driver.tvmc.command`).
"""

import importlib
from typing import TYPE_CHECKING

from s2s.tvm.driver.tvmc.autotuner import tune_model as tune
from s2s.tvm.driver.tvmc.compiler import compile_model as compile
from s2s.tvm.driver.tvmc.errors import TVMCException, TVMCImportError
from s2s.tvm.driver.tvmc.frontends import load_model as load
from s2s.tvm.driver.tvmc.model import TVMCModel, TVMCPackage, TVMCResult
from s2s.tvm.driver.tvmc.runner import run_module as run
from s2s.tvm.refusals import refusing

__all__ = [
    "TVMCException",
    "TVMCImportError",
    "TVMCModel",
    "TVMCPackage",
    "TVMCResult",
    "compile",
    "load",
    "run",
    "tune",
]

MODULES = (
    "composite_target",
    "config_options",
    "pass_config",
    "pass_list",
    "registry",
    "result_utils",
    "target",
    "workspace_pools",
)
"""Modules that are imported when first asked for."""
if not TYPE_CHECKING:  # a checker would take every submodule for an object
    _refused = refusing("driver.tvmc")

    def __getattr__(name: str) -> object:
        if name in MODULES:
            return importlib.import_module(f"s2s.tvm.driver.tvmc.{name}")
        return _refused(name)
