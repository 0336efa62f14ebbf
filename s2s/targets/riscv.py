"""RISC-V microcontrollers, as `riscv64-unknown-elf-gcc` and, with vectors, `clang-19` know them."""

from dataclasses import replace

from s2s.targets.target import Target

SECTIONS = ("-ffunction-sections", "-fdata-sections")
RV32IMC = Target(
    name="rv32imc",
    description="RISC-V of 32 bits with products and short instructions, no FPU",
    lanes=1,
    registers=12,
    align=8,
    cflags=("-march=rv32imc", "-mabi=ilp32", "-specs=picolibc.specs", "-ffp-contract=off", *SECTIONS),
    cc="riscv64-unknown-elf-gcc",
    packages=("gcc-riscv64-unknown-elf", "picolibc-riscv64-unknown-elf"),
    word_bits=32,
    fork_join=0,
    io="arena",
)
OF_64_BITS = ("-mabi=lp64d", "-mcmodel=medany")
RV64GC = replace(
    RV32IMC,
    name="rv64gc",
    description="RISC-V of 64 bits with an FPU",
    registers=32,
    cflags=("-march=rv64gc", *OF_64_BITS, "-specs=picolibc.specs", "-ffp-contract=fast", *SECTIONS),
    word_bits=64,
)


def _with_vectors(bits: int, *flags: str) -> Target:
    """A core with vectors of version 1.0, at least 128 bits long."""
    name = f"rv{bits}{'imcv' if bits == 32 else 'gcv'}"
    return replace(
        RV64GC,
        name=name,
        description=f"RISC-V of {bits} bits with vectors (V 1.0) of any length",
        align=16,
        cflags=(f"--target=riscv{bits}-unknown-elf", f"-march={name}", *flags, "-ffp-contract=fast", *SECTIONS),
        cc="clang-19",
        headers="/usr/lib/picolibc/riscv64-unknown-elf/include",
        packages=("clang-19", *RV32IMC.packages),
        word_bits=bits,
        scalable_bits=128,
    )


RV32IMCV = _with_vectors(32, "-mabi=ilp32d")
RV64GCV = _with_vectors(64, *OF_64_BITS)
