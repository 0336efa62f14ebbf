"""Trees of the profile `misra`: the arena is a type, analysers find nothing that is not written down, numbers stay."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from benchmarks.static_analysis import DIGITS, findings, misra
from s2s import api
from s2s.artifact import Artifact, compile_artifact
from s2s.emit.misra import ADVISED, ADVISORY, DEVIATIONS
from s2s.errors import InputError
from s2s.options import PROFILES, CompileOptions, Profile
from s2s.options.passes import PassOptions
from support.c_compilers import require, run
from support.device_networks import LAYERS, residual, sample
from support.project import SHARED

KEYWORDS = SHARED / "models/mlperf_tiny/kws_ref_model_int8.tflite"


@cache
def compiled(model: Path, target: str, profile: Profile) -> Artifact:
    if not model.exists():
        pytest.skip(f"{model.name} is not there")
    return api.compile(model, target=target, profile=profile)


@pytest.mark.sample(4)
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("target", ["c", "cortex-m4", "cortex-m55"])
@pytest.mark.parametrize("model", [DIGITS, KEYWORDS], ids=["digits", "keywords"])
def test_analysers_find_nothing_that_is_not_written_down(model: Path, target: str, profile: Profile) -> None:
    for program in ("cppcheck", "clang-tidy", "gcc"):
        require(program)
    with tempfile.TemporaryDirectory() as folder:
        found = findings(compiled(model, target, profile).write(Path(folder) / "tree"), profile)
    assert [finding for finding in found if not finding.is_listed] == []


def test_a_finding_would_be_seen(tmp_path: Path) -> None:
    require("cppcheck")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "extra.c").write_text("int extra(int a);\nint extra(int a)\n{\n    return a >> 1;\n}\n")
    assert "10.1" in {finding.rule for finding in misra(tmp_path) if not finding.is_listed}


def test_halves_are_converted_without_findings(tmp_path: Path) -> None:
    require("cppcheck")
    text = '<ir_version: 8, opset_import: ["" : 17]> net (float16[8] x) => (float16[8] y) { y = Add(x, x) }'
    tree = api.compile(onnx.parser.parse_model(text), target="c", profile="misra").write(tmp_path / "tree")
    assert "s2s_f16_to_f32" in (tree / "src/net_kernels.c").read_text()
    assert [finding for finding in misra(tree) if not finding.is_listed] == []


@pytest.mark.parametrize("target", ["c", "x86-64-v3"])
@pytest.mark.parametrize("element", ["FLOAT16", "BFLOAT16"])
def test_the_arena_holds_halves_where_no_port_does(element: str, target: str, tmp_path: Path) -> None:
    """The union of the arena is declared in the network's header, which needs the types of its members."""
    number = onnx.TensorProto.DataType.Value(element)
    text = f"""<ir_version: 8, opset_import: ["" : 17]> net (float[2, 8] x) => (float[2, 8] y) {{
        z = Add(x, x) h = Cast <to = {number}> (z) y = Cast <to = 1> (h)
    }}"""
    options = CompileOptions(target=target, profile="misra", name="net", passes=PassOptions(fusion_depth=1))
    with compile_artifact(onnx.parser.parse_model(text), options) as artifact:
        tree = artifact.write(tmp_path / "tree")
    assert "16 data[16]; }" in (tree / "include/net.h").read_text()
    run([require("make"), "-s"], tree)


@pytest.mark.parametrize("model", [DIGITS, KEYWORDS], ids=["digits", "keywords"])
def test_trees_pass_their_own_test(model: Path, tmp_path: Path) -> None:
    tree = compiled(model, "c", "misra").write(tmp_path / "tree")
    assert "passed" in run([require("make"), "-s", "test"], tree)


def test_profiles_agree() -> None:
    image = np.random.default_rng(0).random((1, 1, 8, 8), np.float32)
    (expected,) = compiled(DIGITS, "c", "default").run({"image": image}).values()
    (found,) = compiled(DIGITS, "c", "misra").run({"image": image}).values()
    np.testing.assert_array_equal(found, expected)


def test_the_tree_says_what_it_deviates_from() -> None:
    text = compiled(DIGITS, "c", "misra").tree().text("MISRA.md")
    assert [f"| {rule} |" in text for rule in (*DEVIATIONS, *ADVISED)].count(False) == 0
    assert not ADVISORY & set(DEVIATIONS)
    assert set(ADVISED) <= ADVISORY


def test_the_default_profile_has_no_such_page() -> None:
    assert "MISRA.md" not in set(compiled(DIGITS, "c", "default").tree())


def test_the_graph_executor_is_not_written_to_it() -> None:
    with pytest.raises(InputError, match="--profile misra: the graph executor"):
        api.compile(DIGITS, target="c", profile="misra", executor="graph")


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "options",
    [
        {"devices": {"dsp": {"layers": LAYERS}}},
        {"devices": {"dsp": {"layers": LAYERS, "copy": "start-wait", "calls": "start-wait"}}},
        {"pools": ["tcm=8KiB:loaded", "sram=64KiB"]},
        {"pools": ["tcm=2624:buffers", "flash=1MiB:streamed"]},
        {"devices": {"dsp": {"layers": LAYERS}}, "pools": ["tcm=1600", "sram=64KiB"]},
    ],
)
def test_each_part_of_the_arena_is_a_type(options: dict[str, Any], tmp_path: Path) -> None:
    """Devices and memory pools: the same numbers, no findings, and the tree tests itself."""
    require("cppcheck")
    with api.compile(residual(), target="c", name="net") as plain:
        (expected,) = plain.run(sample()).values()
    with api.compile(residual(), target="c", name="net", profile="misra", **options) as found:
        np.testing.assert_array_equal(next(iter(found.run(sample()).values())), expected)
        tree = found.write(tmp_path / "tree")
    assert "void *" not in (tree / "src/net.c").read_text()
    first = next(iter(found.info.pools)).name
    assert f"net_arena_{first} *arena_{first}" in (tree / "include/net.h").read_text()
    assert f"static net_arena_{first} arena_{first};" in (tree / "README.md").read_text()
    assert [finding for finding in misra(tree) if not finding.is_listed] == []
    assert "passed" in run([require("make"), "-s", "test"], tree)
