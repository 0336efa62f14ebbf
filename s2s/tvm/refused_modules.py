"""Modules of TVM that there are not, each with the reason and the way out.

A program may import one, as many do that use it nowhere; whoever calls something of it is told.
"""

from collections.abc import Mapping
from types import ModuleType

from s2s.errors import UnsupportedError

_TUNER = "schedules are decisions that one tuner searches; use tvm.autotvm, or `s2s tune`"
_GENERATORS = "external code generators are registered by s2s; see `relay.build(external=...)`"
_BOARDS = (
    "boards are driven by `s2s verify --on` and `s2s tune --on`, and projects written by `s2s export` and `s2s new`"
)
_FARM = "sessions go through a farm of Dask; use rpc.Server, rpc.Tracker, rpc.connect and rpc.connect_tracker"
_VALUES = "values are Python's and numpy's; there are no objects of C++"

REFUSED_MODULES: Mapping[str, str] = {
    "auto_scheduler": _TUNER,
    "meta_schedule": _TUNER,
    "autotvm.database": "records are lines of a log; use autotvm.callback.log_to_file",
    "autotvm.measure.executor": "measurements run in processes of the tuner; give LocalBuilder and LocalRunner",
    "autotvm.feature": "the cost model reads the knobs of a schedule; task.compute_flop counts operations",
    "contrib.clang": "kernels are C; give the C of a function by s[tensor].pragma(loop, 'import_c', source)",
    "contrib.xcode": "give the compiler as cc= of export_library",
    "contrib.download": "models are not downloaded; give a file",
    "contrib.emcc": "programs for browsers are built from the emitted C",
    "contrib.ndk": "give the compiler of the NDK as cc= of export_library",
    "contrib.pipeline_executor": "networks run one after the other; make an executor of each",
    "contrib.target": _GENERATORS,
    "contrib.tflite": "networks run as C; read the model with relay.frontend.from_tflite",
    "contrib.tflite_runtime": "networks run as C; read the model with relay.frontend.from_tflite",
    "driver.tvmc.micro": _BOARDS,
    "driver.tvmc.project": _BOARDS,
    "driver.tvmc.transform": "layouts and types are chosen by relay.build; give a model of the wanted types",
    "micro.build": _BOARDS,
    "micro.class_factory": _BOARDS,
    "micro.project_api": _BOARDS,
    "relay.op.contrib": _GENERATORS,
    "relay.prelude": "data types of the language and lists of tensors are not compiled; write tensors and tuples",
    "relay.base": "objects are Python's; there is nothing to register",
    "relay.collage": _GENERATORS,
    "relay.contrib": _GENERATORS,
    "relay.data_dep_optimization": "weights are dense",
    "relay.dyn": "sizes are numbers when a network is compiled; use the operator of relay",
    "relay.loops": "loops come from ONNX (Loop, Scan) and TFLite",
    "relay.memory_plan": "memory is planned by relay.build",
    "relay.quantize": "give a quantised model; see `s2s quantize`",
    "relay.vm": "networks run by executors graph and aot",
    "runtime.vm": "networks run by executors graph and aot",
    "runtime.object": _VALUES,
    "runtime.object_path": _VALUES,
    "runtime.script_printer": _VALUES,
    "topi.nn.qnn": "quantised operators are those of relay.qnn.op",
    "script": "loops are passes of the compiler; write te.compute with a schedule, or a function of C by te.extern",
    "rpc.base": _FARM,
    "rpc.minrpc": _FARM,
    "rpc.proxy": _FARM,
    "rpc.tornado_util": _FARM,
    **dict.fromkeys(
        ("tir.analysis", "tir.schedule", "tir.stmt", "tir.stmt_functor", "tir.transform", "tir.usmp"),
        "loops are passes of the compiler; write te.compute with a schedule, or a function of C by te.extern",
    ),
    "te.autodiff": "networks have no gradients here; train elsewhere, and import the model",
    "te.hybrid": "loops are written as te.compute with a schedule, or as a function of C by te.extern",
}
"""By their paths in the package; what is inside of one is refused with it."""


def refusal_of(path: str) -> str | None:
    """Return why a module is refused; None where it is not, or where nobody knows it."""
    parts = path.split(".")
    prefixes = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((REFUSED_MODULES[each] for each in prefixes if each in REFUSED_MODULES), None)


class Refused:
    """What stands for a function, a class or a module of TVM that there is not. Nothing is an instance of it."""

    def __init__(self, message: str) -> None:
        self._message = message

    def __call__(self, *_: object, **__: object) -> object:
        raise UnsupportedError(self._message)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.endswith("_available"):
            return _unavailable
        raise UnsupportedError(self._message)

    def __getitem__(self, key: object) -> object:
        raise UnsupportedError(self._message)

    def __instancecheck__(self, instance: object) -> bool:
        return False

    def __mro_entries__(self, bases: object) -> tuple[type, ...]:
        raise UnsupportedError(self._message)


class RefusedModule(ModuleType):
    """A module that there is not: all names are in it, and whatever is called says why it is not done."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"tvm.{path}")
        self.__dict__["__path__"] = list[str]()
        self._message = f"tvm.{path}: {reason}"

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return _unavailable if name.endswith("_available") else Refused(self._message)


def _unavailable(*_: object) -> bool:
    """What functions answer that ask whether a library or a device of TVM is there: it is not."""
    return False


def refused_module(path: str) -> RefusedModule | None:
    """Return what stands for a refused module; None where it is not refused, or where nobody knows it."""
    reason = refusal_of(path)
    return None if reason is None else RefusedModule(path, reason)
