"""`import tvm` and `from tvm import relay` of files that nobody edits: the name `tvm` stands for `s2s.tvm`."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from s2s.errors import InputError
from s2s.tvm.refused_modules import refused_module

NAME = "tvm"
PACKAGE = "s2s.tvm"


INSIDE = {
    "autotvm.measure.measure_methods": "autotvm.measure",
    "autotvm.task.task": "autotvm.task",
    "autotvm.task.topi_integration": "autotvm.task",
    "autotvm.tuner.ga_tuner": "autotvm.tuner",
    "autotvm.tuner.gridsearch_tuner": "autotvm.tuner",
    "autotvm.tuner.xgboost_tuner": "autotvm.tuner",
    "relay.frontend.onnx": "relay.frontend",
    "relay.frontend.pytorch": "relay.frontend",
    "relay.frontend.tflite": "relay.frontend",
    "relay.op.nn": "relay.nn",
    "relay.op.op": "relay.op",
    "relay.op.strategy": "relay.strategy",
    "relay.op.tensor": "relay.op",
    "relay.op.transform": "relay.op",
    "relay.transform.transform": "relay.transform",
    "tir.expr": "tir",
}
"""Modules in which TVM defines what programs import from there, and the modules that have it here."""


class _Alias(Loader):
    """Gives the module of `s2s.tvm` that a name of `tvm` stands for."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module itself: both names share one object, so that no class is defined twice.

        One that there is not has all names, and each says why it is not done when it is called.
        """
        path = spec.name.removeprefix(NAME).lstrip(".")
        refused = refused_module(path)
        self._spec = None if refused is None else spec
        if refused is not None:
            return refused
        module = import_module(f"{PACKAGE}.{INSIDE.get(path, path)}".rstrip("."))
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the specification of the module, which has run already."""
        module.__spec__ = self._spec


class _Finder(MetaPathFinder):
    """Finds `tvm` and its modules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module of `tvm` is loaded; None for every other name."""
        if fullname != NAME and not fullname.startswith(f"{NAME}."):
            return None
        return ModuleSpec(fullname, _Alias(), is_package=True)


def alias() -> None:
    """Let `import tvm` find this package in this process; refused where another `tvm` has been imported."""
    imported = sys.modules.get(NAME)
    if imported is not None and imported.__name__ != PACKAGE:
        raise InputError(f"tvm.alias: another tvm has been imported from {imported.__file__}; call alias before it")
    if not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
