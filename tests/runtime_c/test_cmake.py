"""The runtime as a CMake project: a program under TVM's names that has no tree links one library."""

import re
from pathlib import Path

from s2s import tvm
from s2s.emit.runtime import needed_files
from support.c_compilers import require, run

PROJECT = """cmake_minimum_required(VERSION 3.13)
project(firmware C)
add_subdirectory(RUNTIME runtime)
add_executable(firmware main.c)
target_link_libraries(firmware PRIVATE s2s::tvm)
"""
MAIN = r"""
#include "s2s_tvm.h"
#include <stdlib.h>

tvm_crt_error_t TVMPlatformMemoryAllocate(size_t num_bytes, DLDevice dev, void **out_ptr)
{
    (void)dev;
    *out_ptr = malloc(num_bytes);
    return *out_ptr == NULL ? -1 : 0;
}

tvm_crt_error_t TVMPlatformMemoryFree(void *ptr, DLDevice dev)
{
    (void)dev;
    free(ptr);
    return 0;
}

static int doubled(TVMValue *args, int *codes, int count, TVMValue *ret, int *ret_code, void *resource)
{
    const DLTensor *const x = args[0].v_handle, *const y = args[1].v_handle;

    (void)codes, (void)ret, (void)ret_code, (void)resource;
    for (int64_t i = 0; i < x->shape[0]; ++i) {
        ((float *)y->data)[i] = 2.0f * ((const float *)x->data)[i];
    }
    return count == 2 ? 0 : -1;
}

static const char json[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []},"
    "{\"op\": \"tvm_op\", \"name\": \"y\", \"attrs\": {\"func_name\": \"doubled\", \"num_inputs\": \"1\","
    "\"num_outputs\": \"1\", \"flatten_data\": \"0\"}, \"inputs\": [[0, 0, 0]]}], \"arg_nodes\": [0],"
    "\"heads\": [[1, 0, 0]], \"node_row_ptr\": [0, 1, 2], \"attrs\": {\"dltype\": [\"list_str\","
    "[\"float32\", \"float32\"]], \"shape\": [\"list_shape\", [[3], [3]]], \"storage_id\": [\"list_int\", [0, 1]]}}";

int main(void)
{
    static s2s_named_function rows[1];
    static float x[3] = {1, 2, 3}, y[3];
    static const int64_t shape[1] = {3};
    const DLDevice cpu = {S2S_DEVICE_CPU, 0};
    const s2s_function function = {doubled, NULL, NULL};
    s2s_registry registry;
    TVMGraphExecutor *executor;
    DLTensor in = {x, {S2S_DEVICE_CPU, 0}, 1, {S2S_DTYPE_FLOAT, 32, 1}, shape, NULL, 0u}, out = in;

    out.data = y;
    s2s_registry_init(&registry, rows, 1u);
    s2s_registry_add(&registry, "doubled", function, false);
    return TVMGraphExecutor_Create(json, &registry, &cpu, &executor) != 0 ||
           TVMGraphExecutor_SetInput(executor, "x", &in) != 0 || TVMGraphExecutor_Run(executor) != 0 ||
           TVMGraphExecutor_GetOutput(executor, 0, &out) != 0 || y[2] < 6.0f ||
           TVMGraphExecutor_Release(&executor) != 0;
}
"""


def test_a_program_without_a_tree_links_the_library_of_tvms_names(tmp_path: Path) -> None:
    require("cmake")
    folder = tvm.micro.get_standalone_crt_dir()
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.replace("RUNTIME", folder))
    (tmp_path / "main.c").write_text(MAIN)
    run(["cmake", "-S", ".", "-B", "b"], tmp_path)
    run(["cmake", "--build", "b"], tmp_path)
    run([tmp_path / "b" / "firmware"], tmp_path)


def test_the_library_has_the_files_that_the_headers_need() -> None:
    text = (Path(tvm.micro.get_standalone_crt_dir()) / "CMakeLists.txt").read_text()
    headers = ("s2s_tvm.h", "s2s_kernels.h")
    assert re.findall(r"^  (src/\S+\.c)$", text, re.M) == [p for p in needed_files(headers) if p.endswith(".c")]
