"""Packages of a network with sizes that vary, given ones and one that depends on the data: their files compile for the
host and for a Cortex-M4, their examples run, and a program of a user gets the results of onnxruntime."""

import re
from pathlib import Path

import numpy as np
import pytest

from s2s.api import compile as compile_network
from s2s.packagings.formats import export
from support.c_compilers import require, run
from support.varying_networks import model, session

TEXT = """(float[1,2,8,W] x, float[20] k) => (float[1,4,4,V] y, float[F] z)
<float[4,2,3,3] w = ?>
{ y = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w) i = NonZero (k) t = Transpose (i) z = GatherND (k, t) }"""
HOST = ("gcc", "-std=c99", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-pedantic")
BOARD = ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", *HOST[1:], "-c")
FORMATS = ("arduino", "platformio", "zephyr", "esp-idf")

ARDUINO = """#include <cstdint>
#include <cstdio>
struct Line {
    void begin(long) {}
    operator bool() { return true; }
    void print(const char *text) { std::printf("%s", text); }
    void print(int number) { std::printf("%d", number); }
    void println(unsigned long) { std::printf("\\n"); }
};
static Line Serial;
static unsigned long micros() { return 0; }
"""
USER = """#include <stdio.h>
#include <stdlib.h>
#include <sized.h>
#include <s2s_arena.h>

S2S_ARENA(arena, SIZED_ARENA_SIZE, SIZED_ARENA_ALIGN);
static float x[SIZED_X_SIZE], k[SIZED_K_SIZE], y[SIZED_Y_SIZE], z[SIZED_Z_SIZE];

int main(int count, char **words)
{
    const int32_t width = atoi(words[count - 2]);
    const int32_t step = atoi(words[count - 1]);
    sized_dims dims = {width, 0};

    for (int32_t row = 0; row < 16; row++) {
        for (int32_t at = 0; at < width; at++) {
            x[row * SIZED_W_MAX + at] = (float)((row * 5 + at * 3) % 7) - 3.0f;
        }
    }
    for (int32_t at = 0; at < (int32_t)SIZED_K_SIZE; at += step) {
        k[at] = (float)at + 1.0f;
    }
    const s2s_status status = sized_run(arena, &dims, x, k, y, z);
    printf("%d %d\\n", (int)status, (int)dims.nonzero_i);
    for (int32_t row = 0; status == S2S_OK && row < 16; row++) {
        for (int32_t at = 0; at < (width + 1) / 2; at++) {
            printf("%.9g ", (double)y[row * ((SIZED_W_MAX + 1) / 2) + at]);
        }
    }
    printf("\\n");
    for (int32_t at = 0; status == S2S_OK && at < dims.nonzero_i; at++) {
        printf("%.9g ", (double)z[at]);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sized")
    artifact = compile_network(model(TEXT, folder), dims={"W": (2, 19, 8)}, target="c", name="sized")
    tree = artifact.write(folder / "tree")
    for format in FORMATS:
        export(tree, [format], folder / format)
    return folder


def library(package: Path) -> tuple[list[Path], list[str]]:
    """The C files of a package's library, and its folders of headers."""
    outside = {"examples", "samples", "test", "tests"}
    files = [file for file in sorted(package.rglob("*.c")) if not outside & set(file.relative_to(package).parts)]
    folders = {header.parent for header in package.rglob("*.h") if not outside & set(header.relative_to(package).parts)}
    return files, [f"-I{folder}" for folder in sorted(folders)]


@pytest.mark.parametrize("format", FORMATS)
def test_every_source_compiles_for_a_board(format: str, packages: Path, tmp_path: Path):
    files, folders = library(packages / format)
    require(BOARD[0])
    for file in files:
        run([*BOARD, *folders, file, "-o", tmp_path / "object.o"], tmp_path)
    assert files


@pytest.mark.parametrize("format", ["arduino", "platformio", "zephyr"])
def test_the_example_runs_at_the_greatest_sizes(format: str, packages: Path, tmp_path: Path):
    files, folders = library(packages / format)
    run([require("gcc"), *HOST[1:], *folders, "-c", *files], tmp_path)
    objects = sorted(tmp_path.glob("*.o"))
    if format == "arduino":
        (sketch,) = (packages / format).glob("examples/*/*.ino")
        text = sketch.read_text() + "\nint main() { setup(); loop(); }\n"
        (tmp_path / "main.cpp").write_text(ARDUINO + text)
        compiler = [require("g++"), "-std=c++11", "-Wall", "-Wextra", "-Werror"]
    else:
        (found,) = (packages / format).rglob("main.c")
        (tmp_path / "main.c").write_text(found.read_text())
        compiler = [require("gcc"), *HOST[1:]]
    (source,) = [*tmp_path.glob("main.c"), *tmp_path.glob("main.cpp")]
    run([*compiler, *folders, source, *objects, "-o", tmp_path / "example", "-lm"], tmp_path)
    said = run([tmp_path / "example"], tmp_path)
    assert "sized: status 0" in said or "sized: success" in said


def test_a_component_of_esp_idf_gives_its_user_the_results_of_onnxruntime(packages: Path, tmp_path: Path):
    component, engine = packages / "esp-idf", session(packages / "model.onnx")
    listed = (component / "CMakeLists.txt").read_text()
    sources = [component / name for name in re.findall(r'^    "([^"]+\.c)"$', listed, re.M)]
    folders = [f"-I{component / name}" for name in ("include", "runtime/include", "src")]
    (tmp_path / "main.c").write_text(USER)
    run([require("gcc"), *HOST[1:], *folders, tmp_path / "main.c", *sources, "-o", tmp_path / "user", "-lm"], tmp_path)
    row = np.arange(16)[:, None]
    for width, step in ((2, 20), (3, 7), (8, 1), (9, 3), (19, 2)):
        status, y, z = run([tmp_path / "user", str(width), str(step)], tmp_path).split("\n")[:3]
        x = ((row * 5 + np.arange(width) * 3) % 7 - 3.0).astype(np.float32).reshape(1, 2, 8, width)
        k = np.where(np.arange(20) % step == 0, np.arange(20) + 1, 0).astype(np.float32)
        expected = engine.run(None, {"x": x, "k": k})
        assert status == f"0 {expected[1].size}"
        np.testing.assert_allclose(np.array(y.split(), np.float32), expected[0].reshape(-1), rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(np.array(z.split(), np.float32), expected[1])
    assert run([tmp_path / "user", "20", "1"], tmp_path).split()[0] == "-8", "20 is behind the bound"
