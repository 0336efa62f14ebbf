"""Views for build files: flags, the code of external generators, the libraries of further devices."""

from typing import NamedTuple

from s2s.c_syntax.identifiers import c_macro
from s2s.emit.info import DeviceInfo, NetworkInfo
from s2s.options import Threading
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.targets.flags import LEVEL, OPTIMISE, compile_flags, is_machine_flag


class FlagsView(NamedTuple):
    """Compiler flags as build files write them."""

    base: str
    """Flags that every compiler accepts."""
    target: str
    """Flags of the target that a compiler may refuse."""
    machine: str
    """Flags of the target that choose a processor or an ABI."""
    tuning: str
    """Other flags that a build system adds; it sets the standard itself."""
    level: str
    """The optimisation level, which a build system sets whatever the project is compiled with."""
    line: str
    """All flags."""
    threads: str = ""
    """Flags of compiler and linker for threads."""
    threading: Threading | None = None
    """The threading library; None for a serial network."""


class ExternalView(NamedTuple):
    """What build files do for the code of external generators."""

    names: str
    variables: tuple[str, ...]
    """Variables that the build is given."""
    libraries: str
    make_includes: str
    make_sources: str
    cmake_includes: tuple[str, ...]
    cmake_sources: tuple[str, ...]


@frozen
class DeviceView:
    """The library of a device beside the first one, as build files know it."""

    name: str
    macro: str
    target: str
    cross_compiler: str
    """The compiler command of its target; empty if any compiler of this machine will do."""
    flags: FlagsView
    sources: tuple[str, ...] = ()
    external: ExternalView | None = None
    """What the code of external generators needs that runs there; None without any."""

    @property
    def folder(self) -> str:
        """The folder of its sources."""
        return f"src/{self.name}/"


def device_view(device: DeviceInfo, external: ExternalView | None) -> DeviceView:
    """Return the view of a device whose sources are not known yet."""
    target = device.target
    return DeviceView(device.name, c_macro(device.name), target.name, target.cc, flags_of(target), external=external)


def flags_view(info: NetworkInfo) -> FlagsView:
    """Return the flags of the network's target, and of its threads."""
    threads = info.threads
    if threads is None:
        return flags_of(info.target)
    return flags_of(info.target)._replace(threads=" ".join(threads.flags), threading=threads.by)


def flags_of(target: Target) -> FlagsView:
    """Return the flags of a target."""
    every = compile_flags(target)
    own = target.cflags
    return FlagsView(
        base=" ".join(flag for flag in every if flag not in own),
        target=" ".join(own),
        machine=" ".join(flag for flag in own if is_machine_flag(flag)),
        tuning=" ".join(flag for flag in (*OPTIMISE, *own) if not flag.startswith("-O") and not is_machine_flag(flag)),
        level=LEVEL,
        line=" ".join(every),
    )
