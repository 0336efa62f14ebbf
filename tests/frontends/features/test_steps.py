"""Steps as texts, their place among inputs and outputs, and quantised inputs."""

import dataclasses
import re
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from s2s import api
from s2s.compilation import Compilation
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.features import post, pre
from s2s.frontends.features.parameters import Seconds
from s2s.frontends.features.registry import POST, PRE, post_step, pre_step
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.options import CompileOptions
from s2s.options.recorded import options_of_record
from support.compiled import quickly_loaded
from support.steps import identities, runs, stepped


def test_every_step_has_a_name_in_python() -> None:
    assert {getattr(pre, name) for name in pre.__all__} >= set(PRE.values())
    assert {getattr(post, name) for name in post.__all__} == set(POST.values())


@pytest.mark.parametrize(
    "step",
    [
        pre.Mfcc(window=0.0101, low=20.5, high=4000.0, mel="htk"),
        pre.Resize(size=pre.Size(160, 120), mode="nearest"),
        pre.Normalise(mean=(0.1, 2.0, 3e-5), std=(1.0, 2.0, 3.0)),
        pre.Crop(size=pre.Size(9, 8), left=0),
        pre.Grey(),
    ],
)
def test_the_text_of_a_step_is_the_step(step: pre.PreStep) -> None:
    assert pre_step(str(step)) == (None, step)
    assert pre_step(f"serving:0={step}") == ("serving:0", step)


def test_names_of_outputs_and_labels_may_be_any() -> None:
    assert post_step("a=b=labels:names=yes/no") == ("a=b", post.Labels(names=("yes", "no")))


WILD = ("0", "-1", "8000", "1e9s", "nan", "0x4", "1/2", "x", "")
FITTING: dict[Any, tuple[str, ...]] = {
    int: ("1", "2", "3", "4", "64"),
    float: ("0.5", "1", "300", "3000"),
    Seconds: ("5ms", "20ms", "0.03s"),
    pre.Size: ("8x8", "9x12", "31x17"),
    str: ("x_out", "labels.txt"),
}
"""Values of parameters, by their types."""


def drawn(random: Random, cls: type[Any]) -> str:
    """Parameters of a step, few of them wrong."""
    parts: list[str] = []
    hints = get_type_hints(cls, include_extras=True)
    for field in dataclasses.fields(cls):
        kind = hints[field.name]
        plain = next((each for each in (kind, *get_args(kind)) if each in FITTING), str)
        words = get_args(kind) if get_origin(kind) is Literal else FITTING[plain]
        if field.default is dataclasses.MISSING or random.random() < 0.15:
            parts.append(f"{field.name}={random.choice(WILD if random.random() < 0.1 else words)}")
    return ",".join(parts)


def test_any_parameters_compile_or_are_refused() -> None:
    built, messages, random = 0, list[str](), Random(0)
    for name, step in [*PRE.items(), *POST.items()] * 20:
        text = f"{name}:{drawn(random, step)}"
        shape = random.choice([(1, 120), (8, 8, 3), (1, 8, 8, 1), (1, 3, 8, 8), (6, 4)])
        given: dict[str, Any] = {"pre": (text,)} if name in PRE else {"post": (text,)}
        try:
            Compilation(identities({"x": shape}), CompileOptions(target="c", **given)).at("read")
            built += 1
        except (InputError, UnsupportedError) as error:
            messages.append(str(error))
    assert built > 60
    assert [each for each in messages if ": " not in each or "; " not in each] == []


def test_steps_are_recorded() -> None:
    artifact = stepped({"x": (1, 490)}, [pre.Mfcc(window=0.04)], ["argmax"])
    again = options_of_record(artifact.compilation.tree.record)
    assert (again.pre, again.post) == (("mfcc:window=0.04s",), ("argmax",))


def test_steps_stand_at_the_input_that_is_named() -> None:
    shapes = {"a": (4, 4, 1), "b": (2,)}
    with pytest.raises(InputError, match="--pre grey: names none; write --pre NAME=grey with one of a, b"):
        stepped(shapes, ["grey"])
    artifact = stepped(shapes, ["a=grey"], ["b_out=argmax"])
    x = np.full((4, 4, 3), 9, np.uint8)
    (found,) = runs(artifact, [{"a": x, "b": np.array([1, 2], np.float32)}])
    assert found["b_out_class"].item() == 1
    assert np.all(found["a_out"] == 9)


def quantised(scale: float, zero: int) -> bytes:
    """A network of TFLite that gives the bytes that it is passed."""
    tensors = [TensorSpec(name, (1, 4, 4, 3), "INT8", scale=scale, zero_point=zero) for name in ("x", "y")]
    reshape = OperatorSpec("RESHAPE", ["x", "shape"], ["y"])
    shape = TensorSpec("shape", (4,), data=np.array([1, 4, 4, 3], np.int32))
    return model([GraphSpec([*tensors, shape], [reshape], ["x"], ["y"])])


@pytest.mark.parametrize("std", [(255.0,), (255.0, 128.0, 64.0)])
def test_pixels_become_steps_of_the_input(std: tuple[float, ...]) -> None:
    scale, zero = 0.0078125, -3
    x = np.random.default_rng(0).integers(0, 256, (1, 4, 4, 3)).astype(np.uint8)
    artifact = api.compile(quantised(scale, zero), target="c", pre=[pre.Normalise(mean=(7.0,), std=std)])
    with quickly_loaded(artifact) as network:
        (found,) = network.run({"x": x}).values()
    real = (x.astype(np.float32) - np.float32(7)) / np.asarray(std, np.float32)
    steps = np.clip(real / np.float32(scale), -128 - zero, 127 - zero)
    assert np.array_equal(found, np.sign(steps) * np.floor(np.abs(steps) + 0.5) + zero)


def test_one_mean_of_bytes_is_a_table() -> None:
    artifact = api.compile(quantised(1 / 255, -128), target="c", pre=[pre.Normalise(std=(255.0,))])
    assert [array["size"] for array in artifact.compilation.tree.record["weights"]["arrays"]] in ([256], [])


def test_sizes_that_vary_are_refused() -> None:
    network = identities({"x": (1, 4)})
    network.graph.input[0].type.tensor_type.shape.dim[1].dim_param = "N"
    network.graph.output[0].type.tensor_type.shape.dim[1].dim_param = "N"
    with pytest.raises(UnsupportedError, match="steps take constant sizes, and N varies; give --dim a number"):
        api.compile(network, dims={"N": (1, 4)}, post=["argmax"])


@pytest.mark.parametrize(("before", "behind"), [([pre.Normalise()], []), ([], [post.Argmax()])])
def test_an_engine_runs_the_model_between_the_steps(before: list[object], behind: list[object]) -> None:
    steps = "--pre" if before else "--post"
    with stepped({"x": (1, 4, 4, 3)}, before, behind) as artifact:
        result = artifact.verify()
        assert result.passed
        assert re.fullmatch(rf"onnxruntime \S+ between {steps} by the graph interpreter of s2s", result.against)
        assert artifact.verify(against="interpreter").against == "the graph interpreter of s2s"


def test_an_engine_between_steps_sees_a_wrong_model(monkeypatch: pytest.MonkeyPatch) -> None:
    from s2s.verify import expected

    def wrong(engine: str, loaded: Any) -> Any:
        def run(inputs: dict[str, Any]) -> list[Any]:
            return [0 * array + 1000 for array in inputs.values()]

        return run

    monkeypatch.setattr(expected, "open_engine", wrong)
    with stepped({"x": (1, 4, 4, 3)}, [pre.Normalise()], [post.Mean(runs=2)]) as artifact:
        assert not artifact.verify().passed


def test_states_of_steps_go_on_from_run_to_run() -> None:
    with stepped({"x": (1, 3)}, [], [post.Mean(runs=3)]) as artifact:
        result = artifact.verify()
        assert result.passed
        assert result.against.startswith("onnxruntime")
