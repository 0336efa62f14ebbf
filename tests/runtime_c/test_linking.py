"""Several trees in one program: their runtimes are merged, and one of another version is refused."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from s2s import api
from s2s.version import RUNTIME_VERSION
from support.c_compilers import COMPILERS, require, run
from support.project import ROOT, SHARED
from support.trees import DIGITS

KWS_INT8 = SHARED / "models" / "mlperf_tiny" / "kws_ref_model_int8.tflite"
INCLUDES = ("include", "src", "runtime/include")


def objects(tree: Path, compiler: str, folder: Path) -> list[str | Path]:
    """Every C file of a tree compiled with its own headers, as the README of a tree says."""
    made: list[str | Path] = []
    for number, source in enumerate([*sorted(tree.glob("src/*.c")), *sorted(tree.glob("runtime/src/*.c"))]):
        made.append(folder / f"{tree.name}{number}.o")
        includes = [f"-I{tree / each}" for each in INCLUDES]
        run([require(compiler), "-std=c99", "-pthread", *includes, "-c", source, "-o", made[-1]], folder)
    return made


@pytest.mark.sample(2)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("options", [{"threads": 2}, {"executor": "graph"}], ids=["threads", "graph"])
def test_two_trees_with_a_runtime_of_their_own_link(options: dict[str, Any], compiler: str, tmp_path: Path) -> None:
    trees = [api.compile(DIGITS, target="c", name=name, **options).write(tmp_path / name) for name in ("one", "two")]
    linked = [path for tree in trees for path in objects(tree, compiler, tmp_path)]
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    run([compiler, "-pthread", "main.c", *linked, "-lm", "-o", "both"], tmp_path)
    run([tmp_path / "both"], tmp_path)


def test_headers_of_another_version_are_refused(tmp_path: Path) -> None:
    tree = api.compile(DIGITS, target="c", name="net").write(tmp_path / "net")
    shutil.copytree(tree / "runtime" / "include", tmp_path / "older")
    config = tmp_path / "older" / "s2s_config.h"
    stated = f"#define S2S_RUNTIME_VERSION {RUNTIME_VERSION}\n"
    assert stated in config.read_text()
    config.write_text(config.read_text().replace(stated, f"#define S2S_RUNTIME_VERSION {RUNTIME_VERSION - 1}\n"))
    source = tree / "src" / "net.c"
    command = [require("gcc"), "-std=c99", "-fsyntax-only", f"-I{tree}/include", f"-I{tree}/src"]
    run([*command, f"-I{tree}/runtime/include", source], tmp_path)
    with pytest.raises(AssertionError, match="net wants the runtime that s2s wrote for it"):
        run([*command, f"-I{tmp_path}/older", source], tmp_path)


def test_the_runtime_states_the_version_of_the_package() -> None:
    config = (ROOT / "runtime_c" / "include" / "s2s_config.h").read_text()
    assert f"#define S2S_RUNTIME_VERSION {RUNTIME_VERSION}\n" in config


@pytest.mark.parametrize("core", ["cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55"])
@pytest.mark.parametrize("header", ["s2s_quantize.h", "s2s_dsp.h", "s2s_simd.h", "s2s_packed.h"])
def test_integers_of_arm_convert_no_sign_silently(core: str, header: str, tmp_path: Path) -> None:
    (tmp_path / "use.c").write_text(f'#include "{header}"\ntypedef int not_empty;\n')
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wsign-conversion", "-Wcast-align", "-Wcast-qual"]
    command = [require("arm-none-eabi-gcc"), f"-mcpu={core}", "-mthumb", "-mfloat-abi=hard", "-mfpu=auto", "-std=c99"]
    run([*command, *warnings, f"-I{ROOT / 'runtime_c' / 'include'}", "-c", "use.c"], tmp_path)


@pytest.mark.parametrize("model", [DIGITS, KWS_INT8], ids=["floats", "bytes"])
def test_a_tree_for_arm_compiles_with_the_warnings_that_the_documents_name(model: Path, tmp_path: Path) -> None:
    if not model.is_file():
        pytest.skip("the benchmark's networks are not there")
    text = (ROOT / "docs" / "how-to" / "microcontroller.md").read_text()
    found = re.search(r"without a warning under `([^`]*)`", text)
    assert found is not None
    tree = api.compile(model, target="cortex-m4", name="net").write(tmp_path / "net")
    command = [require("arm-none-eabi-gcc"), "-mcpu=cortex-m4", "-mthumb", "-std=c99", "-Werror", *found[1].split()]
    includes = [f"-I{tree / each}" for each in INCLUDES]
    for source in (tree / "src").glob("*.c"):
        run([*command, *includes, "-c", source, "-o", tmp_path / "out.o"], tmp_path)
