"""Measuring on this machine: the shortest of several rounds, in which candidates take turns with the best one so far.

    round 1   best 41.0  a 40.1  b 63.9  c 44.0      b is dropped: it is far behind
    round 2   best 40.2  a 39.5          c 43.1
    round 3   best 40.3  a 39.4                      c is dropped: the half that is behind

A machine that slows down between two measurements slows both: costs are stated relative to the best one's first cost.
"""

import fcntl
import os
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

import numpy as np

from s2s.stages.memory import Planned
from s2s.tuning.code import code_of
from s2s.tuning.host_program import PROGRAM, build_program
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Measurer, Phases, guarded, in_parallel
from s2s.tuning.reference import difference, reference_of
from s2s.types.dtypes import Array
from s2s.verify.footprint import object_size
from s2s.verify.toolchain import compiler_version, default_compiler, run_program

LOCK = Path(tempfile.gettempdir()) / f"s2s-measuring-{os.getuid()}.lock"
HOPELESS = 1.5
"""A candidate that takes this many times the best one's time is dropped after the first round."""


@dataclass
class _Built:
    """A candidate whose program is ready, and its times."""

    candidate: Candidate
    folder: Path
    measured: Measurement
    times: list[float] = field(default_factory=list[float])


class HostMeasurer(Measurer):
    """Builds candidates with the C compiler of this machine and times them."""

    place = "host"

    @property
    def compiler(self) -> str:
        return compiler_version(default_compiler())

    def require(self) -> None:
        default_compiler()

    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        self._warm(candidates)
        with tempfile.TemporaryDirectory(prefix="s2s-tune-") as folder:
            every = [*candidates, *([incumbent.candidate] if incumbent is not None else [])]
            places = {id(each): Path(folder) / str(number) for number, each in enumerate(every)}
            found = in_parallel(lambda each: self._build(each, places[id(each)]), every, self.parallel)
            built = [_Built(each, places[id(each)], one) for each, one in zip(every, found, strict=True)]
            best = built[-1] if incumbent is not None else None
            with alone_on_this_machine():
                self._race(built[: len(candidates)], best)
            factor = 1.0
            if incumbent is not None and best is not None and best.times:
                factor = incumbent.measured.costs["seconds"] / min(best.times)
            return [_settled(each, factor) for each in built[: len(candidates)]]

    def _build(self, candidate: Candidate, folder: Path) -> Measurement:
        folder.mkdir()
        seconds = self.limits.build_seconds
        return guarded(folder, lambda phases: _build(candidate, folder, phases), seconds, self.limits.memory)

    def _race(self, built: Sequence[_Built], best: _Built | None) -> None:
        alive = [each for each in built if each.measured.error is ErrorKind.NO_ERROR]
        for step, rounds in enumerate(self.limits.rounds):
            for _ in range(rounds):
                for each in [*([best] if best is not None else []), *alive]:
                    self._time(each, first=not each.times)
            alive = sorted((each for each in alive if each.times), key=lambda each: min(each.times))
            if alive and best is not None and best.times:
                alive = [each for each in alive if min(each.times) <= HOPELESS * min(best.times)]
            alive = alive[: max(1, (len(alive) + 1) // 2)] if step else alive

    def _time(self, each: _Built, *, first: bool) -> None:
        """Run one round; the first also checks the results."""
        if each.measured.error is not ErrorKind.NO_ERROR:
            return
        time.sleep(self.limits.cooldown)
        each.measured, before = (
            guarded(
                each.folder, lambda phases: self._run(each, phases, first), self.limits.run_seconds, self.limits.memory
            ),
            each.measured,
        )
        if each.measured.error is ErrorKind.NO_ERROR:
            each.times.append(each.measured.costs["seconds"])
            each.measured = replace(before, costs={**before.costs, **each.measured.costs})

    def _run(self, each: _Built, phases: Phases, check: bool) -> Measurement:
        phases.enter(ErrorKind.RUNTIME_DEVICE)
        tree, limits = each.folder / "tree", self.limits
        printed = run_program([tree / PROGRAM, str(limits.round_seconds), str(limits.calls)], tree)
        if check:
            compilation = each.candidate.task.compilation
            differs = difference(compilation, _outputs(tree / "out.bin", each.candidate))
            if differs is not None:
                return Measurement(error=ErrorKind.WRONG_ANSWER, message=differs)
        return Measurement({"seconds": float(printed)})


@contextmanager
def alone_on_this_machine() -> Generator[None]:
    """Wait until no other tuner or worker of the user times candidates on this machine."""
    with LOCK.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(candidate: Candidate, folder: Path, phases: Phases) -> Measurement:
    phases.enter(ErrorKind.INSTANTIATION_ERROR)
    compilation = candidate.compilation
    tree = compilation.tree.write(folder / "tree")
    (tree.folder / "in.bin").write_bytes(b"".join(each.tobytes() for each in reference_of(compilation).inputs))
    code = code_of(tree.folder)
    phases.enter(ErrorKind.COMPILE_DEVICE)
    build_program(tree)
    size = object_size(tree.folder / PROGRAM, PROGRAM, default_compiler())
    return Measurement(
        {
            "bytes of flash": size.flash,
            "bytes of ram": compilation.facts(Planned).arena + compilation.info.ports_size,
        },
        code=code,
    )


def _outputs(path: Path, candidate: Candidate) -> list[Array]:
    data, at = path.read_bytes(), 0
    found: list[Array] = []
    for expected in reference_of(candidate.task.compilation).outputs:
        found.append(np.frombuffer(data, expected.dtype, expected.size, at).reshape(expected.shape))
        at += expected.nbytes
    return found


def _settled(each: _Built, factor: float) -> Measurement:
    if each.measured.error is not ErrorKind.NO_ERROR or not each.times:
        return each.measured
    least = min(each.times)
    costs: Mapping[str, float] = {**each.measured.costs, "seconds": least * factor}
    return replace(each.measured, costs=costs, noise=median(each.times) / least - 1)
