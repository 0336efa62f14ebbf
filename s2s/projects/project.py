"""Write the firmware project of a network for a board."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from s2s.emit.files import Tree, write_tree
from s2s.emit.templates import fill
from s2s.errors import InputError, UnsupportedError
from s2s.options import CompileOptions
from s2s.packagings.description import TreeDescription
from s2s.packagings.example import arena_argument, declarations, run_call
from s2s.packagings.libraries import platformio
from s2s.projects.answer import answer_of, vector_files
from s2s.support.resources import harness_source, runtime_source
from s2s.targets import get_target
from s2s.verify.footprint import INCLUDE_FOLDERS
from s2s.verify.serial_link import BAUD, KEY

if TYPE_CHECKING:
    from s2s.boards import Board
    from s2s.projects.boards import ProjectBoard

SERIAL_FILES = ("include/s2s_serial.h", "include/s2s_trace.h", "src/serial.c")
"""The runtime's end of the serial line."""
MAX_PORTS = 100
"""Inputs and outputs together; `S2S_SERIAL_PORTS` of the runtime."""
MICROSECONDS = 1_000_000
MEGA = 1_000_000


class Clock(NamedTuple):
    """The clocks of a board."""

    ticks_per_second: int
    """Of the clock that times a run."""
    of_kernels: str
    """The clock that times kernels: an expression in C of 32 bits."""
    of_kernels_per_second: int
    """Its ticks in a second; 0 where they are no time."""
    unit: str
    """What it counts, as the program prints it."""


ARDUINO = Clock(MICROSECONDS, "TRACE_CLOCK()", MICROSECONDS, "ticks")


def _emulated_clock(board: "Board") -> Clock:
    """The clocks of an emulated board: what it counts of a kernel are instructions, which are no time."""
    ratio = board.instructions_per_tick
    instructions = f"(uint32_t)(ticks() * {ratio.numerator}u / {ratio.denominator}u)"
    return Clock(board.megahertz * MEGA, instructions, 0, "instructions")


def check_project(options: CompileOptions) -> None:
    """Raise an error if no project can be written with these options."""
    asked = {
        "--executor graph": options.executor == "graph",
        "--pool": bool(options.pools),
        "--devices": bool(options.devices),
    }
    for option in (option for option, is_given in asked.items() if is_given):
        raise InputError(f"{option}: a project calls a run function with one arena; leave it out")


def write_project(tree: Tree, board: "ProjectBoard", destination: Path, key: bytes | None = None) -> None:
    """Write a project with a tree to a new folder, whole or not at all.

    Its program prints an answer of the network when it starts, then serves the host. With a `key`, by which the host
    knows the program, it only serves; the default is the key of the model's file.
    """
    if destination.exists():
        raise InputError(f"{destination}: is there already; name a new folder with --output")
    described = TreeDescription.of(tree)
    ports = len(described.network.ports) + 2 * bool(described.network.sizes)
    if ports > MAX_PORTS:
        raise UnsupportedError(
            f"{described.source}: has {ports} inputs and outputs, and a serial line takes {MAX_PORTS}; call the"
            " network from your own program"
        )
    files = (_arduino if board.emulated is None else _emulated)(described, board, key)
    readme = fill("projects/README.md.j2", tree=described, board=board, baud=BAUD)
    write_tree({**files, "README.md": readme.encode()}, destination)


def _arduino(tree: TreeDescription, board: "ProjectBoard", key: bytes | None) -> dict[str, bytes]:
    """A project for PlatformIO."""
    library = {f"lib/{tree.name}/{path}": content for path, content in platformio(tree).items()}
    inside = f"lib/{tree.name}/src/{tree.name}/"
    serial = {f"{inside}{Path(path).name}": runtime_source(path).encode() for path in SERIAL_FILES}
    files = [] if key is not None else vector_files(tree)
    vectors = {f"{inside}{Path(path).name}": tree.content(path) for path in files}
    main = fill(
        "projects/main.cpp.j2",
        tree=tree,
        network=_network(tree, key, ARDUINO),
        answer=None if key is not None else _answer(tree, None, ARDUINO),
        vectors=[f"{tree.name}/{Path(path).name}" for path in vectors if path.endswith(".h")],
        baud=BAUD,
    )
    settings = fill("projects/platformio.ini.j2", board=board, baud=BAUD)
    return {**library, **serial, **vectors, "src/main.cpp": main.encode(), "platformio.ini": settings.encode()}


def _emulated(tree: TreeDescription, board: "ProjectBoard", key: bytes | None) -> dict[str, bytes]:
    """A project for make and QEMU."""
    emulated = board.emulated
    assert emulated is not None
    network = tree.copied([*tree.library, *tree.licences], "network/")
    network |= {f"network/runtime/{path}": runtime_source(path).encode() for path in SERIAL_FILES}
    vectors = [] if key is not None else vector_files(tree)
    network |= tree.copied(vectors, "network/")
    names = ("board.h", "uart.h", "uart.c", emulated.startup, emulated.script, "sections.ld")
    harness = {f"board/{name}": harness_source(name).encode() for name in names}
    processor = get_target(board.target)
    makefile = fill(
        "projects/Makefile.j2",
        tree=tree,
        board=board,
        cc=processor.cc,
        flags=tree.record["target"]["flags"],
        includes=["board", *(f"network/{folder}" for folder in (*INCLUDE_FOLDERS, *(["test"] if vectors else [])))],
        uart=f"{emulated.uart:#x}u",
        libraries=emulated.libraries,
        script=emulated.script,
        sources=["main.c", *(path for path in sorted({**network, **harness}) if path.endswith(".c"))],
        emulator=emulated.emulator,
    )
    main = fill(
        "projects/main.c.j2",
        tree=tree,
        network=_network(tree, key, _emulated_clock(emulated)),
        answer=None if key is not None else _answer(tree, emulated.instructions_per_tick, _emulated_clock(emulated)),
        vectors=[Path(path).name for path in vectors if path.endswith(".h")],
    )
    return {**network, **harness, "main.c": main.encode(), "Makefile": makefile.encode()}


def _answer(tree: TreeDescription, instructions_per_tick: Fraction | None, clock: Clock) -> str:
    """The functions in C that print what the network gives."""
    return fill("projects/answer.j2", tree=tree, answer=answer_of(tree, instructions_per_tick), clock=clock)


def _network(tree: TreeDescription, key: bytes | None, clock: Clock) -> str:
    """The network's memory and functions in C, which the programs of all boards share."""
    told = key if key is not None else bytes.fromhex(tree.record["source"]["sha256"])[:KEY]
    return fill(
        "projects/network.j2",
        tree=tree,
        declarations=declarations(tree.network, changes_sizes=True),
        run_call=run_call(tree.network),
        arena=arena_argument(tree.network),
        key=[f"0x{byte:02x}" for byte in told],
        clock=clock,
    )
