"""Quantised ONNX networks (QDQ) are proved, and bugs planted into their C are found."""

from pathlib import Path

import numpy as np
import onnx
import pytest

from s2s.api import compile as compile_network
from s2s.prove.certificate import PROVED, TESTED, WRONG
from s2s.prove.proof import prove_tree
from support.planted_bugs import QDQ_BUGS, Bug, with_bug
from support.qdq_networks import qdq_network

Network = tuple[Path, Path]


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Network:
    folder = tmp_path_factory.mktemp("qdq")
    model = folder / "qdq.onnx"
    model.write_bytes(qdq_network())
    return model, compile_network(model, target="c").write(folder / "tree")


def test_a_network_that_onnxruntime_would_quantise_is_proved(network: Network):
    proof = prove_tree(*network)
    assert {kernel.node: kernel.status for kernel in proof.kernels if kernel.status != PROVED} == {}
    assert proof.complete
    assert "rintf" in proof.runtime["by meaning"]
    assert "s2s_f32_quantize_i8" in proof.runtime["executed"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("target", ["cortex-m4", "cortex-m55", "x86-64-v3"])
def test_its_trees_for_targets_are_proved(target: str, network: Network, tmp_path: Path):
    model, _ = network
    proof = prove_tree(model, compile_network(model, target=target).write(tmp_path / "tree"))
    assert {kernel.node: kernel.reason for kernel in proof.kernels if kernel.status != PROVED} == {}
    assert proof.complete


def test_bytes_without_a_sign_are_proved(tmp_path: Path):
    model = tmp_path / "qdq.onnx"
    model.write_bytes(qdq_network(np.uint8))
    assert prove_tree(model, compile_network(model, target="c").write(tmp_path / "tree")).complete


def test_a_sum_whose_factors_are_rounded_is_proved(tmp_path: Path):
    """0.04 / 0.09 and 0.07 / 0.09 are no floats: the order of the two products and the constant shows."""
    model = tmp_path / "qdq.onnx"
    model.write_bytes(qdq_network(total_scale=0.09))
    assert prove_tree(model, compile_network(model, target="c").write(tmp_path / "tree")).complete


def test_a_tree_whose_arena_is_a_union_is_proved(network: Network, tmp_path: Path):
    model, _ = network
    tree = compile_network(model, target="c", profile="misra").write(tmp_path / "tree")
    assert "union" in (tree / "include" / "qdq.h").read_text()
    proof = prove_tree(model, tree)
    assert {kernel.node: kernel.reason for kernel in proof.kernels if kernel.status != PROVED} == {}
    assert proof.complete
    header = "uint8_t before[240]; int8_t data[240];"
    moved = Bug("../include/qdq.h", header, header.replace("before[240]", "before[239]"))
    assert not prove_tree(model, with_bug(tree, moved, tmp_path / "wrong")).complete


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", QDQ_BUGS)
def test_a_planted_bug_is_found(name: str, network: Network, tmp_path: Path):
    model, tree = network
    proof = prove_tree(model, with_bug(tree, QDQ_BUGS[name], tmp_path / "tree"))
    assert not proof.complete
    found = WRONG if name != "sums read as floats" else TESTED
    assert found in {kernel.status for kernel in proof.kernels}, [vars(kernel) for kernel in proof.kernels]


def test_an_output_with_its_channels_last_is_wrong(tmp_path: Path):
    """Inside of a network the order of an image's elements is the tree's, but not at its end."""
    model = tmp_path / "image.onnx"
    made = onnx.load_from_string(qdq_network())
    del made.graph.node[[node.name for node in made.graph.node].index("first_d") + 1 :]
    made.graph.output[0].name = "first_d"
    made.graph.output[0].type.tensor_type.shape.CopyFrom(
        onnx.helper.make_tensor_value_info("y", 1, [1, 8, 6, 5]).type.tensor_type.shape
    )
    model.write_bytes(made.SerializeToString())
    tree = compile_network(model, target="c").write(tmp_path / "tree")
    assert prove_tree(model, tree).complete
    last = Bug("image_kernels.c", "y[y_at + 5] = ", "y[y_at + 30] = ")
    assert prove_tree(model, with_bug(tree, last, tmp_path / "wrong")).wrong
