"""A tree with its kernels as packed functions: one more C file, and the files of the runtime that it includes.

Trees have none of this unless a library is made of them.
"""

import math
from dataclasses import replace

from s2s.emit.files import Tree
from s2s.emit.runtime import needed_files
from s2s.emit.templates import fill
from s2s.emit.view import GENERATED
from s2s.executor.element_types import DLDataType, dlpack_of_numpy, numpy_of_name
from s2s.executor.graph_json import CONCAT, COPY, NO_OPERATION, SCRATCH, SPLIT, Call, Network, Value
from s2s.support.frozen import frozen
from s2s.support.resources import runtime_source

HEADER = "s2s_kernels.h"
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


def with_functions(tree: Tree, network: Network | None, name: str, blob: bytes) -> Tree:
    """The tree of a network with the table of its kernels, and `blob` for whoever loads the library.

    A network with a run function has no table: `network` is None.
    """
    lines = [", ".join(map(str, blob[at : at + LINE])) + "," for at in range(0, len(blob), LINE)]
    kernels = kernels_of(network) if network is not None else []
    source = fill("functions.c.j2", licence=GENERATED, name=name, kernels=kernels, blob=lines)
    runtime = {f"runtime/{path}": runtime_source(path).encode() for path in needed_files([HEADER])}
    return replace(tree, files={**tree.files, **runtime, f"src/{name}_functions.c": source.encode()})
