"""The emulated boards on which emitted trees are run, as data. `harness/` holds the C that a program needs there."""

from dataclasses import replace
from fractions import Fraction

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.targets import Target, get_target


@frozen
class Board:
    """A board that QEMU emulates with an instruction counter."""

    name: str
    description: str
    target: str
    """What it runs; its flags build every program for the board, whatever the C was tuned for."""
    emulator: tuple[str, ...]
    packages: tuple[str, ...]
    """The Debian packages of the emulator."""
    startup: str
    """The file of the harness that belongs to the processor."""
    script: str
    """The linker script."""
    libraries: tuple[str, ...]
    """How the compiler is told which C library to take."""
    linker: tuple[str, ...] = ()
    """What links programs where the compiler has no linker that finds the C library."""
    instructions_per_tick: Fraction = Fraction(1)
    """Of the counter; the emulator advances its clock by a fixed time for every instruction."""
    instructions_per_interrupt: int = 0
    """What the counter's own interrupts execute."""
    uart: int = 0
    """The address of its first serial port, a UART of Arm's CMSDK; 0 where it has none."""
    megahertz: int = 0
    """Of the processor's clock."""

    def processor(self) -> Target:
        """The target of its processor."""
        return get_target(self.target)


MIN_VECTOR_BITS = 128
"""Bits of a vector register of RISC-V V 1.0 and of SVE, at least."""
_NEWLIB = ("-specs=nano.specs", "-specs=nosys.specs")
_ARM_STEP = 6
"""An instruction takes 2**6 ns of virtual time: longer than a tick of any of these clocks, so none goes unseen."""


def _arm(name: str, machine: str, script: str, megahertz: int, uart: int) -> Board:
    return Board(
        name=name,
        description=f"QEMU {machine}",
        target=f"cortex-{name}",
        emulator=("qemu-system-arm", "-M", machine, "-icount", f"shift={_ARM_STEP}"),
        packages=("qemu-system-arm",),
        startup="cortex_m.c",
        script=script,
        libraries=_NEWLIB,
        instructions_per_tick=Fraction(1000, megahertz * 2**_ARM_STEP),
        instructions_per_interrupt=6,
        uart=uart,
        megahertz=megahertz,
    )


def _m0() -> Board:
    """A Cortex-M0 on a board made for a Cortex-M3: QEMU's own boards with that core have 16 KiB of RAM."""
    step, tick = 7, Fraction(80)  # nanoseconds: 12.5 MHz after reset
    return Board(
        name="m0",
        description="QEMU lm3s6965evb with a Cortex-M0, 64 KiB of RAM, 256 KiB of flash",
        target="cortex-m0",
        emulator=("qemu-system-arm", "-M", "lm3s6965evb", "-cpu", "cortex-m0", "-icount", f"shift={step}"),
        packages=("qemu-system-arm",),
        startup="cortex_m.c",
        script="lm3s.ld",
        libraries=_NEWLIB,
        instructions_per_tick=tick / 2**step,
        instructions_per_interrupt=5,
    )


def _riscv(name: str, target: str, *, bits: int, vector_bits: int = 0) -> Board:
    vectors = f",v=true,vlen={vector_bits},vext_spec=v1.0" if vector_bits else ""
    march, abi = ("rv64imafdc", "lp64d") if bits > 32 else ("rv32imafdc", "ilp32d")
    return Board(
        name=name,
        description=f"QEMU virt, vectors of {vector_bits} bits" if vector_bits else "QEMU virt",
        target=target,
        emulator=(
            f"qemu-system-riscv{bits}",
            "-M",
            "virt",
            "-cpu",
            f"rv{bits}{vectors}",
            "-bios",
            "none",
            "-icount",
            "shift=0",
        ),
        packages=("qemu-system-misc",),
        startup="riscv.c",
        script="virt.ld",
        libraries=(),
        linker=("riscv64-unknown-elf-gcc", f"-march={march}", f"-mabi={abi}", "-specs=picolibc.specs"),
    )


def _aarch64(name: str, *, vector_bits: int = 0) -> Board:
    vectors = f",sve-max-vq={vector_bits // MIN_VECTOR_BITS}" if vector_bits else ""
    return Board(
        name=name,
        description=f"QEMU virt, vectors of {vector_bits} bits" if vector_bits else "QEMU virt",
        target="aarch64-sve2" if vector_bits else "aarch64",
        emulator=("qemu-system-aarch64", "-M", "virt", "-nic", "none", "-cpu", f"max{vectors}", "-icount", "shift=0"),
        packages=("qemu-system-arm", "picolibc-aarch64-linux-gnu"),
        startup="aarch64.c",
        script="virt64.ld",
        libraries=("-static", "-specs=picolibc.specs"),
    )


BOARDS = (
    _m0(),
    _arm("m3", "mps2-an385", "mps2.ld", 25, 0x40004000),
    _arm("m4", "mps2-an386", "mps2.ld", 25, 0x40004000),
    _arm("m7", "mps2-an500", "mps2.ld", 25, 0x40004000),
    _arm("m33", "mps2-an505", "an505.ld", 20, 0x50200000),
    _arm("m55", "mps3-an547", "mps3.ld", 32, 0x49303000),
    Board(
        name="riscv32",
        description="QEMU virt",
        target="rv32imc",
        emulator=("qemu-system-riscv32", "-M", "virt", "-bios", "none", "-icount", "shift=0"),
        packages=("qemu-system-misc",),
        startup="riscv.c",
        script="virt.ld",
        libraries=(),
    ),
    replace(_riscv("riscv64", "rv64gc", bits=64), linker=()),
    *(
        _riscv(f"riscv{bits}v{length}", target, bits=bits, vector_bits=length or MIN_VECTOR_BITS)
        for bits, target in ((32, "rv32imcv"), (64, "rv64gcv"))
        for length in ("", 256, 512, 1024)
    ),
    _aarch64("aarch64"),
    *(_aarch64(f"aarch64sve{length}", vector_bits=length or MIN_VECTOR_BITS) for length in ("", 256, 512)),
)

PREFIX = "qemu:"


def get_board(name: str) -> Board:
    """Return the board of a name such as `qemu:m4`."""
    known = {f"{PREFIX}{board.name}": board for board in BOARDS}
    if name not in known:
        raise InputError(f"--on {name}: there is no such board; the boards are {', '.join(known)}")
    return known[name]


__all__ = ["BOARDS", "Board", "get_board"]
