"""The C runtime: its tests in C under every compiler and form, its headers alone, what it links and tests reach."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from support.c_compilers import COMPILERS, SANITIZERS, WARNINGS, require, require_sanitizers, run
from support.project import ROOT

HERE = Path(__file__).parent
INCLUDE = ROOT / "runtime_c" / "include"
SOURCES = sorted((ROOT / "runtime_c" / "src").glob("*.c"))
TESTS = sorted(HERE.glob("*.c"))

FRAGMENTS = {
    "s2s_cast_runs_x86.h",
    "s2s_determinant_rows.h",
    "s2s_fft_rows.h",
    "s2s_fixed_dft_rows.h",
    "s2s_integer.h",
    "s2s_region_rows.h",
    "s2s_row_order_rows.h",
    "s2s_select_rows.h",
    "s2s_simd_bytes_halves.h",
    "s2s_simd_bytes_lanes.h",
    "s2s_simd_bytes_loops.h",
    "s2s_simd_bytes_neon.h",
    "s2s_simd_bytes_wasm.h",
    "s2s_simd_bytes_x86.h",
    "s2s_strips_rvv.h",
    "s2s_strips_sve.h",
    "s2s_simd_functions_lanes.h",
    "s2s_simd_gnu.h",
    "s2s_simd_half_lanes.h",
    "s2s_simd_halves.h",
    "s2s_simd_lanes.h",
    "s2s_simd_memory.h",
    "s2s_simd_operands.h",
    "s2s_simd_portable.h",
    "s2s_simd_reduce.h",
    "s2s_simd_transpose.h",
    "s2s_simd_transpose_rows.h",
    "s2s_simd_trigonometry_lanes.h",
}
"""Files that one header includes several times; they mean nothing alone."""

ROUTINES = {
    *("s2s_fft_rows.h", "s2s_fixed_dft_rows.h", "s2s_nonzero.h", "s2s_select_rows.h", "s2s_suppress.h", "s2s_window.h"),
    *("s2s_determinant_rows.h", "s2s_region_rows.h", "s2s_regions.h", "s2s_row_order_rows.h"),
    *(
        "s2s_cache_read.h",
        "s2s_windows.h",
        "s2s_half.h",
        "s2s_integer.h",
        "s2s_scalar.h",
        "s2s_quantize.h",
        "s2s_tensor.h",
    ),
    *("s2s_cast_runs.h", "s2s_windows.h"),
}
"""Files of which every line must be among those that are counted."""

HEADERS = sorted(path.name for path in INCLUDE.glob("*.h") if path.name not in FRAGMENTS)

FORMS = {
    "vectors": ["-O1"],
    "portable": ["-O1", "-DS2S_SIMD_PORTABLE"],
    "sanitized": ["-O0", *SANITIZERS],
    "portable-shifts": ["-O1", "-DS2S_PORTABLE_SHIFTS"],
    "sanitized-portable": ["-O0", "-DS2S_SIMD_PORTABLE", *SANITIZERS],
    "native": ["-O3", "-march=native"],
    "portable-halves": ["-O1", "-march=native", "-DS2S_HALF_PORTABLE"],
}


X86_LEVELS = {"x86-64-v2": "sse4_1", "x86-64-v3": "avx2", "x86-64-v4": "avx512bw"}
"""Levels without VNNI, and a feature that a machine of the level has."""
ARM_LEVELS = ["armv8-a", "armv8.2-a+dotprod", "armv8.6-a"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("level", X86_LEVELS)
def test_c_tests_pass_on_older_machines(level: str, tmp_path: Path):
    machine = Path("/proc/cpuinfo")
    if not machine.exists() or f" {X86_LEVELS[level]} " not in machine.read_text(encoding="ascii", errors="replace"):
        pytest.skip(f"no machine of {level}")
    require_sanitizers("gcc", tmp_path)
    flags = [*WARNINGS, "-O1", *SANITIZERS, f"-march={level}", "-ffp-contract=off", f"-I{INCLUDE}"]
    run([require("gcc"), *flags, *SOURCES, *TESTS, "-o", "runtime_test", "-lm"], tmp_path)
    assert run([tmp_path / "runtime_test"], tmp_path) == "0 failed\n"


@pytest.mark.sample(1)
@pytest.mark.parametrize("level", ARM_LEVELS)
def test_c_tests_pass_on_arm(level: str, tmp_path: Path):
    flags = [*WARNINGS, "-O2", f"-march={level}", "-ffp-contract=off", "-static", "-DEMULATED", f"-I{INCLUDE}"]
    compiler, emulator = require("aarch64-linux-gnu-gcc"), require("qemu-aarch64-static")
    run([compiler, *flags, *SOURCES, *TESTS, "-o", "runtime_test", "-lm"], tmp_path)
    assert run([emulator, tmp_path / "runtime_test"], tmp_path) == "0 failed\n"


@pytest.mark.sample(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_c_tests_pass(compiler: str, form: str, tmp_path: Path):
    if SANITIZERS[0] in FORMS[form]:
        require_sanitizers(compiler, tmp_path)
    flags = [*WARNINGS, *FORMS[form], "-ffp-contract=off", f"-I{INCLUDE}"]
    run([require(compiler), *flags, *SOURCES, *TESTS, "-o", "runtime_test", "-pthread", "-lm"], tmp_path)
    assert run([tmp_path / "runtime_test"], tmp_path) == "0 failed\n"


def test_every_line_is_reached(tmp_path: Path):
    gcov = require("gcov")
    flags = [*WARNINGS, "-O0", "--coverage", "-fkeep-inline-functions", f"-I{INCLUDE}"]
    run([require("gcc"), *flags, *SOURCES, *TESTS, "-o", "runtime_test", "-pthread", "-lm"], tmp_path)
    run([tmp_path / "runtime_test"], tmp_path)
    report = run([gcov, "--json-format", "--stdout", *sorted(tmp_path.glob("*.gcda"))], tmp_path)
    counts: dict[tuple[str, int], int] = {}
    for document in report.splitlines():
        for file in json.loads(document)["files"]:
            for line in file["lines"]:
                place = (Path(file["file"]).name, line["line_number"])
                counts[place] = max(counts.get(place, 0), line["count"])
    names = {name for name, _ in counts if name.startswith("s2s")} | {path.name for path in SOURCES}
    assert names <= {name for name, _ in counts}
    assert names >= ROUTINES
    assert sorted(place for place, count in counts.items() if place[0] in names and count == 0) == []


POOLS = {
    "thread-sanitizer": ["-O1", "-g", "-fsanitize=thread"],
    "address-sanitizer": ["-O1", *SANITIZERS],
    "no-spin": ["-O2", "-DS2S_POOL_SPINS=0"],
    "no-spin-thread-sanitizer": ["-O1", "-g", "-DS2S_POOL_SPINS=0", "-fsanitize=thread"],
    "no-threads": ["-O2", "-DS2S_NO_THREADS"],
    "openmp": ["-O2", "-fopenmp", "-DS2S_POOL_OPENMP"],
    "openmp-left-out": ["-O2", "-DS2S_POOL_OPENMP"],
}


@pytest.mark.parametrize("form", POOLS)
def test_the_pool_divides_work_in_every_form(form: str, tmp_path: Path):
    (tmp_path / "main.c").write_text(
        '#include "check.h"\n\nint check_failures = 0;\n\nint main(void)\n{\n    test_pool();\n'
        '    printf("%d failed\\n", check_failures);\n    return check_failures;\n}\n'
    )
    sources = [ROOT / "runtime_c" / "src" / "pool.c", HERE / "test_pool.c", "main.c"]
    includes = [f"-I{INCLUDE}", f"-I{HERE}"]
    run([require("gcc"), *WARNINGS, *POOLS[form], *includes, *sources, "-o", "pool", "-pthread"], tmp_path)
    assert run([tmp_path / "pool"], tmp_path) == "0 failed\n"


@pytest.mark.sample(16)
@pytest.mark.parametrize("header", HEADERS)
def test_header_stands_alone_in_c_and_cpp(header: str, tmp_path: Path):
    (tmp_path / "alone.c").write_text(f'#include "{header}"\n#include "{header}"\n\nint unused;\n')
    (tmp_path / "alone.cpp").write_text(f'#include "{header}"\n')
    run([require("gcc"), *WARNINGS, f"-I{INCLUDE}", "-c", "alone.c"], tmp_path)
    cpp = ["-std=c++11", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    run([require("g++"), *cpp, f"-I{INCLUDE}", "-c", "alone.cpp"], tmp_path)
    run(["g++", *cpp, "-DS2S_SIMD_PORTABLE", f"-I{INCLUDE}", "-c", "alone.cpp"], tmp_path)


HOSTED = {"graph_json.c", "json.c", "kernels.c", "packed.c", "params.c", "program.c"}
"""Sources for hosts: they need more stack and more of the C library, but no heap either."""
CALLED = {
    "executor.c": {"memcpy", "memset"},
    "pack.c": {"memcmp", "memcpy", "memset"},
    "sampler.c": {"expf"},
    "tokenizer.c": {"memcmp"},
}
"""More functions of the C library that sources for devices call."""
STATE = {"packed.c": {"last_error", "has_failed", "global_registry"}}
"""Variables that are no constants, by source: the last error of each thread, and the registry that a host installs."""


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_source_has_no_heap_no_state_and_little_stack(source: Path, tmp_path: Path):
    is_hosted = source.name in HOSTED
    stack = f"-Wstack-usage={4096 if is_hosted else 256}"
    flags = [*WARNINGS, "-O2", "-fno-pie", stack, f"-I{INCLUDE}"]
    run([require("gcc"), *flags, "-c", source, "-o", "object.o"], tmp_path)
    symbols = [line.split() for line in run([require("nm"), "object.o"], tmp_path).splitlines()]
    wanted = {fields[-1] for fields in symbols if fields[-2] == "U"}
    threads = {name for name in wanted if name.startswith("pthread_")}
    assert source.name == "pool.c" or not threads
    library = {"memmove", "strcmp", "_GLOBAL_OFFSET_TABLE_", *CALLED.get(source.name, set())}
    if is_hosted:
        library |= {"memchr", "memcmp", "memcpy", "memset", "strchr", "strlen", "__stack_chk_fail", "__tls_get_addr"}
        library |= {name for name in wanted if name.startswith("s2s_")}
    assert wanted - threads <= library
    assert {fields[-1] for fields in symbols if fields[-2] in "bBdDcC"} <= STATE.get(source.name, set())


def test_phrases_can_be_left_out(tmp_path: Path):
    text = '#include "s2s.h"\n\nint main(void)\n{\n    return s2s_status_phrase(S2S_ERR_NULL)[0];\n}\n'
    (tmp_path / "main.c").write_text(text)
    flags = [*WARNINGS, "-DS2S_NO_PHRASES", f"-I{INCLUDE}"]
    run([require("gcc"), *flags, "main.c", "-o", "program"], tmp_path)
    run([tmp_path / "program"], tmp_path)


DOT = """
#include "s2s_simd.h"

float dot(const float *x, const float *y, int n);

float dot(const float *x, const float *y, int n)
{
    s2s_f32x16 sum = s2s_f32x16_zero();

    for (int i = 0; i < n; i += 16) {
        sum = s2s_f32x16_fma(s2s_f32x16_load(x + i), s2s_f32x16_load(y + i), sum);
    }
    return s2s_f32x16_reduce_add(sum);
}
"""


def assembly(flags: list[str], tmp_path: Path) -> str:
    """The code gcc makes of the dot product."""
    machine = subprocess.run([require("gcc"), "-dumpmachine"], capture_output=True, text=True, check=True).stdout
    if not machine.startswith("x86_64"):
        pytest.skip(f"the instructions looked for are those of x86-64, not of {machine.strip()}")
    (tmp_path / "dot.c").write_text(DOT)
    run(["gcc", *WARNINGS, "-O3", "-ffp-contract=fast", *flags, f"-I{INCLUDE}", "-S", "dot.c"], tmp_path)
    return (tmp_path / "dot.s").read_text()


def test_sixteen_lanes_are_one_instruction_where_the_machine_has_them(tmp_path: Path):
    text = assembly(["-march=skylake-avx512", "-mprefer-vector-width=512"], tmp_path)
    assert len(re.findall(r"vfmadd\w+\s.*%zmm", text)) == 1
    assert "rsp" not in text


def test_sixteen_lanes_are_two_instructions_on_a_narrower_machine(tmp_path: Path):
    text = assembly(["-march=x86-64-v3"], tmp_path)
    assert len(re.findall(r"vfmadd\w+\s.*%ymm", text)) == 2
    assert "rsp" not in text
