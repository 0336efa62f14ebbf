# pyright: reportUnknownMemberType=false
"""Text-to-speech as exporters write it: the output has room for the bound, and a run tells how much of it counts."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.types.dtypes import Array
from support.speech import WORDS, Speech
from support.varying_networks import session


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The network with a constant number of letters, and with one that varies."""
    folder = tmp_path_factory.mktemp("speech")
    given = torch.arange(7).reshape(1, 7), torch.tensor([7]), torch.tensor([0.6, 1.0])
    found: dict[str, Path] = {}
    for name, axes in (("constant", {}), ("varying", {"x": {1: "T"}})):
        found[name] = folder / f"{name}.onnx"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the exporter, which becomes another one
            torch.onnx.export(
                Speech().eval(), given, str(found[name]), dynamo=False, opset_version=17,
                input_names=["x", "lengths", "scales"], output_names=["audio", "frames"],
                dynamic_axes={"audio": {2: "samples"}, **axes},
            )  # fmt: skip
    return found


def inputs(letters: int, scale: float, *, shorter: int = 0) -> dict[str, Array]:
    return {
        "x": np.random.default_rng(letters).integers(0, WORDS, (1, letters)),
        "lengths": np.array([max(letters - shorter, 1)]),
        "scales": np.array([0.6, scale], np.float32),
    }


@pytest.mark.parametrize(
    ("name", "range_name", "letters"), [("constant", "Range", (7,)), ("varying", "Range_1", (1, 2, 7, 16))]
)
def test_durations_decide_the_length_of_the_output(
    name: str, range_name: str, letters: tuple[int, ...], files: dict[str, Path]
):
    engine, dims = session(files[name]), {range_name: (0, 64), **({"T": (1, 16)} if name == "varying" else {})}
    lengths: set[int] = set()
    with api.compile(files[name], target="c", dims=dims) as artifact:
        assert artifact.info.outputs[0].shape == (1, 1, 256)
        for count in letters:
            for scale, shorter in ((0.5, 0), (1.0, 0), (2.3, 1)):
                given = inputs(count, scale, shorter=shorter)
                for found, expected in zip(artifact.run(given).values(), engine.run(None, given), strict=True):
                    assert found.shape == expected.shape
                    np.testing.assert_allclose(found, expected, atol=1e-5)
                lengths.add(int(artifact.run(given)["frames"].item()))
    assert len(lengths) > 2


def test_without_a_bound_the_range_says_how_to_give_one(files: dict[str, Path]):
    with pytest.raises(UnsupportedError, match=r"^/Range \(Range\): .* bound how many .* as in --dim Range=0\.\.64"):
        api.compile(files["constant"], target="c")


def test_a_run_behind_the_bound_fails(files: dict[str, Path]):
    bounded = api.compile(files["constant"], target="c", dims={"Range": (0, 9)})
    with bounded, pytest.raises(InputError, match=r"is not in its bounds, --dim Range=0\.\.9"):
        bounded.run(inputs(7, 4.0))
