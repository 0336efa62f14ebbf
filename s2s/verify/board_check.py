"""`s2s verify --on`: run a network on an emulated board, compare with an engine or golden vectors, and measure it."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Literal

from s2s.analysis.cost.kernels import KernelCost
from s2s.boards import PREFIX, get_board
from s2s.boards.cycles.cycles import Cycles
from s2s.boards.cycles.table import table_of
from s2s.compilation import Compilation
from s2s.emit.call_comments import KernelCall
from s2s.emit.files import Tree
from s2s.stages.read import Read
from s2s.support import progress
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.verify.counted_blocks import why_uncounted
from s2s.verify.expected import Expected
from s2s.verify.levels import LevelsReport
from s2s.verify.on_board import BoardBuild, BoardRun, Layer
from s2s.verify.run_time import RunTime, run_time
from s2s.verify.toolchain import compiler_version
from s2s.verify.verification import Judge, Verification

Optimise = Literal["O3", "O2", "Os"]
VECTORS = 4
"""The number of random input sets where there are no golden vectors."""

CompareLevels = Callable[[Expected, Sequence[Array]], LevelsReport]
"""Runs the levels of the compiler on inputs, and compares these outputs of the C with the last."""


@frozen
class BoardVerification:
    """The result of a network on a board. Sizes are in bytes, instructions are for the most expensive inputs."""

    board: str
    compiler: str
    target: str
    optimise: str
    verification: Verification
    run: BoardRun
    nodes: Sequence[KernelCall]
    """The calls in the C; a call inside a loop runs several times."""
    time: RunTime = RunTime()
    """The clock and the microcontroller that cycles are for."""
    costs: Mapping[str, KernelCost] = field(default_factory=dict[str, KernelCost])
    """What each kernel computes."""

    @property
    def cycles(self) -> Cycles | None:
        """Cycles of the most expensive inputs by the model of the core; None if it has none."""
        return self.run.cycles[self.run.worst] if self.run.cycles else None

    @property
    def cycle_model(self) -> str:
        """The manual that the cycles come from, or why there are none."""
        board = get_board(f"{PREFIX}{self.board}")
        table = table_of(board.target)
        return table.source if table is not None and self.run.cycles else why_uncounted(board)

    @property
    def passed(self) -> bool:
        """Whether all outputs agree within the tolerance."""
        return self.verification.passed

    @property
    def bit_exact(self) -> bool:
        """Whether all outputs are the expected bytes."""
        return self.verification.bit_exact

    @property
    def vectors(self) -> int:
        """Sets of inputs that were run."""
        return self.verification.vectors

    def figures(self) -> dict[str, Any]:
        """What was measured, without the layers."""
        run = self.run
        return {
            "board": self.board,
            "target": self.target,
            "compiler": f"{self.compiler} -{self.optimise}",
            "instructions": max(run.instructions),
            **({} if self.cycles is None else self.time.figures(self.cycles)),
            **({} if run.worst_case is None else {"worst_case": run.worst_case.describe()}),
            "cycle_model": self.cycle_model,
            "arena_bytes": run.arena,
            "ram_bytes": run.ram,
            "stack_bytes": run.stack,
            "flash_bytes": run.flash,
            "flash_code_bytes": run.program.code,
            "network_code_bytes": run.network.code,
            "network_constant_bytes": run.network.constants,
        }

    def as_dict(self) -> dict[str, Any]:
        """The result and the figures for JSON."""
        worst = self.run.worst_case
        layers = [
            {
                "kernel": layer.kernel,
                "nodes": nodes,
                "instructions": layer.instructions,
                **({} if layer.cycles is None else {"cycles": layer.cycles.count}),
                **({} if worst is None else {f"worst_{worst.unit}": layer.greatest}),
            }
            for layer, nodes in self.named_layers()
        ]
        most = {} if worst is None else {f"worst_case_{worst.unit}": worst.most}
        return {**self.verification.as_dict(), **self.figures(), **most, "layers": layers}

    def summed_layers(self) -> list["SummedLayer"]:
        """The calls of each kernel for the same nodes together, in the order of the first."""
        found: dict[tuple[str, str], list[Layer]] = {}
        for layer, nodes in self.named_layers():
            found.setdefault((layer.kernel, nodes), []).append(layer)
        return [_summed(kernel, nodes, layers, self.costs.get(kernel)) for (kernel, nodes), layers in found.items()]

    def named_layers(self) -> list[tuple[Layer, str]]:
        """Each call of a kernel with the nodes of the model that it computes: with the nodes of all calls of the
        kernel, where a loop makes more calls than the C has."""
        if [call.kernel for call in self.nodes] == [layer.kernel for layer in self.run.layers]:
            return list(zip(self.run.layers, [call.nodes for call in self.nodes], strict=True))
        of_kernel: dict[str, dict[str, None]] = {}
        for call in self.nodes:
            of_kernel.setdefault(call.kernel, {})[call.nodes] = None
        return [(layer, "; ".join(of_kernel.get(layer.kernel, ()))) for layer in self.run.layers]


@frozen
class SummedLayer:
    """All calls of a kernel for the same nodes; a recurrent network has one for each time step."""

    kernel: str
    nodes: str
    calls: int
    instructions: int
    cycles: int | None = None
    """By the model of the core; None if it has none."""
    operations: int = 0
    """Arithmetic operations of all these calls, as `s2s profile` counts them; 0 if nobody has counted."""


def _summed(kernel: str, nodes: str, layers: Sequence[Layer], cost: KernelCost | None) -> SummedLayer:
    cycles = [layer.cycles.count for layer in layers if layer.cycles is not None]
    instructions = sum(layer.instructions for layer in layers)
    operations = 0 if cost is None else len(layers) * (cost.operations.floats + cost.operations.integers)
    return SummedLayer(kernel, nodes, len(layers), instructions, sum(cycles) if cycles else None, operations)


def verify_on_board(
    compilation: Compilation,
    tree: Tree,
    expected: Expected,
    judge: Judge,
    *,
    on: str,
    optimise: Optimise = "O3",
    nodes: Sequence[KernelCall] = (),
    levels: CompareLevels | None = None,
    part: str | None = None,
    clock: float | None = None,
) -> BoardVerification:
    """Build a tree for a board, run it there on the expected vectors, and compare.

    `part` names a microcontroller or the file of one, `clock` is in megahertz: they make time and energy of cycles.
    """
    board, network = get_board(on), compilation.facts(Read)
    time = run_time(board, part, clock)
    with tempfile.TemporaryDirectory(prefix="s2s-tree-") as folder:
        placed = tree.write(Path(folder) / network.name)
        progress.step("compiling for the board")
        build = BoardBuild(placed, board, optimise=optimise, part=time.part)
        try:
            progress.step("running on the board")
            run = build.run([inputs for inputs, _ in expected.vectors])
        finally:
            build.close()
    result = judge.judge(expected, run.outputs)
    if levels is not None:
        progress.step("running the levels")
        result = replace(result, levels=levels(expected, run.outputs[0]))
    return BoardVerification(
        board=board.name,
        compiler=compiler_version((board.processor().cc,)),
        target=compilation.info.target.name,
        optimise=optimise,
        verification=result,
        run=run,
        nodes=nodes,
        time=time,
        costs=compilation.costs,
    )
