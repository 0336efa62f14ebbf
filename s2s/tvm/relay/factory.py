"""`relay.build`: a network as a library, under TVM's names.

    library = s2s.build(mod, target="c -mcpu=cortex-m4", params=params)
    runtime = s2s.tvm.contrib.graph_executor.GraphModule(library["default"](s2s.cpu()))

It is `s2s.compile` on a module instead of a model file. The library is built when it is first needed. Three calls write
it: `export_library` what a linker or a process loads, `export_model_library_format` TVM's archive of sources, `write`
our own tree.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from s2s.artifact import Artifact, compile_artifact
from s2s.decisions.dispatch import records_in_effect
from s2s.emit.stream import pieces
from s2s.errors import InputError, WrongValueError
from s2s.executor.device import check_device
from s2s.executor.graph_json import dump
from s2s.executor.ndarray import NDArray
from s2s.executor.params import load_param_dict
from s2s.external.modes import modes_of
from s2s.frontends.model import GraphModel
from s2s.options import CompileOptions
from s2s.options.values import dims_of
from s2s.passes.pass_context import PassContext
from s2s.stages.c import Lowered
from s2s.support.frozen import frozen
from s2s.targets import Target as TargetData
from s2s.tvm.contrib.aot_executor import AotExecutor
from s2s.tvm.contrib.export import FCompile, Toolchain, export_library, packed_module
from s2s.tvm.error import MissingAttributeError
from s2s.tvm.relay.expr import Expr
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.generated import device_modules, generated_modules
from s2s.tvm.relay.library import NetworkLibrary
from s2s.tvm.relay.memory_pools import ConstantMemoryPools, WorkspaceMemoryPools, pools_of
from s2s.tvm.relay.model_library_format import Exported, export, files_of
from s2s.tvm.relay.module import IRModule, bind_params_by_name
from s2s.tvm.relay.open_network import within
from s2s.tvm.relay.options import Executor, Runtime, executor_of, runtime_of
from s2s.tvm.relay.qnn.transform import registered
from s2s.tvm.runtime.library import LibraryModule, MetadataModule
from s2s.tvm.runtime.module import ENTRY, Module
from s2s.tvm.target import Target, target_of
from s2s.types.devices import DeviceSource, devices_of
from s2s.types.sizes import DimSize

DEFAULT_NAME = "default"
"""What a library calls a network unless it has a name; a word of C, so C calls it otherwise."""


Network = ModuleOp | IRModule | Function | Expr
"""A network at graph level; an expression stands for the function of its free variables."""


def build(
    ir_mod: Network,
    target: "str | Target | TargetData | list[Target] | Mapping[str, object] | None" = None,
    target_host: object = None,
    executor: Executor | str = "graph",
    runtime: Runtime | str = "crt",
    workspace_memory_pools: WorkspaceMemoryPools | None = None,
    constant_memory_pools: ConstantMemoryPools | None = None,
    params: Mapping[str, npt.ArrayLike] | None = None,
    mod_name: str = DEFAULT_NAME,
    external: Mapping[str, str] | Sequence[str] | str | None = None,
    devices: DeviceSource | None = None,
    dims: "Mapping[str, int | str | tuple[int, ...] | DimSize] | None" = None,
) -> "ExecutorFactory":
    """Compile a network at graph level; `params` are the values of its parameters and weights.

    The target is that of the `with Target(…)` around, else this machine, unless one is given; a host beside it is the
    same C. Memory pools go with executor `aot`. `external` names external code generators, as `s2s.compile` takes them,
    and `dims` gives bounds to sizes that vary from run to run, `{"n": "1..64"}`.
    """
    chosen = executor_of(executor)
    runtime_of(runtime)
    named = target_of(target, target_host)
    data = named.data
    name = None if mod_name == DEFAULT_NAME else mod_name
    options = CompileOptions(
        target=_aligned(data, chosen),
        executor=chosen.kind,
        name=name,
        records=records_in_effect(),
        external=(*modes_of(named.generators), *modes_of(external)),
        threads=named.num_cores,
        devices=devices_of(devices),
        pools=pools_of(workspace_memory_pools, constant_memory_pools, data),
        dims=dims_of(dims),
    )
    options = PassContext.current().applied(options)
    artifact = compile_artifact(source_of(ir_mod, params, name, options.dims), options)
    return ExecutorFactory(artifact, mod_name, ir_mod, named, chosen)


def source_of(
    mod: ModuleOp | IRModule | Function | Expr,
    params: Mapping[str, npt.ArrayLike] | None = None,
    name: str | None = None,
    dims: Mapping[str, DimSize] | None = None,
) -> GraphModel:
    """The model that a module and the values of its parameters and weights are; `dims` has the bounds of its sizes."""
    arrays = {key: np.asarray(value) for key, value in (params or {}).items()}
    module = within(registered(_module(mod)), arrays, dims or {})
    model = bind_params_by_name(module, arrays).as_model(name)
    return model._replace(params={**model.params, **arrays})


def _module(mod: object) -> IRModule:
    if isinstance(mod, Function | Expr):
        return IRModule.from_expr(mod)
    if isinstance(mod, ModuleOp):
        return IRModule.of(mod)
    if isinstance(mod, IRModule):
        return mod
    raise WrongValueError(f"mod: is a {type(mod).__name__}, no module; import a model by tvm.relay.frontend.from_onnx")


def _aligned(target: TargetData, executor: Executor) -> TargetData:
    """The target, its memory and constants aligned as the executor's options ask."""
    wanted = executor.alignment
    return target if wanted is None or wanted <= target.align else replace(target, align=wanted)


@frozen
class FunctionInfo:
    """Bytes that a function takes on each target."""

    workspace_sizes: Mapping[str, int]
    constant_sizes: Mapping[str, int]
    io_sizes: Mapping[str, int]


class ExecutorFactory:
    """A compiled network that makes executors."""

    def __init__(self, artifact: Artifact, name: str, network: Network, target: Target, executor: Executor) -> None:
        self.artifact, self.name = artifact, name
        self._network, self._target, self._executor = network, target, executor
        self._packed: Module | None = None
        self._library: NetworkLibrary | None = None
        self._generated: list[Module] = []

    def __iter__(self) -> Iterator[object]:
        """The graph JSON, the library and the parameters, for programs that unpack what `build` returns."""
        yield self.get_executor_config()
        yield self.get_lib()
        yield self.get_params()

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """The function that makes an executor for a device, which `GraphModule` takes, or another one by its name:
        `debug_create`, `get_graph_json`, `get_graph_params`. For executor aot, `AotModule` takes what is made."""
        if name in ("debug_create", "get_graph_json", "get_graph_params"):
            return self.module[name]
        if name != self.name:
            raise MissingAttributeError(f"library[{name!r}]: the library holds {self.name!r}; ask for that")

        if self.executor == "graph":
            return self.module[name]

        def create(device: object = None) -> AotExecutor:
            check_device(device)
            return AotExecutor(self.artifact.loaded())

        return create

    @property
    def lib(self) -> NetworkLibrary:
        """The compiled functions."""
        return self.get_lib()

    @property
    def params(self) -> dict[str, NDArray]:
        """The parameters by the names of the graph JSON."""
        return self.get_params()

    @property
    def graph_json(self) -> str:
        """The network in TVM's graph JSON."""
        return self.get_graph_json()

    @property
    def graph_json_str(self) -> str:
        """The network in TVM's graph JSON."""
        return self.get_graph_json()

    @property
    def libmod_name(self) -> str:
        """What the library calls the network."""
        return self.name

    @property
    def ir_mod(self) -> IRModule:
        """The network as it was given to the build."""
        return _module(self._network)

    @property
    def target(self) -> TargetData:
        """The target that the network is compiled for."""
        return self.artifact.info.target

    @property
    def module(self) -> Module:
        """What `load_module` gives of the exported library, built when it is first needed."""
        if self._packed is None:
            self._packed = packed_module(self.artifact, self.name)
        return self._packed

    @property
    def executor(self) -> str:
        """The executor that the network was compiled for."""
        return self.artifact.info.executor

    @property
    def function_metadata(self) -> dict[str, FunctionInfo]:
        """The bytes that the network takes."""
        info, target = self.artifact.info, self.artifact.info.target.name
        constants = self.artifact.compilation.facts(Lowered).constants
        inputs_and_outputs = sum(port.size for port in (*info.inputs, *info.outputs))
        return {
            "__tvm_main__": FunctionInfo({target: info.arena_size}, {target: constants}, {target: inputs_and_outputs})
        }

    def get_graph_json(self) -> str:
        """The network in TVM's graph JSON."""
        self._check_graph("graph JSON")
        network = self.artifact.info.graph
        if network is None:
            raise InputError(
                f"{self.name}: TVM's graph JSON has no sizes that vary and no state; give every dimension a constant "
                "size, without state, or use executor aot"
            )
        return dump(network)

    def get_executor_config(self) -> str | None:
        """The graph JSON; None for executor aot, which has no configuration."""
        return self.get_graph_json() if self.executor == "graph" else None

    def get_params(self) -> dict[str, NDArray]:
        """The parameters by the names of the graph JSON, in the element order that the kernels read.

        There are none for executor aot, whose weights are constants of the C.
        """
        if self.executor != "graph":
            return {}
        tree = self.artifact.tree()
        blob = b"".join(pieces(tree.files[f"{self.artifact.name}.params"]))
        return {name: array.view(NDArray) for name, array in load_param_dict(blob).items()}

    def get_lib(self) -> NetworkLibrary:
        """The compiled functions, built now: the kernels, or for executor aot `__tvm_main__`, which takes inputs and
        then outputs. It imports the code of external generators and devices, and modules of a program, which are
        exported too."""
        if self._library is None:
            self._library = NetworkLibrary(self._functions(), self.get_source, self.export_library)
            generated = generated_modules(self.artifact) if self._generators else []
            for module in (*generated, *device_modules(self.artifact)):
                self._library.import_module(module)
                self._generated.append(module)
        return self._library

    def _functions(self) -> Mapping[str, Callable[..., Any]]:
        """The kernels by name, or the function that runs the network."""
        if self.executor != "graph":
            return {ENTRY: self.artifact.loaded().run_into}
        kernels = self.module.imported_modules[0]
        return {name: kernels[name] for name in kernels.function_names()}

    def get_devices(self) -> list[str]:
        """The devices that parts of the network run on beside the first one, and external code generators."""
        return sorted([*(each.name for each in self.artifact.info.devices), *self._generators])

    @property
    def _generators(self) -> set[str]:
        """The external code generators that compute parts of the network."""
        return {each["name"] for each in self.artifact.tree().record.get("external", ())}

    def get_source(self) -> str:
        """The C of the network: kernels, and the function or the tables that call them."""
        tree = self.artifact.tree()
        sources = [path for path in tree if path.startswith("src/") and path.endswith(".c") and "weights" not in path]
        return "\n".join(tree.text(path) for path in sources)

    def export_library(
        self,
        file_name: str | Path,
        fcompile: FCompile | None = None,
        addons: Sequence[str | Path] | None = None,
        workspace_dir: str | Path | None = None,
        *,
        cc: str | None = None,
        options: Sequence[str] = (),
        **keywords: object,
    ) -> None:
        """Write a shared library (`.so`), or its objects (`.tar`), compiled for the target; `runtime.load_module`
        takes both where the target is this machine.

        `cc` is the compiler, `options` flags of it, `addons` files to link as well. `fcompile` is called to write the
        file, with its name, the objects, and the keywords that are left. Objects are made in a temporary folder.
        """
        toolchain = Toolchain(fcompile, tuple(addons or ()), cc, tuple(options), keywords)
        if keywords and fcompile is None:
            raise InputError(f"export_library: {next(iter(keywords))}= goes with fcompile; leave it out")
        importing = [each for each in (self._packed, self._library) if each is not None]
        imports = [each for module in importing for each in module.imported_modules]
        own = (LibraryModule, MetadataModule)
        imports = [each for each in imports if not isinstance(each, own) and each not in self._generated]
        export_library(self.artifact, self.name, file_name, toolchain, imports)

    def export_model_library_format(self, file_name: str | Path) -> Path:
        """Write TVM's archive of sources, parameters and metadata, version 7 (`.tar`)."""
        return export(Path(file_name), files_of([self.exported()]))

    def exported(self) -> Exported:
        """The network as archives describe it."""
        has_interface = self._executor.options.get("interface-api") == "c"
        return Exported(self.artifact, self.name, str(self._target), str(self.ir_mod), has_interface)

    def write(self, destination: str | Path) -> Path:
        """Write our tree of sources and build files, as `s2s compile` does."""
        return self.artifact.write(destination)

    def _check_graph(self, what: str) -> None:
        if self.executor != "graph":
            raise InputError(f"{self.name}: built for executor aot, which has no {what}; build with executor='graph'")
