"""WebAssembly modules of networks import nothing and compute the bits of the tree's C, under wasmtime and node."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.api import compile as compile_network
from s2s.artifact import Artifact
from s2s.errors import InputError
from s2s.packagings.wasm import ImageShape, image_of
from s2s.verify.build import load
from support.c_compilers import require, run
from support.onnx_text import onnx_model
from support.project import ROOT
from support.proved_networks import quantised_network
from support.wasm import WasmNetwork, require_clang, run_program, runtime

DIGITS = ROOT / "examples" / "digits"
TARGET = "wasm32-simd128"
RECURRENT = "(float[2] x, float[2] h) => (float[2] y, float[2] g) { g = Add (x, h) y = Mul (g, g) }"
VARYING = "(float[N, 4] x) => (float[N, 4] y) { y = Neg (x) }"


def built(artifact: Artifact, folder: Path, *arguments: str) -> Path:
    """The module of a network, built by its own Makefile."""
    clang = require_clang()
    artifact.export(folder, "wasm")
    run([require("make"), "-s", f"CLANG={clang} -Wall -Wextra -Werror", *arguments], folder)
    return folder / f"{artifact.name}.wasm"


def int8(folder: Path) -> Path:
    file = folder / "net.tflite"
    file.write_bytes(quantised_network(softmax=True))
    return file


@pytest.mark.parametrize("target", ["c", TARGET])
def test_floats_have_the_bits_of_the_tree(target: str, tmp_path: Path):
    artifact = compile_network(DIGITS / "digits.onnx", target=target, name="net")
    network = WasmNetwork(built(artifact, tmp_path / "net"), artifact.info)
    with load(artifact.tree()) as native:
        for image in np.load(DIGITS / "held_out.npz")["images"][:20, None]:
            [expected], [computed] = native.run({"image": image}).values(), network.run({"image": image}).values()
            np.testing.assert_array_equal(computed, expected)


def test_vectors_compute_the_integers_of_portable_c(tmp_path: Path):
    file = int8(tmp_path)
    plain, vectors = (compile_network(file, target=target, name="net") for target in ("c", TARGET))
    network = WasmNetwork(built(vectors, tmp_path / "net"), vectors.info)
    [port] = plain.info.inputs
    with load(plain.tree()) as native:
        for seed in range(20):
            x = np.random.default_rng(seed).integers(-128, 128, port.shape).astype(np.int8)
            [expected], [computed] = native.run({port.name: x}).values(), network.run({port.name: x}).values()
            np.testing.assert_array_equal(computed, expected)


@pytest.mark.parametrize("arguments", [(), ("SIMD=",)], ids=["vectors", "scalars"])
def test_vectors_are_left_out_on_demand(arguments: tuple[str, ...], tmp_path: Path):
    wasmtime = runtime()
    file = built(compile_network(int8(tmp_path), target="c", name="net"), tmp_path / "net", *arguments)
    settings = wasmtime.Config()
    settings.wasm_relaxed_simd = settings.wasm_simd = False
    engine = wasmtime.Engine(settings)
    if arguments:
        wasmtime.Module.from_file(engine, str(file))
    else:
        with pytest.raises(wasmtime.WasmtimeError, match="SIMD"):
            wasmtime.Module.from_file(engine, str(file))


def test_the_self_test_is_a_program_of_wasi(tmp_path: Path):
    artifact = compile_network(int8(tmp_path), target=TARGET, name="net")
    built(artifact, tmp_path / "net", "net_test.wasm")
    assert "net: passed" in run_program(tmp_path / "net" / "net_test.wasm")


@pytest.mark.sample(1)
@pytest.mark.parametrize("flags", [("-msimd128",), ()], ids=["vectors", "scalars"])
def test_c_tests_of_the_runtime_pass(flags: tuple[str, ...], tmp_path: Path):
    runtime_c, tests = ROOT / "runtime_c", ROOT / "tests" / "runtime_c"
    sources = [*sorted((runtime_c / "src").glob("*.c")), *sorted(tests.glob("*.c"))]
    command = [require_clang(), "--target=wasm32-wasi", "-std=c99", "-O2", "-ffp-contract=off", "-DEMULATED", *flags]
    run([*command, "-DS2S_NO_THREADS", f"-I{runtime_c / 'include'}", *sources, "-o", "test.wasm"], tmp_path)
    assert run_program(tmp_path / "test.wasm") == "0 failed\n"


def scripted(folder: Path, program: str) -> Any:
    """What a program for node prints as JSON; it has the class and the bytes of the module."""
    start = 'import { readFileSync } from "fs"; import { Network, facts } from "./net.mjs";'
    (folder / "program.mjs").write_text(f'{start}\nconst bytes = readFileSync("net.wasm");\n{program}')
    return json.loads(run([require("node"), "program.mjs"], folder))


def test_javascript_keeps_state_until_it_is_reset(tmp_path: Path):
    artifact = compile_network(onnx_model(RECURRENT), target="c", name="net", states={"h": "g"})
    built(artifact, tmp_path / "net")
    program = """
const network = await Network.load(bytes), x = new Float32Array([1, 2]), found = [];
for (let run = 0; run < 3; ++run) {
  if (run === 2) network.reset();
  found.push(Array.from(network.run({ x }).y));
}
console.log(JSON.stringify(found));
"""
    assert scripted(tmp_path / "net", program) == [[1, 4], [4, 16], [1, 4]]


def test_javascript_gives_sizes_and_refuses_other_arrays(tmp_path: Path):
    artifact = compile_network(onnx_model(VARYING), target="c", name="net", dims={"N": (1, 3)})
    built(artifact, tmp_path / "net")
    program = """
const network = await Network.load(bytes), x = new Float32Array(8).fill(1), said = [];
for (const [inputs, N] of [[{ x }, 4], [{ x }, 1], [{}, 3]])
  try { network.run(inputs, { N }); } catch (error) { said.push(error.message); }
console.log(JSON.stringify([Array.from(network.run({ x }, { N: 2 }).y), facts.sizes, said]));
"""
    y, sizes, said = scripted(tmp_path / "net", program)
    assert y == [-1] * 8
    assert sizes == {"N": [1, 3, 1]}
    wanted = [f"x: wants a Float32Array of {count} elements" for count in (4, 12)]
    assert said == ["N: is 4, not 1 to 3", *wanted]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": "graph"}, "--format wasm: wants a run function"),
        ({"threads": 2}, "--format wasm: a module has one thread; compile digits without --threads"),
        ({"weights": "incbin"}, "--format wasm: the weights are a binary file"),
    ],
    ids=["tables", "threads", "file"],
)
def test_what_no_module_has_is_refused(options: dict[str, Any], message: str, tmp_path: Path):
    artifact = compile_network(DIGITS / "digits.onnx", target="c", **options)
    with pytest.raises(InputError, match=message):
        artifact.export(tmp_path / "net", "wasm")


def test_a_page_without_a_compiler_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    artifact = compile_network(DIGITS / "digits.onnx", target="c")
    with pytest.raises(InputError, match="--format web: there is no clang to compile the module; install clang"):
        artifact.export(tmp_path / "net", "web")
    assert not (tmp_path / "net").exists()


@pytest.mark.parametrize(
    ("shape", "image"),
    [
        ("1, 3, 20, 30", ImageShape(20, 30, 3, is_channels_first=True)),
        ("1, 20, 30, 1", ImageShape(20, 30, 1, is_channels_first=False)),
        ("20, 30", ImageShape(20, 30, 1, is_channels_first=False)),
        ("1, 3, 20, 2", None),
        ("2, 3, 20, 30", None),
        ("1, 490", None),
    ],
)
def test_inputs_are_images_by_their_shape(shape: str, image: ImageShape | None):
    artifact = compile_network(onnx_model(f"(float[{shape}] x) => (float[{shape}] y) {{ y = Neg (x) }}"), target="c")
    assert image_of(artifact.info.inputs[0]) == image
