"""s2s among other inference engines: classes as `peers.py` of the shared benchmarks wants them.

python ../shared/bench/peers.py MODELS --peers ort --extra benchmarks.peer:S2S
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import s2s
from benchmarks.engines import NAIVE, Built, Variant, build
from s2s.types.dtypes import Array
from s2s.verify.toolchain import compiler_version, default_compiler


class S2S:
    """The default schedule for this machine."""

    variant = Variant("host")
    call: Callable[[], object]
    _built: Built

    def version(self) -> str:
        """What the table says was measured."""
        return f"s2s {s2s.__version__} ({compiler_version(default_compiler())}, {self.variant})"

    def load(self, path: str, feeds: Mapping[str, Array], work: str) -> None:
        """Compile the model, build the C and put `feeds` in place; nothing is left in the folder `work`."""
        self._built = build(Path(path), self.variant, feeds)
        self.call = self._built.bound.call

    def outputs(self) -> list[Array]:
        """The results of one run."""
        return self._built.outputs()

    def time_block(self, runs: int) -> tuple[float, float]:
        """Seconds on the clock and CPU seconds of `runs` runs."""
        call = self.call
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(runs):
            call()
        return time.perf_counter() - wall, time.process_time() - cpu


class S2SPlain(S2S):
    """Portable C99 without vector types."""

    variant = Variant("c")


class AVX2(S2S):
    """What machines without AVX-512 get."""

    variant = Variant("x86-64-v3")


class S2SReference(S2S):
    """One plain loop nest for each operator."""

    variant = NAIVE
