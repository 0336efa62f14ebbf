"""Measure the peak performance of one core of this machine, once, and keep it in the user's cache folder.

The measuring programs are `native/machine.c` and `native/fork_join.c`, compiled with the flags of target `host`.
"""

import hashlib
import json
import os
import platform
import re
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from s2s.boards import BOARDS, PREFIX
from s2s.errors import ToolchainError
from s2s.support import progress
from s2s.support.frozen import frozen
from s2s.support.resources import profiling_source, runtime_files, runtime_source
from s2s.targets import Target, get_target
from s2s.targets.caches import cache_bytes
from s2s.targets.flags import OPTIMISE, STANDARD, compile_flags
from s2s.targets.keys import DESCRIPTION_LENGTH
from s2s.verify.toolchain import accepted_flags, compiler_version, default_compiler, run_program

SOURCE = "machine.c"
FORK_JOIN_SOURCE = "fork_join.c"
OPERATIONS_A_CYCLE = 2
"""An estimate of the loads, stores and scalar operations that kernels execute per cycle."""
CACHES = (("L1", 32 << 10), ("L2", 1 << 20), ("L3", 8 << 20))
"""The caches, with default sizes where the operating system does not report them."""
MEMORY = "memory"
POOL = "src/pool.c"
MAX_WORKING_SET = 512 << 20
"""The working set that measures memory bandwidth; caches larger than this are shared by many cores."""
FIGURES = ("clock_ghz", "fma_latency", "fork_join_ns", "float_gflops", "int8_gops")
CPU_INFO = Path("/proc/cpuinfo")


@frozen
class Level:
    """A cache, or main memory."""

    name: str
    bytes: int | None
    """The capacity; None for memory."""
    read_gbs: float


@frozen
class Machine:
    """The peak figures of one core."""

    cpu: str
    compiler: str
    clock_ghz: float
    fma_latency: float
    """The latency of a multiply-add in cycles."""
    fork_join_ns: float
    """The fork-join cost of a kernel on two threads in nanoseconds; 0 without threads."""
    float_gflops: float
    """Peak of float32 operations, where a multiply-add counts as two."""
    int8_gops: float
    """Peak of operations in byte products summed in 32 bits."""
    levels: tuple[Level, ...]
    """The memory levels, nearest first; the last is main memory."""

    def holding(self, size: int) -> Level:
        """Return the nearest level that holds a working set of `size` bytes."""
        return next(level for level in self.levels if level.bytes is None or size <= level.bytes)

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON states them."""
        return asdict(self)

    def at_best(self, other: "Machine | None") -> "Machine":
        """Combine two measurements of one machine to the better figures, since any disturbance only slows it down."""
        if other is None or [each.name for each in other.levels] != [each.name for each in self.levels]:
            return self
        pairs = zip(self.levels, other.levels, strict=True)
        return replace(
            self,
            clock_ghz=max(self.clock_ghz, other.clock_ghz),
            fma_latency=min(self.fma_latency, other.fma_latency),
            fork_join_ns=min(self.fork_join_ns, other.fork_join_ns),
            float_gflops=max(self.float_gflops, other.float_gflops),
            int8_gops=max(self.int8_gops, other.int8_gops),
            levels=tuple(replace(a, read_gbs=max(a.read_gbs, b.read_gbs)) for a, b in pairs),
        )

    @staticmethod
    def from_dict(fields: dict[str, Any]) -> "Machine":
        """Create a machine from the output of `as_dict`."""
        levels = tuple(Level(**level) for level in fields["levels"])
        peaks: dict[str, float] = {name: fields[name] for name in FIGURES}
        return Machine(cpu=fields["cpu"], compiler=fields["compiler"], **peaks, levels=levels)


def this_machine(*, again: bool = False) -> Machine:
    """Return the peaks of this machine: cached figures, or new ones; `again` measures anew and keeps the better
    figures."""
    target, compiler = get_target("host"), default_compiler()
    kept = cache_folder() / f"machine-{_key(target, compiler)}.json"
    found = _read(kept)
    if found is not None and not again:
        return found
    progress.step("measuring the peaks of this machine")
    machine = measure(target, compiler).at_best(found)
    _keep(machine, kept)
    return machine


def measure(target: Target, compiler: tuple[str, ...]) -> Machine:
    """Compile and run the measuring program."""
    caches = _cache_sizes()
    # A set of half a cache leaves room for others; the last cache is shared, so a small part of it is asked for.
    sets = [caches[0] // 2, caches[1] // 2, min(4 * caches[1], caches[2] // 2)]
    sets.append(min(2 * caches[-1], MAX_WORKING_SET))
    found = json.loads(_measured(target, compiler, sets))
    speeds: list[float] = found["read_gbs"]
    names, sizes = [*(name for name, _ in CACHES), MEMORY], [*caches, None]
    return Machine(
        cpu=cpu_name(),
        compiler=compiler_version(compiler),
        clock_ghz=found["clock_ghz"],
        fma_latency=found["fma_latency"],
        fork_join_ns=_fork_join_ns(compiler),
        float_gflops=found["float_gflops"],
        int8_gops=found["int8_gops"],
        levels=tuple(Level(*each) for each in zip(names, sizes, speeds, strict=True)),
    )


def _measured(target: Target, compiler: tuple[str, ...], sets: Sequence[int]) -> str:
    with tempfile.TemporaryDirectory(prefix="s2s-machine-") as folder:
        source, program = Path(folder) / SOURCE, Path(folder) / "machine"
        source.write_text(profiling_source(SOURCE), encoding="utf-8")
        flags = accepted_flags(compiler, compile_flags(target))
        run_program([*compiler, *flags, f"-DVECTOR_BYTES={4 * max(target.lanes, 4)}", source, "-o", program])
        return run_program([program, *map(str, sets)])


def _fork_join_ns(compiler: tuple[str, ...]) -> float:
    """Measure the fork-join cost of two threads; 0 if the runtime's pool has no threads."""
    with tempfile.TemporaryDirectory(prefix="s2s-machine-") as name:
        folder = Path(name)
        for path in runtime_files():
            if path.endswith(".h") or path == POOL:
                (folder / Path(path).name).write_text(runtime_source(path), encoding="utf-8")
        (folder / FORK_JOIN_SOURCE).write_text(profiling_source(FORK_JOIN_SOURCE), encoding="utf-8")
        program = folder / "fork_join"
        sources = [folder / FORK_JOIN_SOURCE, folder / Path(POOL).name]
        run_program([*compiler, *STANDARD, *OPTIMISE, "-pthread", *sources, "-o", program])
        return json.loads(run_program([program]))["fork_join_ns"]


def target_of_machine(machine: Machine, name: str) -> Target:
    """Return target `host` under another name, with measured instead of default costs."""
    host = get_target("host")
    stream, memory = (level.read_gbs / machine.clock_ghz for level in machine.levels[-2:])
    ports = machine.float_gflops / (2 * host.lanes * machine.clock_ghz)
    return replace(
        host,
        name=name,
        description=re.sub(r"[^ -~]", "", machine.cpu)[:DESCRIPTION_LENGTH],
        fma_ports=_whole(ports, 8),
        fma_latency=_whole(machine.fma_latency, 64),
        stream_bytes=_whole(stream, 1024),
        memory_bytes=_whole(memory, 1024),
        fork_join=round(machine.fork_join_ns * machine.clock_ghz * OPERATIONS_A_CYCLE),
    )


def _whole(value: float, most: int) -> int:
    return min(max(round(value), 1), most)


def _cache_sizes() -> tuple[int, ...]:
    return tuple(cache_bytes(level, otherwise) for level, (_, otherwise) in enumerate(CACHES, 1))


def cpu_name() -> str:
    """Return the model name of the processor."""
    try:
        lines = CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()


def cache_folder() -> Path:
    """Return the folder of cached figures: `$XDG_CACHE_HOME/s2s`, by default `~/.cache/s2s`."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "s2s"


def _key(target: Target, compiler: tuple[str, ...]) -> str:
    """Return a hash of everything that the figures depend on."""
    facts = [
        cpu_name(),
        platform.node(),
        compiler_version(compiler),
        *compile_flags(target),
        *map(str, _cache_sizes()),
        profiling_source(SOURCE),
        profiling_source(FORK_JOIN_SOURCE),
        runtime_source(POOL),
    ]
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:16]


def _read(kept: Path) -> Machine | None:
    """Return the cached figures; None if they are missing or unreadable."""
    try:
        return Machine.from_dict(json.loads(kept.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _keep(machine: Machine, kept: Path) -> None:
    """Cache the figures; ignore a folder that cannot be written."""
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=kept.parent, delete=False, encoding="utf-8") as file:
            json.dump(machine.as_dict(), file, indent=1)
        Path(file.name).replace(kept)
    except OSError:
        return


def check_same_machine(target: Target) -> None:
    """Raise an error for a target whose code does not run here."""
    if target.cc:
        board = next((board.name for board in BOARDS if board.target == target.name), None)
        counted = f"s2s verify --on {PREFIX}{board} counts the instructions of each kernel"
        raise ToolchainError(
            f"--target {target.name}: its code does not run on this machine, which cannot tell its time; "
            + (counted if board is not None else "measure it on such a machine")
        )
