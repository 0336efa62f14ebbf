"""`s2s.prove` proves small int8 networks whole, and says of others why it cannot."""

from pathlib import Path

import pytest

from s2s.api import compile as compile_network
from s2s.errors import InputError
from s2s.frontends.tflite.writer import model as tflite_model
from s2s.prove.proof import PROVED, TESTED, prove_tree
from support.pages import LAYER_OF_BYTES
from support.project import ROOT
from support.proved_networks import quantised_network


def tree_of(folder: Path, target: str, *, softmax: bool = False) -> tuple[Path, Path]:
    """A model and its tree."""
    model = folder / "small.tflite"
    model.write_bytes(quantised_network(softmax=softmax))
    return model, compile_network(model, target=target).write(folder / "tree")


@pytest.mark.parametrize("target", ["c", "cortex-m4"])
def test_every_kernel_of_a_network_is_proved(target: str, tmp_path: Path):
    proof = prove_tree(*tree_of(tmp_path, target))
    assert [(kernel.node, kernel.status, kernel.reason) for kernel in proof.kernels] == [
        ("conv", PROVED, ""),
        ("dw", PROVED, ""),
        ("point, sum", PROVED, ""),
        ("mean", PROVED, ""),
        ("scores", PROVED, ""),
    ]
    assert proof.complete


def test_sums_that_are_known_modulo_two_to_the_32_are_proved(tmp_path: Path):
    """The vectors of x86-64 multiply a negative number as one of 32 unsigned bits; no sum gets beyond 31."""
    assert prove_tree(*tree_of(tmp_path, "x86-64-v3")).complete


def test_a_kernel_without_an_arena_whose_comment_stands_behind_its_call_is_proved(tmp_path: Path):
    model = tmp_path / "layer.tflite"
    model.write_bytes(tflite_model([LAYER_OF_BYTES]))
    proof = prove_tree(model, compile_network(model, target="c").write(tmp_path / "tree"))
    assert [(kernel.function, kernel.node, kernel.count, kernel.status) for kernel in proof.kernels] == [
        ("layer_matmul", "y8", 2, PROVED)
    ]
    assert proof.complete


def test_softmax_is_proved(tmp_path: Path):
    proof = prove_tree(*tree_of(tmp_path, "c", softmax=True))
    assert {kernel.status for kernel in proof.kernels} == {PROVED}
    assert proof.complete


def test_equal_proofs_have_equal_certificates(tmp_path: Path):
    model, tree = tree_of(tmp_path, "c")
    assert prove_tree(model, tree).to_json() == prove_tree(model, tree).to_json()


def test_a_network_in_floats_is_tested_only(tmp_path: Path):
    model = ROOT / "examples" / "digits" / "digits.onnx"
    proof = prove_tree(model, compile_network(model, target="c").write(tmp_path / "tree"))
    assert proof.outputs == TESTED
    assert {kernel.status for kernel in proof.kernels} == {TESTED}
    assert proof.reason == "not every kernel is proved"
    assert not proof.wrong


def test_a_folder_that_is_no_tree_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="give a directory that s2s compile wrote"):
        prove_tree(tmp_path / "small.tflite", tmp_path)
