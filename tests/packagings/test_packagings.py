"""Packagings hold what the rules of their tools ask for; test_tools.py has the tools build and run them."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

from s2s.api import compile as compile_network
from s2s.cli.main import run as s2s
from s2s.errors import InputError
from s2s.packagings.formats import FORMATS, export
from support.c_compilers import require, run
from support.onnx_text import onnx_file
from support.project import ROOT
from support.trees import written
from support.varying_networks import model as varying_model
from support.varying_networks import session
from support.wasm import require_clang

HELD_OUT = ROOT / "examples" / "digits" / "held_out.npz"


def packed(format: str, folder: Path, *, target: str = "c", executor: str = "aot") -> Path:
    if format == "web":
        require_clang()
    export(written("digits", target, executor, "arrays"), [format], folder)
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("target", ["c", "host"])
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_one_header_and_one_source_are_the_network(target: str, executor: str, tmp_path: Path):
    folder = packed("single", tmp_path / "one", target=target, executor=executor)
    assert {path.name for path in folder.glob("*.[ch]")} == {"net.h", "net.c", "net_test.c"}
    assert '#include "' not in (folder / "net.h").read_text()
    run([require("gcc"), "-std=c99", "-O1", "-Wall", "-Wextra", "net.c", "net_test.c", "-o", "test", "-lm"], folder)
    assert "net: passed" in run([folder / "test"], folder)
    (tmp_path / "user.cpp").write_text('#include "one/net.h"\n')
    run([require("g++"), "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "user.cpp"], tmp_path)


def test_one_source_runs_threads(tmp_path: Path):
    tree = compile_network(ROOT / "examples/digits/digits.onnx", threads=2, name="net").write(tmp_path / "net")
    folder = tmp_path / "one"
    export(tree, ["single"], folder)
    run([require("gcc"), "-std=c99", "-O1", "-pthread", "net.c", "net_test.c", "-o", "test", "-lm"], folder)
    assert "net: passed" in run([folder / "test"], folder)


def test_meson_builds_and_tests_it_and_takes_it_as_a_subproject(tmp_path: Path):
    pytest.importorskip("mesonbuild")
    require("ninja")
    meson: list[str | Path] = [sys.executable, "-m", "mesonbuild.mesonmain"]
    folder = packed("meson", tmp_path / "subprojects" / "net")
    run([*meson, "setup", "b"], folder)
    assert "Ok:                1" in run([*meson, "test", "-C", "b"], folder)
    shutil.rmtree(folder / "b")
    shutil.copy(folder / "net.wrap", tmp_path / "subprojects")
    (tmp_path / "meson.build").write_text(
        "project('app', 'c')\nexecutable('app', 'main.c', dependencies: dependency('net'))\n"
    )
    (tmp_path / "main.c").write_text('#include "net.h"\nint main(void) { return net_run(0, 0, 0) != S2S_ERR_NULL; }\n')
    run([*meson, "setup", "b"], tmp_path)
    run([*meson, "compile", "-C", "b"], tmp_path)
    run([tmp_path / "b" / "app"], tmp_path)


def test_an_arduino_library_keeps_to_the_rules(tmp_path: Path):
    folder = packed("arduino", tmp_path / "net")
    properties = dict(line.split("=", 1) for line in (folder / "library.properties").read_text().splitlines())
    for field in ("name", "version", "author", "maintainer", "sentence", "paragraph", "url", "category"):
        assert properties[field], field
    assert properties["includes"] == "net.h"
    assert {path.name for path in (folder / "src").iterdir()} == {"net.h", "net"}
    assert not list(folder.rglob("CMakeLists.txt"))
    [sketch] = folder.glob("examples/*/*.ino")
    assert sketch.stem == sketch.parent.name


def test_a_platformio_library_states_flags_and_libraries(tmp_path: Path):
    folder = packed("platformio", tmp_path / "net")
    manifest = json.loads((folder / "library.json").read_text())
    assert manifest["name"] == "net"
    assert len(manifest["version"]) <= 20
    assert len(manifest["description"]) <= 255
    assert {"-ffp-contract=off", "-lm"} <= set(manifest["build"]["flags"])


def test_an_esp_idf_component_registers_what_it_needs(tmp_path: Path):
    folder = packed("esp-idf", tmp_path / "component")
    described = yaml.safe_load((folder / "idf_component.yml").read_text())
    assert described["dependencies"] == {"idf": ">=5.0"}
    assert "idf_component_register" in (folder / "CMakeLists.txt").read_text()


def test_a_zephyr_module_has_what_its_description_names(tmp_path: Path):
    folder = packed("zephyr", tmp_path / "module")
    module = yaml.safe_load((folder / "zephyr" / "module.yml").read_text())
    assert (folder / module["build"]["cmake"] / "CMakeLists.txt").is_file()
    assert (folder / module["build"]["kconfig"]).is_file()
    [test] = yaml.safe_load((folder / "samples/net/testcase.yaml").read_text())["tests"].values()
    [line] = test["harness_config"]["regex"]
    assert line == "net: success"
    assert "config S2S_NET\n" in (folder / "zephyr" / "Kconfig").read_text()
    assert "CONFIG_S2S_NET=y" in (folder / "samples/net/prj.conf").read_text()


def test_a_pack_holds_what_its_description_names(tmp_path: Path):
    folder = packed("cmsis-pack", tmp_path / "pack")
    described = ElementTree.parse(folder / "s2s.net.pdsc").getroot()
    order = ["vendor", "name", "description", "url", "license", "releases", "components"]
    assert [each.tag for each in described] == order
    [pack] = folder.glob("s2s.net.*.pack")
    with zipfile.ZipFile(pack) as archive:
        inside = set(archive.namelist())
    assert "s2s.net.pdsc" in inside
    for file in described.iter("file"):
        name = file.attrib["name"]
        assert name in inside or any(path.startswith(name) and name.endswith("/") for path in inside)
    layer = yaml.safe_load((folder / "net.clayer.yml").read_text())["layer"]
    assert all((folder / each["file"]).is_file() for each in layer["groups"][0]["files"])


def test_a_wheel_runs_the_network(tmp_path: Path):
    project = packed("wheel", tmp_path / "project")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", tmp_path, project], tmp_path)
    [wheel] = tmp_path.glob("*.whl")
    run([*pip, "install", "--quiet", "--no-deps", "--no-index", "--target", tmp_path / "site", wheel], tmp_path)
    image = np.load(HELD_OUT)["images"][:1]
    np.save(tmp_path / "image.npy", image)
    program = "import numpy, net; numpy.savez('out.npz', **net.run({'image': numpy.load('image.npy')}))"
    run(["env", f"PYTHONPATH={tmp_path / 'site'}", sys.executable, "-c", program], tmp_path)
    with compile_network(ROOT / "examples/digits/digits.onnx", target="c") as artifact:
        expected = artifact.run({"image": image})["probabilities"]
    np.testing.assert_allclose(np.load(tmp_path / "out.npz")["probabilities"], expected, rtol=1e-6)
    assert (tmp_path / "site" / "net" / "py.typed").is_file()


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_carries_licences_and_the_same_bytes_twice(format: str, tmp_path: Path):
    first, second = (packed(format, tmp_path / name) for name in ("a", "b"))
    files = contents(first)
    assert files == contents(second)
    assert {Path("LICENSES/Apache-2.0.txt"), Path("LICENSES/LicenseRef-Model.txt"), Path("sbom.cdx.json")} <= set(files)


def test_trees_with_memory_pools_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = str(ROOT / "examples" / "digits" / "digits.onnx")
    command = ["compile", model, "--pool", "tcm=64KiB", "--format", "meson", "-o", str(tmp_path / "net")]
    assert s2s(command) == 2
    shown = capsys.readouterr().err
    assert (
        "error: digits: has an arena in several memory pools, which no package knows; compile without --pool" in shown
    )
    assert not (tmp_path / "net").exists()


def test_the_command_packs_a_tree_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tree = written("digits", "c", "aot", "arrays")
    assert s2s(["export", str(tree), "--format", "arduino", "-o", str(tmp_path / "net")]) == 0
    assert capsys.readouterr().out == f"arduino  {tmp_path / 'net'}\n"
    assert s2s(["export", str(tmp_path / "net"), "--format", "meson", "-o", str(tmp_path / "other")]) == 2
    assert "is packed already, as arduino; give the tree that it was made from" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_the_command_packs_a_tree_in_all_formats_and_says_which_it_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    tree = written("digits", "c", "graph")
    assert s2s(["export", str(tree), "--format", "all", "-o", str(tmp_path / "all")]) == 0
    said = capsys.readouterr().out
    assert [line.split()[0] for line in said.splitlines()] == list(FORMATS)
    refused = {line.split()[0] for line in said.splitlines() if " refused: " in line}
    assert {"arduino", "wheel"} <= refused
    assert {path.name for path in (tmp_path / "all").iterdir()} == set(FORMATS) - refused


def test_a_compilation_writes_packages_equal_to_those_of_its_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = ["compile", str(ROOT / "examples/digits/digits.onnx"), "--name", "net", "--target", "c"]
    assert s2s([*model, "-o", str(tmp_path / "net")]) == 0
    assert s2s(["export", str(tmp_path / "net"), "--format", "arduino", "-o", str(tmp_path / "exported")]) == 0
    capsys.readouterr()
    several = [*model, "--format", "arduino", "--format", "meson", "-o", str(tmp_path / "packages"), "--json"]
    assert s2s(several) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["packages"] == {name: str(tmp_path / "packages" / name) for name in ("arduino", "meson")}
    assert said["refused"] == {}
    assert {path.name for path in (tmp_path / "packages").iterdir()} == {"arduino", "meson"}
    assert contents(tmp_path / "packages" / "arduino") == contents(tmp_path / "exported")


def test_a_compilation_for_one_format_writes_the_package_itself(tmp_path: Path):
    compile_network(ROOT / "examples/digits/digits.onnx", target="c").export(tmp_path / "net", "single")
    assert (tmp_path / "net" / "digits.h").is_file()


def test_nothing_is_written_where_a_named_format_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tree = written("digits", "c", "graph")
    command = ["export", str(tree), "--format", "cmake", "--format", "arduino", "-o", str(tmp_path / "packages")]
    assert s2s(command) == 2
    assert "--format arduino: wants a run function" in capsys.readouterr().err
    assert not (tmp_path / "packages").exists()


def test_a_package_replaces_an_older_one_and_nothing_else(tmp_path: Path):
    packed("arduino", tmp_path / "net")
    packed("platformio", tmp_path / "net")
    (tmp_path / "net" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match=r"mine\.txt was not written by s2s"):
        packed("arduino", tmp_path / "net")


VARYING = "(float[N,4] x) => (float[N,4] y) { a = Relu (x) y = Add (a, x) }"


@pytest.mark.parametrize("format", ["single", "arduino", "platformio", "zephyr"])
def test_packages_call_networks_with_their_greatest_sizes(format: str, tmp_path: Path):
    model = onnx_file(VARYING, tmp_path)
    tree = compile_network(model, dims={"N": (1, 9)}, target="c", name="net").write(tmp_path / "net")
    folder = tmp_path / "package"
    export(tree, [format], folder)
    examples = [text for text in map(bytes.decode, contents(folder).values()) if "= net_run(" in text]
    if format == "single":
        run([require("gcc"), "-std=c99", "-O1", "net.c", "net_test.c", "-o", "test", "-lm"], folder)
        assert "net: passed" in run([folder / "test"], folder)
        return
    assert examples
    for text in examples:
        assert "static const net_dims sizes = {9};" in text
        assert "net_run(arena, &sizes, " in text


BOTH = """(float[1,2,8,W] x, float[20] k, float gain) => (float[1,4,4,V] y, float[F] z, float loss)
<float[4,2,3,3] w = ?>
{ c = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w) y = Mul (c, gain)
loss = Neg (gain) i = NonZero (k) t = Transpose (i) z = GatherND (k, t) }"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_wheel_takes_and_gives_arrays_of_any_size_up_to_the_bounds(threads: int, tmp_path: Path):
    model = varying_model(BOTH, tmp_path)
    bounds: Any = {"W": (2, 19), "NonZero_i": (0, 12)}
    artifact = compile_network(model, dims=bounds, target="host", name="sized", threads=threads)
    export(artifact.write(tmp_path / "tree"), ["wheel"], tmp_path / "project")
    folder = tmp_path / "site"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    run([*pip, "--no-build-isolation", "--target", folder, tmp_path / "project"], tmp_path)
    (tmp_path / "user.py").write_text(USE)
    random, engine = np.random.default_rng(0), session(model)
    for width, count in ((2, 0), (3, 1), (10, 7), (18, 12), (19, 3)):
        k = np.zeros(20, np.float32)
        k[random.permutation(20)[:count]] = random.standard_normal(count) + 9
        x = random.standard_normal((1, 2, 8, width)).astype(np.float32)
        inputs = {"x": x, "k": k, "gain": np.array(width / 4, np.float32)}
        np.savez(tmp_path / "given.npz", x=x, k=k, gain=inputs["gain"])
        run(["env", f"PYTHONPATH={folder}", sys.executable, "user.py"], tmp_path)
        found = np.load(tmp_path / "found.npz")
        for name, expected in zip(("y", "z", "loss"), engine.run(None, inputs), strict=True):
            assert found[name].shape == expected.shape
            np.testing.assert_allclose(found[name], expected, rtol=1e-4, atol=1e-5)
    np.savez(tmp_path / "given.npz", x=np.zeros((1, 2, 8, 20), np.float32), k=inputs["k"], gain=inputs["gain"])
    command = ["env", f"PYTHONPATH={folder}", sys.executable, "user.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "ValueError: x: axis 3 has size 20, and W is within 2 ... 19" in done.stderr


USE = """
import numpy as np
import sized
np.savez("found.npz", **sized.Network().run(dict(np.load("given.npz"))))
"""


CARRY = {"cmake", "make", "meson", "single", "esp-idf", "cmsis-pack"}
"""Formats that carry a pack of weights."""


def test_a_pack_of_weights_goes_with_packages_that_show_no_call(tmp_path: Path):
    artifact = compile_network(ROOT / "examples/digits/digits.onnx", target="c", name="net", weights="pack")
    places = artifact.export(tmp_path, "all")
    assert {format for format, place in places.items() if isinstance(place, Path)} == CARRY
    pack = artifact.tree().content("net.weights")
    for format in CARRY:
        assert (tmp_path / format / "net.weights").read_bytes() == pack
    refused = {str(place) for format, place in places.items() if format not in CARRY}
    assert all("its call binds no pack of weights; leave --weights pack out" in reason for reason in refused)
    run([require("gcc"), "-std=c99", "-O1", "net.c", "net_test.c", "-lm", "-o", "test"], tmp_path / "single")
    assert "net: passed" in run([tmp_path / "single" / "test"], tmp_path)
    assert "net: passed" in run([require("make"), "-s", "test"], tmp_path / "make")
