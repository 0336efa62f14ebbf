"""The kernels of a network as packed functions, for its graph JSON and for whoever loads it as a library.

include/<model>_functions.h   the table of kernels, the graph JSON, and the function that links its parameters
src/<model>_functions.c       the table
src/<model>_program.c         the graph JSON and the parameters, which are the constants of the tree
src/<model>_library.c         what `tvm.runtime.load_module` finds in a shared library

Trees have these files where option `interface` is `tvm`; the last one is in libraries only.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from s2s.c_syntax.identifiers import c_macro, c_string
from s2s.emit.files import Tree
from s2s.emit.info import NetworkInfo
from s2s.emit.runtime import needed_files
from s2s.emit.templates import fill
from s2s.emit.view import GENERATED
from s2s.emit.weights import ConstantArray
from s2s.errors import UnsupportedError
from s2s.executor.element_types import DLDataType, dlpack_of_numpy, numpy_of_name
from s2s.executor.graph_json import CONCAT, COPY, NO_OPERATION, SCRATCH, SPLIT, Call, Network, Value, dump
from s2s.support.frozen import frozen
from s2s.support.resources import runtime_source

HEADER = "s2s_library.h"
BUILT_IN = (NO_OPERATION, COPY, CONCAT, SPLIT)
"""Functions of the graph JSON that are no kernels."""
LINE = 24


@frozen
class Argument:
    """A tensor that a kernel takes the address of."""

    elements: int
    dtype: DLDataType


@frozen
class Kernel:
    """A kernel with its arguments in the order of C: results, inputs, scratch."""

    symbol: str
    arguments: tuple[Argument, ...]
    results: int
    inputs: int
    scratch: int


def kernels_of(network: Network) -> list[Kernel]:
    """The kernels that a network calls, each once."""
    calls = {node.function: node for node in network.nodes if isinstance(node, Call) and node.function not in BUILT_IN}
    return [_kernel(network, call) for call in calls.values()]


def _kernel(network: Network, call: Call) -> Kernel:
    scratch = int(call.attributes.get(SCRATCH, "0"))
    results = len(call.results) - scratch
    operands = [network.value(entry) for entry in call.operands]
    values = [*call.results[:results], *operands, *call.results[results:]]
    return Kernel(call.function, tuple(map(_argument, values)), results, len(operands), scratch)


def _argument(value: Value) -> Argument:
    return Argument(math.prod(value.shape), dlpack_of_numpy(numpy_of_name(value.dtype)))


def program_files(info: NetworkInfo, constants: Sequence[ConstantArray], headers: Sequence[str]) -> Mapping[str, bytes]:
    """Return the files by which the graph executor of the runtime runs the graph JSON of a network in firmware.

    `constants` are the constants of its tree, which `headers` declare. A network without graph JSON is refused, and one
    with several devices, whose memories the executor does not tell apart.
    """
    network, name = info.graph, info.name
    if network is None or info.devices:
        what = "several devices" if info.devices else "sizes that vary or state"
        raise UnsupportedError(
            f"{name}: --interface tvm: TVM's graph executor in C runs no network with {what}; leave the option out"
        )
    sources = {source.name for source in network.sources()}
    linked = [(c_string(array.name), array.identifier) for array in constants if array.name in sources]
    shared = {"licence": GENERATED, "name": name, "macro": c_macro(name), "linked": linked}
    kernels = kernels_of(network)
    return {
        f"include/{name}_functions.h": fill("functions.h.j2", **shared, count=len(kernels)).encode(),
        f"src/{name}_functions.c": _table(name, kernels, public=True),
        f"src/{name}_program.c": fill(
            "program.c.j2", **shared, headers=headers, json=_bytes_of(dump(network).encode() + b"\0")
        ).encode(),
    }


def with_library(tree: Tree, network: Network | None, name: str, blob: bytes) -> Tree:
    """The tree of a network with the table of its kernels, and `blob` for whoever loads the library.

    A network with a run function has no table: `network` is None.
    """
    kernels = kernels_of(network) if network is not None else []
    table = f"src/{name}_functions.c"
    library = fill("library.c.j2", licence=GENERATED, name=name, count=len(kernels), blob=_bytes_of(blob))
    runtime = {f"runtime/{path}": runtime_source(path).encode() for path in needed_files([HEADER])}
    files = {**tree.files, **runtime, f"src/{name}_library.c": library.encode()}
    return replace(tree, files=files if table in files else {**files, table: _table(name, kernels, public=False)})


def _table(name: str, kernels: Sequence[Kernel], *, public: bool) -> bytes:
    """The file with the table of kernels, which is `public` where a header of the tree declares it."""
    return fill("functions.c.j2", licence=GENERATED, name=name, kernels=kernels, public=public).encode()


def _bytes_of(content: bytes) -> list[str]:
    """Lines of the numbers of bytes."""
    return [", ".join(map(str, content[at : at + LINE])) + "," for at in range(0, len(content), LINE)]
