"""Packs of new weights for a tree: made where the program is the same, refused with what differs."""

import hashlib
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from benchmarks.fuzz_packs import mutated
from benchmarks.packs import changed, score_scales, weight_scales, weights, zero_points
from s2s.artifact import Artifact, compile_artifact
from s2s.cli.main import run
from s2s.emit.files import Tree
from s2s.emit.pack_format import ECDSA_P256, ED25519, HEADER, SIGNED
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.options import CompileOptions
from s2s.packagings.signing import signer_of
from s2s.report.new_weights import pack_for
from s2s.verify.build import load
from support.option_changes import image
from support.proved_networks import quantised_network


def compiled(model: Any, **options: Any) -> Artifact:
    every: dict[str, Any] = {"target": "c", **options}
    return compile_artifact(model, CompileOptions(**every))


@pytest.fixture(scope="module")
def quantised(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tree]:
    """An int8 network, and its tree without weights."""
    folder = tmp_path_factory.mktemp("pack")
    model = folder / "net_int8.tflite"
    model.write_bytes(quantised_network())
    with compiled(model, weights="pack", name="net") as artifact:
        return model, artifact.tree().write(folder / "tree")


@pytest.mark.parametrize("change", [weights, weight_scales])
def test_retrained_weights_become_a_pack_that_computes_what_the_model_says(
    quantised: tuple[Path, Tree], change: Any, tmp_path: Path
):
    model, tree = quantised
    new = changed(model, change, 3, tmp_path)
    pack = pack_for(tree, new, version=7)
    x = np.random.default_rng(0).integers(-128, 128, (1, 6, 5, 3)).astype(np.int8)
    with compiled(new, name="net") as own, load(own.tree()) as network:
        [expected] = network.run({"x": x}).values()
    with load(tree) as network:
        [before] = network.run({"x": x}).values()
        network.bind_weights(pack)
        [found] = network.run({"x": x}).values()
    np.testing.assert_array_equal(found, expected)
    assert (found != before).any()
    assert int.from_bytes(pack[12:16], "little") == 7


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"target": "cortex-m4"},
        {"target": "cortex-m55"},
        {"target": "cortex-m0"},
        {"threads": 2},
        {"steps": "2000macs"},
    ],
    ids=str,
)
def test_other_zero_points_become_a_pack_that_computes_what_the_model_says(options: dict[str, Any], tmp_path: Path):
    first = tmp_path / "net_int8.tflite"
    first.write_bytes(quantised_network(limited=False))
    with compiled(first, weights="pack", name="net", **options) as artifact:
        tree = artifact.tree().write(tmp_path / "tree")
    new = changed(first, zero_points, 0, tmp_path)
    pack = pack_for(tree, new)
    x = np.random.default_rng(0).integers(-128, 128, (1, 6, 5, 3)).astype(np.int8)
    with compiled(new, name="net", **options) as own, load(own.tree()) as network:
        [expected] = network.run({"x": x}).values()
    with load(tree) as network:
        [before] = network.run({"x": x}).values()
        network.bind_weights(pack)
        [found] = network.run({"x": x}).values()
    np.testing.assert_array_equal(found, expected)
    assert (found != before).any()


def classifier() -> bytes:
    """A layer of bytes, and the softmax of its scores."""
    weights = np.random.default_rng(0).integers(-127, 128, (12, 8)).astype(np.int8)
    tensors = [
        TensorSpec("x", (1, 8), "INT8", scale=0.05, zero_point=3),
        TensorSpec("w", (12, 8), data=weights, scale=0.01),
        TensorSpec("scores", (1, 12), "INT8", scale=0.06, zero_point=-4),
        TensorSpec("y", (1, 12), "INT8", scale=1 / 256, zero_point=-128),
    ]
    operators = [
        OperatorSpec("FULLY_CONNECTED", ["x", "w"], ["scores"], "FullyConnectedOptions"),
        OperatorSpec("SOFTMAX", ["scores"], ["y"], "SoftmaxOptions", {"Beta": 1.0}),
    ]
    return model([GraphSpec(tensors, operators, ["x"], ["y"])])


@pytest.mark.parametrize("seed", range(3))
def test_other_scales_of_scores_bring_their_table(seed: int, tmp_path: Path):
    first = tmp_path / "first.tflite"
    first.write_bytes(classifier())
    with compiled(first, weights="pack", name="net") as artifact:
        tree = artifact.tree().write(tmp_path / "tree")

    def rescale(file: Any, rng: np.random.Generator) -> None:
        score_scales(file, rng)
        file.Subgraphs(0).Tensors(2).Quantization().ScaleAsNumpy()[...] *= np.float32((0.6, 1.0, 1.4)[seed])

    new = changed(first, rescale, seed, tmp_path)
    pack = pack_for(tree, new)
    x = np.random.default_rng(seed).integers(-20, 21, (1, 8)).astype(np.int8)
    with compiled(new, name="net") as own, load(own.tree()) as network:
        [expected] = network.run({"x": x}).values()
    with load(tree) as network:
        network.bind_weights(pack)
        [found] = network.run({"x": x}).values()
    np.testing.assert_array_equal(found, expected)
    assert pack[HEADER:] != (tree.folder / "net.weights").read_bytes()[HEADER:]


def test_header_states_digest_and_checksum(quantised: tuple[Path, Tree]):
    model, tree = quantised
    pack = pack_for(tree, model)
    assert pack == (tree.folder / "net.weights").read_bytes()
    assert pack[64:96] == hashlib.sha256(pack[HEADER:]).digest()
    assert pack[124:128] == zlib.crc32(pack[:124] + pack[HEADER:]).to_bytes(4, "little")
    assert pack[16:48].hex() == tree.record["pack"]["layout"]


def test_another_limit_is_refused_by_its_node(quantised: tuple[Path, Tree], tmp_path: Path):
    model, tree = quantised
    new = changed(model, zero_points, 0, tmp_path)
    with pytest.raises(UnsupportedError, match=r"net: the new model needs another program: .*\((net_\w+)\): `"):
        pack_for(tree, new)


def test_another_input_scale_is_refused(quantised: tuple[Path, Tree], tmp_path: Path):
    model, tree = quantised

    def rescale(file: Any, rng: np.random.Generator) -> None:
        graph = file.Subgraphs(0)
        graph.Tensors(graph.Inputs(0)).Quantization().ScaleAsNumpy()[...] *= np.float32(2)

    with pytest.raises(UnsupportedError, match=re.escape("input x: quantisation (0.5, 3), now (1, 3)")):
        pack_for(tree, changed(model, rescale, 0, tmp_path))


def test_other_shapes_are_refused(tmp_path: Path):
    def dense(columns: int) -> onnx.ModelProto:
        made = onnx.parser.parse_model(
            f'<ir_version: 8, opset_import: ["" : 17]> net (float[2, 8] x) => (float[2, {columns}] y)'
            "{ y = MatMul (x, w) }"
        )
        values = np.random.default_rng(0).normal(size=(8, columns)).astype(np.float32)
        made.graph.initializer.append(onnx.numpy_helper.from_array(values, "w"))
        return made

    with compiled(dense(6), weights="pack", name="net") as artifact:
        tree = artifact.tree().write(tmp_path / "tree")
    with pytest.raises(UnsupportedError, match=re.escape("output y: shape [2, 6], now [2, 7]")):
        pack_for(tree, dense(7))


def test_a_tree_with_weights_of_its_own_is_refused(tmp_path: Path):
    with compiled(image()) as artifact:
        tree = artifact.tree().write(tmp_path / "tree")
    with pytest.raises(InputError, match="holds its weights itself; compile it with --weights pack"):
        pack_for(tree, image())


def test_a_pack_of_another_network_is_not_bound(quantised: tuple[Path, Tree], tmp_path: Path):
    _, tree = quantised
    with compiled(image(), weights="pack", name="net") as artifact:
        other = (artifact.tree().write(tmp_path / "other").folder / "net.weights").read_bytes()
    with load(tree) as network, pytest.raises(InputError, match="refuses the pack of weights with status -22"):
        network.bind_weights(other)


@pytest.mark.parametrize("kind", [ED25519, ECDSA_P256])
def test_signature_is_one_of_the_key(kind: int, quantised: tuple[Path, Tree], tmp_path: Path):
    serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils

    key: Any = ed25519.Ed25519PrivateKey.generate() if kind == ED25519 else ec.generate_private_key(ec.SECP256R1())
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (tmp_path / "key.pem").write_bytes(key.private_bytes(pem, pkcs8, serialization.NoEncryption()))
    model, tree = quantised
    command = [
        "pack",
        str(model),
        "--for",
        str(tree.folder),
        "-o",
        str(tmp_path / "net.weights"),
        "--model-version",
        "2",
    ]
    assert run([*command, "--sign", str(tmp_path / "key.pem")]) == 0
    pack = (tmp_path / "net.weights").read_bytes()
    message, signature = pack[:SIGNED], pack[SIGNED:HEADER]
    assert message[60] == kind
    if kind == ED25519:
        key.public_key().verify(signature, message)
    else:
        numbers = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
        key.public_key().verify(utils.encode_dss_signature(*numbers), message, ec.ECDSA(hashes.SHA256()))


def test_what_is_no_key_is_refused(tmp_path: Path):
    pytest.importorskip("cryptography")
    with pytest.raises(InputError, match="is no private key that can be read"):
        signer_of(tmp_path / "missing.pem")


def test_mutated_packs_are_refused_or_harmless(tmp_path: Path):
    with compiled(image(), weights="pack") as artifact:
        for mode, code, text in mutated(artifact, tmp_path, count=2000, seed=1):
            assert code == 0, f"{mode}: {text}"
            assert "success" in text


@pytest.mark.parametrize(
    "given",
    [
        {"ram_budget": "min"},
        {"steps": "20000macs"},
        {"threads": 2, "exact": True, "prefer": "size"},
        {"schedule": "reference", "tflite_rounding": "reference", "io": "arena"},
    ],
    ids=["ram", "steps", "threads", "reference"],
)
def test_the_tree_states_its_options(given: dict[str, Any], tmp_path: Path):
    model = tmp_path / "net_int8.tflite"
    model.write_bytes(quantised_network())
    with compiled(model, weights="pack", name="net", **given) as artifact:
        tree = artifact.tree().write(tmp_path / "tree").folder
    assert run(["pack", str(model), "--for", str(tree), "-o", str(tmp_path / "net.weights")]) == 0
    assert (tmp_path / "net.weights").read_bytes() == (tree / "net.weights").read_bytes()


def test_a_target_of_a_file_is_given_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    mine = tmp_path / "mine.toml"
    mine.write_text('name = "mine"\nbase = "c"\n')
    (tmp_path / "net.onnx").write_bytes(image().SerializeToString())
    tree, pack = tmp_path / "tree", tmp_path / "net.weights"
    command = ["pack", str(tmp_path / "net.onnx"), "--for", str(tree), "-o", str(pack), "--target"]
    with compiled(tmp_path / "net.onnx", target=str(mine), weights="pack") as artifact:
        artifact.write(tree)
    assert run([*command, str(mine)]) == 0
    assert pack.read_bytes() == (tree / "net.weights").read_bytes()
    assert run([*command, "cortex-m4"]) == 2
    assert "net: was compiled for mine, not for cortex-m4; leave --target out" in capsys.readouterr().err
