"""An emitted tree in this process: built, loaded, run, and nothing of it left behind."""

import gc
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx.parser import parse_model

from s2s.artifact import compile_artifact
from s2s.errors import CompilerBug, InputError, ToolchainError
from s2s.options import CompileOptions
from s2s.verify.build import load
from support.emitted import TEXT, Executor, emitted, expected, network, sample


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Temporary files of this test only."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("target", ["c", "host"])
def test_outputs_come_by_name(executor: Executor, target: str) -> None:
    with load(network(executor, target=target)) as loaded:
        for seed in range(3):
            x = sample(seed)
            found = loaded.run({"x": x})
            assert list(found) == ["y", "q"]
            for name, wanted in expected(x).items():
                np.testing.assert_array_equal(found[name], wanted)
                assert found[name].dtype == wanted.dtype


def test_both_executors_give_the_same_bits() -> None:
    with load(network("aot", target="host")) as one, load(network("graph", target="host")) as other:
        x = sample(7)
        for name, value in one.run({"x": x}).items():
            assert value.tobytes() == other.run({"x": x})[name].tobytes()


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_one_translation_unit_gives_the_same_bits(executor: Executor) -> None:
    with load(network(executor)) as files, load(network(executor), as_unit=True) as unit:
        for one, other in zip(files.run({"x": sample()}).values(), unit.run({"x": sample()}).values(), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_an_input_without_dimensions_is_passed_as_such(executor: Executor) -> None:
    model = parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float x) => (float y) { y = Neg(x) }""")
    with compile_artifact(model, CompileOptions(target="c", executor=executor)) as artifact:
        assert artifact.run({"x": np.array(2, np.float32)})["y"] == -2


def test_an_output_without_dimensions_is_what_the_run_wrote() -> None:
    model = parse_model(
        '<ir_version: 8, opset_import: ["": 18]> g (float[4] x) => (float y) { y = ReduceSum<keepdims = 0>(x) }'
    )
    with compile_artifact(model, CompileOptions(target="c")) as artifact:
        assert artifact.run({"x": np.arange(4, dtype=np.float32)})["y"] == 6


def test_a_tree_on_disk_is_loaded_and_left_as_it_is(folder: Path) -> None:
    network().write(folder / "net")
    before = sorted((folder / "net").rglob("*"))
    with load(folder / "net") as loaded:
        np.testing.assert_array_equal(loaded.run({"x": sample()})["q"], expected(sample())["q"])
    assert sorted((folder / "net").rglob("*")) == before
    assert list(folder.iterdir()) == [folder / "net"]


def test_nothing_is_left_behind(folder: Path) -> None:
    with load(network()):
        assert any(folder.iterdir())
    assert not any(folder.iterdir())


def test_what_is_forgotten_without_being_closed_is_removed_as_well(folder: Path) -> None:
    forgotten = load(network())
    assert any(folder.iterdir())
    del forgotten
    gc.collect()
    assert not any(folder.iterdir())


@pytest.mark.parametrize("name", ["/no/such/compiler", "no-such-compiler"])
def test_a_missing_compiler_is_named(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", name)
    with pytest.raises(ToolchainError, match=f"{name}: there is no such program on PATH; install it, or set CC"):
        load(network())
    assert not any(folder.iterdir())


def test_the_compiler_of_the_environment_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper = folder / "my-cc"
    wrapper.write_text('#!/bin/sh\necho "$@" >> "$(dirname "$0")/log"\nexec cc "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("CC", f"{wrapper} -DWRAPPED")
    with load(network()):
        pass
    assert "-DWRAPPED" in (folder / "log").read_text()


def test_what_the_compiler_says_is_shown(folder: Path) -> None:
    tree = network()
    broken = replace(tree, files={**tree.files, "src/net_kernels.c": b"int oops\n"})
    with pytest.raises(ToolchainError, match=r"failed with exit code 1(.|\n)*src/net_kernels\.c(.|\n)*error"):
        load(broken)
    assert not any(folder.iterdir())


def test_inputs_are_checked() -> None:
    with load(network()) as loaded:
        values: Any = [sample()]
        with pytest.raises(InputError, match="net: list given for its inputs; give a mapping from their names: x"):
            loaded.run(values)
        with pytest.raises(InputError, match=r"x: net needs this input, float32\[4, 8\]; give it"):
            loaded.run({})
        with pytest.raises(InputError, match=r"x: float64\[4, 8\] given, float32\[4, 8\] wanted; convert it"):
            loaded.run({"x": sample().astype(np.float64)})
        with pytest.raises(InputError, match=r"x: float32\[32\] given"):
            loaded.run({"x": sample().reshape(-1)})
        with pytest.raises(InputError, match="z: net has no such input; its inputs are x"):
            loaded.run({"x": sample(), "z": sample()})


def test_a_strided_input_is_taken_in_its_own_order() -> None:
    x = np.asfortranarray(sample())
    with load(network()) as loaded:
        np.testing.assert_array_equal(loaded.run({"x": x})["y"], expected(x)["y"])


@pytest.mark.parametrize(("where", "what"), [("@round(%y", "q"), ("@scale(%y", "its arena")])
def test_a_kernel_that_writes_too_far_is_caught(where: str, what: str) -> None:
    head, _, tail = TEXT.partition(where)
    tail = tail.replace("%y[affine_map<(d0) -> (d0)>", "%y[affine_map<(d0) -> (d0 + 1)>", 1)
    if what == "its arena":
        tail = tail.replace("%y[affine_map<(d0) -> (d0 + 1)>", "%y[affine_map<(d0) -> (d0 + 34)>", 1)
    tree = emitted(head + where + tail, "aot", "auto", "c", ("x", "y", "q"))
    with load(tree) as loaded, pytest.raises(CompilerBug, match=f"net: a kernel wrote behind the end of {what}"):
        loaded.run({"x": sample()})


def test_what_is_no_tree_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="is no tree that s2s wrote; give the directory"):
        load(folder)


def test_flags_of_the_caller_replace_those_of_the_tree() -> None:
    with load(network(), flags=["-std=c99", "-O0", "-fno-such-flag-anywhere"]) as loaded:
        np.testing.assert_array_equal(loaded.run({"x": sample()})["q"], expected(sample())["q"])


def test_two_networks_are_loaded_side_by_side() -> None:
    with load(network()) as one, load(network("aot", "incbin")) as other:
        assert one.run({"x": sample(1)})["q"].tolist() == expected(sample(1))["q"].tolist()
        assert other.run({"x": sample(2)})["q"].tolist() == expected(sample(2))["q"].tolist()
