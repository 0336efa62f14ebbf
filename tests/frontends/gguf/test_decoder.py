"""Decoders of GGUF files: what is stored of tied embeddings, sizes of caches, and files that lie."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import S2SError
from s2s.frontends.decoder import Config
from s2s.frontends.gguf import is_gguf
from s2s.frontends.gguf.decoder import read_decoder
from s2s.frontends.gguf.reader import read_gguf
from s2s.options import CompileOptions
from s2s.targets import Target, get_target
from s2s.targets.intrinsics import VNNI_BY_UNSIGNED, VNNI_SIGNED
from s2s.testing.decoders import write_gguf
from support.c_compilers import require_target
from support.gguf_models import Model, logits, plain_angles, write

CONFIG = Config(vocabulary=48, width=64, layers=1, heads=4, kv_heads=2, hidden=96, length=8, epsilon=1e-6, theta=1e6)
BYTES = {"Q8_0": 34, "Q4_0": 18, "Q4_K": 148}
"""The bytes of a block, or of a superblock."""
VNNI = replace(get_target("x86-64-v4"), name="vnni", intrinsics=(VNNI_BY_UNSIGNED, VNNI_SIGNED))


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("Q8_0", "c"),
        ("Q4_0", "c"),
        ("Q8_0", "cortex-m55"),
        ("Q4_0", "cortex-m4"),
        ("Q4_0", "x86-64-v4"),
        ("Q8_0", VNNI),
        ("Q4_K", "c"),
        ("Q4_K", VNNI),
    ],
    ids=str,
)
def test_a_tied_embedding_is_stored_once(tmp_path: Path, kind: Any, target: str | Target):
    """Quantised, and packed for the logits: rows are looked up there, and their scales too."""
    require_target(str(target))
    write_gguf(tmp_path / "m.gguf", replace(CONFIG, vocabulary=128, width=256, hidden=256), kind)
    with compile_artifact(str(tmp_path / "m.gguf"), CompileOptions(target=target)) as artifact:
        arrays = json.loads(artifact.tree().text("metadata.json"))["weights"]["arrays"]
        assert target is VNNI or artifact.verify().passed
    mine = [each for each in arrays if each["name"].startswith(("rows", "embedding", "token"))]
    assert sum(each["size"] for each in mine) == 128 * 256 // (32 if kind != "Q4_K" else 256) * BYTES[kind]
    (rows,) = (each for each in mine if each["size"] >= 128 * 128)
    assert ("unsigned" in rows["name"]) == (target is VNNI and kind == "Q8_0")


def test_the_user_says_how_many_positions_the_cache_has(tmp_path: Path):
    write(tmp_path / "m.gguf", Model(kind="Q8_0"))
    assert read_decoder(tmp_path / "m.gguf", 5).config.length == 5
    with pytest.raises(S2SError, match=r"m\.gguf has 8 at most"):
        read_decoder(tmp_path / "m.gguf", 9)


def test_files_that_lie_are_refused(tmp_path: Path):
    """Cut off anywhere, or with any byte of its first part changed, a file is read or refused, and never breaks."""
    path = tmp_path / "m.gguf"
    write(path, Model(kind="Q8_0"))
    data, rng = path.read_bytes(), np.random.default_rng(3)
    refused = 0
    for at in rng.integers(4, 1200, 150):
        for changed in (data[:at], data[:at] + bytes([rng.integers(256)]) + data[at + 1 :]):
            path.write_bytes(changed)
            try:
                read_gguf(path)
                read_decoder(path)
            except S2SError:
                refused += 1
    assert refused > 150


def test_a_file_that_is_gguf_by_name_only_is_damaged(tmp_path: Path):
    """Its user reads what is wrong with it, and not that it is no ONNX model."""
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUM" + bytes(60))
    assert is_gguf(path)
    with pytest.raises(S2SError, match=r"m\.gguf"):
        read_gguf(path)


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["F32", "Q8_0", "Q4_0"])
def test_the_most_likely_tokens_of_five_texts_are_those_of_the_reference(tmp_path: Path, kind: str):
    """Weights are those that the file has in these types; activations are floats."""
    model = Model(kind=kind, length=16, layers=2)
    weights = write(tmp_path / "m.gguf", model)

    def likeliest(tokens: list[int]) -> int:
        return int(logits(model, weights, tokens, plain_angles(model))[-1].argmax())

    with compile_artifact(str(tmp_path / "m.gguf"), CompileOptions(target="c", activations="float")) as network:
        for seed in range(5):
            text = np.random.default_rng(seed).integers(0, model.vocabulary, 3).tolist()
            stream = network.stream()
            for position in range(model.length):
                given = {"token": np.array([text[position]]), "position": np.array([position])}
                found = int(stream.run(given)["logits"].argmax())
                if position >= 2:
                    assert found == likeliest(text), (seed, position)
                    text.append(found)
