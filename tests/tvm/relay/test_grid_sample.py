"""`image.grid_sample`: places between elements and beyond the border, beside PyTorch, whose meaning TVM has."""

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.types.dtypes import Array

torch = pytest.importorskip("torch")

SIZE = 4
HALVES = np.arange(-6, 10, 0.5)


def places_around_halves(align_corners: bool) -> Array:
    """Places, from -1 to 1 within the image, of elements and of halves between them, and the floats next to these."""
    at = HALVES / (SIZE - 1) * 2 - 1 if align_corners else (2 * HALVES + 1) / SIZE - 1
    places = at.astype(np.float32)
    return np.concatenate([places, *(np.nextafter(places, np.float32(end)) for end in (-9, 9))])


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize(
    ("method", "rank"), [("nearest", 4), ("nearest", 5), ("bilinear", 4), ("bilinear", 5), ("bicubic", 4)]
)
def test_ties_and_reflections_are_those_of_torch(method: str, padding: str, align_corners: bool, rank: int) -> None:
    axes = rank - 2
    along = places_around_halves(align_corners)
    grid = np.stack([np.roll(along, 7 * axis) for axis in range(axes)]).reshape(1, axes, *[1] * (axes - 1), -1)
    image = np.random.default_rng(0).random((1, 2, *[SIZE] * axes), np.float32)
    x, y = relay.var("x", shape=image.shape), relay.var("y", shape=grid.shape)
    layout = "NCHW" if rank == 4 else "NCDHW"
    sampled = relay.image.grid_sample(x, y, method, layout, padding, align_corners)
    mod = relay.IRModule.from_expr(relay.Function([x, y], sampled))
    [found] = run_graph(mod.module, [image, grid], mod.weights)
    last = torch.from_numpy(np.moveaxis(grid, 1, -1).copy())
    expected = torch.nn.functional.grid_sample(
        torch.from_numpy(image), last, mode=method, padding_mode=padding, align_corners=align_corners
    )
    np.testing.assert_allclose(found, expected.numpy(), rtol=0 if method == "nearest" else 1e-5, atol=2e-6)


@pytest.mark.parametrize(
    ("grid", "method", "match"),
    [((1, 2, 3, 3), "linear", "there is no method linear"), ((1, 3, 3, 3), "nearest", "does not fit the data")],
)
def test_a_wrong_grid_or_method_is_refused(grid: tuple[int, ...], method: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        relay.image.grid_sample(relay.var("x", shape=(1, 2, 4, 4)), relay.var("y", shape=grid), method)
