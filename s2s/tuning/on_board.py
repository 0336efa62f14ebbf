"""Measuring on an emulated board: instructions are counted exactly, and nothing disturbs them.

A candidate is built twice: with `-O3` it runs and is measured, with `-Os` only its flash counts. Projects use
both, and a schedule that is small with one can be large with the other. Code that was measured is not built again.
"""

import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from s2s.boards import get_board
from s2s.tuning.code import code_of
from s2s.tuning.measurement import SMALL_FLASH, ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Limits, Measurer, Phases, guarded, in_parallel
from s2s.tuning.reference import difference, reference_of
from s2s.verify.board_program import require_board
from s2s.verify.on_board import BoardBuild
from s2s.verify.toolchain import compiler_version


class BoardMeasurer(Measurer):
    """Builds candidates for a board that QEMU emulates and counts their instructions there."""

    def __init__(
        self,
        place: str,
        limits: Limits | None = None,
        *,
        parallel: int = 1,
        optimise: str = "O3",
        sizes: bool = True,
    ) -> None:
        super().__init__(limits, parallel=parallel)
        self.place, self.optimise = place, optimise
        self.sizes = sizes
        """Whether the flash of a build with `-Os` is measured as well, which takes another build."""
        self._board = get_board(place)
        self._seen: dict[str, Measurement] = {}
        """What was measured already, by its code."""

    @property
    def compiler(self) -> str:
        return compiler_version((self._board.processor().cc,))

    def require(self) -> None:
        require_board(self._board)

    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        self._warm(candidates)
        seconds = self.limits.seconds_beside(incumbent)
        found = in_parallel(lambda each: self._one(each, seconds), candidates, self.parallel)
        self._seen |= {each.code: each for each in found if each.code}
        return found

    def measure_each(self, candidates: Sequence[Candidate]) -> list[Measurement]:
        return self.measure(candidates)

    def _one(self, candidate: Candidate, seconds: float) -> Measurement:
        with tempfile.TemporaryDirectory(prefix="s2s-tune-") as folder:
            root = Path(folder)
            return guarded(root, lambda phases: self._run(candidate, root, phases), seconds, self.limits.memory)

    def _run(self, candidate: Candidate, folder: Path, phases: Phases) -> Measurement:
        phases.enter(ErrorKind.INSTANTIATION_ERROR)
        compilation = candidate.compilation
        tree = compilation.tree.write(folder / "tree")
        code = code_of(tree.folder)
        if code in self._seen:
            return self._seen[code]
        phases.enter(ErrorKind.COMPILE_DEVICE)
        build = BoardBuild(tree, self._board, optimise=self.optimise)
        small = {}
        if self.sizes:
            with closing(BoardBuild(tree, self._board, optimise="Os")) as built:
                small = {SMALL_FLASH: built.size.flash}
        phases.enter(ErrorKind.RUNTIME_DEVICE)
        run = build.run([reference_of(compilation).inputs], layers=False)
        differs = difference(compilation, run.outputs[0])
        if differs is not None:
            return Measurement(error=ErrorKind.WRONG_ANSWER, message=differs, code=code)
        return Measurement(
            {
                "instructions": run.instructions[0],
                "bytes of flash": run.network.flash,
                **small,
                "bytes of ram": run.ram,
                "bytes of stack": run.stack,
            },
            code=code,
        )
