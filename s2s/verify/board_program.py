"""Compile, link and run programs for an emulated board, and parse their output."""

import re
import struct
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from s2s.boards import Board
from s2s.boards.parts import Part
from s2s.boards.paths.longest import Proof
from s2s.errors import InputError, ToolchainError
from s2s.support.frozen import frozen
from s2s.support.resources import harness_files, harness_source
from s2s.targets.flags import REGIONS, STANDARD
from s2s.verify.counted_blocks import Window, plugin_options, priced_windows, why_unwatched
from s2s.verify.toolchain import missing_programs, run_program

RECORD = struct.Struct("<IIQ")
"""`struct board_record` of board.h."""
OVERFLOW = re.compile(r"region `(?P<region>RAM|FLASH)' overflowed by (?P<bytes>\d+) bytes")
"""How the GNU linker says that a memory of the script is too small."""
FULL = "RAM is full"
"""What an assertion of `sections.ld` says."""
MEMORIES = {"RAM": "RAM", "FLASH": "flash"}
OF_TREES = ("-ffp-contract=", REGIONS)
"""Flags that trees decide, not boards."""
QUIET = ("-display", "none", "-serial", "none", "-monitor", "none")
SEMIHOSTING = ("-semihosting-config", "enable=on,target=native")


@frozen
class Record:
    """The record of one call of `board_depth` or `board_count`."""

    stack: int
    instructions: int
    """Counted instructions, including the overhead of the harness: subtract the count of an empty section."""


class BoardProgram:
    """A folder in which programs for `board` are built and run."""

    def __init__(self, board: Board, folder: Path, *, optimise: str = "O3", flags: Sequence[str] = ()) -> None:
        require_board(board)
        processor = board.processor()
        self.board, self.folder = board, folder
        self.compiler = (processor.cc,)
        own = [flag for flag in processor.cflags if not flag.startswith(OF_TREES)]
        self.flags = (*STANDARD, f"-{optimise}", "-fno-math-errno", *own, *processor.library_flags, *flags)
        for name in harness_files():
            (folder / name).write_text(harness_source(name), encoding="utf-8")

    @cached_property
    def harness(self) -> Sequence[Path]:
        """The objects of the harness, which only programs that are linked take."""
        return [self.compile(self.folder / name, Path(name).stem) for name in ("harness.c", self.board.startup)]

    def compile(self, source: Path, stem: str, *, include: Iterable[str] = (), root: Path | None = None) -> Path:
        """The object file `stem.o`; folders of `include` are seen from `root`."""
        made = self.folder / f"{stem}.o"
        includes = [f"-I{folder}" for folder in (*include, self.folder)]
        run_program([*self.compiler, *self.flags, *includes, "-c", source, "-o", made], cwd=root)
        return made

    def write(self, name: str, text: str) -> Path:
        """Put a source file into the folder."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def link(
        self,
        name: str,
        main: str,
        objects: Iterable[Path] = (),
        *,
        include: Iterable[str] = (),
        root: Path | None = None,
    ) -> Path:
        """The program `name.elf` from a source text with `main`, further objects and the harness."""
        program = self.folder / f"{name}.elf"
        own = self.compile(self.write(f"{name}_main.c", main), f"{name}_main", include=include, root=root)
        script = (f"-L{self.folder}", f"-T{self.folder / self.board.script}")
        options = ("-nostartfiles", *self.board.libraries, *script, "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments")
        try:
            linker = self.board.linker or (*self.compiler, *self.flags)
            run_program([*linker, own, *objects, *self.harness, *options, "-lm", "-o", program])
        except ToolchainError as error:
            raise self._too_large(str(error)) or error from error
        return program

    def _too_large(self, message: str) -> InputError | None:
        """The error of a program that is too large for the board; None if the linker says another thing."""
        over = OVERFLOW.search(message)
        if over is None and FULL not in message:
            return None
        memory = MEMORIES["RAM" if over is None else over["region"]]
        more = "more" if over is None else f"{int(over['bytes']):,} bytes more"
        way = "give --ram-budget min, or another board" if memory == "RAM" else "give another board"
        return InputError(
            f"--on qemu:{self.board.name}: the program needs {more} of {memory} than there is "
            f"({self.board.description}); {way}"
        )

    def run(self, program: Path, inputs: bytes) -> bytes:
        """Run a program on these inputs and return its output."""
        return self._run(program, inputs, ())

    def run_priced(
        self, program: Path, inputs: bytes, part: Part | None = None, proof: Proof | None = None
    ) -> tuple[bytes, list[Window]]:
        """Run a program and return its output, with the cycles of each record of `board_count` and `board_leave`.

        There are none where `why_unwatched` of the board has a reason, and instructions in place of cycles where the
        core has no model; `proof` asks for the greatest of any run.
        """
        if why_unwatched(self.board):
            return self.run(program, inputs), []
        output = self._run(program, inputs, plugin_options(program, self.compiler, self.folder))
        return output, priced_windows(program, self.compiler, self.board, self.folder, part, proof)

    def _run(self, program: Path, inputs: bytes, options: Sequence[str]) -> bytes:
        (self.folder / "in.bin").write_bytes(inputs)
        (self.folder / "out.bin").write_bytes(b"")
        run_program([*self.board.emulator, *QUIET, *SEMIHOSTING, *options, "-kernel", program], cwd=self.folder)
        return (self.folder / "out.bin").read_bytes()

    def record(self, data: bytes, at: int) -> Record:
        """Parse the record at an offset of a program's output."""
        stack, interrupts, ticks = RECORD.unpack_from(data, at)
        counted = round(ticks * self.board.instructions_per_tick)
        return Record(stack, counted - interrupts * self.board.instructions_per_interrupt)

    def records(self, data: bytes) -> list[Record]:
        """Parse the output of a program that writes only records."""
        return [self.record(data, at) for at in range(0, len(data), RECORD.size)]


def require_board(board: Board) -> None:
    """Raise an error if the cross compiler or the emulator is missing."""
    processor = board.processor()
    missing = missing_programs((processor.cc, *board.linker[:1], board.emulator[0]))
    if missing:
        packages = " ".join((*processor.packages, *board.packages))
        raise ToolchainError(
            f"--on qemu:{board.name}: {' and '.join(missing)} not installed; on Debian: "
            f"apt-get install --no-install-recommends {packages}"
        )
