"""Operators that draw random numbers: the generator, the distributions, and the runs of a network."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from xdsl.ir import Block

from s2s.errors import UnsupportedError
from s2s.frontends.builder import Builder
from s2s.frontends.onnx import import_model
from s2s.frontends.philox import philox
from s2s.onnx_backend import prepare
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from support.onnx_nodes import run_imported
from support.onnx_text import onnx_model

COUNT = 4001
LIKELY = np.array([[0.2, 0.3, 0.5], [0.7, 0.2, 0.1]], np.float32)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        (2**32 - 1, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    ],
)
def test_philox_of_known_counters(word: int, expected: list[int]):
    """The vectors that Random123 publishes."""
    builder = Builder(Block(), WeightStore())
    counter = builder.constant(np.array([word], np.uint32))
    found = [made.array for made in philox((counter, counter, counter, counter), (word, word))]
    assert [int(array[0]) for array in found if array is not None] == expected


def _model() -> onnx.ModelProto:
    nodes = [
        helper.make_node("RandomUniform", [], ["u"], shape=[COUNT], seed=3.0, low=-1.0, high=3.0),
        helper.make_node("RandomUniform", [], ["same"], shape=[COUNT], seed=3.0, low=-1.0, high=3.0),
        helper.make_node("RandomNormalLike", ["x"], ["n"], mean=2.0, scale=0.5),
        helper.make_node("Bernoulli", ["x"], ["b"], dtype=onnx.TensorProto.BOOL),
        helper.make_node("Multinomial", ["l"], ["m"], sample_size=COUNT),
        helper.make_node("Dropout", ["x", "ratio", "t"], ["d", "mask"]),
    ]
    inputs = [
        helper.make_tensor_value_info("x", 1, [COUNT]),
        helper.make_tensor_value_info("l", 1, [2, 3]),
        helper.make_tensor_value_info("ratio", 1, []),
        helper.make_tensor_value_info("t", 9, []),
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in ("u", "same", "n", "b", "m", "d", "mask")]
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=8)


def _run(training: bool) -> dict[str, Array]:
    """The outputs of the first run, by the numpy meaning."""
    inputs = [np.full(COUNT, 0.25, np.float32), np.log(LIKELY), np.array(0.2, np.float32), np.array(training)]
    names = ("u", "same", "n", "b", "m", "d", "mask")
    return dict(zip(names, run_imported(import_model(_model()), inputs), strict=True))


@pytest.fixture(scope="module")
def drawn() -> dict[str, Array]:
    """The outputs while training."""
    return _run(True)


def test_uniform_numbers(drawn: dict[str, Array]):
    found: Any = drawn["u"]
    assert found.min() >= -1
    assert found.max() < 3
    assert abs(found.mean() - 1) < 0.1
    assert abs(np.histogram(found, 4)[0] - COUNT / 4).max() < 150


def test_normal_numbers(drawn: dict[str, Array]):
    found: Any = drawn["n"]
    assert abs(found.mean() - 2) < 0.05
    assert abs(found.std() - 0.5) < 0.03
    assert abs((abs(found - 2) < 0.5).mean() - 0.683) < 0.03


def test_draws_with_given_probabilities(drawn: dict[str, Array]):
    found: Any = drawn["b"]
    assert found.dtype == np.bool_
    assert abs(found.mean() - 0.25) < 0.03
    classes: Any = drawn["m"]
    assert classes.dtype == np.int32
    shares = np.stack([np.bincount(row, minlength=3) for row in classes]) / COUNT
    np.testing.assert_allclose(shares, LIKELY, atol=0.03)


def test_dropout_scales_what_it_keeps(drawn: dict[str, Array]):
    found: Any = drawn["d"]
    mask: Any = drawn["mask"]
    assert abs(mask.mean() - 0.8) < 0.03
    np.testing.assert_allclose(found, np.where(mask, np.float32(0.25 / 0.8), 0), rtol=1e-6)


def test_dropout_keeps_all_without_training():
    found: dict[str, Any] = _run(False)
    assert (found["d"] == np.float32(0.25)).all()
    assert found["mask"].all()


def test_equal_seeds_draw_equal_numbers(drawn: dict[str, Array]):
    np.testing.assert_array_equal(drawn["u"], drawn["same"])


def test_every_run_draws_other_numbers():
    model = onnx_model("(float[9] x) => (float[9] y) { y = RandomUniformLike(x) }")
    zeros = np.zeros(9, np.float32)
    first = run_imported(import_model(model), [zeros])
    network: Any = prepare(model)
    runs = [network.run([zeros])[0] for _ in range(2)]
    np.testing.assert_array_equal(runs[0], first[0])
    assert (runs[0] != runs[1]).all()


def test_bodies_that_draw_are_refused():
    model = onnx_model(
        """(float[2] x, bool c) => (float[2] y) {
            y = If (c) <
                then_branch = yes () => (float[2] a) { a = RandomNormalLike(x) },
                else_branch = no () => (float[2] b) { b = Identity(x) }
            >
        }"""
    )
    with pytest.raises(UnsupportedError, match=r"draws random numbers in a body.*draw them outside of the body"):
        import_model(model)
