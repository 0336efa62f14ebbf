"""Weights that are rounded together leave less error in the sums than weights that are rounded alone."""

import numpy as np
import pytest

from s2s.quantization.network import Layer, Window
from s2s.quantization.rounding import loss, rounded, rounded_weights, scales
from s2s.quantization.windows import rows_of, second_moments


def convolution(groups: int, window: Window) -> Layer:
    return Layer("a", "x", "w", None, "y", spatial=True, groups=groups, window=window)


@pytest.mark.parametrize(
    ("groups", "stride", "dilation", "pads"),
    [(1, 1, 1, 0), (1, 2, 1, 1), (4, 1, 2, 2), (2, 3, 1, 1), (2, 1, 1, "same")],
)
def test_rows_are_what_weights_multiply(groups: int, stride: int, dilation: int, pads: int | str):
    torch = pytest.importorskip("torch")
    module = torch.nn.Conv2d(4, 8, (3, 2), stride, pads, dilation, groups=groups, bias=False)
    x = torch.randn(1, 4, 11, 9)
    expected = module(x).detach().numpy().reshape(groups, 8 // groups, -1)
    given = (pads, pads) if isinstance(pads, int) else ()
    layer = convolution(groups, Window((stride,) * 2, (dilation,) * 2, given, given, "" if given else "upper"))
    weights = module.weight.detach().numpy()
    rows = rows_of(layer, x.numpy(), weights.shape)
    found = np.einsum("grn,gon->gor", rows, weights.reshape(groups, 8 // groups, -1))
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_error_of_a_weight_moves_to_the_next():
    always_equal = np.ones((2, 2))
    assert rounded(np.array([[0.4, 0.4]]), always_equal, -8, 7).tolist() == [[0, 1]]
    assert rounded(np.array([[0.4, 0.4]]), np.eye(2), -8, 7).tolist() == [[0, 0]]


def test_bounds_hold_and_no_output_is_worse():
    random = np.random.default_rng(0)
    rows = random.normal(size=(500, 12)) @ random.normal(size=(12, 40))
    moments = rows.T @ rows / 500
    steps = random.normal(size=(10, 40)) * 4
    plain, together = np.clip(np.rint(steps), -7, 7), rounded(steps, moments, -7, 7)
    assert np.abs(together).max() <= 7
    before, after = (loss(steps - each, moments) for each in (plain, together))
    assert (after <= before).all()
    assert after.sum() < before.sum() / 3


def test_scales_cut_a_rare_large_weight_off():
    weights = np.r_[np.random.default_rng(0).uniform(-1, 1, 500), 1.6][None]
    moments = np.diag(np.r_[np.ones(500), 1e-3])
    [scale] = scales(weights, moments, -7, 7)
    assert scale < 1.2 / 7


@pytest.mark.parametrize("transposed", [True, False])
def test_products_keep_their_layout(transposed: bool):
    layer = Layer("a", "x", "w", None, "y", spatial=False, transposed=transposed)
    steps = np.random.default_rng(0).normal(size=(5, 3)) * 3
    weights = steps if transposed else steps.T
    x = np.random.default_rng(1).normal(size=(20, 3)).astype(np.float32)
    moments = second_moments([(layer, weights.shape)], [{"x": x}])["a"]
    np.testing.assert_allclose(moments[0], x.T.astype(np.float64) @ x / 20, rtol=1e-5)
    found = rounded_weights(layer, weights, moments, -7, 7)
    assert found.shape == weights.shape
    assert np.abs(found - weights).max() < 2
