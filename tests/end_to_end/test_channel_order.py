"""Networks with channels first run in line buffers: the same numbers in less RAM, by decisions."""

import numpy as np
import onnx
import pytest

from benchmarks.networks.quantised import SIGNED, static
from s2s.api import compile as compile_network
from s2s.artifact import Artifact
from s2s.decisions.channel_order import FIRST, LAST
from s2s.emit.stream import pieces
from support.compiled import run_c
from support.onnx_text import onnx_model

BOTTLENECK = """(float[1, 3, 24, 24] x) => (float[1, 4] y)
{
    [stem] s = Conv <pads = [1, 1, 1, 1]> (x, v)
    r = Relu (s)
    [expand] e = Conv (r, a)
    f = Relu (e)
    [depthwise] d = Conv <pads = [1, 1, 1, 1], group = 48> (f, b)
    g = Relu (d)
    [project] p = Conv (g, c)
    q = Add (p, r)
    [mean] m = GlobalAveragePool (q)
    n = Flatten (m)
    y = MatMul (n, w)
}"""
"""A stem, an inverted bottleneck with its residual sum, and a classifier."""
IMAGE = np.random.default_rng(3).normal(size=(1, 3, 24, 24)).astype(np.float32)


SHAPES = {"v": (8, 3, 3, 3), "a": (48, 8, 1, 1), "b": (48, 1, 3, 3), "c": (8, 48, 1, 1), "w": (8, 4)}


def bottleneck() -> onnx.ModelProto:
    rng = np.random.default_rng(2)
    model = onnx_model(BOTTLENECK)
    for name, shape in SHAPES.items():
        values = rng.normal(size=shape, scale=0.3).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(values, name))
    return model


@pytest.fixture(scope="module", params=["int8", "float"])
def model(request: pytest.FixtureRequest) -> onnx.ModelProto:
    if request.param == "float":
        return bottleneck()
    return static(bottleneck, SIGNED, SIGNED, per_channel=True)


def files(artifact: Artifact) -> dict[str, bytes]:
    return {path: b"".join(pieces(content)) for path, content in artifact.tree().files.items()}


def orders(artifact: Artifact) -> set[str]:
    return {each.chosen for each in artifact.decisions if each.kind == "channel order"}


def test_a_budget_takes_line_buffers_of_channels_first(model: onnx.ModelProto):
    with compile_network(model, target="cortex-m4") as whole:
        expected, ram = run_c(whole, [IMAGE]), whole.info.arena_size
    assert orders(whole) == set()
    with compile_network(model, target="cortex-m4", ram_budget="min") as artifact:
        assert artifact.info.arena_size < ram
        assert "expand" in artifact.report().line_buffers
        assert orders(artifact) == {LAST}
        for found, wanted in zip(run_c(artifact, [IMAGE]), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
        assert artifact.verify().passed
    with compile_network(model, target="cortex-m4", ram_budget="min", decisions=artifact.decisions.as_dict()) as again:
        assert files(again) == files(artifact)


def test_channels_stay_first_if_a_user_says_so(model: onnx.ModelProto):
    with compile_network(model, target="cortex-m4", push="x:2") as rows:
        [found] = [each for each in rows.decisions if each.kind == "channel order"]
        expected = run_c(rows, [IMAGE])
    given = {"format": 1, "decisions": [{"kind": found.kind, "subject": found.subject, "chosen": FIRST}]}
    with compile_network(model, target="cortex-m4", push="x:2", decisions=given) as artifact:
        assert orders(artifact) == {FIRST}
        for mine, wanted in zip(run_c(artifact, [IMAGE]), expected, strict=True):
            np.testing.assert_allclose(mine, wanted, rtol=1e-5, atol=1e-5)
