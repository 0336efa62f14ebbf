"""Measuring on an emulated board: instructions are counted exactly, and nothing disturbs them."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from s2s.boards import get_board
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Limits, Measurer, Phases, guarded, in_parallel
from s2s.tuning.reference import difference, reference_of
from s2s.verify.on_board import BoardBuild
from s2s.verify.toolchain import compiler_version


class BoardMeasurer(Measurer):
    """Builds candidates for a board that QEMU emulates and counts their instructions there."""

    def __init__(self, place: str, limits: Limits | None = None, *, parallel: int = 1, optimise: str = "O3") -> None:
        super().__init__(limits, parallel=parallel)
        self.place, self.optimise = place, optimise
        self._board = get_board(place)

    @property
    def compiler(self) -> str:
        return compiler_version((self._board.processor().cc,))

    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        return in_parallel(self._one, candidates, self.parallel)

    def _one(self, candidate: Candidate) -> Measurement:
        seconds = self.limits.build_seconds + self.limits.run_seconds
        with tempfile.TemporaryDirectory(prefix="s2s-tune-") as folder:
            root = Path(folder)
            return guarded(root, lambda phases: self._run(candidate, root, phases), seconds, self.limits.memory)

    def _run(self, candidate: Candidate, folder: Path, phases: Phases) -> Measurement:
        phases.enter(ErrorKind.INSTANTIATION_ERROR)
        compilation = candidate.compilation
        compilation.tree.write(folder / "tree")
        phases.enter(ErrorKind.COMPILE_DEVICE)
        build = BoardBuild(folder / "tree", self._board, optimise=self.optimise)
        phases.enter(ErrorKind.RUNTIME_DEVICE)
        run = build.run([reference_of(compilation).inputs], layers=False)
        differs = difference(compilation, run.outputs[0])
        if differs is not None:
            return Measurement(error=ErrorKind.WRONG_ANSWER, message=differs)
        own = run.network
        return Measurement(
            {
                "instructions": run.instructions[0],
                "bytes of flash": own.code + own.constants + own.data,
                "bytes of ram": run.ram,
                "bytes of stack": run.stack,
            }
        )
