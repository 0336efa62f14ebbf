"""Targets of TVM stand for one of ours, for plain C with the flags that they name, or are refused."""

import operator
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay, runtime
from s2s.tvm.runtime.container import Map, String
from s2s.tvm.runtime.devices import DEVICES
from s2s.tvm.target import (
    Target,
    arm_cpu,
    cuda,
    generic_func,
    get_native_generic_func,
    hexagon,
    intel_graphics,
    mali,
    override_native_generic_func,
    resolve,
    riscv_cpu,
    vta,
)
from s2s.tvm.target.kinds import PROCESSORS


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("c", "c"),
        ("c -keys=arm_cpu,cpu -mcpu=cortex-m7", "cortex-m7"),
        ("llvm -mcpu=skylake-avx512", "x86-64-v4"),
        ("llvm -mcpu=cascadelake", "x86-64-v4-avx512vnni"),
        ("llvm -mcpu=alderlake", "x86-64-v3-avxvnni"),
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
        ("z80", "--target z80: there is no such target"),
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
        resolve(text)


def test_a_host_that_is_another_processor_is_refused():
    with pytest.raises(UnsupportedError, match=r"host .* is another processor"):
        resolve(Target("c -mcpu=cortex-m4", host="llvm -mtriple=aarch64-linux-gnu"))


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


@pytest.mark.parametrize("kind", [each for each in Target.list_kinds() if each not in PROCESSORS])
def test_devices_are_described_and_nothing_is_built_for_them(kind: str):
    target = Target(kind)
    assert Target(str(target)) == target
    assert target.get_target_device_type() == runtime.device(kind).device_type
    with pytest.raises(UnsupportedError, match=f"target {kind}: there is no code for it"):
        resolve(target)
    with pytest.raises(UnsupportedError, match="there is no code for it"):
        relay.build(relay.nn.relu(relay.var("x", shape=(4,))), target=kind)


def test_functions_make_the_devices_that_tvm_names():
    assert (cuda(arch="sm_75").keys, cuda(arch="sm_75").arch) == (["cuda", "gpu"], "sm_75")
    assert mali().keys == ["mali", "opencl", "gpu"]
    assert (intel_graphics().device_name, intel_graphics().thread_warp_size) == ("intel_graphics", 16)
    assert vta().keys == ["vta", "cpu"]
    assert hexagon("v68").mcpu == "hexagonv68"
    assert str(Target("cuda -model=unknown -libs=cublas,cudnn")) == str(cuda(options="-libs=cublas,cudnn"))
    assert "-mcpu=sifive-e31" in riscv_cpu("sifive-e31").data.cflags
    with pytest.raises(ValueError, match="hexagon"):
        hexagon("v1")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("vulkan -device_name='a name with spaces'", "device_name", "a name with spaces"),
        ("vulkan --supports_float16=True", "supports_float16", 1),
        ("vulkan --supports_float16=false", "supports_float16", 0),
        ("llvm -mattr=+neon,-avx512f", "mattr", ["+neon", "-avx512f"]),
        ("llvm -cl-opt='-a:uint=1,-b'", "cl-opt", ["-a:uint=1", "-b"]),
        ("nvidia/jetson-nano", "registers_per_block", 32768),
        ('{"kind": "cuda", "max_num_threads": 64}', "max_num_threads", 64),
        ("cuda", "thread_warp_size", 32),
    ],
)
def test_attributes_have_the_types_of_their_kind(text: str, name: str, value: object):
    assert Target(text).attrs[name] == value
    assert Target(str(Target(text))).attrs[name] == value


@pytest.mark.parametrize("given", [{"kind": "llvm", "libs": {"a": "b"}}, {"kind": "llvm", "speed": 3}, 12.5, None])
def test_what_is_no_description_is_a_value_error(given: object):
    with pytest.raises(ValueError, match="target"):
        Target(given)  # pyright: ignore[reportArgumentType]


def test_options_of_llvm_are_refused_where_code_is_made():
    with pytest.raises(UnsupportedError, match=r"-opt-level: is an option of LLVM"):
        resolve("llvm -opt-level=2")


def test_hosts_are_part_of_a_description():
    target = Target("cuda --host nvidia/jetson-nano")
    assert target.host is not None
    assert (target.host.kind.name, target.host.arch, target.host.tag) == ("cuda", "sm_53", "nvidia/jetson-nano")
    assert Target(target.export()) == target
    assert Target(target, Target("llvm")).host == Target("llvm")
    assert Target({"kind": "cuda", "host": {"kind": "llvm"}}).host == Target(String("llvm"))
    assert [each.kind.name for each in Target("composite --devices=cuda,opencl").attrs["devices"]] == ["cuda", "opencl"]


def test_targets_in_every_form_become_objects():
    assert Target.canon_target(None) is None
    assert Target.canon_target_and_host("cuda", "llvm") == (Target("cuda", "llvm"), Target("llvm"))
    assert Target.canon_target_and_host(None) == (None, None)
    assert Target.canon_multi_target_and_host({1: "llvm", 2: "cuda"}) == [Target("llvm"), Target("cuda")]
    assert Target.canon_multi_target_and_host({"kind": "c"}, "llvm") == [Target("c", "llvm")]
    assert isinstance(runtime.convert({1: Target("c")}), Map)
    modules, host = Target.canon_target_map_and_host({"cuda": 1, "c": 2}, "llvm")
    assert (list(modules), host) == ([Target("cuda", "llvm"), Target("c", "llvm")], Target("llvm"))
    with Target("c"):
        assert Target.target_or_current(None) == Target("c")
    with pytest.raises(ValueError, match="none is given"):
        Target.target_or_current(None)


def test_a_function_is_chosen_by_the_keys_of_the_target_around():
    @generic_func
    def schedule(x: int) -> int:
        """Schedule on any target."""
        return x + 1

    @schedule.register(["gpu", "vta"])
    def on_gpu(x: int) -> int:
        return x + 2

    assert (schedule(1), schedule.__name__, schedule.fdefault) == (2, "schedule", schedule.get_packed_func())
    with Target("metal"):
        assert (schedule(1), schedule.get_packed_func()) == (3, on_gpu)
    with arm_cpu():
        assert schedule(1) == 2
    with pytest.raises(ValueError, match="gpu has a function"):
        schedule.register("gpu", on_gpu)


def test_functions_with_names_are_found_and_replaced():
    @override_native_generic_func("test.schedule")
    def schedule(x: int) -> int:
        return x

    function = get_native_generic_func("test.schedule")
    with Target("cuda"):
        assert function(1) == schedule(1) == 1
        for addend in (5, 6):
            schedule.register("cuda", partial(operator.add, addend))
        assert function(1) == 7
    with pytest.raises(ValueError, match="has a default function"):
        function.set_default(abs)
    with pytest.raises(InputError, match="no function is registered"):
        get_native_generic_func("test.empty")()


def test_what_a_target_of_the_kind_test_can_do():
    assert Target("test").features.is_test
    assert not Target("cuda").features.is_test


def test_devices_without_code_are_values():
    assert (str(runtime.device("cuda", 7)), runtime.device("cuda").exist) == ("cuda(7)", False)
    with pytest.raises(InputError, match="on the processor only"):
        runtime.nd.array([1.0], runtime.device("cuda"))
    with pytest.raises(InputError, match="is not known"):
        runtime.device("abacus")


@pytest.mark.parametrize("make", DEVICES)
def test_a_device_has_its_number(make: Callable[..., runtime.Device]):
    assert make(2) == runtime.device(make.__name__, 2) == getattr(tvm, make.__name__)(2)
