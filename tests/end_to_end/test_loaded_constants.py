"""Constants that a function of the network copies to a memory pool before the first run."""

import re
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest

from s2s import api
from s2s.errors import InputError
from support.boards import board_or_skip
from support.c_compilers import require

POOLS = ["dtcm=3KiB:loaded", "sram=64KiB:buffers"]


def layers() -> onnx.ModelProto:
    """Three layers; the constants of the second one are larger than the pool."""
    model = onnx.parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[1, 16] x) => (float[1, 4] y) { a = Gemm(x, w1, b1)  b = Relu(a)  c = Gemm(b, w2)  y = Gemm(c, w3) }
    """)
    generator = np.random.default_rng(0)
    for name, shape in {"w1": (16, 32), "b1": (32,), "w2": (32, 64), "w3": (64, 4)}.items():
        array = generator.standard_normal(shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model


def sample() -> dict[str, np.ndarray]:
    return {"x": np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 16)}


@pytest.fixture(scope="module")
def loaded() -> api.Artifact:
    return api.compile(layers(), target="c", name="net", pools=POOLS)


def test_loaded_constants_give_the_same_bits(loaded: api.Artifact):
    with api.compile(layers(), target="c", name="net") as plain, loaded:
        assert loaded.run(sample())["y"].tobytes() == plain.run(sample())["y"].tobytes()


def test_the_function_copies_what_fits(loaded: api.Artifact):
    text = loaded.tree().text("src/net.c")
    assert "s2s_status net_load(void *arena_dtcm" in text
    assert len(re.findall(r"\n    memcpy\(a_?\w* \+ \d+, net_", text)) == text.count("memcpy(") == 2
    assert 0 < loaded.info.loaded <= 3 * 1024
    assert "S2S_POOL_DTCM" not in loaded.tree().text("src/net_weights.c")


def test_all_levels_read_the_loaded_constants(loaded: api.Artifact):
    with loaded:
        found = loaded.verify(levels=True)
    assert found.passed


def test_the_self_test_loads_the_constants(loaded: api.Artifact, tmp_path: Path):
    require("gcc")
    loaded.write(tmp_path / "net")
    assert "net_load(" in (tmp_path / "net" / "README.md").read_text()
    done = subprocess.run(["make", "-s", "test"], cwd=tmp_path / "net", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_board_loads_the_constants():
    board_or_skip("qemu:m4")
    with api.compile(layers(), target="cortex-m4", name="net", pools=POOLS) as found:
        assert found.verify_on("qemu:m4").passed


def test_a_pool_of_constants_alone_has_an_arena():
    pools = ["sram=64KiB:buffers", "dtcm=64KiB:constants:loaded"]
    with api.compile(layers(), target="c", name="net", pools=pools) as found:
        assert [pool.name for pool in found.info.pools] == ["sram", "dtcm"]
        assert found.info.loaded == sum(array.nbytes for array in _weights(found))


def _weights(found: api.Artifact) -> list[np.ndarray]:
    weights = found.compilation.at("memory").weights
    text = found.tree().text("src/net.c")
    return [weights.get(name) for name in weights.names() if f"net_{name}" in text]


@pytest.mark.parametrize("text", ["dtcm=3KiB:buffers:loaded", "flash=3KiB:streamed:loaded"])
def test_what_cannot_be_loaded_is_refused(text: str):
    with pytest.raises(InputError, match="holds no constants that could be loaded; leave"):
        api.compile(layers(), target="c", pools=[text, "sram=64KiB"])
