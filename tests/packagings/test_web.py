"""The page of a network takes files and drawings in a browser without screen, and shows what the tree computes."""

import base64
import json
import re
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.api import compile as compile_network
from s2s.artifact import Artifact
from s2s.types.dtypes import Array
from s2s.verify.build import load
from support.c_compilers import require
from support.onnx_text import onnx_model
from support.project import ROOT
from support.proved_networks import quantised_network
from support.wasm import require_clang

DIGITS = ROOT / "examples" / "digits"
HOSTILE = "</script><img src=x onerror=document.body.dataset.runs=99>`${1}'\" */"
WHEN_READY = """
<pre id="found"></pre>
<script>
const rows = () =>
  [...document.querySelectorAll("#outputs tr")].map((row) => [+row.dataset.index, row.cells[1].textContent]);
const until = (runs) => new Promise((done) => {
  const look = () => +document.body.dataset.runs >= runs || find("error").textContent ? done() : setTimeout(look, 10);
  look();
});
const drop = (bytes, name, type = "") => {
  const carried = new DataTransfer();
  carried.items.add(new File([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], name, { type }));
  document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: carried }));
};
(async () => {
  await until(1);
  const found = await (async () => { STEPS })();
  document.getElementById("found").textContent = JSON.stringify(found);
})();
</script>
"""


def page_of(artifact: Artifact, folder: Path) -> str:
    require_clang()
    artifact.export(folder / "page", "web")
    return (folder / "page" / "index.html").read_text()


def shown(page: str, steps: str, folder: Path) -> Any:
    """What the steps, in JavaScript, return in the page."""
    file = folder / "tested.html"
    file.write_text(page.replace("</body>", WHEN_READY.replace("STEPS", steps) + "</body>"))
    command = [require("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom"]
    command += [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=20000", file.as_uri()]
    dumped = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    returned = re.search(r'<pre id="found">(.*?)</pre>', dumped, re.DOTALL)
    assert returned is not None
    assert returned[1], dumped[-3000:]
    return json.loads(unescape(returned[1]))


def dropped(content: bytes, name: str, kind: str = "") -> str:
    """Steps that drop a file and return the rows of the outputs and the error."""
    file = json.dumps([base64.b64encode(content).decode(), name, kind])
    return f'drop(...{file}); await until(2); return [rows(), find("error").textContent];'


def numbers(rows: list[Any], count: int) -> Array:
    values = np.full(count, np.nan)
    for index, text in rows:
        values[index] = float(text)
    return values


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> tuple[Artifact, str]:
    artifact = compile_network(DIGITS / "digits.onnx", target="wasm32-simd128")
    return artifact, page_of(artifact, tmp_path_factory.mktemp("digits"))


@pytest.mark.parametrize("form", ["npy", "txt", "bin"])
def test_a_dropped_file_is_computed(form: str, digits: tuple[Artifact, str], tmp_path: Path):
    artifact, page = digits
    image: Array = np.load(DIGITS / "held_out.npz")["images"][3:4]
    np.save(tmp_path / "image.npy", image)
    content = {
        "npy": (tmp_path / "image.npy").read_bytes(),
        "txt": " ".join(map(repr, image.reshape(-1).tolist())).encode(),
        "bin": image.tobytes(),
    }[form]
    rows, error = shown(page, dropped(content, f"image.{form}"), tmp_path)
    assert error == ""
    with load(artifact.tree()) as native:
        [expected] = native.run({"image": image}).values()
    np.testing.assert_allclose(numbers(rows, 10), expected.reshape(-1), rtol=1e-5)
    assert rows[0][0] == int(np.argmax(expected))


def test_a_dropped_picture_is_scaled_to_the_input(digits: tuple[Artifact, str], tmp_path: Path):
    image: Array = np.load(DIGITS / "held_out.npz")["images"][5, 0]
    grey = np.round(image * 255).astype(np.uint8)
    artifact, page = digits
    rows, error = shown(page, dropped(_bitmap(grey), "five.bmp", "image/bmp"), tmp_path)
    assert error == ""
    with load(artifact.tree()) as native:
        [expected] = native.run({"image": (grey / np.float32(255)).astype(np.float32)[None, None]}).values()
    np.testing.assert_allclose(numbers(rows, 10), expected.reshape(-1), rtol=1e-3, atol=1e-5)


def _bitmap(grey: Array) -> bytes:
    """A picture as a BMP of 24 bits a pixel, whose width is a multiple of four."""
    height, width = grey.shape
    pixels = np.repeat(grey[::-1, :, None], 3, axis=2).tobytes()
    head = b"BM" + (54 + len(pixels)).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
    sizes = b"".join(size.to_bytes(4, "little") for size in (40, width, height))
    return head + sizes + b"\x01\x00\x18\x00" + bytes(4) + len(pixels).to_bytes(4, "little") + bytes(16) + pixels


def test_a_stroke_is_computed_while_it_is_drawn(digits: tuple[Artifact, str], tmp_path: Path):
    steps = """
const canvas = document.querySelector("canvas"), box = canvas.getBoundingClientRect();
canvas.setPointerCapture = () => {};
const at = (type, x, y, buttons) => canvas.dispatchEvent(new PointerEvent(type, {
  clientX: box.left + x * box.width, clientY: box.top + y * box.height, buttons, pointerId: 1 }));
at("pointerdown", 0.5, 0.1, 1);
at("pointermove", 0.5, 0.5, 1);
at("pointermove", 0.5, 0.9, 1);
at("pointermove", 0.9, 0.9, 0);
await until(3);
return [rows()[0][0], Array.from(values.image), find("time").textContent, find("error").textContent];
"""
    most, image, time, error = shown(digits[1], steps, tmp_path)
    assert error == ""
    assert re.fullmatch(r"[0-9.e-]+ ms", time)
    drawn = np.array(image).reshape(8, 8)
    assert drawn[:, 4].min() > 0
    assert drawn[:, 0].max() == 0
    assert most == 1


def test_a_file_of_another_size_is_refused(digits: tuple[Artifact, str], tmp_path: Path):
    _, error = shown(digits[1], dropped(bytes(100), "image.bin"), tmp_path)
    assert error == "image.bin: has 100 bytes, and image takes 256"


def test_real_numbers_are_quantised_for_the_input(tmp_path: Path):
    file = tmp_path / "net.tflite"
    file.write_bytes(quantised_network(softmax=True))
    artifact = compile_network(file, target="wasm32-simd128", name="net")
    [port], [output] = artifact.info.inputs, artifact.info.outputs
    assert port.quantisation is not None
    assert output.quantisation is not None
    x = np.random.default_rng(0).integers(-100, 100, port.shape).astype(np.int8)
    real = (x.astype(np.float32) - port.quantisation.zero_point) * np.float32(port.quantisation.scale)
    text = " ".join(map(repr, real.reshape(-1).tolist())).encode()
    rows, error = shown(page_of(artifact, tmp_path), dropped(text, "x.txt"), tmp_path)
    assert error == ""
    with load(artifact.tree()) as native:
        [expected] = native.run({port.name: x}).values()
    wanted = (expected.reshape(-1).astype(float) - output.quantisation.zero_point) * output.quantisation.scale
    for index, text in rows:
        assert float(text) == pytest.approx(wanted[index], rel=1e-5)


def test_the_length_of_an_input_is_chosen_in_the_page(tmp_path: Path):
    """Every second element of a signal, doubled: `y` has half as many elements, rounded up."""
    model = onnx_model(
        "(float[1, 1, N] x) => (float[1, 1, M] y) <float[1, 1, 1] w = {2}> { y = Conv <strides = [2]> (x, w) }"
    )
    artifact = compile_network(model, target="c", name="net", dims={"N": (1, 9)})
    steps = """
const field = document.querySelector("#sizes input"), before = rows().length, found = [];
const choose = async (N) => {
  const runs = +document.body.dataset.runs;
  field.value = N;
  field.onchange();
  await until(runs + 1);
};
for (const N of [5, 2, 9, 10]) {
  await choose(N);
  found.push([rows().length, find("error").textContent]);
}
find("error").textContent = "";
await choose(5);
const runs = +document.body.dataset.runs;
drop(btoa("1 2 3 4 5"), "x.txt");
await until(runs + 1);
return [[field.min, field.max], before, found, rows(), find("error").textContent];
"""
    bounds, before, found, computed, error = shown(page_of(artifact, tmp_path), steps, tmp_path)
    assert (bounds, before) == (["1", "9"], 5)
    assert found == [[3, ""], [1, ""], [5, ""], [5, "N: is 10, not 1 to 9"]]
    assert error == ""
    assert numbers(computed, 3).tolist() == [2, 6, 10]


def test_names_of_strangers_are_texts(tmp_path: Path):
    model = onnx_model("(float[1, 3] x) => (float[1, 3] y) { y = Neg (x) }")
    model.graph.input[0].name = model.graph.node[0].input[0] = HOSTILE
    model.graph.output[0].name = model.graph.node[0].output[0] = f"{HOSTILE}2"
    model.doc_string = model.graph.doc_string = HOSTILE
    page = page_of(compile_network(model, target="c", name="net"), tmp_path)
    steps = 'return [document.querySelector("h2").textContent, document.images.length, document.body.dataset.runs];'
    assert shown(page, steps, tmp_path) == [HOSTILE, 0, "1"]
