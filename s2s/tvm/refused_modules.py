"""Modules of TVM that there are not, each with the reason and the way out: whoever imports one is told."""

from collections.abc import Mapping

_TUNER = "schedules are decisions that one tuner searches; use tvm.autotvm, or `s2s tune`"
_ARGUMENTS = "the arguments of `s2s tvmc` are declared with the command; call tvmc.compile, run or tune with keywords"
_GENERATORS = "external code generators are registered by s2s; see `relay.build(external=...)`"
_BOARDS = (
    "boards are driven by `s2s verify --on` and `s2s tune --on`, and projects written by `s2s export` and `s2s new`"
)
_FARM = "servers of TVM run what they are sent; start `s2s farm scheduler` and `s2s farm worker`, or rpc.LocalSession"

REFUSED_MODULES: Mapping[str, str] = {
    "auto_scheduler": _TUNER,
    "meta_schedule": _TUNER,
    "autotvm.measure.executor": "measurements run in processes of the tuner; give LocalBuilder and LocalRunner",
    "autotvm.feature": "the cost model reads the knobs of a schedule; task.compute_flop counts operations",
    "contrib.clang": "kernels are C; give the C of a function by s[tensor].pragma(loop, 'import_c', source)",
    "contrib.download": "models are not downloaded; give a file",
    "contrib.target": _GENERATORS,
    "contrib.tflite_runtime": "networks run as C; read the model with relay.frontend.from_tflite",
    "driver.tvmc.composite_target": _GENERATORS,
    "driver.tvmc.config_options": _ARGUMENTS,
    "driver.tvmc.micro": _BOARDS,
    "driver.tvmc.pass_config": _ARGUMENTS,
    "driver.tvmc.pass_list": _ARGUMENTS,
    "driver.tvmc.project": _BOARDS,
    "driver.tvmc.registry": _ARGUMENTS,
    "driver.tvmc.target": _ARGUMENTS,
    "driver.tvmc.tracker": "packages run on this machine; kernels are measured on a farm, `s2s farm`",
    "driver.tvmc.transform": "layouts and types are chosen by relay.build; give a model of the wanted types",
    "driver.tvmc.workspace_pools": _ARGUMENTS,
    "micro.build": _BOARDS,
    "micro.class_factory": _BOARDS,
    "micro.project": _BOARDS,
    "micro.project_api": _BOARDS,
    "micro.session": _BOARDS,
    "micro.transport": _BOARDS,
    "relay.dataflow_pattern": "operators are matched by patterns of external code generators, or in an ExprMutator",
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
    "relay.testing.temp_op_attr": "operators have no attributes to replace; see relay.register_strategy",
    "relay.vm": "networks run by executors graph and aot",
    "rpc.base": _FARM,
    "rpc.client": _FARM,
    "rpc.minrpc": _FARM,
    "rpc.proxy": _FARM,
    "rpc.server": _FARM,
    "rpc.tracker": _FARM,
    "rpc.tornado_util": _FARM,
}
"""By their paths in the package; what is inside of one is refused with it."""


def refusal_of(path: str) -> str | None:
    """Return why a module is refused; None where it is not, or where nobody knows it."""
    parts = path.split(".")
    prefixes = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((REFUSED_MODULES[each] for each in prefixes if each in REFUSED_MODULES), None)
