"""Report the tools on this machine that s2s can use: C compilers, emulated boards, reference engines."""

import shutil
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from s2s.boards import BOARDS, PREFIX
from s2s.errors import ToolchainError
from s2s.support.extras import EXTRAS, install_command, missing_modules
from s2s.support.frozen import frozen
from s2s.targets import TARGET_NAMES, get_target
from s2s.verify.toolchain import compiler_version, default_compiler, missing_programs


@frozen
class Finding:
    """One tool that s2s can use."""

    name: str
    """A target, a board or a package, as options name it."""
    use: str
    found: str
    """Its version; empty where it is missing."""
    install: str
    """The command that installs it; empty where it is there."""


DEVICES = Path("/dev")
APT = "apt-get install --no-install-recommends"
"""Cross compilers recommend C++ libraries of 1.5 GB, emulators a graphical interface; nothing here wants either."""
PROGRAMS = (
    ("pio", "builds and flashes projects of `s2s new`", "pip install platformio"),
    ("cargo", "builds crates of `s2s export --format rust`", f"{APT} cargo"),
    ("wasm-ld", "links modules of `--format wasm` and `web`", f"{APT} clang lld wasi-libc libclang-rt-dev-wasm32"),
)
"""Name, use and command of installation of programs."""


def examine() -> list[Finding]:
    """Return all tools that s2s can use."""
    return [_host(), *_targets(), *_boards(), *_ports(), *_programs(), *_packages()]


def _host() -> Finding:
    use = "builds trees on this machine"
    try:
        return Finding("host", use, compiler_version(default_compiler()), "")
    except ToolchainError:
        return Finding("host", use, "", "apt-get install gcc")


def _targets() -> Iterator[Finding]:
    """Yield the targets that need a compiler of their own."""
    for name in TARGET_NAMES:
        target = get_target(name)
        if target.cc:
            there = shutil.which(target.cc) is not None
            found = compiler_version((target.cc,)) if there else ""
            install = "" if there else f"{APT} {' '.join(target.packages)}"
            yield Finding(name, f"{target.cc}: measures flash and stack", found, install)


def _boards() -> Iterator[Finding]:
    for board in BOARDS:
        processor = board.processor()
        missing = missing_programs((processor.cc, *board.linker[:1], board.emulator[0]))
        install = f"{APT} {' '.join((*processor.packages, *board.packages))}" if missing else ""
        yield Finding(f"{PREFIX}{board.name}", "runs trees with `s2s verify --on`", "" if missing else "ready", install)


def _ports() -> Iterator[Finding]:
    """Yield the serial ports at which a board may be."""
    for port in sorted(map(str, (*DEVICES.glob("ttyACM*"), *DEVICES.glob("ttyUSB*")))):
        yield Finding(f"serial:{port}", "may be a board with the program of `s2s new`", "there", "")


def _programs() -> Iterator[Finding]:
    """Yield the programs that build what `s2s new` and `s2s export` write."""
    for name, use, install in PROGRAMS:
        place = shutil.which(name)
        yield Finding(name, use, place or "", "" if place else install)


def _packages() -> Iterator[Finding]:
    """Yield the extras; one is there if all its packages are."""
    distributions = metadata.packages_distributions()
    for name, extra in EXTRAS.items():
        missing = missing_modules(name)
        found = "" if missing else metadata.version(distributions[extra.modules[0]][0])
        yield Finding(name, extra.use, found, install_command(name) if missing else "")
