"""RISC-V microcontrollers, as `riscv64-unknown-elf-gcc` knows them."""

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
