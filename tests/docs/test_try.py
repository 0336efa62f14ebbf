"""The page `docs/try/digits.html` is what `s2s compile --format web` writes, but for the bytes of the compiler."""

import base64
import re
from pathlib import Path

import numpy as np

from s2s.api import compile as compile_network
from support.project import ROOT
from support.wasm import WasmNetwork, require_clang

PAGE = ROOT / "docs" / "try" / "digits.html"
DIGITS = ROOT / "examples" / "digits"
MODULE = re.compile(r'const module64 = "([^"]*)";')
VERSION = re.compile(r"Compiled by s2s [^;]*;")
AGAIN = (
    "s2s compile examples/digits/digits.onnx --target wasm32-simd128 --format web -o page; "
    "cp page/index.html docs/try/digits.html"
)


def plain(page: str) -> str:
    return VERSION.sub("", MODULE.sub("", page))


def test_the_page_is_up_to_date(tmp_path: Path):
    require_clang()
    compile_network(DIGITS / "digits.onnx", target="wasm32-simd128").export(tmp_path / "page", "web")
    assert plain((tmp_path / "page" / "index.html").read_text()) == plain(PAGE.read_text()), AGAIN


def test_the_module_of_the_page_classifies_what_it_never_saw(tmp_path: Path):
    module = MODULE.search(PAGE.read_text())
    assert module is not None
    (tmp_path / "net.wasm").write_bytes(base64.b64decode(module[1]))
    network = WasmNetwork(tmp_path / "net.wasm", compile_network(DIGITS / "digits.onnx", target="c").info)
    held_out = np.load(DIGITS / "held_out.npz")
    every = zip(held_out["images"][:, None], held_out["labels"], strict=True)
    right = [np.argmax(network.run({"image": image})["probabilities"]) == label for image, label in every]
    assert np.mean(right) > 0.95
