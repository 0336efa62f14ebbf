"""Tensors of k-quants are read as the `gguf` package reads them, and decoders with them give the logits of their
weights."""

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.frontends.decoder import Config
from s2s.frontends.gguf.k_quants import q4_k, q6_k
from s2s.options import Activations, CompileOptions
from s2s.testing.decoders import write_gguf
from s2s.testing.decoders.k_quants import quantize_q4_k
from s2s.types.dtypes import Array
from support.compiled import quickly_loaded

KINDS: Any = gguf.GGMLQuantizationType
CONFIG = Config(vocabulary=40, width=256, layers=1, heads=4, kv_heads=2, hidden=256, length=8)


def superblocks(size: int, halves: tuple[int, ...], seed: int = 0) -> Array:
    """Bytes of `[3, 2]` superblocks with any bits, but for numbers of half precision that are neither infinite nor
    NaN."""
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 256, (3, 2, size)).astype(np.uint8)
    for at in halves:
        data[..., at : at + 2] = rng.standard_normal((3, 2, 1)).astype("<f2").view(np.uint8)
    return data


def test_q4_k_is_read_as_the_package_reads_it():
    data = superblocks(144, (0, 2))
    expected = gguf.quants.dequantize(data.reshape(3, -1), KINDS.Q4_K)
    np.testing.assert_array_equal(q4_k(data).floats().reshape(3, -1), expected)


def test_q6_k_is_read_as_the_package_reads_it():
    data = superblocks(210, (208,))
    expected = gguf.quants.dequantize(data.reshape(3, -1), KINDS.Q6_K)
    q, scales = q6_k(data)
    np.testing.assert_array_equal((q * scales[..., None]).reshape(3, -1), expected)


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
        writer.add_tensor(tensor.name, np.ascontiguousarray(floats, np.float32))
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
