"""`tvmc.run`: the network of a package on this machine."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.errors import UnsupportedError
from s2s.executor.device import cpu
from s2s.executor.ndarray import NDArray
from s2s.tvm.contrib.aot_executor import AotModule
from s2s.tvm.contrib.debugger.debug_executor import GraphModuleDebug
from s2s.tvm.contrib.graph_executor import GraphModule
from s2s.tvm.driver.tvmc.errors import TVMCException
from s2s.tvm.driver.tvmc.model import TVMCPackage, TVMCResult
from s2s.tvm.rpc import LocalSession, RPCSession, connect, connect_tracker
from s2s.tvm.runtime.benchmark import BenchmarkResult, measure
from s2s.types.weights import Array

FILL_MODES = ("random", "zeros", "ones")
SEED = 0
SESSION_SECONDS = 1000
"""A server of a tracker is held for this long at most."""


def generate_tensor_data(shape: Sequence[int], dtype: str, fill_mode: str) -> Array:
    """Return an array of zeros, of ones, or of random numbers: of -1 to 1, or for integers of 0 to 127."""
    if fill_mode not in FILL_MODES:
        raise TVMCException(f"fill mode {fill_mode!r}: is not known; give {', '.join(FILL_MODES)}")
    kind = np.dtype(dtype)
    if fill_mode != "random":
        return np.full(shape, 1 if fill_mode == "ones" else 0, kind)
    rng = np.random.default_rng(SEED)
    if kind.kind in "iu":
        return rng.integers(128, size=shape).astype(kind)
    return rng.uniform(-1, 1, shape).astype(kind)


def make_inputs_dict(
    shape_dict: Mapping[str, Sequence[int]],
    dtype_dict: Mapping[str, str],
    inputs: Mapping[str, npt.ArrayLike] | None = None,
    fill_mode: str = "random",
) -> dict[str, npt.ArrayLike]:
    """Return values of all inputs: the given ones, and made-up ones for the others."""
    for name in inputs or {}:
        if name not in shape_dict:
            raise TVMCException(f"input {name!r}: the network has none of this name; it has {', '.join(shape_dict)}")
    values = dict(inputs or {})
    for name, shape in shape_dict.items():
        if name not in values:
            values[name] = generate_tensor_data(tuple(shape), str(dtype_dict[name]), fill_mode)
    return values


def run_module(
    tvmc_package: TVMCPackage,
    device: str,
    hostname: str | None = None,
    port: int | str = 9090,
    rpc_key: str | None = None,
    inputs: Mapping[str, npt.ArrayLike] | None = None,
    fill_mode: str = "random",
    benchmark: bool = False,
    repeat: int = 10,
    number: int = 10,
    profile: bool = False,
    end_to_end: bool = False,
    options: Mapping[str, Any] | None = None,
) -> TVMCResult:
    """Run the network of a package once, with made-up inputs where none are given; with `benchmark` time it, with
    `profile` print the time of each kernel. It runs here, on the server at `hostname` and `port`, or with `rpc_key` on
    a server of this key that the tracker there hands out."""
    _check(tvmc_package, device, profile and hostname is not None, options)
    if tvmc_package.lib_path is None:
        raise UnsupportedError(
            f"{tvmc_package.package_path}: the Model Library Format holds sources for firmware; run output format so, "
            "or `s2s verify --on` on a board"
        )
    session = _place_to_run(hostname, port, rpc_key)
    library: Any = _loaded(tvmc_package.lib_path, session)
    create, processor = library[library.function_names()[0]], session.cpu()
    module = GraphModule(create(processor)) if tvmc_package.executor_type == "graph" else AotModule(create(processor))
    if tvmc_package.params is not None and isinstance(module, GraphModule):
        module.load_params(tvmc_package.params)
    values = make_inputs_dict(*module.get_input_info(), inputs, fill_mode)
    module.run(**values)  # pyright: ignore[reportArgumentType]
    outputs = {f"output_{at}": module.get_output(at).numpy().view(NDArray) for at in range(module.get_num_outputs())}
    if profile:
        _profile(library, tvmc_package, values)
    times = _times(module, values, repeat, number, end_to_end) if benchmark else None
    return TVMCResult(outputs, times)


def _place_to_run(hostname: str | None, port: int | str, rpc_key: str | None) -> LocalSession | RPCSession:
    """Where the network runs."""
    if hostname is None:
        if rpc_key:
            raise TVMCException("tvmc.run: rpc_key: goes with the tracker that has the server; give hostname and port")
        return LocalSession()
    if rpc_key:
        return connect_tracker(hostname, int(port)).request(rpc_key, session_timeout=SESSION_SECONDS)
    return connect(hostname, int(port))


def _loaded(path: str, session: LocalSession | RPCSession) -> Any:
    """The library of a package in a session."""
    session.upload(path)
    return session.load_module(Path(path).name)


def _times(module: Any, values: Mapping[str, npt.ArrayLike], repeat: int, number: int, end_to_end: bool) -> Any:
    """The times of runs, measured where the network is."""
    if isinstance(module, GraphModule):
        given: Mapping[str, Any] = values if end_to_end else {}
        return module.benchmark(cpu(), repeat=repeat, number=number, end_to_end=end_to_end, **given)
    return measure((lambda: module.run(**values)) if end_to_end else module.run, repeat=repeat, number=number)


def _check(package: TVMCPackage, device: str, profiles_elsewhere: bool, options: Mapping[str, Any] | None) -> None:
    if profiles_elsewhere:
        raise UnsupportedError("tvmc.run: profile: kernels are timed on this machine; leave hostname out")
    if device != "cpu":
        raise UnsupportedError(
            f"tvmc.run: device {device}: packages run on this machine's processor; give cpu, or use `s2s verify --on`"
        )
    if options:
        raise UnsupportedError(f"tvmc.run: options of boards: {package.package_path} runs here; leave them out")


def _profile(library: Any, package: TVMCPackage, values: Mapping[str, npt.ArrayLike]) -> None:
    if package.executor_type != "graph":
        raise UnsupportedError("tvmc.run: profile: kernels are timed by executor graph; compile with it")
    name = library.function_names()[0]
    debug = GraphModuleDebug(library["debug_create"](name, cpu()), cpu(), library["get_graph_json"](), None)
    print(debug.profile(None, **values).table())  # noqa: T201  # pyright: ignore[reportArgumentType]


Outputs = Mapping[str, NDArray]
__all__ = ["BenchmarkResult", "generate_tensor_data", "make_inputs_dict", "run_module"]
