"""Count the blocks of code that a program runs on an emulated board, by a plugin of the emulator, and price them.

A window is what runs between `board_start` and `board_now` of the harness, so the cycles of a program come in the order
of its records from `board_count` and `board_leave`.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from s2s.boards import Board
from s2s.boards.cycles.cycles import Cycles
from s2s.boards.cycles.instruction import Instruction, parse
from s2s.boards.cycles.price import Block, Prices
from s2s.boards.cycles.table import INSTRUCTIONS, table_of
from s2s.boards.parts import Part
from s2s.boards.paths.control_flow import Program
from s2s.boards.paths.image import read_image
from s2s.boards.paths.longest import Longest, LongestPaths, Proof
from s2s.errors import ToolchainError
from s2s.support.frozen import frozen
from s2s.support.resources import block_counter
from s2s.verify.toolchain import default_compiler, run_program, sibling_program

COUNTS = "blocks.txt"
"""The file that the plugin writes."""
START, STOP, INTERRUPT = "board_start", "board_now", "board_wrap"
END = "-"
_READ = ("m0", "m3", "m4", "m7", "m33")
"""The boards whose instructions are followed: Thumb without vectors and without loops of hardware."""


@frozen
class Window:
    """The cycles of a window, or its instructions on a core without a model of cycles."""

    cycles: Cycles
    longest: Longest | None
    """The greatest of any run; None if they were not asked for."""


def why_uncounted(board: Board) -> str:
    """Explain why there are no cycles of a board; empty if there are."""
    if table_of(board.target) is None:
        return f"no cycle model for {board.target}: its maker publishes no cycles of instructions"
    return why_unwatched(board)


def why_unwatched(board: Board) -> str:
    """Explain why the blocks of code that run on a board are not counted; empty if they are."""
    if board.name not in _READ:
        return f"no cycle model: the code of {board.target} is not read"
    if not _takes_plugins(board.emulator[0]):
        return f"no cycle model: this {board.emulator[0]} takes no plugins; install QEMU 7 or later, built with them"
    try:
        default_compiler()
    except ToolchainError:
        return "no cycle model: the plugin of the emulator wants a C compiler of this machine; install gcc"
    return ""


@cache
def _takes_plugins(emulator: str) -> bool:
    return "-plugin" in run_program([emulator, "--help"])


def plugin_options(program: Path, compiler: tuple[str, ...], folder: Path) -> tuple[str, str]:
    """Build the plugin in a folder, and return the options of the emulator that count the blocks of `program`."""
    source, library = folder / "blocks.c", folder / "blocks.so"
    if not library.exists():
        source.write_text(block_counter(), encoding="utf-8")
        run_program([*default_compiler(), "-std=c99", "-O2", "-shared", "-fPIC", source, "-o", library])
    places = _symbols(program, compiler)
    start, _ = places[START]
    stop, _ = places[STOP]
    first, size = places[INTERRUPT]
    ranges = f"start={start:#x},stop={stop:#x},skip={first:#x}-{first + size:#x}"
    return "-plugin", f"{library},{ranges},out={folder / COUNTS}"


def _symbols(program: Path, compiler: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """The address and the size in bytes of each function of a program."""
    lines = run_program([sibling_program(compiler, "nm"), "-S", program]).splitlines()
    rows = [line.split() for line in lines]
    return {row[3]: (int(row[0], 16) & ~1, int(row[1], 16)) for row in rows if len(row) == 4}


def functions_in(file: Path, compiler: tuple[str, ...]) -> list[tuple[str, int]]:
    """Return each function of a program or an object with its address; names may repeat."""
    lines = run_program([sibling_program(compiler, "nm"), file]).splitlines()
    rows = [line.split() for line in lines]
    return [(row[2], int(row[0], 16) & ~1) for row in rows if len(row) == 3 and row[1] in "tTwW"]


def instructions_of(program: Path, compiler: tuple[str, ...]) -> Iterator[Instruction]:
    """Yield the instructions of a linked program."""
    return parse(run_program([sibling_program(compiler, "objdump"), "-d", "-z", program]))


def priced_windows(
    program: Path,
    compiler: tuple[str, ...],
    board: Board,
    folder: Path,
    part: Part | None = None,
    proof: Proof | None = None,
) -> list[Window]:
    """Return the cycles of each window of the run that the plugin counted in `folder`, or the instructions of a core
    without a model of cycles.

    `proof` asks for the greatest number of any run, too.
    """
    table = table_of(board.target)
    prices = Prices(table or INSTRUCTIONS, instructions_of(program, compiler), None if table is None else part)
    counted = list(windows((folder / COUNTS).read_text(encoding="ascii").splitlines()))
    if proof is None:
        return [Window(prices.of(blocks), None) for blocks in counted]
    code = Program(prices.instructions.values(), functions_in(program, compiler), read_image(program))
    paths = LongestPaths(code, prices, proof, counted)
    return [Window(prices.of(blocks), paths.of(blocks)) for blocks in counted]


def windows(lines: Sequence[str]) -> Iterator[list[Block]]:
    """Yield the blocks of each window of the plugin's file."""
    blocks: list[Block] = []
    for line in lines:
        if line == END:
            yield blocks
            blocks = []
        else:
            first, behind, runs, entered, left = (int(word, 16) for word in line.split())
            blocks.append(Block(first, behind, runs, entered, left))
