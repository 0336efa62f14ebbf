"""Renew the weights of a firmware: signed packs, two slots of flash, and the power cut at each place of an update.

    python examples/weights_pack/update.py [FOLDER]

The firmware is compiled once. A retrained model becomes a pack for it, signed with an Ed25519 key for libsodium and
with a P-256 key for mbedTLS (on Debian: libsodium-dev, libmbedtls-dev). It wants the extra `sign`.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from s2s import api
from s2s.emit.read_tree import read_tree
from s2s.packagings.signing import signer_of
from s2s.report.new_weights import pack_for

HERE = Path(__file__).parent
DIGITS = HERE.parent / "digits"
FLAGS = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror")
LIBRARIES = {"sodium": ("-lsodium",), "mbedtls": ("-lmbedcrypto",)}


def new_key(library: str, folder: Path) -> tuple[Path, Path]:
    """Make a key pair; return the files of the private key, in PEM, and of the public key, in bytes."""
    if library == "sodium":
        key: Any = ed25519.Ed25519PrivateKey.generate()
        form = serialization.Encoding.Raw, serialization.PublicFormat.Raw
    else:
        key = ec.generate_private_key(ec.SECP256R1())
        form = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    private, public = folder / f"{library}.pem", folder / f"{library}.key"
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    private.write_bytes(key.private_bytes(pem, pkcs8, serialization.NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(*form))
    return private, public


def retrained(folder: Path) -> Path:
    """Write the digits network with weights that differ a little."""
    model, rng = onnx.load_model_from_string((DIGITS / "digits.onnx").read_bytes()), np.random.default_rng(0)
    for initializer in model.graph.initializer:
        array = onnx.numpy_helper.to_array(initializer)
        if array.dtype == np.float32:
            noise = 1 + 0.01 * rng.standard_normal(array.shape)
            initializer.CopyFrom(onnx.numpy_helper.from_array((array * noise).astype(np.float32), initializer.name))
    (folder / "digits.onnx").write_bytes(model.SerializeToString())
    return folder / "digits.onnx"


def build(folder: Path, library: str) -> Path:
    """Build the device with the network and a library for signatures."""
    tree = folder / "digits"
    includes = [f"-I{each}" for each in (tree / "include", tree / "runtime" / "include", tree / "src", HERE, folder)]
    device = [HERE / name for name in ("update.c", "slots.c", f"verify_{library}.c")]
    network = [*sorted((tree / "src").glob("*.c")), *sorted((tree / "runtime").rglob("*.c"))]
    program = folder / f"update_{library}"
    libraries = (*LIBRARIES[library], "-lm")
    subprocess.run(["gcc", *FLAGS, *includes, *device, *network, *libraries, "-o", program], check=True)
    return program


def main(folder: Path) -> int:
    """Compile, pack, sign, build and run; return how many programs failed."""
    with api.compile(DIGITS / "digits.onnx", target="c", weights="pack") as artifact:
        artifact.write(folder / "digits")
    pixels = np.load(DIGITS / "held_out.npz")["images"][0].reshape(-1)
    numbers = ", ".join(f"{float(value)!r}f" for value in pixels)
    (folder / "vectors.h").write_text(f"static const float image[] = {{{numbers}}};\n")
    tree, failed = read_tree(folder / "digits"), 0
    models = {1: DIGITS / "digits.onnx", 2: retrained(folder)}
    for library in LIBRARIES:
        private, public = new_key(library, folder)
        packs: list[Path] = []
        for version, model in models.items():
            packs.append(folder / f"digits_{version}_{library}.weights")
            packs[-1].write_bytes(pack_for(tree, model, version=version, signer=signer_of(private)))
        ended = subprocess.run([build(folder, library), *packs, public], check=False, capture_output=True, text=True)
        print(f"{library}: {ended.stdout.strip()}")
        failed += ended.returncode != 0
    return failed


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with TemporaryDirectory() as temporary:
        sys.exit(main(Path(temporary)))
