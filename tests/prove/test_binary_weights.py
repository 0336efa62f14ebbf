"""Weights that a tree keeps in a binary file beside a source are part of the proof."""

from pathlib import Path

import pytest

from s2s.api import compile as compile_network
from s2s.errors import ToolchainError
from s2s.prove.proof import prove_tree
from support.proved_networks import quantised_network


@pytest.fixture
def network(tmp_path: Path) -> tuple[Path, Path]:
    model = tmp_path / "small.tflite"
    model.write_bytes(quantised_network())
    return model, compile_network(model, target="c", weights="incbin").write(tmp_path / "tree")


def test_a_network_with_weights_in_a_binary_file_is_proved(network: tuple[Path, Path]):
    model, tree = network
    proof = prove_tree(model, tree)
    assert proof.complete
    assert "src/small_weights.c.bin" in proof.tree


def test_a_wrong_byte_of_the_binary_file_is_found(network: tuple[Path, Path]):
    model, tree = network
    file = tree / "src" / "small_weights.c.bin"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert prove_tree(model, tree).wrong


def test_a_binary_file_that_is_too_short_is_refused(network: tuple[Path, Path]):
    model, tree = network
    file = tree / "src" / "small_weights.c.bin"
    file.write_bytes(file.read_bytes()[:8])
    with pytest.raises(ToolchainError, match="from beyond the bytes"):
        prove_tree(model, tree)
