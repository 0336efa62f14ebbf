"""Trees, models and certificates that were edited, exchanged or damaged are not proved, and errors say the way out."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from s2s.api import compile as compile_network
from s2s.cli.main import run
from s2s.errors import InputError, ToolchainError
from s2s.frontends.tflite.writer import model as tflite_model
from s2s.prove.certificate import PROVED, TESTED, WRONG
from s2s.prove.proof import Proof, prove_tree
from support.pages import LAYER_OF_BYTES
from support.proved_networks import padded_network, pooled_network


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("edited")
    model = folder / "layer.tflite"
    model.write_bytes(tflite_model([LAYER_OF_BYTES]))
    return model, compile_network(model, target="c").write(folder / "tree")


def edited(tree: Path, copy: Path, file: str, change: Callable[[str], str]) -> Path:
    """A copy of a tree with a change in one file."""
    shutil.copytree(tree, copy)
    text = (copy / file).read_text()
    assert change(text) != text
    (copy / file).write_text(change(text))
    return copy


def replaced(old: str, new: str) -> Callable[[str], str]:
    """A text with `new` for the first `old`."""
    return lambda text: text.replace(old, new, 1)


def test_a_run_function_that_returns_an_error_is_wrong(network: tuple[Path, Path], tmp_path: Path):
    tree = edited(network[1], tmp_path / "tree", "src/layer.c", replaced("return S2S_OK", "return S2S_ERR_NULL"))
    proof = prove_tree(network[0], tree)
    assert (proof.outputs, proof.reason) == (WRONG, "the run function returns an error")


@pytest.mark.parametrize("shape", ["[0]", "[3]"])
def test_a_kernel_whose_comment_has_another_shape_is_not_proved(shape: str, network: tuple[Path, Path], tmp_path: Path):
    tree = edited(network[1], tmp_path / "tree", "src/layer.c", replaced("/* [2] y8", f"/* {shape} y8"))
    proof: Proof = prove_tree(network[0], tree)
    assert [kernel.status for kernel in proof.kernels] == [WRONG]
    assert not proof.complete


def test_a_tree_without_comments_is_proved_by_its_outputs_only(network: tuple[Path, Path], tmp_path: Path):
    tree = edited(network[1], tmp_path / "tree", "src/layer.c", replaced("/* [2] y8", "/* y8"))
    proof = prove_tree(network[0], tree)
    assert (proof.kernels, proof.outputs) == ([], PROVED)
    weights = next(file for file in ("src/layer_weights.c", "src/layer_kernels.c") if (tree / file).is_file())
    wrong = edited(tree, tmp_path / "wrong", weights, lambda text: text.replace("-7", "-8"))
    assert prove_tree(network[0], wrong).outputs == WRONG


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"size": 4', '"size": 5', "give the model that it was compiled from"),
        ('"outputs": [', '"outputs": [], "others": [', "give the model that it was compiled from"),
        ('"arena": {', '"arena": {"size": 4096, "others": 0}, "arenas": {', "is not the 4096 bytes of metadata.json"),
        ('"executor"', '"executors"', "give a directory that s2s compile wrote"),
        ('"name": "layer"', '"name": "../layer"', "give a directory that s2s compile wrote"),
        ("{", "", "give a directory that s2s compile wrote"),
    ],
)
def test_edited_metadata_is_refused(old: str, new: str, message: str, network: tuple[Path, Path], tmp_path: Path):
    tree = edited(network[1], tmp_path / "tree", "metadata.json", replaced(old, new))
    with pytest.raises(InputError, match=message):
        prove_tree(network[0], tree)


def test_the_certificate_names_every_file_that_the_c_may_include(network: tuple[Path, Path], tmp_path: Path):
    tree = edited(network[1], tmp_path / "tree", "src/layer.c", lambda text: f'#include "more.inc"\n{text}')
    (tree / "src" / "more.inc").write_text("/* nothing */\n")
    assert {"metadata.json", "src/more.inc"} <= set(prove_tree(network[0], tree).tree)
    other = edited(network[1], tmp_path / "other", "src/layer.c", lambda text: f'#include "../../more.inc"\n{text}')
    assert prove_tree(network[0], other).outputs == TESTED


def test_a_model_that_is_another_or_damaged_is_refused(network: tuple[Path, Path], tmp_path: Path):
    other, damaged = tmp_path / "other.tflite", tmp_path / "damaged.tflite"
    other.write_bytes(pooled_network())
    with pytest.raises(InputError, match="give the model that it was compiled from"):
        prove_tree(other, network[1])
    damaged.write_bytes(network[0].read_bytes()[:300])
    with pytest.raises(InputError, match="give the "):
        prove_tree(damaged, network[1])


def test_a_missing_preprocessor_is_named(network: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolchainError, match="install a C compiler as `cc`"):
        prove_tree(*network)


def test_a_certificate_is_compared_with_what_was_there_before(network: tuple[Path, Path], tmp_path: Path):
    model, tree = (str(path) for path in network)
    certificate = tmp_path / "proof.json"
    proof = json.dumps({})
    certificate.write_text(proof)
    written = ["--output", str(certificate), "--check", str(certificate)]
    assert run(["prove", model, "--tree", tree, *written]) == 2
    assert run(["prove", model, "--tree", tree, *written]) == 0
    assert run(["prove", model, "--tree", tree, "--check", str(tmp_path / "none.json")]) == 2
    assert run(["prove", model, "--tree", tree, "--output", str(certificate / "below.json")]) == 2


def test_what_depends_on_an_unknown_operator_is_tested_only(tmp_path: Path):
    model = tmp_path / "padded.tflite"
    model.write_bytes(padded_network())
    proof = prove_tree(model, compile_network(model, target="c").write(tmp_path / "tree"))
    assert not proof.wrong
    assert proof.outputs == TESTED
    assert "the reference has no PAD" in {kernel.reason for kernel in proof.kernels}


def test_a_pool_of_channels_of_which_some_are_constants_is_proved(tmp_path: Path):
    model = tmp_path / "pooled.tflite"
    model.write_bytes(pooled_network())
    proof = prove_tree(model, compile_network(model, target="c").write(tmp_path / "tree"))
    assert [(kernel.node, kernel.status) for kernel in proof.kernels] == [("conv", PROVED), ("mean", PROVED)]
    assert proof.complete
    assert np.prod([2, 2, 6]) == proof.kernels[-1].count
