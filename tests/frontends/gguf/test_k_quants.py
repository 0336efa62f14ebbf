"""Tensors of k-quants are read as the `gguf` package reads them, and decoders with them give the logits of their
weights."""

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.frontends.decoder import Config
from s2s.frontends.gguf.reader import BLOCKS, Tensor
from s2s.frontends.gguf.tensors import LEVELLED, SCALED, floats
from s2s.options import Activations, CompileOptions
from s2s.testing.decoders import write_gguf
from s2s.testing.decoders.k_quants import quantize_q4_k
from s2s.types.dtypes import Array
from support.compiled import quickly_loaded

KINDS: Any = gguf.GGMLQuantizationType
PLACES = {
    "Q2_K": (80, 82),
    "Q3_K": (108,),
    "Q4_K": (0, 2),
    "Q5_K": (0, 2),
    "Q6_K": (208,),
    "Q4_1": (0, 2),
    "Q5_1": (0, 2),
    "MXFP4": (),
    "TQ1_0": (52,),
    "TQ2_0": (64,),
}
"""Where in a block numbers of half precision are."""
CONFIG = Config(vocabulary=40, width=256, layers=1, heads=4, kv_heads=2, hidden=256, length=8)


@pytest.mark.parametrize("kind", sorted([*SCALED, *LEVELLED]))
def test_blocks_are_read_as_the_package_reads_them(kind: str):
    """With any bits, but for numbers of half precision that are neither infinite nor NaN."""
    name, block, size = BLOCKS[KINDS[kind].value]
    rng = np.random.default_rng(0)
    data = rng.integers(0, 256, (3, 2, size)).astype(np.uint8)
    for at in PLACES.get(kind, (0,)):
        data[..., at : at + 2] = rng.standard_normal((3, 2, 1)).astype("<f2").view(np.uint8)
    if kind == "MXFP4":
        data[..., 0] = rng.integers(0, 250, (3, 2))  # with larger exponents products are infinite
    expected = gguf.quants.dequantize(data.reshape(3, -1), KINDS[kind])
    np.testing.assert_array_equal(floats(Tensor(name, 3, 2 * block, data)), expected)


def test_bfloat16_is_read_as_the_package_reads_it():
    data = gguf.quants.quantize(np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32), KINDS.BF16)
    tensor = Tensor("BF16", 3, 8, data.view(np.uint8).reshape(3, 8, 2))
    np.testing.assert_array_equal(floats(tensor), gguf.quants.dequantize(data, KINDS.BF16))


def test_made_up_weights_in_superblocks_are_near_those_that_were_quantised():
    weights = np.random.default_rng(1).standard_normal((5, 512)).astype(np.float32)
    found = gguf.quants.dequantize(quantize_q4_k(weights), KINDS.Q4_K)
    steps = np.ptp(weights.reshape(5, -1, 32), axis=-1, keepdims=True) / 15
    assert (np.abs(found - weights).reshape(5, -1, 32) <= 0.85 * steps).all()


def as_floats(path: Path, source: Path) -> None:
    """Write the file `source` again, with the floats that its tensors stand for."""
    reader: Any = gguf.GGUFReader(source)
    writer: Any = gguf.GGUFWriter(path, "llama")
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name != "general.architecture":
            writer.add_key_value(field.name, field.contents(), field.types[0])
    for tensor in reader.tensors:
        floats = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        writer.add_tensor(tensor.name, np.asarray(floats, np.float32, order="C"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def logits(path: Path, target: str, activations: Activations) -> Array:
    """The logits behind each of some tokens."""
    with compile_artifact(str(path), CompileOptions(target=target, activations=activations)) as artifact:
        network = quickly_loaded(artifact)
        runs = [network.run({"token": np.array([at * 7 % 40]), "position": np.array([at])}) for at in range(4)]
    return np.concatenate([run["logits"] for run in runs])


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("target", "activations", "bound"),
    [("c", "float", 1e-5), ("c", "model", 3e-2), ("host", "float", 1e-5), ("host", "model", 3e-2)],
)
def test_a_decoder_in_superblocks_gives_the_logits_of_its_weights(
    tmp_path: Path, target: str, activations: Activations, bound: float
):
    write_gguf(tmp_path / "k.gguf", CONFIG, "Q4_K")
    as_floats(tmp_path / "f.gguf", tmp_path / "k.gguf")
    expected = logits(tmp_path / "f.gguf", "c", "float")
    found = logits(tmp_path / "k.gguf", target, activations)
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound * np.abs(expected).max())
