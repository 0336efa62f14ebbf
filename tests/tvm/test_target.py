"""Targets of TVM stand for one of ours, for plain C with the flags that they name, or are refused."""

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay, runtime
from s2s.tvm.target import Target, arm_cpu, resolve


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("c", "c"),
        ("c -keys=arm_cpu,cpu -mcpu=cortex-m7", "cortex-m7"),
        ("llvm -mcpu=skylake-avx512", "x86-64-v4"),
        ("llvm -mtriple=aarch64-linux-gnu", "aarch64"),
        ("llvm -mtriple=thumbv7em-none-eabihf", "cortex-m4"),
        ("llvm -mtriple=thumbv8m.main-none-eabihf", "cortex-m33"),
        ("llvm -mtriple=thumbv6m-none-eabi", "cortex-m0"),
        ("llvm -mtriple=riscv32-unknown-elf", "rv32imc"),
        ("c -march=rv32imc", "rv32imc"),
        ("cortex-m55", "cortex-m55"),
        ('{"kind": "llvm", "mcpu": "skylake"}', "x86-64-v3"),
    ],
)
def test_targets_of_tvm_stand_for_ours(text: str, name: str):
    assert resolve([Target(text, host="c")]).name == name
    assert resolve({"cpu": text}).name == name


@pytest.mark.parametrize(
    ("text", "compiler", "flags"),
    [
        (
            "llvm -device=arm_cpu -mtriple=armv7l-linux-gnueabihf -mattr=+neon",
            "arm-linux-gnueabihf-gcc",
            {"-march=armv7-a", "-mfpu=neon", "-mfloat-abi=hard"},
        ),
        ("llvm -mtriple=armv7a-linux-gnueabi -mfloat-abi=softfp", "arm-linux-gnueabi-gcc", {"-mfloat-abi=softfp"}),
        ("llvm -mtriple=thumbv7em-none-eabi", "arm-none-eabi-gcc", {"-march=armv7e-m", "-mfloat-abi=soft"}),
        ("llvm -mtriple=riscv64-unknown-linux-gnu", "riscv64-linux-gnu-gcc", {"-march=rv64gc"}),
        ("c -march=rv32imac -mabi=ilp32", "riscv64-unknown-elf-gcc", {"-march=rv32imac"}),
        (
            "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -mattr=+neon,+dotprod",
            "aarch64-linux-gnu-gcc",
            {"-mcpu=cortex-a72+dotprod"},
        ),
        ("llvm -mtriple=x86_64-linux-gnu -mattr=+avx2", "", {"-march=x86-64", "-mavx2"}),
        ("c -mcpu=cortex-m4 -mfloat-abi=softfp", "arm-none-eabi-gcc", {"-mfloat-abi=softfp", "-mcpu=cortex-m4"}),
    ],
)
def test_other_processors_are_plain_c_with_the_flags_named(text: str, compiler: str, flags: set[str]):
    data = resolve(text)
    assert data.cc == compiler
    assert flags <= set(data.cflags)
    assert "-march=native" not in data.cflags
    assert resolve(str(Target(text))) == data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c -mcpu=z80", "target c -mcpu=z80: no such processor; known are "),
        ("c -fast", "target c -fast: is not known; known are -mcpu"),
        ("c cortex-m4 -mcpu=cortex-m4", "'cortex-m4' is no attribute; write -mcpu=NAME"),
        ("cuda", "--target cuda: there is no such target"),
        ("llvm -mtriple=hexagon-unknown-elf", "its processor is not known"),
        ("llvm -mcpu=cortex-a53", "give -mtriple as well"),
        ("llvm -mattr=+avx2", "belongs to no processor"),
        ("llvm -mtriple=aarch64-linux-gnu -mattr=+avx2", r"\+avx2: is not known of aarch64"),
        ("llvm -mcpu=cortex-m4 -mtriple=aarch64-linux-gnu", "contradict each other"),
        ("llvm -mfloat-abi=soft", "goes with 32-bit Arm"),
        ("llvm -march=armv8-a", "goes with a triple of RISC-V"),
        ("llvm -libs=rocblas", "-libs=rocblas: no external code generator"),
        ("llvm -num-cores=many", "is no positive number"),
        ("c -mcpu=cortex-m4 -mcpu=cortex-m7", "-mcpu is given twice"),
    ],
)
def test_what_names_no_processor_is_refused(text: str, message: str):
    with pytest.raises(InputError, match=message):
        Target(text)


def test_a_host_that_is_another_processor_is_refused():
    with pytest.raises(UnsupportedError, match=r"host .* is another processor"):
        Target("c -mcpu=cortex-m4", host="llvm -mtriple=aarch64-linux-gnu")


def test_a_target_tells_its_kind_keys_and_libraries():
    target = Target("llvm -device=arm_cpu -mtriple=aarch64-linux-gnu -libs=cblas,dnnl -model=board")
    assert (target.kind.name, str(target.kind)) == ("llvm", "llvm")
    assert (target.keys, target.model, target.device_name) == (["arm_cpu", "cpu"], "board", "arm_cpu")
    assert target.generators == ["blas", "onednn"]
    assert Target(target.export()).data == target.data
    assert runtime.device(str(target), 0) == runtime.cpu(0)


def test_tags_and_models_are_boards():
    assert Target("raspberry-pi/4b-aarch64").num_cores == 4
    assert Target({"tag": "raspberry-pi/4b-aarch64"}).mcpu == "cortex-a72"
    assert arm_cpu("rasp3b").data.cc == "arm-linux-gnueabihf-gcc"


def test_num_cores_are_threads_and_libs_are_generators():
    x, w = relay.var("x", shape=(8, 64)), relay.const(np.ones((64, 64), np.float32))
    library = relay.build(relay.nn.dense(x, w), target="llvm -num-cores=2 -libs=cblas", executor="aot")
    options = library.artifact.compilation.options
    assert options.threads == 2
    assert [name for name, _ in options.external] == ["blas"]


def test_the_alignment_of_constants_reaches_the_plan():
    assert resolve("c -constants-byte-alignment=64").align == 64
