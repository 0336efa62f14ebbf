"""An emitted tree on an emulated board: built with the cross compiler, run on given inputs, counted.

Two programs are made. The first runs the network as it is: twice for each set of inputs, once on a painted stack and
once with the counter on. The second counts every kernel for itself: the file with the run function is compiled with
each call of a kernel between two calls of the harness.
"""

import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

import numpy as np

from s2s.boards import Board
from s2s.boards.cycles.cycles import Cycles, exactly
from s2s.boards.cycles.table import table_of
from s2s.boards.parts import Part
from s2s.boards.paths.longest import Proof
from s2s.emit.files import Tree
from s2s.errors import InputError, ToolchainError
from s2s.support.frozen import frozen
from s2s.support.jobs import jobs
from s2s.types.dtypes import Array
from s2s.verify.board_program import OF_TREES, RECORD, BoardProgram
from s2s.verify.board_sources import count_kernels, run_network, run_steps
from s2s.verify.counted_blocks import functions_in
from s2s.verify.external import external_includes, external_sources
from s2s.verify.footprint import INCLUDE_FOLDERS, ObjectSize, object_size, source_files
from s2s.verify.worst_case import IDLE, WorstCase, greatest, proof_of, worst_case

_WORD = struct.Struct("<i")


@frozen
class Layer:
    """One call of a kernel."""

    kernel: str
    instructions: int
    cycles: Cycles | None = None
    """By the model of the core; None if it has none."""
    greatest: int | None = None
    """The cycles of the longest path, or its instructions without a model; None where there is no bound."""


@frozen
class BoardRun:
    """The output of a program on a board."""

    outputs: tuple[tuple[Array, ...], ...]
    """For each set of inputs, the outputs in order."""
    instructions: tuple[int, ...]
    """For each set of inputs."""
    stack: int
    layers: tuple[Layer, ...]
    """Counts for the most expensive inputs; empty if they were not asked for."""
    program: ObjectSize
    """The whole program: network, C library and harness."""
    network: ObjectSize
    """The objects of the network alone, before the linker drops what is not used."""
    arena: int
    """Bytes."""
    ports: int
    """Bytes of inputs and outputs that lie outside of the arena."""
    cycles: tuple[Cycles, ...] = ()
    """For each set of inputs, by the model of the core; empty if it has none."""
    worst_case: WorstCase | None = None
    """For any inputs, by the same model; in instructions if the core has none."""

    @property
    def worst(self) -> int:
        """The number of the most expensive inputs."""
        return self.instructions.index(max(self.instructions))

    @property
    def ram(self) -> int:
        """Arena, inputs, outputs and variables of the network."""
        return self.arena + self.ports + self.network.data + self.network.zeroed

    @property
    def flash(self) -> int:
        """Everything that the program keeps in flash."""
        return self.program.flash


@frozen
class BoardSteps:
    """The steps of a run on a board."""

    instructions: tuple[int, ...]
    """Of each step."""
    cycles: tuple[Cycles, ...]
    """The same, by the model of the core; empty if it has none."""
    outputs: bytes
    """All outputs, one after the other."""


class BoardBuild:
    """A tree and a board: the objects that its programs are linked from.

    Of a tree of several networks, `network` names the one to run.
    """

    def __init__(
        self,
        tree: Tree,
        board: Board,
        *,
        optimise: str = "O3",
        network: str | None = None,
        part: Part | None = None,
    ) -> None:
        self.root, self.part = tree.folder, part
        self.network = tree.network(network)
        if self.network.executor != "aot":
            raise InputError(f"--on qemu:{board.name}: runs trees of executor aot; leave --executor out")
        self.record = tree.record_of(self.network)
        flags = [flag for flag in self.record["target"]["flags"] if flag.startswith(OF_TREES)]
        self.folder = tempfile.TemporaryDirectory(prefix="s2s-board-")
        self.program = BoardProgram(board, Path(self.folder.name), optimise=optimise, flags=flags)
        self.include = (*INCLUDE_FOLDERS, *["test"] * self.network.pack, *external_includes(self.record))
        own = [path.relative_to(self.root) for path in source_files(self.root)]
        own += [Path("test", f"{self.network.name}_test_pack.c")] * self.network.pack
        self.objects = self._compile_all([*own, *external_sources(self.record)])

    @property
    def size(self) -> ObjectSize:
        """The size of the network's objects."""
        return _sum(object_size(path, str(source), self.program.compiler) for source, path in self.objects.items())

    @property
    def _has_model(self) -> bool:
        """Whether the core has a model of cycles."""
        return table_of(self.program.board.target) is not None

    @cached_property
    def proof(self) -> Proof:
        """What is proven of the paths of the network's functions."""
        objects = self.objects.values()
        names = [name for file in objects for name, _ in functions_in(file, self.program.compiler)]
        return proof_of(self.record, names)

    def run(
        self, vectors: Sequence[Sequence[Array]], *, layers: bool = True, resets: bool = True, bounded: bool = True
    ) -> BoardRun:
        """Run the network on each of `vectors`, inputs in order; without `resets` each finds the state of the last,
        without `bounded` no worst case is proved."""
        compiler = self.program.compiler
        elf = self._link("run", run_network(self.network, len(vectors), resets=resets), self.objects.values())
        inputs = _bytes(array for vector in vectors for array in (*vector, *vector))
        proof = self.proof if bounded else None
        found, windows = self.program.run_priced(elf, inputs, self.part, proof)
        cycles = [window.cycles for window in windows] if self._has_model else []
        idle = self.program.record(found, 0).instructions
        at, stack, instructions = RECORD.size, 0, list[int]()
        outputs: list[tuple[Array, ...]] = []
        for _ in vectors:
            stack = max(stack, self.program.record(found, at).stack)
            instructions.append(self.program.record(found, at + RECORD.size).instructions - idle + IDLE)
            at = self._check_status(found, at + 2 * RECORD.size)
            arrays: list[Array] = []
            for port in self.network.outputs:
                arrays.append(np.frombuffer(found[at : at + port.size], port.dtype).reshape(port.shape))
                at += port.size
            outputs.append(tuple(arrays))
        if windows and not self._has_model:  # the plugin counts each of them, the timer some at a time
            instructions = [(window.cycles - windows[0].cycles).count + IDLE for window in windows[1:]]
        worst = instructions.index(max(instructions))
        return BoardRun(
            outputs=tuple(outputs),
            instructions=tuple(instructions),
            stack=stack,
            layers=tuple(self._layers(vectors[worst], proof)) if layers else (),
            program=object_size(elf, elf.name, compiler),
            network=self.size,
            arena=self.network.arena_size,
            ports=self.network.ports_size,
            cycles=tuple(each - cycles[0] + exactly(IDLE) for each in cycles[1:]),
            worst_case=worst_case(windows, self.record, "cycles" if self._has_model else "instructions")
            if bounded
            else None,
        )

    def steps(self, vector: Sequence[Array]) -> "BoardSteps":
        """Do each step of a run for itself, of a network that is cut into steps."""
        elf = self._link("steps", run_steps(self.network), self.objects.values())
        output, windows = self.program.run_priced(elf, _bytes(vector), self.part)
        entry = _WORD.size + RECORD.size
        size = sum(port.size for port in self.network.outputs)
        count = (len(output) - size) // entry
        counts = [self.program.record(output, number * entry + _WORD.size).instructions for number in range(count)]
        self._check_status(output, (count - 1) * entry)
        return BoardSteps(
            instructions=tuple(count - counts[0] for count in counts[1:]),
            cycles=tuple(window.cycles - windows[0].cycles for window in windows[1:]) if self._has_model else (),
            outputs=output[count * entry :],
        )

    def _check_status(self, found: bytes, at: int) -> int:
        status: int = _WORD.unpack_from(found, at)[0]
        if status != 0:
            raise ToolchainError(
                f"{self.network.name}_run: status {status} on the board; s2s_status in s2s.h says what it means"
            )
        return at + _WORD.size

    def _layers(self, vector: Sequence[Array], proof: Proof | None) -> Iterator[Layer]:
        """Count each kernel of a run separately."""
        kernels: list[str] = self.record["kernels"]
        entry = Path("src") / f"{self.network.name}.c"
        source = self.program.write("counted.c", count_kernels(self.network.name, kernels))
        counted = self.program.compile(source, "counted", include=self.include, root=self.root)
        others = [path for each, path in self.objects.items() if each != entry]
        elf = self._link("layers", run_network(self.network, 1, once=True), [*others, counted])
        found, windows = self.program.run_priced(elf, _bytes(vector), self.part, proof)
        step = _WORD.size + RECORD.size
        counts = [
            (int(_WORD.unpack_from(found, at)[0]), self.program.record(found, at + _WORD.size).instructions)
            for at in range(0, len(found), step)
        ]
        _, idle = counts[0]
        prices = windows[1:] or [None] * (len(counts) - 1)
        for (number, instructions), price in zip(counts[1:], prices, strict=True):
            counted = None if price is None else price.cycles - windows[0].cycles
            longest = None if price is None else greatest(price.longest, windows[0])
            cycles = counted if self._has_model else None
            exact = instructions - idle if counted is None or self._has_model else counted.count
            yield Layer(kernels[number], exact, cycles, longest)

    def _link(self, name: str, main: str, objects: Iterable[Path]) -> Path:
        return self.program.link(name, main, objects, include=self.include, root=self.root)

    def _compile_all(self, sources: Sequence[Path]) -> Mapping[Path, Path]:
        def compile_one(source: Path, number: int) -> Path:
            return self.program.compile(source, f"network{number}", include=self.include, root=self.root)

        with ThreadPoolExecutor(jobs()) as pool:
            return dict(zip(sources, pool.map(compile_one, sources, range(len(sources))), strict=True))

    def close(self) -> None:
        """Remove everything that was built."""
        self.folder.cleanup()


def _bytes(arrays: Iterable[Array]) -> bytes:
    return b"".join(np.asarray(array, order="C").tobytes() for array in arrays)


def _sum(sizes: Iterable[ObjectSize]) -> ObjectSize:
    every = list(sizes)
    return ObjectSize(
        "",
        sum(each.code for each in every),
        sum(each.constants for each in every),
        sum(each.data for each in every),
        sum(each.zeroed for each in every),
    )
