"""TVM's driver: models, packages and results, with four calls between them.

    model = tvmc.load("net.onnx")
    records = tvmc.tune(model, target="llvm", trials=64)
    package = tvmc.compile(model, target="llvm", tuning_records=records, package_path="net.tar")
    print(tvmc.run(package, device="cpu"))

`s2s tvmc compile | run | tune` are the same as commands (`s2s.tvm.driver.tvmc.command`).
"""

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

if not TYPE_CHECKING:  # a checker would take every submodule for an object
    __getattr__ = refusing("driver.tvmc")
