"""RISC-V microcontrollers, as `riscv64-unknown-elf-gcc` and, with vectors, `clang-19` know them."""

from s2s.targets.target import Target

RV32IMC = Target(
    name="rv32imc",
    description="RISC-V of 32 bits with products and short instructions, no FPU",
    lanes=1,
    registers=12,
    align=8,
    cflags=(
        "-march=rv32imc",
        "-mabi=ilp32",
        "-specs=picolibc.specs",
        "-ffp-contract=off",
        "-ffunction-sections",
        "-fdata-sections",
    ),
    cc="riscv64-unknown-elf-gcc",
    packages=("gcc-riscv64-unknown-elf", "picolibc-riscv64-unknown-elf"),
    word_bits=32,
    fork_join=0,
    io="arena",
)

VECTOR_BITS = 128
"""What vectors of version 1.0 hold at least."""


def _clang(name: str, description: str, *, bits: int, abi: str, scalable_bits: int) -> Target:
    """A core with floats of 32 and 64 bits, as clang knows it."""
    return Target(
        name=name,
        description=description,
        lanes=1,
        registers=32,
        align=16,
        cflags=(
            f"--target=riscv{bits}-unknown-elf",
            f"-march={name}",
            f"-mabi={abi}",
            *(("-mcmodel=medany",) if bits > 32 else ()),
            "-ffp-contract=fast",
            "-ffunction-sections",
            "-fdata-sections",
        ),
        cc="clang-19",
        packages=("clang-19", "gcc-riscv64-unknown-elf", "picolibc-riscv64-unknown-elf"),
        word_bits=bits,
        scalable_bits=scalable_bits,
        fork_join=0,
        io="arena",
    )


RV64GC = _clang("rv64gc", "RISC-V of 64 bits with floats", bits=64, abi="lp64d", scalable_bits=0)
RV32IMCV = _clang(
    "rv32imcv", "RISC-V of 32 bits with vectors (V 1.0)", bits=32, abi="ilp32d", scalable_bits=VECTOR_BITS
)
RV64GCV = _clang("rv64gcv", "RISC-V of 64 bits with vectors (V 1.0)", bits=64, abi="lp64d", scalable_bits=VECTOR_BITS)
