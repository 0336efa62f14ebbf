"""The C of the profiler: free of warnings, and its figures have the order that caches have."""

import json
from pathlib import Path

import pytest

from s2s.support.resources import profiling_source, runtime_files, runtime_source
from support.c_compilers import COMPILERS, WARNINGS, require, run

FLAGS = {"portable": ["-DVECTOR_BYTES=16"], "native": ["-march=native", "-DVECTOR_BYTES=32", "-ffp-contract=fast"]}


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_machine_is_measured(compiler: str, flags: str, tmp_path: Path):
    (tmp_path / "machine.c").write_text(profiling_source("machine.c"))
    warnings = [flag for flag in WARNINGS if flag not in ("-Wconversion", "-Wsign-conversion", "-Wcast-qual")]
    command = [require(compiler), *warnings, "-O3", *FLAGS[flags], "-Wno-unknown-pragmas", "-Wno-psabi", "machine.c"]
    run([*command, "-o", "machine"], tmp_path)
    found = json.loads(run([tmp_path / "machine", "16384", "1048576"], tmp_path))
    assert found["clock_ghz"] > 0
    assert found["fma_latency"] > 0
    assert found["float_gflops"] > 0
    assert found["int8_gops"] > 0
    assert len(found["read_gbs"]) == 2


@pytest.mark.parametrize("compiler", COMPILERS)
def test_dividing_a_kernel_is_measured(compiler: str, tmp_path: Path):
    for path in runtime_files():
        (tmp_path / Path(path).name).write_text(runtime_source(path))
    (tmp_path / "fork_join.c").write_text(profiling_source("fork_join.c"))
    sources = ["fork_join.c", "pool.c", "-pthread"]
    run([require(compiler), *WARNINGS, "-std=c99", "-O2", *sources, "-o", "fork_join"], tmp_path)
    assert json.loads(run([tmp_path / "fork_join"], tmp_path))["fork_join_ns"] >= 0


@pytest.mark.parametrize("compiler", COMPILERS)
def test_hooks_compile_without_warnings(compiler: str, tmp_path: Path):
    (tmp_path / "hooks.h").write_text(profiling_source("hooks.h"))
    head = '#define _POSIX_C_SOURCE 199309L\n#define S2S_PROFILE_CALLS 1\n#include "hooks.h"\nvoid f(void);\n'
    (tmp_path / "use.c").write_text(head + "void f(void) { s2s_profile_enter(); s2s_profile_leave(0); }\n")
    run([require(compiler), *WARNINGS, "-O2", "-c", "use.c"], tmp_path)
