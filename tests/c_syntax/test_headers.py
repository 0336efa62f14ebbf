"""No network has the name of a header that the C library includes: its own header would stand in for it."""

import re
from pathlib import Path

import pytest

from s2s.api import compile as compile_network
from s2s.c_syntax.identifiers import c_identifier
from s2s.c_syntax.reserved import HEADERS, RESERVED
from s2s.errors import InputError
from support.c_compilers import require, run
from support.onnx_text import onnx_model
from support.project import ROOT

NETWORK = "(float[2] x) => (float[2] y) { y = Sin (x) }"
SOURCES = [*(ROOT / "runtime_c").rglob("*.[ch]"), *(ROOT / "templates").glob("*.j2")]
ROOTS = {"include", "include-fixed", "x86_64-linux-gnu"}
"""The folders whose headers are included by their names alone."""


@pytest.mark.parametrize("compiler", ["gcc", "arm-none-eabi-gcc"])
def test_every_header_of_the_library_is_known(compiler: str, tmp_path: Path):
    texts = [path.read_text() for path in SOURCES]
    included = {name for text in texts for name in re.findall(r"#include <(std\w+|math|string|time)\.h>", text)}
    assert len(included) > 5
    (tmp_path / "all.c").write_text("".join(f"#include <{name}.h>\n" for name in sorted(included - {"stdatomic"})))
    listed = run([require(compiler), "-M", "all.c"], tmp_path)
    headers = {path.stem for path in map(Path, listed.split()) if path.suffix == ".h" and path.parent.name in ROOTS}
    possible = {name for name in headers if c_identifier(name) == name}
    assert "stdint" in possible
    assert possible <= HEADERS | RESERVED


@pytest.mark.parametrize("name", ["math", "stdint", "features"])
def test_a_name_that_is_a_header_is_refused_or_changed(name: str, tmp_path: Path):
    with pytest.raises(InputError, match=f"--name {name}: .* nor a header, .*; try net_{name}"):
        compile_network(onnx_model(NETWORK), target="c", name=name).tree()
    file = tmp_path / f"{name}.onnx"
    file.write_bytes(onnx_model(NETWORK).SerializeToString())
    tree = compile_network(file, target="c").write(tmp_path / "tree")
    assert f"net_{name}: passed" in run([require("make"), "-s", "test"], tree)
