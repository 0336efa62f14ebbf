"""A network whose weights come in a pack computes what it computes with weights of its own."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.artifact import Artifact, compile_artifact
from s2s.boards import get_board
from s2s.errors import InputError, UnsupportedError
from s2s.options import CompileOptions
from s2s.verify.build import load
from s2s.verify.on_board import BoardBuild
from support.boards import board_or_skip
from support.onnx_text import onnx_model
from support.option_changes import causal, image

Model = Callable[[], Any]


def sized() -> Any:
    return onnx_model(
        "(float[N, 4] x) => (float[N, 4] y) <float[4, 4] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7}> { y = MatMul (x, w) }"
    )


def recurrent() -> Any:
    return onnx_model(
        "(float[1, 4] x, float[1, 4] h) => (float[1, 4] y, float[1, 4] g) "
        "<float[4, 4] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7}> "
        "{ a = MatMul (x, w) b = Add (a, h) g = Tanh (b) y = Neg (g) }"
    )


def compiled(network: Any, **options: Any) -> Artifact:
    every: dict[str, Any] = {"target": "c", **options}
    return compile_artifact(network, CompileOptions(**every))


def runs(artifact: Artifact, tree: Path) -> list[dict[str, Any]]:
    """The outputs of three runs."""
    rng = np.random.default_rng(0)
    with load(artifact.tree().write(tree)) as network:
        stream = network.stream() if artifact.info.states else network
        given = [
            {
                port.name: rng.standard_normal(port.shape).astype(port.dtype)
                if port.dtype.kind == "f"
                else rng.integers(0, 9, port.shape).astype(port.dtype)
                for port in network.inputs
            }
            for _ in range(3)
        ]
        return [dict(stream.run(inputs)) for inputs in given]


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (image, {}),
        (image, {"target": "host"}),
        (image, {"steps": "20000macs"}),
        (image, {"threads": 2}),
        (image, {"io": "caller"}),
        (recurrent, {"states": {"h": "g"}}),
        (recurrent, {"states": {"h": "g"}, "steps": "200macs"}),
        (causal, {"streams": {"x": 2}}),
        (sized, {"dims": {"N": (1, 8)}}),
    ],
    ids=lambda part: getattr(part, "__name__", str(part)),
)
def test_bits_are_the_same(model: Model, options: dict[str, Any], tmp_path: Path):
    with compiled(model(), **options) as ordinary, compiled(model(), weights="pack", **options) as packed:
        assert packed.info.arena_size == ordinary.info.arena_size
        for mine, theirs in zip(runs(packed, tmp_path / "p"), runs(ordinary, tmp_path / "o"), strict=True):
            for name, values in theirs.items():
                np.testing.assert_array_equal(mine[name], values)


@pytest.mark.parametrize("options", [{}, {"steps": "20000macs"}, {"threads": 2}], ids=str)
def test_the_self_test_binds_the_pack(options: dict[str, Any], tmp_path: Path):
    with compiled(image(), weights="pack", **options) as artifact:
        tree = artifact.write(tmp_path / "net")
    flags = "CFLAGS=-std=c99 -Wall -Wextra -pedantic -Werror -O1"
    made = subprocess.run(["make", "-C", tree, "test", flags], capture_output=True, text=True, check=True)
    assert re.search(r": passed$", made.stdout, re.MULTILINE)


@pytest.mark.parametrize("options", [{}, {"steps": "50000cycles"}], ids=str)
def test_a_board_runs_it(options: dict[str, Any], tmp_path: Path):
    board_or_skip("qemu:m4")
    with compiled(image(), weights="pack", target="cortex-m4", **options) as artifact:
        build = BoardBuild(artifact.tree().write(tmp_path / "net"), get_board("qemu:m4"))
        [x] = [np.ones(port.shape, port.dtype) for port in artifact.info.inputs]
        [found] = build.run([[x]], layers=False).outputs
        with load(artifact.tree().write(tmp_path / "host")) as network:
            [expected] = network.run({artifact.info.inputs[0].name: x}).values()
        np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-5)
        if options:
            assert build.steps([x]).outputs == found[0].tobytes()
        build.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"executor": "graph"}, "leave --executor out"),
        ({"pools": ["tcm=4KiB", "sram=512KiB"]}, "leave --pools and --devices out"),
        ({"profile": "misra"}, "leave --profile out"),
        ({"interface": "tvm"}, "leave --interface out"),
    ],
    ids=str,
)
def test_what_has_no_place_for_a_pack_is_refused(options: dict[str, Any], words: str):
    with pytest.raises((InputError, UnsupportedError), match=re.escape(words)):
        compiled(image(), weights="pack", **options)


def test_a_network_without_weights_is_refused():
    network = onnx_model("(float[2] x) => (float[2] y) { y = Relu (x) }")
    with pytest.raises(InputError, match="the network has no weights"):
        compiled(network, weights="pack").tree()
