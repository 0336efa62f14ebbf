"""Networks that C calls under TVM's names: `tvmgen_<name>_run`, and the graph executor on the kernels of the tree."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import api
from s2s.artifact import Artifact
from s2s.errors import UnsupportedError
from s2s.options.values import Executor
from support.c_compilers import COMPILERS, WARNINGS, require, run
from support.onnx_text import onnx_model
from support.project import ROOT

BOARD = ROOT / "examples" / "board"
EMULATOR = ("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none")
CROSS = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-O2", "-std=c99")
BARE = ("-nostartfiles", "-specs=nano.specs", "-specs=nosys.specs")
INCLUDES = ("-Inet/include", "-Inet/src", "-Inet/runtime/include")
PROJECT = """cmake_minimum_required(VERSION 3.13)
project(firmware C)
add_subdirectory(net)
add_executable(firmware main.c)
target_link_libraries(firmware PRIVATE net::net)
"""
WEIGHTS = """(float[2, 6] x) => (float[2, 4] y) <float[6, 4] w = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, -4, 5, 6, -7, 8, 9, 1, 2, 3, -4, 5, 6}>
{ a = MatMul (x, w) y = Relu (a) }"""
NO_WEIGHTS = "(float[2, 6] x) => (float[2, 6] y) { y = Relu (x) }"
NO_KERNELS = "(float[2, 6] x) => (float[12] y) <int64[1] s = {12}> { y = Reshape (x, s) }"
"""Networks whose results have no rounding."""
SIZES = "(float[N, 6] x) => (float[N, 6] y) { y = Relu (x) }"

AOT = """#include "tvmgen_net.h"

static int call(float *x, float *y)
{
    struct tvmgen_net_inputs inputs = {x};
    struct tvmgen_net_outputs outputs = {y};

    return (int)tvmgen_net_run(&inputs, &outputs);
}
"""
GRAPH = """#include "net_functions.h"

static double memory[8192];

tvm_crt_error_t TVMPlatformMemoryAllocate(size_t num_bytes, DLDevice dev, void **out_ptr)
{
    (void)dev;
    *out_ptr = memory;
    return num_bytes <= sizeof memory ? 0 : -1;
}

tvm_crt_error_t TVMPlatformMemoryFree(void *ptr, DLDevice dev)
{
    (void)dev;
    return ptr == memory ? 0 : -1;
}

static int call(float *x, float *y)
{
    static s2s_named_function rows[NET_NUM_FUNCTIONS + 1u];
    static const DLDevice cpu = {S2S_DEVICE_CPU, 0};
    s2s_registry registry;
    TVMGraphExecutor *executor;
    DLTensor in, out;

    if (s2s_registry_init(&registry, rows, NET_NUM_FUNCTIONS) != S2S_OK ||
        s2s_registry_add_kernels(&registry, net_functions, NET_NUM_FUNCTIONS) != S2S_OK ||
        TVMGraphExecutor_Create(net_graph_json, &registry, &cpu, &executor) != 0 ||
        net_link_params(&executor->program) != S2S_OK) {
        return -1;
    }
    in = *s2s_program_input(&executor->program, (uint32_t)TVMGraphExecutor_GetInputIndex(executor, "x"));
    out = *s2s_program_output(&executor->program, 0u);
    in.data = x;
    out.data = y;
    if (TVMGraphExecutor_SetInput(executor, "x", &in) != 0 || TVMGraphExecutor_Run(executor) != 0 ||
        TVMGraphExecutor_GetOutput(executor, 0, &out) != 0) {
        return -1;
    }
    return TVMGraphExecutor_Release(&executor);
}
"""
MAIN = """
int main(void)
{
    static float x[] = {INPUT}, y[COUNT];
    static const float expected[] = {EXPECTED};
    int wrong = 0;

    if (call(x, y) != 0) {
        return 100;
    }
    for (int i = 0; i < COUNT; ++i) {
        wrong += y[i] < expected[i] || y[i] > expected[i];
    }
    return wrong;
}
"""


def numbers(values: Any) -> str:
    """Floats as C has them."""
    return ", ".join(f"{float(value)!r}f" for value in values.reshape(-1))


def write_project(body: str, executor: Executor, folder: Path, target: str = "c") -> Artifact:
    """Write a tree with TVM's names, and a program whose status is the number of its wrong results."""
    artifact = api.compile(onnx_model(body), name="net", target=target, executor=executor, interface="tvm")
    artifact.write(folder / "net")
    x = np.arange(-5, 7, dtype=np.float32).reshape(2, 6)
    expected = artifact.run({"x": x})["y"] if target == "c" else x.clip(0)
    main = MAIN.replace("INPUT", numbers(x)).replace("EXPECTED", numbers(expected)).replace("COUNT", str(expected.size))
    (folder / "main.c").write_text((AOT if executor == "aot" else GRAPH) + main)
    return artifact


@pytest.mark.sample(4)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("body", [WEIGHTS, NO_WEIGHTS, NO_KERNELS], ids=["weights", "no_weights", "no_kernels"])
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_a_program_calls_the_network(executor: Executor, body: str, compiler: str, tmp_path: Path) -> None:
    write_project(body, executor, tmp_path)
    sources = [*sorted(tmp_path.glob("net/src/*.c")), *sorted(tmp_path.glob("net/runtime/src/*.c")), "main.c"]
    warnings = [each for each in WARNINGS if each != "-Wcast-qual"]
    run([require(compiler), *warnings, "-O1", *INCLUDES, *sources, "-lm", "-o", "firmware"], tmp_path)
    run([tmp_path / "firmware"], tmp_path)


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_cmake_links_it_by_the_library_of_the_tree(executor: Executor, tmp_path: Path) -> None:
    require("cmake")
    write_project(WEIGHTS, executor, tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    run(["cmake", "-S", ".", "-B", "b"], tmp_path)
    run(["cmake", "--build", "b"], tmp_path)
    run([tmp_path / "b" / "firmware"], tmp_path)


def test_a_firmware_runs_its_graph_json(tmp_path: Path) -> None:
    require("qemu-system-arm")
    write_project(NO_WEIGHTS, "graph", tmp_path, target="cortex-m4")
    sources = [*sorted(tmp_path.glob("net/src/*.c")), *sorted(tmp_path.glob("net/runtime/src/*.c")), "main.c"]
    link = [*BARE, "-T", BOARD / "board.ld", "-lm", "-o", "firmware.elf"]
    run([require("arm-none-eabi-gcc"), *CROSS, *INCLUDES, *sources, BOARD / "board.c", *link], tmp_path)
    run([*EMULATOR, "-semihosting", "-kernel", "firmware.elf"], tmp_path)


@pytest.mark.parametrize(
    ("body", "options", "reason"),
    [
        (SIZES, {"executor": "graph", "dims": {"N": (1, 4)}}, "runs no network with sizes that vary or state"),
        (SIZES, {"dims": {"N": (1, 4)}}, "has no part for sizes that vary"),
        (NO_WEIGHTS, {"executor": "graph", "devices": {"dsp": {"target": "c"}}}, "with several devices"),
    ],
)
def test_networks_that_these_names_cannot_call_are_refused(body: str, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        api.compile(onnx_model(body), name="net", target="c", interface="tvm", **options).tree()


def test_a_tree_of_several_networks_has_no_such_names() -> None:
    parts = [api.compile(onnx_model(NO_WEIGHTS), name=name, target="c", interface="tvm") for name in ("one", "two")]
    with pytest.raises(UnsupportedError, match="--interface tvm is for one network"):
        api.together(parts, name="both")
