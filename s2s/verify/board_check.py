"""`s2s verify --on`: a network on an emulated board, held against golden vectors, with its figures."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from s2s.boards import Board, get_board
from s2s.compiler import Compilation, Network
from s2s.data.arrays import read_arrays
from s2s.data.samples import sample
from s2s.emit.info import PortInfo
from s2s.emit.tree import Tree
from s2s.errors import InputError
from s2s.frontends.model import Source, read
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.pipeline import quantisation_passes
from s2s.support import progress
from s2s.targets import get_target
from s2s.types.dtypes import Array, tensor_type, to_numpy
from s2s.verify.compare import Comparison, compare
from s2s.verify.on_board import BoardBuild, BoardRun, Layer
from s2s.verify.toolchain import compiler_version

Optimise = Literal["O3", "O2", "Os"]
VECTORS = 4
"""Sets of inputs that are made up where nobody gives golden ones."""

Vectors = Sequence[tuple[Sequence[Array], Sequence[Array]]]
"""Inputs and the outputs that belong to them."""

DOUBLE_ROUNDING = "_double_rounding"
"""Marks the outputs of fully connected layers that round twice, as those of TensorFlow Lite for Microcontrollers."""


@dataclass(frozen=True)
class BoardVerification:
    """How a network did on a board. Figures are in bytes, and in instructions for the most expensive inputs."""

    board: str
    compiler: str
    target: str
    optimise: str
    passed: bool
    bit_exact: bool
    outputs: Mapping[str, Comparison]
    """The worst of all vectors for each output."""
    vectors: int
    run: BoardRun
    nodes: Sequence[str]
    """What each call of a kernel stands for in the model, where the calls are known one by one."""

    def as_dict(self) -> dict[str, Any]:
        """One flat object, but for the outputs and the layers."""
        run = self.run
        return {
            "passed": self.passed,
            "bit_exact": self.bit_exact,
            "board": self.board,
            "target": self.target,
            "compiler": f"{self.compiler} -{self.optimise}",
            "vectors": self.vectors,
            "instructions": max(run.instructions),
            "arena_bytes": run.arena,
            "ram_bytes": run.ram,
            "stack_bytes": run.stack,
            "flash_bytes": run.flash,
            "flash_code_bytes": run.program.code,
            "network_code_bytes": run.network.code,
            "network_constant_bytes": run.network.constants,
            "outputs": {name: comparison.describe() for name, comparison in self.outputs.items()},
            "layers": [
                {"kernel": layer.kernel, "nodes": nodes, "instructions": layer.instructions}
                for layer, nodes in self.named_layers()
            ],
        }

    def named_layers(self) -> list[tuple[Layer, str]]:
        """Each call of a kernel with the nodes of the model that it computes."""
        names = self.nodes if len(self.nodes) == len(self.run.layers) else [""] * len(self.run.layers)
        return list(zip(self.run.layers, names, strict=True))


def verify_on_board(
    model: Source,
    compilation: Compilation,
    tree: Tree,
    *,
    on: str,
    golden: str | Path | None = None,
    optimise: Optimise = "O3",
    nodes: Sequence[str] = (),
) -> BoardVerification:
    """Build a tree for a board, run it there on golden vectors, and compare."""
    board, network = get_board(on), compilation.network
    given = None if golden is None else _golden(Path(golden), compilation)
    with tempfile.TemporaryDirectory(prefix="s2s-tree-") as folder:
        place = Path(folder) / network.name
        tree.write(place)
        progress.step("compiling for the board")
        build = BoardBuild(place, board, optimise=optimise)
        try:
            vectors = given if given is not None else _made_up(model, compilation)
            progress.step("running on the board")
            run = build.run([inputs for inputs, _ in vectors])
        finally:
            build.close()
    return _verification(board, compilation, optimise, vectors, run, nodes)


def _verification(
    board: Board, compilation: Compilation, optimise: str, vectors: Vectors, run: BoardRun, nodes: Sequence[str]
) -> BoardVerification:
    outputs: dict[str, Comparison] = {}
    exact = True
    for found, (_, expected) in zip(run.outputs, vectors, strict=True):
        for port, wanted, given in zip(compilation.network.outputs, expected, found, strict=True):
            exact = exact and wanted.tobytes() == given.tobytes()
            compared = compare(wanted, given)
            worst = outputs.get(port.name)
            if worst is None or (compared.beyond, compared.max_abs_error) > (worst.beyond, worst.max_abs_error):
                outputs[port.name] = compared
    return BoardVerification(
        board=board.name,
        compiler=compiler_version((board.processor().cc,)),
        target=get_target(compilation.options.target).name,
        optimise=optimise,
        passed=all(each.passed for each in outputs.values()),
        bit_exact=exact,
        outputs=outputs,
        vectors=len(vectors),
        run=run,
        nodes=nodes,
    )


def _made_up(model: Source, compilation: Compilation) -> Vectors:
    """Inputs by name and type, and what the interpreter of the graph dialect says they give."""
    options, network = compilation.options, compilation.network
    imported = read(model, options.shapes, options.name, options.tflite_rounding)
    for each in quantisation_passes(compilation.options):
        each.apply(CompilerContext(imported.weights), imported.module)
    found: list[tuple[list[Array], list[Array]]] = []
    for seed in range(VECTORS):
        inputs = [
            sample(port.name, tensor_type(port.element, port.shape), seed, full_range=port.quantisation is not None)
            for port in network.inputs
        ]
        found.append((inputs, run_graph(imported.module, inputs, imported.weights)))
    return found


def _golden(path: Path, compilation: Compilation) -> Vectors:
    """The vectors of an .npz file: arrays by the names of inputs and outputs, or `x` and `y` for one of each."""
    arrays = read_arrays(path, f"--golden {path}")
    network = compilation.network
    inputs = [_column(path, arrays, port, _input_keys(network, port)) for port in network.inputs]
    outputs = [_column(path, arrays, port, _output_keys(compilation, port)) for port in network.outputs]
    counts = {len(column) for column in (*inputs, *outputs)}
    if len(counts) != 1:
        raise InputError(f"--golden {path}: holds {sorted(counts)} sets of inputs and outputs; give as many of each")
    rows = range(counts.pop())
    return [([column[row] for column in inputs], [column[row] for column in outputs]) for row in rows]


def _input_keys(network: Network, port: PortInfo) -> list[str]:
    return [port.name, *(["x"] if len(network.inputs) == 1 else [])]


def _output_keys(compilation: Compilation, port: PortInfo) -> list[str]:
    keys = [port.name, *(["y"] if len(compilation.network.outputs) == 1 else [])]
    rounding = compilation.options.tflite_rounding
    return [*(key + DOUBLE_ROUNDING for key in keys), *keys] if rounding == "micro" else keys


def _column(path: Path, arrays: Mapping[str, Array], port: PortInfo, keys: Sequence[str]) -> list[Array]:
    """One array for each vector, from the first of `keys` that the file has."""
    key = next((key for key in keys if key in arrays), None)
    if key is None:
        raise InputError(f"--golden {path}: holds no array {keys[-1]!r}; it holds {', '.join(arrays)}")
    array, dtype = arrays[key], to_numpy(port.element)
    count = len(array) if array.ndim else 0
    if array.dtype != dtype or array.size != count * port.count or not count:
        wanted = f"{dtype}{['N', *port.shape]}"
        raise InputError(f"--golden {path}: {key} is {array.dtype}{list(array.shape)}, {wanted} wanted; convert it")
    return [row.reshape(port.shape) for row in array]
